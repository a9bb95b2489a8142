; What C++ adds.

(template_declaration (_) @wrapped) @wrap

; TEST(Suite, Name) of the usual test frameworks.

(function_definition
  !type
  declarator: (function_declarator
    declarator: (identifier) @_test
    parameters: (parameter_list . (parameter_declaration) @container . (parameter_declaration) @name .))
  body: (_) @body
  (#match? @_test "^(TYPED_)?TEST(_[FP])?$")) @def.function

; Functions and methods. Those that are defined outside of their class say in
; their name where they belong. The nodes around a declarator are written as
; wildcards: named ones make the query slow to compile.

(function_definition
  type: (_)? @result
  declarator: [
    (_ declarator: [(identifier) @name (field_identifier) @name (operator_name) @name (destructor_name) @name (template_function name: (identifier) @name)] parameters: (_) @params)
    (_ declarator: (_ declarator: [(identifier) @name (field_identifier) @name (operator_name) @name (destructor_name) @name (template_function name: (identifier) @name)] parameters: (_) @params))
    (_ declarator: (_ declarator: (_ declarator: [(identifier) @name (field_identifier) @name (operator_name) @name (destructor_name) @name (template_function name: (identifier) @name)] parameters: (_) @params)))
    (reference_declarator (_ declarator: [(identifier) @name (field_identifier) @name (operator_name) @name (destructor_name) @name (template_function name: (identifier) @name)] parameters: (_) @params))
  ]
  body: (_)? @body) @def.function

(function_definition
  type: (_)? @result
  declarator: [
    (_ declarator: [
      (_ scope: [(namespace_identifier) @container (_ name: (_) @container)] name: [(identifier) @name (operator_name) @name (destructor_name) @name (template_function name: (identifier) @name)])
      (_ scope: [(namespace_identifier) @container (_ name: (_) @container)] name: (_ scope: [(namespace_identifier) @container (_ name: (_) @container)] name: [(identifier) @name (operator_name) @name (destructor_name) @name (template_function name: (identifier) @name)]))
      (_ scope: [(namespace_identifier) @container (_ name: (_) @container)] name: (_ scope: [(namespace_identifier) @container (_ name: (_) @container)] name: (_ scope: [(namespace_identifier) @container (_ name: (_) @container)] name: [(identifier) @name (operator_name) @name (destructor_name) @name (template_function name: (identifier) @name)])))
    ] parameters: (_) @params)
    (_ declarator: (_ declarator: [
      (_ scope: [(namespace_identifier) @container (_ name: (_) @container)] name: [(identifier) @name (operator_name) @name (destructor_name) @name (template_function name: (identifier) @name)])
      (_ scope: [(namespace_identifier) @container (_ name: (_) @container)] name: (_ scope: [(namespace_identifier) @container (_ name: (_) @container)] name: [(identifier) @name (operator_name) @name (destructor_name) @name (template_function name: (identifier) @name)]))
      (_ scope: [(namespace_identifier) @container (_ name: (_) @container)] name: (_ scope: [(namespace_identifier) @container (_ name: (_) @container)] name: (_ scope: [(namespace_identifier) @container (_ name: (_) @container)] name: [(identifier) @name (operator_name) @name (destructor_name) @name (template_function name: (identifier) @name)])))
    ] parameters: (_) @params))
    (_ declarator: (_ declarator: (_ declarator: [
      (_ scope: [(namespace_identifier) @container (_ name: (_) @container)] name: [(identifier) @name (operator_name) @name (destructor_name) @name (template_function name: (identifier) @name)])
      (_ scope: [(namespace_identifier) @container (_ name: (_) @container)] name: (_ scope: [(namespace_identifier) @container (_ name: (_) @container)] name: [(identifier) @name (operator_name) @name (destructor_name) @name (template_function name: (identifier) @name)]))
      (_ scope: [(namespace_identifier) @container (_ name: (_) @container)] name: (_ scope: [(namespace_identifier) @container (_ name: (_) @container)] name: (_ scope: [(namespace_identifier) @container (_ name: (_) @container)] name: [(identifier) @name (operator_name) @name (destructor_name) @name (template_function name: (identifier) @name)])))
    ] parameters: (_) @params)))
    (reference_declarator (_ declarator: [
      (_ scope: [(namespace_identifier) @container (_ name: (_) @container)] name: [(identifier) @name (operator_name) @name (destructor_name) @name (template_function name: (identifier) @name)])
      (_ scope: [(namespace_identifier) @container (_ name: (_) @container)] name: (_ scope: [(namespace_identifier) @container (_ name: (_) @container)] name: [(identifier) @name (operator_name) @name (destructor_name) @name (template_function name: (identifier) @name)]))
      (_ scope: [(namespace_identifier) @container (_ name: (_) @container)] name: (_ scope: [(namespace_identifier) @container (_ name: (_) @container)] name: (_ scope: [(namespace_identifier) @container (_ name: (_) @container)] name: [(identifier) @name (operator_name) @name (destructor_name) @name (template_function name: (identifier) @name)])))
    ] parameters: (_) @params))
  ]
  body: (_)? @body) @def.method

(function_definition declarator: (operator_cast) @name body: (_)? @body) @def.method
(function_definition declarator: (_ scope: [(namespace_identifier) @container (_ name: (_) @container)] name: (operator_cast) @name) body: (_)? @body) @def.method

(declaration
  type: (_)? @result
  declarator: [
    (_ declarator: [(identifier) @name (field_identifier) @name (operator_name) @name (destructor_name) @name (template_function name: (identifier) @name)] parameters: (_) @params)
    (_ declarator: (_ declarator: [(identifier) @name (field_identifier) @name (operator_name) @name (destructor_name) @name (template_function name: (identifier) @name)] parameters: (_) @params))
    (_ declarator: (_ declarator: (_ declarator: [(identifier) @name (field_identifier) @name (operator_name) @name (destructor_name) @name (template_function name: (identifier) @name)] parameters: (_) @params)))
    (reference_declarator (_ declarator: [(identifier) @name (field_identifier) @name (operator_name) @name (destructor_name) @name (template_function name: (identifier) @name)] parameters: (_) @params))
  ]) @top.function

(field_declaration
  type: (_) @result
  declarator: [
    (_ declarator: [(field_identifier) @name (operator_name) @name] parameters: (_) @params)
    (_ declarator: (_ declarator: [(field_identifier) @name (operator_name) @name] parameters: (_) @params))
    (_ declarator: (_ declarator: (_ declarator: [(field_identifier) @name (operator_name) @name] parameters: (_) @params)))
    (reference_declarator (_ declarator: [(field_identifier) @name (operator_name) @name] parameters: (_) @params))
  ]) @def.method
(declaration declarator: (operator_cast) @name) @def.method

(lambda_expression) @scope
(friend_declaration) @scope

; Types.

(class_specifier name: [(type_identifier) @name (template_type name: (_) @name)] body: (_) @body) @def.class
(class_specifier name: (_ scope: [(namespace_identifier) @container (_ name: (_) @container)] name: (type_identifier) @name) body: (_) @body) @def.class
(struct_specifier name: (template_type name: (_) @name) body: (_) @body) @def.struct
(struct_specifier name: (_ scope: [(namespace_identifier) @container (_ name: (_) @container)] name: (type_identifier) @name) body: (_) @body) @def.struct
(alias_declaration name: (_) @name type: (_) @result) @def.type
(concept_definition name: (_) @name) @def.type
(type_definition
  type: [(qualified_identifier) (template_type) (dependent_type)] @result
  declarator: [
    (type_identifier) @name
    (pointer_declarator declarator: (type_identifier) @name)
  ]) @def.type

(namespace_definition name: (_) @name body: (_) @body) @def.module

; Fields and variables.

(field_declaration
  (type_qualifier) @_constant
  type: (_) @result
  declarator: (field_identifier) @name
  (#eq? @_constant "constexpr")) @def.const
(field_declaration
  type: (_) @result
  declarator: (reference_declarator (field_identifier) @name)) @def.field
(declaration
  (type_qualifier) @_constant
  type: (_) @result
  declarator: (_ declarator: (identifier) @name)
  (#eq? @_constant "constexpr")) @top.const
(declaration
  type: (_) @result
  declarator: [
    (reference_declarator (identifier) @name)
    (_ declarator: [
      (reference_declarator (identifier) @name)
      (_ scope: [(namespace_identifier) @container (_ name: (_) @container)] name: (identifier) @name)
    ])
    (_ scope: [(namespace_identifier) @container (_ name: (_) @container)] name: (identifier) @name)
  ]) @top.var

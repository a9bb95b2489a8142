; What TypeScript adds.

; Written types.

(lexical_declaration
  kind: "const"
  (variable_declarator
    name: (identifier) @name
    type: (type_annotation (_) @result)
    value: (_)? @value) @top.const)

(variable_declarator
  name: (identifier) @name
  type: (type_annotation (_) @result)
  value: (_)? @value) @top.var

([
  (function_declaration return_type: (type_annotation (_) @result))
  (generator_function_declaration return_type: (type_annotation (_) @result))
  (function_expression return_type: (type_annotation (_) @result))
  (generator_function return_type: (type_annotation (_) @result))
  (arrow_function return_type: (type_annotation (_) @result))
  (method_definition return_type: (type_annotation (_) @result))
] @parts)

(function_signature
  name: (_) @name
  parameters: (_) @params
  return_type: (type_annotation (_) @result)?) @def.function

(abstract_class_declaration
  name: (_) @name
  body: (_) @body) @def.class

(abstract_method_signature
  name: (_) @name
  parameters: (_) @params
  return_type: (type_annotation (_) @result)?) @def.method

([
  (interface_body
    (method_signature name: (_) @name parameters: (_) @params return_type: (type_annotation (_) @result)?) @def.method)
  (class_body
    (method_signature name: (_) @name parameters: (_) @params return_type: (type_annotation (_) @result)?) @def.method)
])

(public_field_definition
  name: (_) @name
  type: (type_annotation (_) @result)?
  value: (_)? @value) @def.field

; Parameters of a constructor that are fields as well.

(required_parameter
  [(accessibility_modifier) "readonly"]
  pattern: (identifier) @name
  type: (type_annotation (_) @result)?
  value: (_)? @value) @own.field

(optional_parameter
  [(accessibility_modifier) "readonly"]
  pattern: (identifier) @name
  type: (type_annotation (_) @result)?) @own.field

(interface_declaration
  name: (_) @name
  body: (_) @body) @def.interface

(interface_body
  (property_signature
    name: (_) @name
    type: (type_annotation (_) @result)?) @def.field)

(type_alias_declaration
  name: (_) @name
  value: (_) @result) @def.type

; The members of a type that is an object or joins some.

(type_alias_declaration
  value: [
    (object_type [
      (property_signature name: (_) @name type: (type_annotation (_) @result)?) @def.field
      (method_signature name: (_) @name parameters: (_) @params return_type: (type_annotation (_) @result)?) @def.method
    ])
    (intersection_type
      (object_type [
        (property_signature name: (_) @name type: (type_annotation (_) @result)?) @def.field
        (method_signature name: (_) @name parameters: (_) @params return_type: (type_annotation (_) @result)?) @def.method
      ]))
  ])

(enum_declaration
  name: (_) @name
  body: (_) @body) @def.enum

(enum_body name: (_) @name @def.const)
(enum_assignment name: (_) @name) @def.const

(internal_module
  name: (_) @name
  body: (_) @body) @def.module

(module
  name: (_) @name
  body: (_)? @body) @def.module

(ambient_declaration (_) @wrapped) @wrap
(expression_statement (internal_module) @wrapped) @wrap

(as_expression . (object) @members) @parts
(satisfies_expression . (object) @members) @parts

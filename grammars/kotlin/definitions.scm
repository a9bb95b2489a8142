; Types. A companion without a name is no symbol: what it holds is reached
; through its class.

(class_declaration "interface" (type_identifier) @name (class_body)? @body) @def.interface
(class_declaration "enum" (type_identifier) @name (enum_class_body)? @body) @def.enum
(class_declaration "class" (type_identifier) @name (class_body)? @body) @def.class
(object_declaration (type_identifier) @name (class_body)? @body) @def.class
(companion_object (type_identifier) @name (class_body)? @body) @def.class
(type_alias (type_identifier) @name [(user_type) (nullable_type) (function_type)] @result) @def.type

(enum_entry (simple_identifier) @name (class_body)? @body) @def.const

; Functions, methods and constructors.

(function_declaration
  (simple_identifier) @name
  (function_value_parameters) @params
  .
  [(user_type) (nullable_type) (function_type) (parenthesized_type)] @result
  (function_body)? @body) @def.function
(function_declaration
  (simple_identifier) @name
  (function_value_parameters) @params
  (function_body)? @body) @def.function
(secondary_constructor "constructor" @name (function_value_parameters) @params "{" @body) @def.method
(secondary_constructor "constructor" @name (function_value_parameters) @params) @def.method

(function_body) @scope
(lambda_literal) @scope
(anonymous_initializer) @scope
(secondary_constructor (statements) @scope)
(getter) @scope
(setter) @scope

; Properties; those of the primary constructor too.

(property_declaration
  (modifiers (property_modifier) @_constant)
  (variable_declaration (simple_identifier) @name)
  (#eq? @_constant "const")) @top.const
(property_declaration
  (variable_declaration (simple_identifier) @name [(user_type) (nullable_type) (function_type)] @result)) @top.var
(property_declaration
  (variable_declaration (simple_identifier) @name .)
  "=" . (_) @value) @top.var
(property_declaration
  (variable_declaration (simple_identifier) @name)) @top.var
(property_declaration
  (multi_variable_declaration (variable_declaration (simple_identifier) @name))) @top.var
(class_parameter (binding_pattern_kind) (simple_identifier) @name . (_) @result) @def.field

(line_comment) @doc
(multiline_comment) @doc
(annotation) @doc

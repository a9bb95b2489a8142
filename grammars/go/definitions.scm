; Functions and methods. The receiver's type is the container of a method.

(function_declaration
  name: (_) @name
  parameters: (_) @params
  result: (_)? @result
  body: (_)? @body) @def.function

(method_declaration
  receiver: (parameter_list
    (parameter_declaration
      type: [
        (type_identifier) @container
        (generic_type type: (_) @container)
        (pointer_type [
          (type_identifier) @container
          (generic_type type: (_) @container)
        ])
        (parenthesized_type [
          (type_identifier) @container
          (pointer_type (type_identifier) @container)
        ])
      ]))
  name: (_) @name
  parameters: (_) @params
  result: (_)? @result
  body: (_)? @body) @def.method

; Types, with the fields of structs and the methods of interfaces.

(type_spec
  name: (_) @name
  type: (struct_type (field_declaration_list) @body)) @def.struct

(type_spec
  name: (_) @name
  type: (interface_type)) @def.interface

(type_spec name: (_) @name type: (_) @result) @def.type

(type_alias name: (_) @name type: (_) @result) @def.type

(field_declaration (field_identifier) @name type: (_) @result) @def.field

(method_elem
  name: (_) @name
  parameters: (_) @params
  result: (_)? @result) @def.method

; Constants and variables outside of functions.

(const_spec (identifier) @name type: (_)? @result) @top.const

(var_spec (identifier) @name type: (_)? @result value: (expression_list)? @value) @top.var

(function_declaration body: (_) @scope)
(method_declaration body: (_) @scope)
(func_literal body: (_) @scope)

; A declaration of one thing starts at its keyword.

(type_declaration (_) @wrapped) @wrap
(const_declaration (const_spec) @wrapped) @wrap
(var_declaration (var_spec) @wrapped) @wrap

(comment) @doc

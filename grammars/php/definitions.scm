; Types.

(class_declaration name: (_) @name body: (_) @body) @def.class
(trait_declaration name: (_) @name body: (_) @body) @def.class
(interface_declaration name: (_) @name body: (_) @body) @def.interface
(enum_declaration name: (_) @name body: (_) @body) @def.enum
(enum_case name: (_) @name) @def.const

(namespace_definition name: (_) @name body: (_) @body) @def.module

; Functions and methods.

(function_definition
  name: (_) @name
  parameters: (_) @params
  return_type: (_)? @result
  body: (_) @body) @def.function
(method_declaration
  name: (_) @name
  parameters: (_) @params
  return_type: (_)? @result
  body: (_)? @body) @def.method

; Properties, those that a constructor declares in its parameters too.

(property_declaration
  type: (_)? @result
  (property_element (variable_name (name) @name))) @def.field
(property_promotion_parameter
  type: (_)? @result
  name: (variable_name (name) @name)) @def.field @outer

; Constants.

(const_declaration (const_element . (name) @name (_) @value)) @def.const
((function_call_expression
  function: (name) @_define
  arguments: (arguments . (argument (string (string_content) @name)))) @top.const
  (#eq? @_define "define"))

(function_definition body: (_) @scope)
(method_declaration body: (_) @scope)

(comment) @doc
(attribute_list) @doc

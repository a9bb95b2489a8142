; Types.

(class_declaration name: (_) @name body: (_)? @body) @def.class
(record_declaration name: (_) @name body: (_)? @body) @def.class
(struct_declaration name: (_) @name body: (_)? @body) @def.struct
(interface_declaration name: (_) @name body: (_)? @body) @def.interface
(enum_declaration name: (_) @name body: (_)? @body) @def.enum
(delegate_declaration type: (_) @result name: (_) @name parameters: (_) @params) @def.type

(namespace_declaration name: (_) @name body: (_) @body) @def.module

; Methods and what is called like them.

(method_declaration
  returns: (_) @result
  name: (_) @name
  parameters: (_) @params
  body: (_)? @body) @def.method
(local_function_statement
  type: (_) @result
  name: (_) @name
  parameters: (_) @params
  body: (_)? @body) @def.function
(constructor_declaration name: (_) @name parameters: (_) @params body: (_)? @body) @def.method
(destructor_declaration name: (_) @name parameters: (_) @params body: (_)? @body) @def.method
(operator_declaration type: (_) @result operator: _ @name parameters: (_) @params body: (_)? @body) @def.method
(conversion_operator_declaration type: (_) @name parameters: (_) @params body: (_)? @body) @def.method
(indexer_declaration type: (_) @result "this" @name parameters: (_) @params [accessors: (_) @body value: (_) @body]) @def.method

; Fields, properties and events; the parameters of a record are properties.

(field_declaration
  (modifier) @_constant
  (variable_declaration type: (_) @result (variable_declarator name: (_) @name))
  (#eq? @_constant "const")) @def.const
(field_declaration
  (variable_declaration type: (_) @result (variable_declarator name: (_) @name))) @def.field
(property_declaration type: (_) @result name: (_) @name accessors: (_) @body) @def.field
(property_declaration type: (_) @result name: (_) @name value: (_) @body) @def.field
(event_field_declaration
  (variable_declaration type: (_) @result (variable_declarator name: (_) @name))) @def.field
(event_declaration type: (_) @result name: (_) @name accessors: (_) @body) @def.field
(record_declaration (parameter_list (parameter type: (_) @result name: (_) @name) @def.field))

(enum_member_declaration name: (_) @name) @def.const

(comment) @doc
(attribute_list) @doc

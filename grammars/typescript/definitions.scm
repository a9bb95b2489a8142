; What TypeScript adds.

(function_signature
  name: (_) @name
  parameters: (_) @params) @def.function

(abstract_class_declaration
  name: (_) @name
  body: (_) @body) @def.class

(abstract_method_signature
  name: (_) @name
  parameters: (_) @params) @def.method

(method_signature
  name: (_) @name
  parameters: (_) @params) @def.method

(public_field_definition
  name: (_) @name
  value: (_)? @value) @def.field

(interface_declaration
  name: (_) @name
  body: (_) @body) @def.interface

(interface_body (property_signature name: (_) @name) @def.field)

(type_alias_declaration name: (_) @name) @def.type

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

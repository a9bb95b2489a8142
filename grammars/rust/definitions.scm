; What an impl block holds belongs to its type, wherever that is declared.

(impl_item
  type: [
    (type_identifier) @container
    (primitive_type) @container
    (generic_type type: (type_identifier) @container)
    (generic_type type: (scoped_type_identifier name: (_) @container))
    (scoped_type_identifier name: (_) @container)
    (dynamic_type trait: [(type_identifier) @container (generic_type type: (_) @container)])
    (bounded_type (dynamic_type trait: [(type_identifier) @container (generic_type type: (_) @container)]))
    (reference_type type: [
      (type_identifier) @container
      (generic_type type: (type_identifier) @container)
      (scoped_type_identifier name: (_) @container)
    ])
    (pointer_type) @container
    (tuple_type) @container
    (array_type) @container
  ]
  body: (declaration_list [
    (function_item name: (_) @name parameters: (_) @params return_type: (_)? @result body: (_) @body) @def.method
    (const_item name: (_) @name type: (_) @result) @def.const
    (type_item name: (_) @name type: (_) @result) @def.type
  ]))

(trait_item
  body: (declaration_list [
    (function_item name: (_) @name parameters: (_) @params return_type: (_)? @result body: (_) @body) @def.method
    (function_signature_item name: (_) @name parameters: (_) @params return_type: (_)? @result) @def.method
  ]))

(function_item
  name: (_) @name
  parameters: (_) @params
  return_type: (_)? @result
  body: (_) @body) @def.function

(function_signature_item
  name: (_) @name
  parameters: (_) @params
  return_type: (_)? @result) @def.function

(function_item body: (_) @scope)
(closure_expression body: (_) @scope)

; Types and what they are made of.

(struct_item name: (_) @name body: (field_declaration_list)? @body) @def.struct
(union_item name: (_) @name body: (_) @body) @def.struct
(enum_item name: (_) @name body: (_) @body) @def.enum
(trait_item name: (_) @name body: (_) @body) @def.interface
(type_item name: (_) @name type: (_) @result) @def.type
(associated_type name: (_) @name) @def.type

(field_declaration name: (_) @name type: (_) @result) @def.field
(enum_variant name: (_) @name) @def.const

(const_item name: (_) @name type: (_) @result value: (_)? @value) @top.const
(static_item name: (_) @name type: (_) @result value: (_)? @value) @top.var

(mod_item name: (_) @name body: (_)? @body) @def.module
(macro_definition name: (_) @name) @def.function

(line_comment) @doc
(block_comment) @doc
(attribute_item) @doc

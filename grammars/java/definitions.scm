; Types.

(class_declaration name: (_) @name body: (_) @body) @def.class
(record_declaration name: (_) @name body: (_) @body) @def.class
(interface_declaration name: (_) @name body: (_) @body) @def.interface
(annotation_type_declaration name: (_) @name body: (_) @body) @def.interface
(enum_declaration name: (_) @name body: (_) @body) @def.enum

(enum_constant name: (_) @name body: (_)? @body) @def.const

; Methods and constructors.

(method_declaration
  type: (_) @result
  name: (_) @name
  parameters: (_) @params
  body: (_)? @body) @def.method

(constructor_declaration
  name: (_) @name
  parameters: (_) @params
  body: (_) @body) @def.method

(compact_constructor_declaration name: (_) @name body: (_) @body) @def.method

(annotation_type_element_declaration type: (_) @result name: (_) @name) @def.method

; Fields; the components of a record are fields too.

(field_declaration
  (modifiers "static" "final")
  type: (_) @result
  declarator: (variable_declarator name: (_) @name)) @def.const

(field_declaration
  type: (_) @result
  declarator: (variable_declarator name: (_) @name)) @def.field

(constant_declaration
  type: (_) @result
  declarator: (variable_declarator name: (_) @name)) @def.const

(record_declaration parameters: (formal_parameters
  (formal_parameter type: (_) @result name: (_) @name) @def.field))
(record_declaration parameters: (formal_parameters
  (spread_parameter (_) @result . (variable_declarator name: (_) @name)) @def.field))

(module_declaration name: (_) @name body: (_) @body) @def.module

(line_comment) @doc
(block_comment) @doc
(marker_annotation) @doc
(annotation) @doc

; The grammar is so large that a pattern with several optional parts takes
; seconds to compile; each part has a pattern of its own.

(class_declaration declaration_kind: ["class" "actor"] name: (type_identifier) @name body: (_) @body) @def.class
(class_declaration declaration_kind: "struct" name: (type_identifier) @name body: (_) @body) @def.struct
(class_declaration declaration_kind: "enum" name: (type_identifier) @name body: (_) @body) @def.enum
(class_declaration declaration_kind: "extension" name: (user_type (type_identifier) @container) body: (_) @inside)
(protocol_declaration name: (_) @name body: (_) @body) @def.interface
(typealias_declaration name: (type_identifier) @name name: (_) @result) @def.type
(typealias_declaration name: (type_identifier) @name) @def.type
(associatedtype_declaration name: (type_identifier) @name name: (_) @result) @def.type
(associatedtype_declaration name: (type_identifier) @name) @def.type

; Functions, and in a type methods.

(function_declaration
  name: [
    (simple_identifier) (custom_operator) "==" "!=" "<" ">" "<=" ">=" "+" "-" "*" "/" "%"
  ] @name) @params @def.function
(function_declaration [
  (function_body) @body
  (user_type) @result (array_type) @result (dictionary_type) @result (optional_type) @result (tuple_type) @result
  (function_type) @result (opaque_type) @result (existential_type) @result
]) @parts

(protocol_function_declaration name: (simple_identifier) @name) @params @def.method
(protocol_function_declaration
  name: [
    (user_type) (array_type) (dictionary_type) (optional_type) (tuple_type) (function_type) (opaque_type)
    (existential_type)
  ] @result) @parts

(init_declaration name: "init" @name) @params @def.method
(init_declaration body: (_) @body) @parts
(deinit_declaration "deinit" @name body: (_) @body) @params @def.method
(subscript_declaration "subscript" @name name: (_) @result) @params @def.method
(subscript_declaration (computed_property) @body) @parts

; Constants and variables, which are fields in a type.

(source_file
  (property_declaration
    (value_binding_pattern mutability: "let")
    name: (pattern bound_identifier: (simple_identifier) @name)
    . (type_annotation . (_) @result)) @top.const)
(source_file
  (property_declaration
    (value_binding_pattern mutability: "let")
    name: (pattern bound_identifier: (simple_identifier) @name)
    value: (_) @value) @top.const)

(property_declaration
  name: (pattern bound_identifier: (simple_identifier) @name)
  . (type_annotation . (_) @result)) @top.var
(property_declaration
  name: (pattern bound_identifier: (simple_identifier) @name)
  value: (_) @value) @top.var
(property_declaration name: (pattern bound_identifier: (simple_identifier) @name)) @top.var
(property_declaration computed_value: (_) @body) @parts

(protocol_property_declaration
  name: (pattern bound_identifier: (simple_identifier) @name)
  (type_annotation . (_) @result)) @def.field

(enum_entry name: (simple_identifier) @name) @def.const

(function_body) @scope
(computed_property) @scope
(lambda_literal) @scope

(comment) @doc
(multiline_comment) @doc

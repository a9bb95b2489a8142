; What C and C++ share.

; Functions, with a body or without. A pointer that is given back stands around
; the declarator.

(function_definition
  type: (_) @result
  declarator: [
    (_ declarator: (identifier) @name parameters: (_) @params)
    (_ declarator: (_ declarator: (identifier) @name parameters: (_) @params))
    (_ declarator: (_ declarator: (_ declarator: (identifier) @name parameters: (_) @params)))
  ]
  body: (_) @body) @def.function

(declaration
  type: (_) @result
  declarator: [
    (_ declarator: (identifier) @name parameters: (_) @params)
    (_ declarator: (_ declarator: (identifier) @name parameters: (_) @params))
    (_ declarator: (_ declarator: (_ declarator: (identifier) @name parameters: (_) @params)))
  ]) @top.function

(compound_statement) @scope
(function_definition) @scope

; Types. The name that a typedef gives to a struct with a name of its own is a
; second symbol; a typedef that only repeats the name is none.

(struct_specifier name: (type_identifier) @name body: (_) @body) @def.struct
(union_specifier name: (type_identifier) @name body: (_) @body) @def.struct
(enum_specifier name: (type_identifier) @name body: (_) @body) @def.enum

(type_definition . "typedef" @doc type: [
  (struct_specifier name: (_) body: (_))
  (union_specifier name: (_) body: (_))
  (enum_specifier name: (_) body: (_))
])
(type_definition
  type: [
    (struct_specifier name: (_) @result body: (_))
    (union_specifier name: (_) @result body: (_))
    (enum_specifier name: (_) @result body: (_))
  ]
  declarator: [
    (type_identifier) @name @def.type
    (pointer_declarator declarator: (type_identifier) @name) @def.type
  ]
  (#not-eq? @name @result))
(type_definition
  type: [
    (struct_specifier name: (_) @result !body)
    (union_specifier name: (_) @result !body)
    (enum_specifier name: (_) @result !body)
  ]
  declarator: [
    (type_identifier) @name
    (pointer_declarator declarator: (type_identifier) @name)
  ]
  (#not-eq? @name @result)) @def.type

(type_definition type: (struct_specifier !name body: (_) @body) declarator: (type_identifier) @name) @def.struct
(type_definition type: (union_specifier !name body: (_) @body) declarator: (type_identifier) @name) @def.struct
(type_definition type: (enum_specifier !name body: (_) @body) declarator: (type_identifier) @name) @def.enum

(type_definition
  type: [(type_identifier) (primitive_type) (sized_type_specifier)] @result
  declarator: [
    (type_identifier) @name
    (primitive_type) @name
    (pointer_declarator declarator: (type_identifier) @name)
    (array_declarator declarator: (type_identifier) @name)
  ]) @def.type
(type_definition
  declarator: [
    (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (type_identifier) @name)) parameters: (_) @params)
    (pointer_declarator declarator: (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (type_identifier) @name)) parameters: (_) @params))
    (function_declarator declarator: (type_identifier) @name parameters: (_) @params)
  ]) @def.type

(field_declaration
  type: (_) @result
  declarator: [
    (field_identifier) @name
    (_ !parameters declarator: (field_identifier) @name)
    (_ !parameters declarator: (_ !parameters declarator: (field_identifier) @name))
    (_ !parameters declarator: (_ !parameters declarator: (_ !parameters declarator: (field_identifier) @name)))
    (_ declarator: (parenthesized_declarator (_ declarator: (field_identifier) @name)))
    (_ declarator: (parenthesized_declarator (_ declarator: (_ declarator: (field_identifier) @name))))
    (_ declarator: (_ declarator: (parenthesized_declarator (_ declarator: (field_identifier) @name))))
    (_ declarator: (_ declarator: (parenthesized_declarator (_ declarator: (_ declarator: (field_identifier) @name)))))
  ]) @def.field

(enumerator name: (_) @name) @def.const

; Variables outside of functions.

(declaration
  type: (_) @result
  declarator: [
    (identifier) @name
    (_ !parameters declarator: (identifier) @name)
    (_ !parameters declarator: (_ !parameters declarator: (identifier) @name))
    (_ !parameters declarator: (_ !parameters declarator: (_ !parameters declarator: (identifier) @name)))
    (_ declarator: (parenthesized_declarator (_ declarator: (identifier) @name)))
    (_ declarator: (parenthesized_declarator (_ declarator: (_ declarator: (identifier) @name))))
    (_ declarator: (_ declarator: (parenthesized_declarator (_ declarator: (identifier) @name))))
    (_ declarator: (_ declarator: (parenthesized_declarator (_ declarator: (_ declarator: (identifier) @name)))))
  ]) @top.var

; Macros; those without a value count unless they guard a header.

(preproc_function_def name: (_) @name parameters: (_) @params value: (_)? @body) @def.function
(preproc_def name: (_) @name value: (_)) @def.const
((preproc_def name: (_) @name) @def.const
  (#not-match? @name "(?i)(_h|_hh|_hpp|_hxx|_included|_guard|_h_.*)_*$"))

(comment) @doc

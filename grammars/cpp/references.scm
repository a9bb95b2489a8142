; What local names stand for, beyond C.

(template_declaration) @block
(lambda_expression) @block
(catch_clause) @block
(for_range_loop) @block
(if_statement) @block
(requires_expression) @block
(declaration declarator: (reference_declarator (function_declarator parameters: (_) @block)))
(field_declaration declarator: (function_declarator parameters: (_) @block))
(field_declaration declarator: (pointer_declarator declarator: (function_declarator parameters: (_) @block)))
(field_declaration declarator: (reference_declarator (function_declarator parameters: (_) @block)))
(abstract_function_declarator parameters: (_) @block)

(type_parameter_declaration (type_identifier) @bind)
(optional_type_parameter_declaration name: (_) @bind)
(variadic_type_parameter_declaration (type_identifier) @bind)

(parameter_declaration type: (_) @as declarator: (reference_declarator (identifier) @bind))
(optional_parameter_declaration
  type: (_) @as
  declarator: [
    (identifier) @bind
    (_ !parameters declarator: (identifier) @bind)
    (reference_declarator (identifier) @bind)
  ])
(variadic_parameter_declaration
  type: (_) @elems
  declarator: [
    (variadic_declarator (identifier) @bind)
    (reference_declarator (variadic_declarator (identifier) @bind))
  ])

; The type of a local with "auto" is that of its value.

(declaration
  type: (placeholder_type_specifier)
  declarator: (init_declarator
    declarator: [
      (identifier) @bind
      (_ !parameters declarator: (identifier) @bind)
      (reference_declarator (identifier) @bind)
    ]
    value: (_) @from))
(declaration
  type: (placeholder_type_specifier)
  declarator: [
    (identifier) @bind
    (_ !parameters declarator: (identifier) @bind)
    (reference_declarator (identifier) @bind)
  ]
  value: (_) @from)
(declaration
  type: (_) @as
  declarator: [
    (reference_declarator (identifier) @bind)
    (init_declarator declarator: (reference_declarator (identifier) @bind))
  ])
(for_range_loop
  type: (placeholder_type_specifier)
  declarator: [
    (identifier) @bind
    (_ !parameters declarator: (identifier) @bind)
    (reference_declarator (identifier) @bind)
  ]
  right: (_) @each)
(for_range_loop
  type: (_) @as
  declarator: [
    (identifier) @bind
    (_ !parameters declarator: (identifier) @bind)
    (reference_declarator (identifier) @bind)
  ])
(structured_binding_declarator (identifier) @bind)

; Locals: in C their type is always written.

(declaration
  type: (_) @as
  declarator: [
    (identifier) @bind
    (pointer_declarator declarator: (identifier) @bind)
    (pointer_declarator declarator: (pointer_declarator declarator: (identifier) @bind))
    (array_declarator declarator: (identifier) @bind)
    (array_declarator declarator: (array_declarator declarator: (identifier) @bind))
    (pointer_declarator declarator: (array_declarator declarator: (identifier) @bind))
    (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (identifier) @bind)))
    (init_declarator declarator: [
      (identifier) @bind
      (pointer_declarator declarator: (identifier) @bind)
      (pointer_declarator declarator: (pointer_declarator declarator: (identifier) @bind))
      (array_declarator declarator: (identifier) @bind)
      (array_declarator declarator: (array_declarator declarator: (identifier) @bind))
      (pointer_declarator declarator: (array_declarator declarator: (identifier) @bind))
      (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (identifier) @bind)))
    ])
  ])

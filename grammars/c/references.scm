; Locals: in C their type is always written.

(declaration
  type: (_) @as
  declarator: [
    (identifier) @bind
    (_ !parameters declarator: (identifier) @bind)
    (_ !parameters declarator: (_ !parameters declarator: (identifier) @bind))
    (_ !parameters declarator: (_ !parameters declarator: (_ !parameters declarator: (identifier) @bind)))
    (_ declarator: (parenthesized_declarator (_ declarator: (identifier) @bind)))
    (_ declarator: (parenthesized_declarator (_ declarator: (_ declarator: (identifier) @bind))))
    (_ declarator: (_ declarator: (parenthesized_declarator (_ declarator: (identifier) @bind))))
    (_ declarator: (_ declarator: (parenthesized_declarator (_ declarator: (_ declarator: (identifier) @bind)))))
  ])

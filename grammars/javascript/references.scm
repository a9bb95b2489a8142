; Where JavaScript has nodes that TypeScript has not.

(class_heritage (identifier) @inherit)
(class_heritage (member_expression object: (_) @recv property: (_) @inherit))

(formal_parameters [
  (identifier) @bind
  (assignment_pattern left: (identifier) @bind right: (_) @from)
])

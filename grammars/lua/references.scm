; Uses of names. An expression is a flat list of its parts.

(function_call (identifier) @call @chain . (function_call_paren))
(function_call (identifier) @call @chain . args: (_))
(field name: (identifier) @key)
(emmy_field) @skip
(comment) @skip
(emmy_documentation) @skip

(identifier) @read @chain

; What local names stand for.

(function_statement) @block
(function) @block
(for_statement) @block
(while_statement) @block
(repeat_statement) @block
(do_statement) @block
(if_statement) @block

((parameter_list . (identifier) @self) (#match? @self "self$"))
(parameter_list (identifier) @bind)
(variable_declaration (local) . name: (variable_declarator . (identifier) @bind .) . value: (_) @from (_) @from .)
(variable_declaration (local) name: (variable_declarator . (identifier) @bind .) value: (_)? @from)
(for_generic identifier_list: (_) @binds expression_list: (_) @each)
(for_numeric . (identifier) @bind)

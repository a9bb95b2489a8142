; Uses of names. A bare name without brackets is a variable, and no use.

((call target: (identifier) @skip)
  (#match? @skip "^(def.*|alias|import|use|require|if|unless|case|cond|with|for|quote|unquote|raise|reraise|receive|try|type|typep|opaque|callback|moduledoc|doc|spec|impl|behaviour)$"))

((call target: (identifier) @_use (arguments . (alias) @inherit)) (#match? @_use "^(use|behaviour)$"))

(unary_operator operator: "&" operand: (binary_operator left: (identifier) @call operator: "/"))
(unary_operator
  operator: "&"
  operand: (binary_operator left: (call target: (dot left: (_) @recv right: (identifier) @call)) operator: "/"))
(unary_operator
  operator: "@"
  operand: (call (arguments (binary_operator left: (call target: (identifier) @read) operator: "::"))))
(call target: (identifier) @call)
(call target: (dot left: (_) @recv right: (identifier) @call) (arguments))
(call target: (dot left: (_) @recv right: (identifier) @read))
(unary_operator operator: "@" operand: (identifier) @read)
(struct (alias) @new)
(alias) @read
((pair key: (keyword) @skip) (#match? @skip "^(do|else|rescue|after|only|except|as|for|to):"))
(pair key: (keyword) @key)

; What local names stand for.

((call target: (identifier) @_def) @block (#match? @_def "^(def|defp|defmacro|defmacrop|defn|defnp|for|with)$"))
(anonymous_function) @block
(stab_clause) @block

(binary_operator left: (map (struct (_) @as)) operator: "=" right: (identifier) @bind)
(binary_operator left: (identifier) @bind operator: "=" right: (map (struct (_) @as)))
(binary_operator left: (identifier) @bind operator: ["=" "\\\\"] right: (_) @from)
(binary_operator left: (identifier) @bind operator: "<-" right: (_) @each)

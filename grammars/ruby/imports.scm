((call
  !receiver
  method: (identifier) @_loads
  arguments: (argument_list . (string (string_content) @module))) @import
  (#match? @_loads "^(require|require_relative|load)$"))

((call
  method: (identifier) @_loads
  arguments: (argument_list . (simple_symbol) @imported . (string (string_content) @module))) @import
  (#eq? @_loads "autoload"))

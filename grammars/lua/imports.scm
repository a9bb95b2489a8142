; A module is what a file returns. Where a part of it is taken, that is the name.

((variable_declaration
  name: (variable_declarator . (identifier) @alias .)
  . (function_call . prefix: (identifier) @_require args: [
    (function_arguments . (string) @module .)
    (string_argument) @module
  ])
  . (identifier) @imported .) @import
  (#match? @_require "require$"))

((variable_declaration
  name: (variable_declarator . (identifier) @alias .)
  . value: (function_call . prefix: (identifier) @_require args: [
    (function_arguments . (string) @module .)
    (string_argument) @module
  ]) .) @import
  (#match? @_require "require$"))

((function_call . prefix: (identifier) @_require args: [
  (function_arguments . (string) @module .)
  (string_argument) @module
]) @import
  (#match? @_require "require$"))

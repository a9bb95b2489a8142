; All that another file declares.

((command
  name: (command_name) @_source
  . argument: [(word) (string) (raw_string) (concatenation)] @module) @import @star
  (#match? @_source "^(source|\\.)$"))

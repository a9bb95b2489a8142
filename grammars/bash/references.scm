; Uses of names. A command may be a function; a variable is global unless a
; function says otherwise.

(command name: (command_name (word) @call))
(variable_name) @read

(function_definition) @block

(declaration_command ["local" "declare" "typeset"] (variable_assignment name: (variable_name) @bind value: (_)? @from))
(declaration_command ["local" "declare" "typeset"] (variable_name) @bind)

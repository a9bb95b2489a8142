(function_definition name: (_) @name body: (_) @body @scope) @def.function

; Variables outside of functions. What stands before a command is only its
; environment.

(declaration_command "readonly" (variable_assignment name: (variable_name) @name value: (_)? @value)) @top.const
(declaration_command (variable_assignment name: (variable_name) @name value: (_)? @value)) @top.var
([
  (program (variable_assignment name: (variable_name) @name value: (_)? @value) @top.var)
  (variable_assignments (variable_assignment name: (variable_name) @name value: (_)? @value) @top.var)
  (if_statement (variable_assignment name: (variable_name) @name value: (_)? @value) @top.var)
  (else_clause (variable_assignment name: (variable_name) @name value: (_)? @value) @top.var)
  (list (variable_assignment name: (variable_name) @name value: (_)? @value) @top.var)
])

(comment) @doc

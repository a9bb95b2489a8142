; A function belongs to the tables before its name.

(function_statement
  name: (function_name . (identifier) @container (identifier) @name .)
  (parameter_list)? @params
  (function_body)? @body @scope) @def.method
(function_statement
  name: [(identifier) @name (function_name . (identifier) @name .)]
  (parameter_list)? @params
  (function_body)? @body @scope) @def.function

; A local function, or one that is the value of a name or of a part of a table.

(function (parameter_list)? @params (function_body)? @body @scope) @parts.function

(program
  (variable_declaration
    . (local)? . name: (variable_declarator . (identifier) @name .)
    . value: (_) @from (_) @from .) @def.var)
(program
  (variable_declaration
    name: (variable_declarator . (identifier) @name .)
    value: (_)? @value) @def.var)
(variable_declaration
  name: (variable_declarator . (identifier) @name .)
  value: (function) @value) @def.var
((variable_declaration
  name: (variable_declarator . (identifier) @container . (identifier) @name .)
  value: (_) @value) @top.field
  (#not-match? @container "self$"))
((variable_declaration
  name: (variable_declarator . (identifier) @container . (identifier) @name .)
  value: (function) @value) @def.field
  (#not-match? @container "self$"))

; The parts of a table that is the value of a symbol.

(field name: (identifier) @name value: [(function) (tableconstructor)] @value) @member.field
(field name: (identifier) @name value: (_) @value) @member.field
(tableconstructor) @object

(comment) @doc
(emmy_documentation) @doc

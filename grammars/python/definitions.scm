; Functions and classes, wherever they are.

(function_definition
  name: (_) @name
  parameters: (_) @params
  body: (_) @body) @def.function

(class_definition
  name: (_) @name
  body: (_) @body) @def.class

(type_alias_statement . (type (identifier) @name)) @top.type

; Attributes of a class, then variables of a module, single or unpacked.

(class_definition
  body: (block
    (expression_statement
      (assignment left: (identifier) @name)) @top.field))

(expression_statement
  (assignment left: (identifier) @name)) @top.var

(expression_statement
  (assignment left: (pattern_list (identifier) @name))) @top.var

(expression_statement
  (assignment left: (tuple_pattern (identifier) @name))) @top.var

(expression_statement
  (assignment left: (_ (tuple_pattern (identifier) @name)))) @top.var

(expression_statement
  (assignment right: (assignment left: (identifier) @name))) @top.var

(function_definition body: (_) @scope)
(lambda body: (_) @scope)

(decorated_definition definition: (_) @wrapped) @wrap

(comment) @doc
(decorator) @doc

; Functions and classes, wherever they are.

(function_definition
  name: (_) @name
  parameters: (_) @params
  return_type: (_)? @result
  body: (_) @body) @def.function

(class_definition
  name: (_) @name
  body: (_) @body) @def.class

(type_alias_statement
  . (type [
    (identifier) @name
    (generic_type . (identifier) @name)
  ])
  (type) @result) @top.type

; Attributes of a class, then variables of a module, single or unpacked.

(class_definition
  body: (block
    (expression_statement
      (assignment
        left: (identifier) @name
        type: (_)? @result
        right: (_)? @value)) @top.field))

(expression_statement
  (assignment
    left: (identifier) @name
    type: (_)? @result
    right: (_)? @value)) @top.var

(expression_statement
  (assignment left: (pattern_list (identifier) @name))) @top.var

(expression_statement
  (assignment left: (tuple_pattern (identifier) @name))) @top.var

(expression_statement
  (assignment left: (_ (tuple_pattern (identifier) @name)))) @top.var

(expression_statement
  (assignment right: (assignment left: (identifier) @name))) @top.var

; Attributes that methods give to their object.

((assignment
  left: (attribute object: (identifier) @_self attribute: (_) @name) @own.field
  type: (_)? @result
  right: (_)? @value)
  (#match? @_self "^(self|cls)$"))

((assignment
  left: (pattern_list (attribute object: (identifier) @_self attribute: (_) @name) @own.field))
  (#match? @_self "^(self|cls)$"))

(function_definition body: (_) @scope)
(lambda body: (_) @scope)

(decorated_definition definition: (_) @wrapped) @wrap

(comment) @doc
(decorator) @doc

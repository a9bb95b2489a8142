; Modules and classes. One that is opened by its full name says so.

(module name: (_) @name . (comment) @body) @def.module
(module name: (_) @name body: (_)? @body) @def.module
(class
  name: [(constant) @name (scope_resolution scope: (_) @container name: (_) @name)]
  superclass: (_)
  .
  (comment) @body) @def.class
(class
  name: [(constant) @name (scope_resolution scope: (_) @container name: (_) @name)]
  .
  (comment) @body) @def.class
(class
  name: [(constant) @name (scope_resolution scope: (_) @container name: (_) @name)]
  superclass: (_)
  body: (_)? @body) @def.class
(class
  name: [(constant) @name (scope_resolution scope: (_) @container name: (_) @name)]
  body: (_)? @body) @def.class

(assignment
  left: (constant) @name
  right: (call receiver: (constant) @_class method: (identifier) @_new block: (_)? @body)
  (#match? @_class "^(Struct|Data|Class)$")
  (#match? @_new "^(new|define)$")) @def.class

; Methods, also those that a call declares.

(program (method name: (_) @name parameters: (_)? @params body: (_)? @body) @def.function)
(method name: (_) @name parameters: (_)? @params body: (_)? @body) @def.method
(singleton_method object: (constant) @container name: (_) @name parameters: (_)? @params body: (_)? @body) @def.method
(singleton_method name: (_) @name parameters: (_)? @params body: (_)? @body) @def.method
(alias name: (_) @name) @def.method

(call
  !receiver
  method: (identifier) @_declares
  arguments: (argument_list . (simple_symbol) @name)
  (#match? @_declares "^(define_method|alias_method|scope)$")) @def.method
(call
  !receiver
  method: (identifier) @_declares
  arguments: (argument_list (simple_symbol) @name)
  (#match? @_declares "^(mattr|cattr|attr)_(reader|writer|accessor)$")) @def.field
(call
  !receiver
  method: (identifier) @_declares
  arguments: (argument_list . (simple_symbol) @name)
  (#match? @_declares "^(has_many|has_one|belongs_to|has_and_belongs_to_many)$")) @def.field

(method body: (_) @scope)
(singleton_method body: (_) @scope)

; Constants, and variables that outlive a method.

(assignment left: (constant) @name right: (_) @value) @def.const
(assignment left: (scope_resolution scope: (_) @container name: (constant) @name) right: (_) @value) @def.const
(assignment left: (left_assignment_list (constant) @name)) @def.const
(assignment left: (class_variable) @name right: (_) @value) @top.field
(assignment left: (global_variable) @name right: (_) @value) @top.var

(comment) @doc

; What JavaScript and TypeScript share.

; Functions and classes, also as the value of something. Their parts are
; described once, since each nested pattern costs compile time.

(function_declaration
  name: (_) @name
  parameters: (_) @params
  body: (_) @body @scope) @def.function

(generator_function_declaration
  name: (_) @name
  parameters: (_) @params
  body: (_) @body @scope) @def.function

(class_declaration
  name: (_) @name
  body: (_) @body) @def.class

(arrow_function parameters: (_) @params body: (_) @body @scope) @parts.function
(arrow_function parameter: (_) @params body: (_) @body @scope) @parts.function
(function_expression parameters: (_) @params body: (_) @body @scope) @parts.function
(generator_function parameters: (_) @params body: (_) @body @scope) @parts.function
(class body: (_) @body) @parts.class

(class_static_block body: (_) @scope)

; Variables: at any depth when the value is a function or a class, else outside
; of functions, with the members of an object.

(variable_declarator
  name: (identifier) @name
  value: [(arrow_function) (function_expression) (generator_function) (class)] @value) @def.function

(variable_declarator
  name: (identifier) @name
  value: (_ . (object) @members)) @top.const

(variable_declarator
  name: (identifier) @name
  value: (call_expression arguments: (arguments (object) @members))) @top.const

(lexical_declaration
  kind: "const"
  (variable_declarator
    name: (identifier) @name
    value: (_)? @members) @top.const)

(variable_declarator
  name: (identifier) @name
  value: (_)? @members) @top.var

; Members of a class, and of an object that is the value of a symbol.

(class_body
  (method_definition name: (_) @name) @def.method)

(method_definition name: (_) @name) @member.method

(method_definition
  parameters: (_) @params
  body: (_) @body @scope) @parts

(pair
  key: (_) @name
  value: [(arrow_function) (function_expression) (generator_function)] @value) @member.method

(pair
  key: (_) @name
  value: (object) @members) @member.field

; Default exports without a name.

(export_statement
  "default" @name
  value: [(arrow_function) (function_expression) (generator_function) (class)] @value) @def.function

(export_statement
  "default" @name
  value: (_ . (object) @members)) @top.var

(export_statement
  "default" @name
  value: (call_expression arguments: (arguments (object) @members))) @top.var

(export_statement
  "default" @name
  value: [(object) (array) (call_expression) (new_expression)] @members) @top.var

; module.exports = …, exports.x = …, module.exports.x = …

(expression_statement
  (assignment_expression
    left: (member_expression
      object: (identifier) @_module
      property: (property_identifier) @name)
    right: (_) @value @members)
  (#eq? @_module "module")
  (#eq? @name "exports")) @top.var

(expression_statement
  (assignment_expression
    left: (member_expression
      object: (identifier) @container
      property: (property_identifier) @name)
    right: (_) @value @members)
  (#eq? @container "exports")) @top.var

(expression_statement
  (assignment_expression
    left: (member_expression
      object: (member_expression property: (property_identifier) @container)
      property: (property_identifier) @name)
    right: (_) @value @members)
  (#eq? @container "exports")) @top.var

; Thing.run = function …, Thing.prototype.run = function …

(expression_statement
  (assignment_expression
    left: (member_expression
      object: [
        (identifier) @container
        (member_expression object: (identifier) @container)
      ]
      property: (property_identifier) @name)
    right: [(arrow_function) (function_expression) (generator_function)] @value)) @top.method

(object) @object

(export_statement declaration: (_) @wrapped) @wrap
(lexical_declaration (variable_declarator) @wrapped) @wrap
(variable_declaration (variable_declarator) @wrapped) @wrap

(comment) @doc
(decorator) @doc

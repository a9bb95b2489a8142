; What JavaScript and TypeScript share.

; Functions, also as the value of a variable, at any depth.

(function_declaration
  name: (_) @name
  parameters: (_) @params
  body: (_) @body) @def.function

(generator_function_declaration
  name: (_) @name
  parameters: (_) @params
  body: (_) @body) @def.function

(variable_declarator
  name: (identifier) @name
  value: [
    (arrow_function parameters: (_) @params body: (_) @body)
    (arrow_function parameter: (_) @params body: (_) @body)
    (function_expression parameters: (_) @params body: (_) @body)
    (generator_function parameters: (_) @params body: (_) @body)
  ]) @def.function

(variable_declarator
  name: (identifier) @name
  value: (class body: (_) @body)) @def.class

; Classes.

(class_declaration
  name: (_) @name
  body: (_) @body) @def.class

(class_body
  (method_definition
    name: (_) @name
    parameters: (_) @params
    body: (_) @body) @def.method)

; Variables outside of functions, with the members of an object.

(variable_declarator
  name: (identifier) @name
  value: (object) @members) @top.const

(variable_declarator
  name: (identifier) @name
  value: (_ . (object) @members)) @top.const

(variable_declarator
  name: (identifier) @name
  value: (call_expression arguments: (arguments (object) @members))) @top.const

(lexical_declaration
  kind: "const"
  (variable_declarator name: (identifier) @name) @top.const)

(variable_declarator name: (identifier) @name) @top.var

; Members of objects that are the value of such a variable or export.

(method_definition
  name: (_) @name
  parameters: (_) @params
  body: (_) @body) @member.method

(pair
  key: (_) @name
  value: [
    (arrow_function parameters: (_) @params body: (_) @body)
    (arrow_function parameter: (_) @params body: (_) @body)
    (function_expression parameters: (_) @params body: (_) @body)
    (generator_function parameters: (_) @params body: (_) @body)
  ]) @member.method

(pair
  key: (_) @name
  value: (object) @members) @member.field

; Default exports without a name, and CommonJS exports.

(export_statement
  "default" @name
  value: [
    (arrow_function parameters: (_) @params body: (_) @body)
    (arrow_function parameter: (_) @params body: (_) @body)
    (function_expression parameters: (_) @params body: (_) @body)
    (generator_function parameters: (_) @params body: (_) @body)
  ]) @def.function

(export_statement
  "default" @name
  value: (class body: (_) @body)) @def.class

(export_statement
  "default" @name
  value: (object) @members) @top.var

(export_statement
  "default" @name
  value: (_ . (object) @members)) @top.var

(export_statement
  "default" @name
  value: (call_expression arguments: (arguments (object) @members))) @top.var

(export_statement
  "default" @name
  value: [(call_expression) (new_expression) (array)]) @top.var

; module.exports = …, exports.x = …, module.exports.x = …

(expression_statement
  (assignment_expression
    left: (member_expression
      object: (identifier) @_module
      property: (property_identifier) @name)
    right: [
      (arrow_function parameters: (_) @params body: (_) @body) @kind.function
      (function_expression parameters: (_) @params body: (_) @body) @kind.function
      (class body: (_) @body) @kind.class
      (object) @members
      (_)
    ])
  (#eq? @_module "module")
  (#eq? @name "exports")) @top.var

(expression_statement
  (assignment_expression
    left: (member_expression
      object: [
        (identifier) @container
        (member_expression
          object: (identifier) @_module
          property: (property_identifier) @container)
      ]
      property: (property_identifier) @name)
    right: [
      (arrow_function parameters: (_) @params body: (_) @body) @kind.function
      (function_expression parameters: (_) @params body: (_) @body) @kind.function
      (class body: (_) @body) @kind.class
      (object) @members
      (_)
    ])
  (#eq? @container "exports")) @top.var

; Thing.run = function …, Thing.prototype.run = function …

(expression_statement
  (assignment_expression
    left: (member_expression
      object: [
        (identifier) @container
        (member_expression
          object: (identifier) @container
          property: (property_identifier) @_prototype)
      ]
      property: (property_identifier) @name)
    right: [
      (arrow_function parameters: (_) @params body: (_) @body)
      (function_expression parameters: (_) @params body: (_) @body)
      (generator_function parameters: (_) @params body: (_) @body)
    ])) @top.method

(function_declaration body: (_) @scope)
(generator_function_declaration body: (_) @scope)
(arrow_function body: (_) @scope)
(function_expression body: (_) @scope)
(generator_function body: (_) @scope)
(method_definition body: (_) @scope)
(class_static_block body: (_) @scope)

(object) @object

(export_statement declaration: (_) @wrapped) @wrap
(lexical_declaration (variable_declarator) @wrapped) @wrap
(variable_declaration (variable_declarator) @wrapped) @wrap

(comment) @doc
(decorator) @doc

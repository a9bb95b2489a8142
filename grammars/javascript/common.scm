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
; of functions.

(lexical_declaration
  kind: "const"
  (variable_declarator
    name: (identifier) @name
    value: (_)? @value) @top.const)

(variable_declarator
  name: (identifier) @name
  value: (_)? @value) @top.var

; Names for the parts of a value.

(lexical_declaration
  kind: "const"
  (variable_declarator
    name: (object_pattern [
      (shorthand_property_identifier_pattern) @name @prop
      (object_assignment_pattern left: (_) @name @prop)
      (pair_pattern key: (_) @prop value: (identifier) @name)
    ])
    value: (_) @from) @top.const)

(lexical_declaration
  kind: "const"
  (variable_declarator name: (array_pattern (identifier) @name)) @top.const)

; Members of a class, and of an object that is the value of a symbol.

(class_body
  (method_definition name: (_) @name) @def.method)

(method_definition name: (_) @name) @member.method

(method_definition
  parameters: (_) @params
  body: (_) @body @scope) @parts

(pair
  key: (_) @name
  value: [(arrow_function) (function_expression) (generator_function) (object)] @value) @member.field

; An object may be the argument of a call, as in defineStore({…}).

(call_expression arguments: (arguments (object) @members)) @parts

; Default exports without a name.

(export_statement "default" @name value: (_) @value) @top.var

(object) @object

(export_statement declaration: (_) @wrapped) @wrap
(lexical_declaration (variable_declarator) @wrapped) @wrap
(variable_declaration (variable_declarator) @wrapped) @wrap

(comment) @doc
(decorator) @doc

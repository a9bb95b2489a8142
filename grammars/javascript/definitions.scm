; What TypeScript is seldom written with.

; module.exports = …, exports.x = …, module.exports.x = …

(expression_statement
  (assignment_expression
    left: (member_expression
      object: (identifier) @_module
      property: (property_identifier) @name)
    right: (_) @value)
  (#eq? @_module "module")
  (#eq? @name "exports")) @top.var

(expression_statement
  (assignment_expression
    left: (member_expression
      object: [
        (identifier) @container
        (member_expression property: (property_identifier) @container)
      ]
      property: (property_identifier) @name)
    right: (_) @value)
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

; Fields of classes.

(field_definition
  property: (_) @name
  value: (_)? @value) @def.field

; Fields that methods give to their object.

(assignment_expression
  left: (member_expression object: (this) property: (_) @name) @own.field
  right: (_) @value)

; Fields of classes.

(field_definition
  property: (_) @name
  value: (_)? @value) @def.field

; Fields of classes.

(field_definition
  property: (_) @name
  value: [
    (arrow_function parameters: (_) @params body: (_) @body)
    (arrow_function parameter: (_) @params body: (_) @body)
    (function_expression parameters: (_) @params body: (_) @body)
  ]) @def.method

(field_definition property: (_) @name) @def.field

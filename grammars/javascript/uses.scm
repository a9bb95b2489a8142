; Uses of names. The first pattern that finds a name says what the use is.

; What these mean is in imports.scm.

(import_clause (identifier) @skip)
(namespace_import (identifier) @skip)
(import_specifier alias: (identifier) @skip)
(namespace_export (identifier) @skip)
(export_specifier alias: (identifier) @skip)

(call_expression function: (identifier) @call)
(call_expression function: (member_expression object: (_) @recv property: (_) @call))
(new_expression constructor: (identifier) @new)
(new_expression constructor: (member_expression object: (_) @recv property: (_) @new))

(pair key: (property_identifier) @key)

; Patterns: each name is a property of what the pattern gets, too.

(variable_declarator
  name: (object_pattern [
    (shorthand_property_identifier_pattern) @bind @prop @read
    (object_assignment_pattern left: (_) @bind @prop @read)
    (pair_pattern
      key: (property_identifier) @prop @read
      value: [
        (identifier) @bind
        (assignment_pattern left: (identifier) @bind)
      ])
  ])
  value: (_) @from @recv)

(variable_declarator
  name: (object_pattern
    (pair_pattern
      key: (property_identifier) @prop
      value: (object_pattern [
        (shorthand_property_identifier_pattern) @bind @prop
        (pair_pattern key: (property_identifier) @prop value: (identifier) @bind)
      ])))
  value: (_) @from)

(pair_pattern key: (property_identifier) @key)

(member_expression object: (_) @recv property: (_) @read)
(shorthand_property_identifier) @read
(identifier) @read

; What local names stand for.

(function_declaration) @block
(function_expression) @block
(generator_function_declaration) @block
(generator_function) @block
(arrow_function) @block
(method_definition) @block
(statement_block) @block
(for_statement) @block
(for_in_statement) @block
(catch_clause) @block

(function_expression name: (_) @bind)
(class name: (_) @bind) @into
(arrow_function parameter: (identifier) @bind)
(catch_clause parameter: (identifier) @bind)
(for_in_statement left: [(identifier) (array_pattern)] @binds operator: "of" right: (_) @each)
(for_in_statement left: (identifier) @bind)

(variable_declarator name: (identifier) @bind value: (_)? @from)
(variable_declarator name: (array_pattern) @binds value: (_) @froms)

; The deeper parts of patterns, of which nothing more is known.

(shorthand_property_identifier_pattern) @bind
(pair_pattern value: [
  (identifier) @bind
  (assignment_pattern left: (identifier) @bind)
])
(array_pattern [
  (identifier) @bind
  (assignment_pattern left: (identifier) @bind)
])
(rest_pattern (identifier) @bind)

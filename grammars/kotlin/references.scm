; Uses of names. The first pattern that finds a name says what the use is.

(package_header (identifier) @skip)
(import_header (identifier) @skip (wildcard_import))
(import_header (identifier (simple_identifier) @skip . (simple_identifier)))
(import_alias (_) @skip)
(value_argument . (simple_identifier) @skip . "=")

(call_expression . (simple_identifier) @call)
(call_expression . (navigation_expression (_) @recv (navigation_suffix (simple_identifier) @call)))
(infix_expression . (_) @recv . (simple_identifier) @call . (_))

(delegation_specifier [
  (user_type (type_identifier) @recv . (type_identifier) @inherit)
  (user_type . (type_identifier) @inherit)
  (constructor_invocation (user_type (type_identifier) @recv . (type_identifier) @inherit))
  (constructor_invocation (user_type . (type_identifier) @inherit))
  (explicit_delegation (user_type (type_identifier) @recv . (type_identifier) @inherit))
  (explicit_delegation (user_type . (type_identifier) @inherit))
])

(user_type (type_identifier) @recv . (type_identifier) @type)
(callable_reference (type_identifier) @recv . (simple_identifier) @read)
(type_identifier) @type

(navigation_expression (_) @recv (navigation_suffix (simple_identifier) @read))
(directly_assignable_expression (_) @recv (navigation_suffix (simple_identifier) @read))
(interpolated_identifier) @read
(simple_identifier) @read

; What local names stand for.

(class_declaration) @block
(object_declaration) @block
(function_declaration) @block
(secondary_constructor) @block
(type_alias) @block
(getter) @block
(setter) @block
(lambda_literal) @block
(anonymous_function) @block
(anonymous_initializer) @block
(control_structure_body) @block
(for_statement) @block
(when_expression) @block
(catch_block) @block

(type_parameter (type_identifier) @bind . (_) @as)
(type_parameter (type_identifier) @bind)
(function_value_parameters
  (parameter_modifiers (parameter_modifier) @_variadic)
  .
  (parameter (simple_identifier) @bind . (_) @elems)
  (#eq? @_variadic "vararg"))
(parameter (simple_identifier) @bind . (_) @as)
(parameter_with_optional_type (simple_identifier) @bind)
(class_parameter (simple_identifier) @bind . (_) @as)
(property_declaration (variable_declaration (simple_identifier) @bind .) "=" . (_) @from)
(when_subject (variable_declaration (simple_identifier) @bind .) . (_) @from)
(for_statement (variable_declaration (simple_identifier) @bind .) . (_) @each)
(catch_block (simple_identifier) @bind . (_) @as)
(variable_declaration (simple_identifier) @bind . (_) @as)
(variable_declaration (simple_identifier) @bind)

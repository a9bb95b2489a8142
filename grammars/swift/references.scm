; Uses of names. The first pattern that finds a name says what the use is. The
; receiver "." is that of a name whose type is known from the context.

(import_declaration (identifier (simple_identifier) @skip))
(value_argument_label (simple_identifier) @skip)
(parameter external_name: (simple_identifier) @skip)
(enum_type_parameters (simple_identifier) @skip)
(attribute (simple_identifier) @skip)
(operator_declaration (simple_identifier) @skip)

; An index is written as a call, too.

(call_expression . (simple_identifier) @read . (call_suffix (value_arguments "[")))
((call_expression . (simple_identifier) @new) (#match? @new "^[A-Z]"))
(call_expression . [
  (simple_identifier) @call
  (prefix_expression operation: "." @recv target: (simple_identifier) @call)
  (navigation_expression target: (_) @recv suffix: (navigation_suffix suffix: (simple_identifier) @call))
])
(constructor_expression constructed_type: (user_type (type_identifier) @new))

(class_declaration
  declaration_kind: "extension"
  name: (user_type (type_identifier) @container)
  (inheritance_specifier inherits_from: (user_type (type_identifier) @inherit)))
(inheritance_specifier inherits_from: (user_type (type_identifier) @inherit))

(user_type (type_identifier) @recv . (type_identifier) @type)
(type_identifier) @type

(prefix_expression operation: "." @recv target: (simple_identifier) @read)
(pattern "." @recv (simple_identifier) @read)
(if_statement condition: "." @recv . condition: (simple_identifier) @read)

(navigation_expression target: (_) @recv suffix: (navigation_suffix suffix: (simple_identifier) @read))
(simple_identifier) @read

; What local names stand for. The members of a type are no local names.

(function_declaration) @block
(protocol_function_declaration) @block
(init_declaration) @block
(subscript_declaration) @block
(lambda_literal) @block
(computed_property) @block
(typealias_declaration) @block
(if_statement) @block
(for_statement) @block
(while_statement) @block
(do_statement) @block
(catch_block) @block
(switch_entry) @block

(class_declaration (type_parameters (type_parameter (type_identifier) @bind name: (_)? @as))) @into
(type_parameter (type_identifier) @bind name: (_)? @as)
(parameter name: (simple_identifier) @bind name: (_) @elems "..." .)
(parameter name: (simple_identifier) @bind name: (_) @as)
(lambda_parameter name: (simple_identifier) @bind name: (_)? @as)

(property_declaration
  name: (pattern bound_identifier: (simple_identifier) @bind)
  . (type_annotation . (_) @as))
(property_declaration
  name: (pattern bound_identifier: (simple_identifier) @bind)
  value: (try_expression expr: (await_expression expr: (_) @from)))
(property_declaration name: (pattern bound_identifier: (simple_identifier) @bind) value: (try_expression expr: (_) @from))
(property_declaration name: (pattern bound_identifier: (simple_identifier) @bind) value: (await_expression expr: (_) @from))
(property_declaration name: (pattern bound_identifier: (simple_identifier) @bind) value: (_) @from)
(property_declaration name: (pattern (pattern)) @binds value: (_) @froms)

(_
  bound_identifier: (simple_identifier) @bind . condition: "="
  . condition: [(try_expression expr: (_) @from) (as_expression (as_operator) . (_) @as)])
(_ bound_identifier: (simple_identifier) @bind . condition: "=" . condition: (_) @from)

(for_statement item: (pattern bound_identifier: (simple_identifier) @bind) collection: (_) @each)
(for_statement item: (pattern (pattern)) @binds collection: (_) @each)
(catch_block error: (pattern (pattern bound_identifier: (simple_identifier) @bind) name: (_) @as))

(pattern (value_binding_pattern) (pattern bound_identifier: (simple_identifier) @bind) "as" name: (_) @as)
(_ condition: (pattern bound_identifier: (simple_identifier) @bind) . condition: "as" . name: (_) @as)

; The parts of other patterns, of which nothing more is known.

(pattern bound_identifier: (simple_identifier) @bind)
(pattern (value_binding_pattern) (simple_identifier) (pattern (simple_identifier) @bind))

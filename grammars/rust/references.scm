; Uses of names. The first pattern that finds a name says what the use is.

(lifetime (identifier) @skip)
(label (identifier) @skip)
(use_as_clause alias: (_) @skip)
(type_binding name: (_) @skip)
(attribute (identifier) @_derive arguments: (token_tree (identifier) @type) (#eq? @_derive "derive"))
(attribute [(identifier) @skip arguments: (token_tree (identifier) @skip)])

(call_expression function: (identifier) @call)
(call_expression function: (scoped_identifier path: (_) @recv name: (_) @call))
(call_expression function: (field_expression value: (_) @recv field: (field_identifier) @call))
(call_expression function: (generic_function function: [
  (identifier) @call
  (scoped_identifier path: (_) @recv name: (_) @call)
  (field_expression value: (_) @recv field: (field_identifier) @call)
]))
(macro_invocation macro: (identifier) @call)
(macro_invocation macro: (scoped_identifier path: (_) @recv name: (_) @call))

; The arguments of a macro are tokens: what stands around a name says what it does.

(token_tree (identifier) @token)

(struct_expression name: (type_identifier) @new)
(struct_expression name: (scoped_type_identifier path: (_) @recv name: (_) @new))
(struct_expression name: (generic_type_with_turbofish type: (type_identifier) @new))
(struct_expression name: (_) @recv body: (field_initializer_list [
  (field_initializer field: (field_identifier) @key)
  (shorthand_field_initializer (identifier) @key)
]))
(struct_pattern type: (_) @recv (field_pattern name: (field_identifier) @key))

(impl_item
  trait: [
    (type_identifier) @inherit
    (generic_type type: (type_identifier) @inherit)
    (scoped_type_identifier path: (_) @recv name: (_) @inherit)
    (generic_type type: (scoped_type_identifier path: (_) @recv name: (_) @inherit))
  ]
  type: [
    (type_identifier) @container
    (generic_type type: (type_identifier) @container)
    (reference_type type: (type_identifier) @container)
    (reference_type type: (generic_type type: (type_identifier) @container))
    (_)
  ])
(trait_item bounds: (trait_bounds [
  (type_identifier) @inherit
  (generic_type type: (type_identifier) @inherit)
  (scoped_type_identifier path: (_) @recv name: (_) @inherit)
]))

(scoped_type_identifier path: (_) @recv name: (_) @type)
(type_identifier) @type

(field_expression value: (_) @recv field: (field_identifier) @read)
(scoped_identifier path: (_) @recv name: (_) @read)
(identifier) @read

; What local names stand for.

(function_item) @block
(function_signature_item) @block
(closure_expression) @block
(impl_item) @block
(trait_item) @block
(struct_item) @block
(enum_item) @block
(type_item) @block
(block) @block
(if_expression) @block
(while_expression) @block
(for_expression) @block
(match_arm) @block

(type_parameters (type_identifier) @bind)
(optional_type_parameter name: (type_identifier) @bind)
(constrained_type_parameter left: (type_identifier) @bind bounds: (trait_bounds [
  (type_identifier) @as
  (generic_type) @as
  (scoped_type_identifier) @as
]))
(constrained_type_parameter left: (type_identifier) @bind)
(const_parameter name: (_) @bind type: (_) @as)
(parameter pattern: (identifier) @bind type: (_) @as)
(closure_parameters (identifier) @bind)
(let_declaration pattern: (identifier) @bind type: (_) @as)
(let_declaration pattern: (identifier) @bind !type value: (_) @from)
(let_declaration pattern: (identifier) @bind !type !value)
(for_expression pattern: (identifier) @bind value: (_) @each)
(let_condition pattern: (identifier) @bind value: (_) @from)
(let_condition
  pattern: (tuple_struct_pattern type: (identifier) @_some . (identifier) @bind)
  value: (_) @each
  (#eq? @_some "Some"))
(let_declaration
  pattern: (tuple_struct_pattern type: (identifier) @_some . (identifier) @bind)
  value: (_) @each
  (#eq? @_some "Some"))

; Patterns bind what begins with a small letter; the rest are constants.

(tuple_pattern (identifier) @bind (#match? @bind "^[a-z_]"))
(tuple_struct_pattern type: (_) (identifier) @bind (#match? @bind "^[a-z_]"))
(slice_pattern (identifier) @bind (#match? @bind "^[a-z_]"))
(match_pattern . (identifier) @bind (#match? @bind "^[a-z_]"))
(or_pattern (identifier) @bind (#match? @bind "^[a-z_]"))
(field_pattern pattern: (identifier) @bind (#match? @bind "^[a-z_]"))
(field_pattern name: (shorthand_field_identifier) @bind)
(captured_pattern . (identifier) @bind)
(ref_pattern (identifier) @bind)
(mut_pattern (identifier) @bind)
(reference_pattern (identifier) @bind)

; Uses of names. The first pattern that finds a name says what the use is.
; Variables are local, and named in the binds alone.

(namespace_definition name: (_) @skip)
(namespace_aliasing_clause (name) @skip)
(argument name: (_) @skip)
(goto_statement (name) @skip)
(named_label_statement (name) @skip)
(class_constant_access_expression (_) . (name) @skip (#eq? @skip "class"))

(function_call_expression function: [
  (name) @call
  (qualified_name (namespace_name_as_prefix) @recv (name) @call)
])
(member_call_expression object: (_) @recv name: (name) @call)
(nullsafe_member_call_expression object: (_) @recv name: (name) @call)
(scoped_call_expression scope: (_) @recv name: (name) @call)
(object_creation_expression [
  (name) @new
  (qualified_name (namespace_name_as_prefix) @recv (name) @new)
])

(base_clause [(name) @inherit (qualified_name (namespace_name_as_prefix) @recv (name) @inherit)])
(class_interface_clause [(name) @inherit (qualified_name (namespace_name_as_prefix) @recv (name) @inherit)])
(use_declaration [(name) @inherit (qualified_name (namespace_name_as_prefix) @recv (name) @inherit)])

(named_type [(name) @type (qualified_name (namespace_name_as_prefix) @recv (name) @type)])
(attribute [(name) @type (qualified_name (namespace_name_as_prefix) @recv (name) @type)])
(binary_expression "instanceof" right: [(name) @type (qualified_name (namespace_name_as_prefix) @recv (name) @type)])

(class_constant_access_expression (_) @recv . (name) @read)
(scoped_property_access_expression scope: (_) @recv name: (variable_name (name) @read))
(member_access_expression object: (_) @recv name: (name) @read)
(nullsafe_member_access_expression object: (_) @recv name: (name) @read)
(qualified_name (namespace_name_as_prefix) @recv (name) @read)
(namespace_use_group_clause (namespace_name (name) @read .))

(namespace_use_declaration . (namespace_name) @skip)
(namespace_name_as_prefix) @skip
(variable_name (name) @skip)
(name) @read

; What local names stand for. Only functions have locals of their own.

(function_definition) @block
(method_declaration) @block
(anonymous_function_creation_expression) @block
(arrow_function) @block

(simple_parameter type: (_) @as name: (variable_name) @bind)
(simple_parameter !type name: (variable_name) @bind)
(property_promotion_parameter type: (_) @as name: (variable_name) @bind)
(property_promotion_parameter !type name: (variable_name) @bind)
(variadic_parameter type: (_) @elems name: (variable_name) @bind)
(variadic_parameter !type name: (variable_name) @bind)
(assignment_expression left: (variable_name) @bind right: (_) @from)
(list_literal (variable_name) @bind)
(array_creation_expression (array_element_initializer (by_ref (variable_name) @bind)))
(foreach_statement . (_) @each . (variable_name) @bind)
(foreach_statement . (_) @each . (by_ref (variable_name) @bind))
(foreach_statement . (_) @each . (pair (_) . (variable_name) @bind))
(foreach_statement . (_) . (pair . (variable_name) @bind))
(catch_clause type: (type_list . (_) @as) name: (variable_name) @bind)
(static_variable_declaration name: (variable_name) @bind value: (_) @from)

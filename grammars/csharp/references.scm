; Uses of names. The first pattern that finds a name says what the use is. A
; type is a plain name in this grammar: where it stands tells it.

(using_directive (qualified_name qualifier: (_) @skip))
(using_directive name: (_) @skip)
(namespace_declaration name: (_) @skip)
(file_scoped_namespace_declaration name: (_) @skip)
(argument name: (_) @skip)
(labeled_statement . (identifier) @skip)
(goto_statement (identifier) @skip)
(anonymous_object_creation_expression (identifier) @skip . "=")
(tuple_element name: (_) @skip)

(attribute name: [
  (identifier) @type
  (qualified_name qualifier: (_) @recv name: (_) @type)
])
(attribute name: (_) @recv (attribute_argument_list (attribute_argument (assignment_expression left: (identifier) @key))))

(invocation_expression function: [
  (identifier) @call
  (generic_name . (identifier) @call)
  (member_access_expression expression: _ @recv name: [(identifier) @call (generic_name . (identifier) @call)])
  (conditional_access_expression condition: _ @recv (member_binding_expression name: [(identifier) @call (generic_name . (identifier) @call)]))
])

(object_creation_expression type: [
  (identifier) @new
  (generic_name . (identifier) @new)
  (qualified_name qualifier: (_) @recv name: [(identifier) @new (generic_name . (identifier) @new)])
])
(object_creation_expression
  type: (_) @recv
  initializer: (initializer_expression (assignment_expression left: (identifier) @key)))
(initializer_expression (assignment_expression left: (identifier) @key))
(with_initializer . (identifier) @key)
(recursive_pattern type: (_) @recv (property_pattern_clause (subpattern . (identifier) @key)))
(subpattern . (identifier) @key)

(base_list [
  (identifier) @inherit
  (generic_name . (identifier) @inherit)
  (qualified_name qualifier: (_) @recv name: [(identifier) @inherit (generic_name . (identifier) @inherit)])
  (primary_constructor_base_type type: (identifier) @inherit)
])

(qualified_name qualifier: (_) @recv name: [(identifier) @type (generic_name . (identifier) @type)])
(generic_name . (identifier) @type (type_argument_list))
(type_argument_list (identifier) @type)
(_ type: (identifier) @type)
(_ returns: (identifier) @type)
(as_expression right: (identifier) @type)
(is_expression right: (identifier) @type)
(type_parameter_constraints_clause . (identifier) @type)
(explicit_interface_specifier (identifier) @type)

(member_access_expression expression: _ @recv name: [(identifier) @read (generic_name . (identifier) @read)])
(conditional_access_expression condition: _ @recv (member_binding_expression name: (identifier) @read))
(identifier) @read

; What local names stand for.

(class_declaration) @block
(struct_declaration) @block
(record_declaration) @block
(interface_declaration) @block
(delegate_declaration) @block
(method_declaration) @block
(constructor_declaration) @block
(operator_declaration) @block
(conversion_operator_declaration) @block
(indexer_declaration) @block
(local_function_statement) @block
(lambda_expression) @block
(anonymous_method_expression) @block
(block) @block
(for_statement) @block
(foreach_statement) @block
(using_statement) @block
(catch_clause) @block
(switch_section) @block
(switch_expression_arm) @block
(query_expression) @block

(type_parameter name: (_) @bind)
(parameter type: (_) @as name: (_) @bind)
(parameter !type name: (_) @bind)
(parameter_list type: (array_type type: (_) @elems) name: (_) @bind)
(implicit_parameter) @bind

(local_declaration_statement (variable_declaration type: (implicit_type) (variable_declarator name: (identifier) @bind . (_) @from)))
(local_declaration_statement (variable_declaration type: (_) @as (variable_declarator name: (identifier) @bind)))
(using_statement (variable_declaration type: (implicit_type) (variable_declarator name: (identifier) @bind . (_) @from)))
(using_statement (variable_declaration type: (_) @as (variable_declarator name: (identifier) @bind)))
(for_statement initializer: (variable_declaration type: (_) @as (variable_declarator name: (identifier) @bind)))
(tuple_pattern name: (identifier) @bind)
(foreach_statement type: (implicit_type) left: (identifier) @bind right: (_) @each)
(foreach_statement type: (_) @as left: (identifier) @bind)
(catch_declaration type: (_) @as name: (_) @bind)
(declaration_expression type: (implicit_type) name: (identifier) @bind)
(declaration_expression type: (_) @as name: (identifier) @bind)
(declaration_pattern type: (implicit_type) name: (identifier) @bind)
(declaration_pattern type: (_) @as name: (identifier) @bind)
(recursive_pattern type: (_) @as name: (identifier) @bind)
(recursive_pattern !type name: (identifier) @bind)
(from_clause name: (_) @bind . (_) @each)
(join_clause . (identifier) @bind . (_) @each)
(join_into_clause (identifier) @bind)
(let_clause . (identifier) @bind . (_) @from)

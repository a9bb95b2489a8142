; Uses of names. The first pattern that finds a name says what the use is.

(call_expression function: (identifier) @call)
(call_expression function: (selector_expression operand: (_) @recv field: (_) @call))
(call_expression function: (parenthesized_expression (selector_expression operand: (_) @recv field: (_) @call)))
(call_expression function: (index_expression operand: (identifier) @call))
(call_expression function: (index_expression operand: (selector_expression operand: (_) @recv field: (_) @call)))
(call_expression function: (type_instantiation_expression type: (type_identifier) @call))
(call_expression function: (type_instantiation_expression type: (qualified_type package: (_) @recv name: (_) @call)))

(struct_type (field_declaration_list
  (field_declaration !name type: [
    (type_identifier) @inherit
    (pointer_type (type_identifier) @inherit)
    (generic_type type: (type_identifier) @inherit)
    (qualified_type package: (_) @recv name: (_) @inherit)
    (pointer_type (qualified_type package: (_) @recv name: (_) @inherit))
    (generic_type type: (qualified_type package: (_) @recv name: (_) @inherit))
    (pointer_type (generic_type type: (type_identifier) @inherit))
    (pointer_type (generic_type type: (qualified_type package: (_) @recv name: (_) @inherit)))
  ])))
(interface_type (type_elem . (type_identifier) @inherit .))
(interface_type (type_elem . (qualified_type package: (_) @recv name: (_) @inherit) .))
(interface_type (type_elem . (generic_type type: (type_identifier) @inherit) .))
(interface_type (type_elem . (generic_type type: (qualified_type package: (_) @recv name: (_) @inherit)) .))

(qualified_type package: (_) @recv name: (_) @type)
(type_identifier) @type

(keyed_element . (literal_element (identifier) @key))
(selector_expression operand: (_) @recv field: (_) @read)
(identifier) @read

; What local names stand for.

(function_declaration) @block
(method_declaration) @block
(func_literal) @block
(function_type) @block
(method_elem) @block
(type_spec) @block
(block) @block
(if_statement) @block
(for_statement) @block
(expression_switch_statement) @block
(type_switch_statement) @block
(expression_case) @block
(type_case) @block
(default_case) @block
(communication_case) @block

(parameter_declaration (identifier) @bind type: (_) @as)
(variadic_parameter_declaration name: (identifier) @bind type: (_) @elems)
(type_parameter_declaration (identifier) @bind type: (_) @as)
(var_spec (identifier) @bind type: (_) @as)
(var_spec (identifier) @binds !type value: (expression_list) @froms)
(const_spec (identifier) @binds value: (expression_list) @froms)
(short_var_declaration left: (_) @binds right: (_) @froms)
(range_clause left: (_) @binds right: (_) @each)
(receive_statement left: (_) @binds right: (_) @froms)
(type_switch_statement alias: (expression_list (identifier) @bind) value: (_) @from)
(type_switch_statement alias: (expression_list (identifier) @bind) (type_case type: (_) @as) @into)

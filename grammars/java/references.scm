; Uses of names. The first pattern that finds a name says what the use is.

(package_declaration (_) @skip)
(import_declaration (_) @skip . (asterisk))
(import_declaration "import" . (scoped_identifier scope: (_) @skip) .)
(import_declaration "static" . (scoped_identifier scope: (scoped_identifier scope: (_) @skip)) .)
(switch_label (identifier) @skip (#eq? @skip "default"))
(labeled_statement . (identifier) @skip)
(break_statement (identifier) @skip)
(continue_statement (identifier) @skip)

(method_invocation object: (_) @recv . (super) @recv name: (_) @call)
(method_invocation object: (_) @recv name: (_) @call)
(method_invocation name: (_) @call)

(object_creation_expression type: [
  (type_identifier) @new
  (generic_type . (type_identifier) @new)
  (scoped_type_identifier (_) @recv . (type_identifier) @new .)
  (generic_type . (scoped_type_identifier (_) @recv . (type_identifier) @new .))
])
(method_reference . (identifier) @new "new")
(method_reference (_) @recv . (identifier) @read .)

(superclass [
  (type_identifier) @inherit
  (generic_type . (type_identifier) @inherit)
  (scoped_type_identifier (_) @recv . (type_identifier) @inherit .)
  (generic_type . (scoped_type_identifier (_) @recv . (type_identifier) @inherit .))
])
(super_interfaces (type_list [
  (type_identifier) @inherit
  (generic_type . (type_identifier) @inherit)
  (scoped_type_identifier (_) @recv . (type_identifier) @inherit .)
  (generic_type . (scoped_type_identifier (_) @recv . (type_identifier) @inherit .))
]))
(extends_interfaces (type_list [
  (type_identifier) @inherit
  (generic_type . (type_identifier) @inherit)
  (scoped_type_identifier (_) @recv . (type_identifier) @inherit .)
  (generic_type . (scoped_type_identifier (_) @recv . (type_identifier) @inherit .))
]))

(annotation name: [(identifier) @type (scoped_identifier scope: (_) @recv name: (_) @type)])
(marker_annotation name: [(identifier) @type (scoped_identifier scope: (_) @recv name: (_) @type)])
(annotation name: (_) @recv arguments: (annotation_argument_list (element_value_pair key: (_) @key)))

(local_variable_declaration type: (type_identifier) @skip (#eq? @skip "var"))
(enhanced_for_statement type: (type_identifier) @skip (#eq? @skip "var"))
(resource type: (type_identifier) @skip (#eq? @skip "var"))
(record_pattern_component (type_identifier) @skip . (identifier) (#eq? @skip "var"))

(record_pattern . (identifier) @type)
(scoped_type_identifier (_) @recv . (type_identifier) @type .)
(type_identifier) @type

(field_access object: (_) @recv field: (identifier) @read)
(scoped_identifier scope: (_) @recv name: (_) @read)
(identifier) @read

; What local names stand for. The components of a record are its fields.

(class_declaration) @block
(interface_declaration) @block
(record_declaration) @block
(method_declaration) @block
(constructor_declaration) @block
(lambda_expression) @block
(block) @block
(constructor_body) @block
(for_statement) @block
(enhanced_for_statement) @block
(try_with_resources_statement) @block
(catch_clause) @block
(switch_rule) @block
(switch_block_statement_group) @block

(type_parameter . (type_identifier) @bind (type_bound . (_) @as))
(type_parameter . (type_identifier) @bind)
(method_declaration parameters: (formal_parameters (formal_parameter type: (_) @as name: (_) @bind)))
(constructor_declaration parameters: (formal_parameters (formal_parameter type: (_) @as name: (_) @bind)))
(lambda_expression parameters: (formal_parameters (formal_parameter type: (_) @as name: (_) @bind)))
(method_declaration parameters: (formal_parameters (spread_parameter (_) @elems . (variable_declarator name: (_) @bind))))
(constructor_declaration parameters: (formal_parameters (spread_parameter (_) @elems . (variable_declarator name: (_) @bind))))
(lambda_expression parameters: (identifier) @bind)
(inferred_parameters (identifier) @bind)

(local_variable_declaration
  type: (type_identifier) @_var
  declarator: (variable_declarator name: (_) @bind value: (_) @from)
  (#eq? @_var "var"))
(local_variable_declaration type: (_) @as declarator: (variable_declarator name: (_) @bind))
(enhanced_for_statement type: (type_identifier) @_var name: (_) @bind value: (_) @each (#eq? @_var "var"))
(enhanced_for_statement type: (_) @as name: (_) @bind)
(resource type: (type_identifier) @_var name: (_) @bind value: (_) @from (#eq? @_var "var"))
(resource type: (_) @as name: (_) @bind)
(catch_formal_parameter (catch_type . (_) @as) name: (_) @bind)
(instanceof_expression right: (_) @as name: (_) @bind)
(type_pattern (_) @as . (identifier) @bind)
(record_pattern_component (type_identifier) @_var . (identifier) @bind (#eq? @_var "var"))
(record_pattern_component (_) @as . (identifier) @bind)

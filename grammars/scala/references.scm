; Uses of names. The first pattern that finds a name says what the use is.

(package_identifier) @skip
(arrow_renamed_identifier alias: (_) @skip)
(as_renamed_identifier alias: (_) @skip)
(import_declaration . (identifier) @recv . (identifier) @read)
(import_declaration . (identifier) @read)
(import_declaration (identifier) @read .)
(import_declaration (identifier) @skip)
(interpolated_string_expression interpolator: (identifier) @skip)

(call_expression function: (identifier) @call)
(call_expression function: (field_expression value: (_) @recv field: (_) @call))
(call_expression function: (generic_function function: (identifier) @call))
(call_expression function: (generic_function function: (field_expression value: (_) @recv field: (_) @call)))

(instance_expression . (type_identifier) @new)
(instance_expression . (stable_type_identifier (_) @recv (type_identifier) @new .))
(instance_expression . (generic_type type: (type_identifier) @new))
(instance_expression . (generic_type type: (stable_type_identifier (_) @recv (type_identifier) @new .)))

(extends_clause (type_identifier) @inherit)
(extends_clause (stable_type_identifier (_) @recv (type_identifier) @inherit .))
(extends_clause (generic_type type: (type_identifier) @inherit))
(extends_clause (generic_type type: (stable_type_identifier (_) @recv (type_identifier) @inherit .)))
(derives_clause type: (type_identifier) @inherit)

(stable_type_identifier (_) @recv (type_identifier) @type .)
(type_identifier) @type

(arguments (assignment_expression left: (identifier) @key))
(stable_identifier (_) @recv . (identifier) @read .)
(field_expression value: (_) @recv field: (_) @read)
(infix_expression left: (_) @recv operator: (identifier) @call)
(identifier) @read

; What local names stand for.

(function_definition) @block
(function_declaration) @block
(lambda_expression) @block
(block) @block
(indented_block) @block
(for_expression) @block
(case_clause) @block
(extension_definition) @block

(_ type_parameters: (type_parameters name: (identifier) @bind)) @into
(_ type_parameters: (type_parameters (_ name: (identifier) @bind))) @into
(parameter name: (_) @bind type: (repeated_parameter_type type: (_) @elems))
(parameter name: (_) @bind type: (_) @as)
(block . (lambda_expression parameters: (identifier) @bind)) @into
(block . (lambda_expression parameters: (bindings (binding name: (_) @bind type: (_)? @as)))) @into
(lambda_expression parameters: (identifier) @bind)
(lambda_expression parameters: (bindings (binding name: (_) @bind type: (_)? @as)))

(val_definition pattern: (identifier) @bind type: (_) @as)
(var_definition pattern: (identifier) @bind type: (_) @as)
(val_definition pattern: (identifier) @bind value: (_) @from)
(var_definition pattern: (identifier) @bind value: (_) @from)
(val_definition pattern: (tuple_pattern) @binds value: (_) @froms)
(enumerator . (identifier) @bind "<-" . (_) @each)
(enumerator . (identifier) @bind . (_) @from)
(enumerator . (tuple_pattern) @binds . (_) @each)

(typed_pattern pattern: (identifier) @bind type: (_) @as)
(capture_pattern name: (identifier) @bind)
((case_class_pattern pattern: (identifier) @bind) (#match? @bind "^[a-z]"))
((tuple_pattern (identifier) @bind) (#match? @bind "^[a-z]"))
((case_clause pattern: (identifier) @bind) (#match? @bind "^[a-z]"))

; What a method gives that is one expression and has no written type.

(function_definition !return_type parameters: (_) body: [(call_expression) (instance_expression) (field_expression) (identifier)] @note.return)

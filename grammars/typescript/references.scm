; What TypeScript adds to the uses of names.

(import_require_clause (identifier) @skip)
(index_signature name: (identifier) @skip)

(call_expression
  function: (non_null_expression [
    (identifier) @call
    (member_expression object: (_) @recv property: (_) @call)
  ]))

(extends_clause value: (identifier) @inherit)
(extends_clause value: (member_expression object: (_) @recv property: (_) @inherit))

(implements_clause [
  (type_identifier) @inherit
  (nested_type_identifier module: (_) @recv name: (_) @inherit)
  (generic_type name: (type_identifier) @inherit)
  (generic_type name: (nested_type_identifier module: (_) @recv name: (_) @inherit))
])

(extends_type_clause [
  (type_identifier) @inherit
  (nested_type_identifier module: (_) @recv name: (_) @inherit)
  (generic_type name: (type_identifier) @inherit)
  (generic_type name: (nested_type_identifier module: (_) @recv name: (_) @inherit))
])

(nested_type_identifier module: (_) @recv name: (_) @type)
(type_identifier) @type

; What local names stand for.

(class_declaration) @block
(abstract_class_declaration) @block
(interface_declaration) @block
(type_alias_declaration) @block
(function_signature) @block
(method_signature) @block
(abstract_method_signature) @block
(call_signature) @block
(construct_signature) @block
(function_type) @block
(constructor_type) @block

(type_parameter name: (_) @bind constraint: (constraint (_) @as)?)
(mapped_type_clause name: (_) @bind)
(infer_type . (type_identifier) @bind)

(required_parameter pattern: (identifier) @bind type: (type_annotation (_) @as))
(required_parameter pattern: (identifier) @bind value: (_)? @from)
(optional_parameter pattern: (identifier) @bind type: (type_annotation (_) @as)?)
(required_parameter pattern: (rest_pattern (identifier) @bind) type: (type_annotation (_) @as))

(required_parameter
  pattern: (object_pattern [
    (shorthand_property_identifier_pattern) @bind @prop @read
    (object_assignment_pattern left: (_) @bind @prop @read)
    (pair_pattern
      key: (property_identifier) @prop @read
      value: [
        (identifier) @bind
        (assignment_pattern left: (identifier) @bind)
      ])
  ])
  type: (type_annotation [(type_identifier) (nested_type_identifier) (generic_type)] @as @recv))

((required_parameter
  pattern: (object_pattern [
    (shorthand_property_identifier_pattern) @bind @_prop
    (object_assignment_pattern left: (_) @bind @_prop)
    (pair_pattern key: (_) @_prop value: (identifier) @bind)
  ])
  type: (type_annotation
    (object_type
      (property_signature name: (_) @_member type: (type_annotation (_) @as)))))
  (#eq? @_prop @_member))

; A function whose type says what it gets: const View: FC<Props> = ({a}) => …

(variable_declarator
  type: (type_annotation (generic_type type_arguments: (type_arguments . (_) @as @recv .)))
  value: (arrow_function
    parameters: (formal_parameters
      . (required_parameter
        pattern: (object_pattern [
          (shorthand_property_identifier_pattern) @bind @prop @read
          (object_assignment_pattern left: (_) @bind @prop @read)
          (pair_pattern key: (property_identifier) @prop @read value: (identifier) @bind)
        ])))))

(variable_declarator name: (identifier) @bind type: (type_annotation (_) @as))

(import_alias (identifier) @bind (_) @from)

; What functions without a written result return.

(function_declaration !return_type body: (statement_block (return_statement [(call_expression) (new_expression) (identifier) (this) (member_expression) (await_expression) (as_expression)] @note.return)))
(method_definition !return_type body: (statement_block (return_statement [(call_expression) (new_expression) (identifier) (this) (member_expression) (await_expression) (as_expression)] @note.return)))
(variable_declarator value: (arrow_function !return_type body: (statement_block (return_statement [(call_expression) (new_expression) (identifier) (await_expression) (as_expression)] @note.return))))
(variable_declarator value: (arrow_function !return_type body: [(call_expression) (new_expression) (await_expression) (as_expression)] @note.return))
(public_field_definition value: (arrow_function !return_type body: (statement_block (return_statement [(call_expression) (new_expression) (identifier) (this) (member_expression) (await_expression)] @note.return))))
(public_field_definition value: (arrow_function !return_type body: [(call_expression) (new_expression) (await_expression) (member_expression)] @note.return))

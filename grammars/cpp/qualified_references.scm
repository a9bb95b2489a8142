; What C++ adds to the uses of names; it stands before what C knows, so that a
; qualified name is found with what stands in front of it.

(destructor_name (identifier) @skip)
(attribute name: (_) @skip)
(namespace_definition name: (_) @skip)

(call_expression function: [
  (template_function name: (identifier) @call)
  (qualified_identifier scope: (_) @recv name: (_ scope: (_) @recv name: (_ scope: (_) @recv name: [(identifier) @call (template_function name: (identifier) @call)])))
  (qualified_identifier scope: (_) @recv name: (_ scope: (_) @recv name: [(identifier) @call (template_function name: (identifier) @call)]))
  (qualified_identifier scope: (_) @recv name: [(identifier) @call (template_function name: (identifier) @call)])
  (field_expression argument: (_) @recv field: (template_method name: (field_identifier) @call))
  (field_expression argument: (_) @recv field: (dependent_name (template_method name: (field_identifier) @call)))
])

(new_expression type: [
  (type_identifier) @new (template_type name: (_) @new)
  (qualified_identifier scope: (_) @recv name: (_ scope: (_) @recv name: (_ scope: (_) @recv name: [(type_identifier) @new (template_type name: (_) @new)])))
  (qualified_identifier scope: (_) @recv name: (_ scope: (_) @recv name: [(type_identifier) @new (template_type name: (_) @new)]))
  (qualified_identifier scope: (_) @recv name: [(type_identifier) @new (template_type name: (_) @new)])
])
(compound_literal_expression type: [
  (type_identifier) @new
  (template_type name: (_) @new)
  (qualified_identifier scope: (_) @recv name: (_ scope: (_) @recv name: (_ scope: (_) @recv name: [(type_identifier) @new (template_type name: (_) @new)])))
  (qualified_identifier scope: (_) @recv name: (_ scope: (_) @recv name: [(type_identifier) @new (template_type name: (_) @new)]))
  (qualified_identifier scope: (_) @recv name: [(type_identifier) @new (template_type name: (_) @new)])
])

(base_class_clause [
  (type_identifier) @inherit (template_type name: (_) @inherit)
  (qualified_identifier scope: (_) @recv name: (_ scope: (_) @recv name: (_ scope: (_) @recv name: [(type_identifier) @inherit (template_type name: (_) @inherit)])))
  (qualified_identifier scope: (_) @recv name: (_ scope: (_) @recv name: [(type_identifier) @inherit (template_type name: (_) @inherit)]))
  (qualified_identifier scope: (_) @recv name: [(type_identifier) @inherit (template_type name: (_) @inherit)])
])

(qualified_identifier scope: (_) @recv name: (_ scope: (_) @recv name: (_ scope: (_) @recv name: [(type_identifier) @type (template_type name: (_) @type)])))
  (qualified_identifier scope: (_) @recv name: (_ scope: (_) @recv name: [(type_identifier) @type (template_type name: (_) @type)]))
  (qualified_identifier scope: (_) @recv name: [(type_identifier) @type (template_type name: (_) @type)])
(qualified_identifier scope: (_) @recv name: (_ scope: (_) @recv name: (_ scope: (_) @recv name: [(identifier) @read (template_function name: (identifier) @read)])))
  (qualified_identifier scope: (_) @recv name: (_ scope: (_) @recv name: [(identifier) @read (template_function name: (identifier) @read)]))
  (qualified_identifier scope: (_) @recv name: [(identifier) @read (template_function name: (identifier) @read)])

(field_initializer . [(field_identifier) @read (template_method name: (field_identifier) @read)])
(namespace_identifier) @read

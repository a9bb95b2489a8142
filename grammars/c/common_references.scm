; Uses of names in C and C++. The first pattern that finds a name says what the use is.

(attribute_specifier (argument_list (identifier) @skip))
(preproc_params (identifier) @skip)

(call_expression function: (identifier) @call)
(call_expression function: (field_expression argument: (_) @recv field: (field_identifier) @call))
(call_expression function: (parenthesized_expression (pointer_expression argument: (field_expression argument: (_) @recv field: (_) @call))))

(compound_literal_expression type: (type_descriptor type: [
  (type_identifier) @new
  (struct_specifier name: (type_identifier) @new)
]))
(field_designator (field_identifier) @key)

(type_identifier) @type

(field_expression argument: (_) @recv field: (field_identifier) @read)
(identifier) @read

; What local names stand for. The parameters of a declaration mean something only in their list.

(function_definition) @block
(declaration declarator: (function_declarator parameters: (_) @block))
(declaration declarator: (pointer_declarator declarator: (function_declarator parameters: (_) @block)))
(declaration declarator: (pointer_declarator declarator: (pointer_declarator declarator: (function_declarator parameters: (_) @block))))
(function_declarator declarator: (parenthesized_declarator) parameters: (_) @block)
(compound_statement) @block
(for_statement) @block

(parameter_declaration
  type: (_) @as
  declarator: [
    (identifier) @bind
    (_ !parameters declarator: (identifier) @bind)
    (_ !parameters declarator: (_ !parameters declarator: (identifier) @bind))
    (_ !parameters declarator: (_ !parameters declarator: (_ !parameters declarator: (identifier) @bind)))
    (_ declarator: (parenthesized_declarator (_ declarator: (identifier) @bind)))
    (_ declarator: (parenthesized_declarator (_ declarator: (_ declarator: (identifier) @bind))))
    (_ declarator: (_ declarator: (parenthesized_declarator (_ declarator: (identifier) @bind))))
    (_ declarator: (_ declarator: (parenthesized_declarator (_ declarator: (_ declarator: (identifier) @bind)))))
  ])

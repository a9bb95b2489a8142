; Uses of names. The first pattern that finds a name says what the use is.

; What these mean is in imports.scm.

(import_statement name: (dotted_name (identifier) @skip))
(aliased_import (dotted_name (identifier) @skip))
(aliased_import alias: (identifier) @skip)
(import_from_statement module_name: (dotted_name (identifier) @skip))
(relative_import (dotted_name (identifier) @skip))
(future_import_statement (dotted_name (identifier) @skip))

(call function: (identifier) @call)
(call function: (attribute object: (_) @recv attribute: (_) @call))
((call function: (subscript value: (identifier) @call)) (#match? @call "^[A-Z]"))
(call function: [(call) (subscript) (parenthesized_expression)] @recv arguments: (argument_list . "(" @call))
(decorator (identifier) @call)
(decorator (attribute object: (_) @recv attribute: (_) @call))
(decorator "@" @call (call) @recv)
(raise_statement . (identifier) @call)
(raise_statement . (attribute object: (_) @recv attribute: (_) @call))

(class_definition
  superclasses: (argument_list [
    (identifier) @inherit
    (attribute object: (_) @recv attribute: (_) @inherit)
    (subscript value: (identifier) @inherit)
    (subscript value: (attribute object: (_) @recv attribute: (_) @inherit))
  ]))

; Annotations. What they hold more deeply is read.

((generic_type (identifier) @_literal (type_parameter (type (string (string_content) @skip))))
  (#match? @_literal "^(Literal|Annotated)$"))
((type (string (string_content) @type)) (#match? @type "^\\w+$"))

(type [
  (identifier) @type
  (attribute object: (_) @recv attribute: (_) @type)
  (generic_type (identifier) @type)
  (subscript value: (attribute object: (_) @recv attribute: (_) @type))
  (subscript subscript: (identifier) @type)
  (subscript subscript: (attribute object: (_) @recv attribute: (_) @type))
  (list (identifier) @type)
  (binary_operator (identifier) @type)
  (binary_operator (attribute object: (_) @recv attribute: (_) @type))
  (binary_operator (subscript value: (identifier) @type))
  (binary_operator left: (binary_operator (identifier) @type))
])

(class_pattern (dotted_name . (identifier) @type .))
(class_pattern (dotted_name (identifier) @recv . (identifier) @type .))
(dotted_name (identifier) @recv . (identifier) @read .)

(keyword_argument name: (identifier) @key)
(keyword_pattern . (identifier) @key)
(attribute object: (_) @recv attribute: (identifier) @read)
(identifier) @read

; What local names stand for. Only functions have names of their own; those of
; a class are its members.

(function_definition) @block
(lambda) @block

((parameters . (identifier) @self) (#match? @self "^(self|cls|mcs|mcls)$"))

(_
  type_parameters: (type_parameter
    (type [
      (identifier) @bind
      (constrained_type . (type (identifier) @bind) (type) @as)
    ]))) @into

(parameters [
  (identifier) @bind
  (default_parameter name: (identifier) @bind value: (_) @from)
  (typed_parameter . (identifier) @bind type: (_) @as)
  (typed_parameter . (list_splat_pattern (identifier) @bind) type: (_) @elems)
  (typed_default_parameter name: (identifier) @bind type: (_) @as)
])

(lambda_parameters [
  (identifier) @bind
  (default_parameter name: (identifier) @bind value: (_) @from)
])

(list_splat_pattern (identifier) @bind)
(dictionary_splat_pattern (identifier) @bind)

(assignment left: (identifier) @bind type: (_) @as)
(assignment left: (identifier) @bind right: (assignment right: (_) @from))
(assignment left: (identifier) @bind right: (_) @from)
(assignment left: [(pattern_list) (tuple_pattern)] @binds right: (_) @froms)
(named_expression name: (identifier) @bind value: (_) @from)
(pattern_list (tuple_pattern (identifier) @bind))
(tuple_pattern (tuple_pattern (identifier) @bind))

(for_statement left: (_) @binds right: (_) @each)

([
  (list_comprehension (for_in_clause left: (_) @binds right: (_) @each))
  (set_comprehension (for_in_clause left: (_) @binds right: (_) @each))
  (dictionary_comprehension (for_in_clause left: (_) @binds right: (_) @each))
  (generator_expression (for_in_clause left: (_) @binds right: (_) @each))
] @into)

(with_item
  value: (as_pattern
    (_) @from
    alias: (as_pattern_target [
      (identifier) @bind
      (tuple) @binds
    ])))

(except_clause (as_pattern (list_splat (_) @as) alias: (as_pattern_target (identifier) @bind)))
(except_clause (as_pattern (_) @as alias: (as_pattern_target (identifier) @bind)))

(case_pattern [
  (dotted_name . (identifier) @bind .)
  (as_pattern (case_pattern (class_pattern (dotted_name) @as)) (identifier) @bind)
  (as_pattern (identifier) @bind)
  (keyword_pattern (dotted_name . (identifier) @bind .))
])
(splat_pattern (identifier) @bind)

; How values flow that no type tells about.

(call arguments: (argument_list (_))) @note.call
(return_statement (_) @note.return)
(yield (_) @note.yield)
(assignment left: [(subscript) (attribute) (pattern_list) (tuple_pattern)]) @note.set
(assignment right: (assignment)) @note.set
(decorated_definition (decorator (_) @from) definition: (_ name: (_) @note.decorate))

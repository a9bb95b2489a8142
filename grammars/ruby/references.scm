; Uses of names. The first pattern that finds a name says what the use is.

(superclass [(constant) @inherit (scope_resolution scope: (_) @recv name: (_) @inherit)])
(call
  !receiver
  method: (identifier) @_takes
  arguments: (argument_list [(constant) @inherit (scope_resolution scope: (_) @recv name: (_) @inherit)])
  (#match? @_takes "^(include|extend|prepend)$"))

(call
  receiver: [(constant) @new (scope_resolution scope: (_) @recv name: (_) @new)]
  method: (identifier) @_new
  (#eq? @_new "new"))
(call receiver: (_) @recv method: [(identifier) (constant)] @call)
(call method: [(identifier) (constant)] @call)

(exceptions [(constant) @type (scope_resolution scope: (_) @recv name: (_) @type)])
(scope_resolution scope: (_) @recv name: (_) @read)
(constant) @read
(identifier) @read

; What local names stand for. Only methods, blocks and classes have locals of their own.

(method) @block
(singleton_method) @block
(class) @block
(module) @block
(block) @block
(do_block) @block
(lambda) @block

(call
  receiver: (_) @each
  method: (identifier) @_loops
  block: [
    (block parameters: (block_parameters . (identifier) @bind))
    (do_block parameters: (block_parameters . (identifier) @bind))
  ]
  (#match? @_loops "^(each|each_with_index|each_with_object|map|flat_map|filter_map|select|filter|reject|find|detect|any\\?|all\\?|none\\?|sort_by|group_by|partition|sum|max_by|min_by|to_h)$"))
(method_parameters (identifier) @bind)
(lambda_parameters (identifier) @bind)
(block_parameters (identifier) @bind)
(destructured_parameter (identifier) @bind)
(optional_parameter name: (_) @bind value: (_) @from)
(keyword_parameter name: (_) @bind value: (_) @from)
(keyword_parameter name: (_) @bind !value)
(splat_parameter name: (_) @bind)
(hash_splat_parameter name: (_) @bind)
(block_parameter name: (_) @bind)

(assignment left: (identifier) @bind right: (_) @from)
(operator_assignment left: (identifier) @bind right: (_) @from)
(assignment left: (left_assignment_list) @binds right: (_) @froms)
(for pattern: (identifier) @bind value: (in (_) @each))
(rescue exceptions: (exceptions . (_) @as) variable: (exception_variable (identifier) @bind))
(exception_variable (identifier) @bind)
(as_pattern name: (identifier) @bind)
(array_pattern (identifier) @bind)

; What a method puts into an instance variable, it means in the whole class.

(class body: (body_statement (method body: (body_statement (assignment left: (instance_variable) @bind right: (_) @from))))) @into
(class body: (body_statement (method body: (body_statement (operator_assignment left: (instance_variable) @bind right: (_) @from))))) @into

(class_definition name: (_) @name body: (_)? @body) @def.class
(object_definition name: (_) @name body: (_)? @body) @def.module
(trait_definition name: (_) @name body: (_)? @body) @def.interface
(enum_definition name: (_) @name body: (_) @body) @def.enum
(simple_enum_case name: (_) @name) @def.const
(full_enum_case name: (_) @name class_parameters: (_) @params) @def.const
(type_definition name: (_) @name type: (_) @result) @def.type
(type_definition name: (_) @name) @def.type
(class_definition class_parameters: (_) @params) @parts
(package_object name: (_) @name body: (_) @body) @def.module

; Methods, and functions outside of types.

(template_body (function_definition name: (_) @name parameters: (_) @params return_type: (_)? @result body: (_)? @body) @def.method)
(template_body (function_definition name: (_) @name return_type: (_)? @result body: (_)? @body) @def.method)
(template_body (function_declaration name: (_) @name parameters: (_) @params return_type: (_)? @result) @def.method)
(template_body (function_declaration name: (_) @name return_type: (_)? @result) @def.method)
(function_definition name: (_) @name parameters: (_) @params return_type: (_)? @result body: (_)? @body) @def.function
(function_definition name: (_) @name return_type: (_)? @result body: (_)? @body) @def.function
(given_definition name: (_) @name return_type: (_) @result body: (_)? @body) @top.const

; Values. Those of a constructor are fields of its class.

(template_body (val_definition pattern: (identifier) @name type: (_)? @result value: (_)? @value) @def.field)
(template_body (var_definition pattern: (identifier) @name type: (_)? @result value: (_)? @value) @def.field)
(template_body (val_definition pattern: (tuple_pattern (identifier) @name)) @def.field)
(template_body (val_declaration name: (identifier) @name type: (_) @result) @def.field)
(template_body (var_declaration name: (identifier) @name type: (_) @result) @def.field)
(class_parameter name: (_) @name type: (_)? @result) @own.field

(val_definition pattern: (identifier) @name type: (_)? @result value: (_)? @value) @top.const
(var_definition pattern: (identifier) @name type: (_)? @result value: (_)? @value) @top.var

(function_definition body: (_) @scope)
(lambda_expression) @scope

(comment) @doc
(block_comment) @doc

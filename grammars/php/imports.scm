(namespace_use_declaration) @import

(namespace_use_clause (qualified_name) @path (namespace_aliasing_clause (name) @alias)?)
(namespace_use_clause . (name) @module (namespace_aliasing_clause (name) @alias)?)
(namespace_use_declaration (namespace_name) @prefix (namespace_use_group) @group)
(namespace_use_group_clause (namespace_name . (name) @imported .) (namespace_aliasing_clause (name) @alias)?)
(namespace_use_group_clause (namespace_name (name) . (name)) @path (namespace_aliasing_clause (name) @alias)?)

; Files, by a path that is written out or begins with __DIR__.

(require_expression [(string (string_content) @module) (binary_expression right: (string (string_content) @module))]) @import
(require_once_expression [(string (string_content) @module) (binary_expression right: (string (string_content) @module))]) @import
(include_expression [(string (string_content) @module) (binary_expression right: (string (string_content) @module))]) @import
(include_once_expression [(string (string_content) @module) (binary_expression right: (string (string_content) @module))]) @import

(namespace_definition name: (_) @package !body)

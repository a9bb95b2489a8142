(use_declaration) @import
(extern_crate_declaration) @import

; A use tree: what stands in a list begins with the path before the list.

(use_declaration (visibility_modifier) @reexport) @group
(scoped_use_list path: (_) @prefix list: (_) @group)

(use_declaration argument: (identifier) @module)
(use_declaration argument: (scoped_identifier path: (_) @module name: (_) @imported))
(use_declaration argument: (use_as_clause path: (identifier) @module alias: (_) @alias))

(use_list (identifier) @imported)
(use_list (scoped_identifier path: (_) @module name: (_) @imported))
(use_list (use_as_clause path: (identifier) @imported alias: (_) @alias))
(scoped_use_list path: (_) @module list: (use_list (self)))
(scoped_use_list path: (_) @module list: (use_list (use_as_clause path: (self) alias: (_) @alias)))

(use_as_clause path: (scoped_identifier path: (_) @module name: (_) @imported) alias: (_) @alias)
(use_wildcard . (_) @module "*" @star)
(use_list (use_wildcard . "*" @star))

(extern_crate_declaration name: (_) @module alias: (_)? @alias)

(using_directive) @import
(extern_alias_directive) @import

(using_directive "global" @reexport) @group
(using_directive !name (identifier) @module @star)
(using_directive !name (qualified_name) @module @star)
(using_directive name: (_) @alias (identifier) @module .)
(using_directive name: (_) @alias (qualified_name qualifier: (_) @module name: (_) @imported))
(using_directive name: (_) @alias (generic_name . (identifier) @module))

(file_scoped_namespace_declaration name: (_) @package)

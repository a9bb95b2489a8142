(import_alias) @import

(import_require_clause (identifier) @alias source: (_) @module)

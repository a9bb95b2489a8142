(package_clause name: (_) @package)
(import_declaration) @import

; The path is a list of names, of which the first and the last are written here.

(import_declaration . (identifier) @module (identifier) @module . (identifier) @imported .)
(import_declaration . (identifier) @module . (identifier) @imported .)
(import_declaration . (identifier) @module (identifier) @module . (namespace_wildcard) @star .)
(import_declaration . (identifier) @module . (namespace_wildcard) @star .)
(import_declaration
  . (identifier) @module
  (identifier) @module
  . (namespace_selectors [
    (identifier) @imported
    (namespace_wildcard) @star
    (arrow_renamed_identifier name: (_) @imported alias: (_) @alias)
    (as_renamed_identifier name: (_) @imported alias: (_) @alias)
  ]) .)
(import_declaration
  . (identifier) @module
  . (namespace_selectors [
    (identifier) @imported
    (namespace_wildcard) @star
    (arrow_renamed_identifier name: (_) @imported alias: (_) @alias)
    (as_renamed_identifier name: (_) @imported alias: (_) @alias)
  ]) .)

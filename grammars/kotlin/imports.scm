(import_header) @import

(import_header (identifier) @module (wildcard_import) @star)
(import_header (identifier) @path .)
(import_header (identifier) @path (import_alias (_) @alias))

(package_header (identifier) @package)

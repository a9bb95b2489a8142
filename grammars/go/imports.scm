(import_declaration) @import
(import_spec name: (package_identifier)? @alias path: (_) @module)
(import_spec name: (dot) @star path: (_) @module)
(package_clause (package_identifier) @package)

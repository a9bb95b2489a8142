(import_declaration) @import

(import_declaration (identifier) @module .)
(import_declaration (scoped_identifier scope: (_) @module name: (_) @imported) .)
(import_declaration (_) @module . (asterisk) @star)

(package_declaration [(identifier) (scoped_identifier)] @package)

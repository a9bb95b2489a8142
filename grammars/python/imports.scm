(import_statement) @import
(import_from_statement) @import
(future_import_statement) @import

(import_statement name: (dotted_name) @module)
(import_statement name: (aliased_import name: (_) @module alias: (_) @alias))

; A name of a module may be imported from it whether it is declared there or
; not; a package's __init__.py consists of such names.

(import_from_statement
  module_name: (_) @module
  name: (dotted_name) @imported) @reexport

(import_from_statement
  module_name: (_) @module
  name: (aliased_import name: (_) @imported alias: (_) @alias)) @reexport

(import_from_statement
  module_name: (_) @module
  (wildcard_import) @star) @reexport

(import_statement) @import
(export_statement source: (_)) @import

(import_statement . source: (_) @module)
(import_statement (import_clause (identifier) @alias @default) source: (_) @module)
(import_statement (import_clause (namespace_import (identifier) @alias)) source: (_) @module)
(import_statement
  (import_clause
    (named_imports
      (import_specifier name: (_) @imported alias: (_)? @alias)))
  source: (_) @module)

; Names that are taken from a module to be given away, then those of this file.

(export_statement "*" @star source: (_) @module) @reexport
(export_statement (namespace_export (_) @alias) source: (_) @module) @reexport
(export_statement
  (export_clause
    (export_specifier name: (_) @imported alias: (_)? @alias))
  source: (_) @module) @reexport

(export_statement
  (export_clause
    (export_specifier name: (_) @imported alias: (_) @alias))
  !source) @reexport
(export_statement "default" @alias declaration: (_ name: (_) @imported)) @reexport

((assignment_expression
  left: (member_expression object: (identifier) @_module property: (property_identifier) @_exports)
  right: (object (pair key: (property_identifier) @alias value: (identifier) @imported))) @reexport
  (#eq? @_module "module")
  (#eq? @_exports "exports"))

; Modules as values.

((call_expression
  function: (identifier) @_require
  arguments: (arguments . (string) @module .))
  (#eq? @_require "require"))

((variable_declarator
  name: [
    (identifier) @alias
    (object_pattern [
      (shorthand_property_identifier_pattern) @imported
      (pair_pattern key: (_) @imported value: (identifier) @alias)
    ])
  ]
  value: (call_expression
    function: (identifier) @_require
    arguments: (arguments . (string) @module .)))
  (#eq? @_require "require"))

((variable_declarator
  name: (identifier) @alias
  value: (member_expression
    object: (call_expression
      function: (identifier) @_require
      arguments: (arguments . (string) @module .))
    property: (_) @imported))
  (#eq? @_require "require"))

(call_expression
  function: (import)
  arguments: (arguments . (string) @module))

(variable_declarator
  name: [
    (identifier) @alias
    (object_pattern [
      (shorthand_property_identifier_pattern) @imported
      (pair_pattern key: (_) @imported value: (identifier) @alias)
    ])
  ]
  value: (await_expression
    (call_expression
      function: (import)
      arguments: (arguments . (string) @module))))

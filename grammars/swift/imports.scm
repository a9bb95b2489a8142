(import_declaration) @import

; All names of the module, or the one that is written.

(import_declaration "import" . (identifier) @module) @star
(import_declaration
  ["struct" "class" "enum" "protocol" "func" "let" "var" "typealias"]
  (identifier . (simple_identifier) @module . (simple_identifier) @imported .))

; All declarations are calls.

((call target: (identifier) @_def (arguments . (alias) @name) (do_block) @body) @def.module
  (#eq? @_def "defmodule"))
((call target: (identifier) @_def (arguments . (alias) @name) (do_block) @body) @def.interface
  (#eq? @_def "defprotocol"))
((call target: (identifier) @_def (arguments . (alias) @container (keywords (pair value: (alias) @container))) (do_block) @inside)
  (#eq? @_def "defimpl"))

((call
  target: (identifier) @_def
  (arguments . [
    (identifier) @name
    (call target: (identifier) @name (arguments)? @params)
    (binary_operator left: (identifier) @name operator: "when")
    (binary_operator left: (call target: (identifier) @name (arguments)? @params) operator: "when")
  ])
  (do_block)? @body @scope) @def.function
  (#match? @_def "^(def|defp|defmacro|defmacrop|defguard|defguardp|defdelegate|defn|defnp)$"))

((call
  target: (identifier) @_def
  (arguments [
    (list (atom) @name @def.field)
    (list (keywords (pair key: (keyword) @name value: (_) @value) @def.field))
    (keywords (pair key: (keyword) @name value: (_) @value) @def.field)
  ]))
  (#match? @_def "^(defstruct|defexception)$"))

; Module attributes: types, callbacks, docs and constants.

((unary_operator
  operator: "@"
  operand: (call
    target: (identifier) @_attribute
    (arguments (binary_operator left: [(identifier) @name (call target: (identifier) @name)] operator: "::" right: (_) @result)))) @def.type
  (#match? @_attribute "^(type|typep|opaque)$"))
((unary_operator
  operator: "@"
  operand: (call
    target: (identifier) @_attribute
    (arguments (binary_operator left: (call target: (identifier) @name (arguments) @params) operator: "::" right: (_) @result)))) @def.method
  (#match? @_attribute "^(callback|macrocallback)$"))
((unary_operator operator: "@" operand: (call target: (identifier) @_attribute)) @doc
  (#match? @_attribute "^(doc|spec|impl|typedoc|deprecated|since)$"))
((unary_operator operator: "@" operand: (call target: (identifier) @name (arguments (_) @value))) @top.const
  (#not-match? @name "^(moduledoc|doc|spec|type|typep|opaque|callback|macrocallback|impl|behaviour|typedoc|enforce_keys|derive|dialyzer|compile|external_resource|before_compile|after_compile|on_load|deprecated|since|tag|moduletag|describetag|optional_callbacks)$"))

(comment) @doc

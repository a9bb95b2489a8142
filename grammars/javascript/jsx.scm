; Elements. A name in lower case is one of HTML.

((jsx_opening_element name: (identifier) @call) (#match? @call "^[A-Z_$]"))
((jsx_self_closing_element name: (identifier) @call) (#match? @call "^[A-Z_$]"))
(jsx_opening_element name: (member_expression object: (_) @recv property: (_) @call))
(jsx_self_closing_element name: (member_expression object: (_) @recv property: (_) @call))
((jsx_closing_element name: (identifier) @read) (#match? @read "^[A-Z_$]"))

(jsx_opening_element name: (identifier) @skip)
(jsx_self_closing_element name: (identifier) @skip)
(jsx_closing_element name: (identifier) @skip)

(block_mapping_pair key: (_) @name) @def.key
(flow_pair key: (_) @name) @def.key

; Elements of a sequence that are mappings, by their name or else their index.

((block_sequence_item (block_node (block_mapping (block_mapping_pair key: (_) @_key value: (flow_node) @name)))) @item.key
  (#match? @_key "^\"?(name|id)\"?$"))
((flow_sequence (flow_node (flow_mapping (flow_pair key: (_) @_key value: (flow_node) @name))) @item.key)
  (#match? @_key "^\"?(name|id)\"?$"))
(block_sequence_item (block_node (block_mapping))) @item.key
(flow_sequence (flow_node (flow_mapping)) @item.key)

(comment) @doc

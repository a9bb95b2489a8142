((call target: (identifier) @_import (arguments . (alias) @module)) @import
  (#match? @_import "^(alias|require)$"))
((call target: (identifier) @_import (arguments . (alias) @module)) @import @star
  (#match? @_import "^(import|use)$"))
((call target: (identifier) @_import (arguments . (alias) @module (keywords (pair key: (keyword) @_as value: (alias) @alias)))) @import
  (#match? @_import "^(alias|require)$"))
((call target: (identifier) @_import (arguments . (dot left: (_) @prefix right: (tuple) @group))) @import
  (#match? @_import "^(alias|import|require|use)$"))
((call target: (identifier) @_import (arguments . (dot right: (tuple (alias) @module)))) @import
  (#match? @_import "^(alias|import|require|use)$"))
((call target: (identifier) @_import (arguments . (dot left: (identifier) right: (alias)) @module)) @import
  (#match? @_import "^(alias|require)$"))

package atomicfile

import (
	"regexp"
	"strings"
	"sync"
)

// earlier matches the temporary files of earlier versions: a dot, the name of the
// file, and a random number.
var earlier = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\..+\.(json|toml|md)[0-9]{5,20}$`) })

// IsTemporary reports whether this package, in this or an earlier version, made a file
// of this name.
func IsTemporary(name string) bool {
	return strings.HasPrefix(name, prefix) || strings.HasPrefix(name, ".") && earlier().MatchString(name)
}

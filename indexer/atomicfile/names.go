package atomicfile

import (
	"regexp"
	"strings"
	"sync"
)

// earlier matches the temporary files of earlier versions: a point, the name of
// the file, and a random number.
var earlier = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\..+\.(json|toml|md)[0-9]{5,20}$`) })

// IsTemporary reports whether a file's name is one of this package's, also in
// earlier versions.
func IsTemporary(name string) bool {
	return strings.HasPrefix(name, prefix) || strings.HasPrefix(name, ".") && earlier().MatchString(name)
}

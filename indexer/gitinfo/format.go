package gitinfo

import (
	"path/filepath"
	"strings"
)

// Unread says which part of a repository is in a format of git's that is not read here, and so is taken for
// missing: its objects, or its branches. It returns "" if there is none.
func Unread(commonDir string) string {
	if commonDir == "" {
		return ""
	}
	extension := func(key string) string {
		q := &query{section: "extensions", key: key}
		return q.read(filepath.Join(commonDir, "config"), maxIncludes) // git does not look for these in included files
	}
	if v := extension("objectFormat"); v != "" && !strings.EqualFold(v, "sha1") {
		return "its commits and files under " + strings.ToUpper(v) + " hashes"
	}
	if v := extension("refStorage"); v != "" && !strings.EqualFold(v, "files") {
		return "its branches as a " + v
	}
	return ""
}

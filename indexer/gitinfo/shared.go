package gitinfo

import "strings"

// Shared reports whether a repository's settings say that several users of the machine work in it.
func Shared(gitDir, commonDir string, getenv func(string) string) bool {
	switch strings.ToLower(option(gitDir, commonDir, getenv, "core", "sharedRepository")) {
	case "", "umask", "false", "no", "off", "0":
		return false
	}
	return true
}

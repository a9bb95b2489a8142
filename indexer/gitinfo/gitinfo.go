// Package gitinfo reads facts about a git repository: the current commit, the user's
// name, the hooks folder, a blob's id. It does not run git and writes nothing. It must
// not know what its callers do with the facts.
package gitinfo

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"

	"manicule/indexer/treefile"
)

// Head returns the id of the current commit, or "".
func Head(gitDir, commonDir string) string {
	if gitDir == "" {
		return ""
	}
	if id := looseHead(gitDir, commonDir); id != "" {
		return id
	}
	d := open(gitDir, commonDir)
	name := plumbing.HEAD
	for range 5 { // follow symbolic references
		ref, err := d.Ref(name)
		if err != nil || ref == nil {
			return ""
		}
		if ref.Type() == plumbing.HashReference {
			return ref.Hash().String()
		}
		name = ref.Target()
	}
	return ""
}

// looseHead is Head where the branch has a file of its own, as after a commit; else "". Hooks read it
// at every start of a session, and the library first opens two folders.
func looseHead(gitDir, commonDir string) string {
	ref := headReference(gitDir)
	if ref == nil || ref.Type() == plumbing.SymbolicReference && !filepath.IsLocal(filepath.FromSlash(string(ref.Target()))) {
		return ""
	}
	if ref.Type() == plumbing.SymbolicReference {
		data, err := treefile.Read(filepath.Join(commonDir, filepath.FromSlash(string(ref.Target()))), maxSmall)
		if err != nil {
			return ""
		}
		id := strings.TrimSpace(string(data))
		if !plumbing.IsHash(id) {
			return ""
		}
		return id
	}
	if ref.Hash().IsZero() {
		return ""
	}
	return ref.Hash().String()
}

// headReference returns what HEAD holds; nil if it can't be read.
func headReference(gitDir string) *plumbing.Reference {
	data, err := treefile.Read(filepath.Join(gitDir, string(plumbing.HEAD)), maxSmall)
	if err != nil {
		return nil
	}
	return plumbing.NewReferenceFromStrings(string(plumbing.HEAD), strings.TrimSpace(string(data)))
}

// BlobID returns git's id for a file with this content.
func BlobID(data []byte) string { return plumbing.ComputeHash(plumbing.BlobObject, data).String() }

// User returns the name that git would put on a commit, else the login name.
func User(gitDir, commonDir string, getenv func(string) string) string {
	if n := getenv("GIT_AUTHOR_NAME"); n != "" {
		return n
	}
	if n := option(gitDir, commonDir, getenv, "user", "name"); n != "" {
		return n
	}
	if n := getenv("USER"); n != "" {
		return n
	}
	return getenv("USERNAME")
}

// Email returns the address that git would put on a commit, or "".
func Email(gitDir, commonDir string, getenv func(string) string) string {
	if a := getenv("GIT_AUTHOR_EMAIL"); a != "" {
		return a
	}
	return option(gitDir, commonDir, getenv, "user", "email")
}

// HooksDir returns the folder from which git runs the repository's hooks.
func HooksDir(top, gitDir, commonDir string, getenv func(string) string) string {
	dir := option(gitDir, commonDir, getenv, "core", "hooksPath")
	if dir == "" {
		return filepath.Join(commonDir, "hooks")
	}
	if rest, ok := strings.CutPrefix(dir, "~/"); ok {
		return filepath.Join(getenv("HOME"), rest)
	}
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(top, dir)
	}
	return dir
}

// ExcludeFiles returns the ignore files beside the .gitignore files: the user's and
// the repository's.
func ExcludeFiles(gitDir, commonDir string, getenv func(string) string) (user, repository string) {
	user = option(gitDir, commonDir, getenv, "core", "excludesFile")
	home := getenv("HOME")
	if rest, ok := strings.CutPrefix(user, "~/"); ok {
		user = filepath.Join(home, rest)
	}
	if user == "" {
		xdg := getenv("XDG_CONFIG_HOME")
		if xdg == "" && home != "" {
			xdg = filepath.Join(home, ".config")
		}
		if xdg != "" {
			user = filepath.Join(xdg, "git", "ignore")
		}
	}
	if !filepath.IsAbs(user) {
		user = "" // relative to a folder that only git knows
	}
	return user, filepath.Join(commonDir, "info", "exclude")
}

// maxShallow is the size in bytes above which the list of a shallow clone's earliest commits is not read.
const maxShallow = 4 << 20

// ShallowEdge returns the earliest commits that a shallow clone has, one on each line as git keeps them, "" for
// a whole one. It changes when earlier commits are fetched. commonDir is that of all worktrees.
func ShallowEdge(commonDir string) string {
	data, err := treefile.Read(filepath.Join(commonDir, "shallow"), maxShallow) // it may be a pipe
	if err != nil {
		return ""
	}
	return string(data)
}

// Shallow reports whether a repository is a shallow clone, which lacks earlier commits. commonDir is that of all worktrees.
func Shallow(commonDir string) bool {
	st, err := os.Stat(filepath.Join(commonDir, "shallow"))
	return err == nil && st.Size() > 0
}

package gitinfo

import (
	"bytes"
	"path/filepath"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/go-git/gcfg"

	"manicule/indexer/treefile"
)

// maxIncludes is how deep git follows configuration files that include each other.
const maxIncludes = 10

// maxFiles is how many files are read for one setting. Some that include each other twice are 1,024 at that depth.
const maxFiles = 200

// option looks up a setting in git's configuration: that of the worktree, of the repository, of the user, of the machine,
// each with the files that it includes.
func option(gitDir, commonDir string, getenv func(string) string, section, key string) string {
	q := &query{gitDir: gitDir, getenv: getenv, section: section, key: key}
	if commonDir != "" {
		of := q.read(filepath.Join(commonDir, "config"), 0)
		if q.perWorktree {
			if v := q.read(filepath.Join(gitDir, "config.worktree"), 0); v != "" {
				return v
			}
		}
		if of != "" {
			return of
		}
	}
	var files []string
	if g := getenv("GIT_CONFIG_GLOBAL"); g != "" {
		files = append(files, g)
	} else if home := getenv("HOME"); home != "" {
		xdg := getenv("XDG_CONFIG_HOME")
		if xdg == "" {
			xdg = filepath.Join(home, ".config")
		}
		files = append(files, filepath.Join(home, ".gitconfig"), filepath.Join(xdg, "git", "config"))
	}
	if getenv("GIT_CONFIG_NOSYSTEM") == "" {
		files = append(files, "/etc/gitconfig")
	}
	for _, name := range files {
		if v := q.read(name, 0); v != "" {
			return v
		}
	}
	return ""
}

// query looks for one setting.
type query struct {
	gitDir       string
	getenv       func(string) string
	section, key string
	perWorktree  bool     // a file that was read says that worktrees have files of their own
	remotes      []string // URLs in the repository's own file
	files        int      // that were read
}

// read returns the value of the last line that sets the option in a file or in what that includes.
func (q *query) read(name string, depth int) (value string) {
	if q.files++; q.files > maxFiles {
		return ""
	}
	data, err := treefile.Read(name, maxSmall)
	if err != nil {
		return ""
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff")) // git passes over the mark of some editors
	err = gcfg.ReadWithCallback(bytes.NewReader(data), func(section, sub, key, v string, bare bool) error {
		is := func(s, k string) bool { return strings.EqualFold(section, s) && strings.EqualFold(key, k) }
		switch {
		case sub == "" && is(q.section, q.key):
			value = v
		case sub == "" && is("extensions", "worktreeConfig"):
			q.perWorktree = bare || isTrue(v)
		case is("remote", "url"):
			q.remotes = append(q.remotes, v)
		case v != "" && depth < maxIncludes && (sub == "" && is("include", "path") || is("includeIf", "path") && q.holds(sub, name)):
			if included := q.read(q.at(v, name), depth+1); included != "" {
				value = included
			}
		}
		return nil
	})
	if err != nil {
		return ""
	}
	return value
}

// isTrue reports whether git takes a value for true.
func isTrue(v string) bool {
	switch strings.ToLower(v) {
	case "true", "yes", "on", "1":
		return true
	}
	return false
}

// at returns the file that a configuration file names.
func (q *query) at(name, from string) string {
	if rest, ok := strings.CutPrefix(name, "~/"); ok {
		return filepath.Join(q.getenv("HOME"), rest)
	}
	if !filepath.IsAbs(name) {
		return filepath.Join(filepath.Dir(realPath(from)), name)
	}
	return name
}

// holds reports whether the condition of an include is met. One that is not known is not, as in git.
func (q *query) holds(condition, from string) bool {
	kind, pattern, _ := strings.Cut(condition, ":")
	switch kind {
	case "gitdir":
		return q.gitDir != "" && match(q.folderPattern(pattern, from), slashed(q.gitDir))
	case "gitdir/i":
		return q.gitDir != "" && match(strings.ToLower(q.folderPattern(pattern, from)), strings.ToLower(slashed(q.gitDir)))
	case "onbranch":
		branch := Branch(q.gitDir)
		return branch != "" && match(whole(pattern), branch)
	case "hasconfig":
		if pattern, ok := strings.CutPrefix(pattern, "remote.*.url:"); ok {
			for _, url := range q.remotes {
				if match(pattern, url) {
					return true
				}
			}
		}
	}
	return false
}

// folderPattern completes the pattern of a git folder, as git-config(1) describes.
func (q *query) folderPattern(pattern, from string) string {
	if rest, ok := strings.CutPrefix(pattern, "~/"); ok {
		pattern = strings.TrimSuffix(literally(slashed(realPath(q.getenv("HOME")))), "/") + "/" + rest
	} else if rest, ok := strings.CutPrefix(pattern, "./"); ok {
		pattern = literally(slashed(filepath.Dir(realPath(from)))) + "/" + rest
	} else if !filepath.IsAbs(pattern) && !strings.HasPrefix(pattern, "/") {
		pattern = "**/" + pattern
	}
	return whole(pattern)
}

// whole makes a pattern that ends with a slash match all below.
func whole(pattern string) string {
	if strings.HasSuffix(pattern, "/") {
		return pattern + "**"
	}
	return pattern
}

// match matches as git does, to which braces are letters.
func match(pattern, text string) bool {
	pattern = strings.NewReplacer(`\\`, `\\`, `\{`, `\{`, `\}`, `\}`, "{", `\{`, "}", `\}`).Replace(pattern)
	ok, err := doublestar.Match(pattern, text)
	return ok && err == nil
}

// literally quotes a path for a pattern.
func literally(name string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(name)
}

func slashed(name string) string { return filepath.ToSlash(name) }

// realPath resolves links; a path that can't be resolved stays.
func realPath(name string) string {
	if real, err := filepath.EvalSymlinks(name); err == nil {
		return real
	}
	return name
}

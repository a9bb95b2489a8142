package fold

import (
	"path"
	"strings"
)

// Root is the absolute path of the workspace's root, without a slash at its end; "" if it is unknown.
type Root string

// folder returns an absolute folder relative to the root, "." for the root itself.
func (r Root) folder(dir string) string {
	if strings.TrimRight(strings.ReplaceAll(dir, `\`, "/"), "/") == string(r) && r != "" {
		return "."
	}
	rel, _ := r.Under(dir, "")
	if !strings.HasPrefix(dir, "/") {
		return ""
	}
	return rel
}

// join makes a path absolute.
func (r Root) join(p, cwd string) string {
	if strings.HasPrefix(p, "/") {
		return path.Clean(p)
	}
	if cwd == "" {
		cwd = string(r)
	}
	return path.Join(strings.ReplaceAll(cwd, `\`, "/"), p)
}

// Under returns a path below the root, with forward slashes. ok is false outside.
func (r Root) Under(p, cwd string) (string, bool) {
	p = strings.ReplaceAll(p, `\`, "/")
	p = strings.TrimPrefix(p, "file://")
	if !strings.HasPrefix(p, "/") && !(len(p) > 2 && p[1] == ':') {
		if strings.HasPrefix(p, "~") {
			return "", false
		}
		if cwd == "" {
			cwd = string(r)
		}
		p = strings.ReplaceAll(cwd, `\`, "/") + "/" + p
	}
	p = path.Clean(p)
	if r == "" {
		return "", false
	}
	rest, ok := strings.CutPrefix(p, string(r)+"/")
	if !ok || rest == "" || strings.HasPrefix(rest, ".git/") || strings.HasPrefix(rest, ".manicule/") {
		return "", false
	}
	return rest, true
}

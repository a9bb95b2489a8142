package convert

import (
	"encoding/hex"
	"encoding/json"
	"net/url"
	"path/filepath"
	"strings"

	"go.lsp.dev/uri"
)

// RevisionFrom returns the file and revision of an old version that an editor shows: VS
// Code (git:), GitLens (gitlens:) and vim-fugitive (fugitive:). ok is false for
// everything else, for the index, and for a revision that does not name a commit.
func RevisionFrom(u uri.URI) (path, rev string, ok bool) {
	parsed, err := url.Parse(string(u))
	if err != nil {
		return "", "", false
	}
	switch parsed.Scheme {
	case "git":
		path, rev = fromQuery(parsed)
	case "gitlens":
		path, rev = fromGitLens(parsed)
	case "fugitive":
		path, rev = fromFugitive(parsed.Path)
	}
	path = filepath.FromSlash(path)
	if !filepath.IsAbs(path) || !isRevision(rev) {
		return "", "", false
	}
	return filepath.Clean(path), rev, true
}

// fromQuery reads git:/path?{"path":"/path","ref":"HEAD"}.
func fromQuery(u *url.URL) (path, rev string) {
	var q struct{ Path, Ref string }
	if unescaped, err := url.PathUnescape(u.RawQuery); err != nil || json.Unmarshal([]byte(unescaped), &q) != nil {
		return "", ""
	}
	if q.Path == "" {
		q.Path = u.Path
	}
	return q.Path, q.Ref
}

// fromGitLens reads gitlens://<hex of {"ref": …}>/path?{"ref": …}. Newer versions put
// the revision into the authority, older ones into the query.
func fromGitLens(u *url.URL) (path, rev string) {
	var meta struct{ Ref string }
	name, _, _ := strings.Cut(u.Host, "-") // a suffix distinguishes views
	if raw, err := hex.DecodeString(name); err == nil && json.Unmarshal(raw, &meta) == nil && meta.Ref != "" {
		return u.Path, meta.Ref
	}
	_, rev = fromQuery(u)
	return u.Path, rev
}

// fromFugitive reads fugitive:///repository/.git//<commit>/path. A commit of one
// digit is a stage of the index.
func fromFugitive(full string) (path, rev string) {
	dir, rest, found := strings.Cut(full, "/.git//")
	if !found {
		return "", ""
	}
	rev, rel, found := strings.Cut(rest, "/")
	if !found || len(rev) < 2 {
		return "", ""
	}
	return dir + "/" + rel, rev
}

// isRevision reports whether a text can name a commit: it is no option, no range, and
// not one of VS Code's names of the index.
func isRevision(rev string) bool {
	if rev == "" || len(rev) > 200 || rev[0] == '-' || rev[0] == '~' || rev[0] == ':' || strings.Contains(rev, "..") {
		return false
	}
	return !strings.ContainsAny(rev, " \t\r\n\x00*?[\\")
}

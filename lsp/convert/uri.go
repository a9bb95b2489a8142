package convert

import (
	"path/filepath"
	"runtime"
	"strings"

	"go.lsp.dev/uri"
)

// PathFrom returns the absolute path of a file URI, and false for anything else:
// untitled buffers, git views, notebook cells, an invalid URI.
func PathFrom(u uri.URI) (string, bool) {
	return pathFor(u, hostPlatform())
}

// URIFrom returns the URI of a file path.
func URIFrom(path string) uri.URI { return uri.File(path) }

func hostPlatform() uri.Platform {
	if runtime.GOOS == "windows" {
		return uri.PlatformWindows
	}
	return uri.PlatformPOSIX
}

func pathFor(u uri.URI, p uri.Platform) (string, bool) {
	if !u.IsFile() {
		return "", false
	}
	if path, ok := strings.CutPrefix(string(u), "file://localhost/"); ok { // this machine (RFC 8089)
		u = uri.URI("file:///" + path)
	}
	path := uri.FsPathFor(u, p, false)
	if path == "" || strings.ContainsRune(path, 0) {
		return "", false
	}
	if p != hostPlatform() {
		return path, true
	}
	if !filepath.IsAbs(path) {
		return "", false
	}
	return filepath.Clean(path), true
}

// RelFrom returns path relative to root with forward slashes, and false when
// it does not lie under root. The root itself is ".".
func RelFrom(root, path string) (string, bool) {
	if root == path {
		return ".", true
	}
	prefix := strings.TrimSuffix(root, string(filepath.Separator)) + string(filepath.Separator)
	if !strings.HasPrefix(path, prefix) {
		return "", false
	}
	return filepath.ToSlash(path[len(prefix):]), true
}

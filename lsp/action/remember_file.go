package action

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"manicule/lsp/rpc"
)

const cmdRememberFile = "manicule.rememberFile"

// rememberFile remembers something about a whole file, or about a folder and everything
// below it. It takes the URI, a text, and an object as remember does.
func rememberFile(ctx context.Context, c *call) (any, error) {
	var in rememberArgs
	if c.args.has(0) && c.args.raw[0].Kind() == '{' {
		if err := c.args.read(0, "an object with uri and text", &in); err != nil {
			return nil, err
		}
	} else {
		if err := c.args.read(2, "an object", &in); err != nil {
			return nil, err
		}
		if err := c.args.read(0, "a document's URI", &in.URI); err != nil {
			return nil, err
		}
		if err := c.args.read(1, "the text", &in.Text); err != nil {
			return nil, err
		}
	}
	at, ok := c.snap.Path(in.URI)
	if !ok {
		return nil, rpc.InvalidParams("%s needs the URI of a file or folder as its first argument", c.args.command)
	}
	f, rel, ok := c.env.Folders.Owner(ctx, at)
	if !ok {
		return nil, rpc.InvalidParams("%s: %s belongs to no open workspace folder", c.args.command, at)
	}
	rel = filepath.ToSlash(f.RealRel(rel))
	info, err := os.Stat(at)
	switch {
	case err != nil:
		return nil, rpc.InvalidParams("%s: there is no file or folder %s", c.args.command, at)
	case isManiculeFile(rel):
		return nil, rpc.InvalidParams("%s: %s is one of Manicule's own files; try: a file of your code", c.args.command, rel)
	case info.IsDir() && rel == ".":
		in.Place = "" // the whole project
	case info.IsDir():
		in.Place = rel + "/"
	default:
		in.Place = rel
	}
	return c.write(ctx, f, in)
}

// isManiculeFile reports whether a file is Manicule's own. Memories are not about
// those.
func isManiculeFile(rel string) bool {
	return rel == ".manicule" || strings.HasPrefix(rel, ".manicule/")
}

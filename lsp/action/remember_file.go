package action

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"manicule/lsp/convert"
	"manicule/lsp/rpc"
)

const cmdRememberFile = "manicule.rememberFile"

// rememberFile takes a document's URI, a text and an object of more as remember
// does: the memory is about the whole file, or the folder and all below it.
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
	at, ok := convert.PathFrom(in.URI)
	if !ok {
		return nil, rpc.InvalidParams("%s needs the URI of a file or folder as its first argument", c.args.command)
	}
	f, rel, ok := c.env.Folders.Owner(ctx, at)
	if !ok {
		return nil, rpc.InvalidParams("%s: %s belongs to no open workspace folder", c.args.command, at)
	}
	rel = filepath.ToSlash(rel)
	info, err := os.Stat(at)
	switch {
	case err != nil:
		return nil, rpc.InvalidParams("%s: %s is not there", c.args.command, at)
	case inOurFolder(rel):
		return nil, rpc.InvalidParams("%s: %s is a folder of Manicule's own", c.args.command, rel)
	case info.IsDir() && rel == ".":
		in.Place = "" // the whole project
	case info.IsDir():
		in.Place = rel + "/"
	default:
		in.Place = rel
	}
	return c.keep(ctx, f, in)
}

// inOurFolder reports whether a file is one of Manicule's own. Nothing is remembered
// about those.
func inOurFolder(rel string) bool {
	return rel == ".manicule" || strings.HasPrefix(rel, ".manicule/")
}

package lsp

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"manicule/lsp/folder"

	"go.lsp.dev/uri"

	"manicule/lsp/convert"
	"manicule/lsp/rpc"
	"manicule/memory"
	"manicule/memory/file"
)

// rememberArgs are the arguments of manicule.remember: one object, or uri,
// place and text in this order with an object of the rest behind them.
type rememberArgs struct {
	URI        uri.URI         `json:"uri"`
	Place      string          `json:"place"` // FILE, FILE:LINE, FILE:LINE-LINE, FILE#Symbol, or FOLDER/ for all below it
	Text       string          `json:"text"`
	Why        string          `json:"why"`
	Type       file.Type       `json:"type"`
	Scope      []string        `json:"scope"`
	Tags       []string        `json:"tags"`
	Importance file.Importance `json:"importance"`
	Personal   bool            `json:"personal"`
	Pin        bool            `json:"pin"`
}

// needsText is the answer to a remember without a text: what a client that can
// ask a person for one sends back with it.
type needsText struct {
	NeedsText bool    `json:"needsText"`
	URI       uri.URI `json:"uri"`
	Place     string  `json:"place"`
}

func readRemember(args arguments) (rememberArgs, error) {
	var in rememberArgs
	if args.has(0) && args.raw[0].Kind() == '{' {
		err := args.read(0, "an object with uri, place and text", &in)
		return in, err
	}
	if err := args.read(3, "an object", &in); err != nil {
		return in, err
	}
	if err := args.read(0, "a document's URI", &in.URI); err != nil {
		return in, err
	}
	if err := args.read(1, "a place", &in.Place); err != nil {
		return in, err
	}
	err := args.read(2, "the text", &in.Text)
	return in, err
}

// rememberFile takes a document's URI, a text and an object of more as remember
// does: the memory is about the whole file, or the folder and all below it.
func (r *request) rememberFile(ctx context.Context, args arguments) (any, error) {
	var in rememberArgs
	if args.has(0) && args.raw[0].Kind() == '{' {
		if err := args.read(0, "an object with uri and text", &in); err != nil {
			return nil, err
		}
	} else {
		if err := args.read(2, "an object", &in); err != nil {
			return nil, err
		}
		if err := args.read(0, "a document's URI", &in.URI); err != nil {
			return nil, err
		}
		if err := args.read(1, "the text", &in.Text); err != nil {
			return nil, err
		}
	}
	at, ok := convert.PathFrom(in.URI)
	if !ok {
		return nil, rpc.InvalidParams("%s needs the URI of a file or folder as its first argument", args.command)
	}
	f, rel, ok := r.folders.Owner(ctx, at)
	if !ok {
		return nil, rpc.InvalidParams("%s: %s belongs to no open workspace folder", args.command, at)
	}
	rel = filepath.ToSlash(rel)
	info, err := os.Stat(at)
	switch {
	case err != nil:
		return nil, rpc.InvalidParams("%s: %s is not there", args.command, at)
	case inOurFolder(rel):
		return nil, rpc.InvalidParams("%s: %s is a folder of Manicule's own", args.command, rel)
	case info.IsDir() && rel == ".":
		in.Place = "" // the whole project
	case info.IsDir():
		in.Place = rel + "/"
	default:
		in.Place = rel
	}
	return r.keep(ctx, f, in)
}

func (r *request) remember(ctx context.Context, args arguments) (any, error) {
	in, err := readRemember(args)
	if err != nil {
		return nil, err
	}
	if in.URI == "" && in.Place == "" && in.Text == "" {
		return nil, rpc.InvalidParams("%s needs a document's URI, a place and a text", args.command)
	}
	f, err := r.folderOf(ctx, in.URI)
	if err != nil {
		return nil, err
	}
	return r.keep(ctx, f, in)
}

// keep writes what a person wants remembered, or asks for the text.
func (r *request) keep(ctx context.Context, f *folder.Folder, in rememberArgs) (any, error) {
	if strings.TrimSpace(in.Text) == "" {
		r.askForText(in.Place)
		return needsText{NeedsText: true, URI: in.URI, Place: in.Place}, nil
	}
	res, err := f.Memories.Remember(ctx, in.draft())
	if err != nil {
		return nil, fmt.Errorf("remember: %w", err)
	}
	// A function that was not saved yet is not in the file: what was typed is
	// kept for the file rather than lost.
	if rel, symbol, tied := strings.Cut(in.Place, "#"); tied && !res.Accepted && r.inBuffer(ctx, in.URI, symbol) {
		in.Place = rel
		if again, err := f.Memories.Remember(ctx, in.draft()); err == nil && again.Accepted {
			r.client.Info("Manicule: " + symbol + " is not in the file on disk yet; the memory is kept for " + rel)
			res = again
		}
	}
	return r.wrote(ctx, f, res), nil
}

// inBuffer reports whether an open document has a symbol.
func (r *request) inBuffer(ctx context.Context, u uri.URI, symbol string) bool {
	doc, err := r.snap.Read(ctx, u)
	if err != nil || !doc.Open {
		return false
	}
	f, err := doc.Parsed(ctx)
	if err != nil || f == nil {
		return false
	}
	_, ok := f.Find(symbol, 0)
	return ok
}

func (in rememberArgs) draft() memory.Draft {
	d := memory.Draft{
		Type: in.Type, What: in.Text, Why: in.Why, Scope: in.Scope, Tags: in.Tags,
		Importance: in.Importance, Personal: in.Personal, Pin: in.Pin, Origin: file.UserTaught, Tool: "lsp",
	}
	switch {
	case strings.HasSuffix(in.Place, "/"):
		d.Scope = append(d.Scope, in.Place+"**")
	case in.Place != "":
		d.At = []string{in.Place}
	}
	return d
}

// askForText tells how to give a text where the client has no way to ask.
func (r *request) askForText(place string) {
	how := fmt.Sprintf("%s with a text as its third argument", cmdRemember)
	at := ""
	switch {
	case strings.HasSuffix(place, "/"):
		at = fmt.Sprintf(" --scope %q", place+"**")
	case place != "":
		at = fmt.Sprintf(" --at %q", place)
	}
	r.client.Info(fmt.Sprintf("Manicule: run %s, or in a terminal: manicule remember \"what you know\"%s", how, at))
}

// folderOf returns the folder of a document, or the only one there is.
func (r *request) folderOf(ctx context.Context, u uri.URI) (*folder.Folder, error) {
	if path, ok := convert.PathFrom(u); ok {
		if f, _, ok := r.folders.Owner(ctx, path); ok {
			return f, nil
		}
		return nil, rpc.InvalidParams("%s belongs to no open workspace folder", path)
	}
	all := r.folders.All(ctx)
	switch {
	case len(all) == 1:
		return all[0], nil
	case len(all) == 0:
		return nil, rpc.InvalidParams("no workspace folder is open")
	default:
		return nil, rpc.InvalidParams("several workspace folders are open: the first argument must be a document's URI")
	}
}

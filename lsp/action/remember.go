package action

import (
	"context"
	"fmt"
	"path"
	"strings"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"manicule/indexer/anchor"
	"manicule/indexer/extract"
	"manicule/lsp/folder"
	"manicule/lsp/page"
	"manicule/lsp/render"
	"manicule/lsp/rpc"
	"manicule/lsp/session"
	"manicule/memory"
	"manicule/memory/file"
)

const cmdRemember = "manicule.remember"

// rememberArgs are the arguments of manicule.remember: one object, or uri, place and
// text in this order, and an object with the rest.
type rememberArgs struct {
	URI        uri.URI         `json:"uri"`
	Place      string          `json:"place"` // FILE, FILE:LINE, FILE:LINE-LINE, FILE#Symbol, or FOLDER/
	Text       string          `json:"text"`
	Why        string          `json:"why"`
	Type       file.Type       `json:"type"`
	Scope      []string        `json:"scope"`
	Tags       []string        `json:"tags"`
	Importance file.Importance `json:"importance"`
	Personal   bool            `json:"personal"`
	Pin        bool            `json:"pin"`
	// Again says what becomes of it if another memory says the same or contradicts it: merge, keep
	// or replace; the person is asked if it is "".
	Again string `json:"again"`
	Quiet bool   `json:"quiet"` // the client shows why nothing was stored
}

// needsText is the answer to a remember without a text. A client that can ask the
// person for one sends it back with the text.
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

func remember(ctx context.Context, c *call) (any, error) {
	in, err := readRemember(c.args)
	if err != nil {
		return nil, err
	}
	if in.URI == "" && in.Place == "" && in.Text == "" {
		return nil, rpc.InvalidParams("%s needs a document's URI, a place and a text", c.args.command)
	}
	f, err := c.folderOf(ctx, in.URI)
	if err != nil {
		return nil, err
	}
	return c.write(ctx, f, in)
}

// write stores the memory, or asks for its text.
func (c *call) write(ctx context.Context, f *folder.Folder, in rememberArgs) (any, error) {
	if strings.TrimSpace(in.Text) == "" {
		if !c.env.Client.Capabilities.Extensions { // whose own form asks
			c.env.askForText(in.Place)
		}
		return needsText{NeedsText: true, URI: in.URI, Place: in.Place}, nil
	}
	switch in.Again {
	case "", "merge", "keep", "replace":
	default:
		return nil, rpc.InvalidParams("%s: there is no %q for what is said again; try: merge, keep or replace", c.args.command, in.Again)
	}
	res, err := f.Memories.Remember(ctx, in.draft())
	if err != nil {
		return nil, fmt.Errorf("remember: %w", err)
	}
	// The file does not have a function that was not saved yet. The memory is about the
	// file then, so that the text is not lost.
	if rel, symbol, tied := anchor.CutSymbol(in.Place); tied && res.Code == "malformed" && c.inDocument(ctx, in.URI, symbol) {
		in.Place = rel
		if again, err := f.Memories.Remember(ctx, in.draft()); err == nil && again.Accepted {
			c.env.Client.Info("Manicule: " + symbol + " is not saved yet, so the memory is about " + rel)
			res = again
		}
	}
	switch res.Code {
	case "same":
		c.env.Spawn(func(ctx context.Context) { c.env.askAgain(ctx, f, in, res) })
		return res, nil
	case "contradicts": // it is stored before anything is asked: a question may never be answered
		in.Again = "keep"
		if res, err = f.Memories.Remember(ctx, in.draft()); err != nil {
			return nil, fmt.Errorf("remember: %w", err)
		}
		if res.Accepted && len(res.Contradicts) > 0 {
			c.env.Spawn(func(ctx context.Context) { c.env.askWhichIsRight(ctx, f, in, res) })
		}
	}
	return c.written(ctx, f, res, in.Quiet), nil
}

// The decisions about a memory that says another one again, or contradicts one.
const (
	titleMergeInto    = "Merge into it"
	titleKeepBoth     = "Keep both"
	titleReplaceOther = "Replace it"
	titleTryAgain     = "Try again"
)

// askAgain asks what becomes of a memory that says another one again, of which nothing was written
// yet. Without an answer it is merged, so that its reason and tags are kept.
func (e *Env) askAgain(ctx context.Context, f *folder.Folder, in rememberArgs, found memory.Result) {
	question := "Manicule: the same is there."
	if found.Memory != nil {
		question += "\n“" + render.OneLine(found.Memory.What, 200) + "”"
	}
	question += "\nYours: “" + render.OneLine(in.Text, 200) + "”"
	switch e.Client.Choose(ctx, question, titleMergeInto, titleKeepBoth, titleReplaceOther) {
	case titleKeepBoth:
		in.Again = "keep"
	case titleReplaceOther:
		in.Again = "replace"
	default:
		in.Again = "merge"
	}
	e.rememberAs(ctx, f, in)
}

// askWhichIsRight asks whether a stored memory supersedes those that it contradicts. Without an answer
// all stay, linked as a conflict.
func (e *Env) askWhichIsRight(ctx context.Context, f *folder.Folder, in rememberArgs, stored memory.Result) {
	question := "Manicule: it contradicts a memory."
	for _, c := range stored.Contradicts {
		question += "\n“" + render.OneLine(c.What, 200) + "” (" + c.Reason + ")"
	}
	question += "\nYours: “" + render.OneLine(in.Text, 200) + "”"
	if e.Client.Choose(ctx, question, titleKeepBoth, titleReplaceOther) != titleReplaceOther {
		return
	}
	var list []file.Relation
	for _, c := range stored.Contradicts {
		if c.Apart(stored.Memory) {
			if err := f.Memories.Forgotten().Forget(ctx, c.UUID); err != nil {
				e.showError(err)
			}
			continue
		}
		list = append(list, file.Relation{Type: "supersedes", Memory: c.UUID, Confidence: 1})
	}
	if len(list) == 0 {
		e.afterWrite(ctx, f, memory.Result{Accepted: true, Memory: stored.Memory})
		return
	}
	res, err := f.Memories.Edits().Change(ctx, stored.Memory.UUID, func(m *file.Memory) error { return memory.AddRelations(m, list) }, "edit", "supersedes what it contradicts")
	if err != nil {
		e.showError(err)
		return
	}
	e.afterWrite(ctx, f, res)
}

// rememberAs stores what was decided about a memory that is there already. The client took its text for stored when it was asked,
// so a failure shows the text, and the person may try again.
func (e *Env) rememberAs(ctx context.Context, f *folder.Folder, in rememberArgs) {
	for {
		res, err := f.Memories.Remember(ctx, in.draft())
		if err == nil {
			e.afterWrite(ctx, f, res)
			return
		}
		e.Log.Warn("remember", "root", f.Root, "err", err)
		question := fmt.Sprintf("Manicule: not stored: %v\nYours: “%s”", e.withHint(err), in.Text)
		if e.Client.Choose(ctx, question, titleTryAgain) != titleTryAgain {
			return
		}
	}
}

// inDocument reports whether an open document has a symbol.
func (c *call) inDocument(ctx context.Context, u uri.URI, symbol string) bool {
	doc, err := c.snap.Read(ctx, u)
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
		Importance: in.Importance, Personal: in.Personal, Pin: in.Pin, Origin: file.UserTaught, Tool: "lsp", Again: memory.AskAgain,
	}
	switch in.Again {
	case "merge":
		d.Again = memory.MergeAgain
	case "keep":
		d.Again = memory.KeepAgain
	case "replace":
		d.Again = memory.ReplaceAgain
	}
	switch {
	case strings.HasSuffix(in.Place, "/"):
		d.Scope = append(d.Scope, in.Place+"**")
	case in.Place != "":
		d.At = []string{in.Place}
	}
	return d
}

// askForText tells the person another way to give a text, for a client that can't ask.
func (e *Env) askForText(place string) {
	how := fmt.Sprintf("%s with a text as its third argument", cmdRemember)
	at := ""
	switch {
	case strings.HasSuffix(place, "/"):
		at = fmt.Sprintf(" --scope %q", place+"**")
	case place != "":
		at = fmt.Sprintf(" --at %q", place)
	}
	e.Client.Info(fmt.Sprintf("Manicule: run %s, or in a terminal: manicule remember \"what you know\"%s", how, at))
}

// folderOf returns the folder of a document, or the only folder.
func (c *call) folderOf(ctx context.Context, u uri.URI) (*folder.Folder, error) {
	if path, ok := c.snap.Path(u); ok {
		if f, _, ok := c.env.Folders.Owner(ctx, path); ok {
			return f, nil
		}
		return nil, rpc.InvalidParams("%s belongs to no open workspace folder", path)
	}
	all := c.env.Folders.All(ctx)
	switch {
	case len(all) == 1:
		return all[0], nil
	case len(all) == 0:
		return nil, rpc.InvalidParams("no workspace folder is open; try: open a folder of a repository")
	default:
		return nil, rpc.InvalidParams("several workspace folders are open; try: the URI of a document as the first argument")
	}
}

// offerRemember offers to remember something about the code in a range.
func offerRemember(ctx context.Context, p *page.Page, rng protocol.Range, out *offers) error {
	start, end := p.Offsets(rng)
	first, last := p.Doc.Lines.Line(start), p.Doc.Lines.Line(end)
	if last > first && p.Range(page.Span{Start: end, End: end}).Start.Character == 0 {
		last-- // a selection of whole lines ends at the start of the next one
	}
	remember := func(about, place string) error { return addRemember(p, about, place, out) }
	if f := p.Parsed(ctx); f != nil {
		if sym, ok := f.AtCursor(start); ok {
			if err := remember(aboutSymbol(sym), p.Rel+"#"+f.DisplayPath(sym, p.SavedLine(p.Doc.Lines.Line(sym.Start))+1)); err != nil {
				return err
			}
		}
	}
	about, place := linesPlace(p, first, last)
	if err := remember(about, place); err != nil {
		return err
	}
	return offerFile(p, out)
}

// offerRememberToday is offerRemember for an old version of a file. What it offers is there today; lines may be other ones.
func offerRememberToday(ctx context.Context, pages *page.Cache, snap *session.Snapshot, old *page.Page, rng protocol.Range, out *offers) error {
	p, ok := pages.Open(ctx, snap, old.Folder.RelURI(old.Rel))
	if !ok {
		return nil // the file is gone
	}
	start, _ := old.Offsets(rng)
	was, now := old.Parsed(ctx), p.Parsed(ctx)
	if was != nil && now != nil {
		then, in := was.AtCursor(start)
		if sym, there := now.Find(then.Path, then.Ordinal); in && there {
			if err := addRemember(p, aboutSymbol(sym), p.Rel+"#"+now.DisplayPath(sym, p.SavedLine(p.Doc.Lines.Line(sym.Start))+1), out); err != nil {
				return err
			}
		}
	}
	return offerFile(p, out)
}

func addRemember(p *page.Page, about, place string, out *offers) error {
	return out.add("remember something about "+about, kindRemember, nil, cmdRemember, p.URI, place)
}

func aboutSymbol(sym extract.Symbol) string {
	return "this " + sym.Kind + " " + render.OneLine(sym.Path, 60)
}

// offerFile offers to remember something about the whole file, and about its folder.
func offerFile(p *page.Page, out *offers) error {
	if err := addRemember(p, "this file", p.Rel, out); err != nil {
		return err
	}
	dir := path.Dir(p.Rel)
	if dir == "." {
		return nil
	}
	return addRemember(p, "this folder "+dir+"/", dir+"/", out)
}

// linesPlace names lines by their numbers in the file: memories are anchored to what is
// on disk, and unsaved edits may have moved the lines.
func linesPlace(p *page.Page, first, last int) (about, place string) {
	from, to := p.SavedLine(first)+1, p.SavedLine(last)+1
	if last == first || to <= from {
		return "this line", fmt.Sprintf("%s:%d", p.Rel, from)
	}
	return "these lines", fmt.Sprintf("%s:%d-%d", p.Rel, from, to)
}

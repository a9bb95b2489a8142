package lsp

import (
	"context"
	"fmt"

	"manicule/lsp/folder"

	"manicule/lsp/render"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"manicule/lsp/rpc"
	"manicule/memory"
	"manicule/memory/file"
)

// maxTitles is how many memories a message can offer to choose from.
const maxTitles = 6

// listed is a memory in the answer of manicule.showMemories.
type listed struct {
	UUID   string    `json:"uuid"`
	Type   file.Type `json:"type"`
	What   string    `json:"what"`
	Why    string    `json:"why,omitempty"`
	Author string    `json:"author,omitempty"`
	Age    string    `json:"age,omitempty"`
	URI    string    `json:"uri"`
}

// showMemories lists the memories that a lens stands for: its arguments are
// the document, the position and the uuids. Without uuids it takes what
// applies at the position.
func (r *request) showMemories(ctx context.Context, args arguments) (any, error) {
	var u uri.URI
	var at protocol.Position
	var uuids []string
	if err := args.read(0, "a document's URI", &u); err != nil {
		return nil, err
	}
	if err := args.read(1, "a position", &at); err != nil {
		return nil, err
	}
	if err := args.read(2, "a list of uuids", &uuids); err != nil {
		return nil, err
	}
	if u == "" && len(uuids) == 0 {
		return nil, rpc.InvalidParams("%s needs a document's URI or a list of uuids", args.command)
	}
	if uuids == nil {
		uuids = r.uuidsAt(ctx, u, at)
	}
	list := []listed{}
	for _, uuid := range uuids {
		if f, h, ok := r.find(ctx, uuid); ok {
			m := h.Memory
			list = append(list, listed{
				UUID: m.UUID, Type: m.Type, What: render.Printable(m.What), Why: render.Printable(m.Why), Author: render.Printable(m.Contributor),
				Age: render.Age(r.opts.Now(), m.CreatedAt.Time), URI: fileURI(f, h),
			})
		}
	}
	if !r.settings.ClientLists {
		r.offer(list)
	}
	return list, nil
}

func (r *request) uuidsAt(ctx context.Context, u uri.URI, at protocol.Position) []string {
	pg, ok := r.page(ctx, u)
	if !ok {
		return nil
	}
	var uuids []string
	for _, h := range pg.touched(ctx, protocol.Range{Start: at, End: at}) {
		uuids = append(uuids, h.Memory.UUID)
	}
	return uuids
}

// offer lets a person choose a memory to open, beside the request: they may
// take their time.
func (r *request) offer(list []listed) {
	if len(list) == 0 {
		r.client.Info("Manicule: there are no memories here.")
		return
	}
	question := "☞ " + render.Memories(len(list)) + " here"
	var titles []string
	uris := make(map[string]string)
	for i, l := range list {
		title := render.OneLine(l.Type.Label()+": "+l.What, 80)
		if i == maxTitles {
			question += fmt.Sprintf(" (the first %d)", maxTitles)
			break
		}
		if _, twice := uris[title]; twice {
			title = render.OneLine(title, 70) + " (" + l.UUID[:min(8, len(l.UUID))] + ")"
		}
		uris[title] = l.URI
		titles = append(titles, title)
	}
	r.spawn(func(ctx context.Context) {
		if target, ok := uris[r.client.Choose(ctx, question, titles...)]; ok {
			r.show(ctx, target)
		}
	})
}

// show opens a document in the client, or says where it is.
func (r *request) show(ctx context.Context, target string) {
	if !r.client.Open(ctx, uri.URI(target)) {
		r.client.Info("Manicule: the memory is in " + target)
	}
}

// opened is the answer of a command that opens a memory's file.
type opened struct {
	UUID string `json:"uuid"`
	URI  string `json:"uri"`
	Path string `json:"path"`
}

func (r *request) openMemory(ctx context.Context, args arguments) (any, error) {
	f, h, err := r.theMemory(ctx, args)
	if err != nil {
		return nil, err
	}
	return r.open(f, h), nil
}

func (r *request) open(f *folder.Folder, h memory.Hit) opened {
	o := opened{UUID: h.Memory.UUID, URI: fileURI(f, h), Path: f.ClientPath(h.Path)}
	r.spawn(func(ctx context.Context) { r.show(ctx, o.URI) })
	return o
}

// edits are the second argument of manicule.editMemory: what to change.
type edits struct {
	What       *string          `json:"what"`
	Why        *string          `json:"why"`
	Type       *file.Type       `json:"type"`
	Scope      *file.Scope      `json:"scope"`
	Tags       *[]string        `json:"tags"`
	Importance *file.Importance `json:"importance"`
	Note       string           `json:"note"`
}

// editMemory applies the changes of its second argument; without one it opens
// the file, which is for editing too.
func (r *request) editMemory(ctx context.Context, args arguments) (any, error) {
	f, h, err := r.theMemory(ctx, args)
	if err != nil {
		if f, c, ok := r.waitingOne(ctx, args); ok {
			return r.editCandidate(ctx, args, f, c)
		}
		return nil, err
	}
	if !args.has(1) {
		return r.open(f, h), nil
	}
	var e edits
	if err := args.read(1, "an object of what to change", &e); err != nil {
		return nil, err
	}
	res, err := f.Memories.Edit(ctx, h.Memory.UUID, e.apply, "edit", e.Note)
	if err != nil {
		return nil, fmt.Errorf("edit %s: %w", h.Memory.UUID, err)
	}
	return r.wrote(ctx, f, res), nil
}

// needsEdit is the answer to an edit of a candidate that says nothing to change:
// what a client that can ask a person starts from. It accepts the edited one by
// manicule.acceptMemory.
type needsEdit struct {
	NeedsEdit bool `json:"needsEdit"`
	candidateItem
}

// waitingOne is the candidate that args name, and its folder.
func (r *request) waitingOne(ctx context.Context, args arguments) (*folder.Folder, memory.Candidate, bool) {
	uuid, err := args.uuid()
	if err != nil {
		return nil, memory.Candidate{}, false
	}
	for _, f := range r.folders.All(ctx) {
		list, err := f.Memories.Candidates(ctx)
		if err != nil {
			continue // who asks for the list is told
		}
		for _, c := range list {
			if c.Memory.UUID == uuid {
				return f, c, true
			}
		}
	}
	return nil, memory.Candidate{}, false
}

// titleAcceptAndOpen accepts a candidate and opens its file, for a client that
// has no form of its own.
const titleAcceptAndOpen = "Accept it and open its file"

// editCandidate changes a candidate before it is judged. A candidate has no file
// to open: without changes a client with extensions gets it to ask with, others
// ask whether it is to become one.
func (r *request) editCandidate(ctx context.Context, args arguments, f *folder.Folder, c memory.Candidate) (any, error) {
	uuid := c.Memory.UUID
	if args.has(1) {
		var e edits
		if err := args.read(1, "an object of what to change", &e); err != nil {
			return nil, err
		}
		res, err := f.Memories.EditDraft(ctx, uuid, e.apply)
		if err != nil {
			return nil, fmt.Errorf("edit %s: %w", uuid, err)
		}
		return r.wrote(ctx, f, res), nil
	}
	if !r.client.Capabilities.Extensions {
		r.spawn(func(ctx context.Context) {
			question := "Manicule: “" + render.OneLine(c.Memory.What, 120) + "” has no file yet."
			if r.client.Choose(ctx, question, titleAcceptAndOpen, titleLater) != titleAcceptAndOpen {
				return
			}
			res, err := f.Memories.Accept(ctx, uuid)
			if err != nil {
				r.client.Error("Manicule: " + r.hinted(err).Error())
				return
			}
			if res = r.wrote(ctx, f, res); res.Accepted {
				r.show(ctx, string(f.URI(res.Path)))
			}
		})
	}
	return needsEdit{true, candidateFrom(c)}, nil
}

func (e edits) apply(m *file.Memory) error {
	set(&m.What, e.What)
	set(&m.Why, e.Why)
	set(&m.Scope, e.Scope)
	if e.Type != nil && *e.Type != m.Type { // another type is filed elsewhere
		m.Type = *e.Type
		m.Layer = m.Type.DefaultLayer(m.Scope != nil || len(m.Anchors) > 0)
	}
	set(&m.Tags, e.Tags)
	set(&m.Importance, e.Importance)
	return nil
}

func set[T any](field, to *T) {
	if to != nil {
		*field = *to
	}
}

package action

import (
	"context"
	"fmt"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"manicule/lsp/feature"
	"manicule/lsp/render"
	"manicule/lsp/rpc"
	"manicule/memory/file"
)

const cmdShow = feature.ShowMemoriesCommand

// maxTitles is how many memories a message offers to choose from.
const maxTitles = 6

// shownMemory is a memory in the answer of manicule.showMemories.
type shownMemory struct {
	UUID   string    `json:"uuid"`
	Type   file.Type `json:"type"`
	What   string    `json:"what"`
	Why    string    `json:"why,omitempty"`
	Author string    `json:"author,omitempty"`
	Age    string    `json:"age,omitempty"`
	URI    string    `json:"uri"`
}

// showMemories lists the memories of a lens: its arguments are the document, the
// position and the uuids. Without uuids it lists what applies at the position.
func showMemories(ctx context.Context, c *call) (any, error) {
	var u uri.URI
	var at protocol.Position
	var uuids []string
	if err := c.args.read(0, "a document's URI", &u); err != nil {
		return nil, err
	}
	if err := c.args.read(1, "a position", &at); err != nil {
		return nil, err
	}
	if err := c.args.read(2, "a list of uuids", &uuids); err != nil {
		return nil, err
	}
	if u == "" && len(uuids) == 0 {
		return nil, rpc.InvalidParams("%s needs a document's URI or a list of uuids", c.args.command)
	}
	if uuids == nil {
		uuids = c.uuidsAt(ctx, u, at)
	}
	list := []shownMemory{}
	path, _ := c.snap.Path(u)
	c.env.Folders.AskedAbout(path) // what is picked of the list is of its folder
	for _, uuid := range uuids {
		if f, h, ok := c.env.Folders.Find(ctx, uuid, path); ok {
			m := h.Memory
			list = append(list, shownMemory{
				UUID: m.UUID, Type: m.Type, What: render.Printable(m.What), Why: render.Printable(m.Why), Author: render.Printable(m.Contributor),
				Age: render.Age(c.env.Now(), m.CreatedAt.Time), URI: string(f.URI(h.Path)),
			})
		}
	}
	if !c.settings.ClientLists {
		c.env.chooseMemory(list)
	}
	return list, nil
}

func (c *call) uuidsAt(ctx context.Context, u uri.URI, at protocol.Position) []string {
	pg, ok := c.env.Pages.Open(ctx, c.snap, u)
	if !ok {
		return nil
	}
	var uuids []string
	for _, h := range pg.HitsIn(ctx, protocol.Range{Start: at, End: at}) {
		uuids = append(uuids, h.Memory.UUID)
	}
	return uuids
}

// chooseMemory lets the person choose a memory to open, outside of the request: they
// may take their time.
func (e *Env) chooseMemory(list []shownMemory) {
	if len(list) == 0 {
		e.Client.Info("Manicule: there are no memories here.")
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
	e.Spawn(func(ctx context.Context) {
		if target, ok := uris[e.Client.Choose(ctx, question, titles...)]; ok {
			e.show(ctx, target)
		}
	})
}

// show opens a document in the client, or tells the person where it is.
func (e *Env) show(ctx context.Context, target string) {
	if !e.Client.Open(ctx, uri.URI(target)) {
		e.Client.Info("Manicule: the memory is in " + target)
	}
}

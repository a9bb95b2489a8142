package action

import (
	"context"
	"fmt"

	"go.lsp.dev/protocol"

	"manicule/lsp/feature"
	"manicule/lsp/folder"
	"manicule/lsp/render"
	"manicule/memory"
	"manicule/memory/file"
)

const cmdMenu = "manicule.memoryActions"

// maxMenus is how many memories at one place get a menu each. The lens lists the others.
const maxMenus = 6

// menu is what a person can do with a memory or a candidate. The client shows it and runs the
// command of the entry that the person picks.
type menu struct {
	UUID    string      `json:"uuid"`
	Type    file.Type   `json:"type"`
	What    string      `json:"what"`
	Entries []menuEntry `json:"entries"`
	of      any         // the first argument of the entries
}

type menuEntry struct {
	Title     string `json:"title"`
	Command   string `json:"command"`
	Arguments []any  `json:"arguments"`
}

// openMenu answers with the menu of the memory or candidate that the first argument names. A client that
// doesn't show lists itself asks the person.
func openMenu(ctx context.Context, c *call) (any, error) {
	var m menu
	f, h, err := c.memory(ctx)
	if err == nil {
		m = c.menuOf(f, h)
	} else if cf, candidate, ok := c.candidate(ctx); ok {
		f, m = cf, c.menuOfCandidate(candidate.Memory)
	} else {
		return nil, err
	}
	if !c.settings.ClientLists {
		c.askMenu(f, m)
	}
	return m, nil
}

func (c *call) menuOf(f *folder.Folder, h memory.Hit) menu {
	m := c.menuWith(h.Memory)
	for _, a := range commands() {
		if a.offer.menu != "" && a.offer.applies(f, h) {
			m.add(a.offer.menu, a.name)
		}
	}
	return m
}

func (c *call) menuOfCandidate(candidate *file.Memory) menu {
	m := c.menuWith(candidate)
	m.add("Accept", cmdAccept)
	m.add("Edit", cmdEdit)
	m.add("Reject", cmdReject)
	return m
}

func (c *call) menuWith(m *file.Memory) menu {
	return menu{UUID: m.UUID, Type: m.Type, What: render.Printable(m.What), of: c.args.reference(m.UUID)}
}

func (m *menu) add(title, command string) {
	m.Entries = append(m.Entries, menuEntry{title, command, []any{m.of}})
}

// askMenu asks the person which entry to run, outside of the request.
func (c *call) askMenu(f *folder.Folder, m menu) {
	titles := make([]string, 0, len(m.Entries))
	for _, e := range m.Entries {
		titles = append(titles, e.Title)
	}
	c.env.Spawn(func(ctx context.Context) {
		chosen := c.env.Client.Choose(ctx, "☞ "+m.Type.Label()+": “"+render.OneLine(m.What, 120)+"”", titles...)
		for _, e := range m.Entries {
			if e.Title != chosen {
				continue
			}
			if err := c.runEntry(ctx, e); err != nil {
				c.env.showError(fmt.Errorf("%s in %s: %w", e.Command, f.Root, err))
			}
			return
		}
	})
}

// runEntry runs the command of an entry as if the client had sent it.
func (c *call) runEntry(ctx context.Context, e menuEntry) error {
	args, err := feature.RawArgs(e.Arguments...)
	if err != nil {
		return err
	}
	_, err = c.env.Execute(ctx, c.snap, c.settings, &protocol.ExecuteCommandParams{Command: e.Command, Arguments: args})
	return err
}

// offerMenus offers the menu of each memory, the most specific first.
func offerMenus(params *protocol.CodeActionParams, hits []memory.Hit, out *offers) error {
	for _, h := range hits[:min(len(hits), maxMenus)] {
		if err := out.add(quoted(h)+" …", kindActs, nil, cmdMenu, h.Memory.UUID); err != nil {
			return err
		}
	}
	more := len(hits) - maxMenus
	if more <= 0 {
		return nil
	}
	uuids := make([]string, 0, more)
	for _, h := range hits[maxMenus:] {
		uuids = append(uuids, h.Memory.UUID)
	}
	return out.add(fmt.Sprintf("%d more here …", more), kindActs, nil, cmdShow, string(params.TextDocument.URI), params.Range.Start, uuids)
}

package action

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"manicule/lsp/folder"
	"manicule/lsp/render"
	"manicule/memory"
)

const cmdRevert = "manicule.revertMemory"

// revertMemory gives a memory the content of an earlier version. The second argument names the
// version, by its number or hash; without it the person is asked.
func revertMemory(ctx context.Context, c *call) (any, error) {
	var version string
	if c.args.has(1) {
		var number int
		if c.args.read(1, "a number", &number) == nil {
			version = strconv.Itoa(number)
		} else if err := c.args.read(1, "the number or the hash of a version", &version); err != nil {
			return nil, err
		}
		return c.change(ctx, func(m folder.Memories, uuid string) (memory.Result, error) {
			return m.Edits().Revert(ctx, uuid, version, false)
		})
	}
	f, h, err := c.memory(ctx)
	if err != nil {
		return nil, err
	}
	c.env.Spawn(func(ctx context.Context) { c.env.chooseVersion(ctx, f, h) })
	return nil, nil
}

// chooseVersion asks to which version a memory is reverted.
func (e *Env) chooseVersion(ctx context.Context, f *folder.Folder, h memory.Hit) {
	line, err := f.Memories.History().Timeline(ctx, h.Memory.UUID)
	if err != nil {
		e.showError(err)
		return
	}
	titles, hashes := versionTitles(line)
	if len(titles) == 0 {
		e.Client.Info("Manicule: there is no earlier version")
		return
	}
	hash := hashes[e.Client.Choose(ctx, "Manicule: which version should “"+render.OneLine(h.Memory.What, 60)+"” go back to?", titles...)]
	if hash == "" {
		return
	}
	res, err := f.Memories.Edits().Revert(ctx, h.Memory.UUID, hash, false)
	if err != nil {
		e.showError(err)
		return
	}
	e.afterWrite(ctx, f, res)
}

// versionTitles names the earlier versions of a memory for a question, and says which hash each name means.
func versionTitles(line []memory.Past) (titles []string, hashes map[string]string) {
	hashes = map[string]string{}
	for _, p := range line {
		if p.Current || len(titles) == maxTitles {
			continue
		}
		number, text := strconv.Itoa(p.Memory.Lineage.Version), ": “"+render.OneLine(p.Memory.What, 60)+"”"
		title := "version " + number + text
		if hashes[title] != "" { // two clones made one at once
			title = fmt.Sprintf("version %s (%.8s)%s", number, strings.TrimPrefix(p.Hash, "sha256:"), text)
		}
		titles, hashes[title] = append(titles, title), p.Hash
	}
	return titles, hashes
}

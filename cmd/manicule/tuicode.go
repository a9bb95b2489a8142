package main

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"

	"manicule/cmd/internal/tui"
	"manicule/indexer/anchor"
	"manicule/indexer/treefile"
	"manicule/memory"
)

const (
	// maxCode is how many lines of an anchor's code a page shows.
	maxCode = 40
	// maxCodeBytes is the size of a file from which on its code is not shown.
	maxCodeBytes = 4 << 20
)

// citation is where the code of an anchor is now.
type citation struct {
	path       string // relative to the root
	start, end int    // 0 for the whole file
}

// cited returns where a memory's code is, in the order of its anchors. Code that is gone is left
// out.
func cited(h memory.Hit) []citation {
	var out []citation
	for i, an := range h.Memory.Anchors {
		c := citation{path: an.Path}
		if an.Lines != nil {
			c.start, c.end = an.Lines.Start, an.Lines.End
		}
		if i < len(h.Places) && h.Places[i].State != "" {
			p := h.Places[i]
			if p.State == anchor.Orphaned {
				continue
			}
			c = citation{p.Path, p.Line, p.EndLine}
		}
		if filepath.IsLocal(filepath.FromSlash(c.path)) {
			out = append(out, c)
		}
	}
	return out
}

// printCode prints the code that a memory is about, in colours, with the numbers of its lines, up to a
// number of them for each place.
func printCode(ctx context.Context, c *console, root string, h memory.Hit, most int) {
	for _, at := range cited(h) {
		if at.start == 0 {
			continue
		}
		// The path comes from a memory, which anybody may have written, and may be a link.
		text, err := treefile.ReadWithin(root, at.path, maxCodeBytes)
		c.printf("\n%s\n", c.paint(bold, fmt.Sprintf("%s:%d", plainPath(at.path), at.start)))
		if err != nil {
			c.printf("  %s\n", c.paint(faint, "can't be read: "+plainLine(err.Error())))
			continue
		}
		for i, line := range coloured(ctx, c, at.path, text, at.start, min(max(at.end, at.start), at.start+most-1)) {
			c.printf("%s %s\n", c.paint(faint, fmt.Sprintf("%5d", at.start+i)), line)
		}
		if more := at.end - at.start + 1 - most; more > 0 {
			c.printf("      %s\n", c.paint(faint, count(more, "more line", "more lines")))
		}
	}
}

// open opens the first place of an item in the person's editor.
func (b *browser) open(ctx context.Context, item tui.Item) (string, error) {
	h, ok := b.hits[item.UUID]
	if ok {
		h = b.refreshHits(ctx, b.w, []memory.Hit{h})[0]
	} else if d, draft := b.drafts[item.UUID]; draft {
		h = concerns(d)
	} else {
		return "", errGone
	}
	places := cited(h)
	if len(places) == 0 {
		return "", &memory.UserError{Msg: "its code is gone", Hint: "`manicule verify " + item.Short + "` says more."}
	}
	at := places[0]
	if st, err := treefile.StatWithin(b.w.Root(), at.path); err != nil {
		return "", err
	} else if !st.Mode().IsRegular() {
		return "", &memory.UserError{Msg: at.path + " is no file", Hint: "`manicule verify " + item.Short + "` says more."}
	}
	if err := b.openAt(ctx, filepath.Join(b.w.Root(), filepath.FromSlash(at.path)), at.start); err != nil {
		return "", err
	}
	return fmt.Sprintf("opened %s", plainPath(at.path)), nil
}

// openAt opens a file in the person's editor, at a line if it is known how to name one to it.
func (c *shell) openAt(ctx context.Context, name string, line int) error {
	editor := c.editor()
	args := append([]string{"-c", editor + ` "$@"`, "sh"}, atLine(editor, name, line)...)
	cmd := exec.CommandContext(ctx, "sh", args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = c.streams.in, c.streams.out, c.streams.err
	if err := cmd.Run(); err != nil {
		return &memory.UserError{Msg: fmt.Sprintf("the editor %q ended with: %v", editor, err), Err: err, Hint: "Set $EDITOR to an editor that works."}
	}
	return nil
}

// atLine returns the arguments that make an editor open a file at a line.
func atLine(editor, name string, line int) []string {
	program, _, _ := strings.Cut(strings.TrimSpace(editor), " ")
	if line < 1 {
		return []string{name}
	}
	switch strings.TrimSuffix(filepath.Base(program), ".exe") {
	case "code", "code-insiders", "codium", "cursor", "windsurf":
		return []string{"--goto", fmt.Sprintf("%s:%d", name, line)}
	case "hx", "helix", "subl", "zed", "zeditor":
		return []string{fmt.Sprintf("%s:%d", name, line)}
	case "vi", "vim", "nvim", "view", "nano", "pico", "emacs", "emacsclient", "kak", "micro", "joe", "ne", "mg", "ed", "ex":
		return []string{fmt.Sprintf("+%d", line), name}
	}
	return []string{name}
}

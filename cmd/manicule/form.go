package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"manicule/memory"
	"manicule/memory/file"
	"manicule/memory/services"
)

const template = `
# What was learned, in a sentence or two, above this line or here.
# After an empty line: why, or how it was learned. Lines with # are left out.
# These lines may be changed:
# type: %s
# scope:
# at:
# tags:
`

// form is what a person writes of a memory in an editor: the text, and lines with # for the rest.
type form struct {
	what, why       string
	kind            file.Type
	scope, at, tags []string
	// lines are the keys that have a line in the form. One without a value is empty.
	lines []string
}

// parseForm reads a form.
func parseForm(text string) (f form, err error) {
	var kept []string
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		rest, comment := strings.CutPrefix(line, "#")
		if !comment {
			kept = append(kept, line)
			continue
		}
		key, value, ok := strings.Cut(strings.TrimSpace(rest), ":")
		if !ok {
			continue
		}
		f.lines = append(f.lines, key)
		switch value = strings.TrimSpace(value); key {
		case "type":
			if value == "" {
				continue
			}
			if f.kind, err = typeOf(value); err != nil {
				return f, err
			}
		case "scope":
			f.scope = append(f.scope, strings.Fields(value)...)
		case "at":
			f.at = append(f.at, strings.Fields(value)...)
		case "tags":
			f.tags = append(f.tags, strings.FieldsFunc(value, func(r rune) bool { return r == ',' || r == ' ' })...)
		}
	}
	f.what, f.why = paragraphs(strings.Join(kept, "\n"), "")
	return f, nil
}

// paragraphs splits a text into the memory and the reason.
func paragraphs(text, why string) (string, string) {
	what, rest, _ := strings.Cut(strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n")), "\n\n")
	if rest = strings.TrimSpace(rest); rest != "" {
		why = rest
	}
	return strings.TrimSpace(what), why
}

// compose opens an editor for the memory and returns the saved text.
func (rc *rememberCommand) compose(ctx context.Context, d *memory.Draft) (string, error) {
	text, err := rc.editText(ctx, "memory-*.txt", fmt.Sprintf(template, cmp.Or(d.Type, file.Gotcha)))
	if err != nil {
		return "", err
	}
	f, err := parseForm(text)
	if err != nil {
		return "", saveText("memory-*.txt", text, err)
	}
	d.What, d.Why, d.Type = f.what, cmp.Or(f.why, d.Why), cmp.Or(f.kind, d.Type)
	d.Scope, d.At, d.Tags = append(d.Scope, f.scope...), append(d.At, f.at...), append(d.Tags, f.tags...)
	if d.What == "" {
		return "", &memory.UserError{Msg: "the text is empty, so nothing is remembered", Hint: "Write the memory and save the file, or give it as TEXT."}
	}
	return text, nil
}

// formOf writes the form of a memory. ok is false if a text or a name in it is one that the form can't hold.
func formOf(m *file.Memory) (text string, ok bool) {
	var b strings.Builder
	b.WriteString(strings.TrimSpace(m.What + "\n\n" + m.Why))
	fmt.Fprintf(&b, `

# The first paragraph is the memory, the rest is why, or how it was learned. Lines with # are left out.
# These lines may be changed:
# type: %s
# scope: %s
# tags: %s
# %s opens all that its file has; %s ties it to other code.
`, m.Type, strings.Join(m.Scope, " "), strings.Join(m.Tags, ", "), "`manicule edit "+m.ShortID()+" --file`", "`manicule verify "+m.ShortID()+" --anchor PLACE`")
	f, err := parseForm(b.String())
	return b.String(), err == nil && f.what == m.What && f.why == m.Why && f.kind == m.Type && slices.Equal(f.scope, m.Scope) && slices.Equal(f.tags, m.Tags)
}

// change makes the changes of a form in a memory. A line that was taken out changes nothing.
func (f form) change(m *file.Memory) {
	m.What, m.Why = f.what, f.why
	if f.kind != "" && f.kind != m.Type {
		m.Type = f.kind
		defer func() { m.Layer = m.Type.DefaultLayer(m.Scope != nil || len(m.Anchors) > 0) }()
	}
	if slices.Contains(f.lines, "scope") {
		m.Scope = f.scope
	}
	if slices.Contains(f.lines, "tags") {
		m.Tags = f.tags
	}
}

// editInEditor opens a memory in the person's editor: as the form of `remember`, or as the file that it is in.
func (ec *editCommand) editInEditor(cmd *cobra.Command, w *services.Workspace, id string, e edits) (memory.Result, error) {
	h, _, err := w.GetAny(cmd.Context(), id)
	if err != nil {
		return memory.Result{}, err
	}
	if before, ok := formOf(h.Memory); ok && !e.file {
		return ec.editAs(cmd, w, h.Memory, e, "memory-*.txt", before, func(text string) (func(*file.Memory), error) {
			f, err := parseForm(text)
			return f.change, err
		})
	}
	before, err := h.Memory.Marshal()
	if err != nil {
		return memory.Result{}, err
	}
	return ec.editAs(cmd, w, h.Memory, e, "memory-*.json", string(before), func(text string) (func(*file.Memory), error) {
		edited, err := file.Parse([]byte(text))
		if err != nil {
			return nil, fmt.Errorf("the edited memory can't be used: %w", located(err))
		}
		return func(m *file.Memory) {
			lineage, updated := m.Lineage, m.UpdatedAt
			*m = *edited
			m.Lineage, m.UpdatedAt = lineage, updated
		}, nil
	})
}

// editAs opens a memory as a text, which parse reads after the change.
func (ec *editCommand) editAs(cmd *cobra.Command, w *services.Workspace, was *file.Memory, e edits, pattern, before string,
	parse func(text string) (change func(*file.Memory), err error)) (memory.Result, error) {
	opened, err := was.Hash()
	if err != nil {
		return memory.Result{}, err
	}
	text, err := ec.editText(cmd.Context(), pattern, before)
	if err != nil {
		return memory.Result{}, err
	}
	if text == before {
		return memory.Result{}, &memory.UserError{Msg: "nothing was changed", Hint: "Save the file in the editor after a change."}
	}
	change, err := parse(text)
	if err != nil {
		return memory.Result{}, saveText(pattern, text, err)
	}
	r, err := e.write(cmd, w, was.UUID, func(m *file.Memory) error {
		if m.Lineage.Parent != opened { // an edit by hand has no new version number that would reveal the conflict
			return &codeError{exitRefused, &memory.UserError{Msg: fmt.Sprintf("memory %s was changed while your editor was open", m.ShortID()),
				Hint: fmt.Sprintf("`manicule show %s` shows it as it is now.", m.ShortID())}}
		}
		change(m)
		return nil
	})
	if err == nil && !r.Accepted {
		err = unchanged(r)
	}
	if err != nil {
		return r, saveText(pattern, text, err)
	}
	return r, nil
}

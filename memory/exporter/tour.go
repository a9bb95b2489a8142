package exporter

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"manicule/memory/file"
)

// Stop is where a tour shows a memory: a line of a file, a file or folder, or, without a path, no place at all.
type Stop struct {
	Memory *file.Memory
	Path   string // below the root of the repository
	Line   int    // from 1; 0 for the whole file
	IsDir  bool
}

// tour is a file of CodeTour, an extension of VS Code that leads through code step by step
// (https://aka.ms/codetour-schema).
type tour struct {
	Schema      string `json:"$schema"`
	Title       string `json:"title"`
	Description string `json:"description"`
	Steps       []step `json:"steps"`
}

type step struct {
	File        string `json:"file,omitzero"`
	Directory   string `json:"directory,omitzero"`
	Line        int    `json:"line,omitzero"`
	Title       string `json:"title"`
	Description string `json:"description"`
}

// Tour writes memories as a tour through their places, in the given order. Secrets are masked, and no
// text is a link or an image: CodeTour lets links run commands of the editor, and lines that begin with >> of the shell.
func Tour(stops []Stop) ([]byte, error) {
	t := tour{Schema: "https://aka.ms/codetour-schema", Title: "What to know first", Description: "From the memories in .manicule, by manicule onboard --tour", Steps: []step{}}
	for _, s := range stops {
		m := masked(s.Memory)
		x := step{Title: title(m.Type), Description: inert(oneLine(m.What))}
		if why := oneLine(m.Why); why != "" {
			x.Description += "\n\n" + inert(why)
		}
		switch {
		case s.Path == "":
		case s.IsDir:
			x.Directory = s.Path
		default:
			x.File, x.Line = s.Path, s.Line
		}
		t.Steps = append(t.Steps, x)
	}
	var b bytes.Buffer
	if err := json.MarshalWrite(&b, t, jsontext.WithIndent("  "), json.Deterministic(true)); err != nil {
		return nil, fmt.Errorf("write a tour: %w", err)
	}
	return append(b.Bytes(), '\n'), nil
}

// inert returns Markdown that shows a text. Its code spans stay: nothing in them is more than text.
func inert(text string) string {
	const tick = "`"
	parts := strings.Split(safe(text), tick)
	spans := len(parts)%2 == 1 && !strings.Contains(text, tick+tick)
	for i, part := range parts {
		if !spans || i%2 == 0 {
			parts[i] = active.Replace(part)
		}
	}
	if !spans {
		return strings.Join(parts, "&#96;")
	}
	return strings.Join(parts, tick)
}

// active are the characters that begin or end a link, an image, a reference to another tour, an element, or a command.
var active = strings.NewReplacer("[", "&#91;", "]", "&#93;", "<", "&lt;", ">", "&gt;", "\\", "&#92;")

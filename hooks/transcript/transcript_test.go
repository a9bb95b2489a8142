package transcript

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"manicule/indexer/must"

	"github.com/go-json-experiment/json"
)

// plain is a format with one member a line.
func plain() Format {
	return Format{Signs: []string{`"said"`}, Line: func(p *Parser, line []byte) {
		var row struct {
			Said string `json:"said"`
		}
		if json.Unmarshal(line, &row) == nil {
			p.Tell(Entry{Kind: Said, Text: row.Said})
		}
	}}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	must.Write(t, path, text)
}

func read(t *testing.T, format Format, path string, from Mark, limit int64) (out []string, to Mark, restarted, more bool) {
	t.Helper()
	to, restarted, more, err := Read(t.Context(), format, path, from, limit, func(e Entry) {
		out = append(out, strings.TrimSpace(fmt.Sprintf("%s %d %s%s", e.Kind, e.Turn, e.Text, strings.TrimSuffix(" @"+e.Agent, " @"))))
	})
	must.OK(t, err)
	return out, to, restarted, more
}

// TestStrangeFiles: none of them is an error beyond "it is not there", or makes
// an entry up.
func TestStrangeFiles(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "t.jsonl")
	if _, _, _, err := Read(t.Context(), plain(), path, Mark{}, 1<<20, nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
	if _, _, _, err := Read(t.Context(), plain(), dir, Mark{}, 1<<20, nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a folder: %v", err)
	}
	if _, _, _, err := Read(t.Context(), Format{}, path, Mark{}, 1<<20, nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an unknown format: %v", err)
	}
	said := func(text string) string {
		return fmt.Sprintf(`{"said":%q}`+"\n", text)
	}
	huge := said(strings.Repeat("x", maxLine))
	write(t, path, "\x00\x01{\n{\"said\":7}\n[1]\n"+huge+said("one")+said("half")[:9])
	got, mark, _, more := read(t, plain(), path, Mark{}, 1<<30)
	if fmt.Sprint(got) != "[said 0 one]" || more {
		t.Errorf("%q", got)
	}
	// Rewritten, longer: from the beginning.
	write(t, path, said("other")+huge+said("two")+said("three"))
	if got, _, restarted, _ := read(t, plain(), path, mark, 1<<30); !restarted || fmt.Sprint(got) != "[said 0 other said 0 two said 0 three]" {
		t.Errorf("rewritten: %t %q", restarted, got)
	}
	// Truncated.
	write(t, path, said("short"))
	if got, _, restarted, _ := read(t, plain(), path, mark, 1<<30); !restarted || fmt.Sprint(got) != "[said 0 short]" {
		t.Errorf("truncated: %t %q", restarted, got)
	}
	// Bounded: the rest comes next time.
	write(t, path, said("1")+said("2")+said("3"))
	first, mark, _, more := read(t, plain(), path, Mark{}, 10)
	rest, _, _, _ := read(t, plain(), path, mark, 1<<20)
	if !more || fmt.Sprint(first, rest) != "[said 0 1] [said 0 2 said 0 3]" {
		t.Errorf("bounded: %t %q %q", more, first, rest)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, more, err := Read(ctx, plain(), path, Mark{}, 1<<20, func(Entry) { t.Error("read on") }); !more || err != nil {
		t.Errorf("no time: %t %v", more, err)
	}
}

package feature

import (
	"fmt"
	"testing"

	"github.com/go-json-experiment/json"
	"go.lsp.dev/protocol"

	"manicule/indexer/must"
	"manicule/lsp/page/pagetest"
	"manicule/lsp/settings"
	"manicule/memory/file"
)

// TestLenses: there is one for the file on its first line, and one for each declaration
// with memories. Those above the limit join the file's.
func TestLenses(t *testing.T) {
	p := pagetest.Open(t, "a.go", source,
		pagetest.Memory{Type: file.Gotcha, What: "one", At: "a.go#Check"},
		pagetest.Memory{Type: file.Gotcha, What: "two", At: "a.go#Check"},
		pagetest.Memory{Type: file.Gotcha, What: "three", At: "a.go#Other"},
		pagetest.Memory{Type: file.Decision, What: "four", In: "*.go"})
	s := settings.Default()
	for room, want := range map[int]string{20: "[0:1 4:2 6:1]", 2: "[0:2 4:2]", 1: "[0:4]"} {
		s.MaxPerFile = room
		lenses, err := Lenses(t.Context(), p, s)
		must.OK(t, err)
		var got []string
		for _, l := range lenses {
			var data LensData
			must.OK(t, json.Unmarshal(l.Data, &data))
			got = append(got, fmt.Sprintf("%d:%d", l.Range.Start.Line, len(data.UUIDs)))
		}
		if fmt.Sprint(got) != want {
			t.Errorf("room for %d: got %v, want %s", room, got, want)
		}
	}
}

// TestLensTitle: a title counts the memories that are still there.
func TestLensTitle(t *testing.T) {
	p := pagetest.Open(t, "a.go", source, pagetest.Memory{Type: file.Gotcha, What: "one", At: "a.go#Gone"})
	data := LensData{URI: p.Doc.URI, UUIDs: []string{pagetest.UUID(0)}}
	for want, live := range map[string][]string{
		"☞ 1 memory here, 1 may be stale": data.UUIDs, "☞ no memory here any more": nil,
	} {
		var lens protocol.CodeLens
		must.OK(t, ResolveLens(t.Context(), &lens, data, live, p))
		if lens.Command.Title != want || lens.Command.Command != ShowMemoriesCommand {
			t.Errorf("got %q, %s, want %q", lens.Command.Title, lens.Command.Command, want)
		}
	}
}

// TestLensFoldsFolders: what applies to whole folders is counted apart from what is about the file.
func TestLensFoldsFolders(t *testing.T) {
	in := func(n int, scope string) []pagetest.Memory {
		var out []pagetest.Memory
		for i := range n {
			out = append(out, pagetest.Memory{Type: file.Gotcha, What: fmt.Sprintf("text %d of %s", i, scope), In: scope})
		}
		return out
	}
	here := pagetest.Memory{Type: file.Gotcha, What: "one", At: "internal/ui/a.go#Check"}
	for _, tt := range []struct {
		name     string
		memories []pagetest.Memory
		want     string
	}{
		{"few", append(in(3, "internal/ui/**"), here), "☞ 4 memories here"},
		{"many of one folder", append(in(5, "internal/ui/**"), here), "☞ 1 memory here · 5 for internal/ui"},
		{"a folder alone", in(4, "internal/ui/*.go"), "☞ 4 memories for internal/ui"},
		{"several folders", append(in(4, "internal/ui/**"), in(1, "internal/**")...), "☞ 5 memories for its folders"},
		{"of a kind", in(4, "**/*.go"), "☞ 4 memories for files like it"},
		{"of the file", in(4, "internal/ui/a.go"), "☞ 4 memories here"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := pagetest.Open(t, "internal/ui/a.go", source, tt.memories...)
			var uuids []string
			for i := range tt.memories {
				uuids = append(uuids, pagetest.UUID(i))
			}
			var lens protocol.CodeLens
			must.OK(t, ResolveLens(t.Context(), &lens, LensData{URI: p.Doc.URI, UUIDs: uuids}, uuids, p))
			if lens.Command.Title != tt.want {
				t.Errorf("got %q, want %q", lens.Command.Title, tt.want)
			}
		})
	}
}

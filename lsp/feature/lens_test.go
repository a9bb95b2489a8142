package feature

import (
	"fmt"
	"testing"

	"github.com/go-json-experiment/json"
	"go.lsp.dev/protocol"

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
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, l := range lenses {
			var data LensData
			if err := json.Unmarshal(l.Data, &data); err != nil {
				t.Fatal(err)
			}
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
		if err := ResolveLens(t.Context(), &lens, data, live, p); err != nil {
			t.Fatal(err)
		}
		if lens.Command.Title != want || lens.Command.Command != ShowMemoriesCommand {
			t.Errorf("got %q, %s, want %q", lens.Command.Title, lens.Command.Command, want)
		}
	}
}

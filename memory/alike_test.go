package memory

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"manicule/indexer/must"
	"manicule/memory/file"
	"manicule/memory/store"
)

// TestAlike: what is nearly the same at one symbol is told, and a correction as a conflict. Nothing is told of other
// symbols, of what a person related or keeps apart, and of what waits for a decision.
func TestAlike(t *testing.T) {
	const a, b = "0198f0c2-7a41-7c3e-9d7a-3f1f5d0b9a11", "0198f0c2-7a41-7c3e-9d7a-3f1f5d0b9a22"
	const said = `"trust": {"origin": "user_taught", "tainted": false}`
	at := func(symbol string) string {
		return fmt.Sprintf(`"anchors": [{"path": "src/pool.go", "kind": "symbol", "symbol": %q}]`, symbol)
	}
	file := `"anchors": [{"path": "src/pool.go", "kind": "file"}]`
	text := func(id, what, rest string) string {
		return fmt.Sprintf(`{"uuid": %q, "type": "gotcha", "layer": "area_context", "what": %q, "created_at": "2026-05-02T10:00:00Z", %s}`, id, what, rest)
	}
	const first = "Open retries three times before it gives up"
	for name, x := range map[string]struct {
		what, rest  string
		told        bool
		contradicts bool
		apart       bool
	}{
		"nearly the same":           {what: "Open retries 3 times, then it gives up", rest: at("Open") + ", " + said, told: true},
		"of the file":               {what: "Open retries 3 times, then it gives up", rest: file + ", " + said, told: true},
		"word for word":             {what: first, rest: at("Open") + `, "tags": ["x"], ` + said}, // a twin
		"another number":            {what: "Open retries five times before it gives up", rest: at("Open") + ", " + said, told: true, contradicts: true},
		"a negation":                {what: "Open never retries three times before it gives up", rest: at("Open") + ", " + said, told: true, contradicts: true},
		"another unit":              {what: "Open retries three seconds before it gives up", rest: at("Open") + ", " + said, told: true, contradicts: true},
		"another rule":              {what: "Open needs the lock of the pool", rest: at("Open") + ", " + said},
		"another symbol":            {what: "Open retries 3 times, then it gives up", rest: at("Close") + ", " + said},
		"another file":              {what: "Open retries 3 times, then it gives up", rest: `"scope": ["ci/**"], ` + said},
		"related":                   {what: "Open retries 3 times, then it gives up", rest: at("Open") + `, "relations": [{"type": "related_to", "memory": "` + a + `", "confidence": 1}], ` + said},
		"kept apart":                {what: "Open retries 3 times, then it gives up", rest: at("Open") + ", " + said, apart: true},
		"personal beside shared":    {what: "Open retries 3 times, then it gives up", rest: at("Open") + `, "visibility": "personal", ` + said},
		"contradicts a personal":    {what: "Open retries five times before it gives up", rest: at("Open") + `, "visibility": "personal", ` + said, told: true, contradicts: true},
		"has several versions":      {what: "Open retries 3 times, then it gives up", rest: at("Open") + ", " + said + `, "conflict": [{"type": "gotcha", "what": "Never retry", "updated_at": "2026-05-02T10:00:00Z"}]`},
		"nobody has reviewed it":    {what: "Open retries 3 times, then it gives up", rest: at("Open")},
		"the same words, elsewhere": {what: first, rest: `"scope": ["src/pool.go"], ` + said, told: true},
	} {
		t.Run(name, func(t *testing.T) {
			w := fixture(t)
			write(t, filepath.Join(w.Root(), "src/pool.go"), "package src\n\nfunc Open() {}\n\nfunc Close() {}\n")
			folder := filepath.Join(w.Root(), ".manicule/memories/area_context")
			write(t, filepath.Join(folder, a+".json"), text(a, first, at("Open")+", "+said))
			write(t, filepath.Join(folder, b+".json"), text(b, x.what, x.rest))
			if x.apart {
				must.OK(t, w.State().Consolidations().KeepApart(t.Context(), []store.Pair{{One: b, Other: a}}))
			}
			list, err := FindAlike(t.Context(), w)
			if err != nil || (len(list) == 1) != x.told {
				t.Fatalf("alike %+v, %v", list, err)
			}
			if x.told && (list[0].First.UUID != a || list[0].Second.UUID != b || (list[0].Contradicts != "") != x.contradicts) {
				t.Errorf("told %+v", list[0])
			}
			if p := w.View().Problems(); len(p) > 0 {
				t.Errorf("problems %v", p)
			}
		})
	}
}

// BenchmarkAlike compares 2,000 memories of one place.
func BenchmarkAlike(b *testing.B) {
	w := fixture(b)
	words := []string{"open", "close", "pool", "cache", "retry", "lock", "index", "token", "queue", "log", "server", "client", "file", "path", "line", "build", "test", "run", "wait", "stop"}
	for i := range maxAtOnePlace {
		what := ""
		for j := range 12 {
			what += words[(i*7+j*j*(i%13)+j)%len(words)] + fmt.Sprint(i%(40+j)) + " "
		}
		id := fmt.Sprintf("0198f0c2-7a41-7c3e-9d7a-%012d", i)
		write(b, filepath.Join(w.Root(), ".manicule/memories/area_context", id+".json"), fmt.Sprintf(`{"uuid": %q, "type": "gotcha", "layer": "area_context", "what": %q, "created_at": "2026-05-02T10:00:00Z", "trust": {"origin": "user_taught", "tainted": false}}`, id, what))
	}
	if _, err := w.Sync(b.Context()); err != nil {
		b.Fatal(err)
	}
	hits := w.View().Live()
	if len(hits) != maxAtOnePlace {
		b.Fatalf("%d memories", len(hits))
	}
	for b.Loop() {
		if _, err := AlikeOf(b.Context(), w, hits); err != nil {
			b.Fatal(err)
		}
	}
}

// TestManyAlikeAreBounded: a clone with thousands of memories about one place, or with texts of any length, is compared in
// bounded work.
func TestManyAlikeAreBounded(t *testing.T) {
	var hits []Hit
	add := func(text string) {
		hits = append(hits, Hit{Memory: &file.Memory{UUID: fmt.Sprintf("0198f0c2-7a41-7c3e-9d7a-%012d", len(hits)), What: text, Scope: file.Scope{"src/a.go"}, Visibility: file.Project}})
	}
	for i := range 600 {
		add(fmt.Sprintf("Token refresh fails silently when Redis %d is gone", i))
	}
	if n := len(nearPairs(hits)); n != maxNearPairs {
		t.Errorf("%d pairs are compared, at most %d may be", n, maxNearPairs)
	}
	hits = hits[:2]
	add(strings.Repeat("Token refresh fails silently when Redis is gone. ", 200))
	add(hits[2].Memory.What)
	if n := len(nearPairs(hits)); n != 1 {
		t.Errorf("%d pairs are compared, want 1 without the long ones", n)
	}
	hits = nil // that share no words, at as many places
	for i := range 1500 {
		add(fmt.Sprintf("w%dx", i))
		for j := range 40 {
			hits[i].Memory.Scope = append(hits[i].Memory.Scope, fmt.Sprintf("src/b%d.go", j))
		}
	}
	for _, text := range []string{"Token refresh fails silently when Redis is gone", "Log files rotate at midnight of the server"} {
		add(text)
		add(text)
	}
	few := hits[1500:1502] // the others, which say the same, too, are at the place of most: it is not reached
	for _, h := range few {
		h.Memory.Scope = file.Scope{"src/z.go"}
	}
	if list := nearPairs(hits); len(list) != 1 || list[0].a.m.What != few[0].Memory.What {
		t.Errorf("%d pairs are found beside %d that share no words", len(list), 40*1500*1499/2)
	}
}

package atlas_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"manicule/indexer/must"
	"manicule/memory/atlas"
	"manicule/memory/life"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// about makes Input.About of a table.
func about(table map[string][]int) func(string) []int {
	return func(p string) []int { return table[p] }
}

func sample() atlas.Input {
	return atlas.Input{
		Name: "shop", At: time.Date(2026, 11, 3, 12, 0, 0, 0, time.UTC),
		Files: []atlas.File{
			{Path: "README.md", Bytes: 900, Changes: 2},
			{Path: "auth/store/pool.go", Bytes: 400, Changes: 1},
			{Path: "auth/token.go", Bytes: 2000, Changes: 9, Failures: 2},
			{Path: "web/a.ts", Bytes: 10},
			{Path: "web/b.ts", Bytes: 20},
			{Path: "web/c.ts", Bytes: 3000, Changes: 4, Failures: 1},
		},
		// 0 is about auth/**, 1 about the token alone, 2 about the project, 3 about a file that is not shown alone.
		About:    about(map[string][]int{"auth/token.go": {1, 0, 1}, "auth/store/pool.go": {0}, "web/a.ts": {3}}),
		MaxFiles: 4,
		Memories: []atlas.Memory{
			{ID: "00000000", Type: "convention", What: "SQL stays in the store", Confidence: .9, Places: []string{"auth/**"}, Created: "2026-10-01"},
			{ID: "00000001", Type: "gotcha", What: "Refresh fails silently", Why: "Redis", Confidence: .5, State: "stale", Reason: "changed", Marks: []string{"disputed"},
				Created: "2026-09-01", Versions: []atlas.Version{{1, "2026-09-01", "create"}, {2, "2026-10-01", "edit"}},
				Shown: []atlas.Day{{Outcomes: atlas.Outcomes{Shown: 3}}, {"2026-10-05", atlas.Outcomes{Shown: 2, Followed: 1, Tokens: 40}}}},
			{ID: "00000002", Type: "preference", What: "Plain English", Confidence: 1, Created: "2026-10-01"},
			{ID: "00000003", Type: "gotcha", What: "a.ts is generated", Confidence: 1, Created: "2026-10-01"},
		},
		Symbols: []atlas.Symbol{
			{Name: "Store.Refresh", Kind: "method", Path: "auth/token.go", Line: 12, UsedBy: []string{"auth/store/pool.go", "web/a.ts", "web/b.ts", "web/c.ts"}},
			{Name: "a", Kind: "function", Path: "web/a.ts", Line: 3},
			{Name: "gone", Kind: "function", Path: "web/gone.ts", Line: 1},
		},
		Uses: func(p string) []string {
			return map[string][]string{"web/a.ts": {"auth/token.go", "web/b.ts"}, "web/c.ts": {"web/gone.ts", "web/b.ts"}}[p]
		},
		Months:   []atlas.Month{{"2026-10", atlas.Outcomes{Shown: 5, Followed: 1, Tokens: 40}}},
		Agents:   []atlas.Agent{{"claude-code", []atlas.Month{{"2026-10", atlas.Outcomes{Shown: 5, Followed: 1, Tokens: 40}}}}},
		Health:   &life.Health{Score: 80, Sure: .8, Used: .8, Settled: .8},
		Coverage: &atlas.Coverage{Share: .6, Bare: []atlas.Bare{{Folder: "web", Changes: 4}}},
		LeftOut:  atlas.LeftOut{Personal: 1},
	}
}

func TestData(t *testing.T) {
	got, err := json.Marshal(atlas.Build(sample()), json.Deterministic(true), jsontext.Multiline(true))
	must.OK(t, err)
	golden := filepath.Join("testdata", "data.json")
	if *update {
		must.OK(t, os.WriteFile(golden, append(got, '\n'), 0o644))
	}
	want, err := os.ReadFile(golden)
	must.OK(t, err)
	if !bytes.Equal(append(got, '\n'), want) {
		t.Errorf("the data is not that of %s (-update rewrites it):\n%s", golden, got)
	}
}

// path is where a node is.
func path(d atlas.Data, i int) string {
	if i <= 0 {
		return ""
	}
	name := d.Nodes[i].Name
	if d.Nodes[i].Kind == atlas.IsRest {
		name = "*"
	}
	return strings.TrimPrefix(path(d, d.Nodes[i].Parent)+"/"+name, "/")
}

func TestMemoriesStandAtTheLeastThatTheyAreAbout(t *testing.T) {
	d := atlas.Build(sample())
	got := map[string][]int{}
	for i, n := range d.Nodes {
		if len(n.Memories) > 0 {
			got[path(d, i)] = n.Memories
		}
	}
	want := map[string][]int{"": {2}, "auth": {0}, "auth/token.go": {1}, "web/*": {3}}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("memories stand at %v, want %v", got, want)
	}
}

func TestHeat(t *testing.T) {
	for _, c := range []struct {
		file     atlas.File
		memories int
		want     float64
	}{
		{atlas.File{Changes: 10}, 0, 10},
		{atlas.File{Changes: 10, Failures: 2}, 0, 30},
		{atlas.File{Changes: 10, Failures: 2}, 1, 15},
		{atlas.File{Failures: 9}, 0, 0},
		{atlas.File{Changes: 10, Recorded: true}, 0, 0},
	} {
		if got := c.file.Heat(c.memories); got != c.want {
			t.Errorf("heat of %+v with %d memories is %v, want %v", c.file, c.memories, got, c.want)
		}
	}
}

// TestNotCode: what programs write does not make an area large, alone or among the small files, and the bytes stay those of all.
func TestNotCode(t *testing.T) {
	in := atlas.Input{About: about(nil), MaxFiles: 2, Files: []atlas.File{
		{Path: "web/go.sum", Bytes: 1 << 20, Recorded: true}, {Path: "web/api.pb.go", Bytes: 1 << 20, Generated: true},
		{Path: "web/a.lock", Bytes: 100, Recorded: true}, {Path: "web/a.go", Bytes: 5000}, {Path: "web/b.go", Bytes: 4000},
	}}
	d := atlas.Build(in)
	code := map[string]int64{}
	for i, n := range d.Nodes {
		code[path(d, i)] = n.Bytes - n.NotCode
	}
	want := map[string]int64{"": 11148, "web": 11148, "web/a.go": 5000, "web/b.go": 4000, "web/*": 2148}
	if fmt.Sprint(code) != fmt.Sprint(want) || d.Nodes[0].Bytes != 2<<20+9100 {
		t.Errorf("the sizes are %v of %d bytes, want %v", code, d.Nodes[0].Bytes, want)
	}
}

// TestBounded: a page of many files shows the hot and the large ones alone, and the sums stay
// those of all.
func TestBounded(t *testing.T) {
	in := atlas.Input{About: about(nil), MaxFiles: 1000}
	var bytes int64
	for i := range 100_000 {
		f := atlas.File{Path: fmt.Sprintf("d%d/e%d/f%d.go", i%50, i%500, i), Bytes: int64(i % 977), Changes: max(0, i%1000-990)}
		bytes += f.Bytes
		in.Files = append(in.Files, f)
	}
	d := atlas.Build(in)
	alone := 0
	for i, n := range d.Nodes {
		if n.Kind == atlas.IsFile {
			alone++
		}
		if n.Parent >= i {
			t.Fatalf("node %d stands before its folder", i)
		}
	}
	if alone != 1000 || len(d.Nodes) > 1000+1+2*(50+500) {
		t.Errorf("%d of %d nodes are files, want 1000", alone, len(d.Nodes))
	}
	if r := d.Nodes[0]; r.Files != 100_000 || r.Bytes != bytes {
		t.Errorf("the root has %d files of %d bytes, want 100000 of %d", r.Files, r.Bytes, bytes)
	}
	hot := slices.IndexFunc(d.Nodes, func(n atlas.Node) bool { return n.Name == "f999.go" })
	if hot < 0 {
		t.Error("one of the hottest files is not shown alone")
	}
}

func TestEmpty(t *testing.T) {
	d := atlas.Build(atlas.Input{Memories: []atlas.Memory{{What: "x"}}})
	if len(d.Nodes) != 1 || len(d.Nodes[0].Memories) != 1 {
		t.Errorf("a repository without files: %+v", d.Nodes)
	}
}

var (
	scripts  = regexp.MustCompile(`(?is)<script([^>]*)>(.*?)</script>`)
	policies = regexp.MustCompile(`script-src '([^']+)'; style-src '([^']+)'"`)
	styles   = regexp.MustCompile(`(?s)<style>(.*?)</style>`)
)

// TestHostile: texts of strangers are data. They end no script, start none, and come back as they were.
func TestHostile(t *testing.T) {
	for _, text := range []string{
		`</script><script>alert(1)</script>`, `</SCRIPT ><img src=x onerror=alert(1)>`, `<!--<script>`, `]]>`, `</title><script>alert(1)</script>`,
		"\u2028\u2029", `"'\u003c` + "`${alert(1)}", `&lt;script&gt;`, "__proto__", "constructor",
	} {
		in := sample()
		in.Name = text
		in.Files[0].Path = text
		for i := range in.Memories {
			m := &in.Memories[i]
			m.What, m.Why, m.Type, m.ID, m.State, m.Places, m.Marks = text, text, text, text, text, []string{text}, []string{text}
		}
		in.Coverage.Bare[0].Folder = text
		var page bytes.Buffer
		must.OK(t, atlas.WritePage(&page, atlas.Build(in)))
		found := scripts.FindAllStringSubmatch(page.String(), -1)
		if len(found) != 2 || !strings.Contains(found[0][1], "application/json") {
			t.Fatalf("%q: the page has %d scripts, want the data and the code", text, len(found))
		}
		var back atlas.Data
		if err := json.Unmarshal([]byte(found[0][2]), &back); err != nil {
			t.Fatalf("%q: the data can't be read: %v", text, err)
		}
		if strings.ContainsAny(found[0][2], "<>&\u2028\u2029") {
			t.Errorf("%q: the data has characters that mean something to a parser", text)
		}
		if back.Memories[0].What != text || back.Name != text {
			t.Errorf("%q came back as %q", text, back.Memories[0].What)
		}
		for _, s := range found[0][2:] {
			page := strings.Replace(page.String(), s, "", 1)
			if strings.Contains(page, "<img") || strings.Contains(page, "alert(1)</script>") {
				t.Errorf("%q is in the page as markup", text)
			}
		}
	}
}

// TestPolicy: the policy allows what the page has, and nothing else. No part is of another host.
func TestPolicy(t *testing.T) {
	var page bytes.Buffer
	must.OK(t, atlas.WritePage(&page, atlas.Build(sample())))
	hash := func(s string) string {
		sum := sha256.Sum256([]byte(s))
		return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
	}
	p := policies.FindStringSubmatch(page.String())
	code, style := scripts.FindAllStringSubmatch(page.String(), -1)[1][2], styles.FindStringSubmatch(page.String())[1]
	if p == nil || p[1] != hash(code) || p[2] != hash(style) {
		t.Errorf("the policy %q is not that of the page", p)
	}
	for _, bad := range []string{"innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function", "fetch(", "XMLHttpRequest", "import(", "localStorage"} {
		if strings.Contains(code, bad) {
			t.Errorf("the script uses %s", bad)
		}
	}
	for _, u := range regexp.MustCompile(`(?i)\b(?:https?:)?//[a-z0-9-]+\.[a-z]+[^"' ]*`).FindAllString(page.String(), -1) {
		if !strings.HasPrefix(u, "http://www.w3.org/") { // the name of SVG
			t.Errorf("the page names %s", u)
		}
	}
	var again bytes.Buffer
	if err := atlas.WritePage(&again, atlas.Build(sample())); err != nil || !bytes.Equal(page.Bytes(), again.Bytes()) {
		t.Error("the same data makes another page")
	}
}

// TestUsers: a symbol names its users up to a limit, and says how many there are.
func TestUsers(t *testing.T) {
	in := sample()
	in.MaxFiles = 0
	all := atlas.Symbol{Name: "all", Path: "README.md", Line: 1}
	for i := range 40 {
		p := fmt.Sprintf("use/%02d.go", i)
		in.Files = append(in.Files, atlas.File{Path: p, Bytes: 1})
		all.UsedBy = append(all.UsedBy, p)
	}
	in.Symbols = []atlas.Symbol{all}
	got := atlas.Build(in).Symbols[0]
	if len(got.UsedBy) != 30 || got.Users != 40 {
		t.Errorf("%d users named of %d, want 30 of 40", len(got.UsedBy), got.Users)
	}
}

// large is a repository of 100,000 files with 10,000 memories.
func large() atlas.Input {
	const files, memories = 100_000, 10_000
	words := []string{"token", "cache", "invoice", "session", "queue", "ledger", "parser", "widget", "policy", "mailer", "report", "search"}
	word := func(i, step int) string { return words[i*step%len(words)] }
	in := atlas.Input{Name: "large", At: time.Date(2026, 11, 3, 12, 0, 0, 0, time.UTC)}
	path := func(i int) string {
		return fmt.Sprintf("%s/%s%d/%s/%s_%d.go", word(i/8000, 1), word(i/400, 5), i/400, word(i/25, 7), word(i, 11), i)
	}
	for i := range files {
		in.Files = append(in.Files, atlas.File{Path: path(i), Bytes: int64(200 + i*7919%30_000), Changes: i * 31 % 17, Failures: i % 101 / 100})
	}
	slices.SortFunc(in.Files, func(a, b atlas.File) int { return strings.Compare(a.Path, b.Path) })
	of := map[string][]int{}
	for i := range memories {
		p := path(i * 9)
		of[p] = append(of[p], i)
		in.Memories = append(in.Memories, atlas.Memory{ID: fmt.Sprintf("%08x", i), Type: "gotcha", Confidence: .5, State: []string{"fresh", "stale", "drifted"}[i%3],
			What: fmt.Sprintf("The %s of %s %d fails silently when its %s is unreachable", word(i, 5), word(i, 7), i, word(i, 11)),
			Why:  "Incident in May: the error was swallowed, and nobody saw it for two days", Places: []string{p}, Created: "2026-09-01"})
	}
	in.About = about(of)
	for i := range 2 * atlas.MaxSymbols {
		s := atlas.Symbol{Name: fmt.Sprintf("%s%d.Refresh%d", strings.ToUpper(word(i, 5)), i%900, i), Kind: "method", Path: path(i * 2), Line: i % 500}
		for u := range i % 6 {
			s.UsedBy = append(s.UsedBy, path((i*13+u*101)%files))
		}
		in.Symbols = append(in.Symbols, s)
	}
	numbers := map[string]int{}
	for i := range files {
		numbers[path(i)] = i
	}
	in.Uses = func(p string) (uses []string) {
		for u := range 4 {
			uses = append(uses, path((numbers[p]*17+u*263)%files))
		}
		return uses
	}
	return in
}

// TestEveryFileIsFound: of a large repository each file, memory and kept symbol is in the page, of
// a size that a browser reads at once. $MANICULE_MAP_LARGE names a file to write it to.
func TestEveryFileIsFound(t *testing.T) {
	in := large()
	d := atlas.Build(in)
	found := map[string]bool{}
	for i, n := range d.Nodes {
		switch n.Kind {
		case atlas.IsFile:
			found[path(d, i)] = true
		case atlas.IsRest:
			folder := path(d, n.Parent)
			for name := range strings.SplitSeq(n.Small, "\n") {
				found[strings.TrimPrefix(folder+"/"+name, "/")] = true
			}
		}
	}
	for _, f := range in.Files {
		if !found[f.Path] {
			t.Fatalf("%s is not in the page", f.Path)
		}
	}
	if len(found) != len(in.Files) || len(d.Memories) != len(in.Memories) || len(d.Symbols) != atlas.MaxSymbols {
		t.Errorf("the page has %d files, %d memories and %d symbols", len(found), len(d.Memories), len(d.Symbols))
	}
	var page bytes.Buffer
	must.OK(t, atlas.WritePage(&page, d))
	if limit := 16 << 20; page.Len() > limit {
		t.Errorf("the page has %d bytes, want at most %d", page.Len(), limit)
	}
	if out := os.Getenv("MANICULE_MAP_LARGE"); out != "" {
		must.OK(t, os.WriteFile(out, page.Bytes(), 0o600))
	}
}

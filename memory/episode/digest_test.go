package episode

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestModule(t *testing.T) {
	for _, tt := range []struct {
		edited string
		want   string
	}{
		{"", ""},
		{"README.md", ""},
		{"a/b/x.go a/b/y.go c/z.go", "a/b"},
		{"a/x.go b/y.go c/z.go", ""},
		{"a/x.go b/y.go", "a"},
		{"a/b/c/d/e/f.go", "a/b/c/d"},
		{".github/workflows/ci.yml", ""},
		{"/elsewhere/x.go", ""},
	} {
		if got := (Episode{Edited: strings.Fields(tt.edited)}).Module(); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.edited, got, tt.want)
		}
	}
}

// visits makes sessions of a module that touch the files, the last of them in only some of the sessions.
func visits(n int, change func(i int, v *Visit)) []Visit {
	var out []Visit
	for i := range n {
		v := Visit{Episode: Episode{Session: fmt.Sprint("s", i), Task: "Add a flag", Tools: []Count{{Name: "edit", Calls: 20}}, Active: 600_000}}
		change(i, &v)
		out = append(out, v)
	}
	return out
}

func kinds(list []Finding) string {
	var out []string
	for _, f := range list {
		out = append(out, string(f.Kind))
	}
	return strings.Join(out, " ")
}

func never(string) float64 { return 0 }

func TestDigestPrefetch(t *testing.T) {
	files := func(i int, v *Visit) {
		v.Files = []string{"a/x.go"}
		if i%5 != 0 {
			v.Files = append(v.Files, "a/y.go", "go.mod") // eight of ten
		}
		if i%2 == 0 {
			v.Files = append(v.Files, "a/z.go") // half
		}
	}
	got := Digest("a", visits(10, files), func(p string) float64 { return map[string]float64{"go.mod": .9}[p] })
	if len(got) != 1 || !slices.Equal(got[0].Always, []string{"a/x.go"}) || !slices.Equal(got[0].Often, []string{"a/y.go"}) || got[0].Seen != 10 || got[0].Key != "prefetch a" {
		t.Errorf("%+v", got)
	}
	if got := Digest("a", visits(9, files), never); len(got) != 0 {
		t.Errorf("of nine sessions %+v", got)
	}
	if got := Digest("a", visits(10, func(_ int, v *Visit) { v.Files = []string{"a/x.go"} }), never); len(got) != 0 {
		t.Errorf("one file alone is no list: %+v", got)
	}
}

func TestDigestStatistics(t *testing.T) {
	mend := func(check, commit string, files ...string) Mend {
		return Mend{Check: check, Files: files, Commit: commit}
	}
	for _, tt := range []struct {
		name   string
		n      int
		change func(i int, v *Visit)
		want   string
	}{
		{"few sessions", 4, func(_ int, v *Visit) { v.Episode.Mends = []Mend{mend("make lint", "", "a/x.go")} }, ""},
		{"a file mends a check", 6, func(i int, v *Visit) {
			if i < 3 {
				v.Episode.Mends = []Mend{mend("make lint", "", "a/x.go")}
			}
		}, "qa"},
		{"another file each time", 6, func(i int, v *Visit) { v.Episode.Mends = []Mend{mend("make lint", "", fmt.Sprint("a/", i))} }, ""},
		{"less than half of the times", 8, func(i int, v *Visit) {
			v.Episode.Mends = []Mend{mend("make lint", "", fmt.Sprint("a/", i))}
			if i < 3 {
				v.Episode.Mends[0].Files = []string{"a/x.go"}
			}
		}, ""},
		{"twice in a session counts once", 5, func(i int, v *Visit) {
			if i < 2 {
				v.Episode.Mends = []Mend{mend("make lint", "", "a/x.go"), mend("make lint", "", "a/x.go")}
			}
		}, ""},
		{"fixes of a file", 6, func(i int, v *Visit) {
			if i < 3 {
				v.Episode.Mends = []Mend{mend(fmt.Sprint("check ", i), "fix: it", "a/x.go")}
			}
		}, "fix_commit"},
		{"a tool fails in the same way", 5, func(i int, v *Visit) {
			v.Episode.Servers = []Call{{Tool: "tracker get", Calls: 2, Fails: i % 2, Line: "no such issue"}, {Tool: "tracker list", Calls: 1}}
			if i == 0 {
				v.Episode.Servers[0].Fails = 1
			}
		}, "mcp"},
		{"a tool fails in other ways", 5, func(i int, v *Visit) {
			v.Episode.Servers = []Call{{Tool: "tracker get", Calls: 1, Fails: 1, Line: fmt.Sprint("no issue ", i)}}
		}, ""},
		{"a kind of work", 5, func(_ int, v *Visit) { v.Episode.Planned = 4 }, "calibration"},
		{"lists of two items", 5, func(_ int, v *Visit) { v.Episode.Planned = 2 }, ""},
		{"kinds that differ", 6, func(i int, v *Visit) {
			v.Episode.Planned, v.Episode.Task = 4, []string{"Add a flag", "Fix the flag", "Review the flag"}[i%3]
		}, ""},
	} {
		if got := kinds(Digest("a", visits(tt.n, tt.change), never)); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestCalibrate(t *testing.T) {
	got := Calibrate("", visits(6, func(i int, v *Visit) {
		v.Episode.Planned, v.Episode.Tools = 4+i%2, []Count{{Name: "edit", Calls: 20 + i}, {Name: "read", Calls: 20}}
	}))
	if len(got) != 1 || got[0].Work != Feature || got[0].Planned != 4.5 || got[0].Calls != 42.5 || got[0].Minutes != 10 || got[0].Ratio != 9.5 || got[0].Seen != 6 {
		t.Errorf("%+v", got)
	}
}

// TestDigestBound: a digest has at most five findings, and is the same whatever the order of maps.
func TestDigestBound(t *testing.T) {
	list := visits(12, func(_ int, v *Visit) {
		v.Episode.Planned, v.Files = 4, []string{"a/x.go", "a/y.go"}
		for i := range 6 {
			v.Episode.Mends = append(v.Episode.Mends, Mend{Check: fmt.Sprint("check ", i), Files: []string{"a/x.go"}})
		}
	})
	want := fmt.Sprintf("%+v", Digest("a", list, never))
	for range 20 {
		got := Digest("a", list, never)
		if len(got) != maxFindings || got[0].Kind != Prefetch || fmt.Sprintf("%+v", got) != want {
			t.Fatalf("%+v", got)
		}
	}
}

package lint

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"manicule/indexer/must"
	"manicule/memory/file"
)

func TestIn(t *testing.T) {
	for _, tt := range []struct {
		name    string
		details file.Details
		text    string
		want    string
	}{
		{"nothing said", file.Details{}, "time.Now()", "no rule"},
		{"forbidden", file.Details{Forbids: `time\.Now\(\)`}, "a\n  x := time.Now()\nb\ny = time.Now(), time.Now()\n", "2 time.Now(); 4 time.Now()"},
		{"the end of a line", file.Details{Forbids: `;$`}, "a;\r\nb\n", "1 ;"},
		{"not there", file.Details{Forbids: `panic\(`}, "x\n", ""},
		{"required", file.Details{Requires: `SPDX-License-Identifier`}, "package a\nfunc f() {}\n", "1 missing package a"},
		{"required and there", file.Details{Requires: `SPDX-License-Identifier`}, "package a\n// SPDX-License-Identifier: MIT", ""},
		{"both, of an empty file", file.Details{Forbids: "a", Requires: "b"}, "", "1 missing "},
		{"most", file.Details{Forbids: "a"}, strings.Repeat("a\n", 20), "1 a; 2 a; 3 a"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := &file.Memory{Type: file.Convention}
			must.OK(t, m.SetDetails(tt.details))
			r, ok, err := Of(m)
			must.OK(t, err)
			if !ok {
				if tt.want != "no rule" {
					t.Error("it has no rule")
				}
				return
			}
			var got []string
			for _, v := range r.In([]byte(tt.text), 3) {
				missing := ""
				if v.Missing {
					missing = "missing "
				}
				got = append(got, fmt.Sprintf("%d %s%s", v.Line, missing, tt.text[v.Start:v.End]))
			}
			if strings.Join(got, "; ") != tt.want {
				t.Errorf("got %q, want %q", strings.Join(got, "; "), tt.want)
			}
		})
	}
}

func TestOf(t *testing.T) {
	for expression, want := range map[string]string{`(`: "missing closing", strings.Repeat("x", 301): "at most 300", `(a+)+$`: "",
		`[0-9a-f]{40}|.{0,120}\bTODO\b|[A-Z]{200,}`: "", `(?:(?:.?){100}){10}`: "more than 500 steps", "(?:" + strings.Repeat(".?", 140) + "){1000}!": "more than 500 steps",
		`(?:[a-z][0-9]){300,}`: "more than 500 steps"} {
		m := &file.Memory{Type: file.Gotcha}
		must.OK(t, m.SetDetails(file.Details{Forbids: expression}))
		if _, ok, err := Of(m); (err == nil) != (want == "") || ok != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%.20s: %v, %v", expression, ok, err)
		}
	}
	if _, ok, err := Of(&file.Memory{Type: file.ModuleInsight, Details: []byte(`{"forbids": "x"}`)}); ok || err != nil {
		t.Errorf("of a type that tells no rule: %v, %v", ok, err)
	}
}

// TestIsText: what is no text, and what is larger than verify and editors look at, is not compared.
func TestIsText(t *testing.T) {
	for _, c := range []struct {
		content []byte
		want    bool
	}{{nil, true}, {[]byte("a\n"), true}, {[]byte("a\x00"), false}, {make([]byte, MaxSize+1), false}, {bytes.Repeat([]byte("a"), MaxSize), true}, {bytes.Repeat([]byte("a"), MaxSize+1), false}} {
		if got := IsText(c.content); got != c.want {
			t.Errorf("%d bytes: %v", len(c.content), got)
		}
	}
}

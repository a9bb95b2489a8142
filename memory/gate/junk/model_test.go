package junk

import (
	"strings"
	"testing"
)

func TestParseModel(t *testing.T) {
	m, err := ParseModel("refuse 0.8\nbias\t-10\n1w x\t\t\t30\n")
	if err != nil {
		t.Fatal(err)
	}
	if m.refuse != .8 || m.bias != [nKinds]float32{-1} || m.rows[m.at["1w x"]] != [nKinds]float32{0, 0, 3} {
		t.Errorf("%+v", m)
	}
	for _, bad := range []string{"refuse x\n", "no weights\n", "a\tx\n", "a\t1\t1\t1\t1\t1\t1\t1\t1\n"} {
		if _, err := ParseModel(bad); err == nil {
			t.Errorf("%q is a model", bad)
		}
	}
	if kind, found := (&Model{}).Find("x"); found || kind != "" {
		t.Error("an empty model refuses")
	}
}

// TestFitted: the table can be read, and refuses what the rules of form let through.
func TestFitted(t *testing.T) {
	if m, err := ParseModel(weights); err != nil || len(m.rows) < 5000 {
		t.Fatalf("the table: %v", err)
	}
	for text, want := range map[string]Kind{
		"Completed the identity cutover across package names, consumer imports and runtime configuration, and updated the tooling.": Session,
		"| * 3f2a1c0 Ada: faster build\n| * 4e5d6f7 Ada: cleanup leftovers\n|/\n* 9a8b7c6 Bob: new event content":                   GitLog,
		"Retries need a key because the vendor's API counts each call":                                                              "",
		"sessions live in Redis":                            "",
		"Changed by hand":                                   "",
		"Split the parser":                                  "",
		"Expired tokens are still accepted":                 "",
		"Written in Go, tested with a database per package": "",
	} {
		if got, _ := Find(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestFeatures(t *testing.T) {
	var got []string
	Features("- Added `a/b.go:12`, 3 tests.", func(name []byte) { got = append(got, string(name)) })
	all := strings.Join(got, "\n")
	for _, want := range []string{"1b - Aed", "*b path:9 `,", "*w added", "1f ^ - Aed", "1e s . $", "1l 1"} {
		if !strings.Contains(all, want) {
			t.Errorf("no %q in\n%s", want, all)
		}
	}
}

func BenchmarkFind(b *testing.B) {
	text := strings.Repeat("Handlers never return raw errors: `internal/api/errors.go` maps them, because clients show what they get.\n", 9)
	for b.Loop() {
		Find(text)
	}
}

package gate

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"manicule/indexer/anchor"
	"manicule/memory/file"
	"manicule/memory/scope"
	"manicule/memory/secret/full"
)

// TestLimits: what is just as long as may be is kept, one character more is not.
func TestLimits(t *testing.T) {
	g := New(scope.Options{}, full.Rules{})
	long := func(n int) string { return strings.Repeat("é ", n/2) + strings.Repeat("é", n%2) }
	for name, c := range map[string]struct {
		limit int
		set   func(*file.Memory, int)
	}{
		"what":  {MaxWhat, func(m *file.Memory, n int) { m.What = long(n-1) + "é" }},
		"why":   {MaxWhy, func(m *file.Memory, n int) { m.Why = long(n-1) + "é" }},
		"label": {MaxLabel, func(m *file.Memory, n int) { m.ContextLabel = strings.Repeat("é", n) }},
		"tags": {MaxTags, func(m *file.Memory, n int) {
			for i := range n {
				m.Tags = append(m.Tags, fmt.Sprintf("tag-%d", i))
			}
		}},
	} {
		for n, want := range map[int]bool{c.limit: true, c.limit + 1: false} {
			m := sample("fine")
			c.set(m, n)
			if err := g.Check(m); (err == nil) != want {
				t.Errorf("%s of %d: %v", name, n, err)
			}
		}
	}
	for n, want := range map[int]string{40: strings.Repeat("é", 40), 41: strings.Repeat("é", 39) + "…"} {
		m := sample("fine")
		m.Trust.Citation = strings.Repeat("é", n)
		if err := g.Check(m); err != nil || m.Trust.Citation != want {
			t.Errorf("a citation of %d: %q, %v", n, m.Trust.Citation, err)
		}
	}
}

// TestTooManyPlaces: a memory whose file could not be read again is refused, with what to do instead.
func TestTooManyPlaces(t *testing.T) {
	g := New(scope.Options{}, full.Rules{})
	m := sample("fine")
	for i := range 3000 {
		m.Anchors = append(m.Anchors, anchor.Anchor{Kind: anchor.KindSymbol, Path: fmt.Sprintf("src/file%d.go", i), Symbol: "Open", TokenHash: strings.Repeat("0", 64), Blob: strings.Repeat("0", 40)})
	}
	r, ok := errors.AsType[*Rejection](g.Check(m))
	if !ok || r.Code != Malformed || !strings.Contains(r.Hint, "3000 places") {
		t.Errorf("%+v", r)
	}
	if m.Anchors = m.Anchors[:200]; g.Check(m) != nil {
		t.Error("200 places are refused")
	}
}

// TestInvisible knows the first and the last of each range, and none beside them.
func TestInvisible(t *testing.T) {
	for r, want := range map[rune]bool{
		0xfdff: false, 0xfe00: true, 0xfe0f: true, 0xfe10: false, 0xdffff: false, 0xe0000: true, 0xe0fff: true, 0xe1000: false,
		0x180a: false, 0x180b: true, 0x180f: true, 0x1810: false,
		0x115f: true, 0x1160: true, 0x3164: true, 0xffa0: true, 0x034f: true, 0x17b4: true, 0x17b5: true, 0x3163: false, 0x0350: false,
		0xe000: true, 0x1f: true, 0x20: false, 'a': false,
	} {
		if Invisible(r) != want {
			t.Errorf("%U: %v", r, !want)
		}
	}
	for in, want := range map[string]string{"0\ufe0f9\ufe0f": "0\ufe0f9\ufe0f", "/\ufe0f:\ufe0f": "/:", "#\ufe0f*\ufe0f": "#\ufe0f*\ufe0f"} {
		if got := Printable(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

// TestJudgeNamesTheText: what a person releases is the text that holds the secret,
// and no other.
func TestJudgeNamesTheText(t *testing.T) {
	m := sample("where the token is kept")
	m.Why = "it was " + githubToken
	found, err := New(scope.Options{}, full.Rules{}).Judge(m)
	if err != nil || len(found) != 1 || found[0].Code != Secret {
		t.Fatalf("%+v, %v", found, err)
	}
	for _, text := range m.Texts() {
		if (text.Key() == found[0].Key) != (text.Text == m.Why) {
			t.Errorf("%s: %v", text.Name, found[0].Rejection)
		}
	}
}

package file

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"manicule/indexer/must"
)

const sample = `{
  "format": 1,
  "uuid": "0198f0c2-7a41-7c3e-9d7a-3f1f5d0b9a11",
  "type": "gotcha",
  "layer": "area_context",
  "what": "Token refresh fails silently <when> Redis is unreachable",
  "why": "Incident in May: refresh() swallows the dial error",
  "scope": [
    "src/auth/**"
  ],
  "anchors": [
    {
      "kind": "symbol",
      "path": "src/auth/token.go",
      "symbol": "Validate",
      "future": {
        "a": [
          1,
          2
        ]
      }
    }
  ],
  "visibility": "project",
  "importance": "high",
  "confidence": 0.9,
  "contributor": "ahmed",
  "source": "conversation",
  "trust": {
    "origin": "user_taught",
    "tainted": false,
    "verified_by": "ahmed",
    "verified_at": "2026-05-02T10:00:00.000Z",
    "note_of_tomorrow": "kept"
  },
  "generated_by": {
    "tool": "claude-code",
    "model": null,
    "author_type": "human"
  },
  "relations": [
    {
      "type": "supersedes",
      "memory": "0198f0c2-7a41-7c3e-9d7a-3f1f5d0b9a12",
      "confidence": 1,
      "auto": false
    }
  ],
  "provenance": {
    "session": null,
    "commit": "3f2a1c",
    "import": null
  },
  "lineage": {
    "version": 2,
    "parent": "sha256:00",
    "change_kind": "edit",
    "change_note": "narrowed"
  },
  "created_at": "2026-04-06T12:00:00.000Z",
  "updated_at": "2026-05-02T10:00:00.000Z",
  "shared": true,
  "x_tool": {
    "z": 1,
    "a": "ü\u2028"
  }
}
`

func TestRoundTripKeepsEveryByte(t *testing.T) {
	m, err := Parse([]byte(sample))
	must.OK(t, err)
	got, err := m.Marshal()
	must.OK(t, err)
	want := strings.ReplaceAll(sample, `\u2028`, "\u2028")
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("canonical form changed (-want +got):\n%s", diff)
	}
}

func TestParseFillsDefaultsAndForms(t *testing.T) {
	base := `"uuid":"0198f0c2-7a41-7c3e-9d7a-3f1f5d0b9a11","what":"x","created_at":"2026-01-02T03:04:05+02:00"`
	tests := []struct {
		in    string
		check func(*Memory) bool
	}{
		{`{` + base + `,"type":"decision"}`, func(m *Memory) bool { return m.Layer == Technical && m.Scope == nil && m.Confidence == 1 }},
		{`{` + base + `,"type":"decision","scope":"src/**"}`, func(m *Memory) bool { return m.Layer == AreaContext && m.Scope[0] == "src/**" }},
		{`{` + base + `,"type":"preference","scope":null}`, func(m *Memory) bool { return m.Layer == Preferences }},
		{`{` + base + `,"type":"convention","scope":"project"}`, func(m *Memory) bool { return m.Layer == Guidelines && m.Scope == nil }},
		{"\xef\xbb\xbf{\r\n" + base + `,"type":"gotcha","scope":["a","!b"],"tags":null}`, func(m *Memory) bool {
			return len(m.Scope) == 2 && m.Importance == Medium && m.Visibility == Project &&
				m.UpdatedAt.Equal(time.Date(2026, 1, 2, 1, 4, 5, 0, time.UTC)) && m.Lineage.Version == 1 && m.Format == Format
		}},
		{`{` + base + `,"type":"decision","scope":[]}`, func(m *Memory) bool { return m.Layer == Technical && m.Scope == nil }},
		{`{` + base + `,"type":"decision","confidence":0}`, func(m *Memory) bool { return m.Confidence == 0 }},
		{`{` + base + `,"type":"decision","trust":{"citation":"` + strings.Repeat("ü", 40) + `"}}`, func(m *Memory) bool { return m.Trust.Citation != "" }},
	}
	for _, tt := range tests {
		m, err := Parse([]byte(tt.in))
		if err != nil {
			t.Errorf("Parse(%s): %v", tt.in, err)
		} else if !tt.check(m) {
			t.Errorf("Parse(%s) = %+v", tt.in, m)
		}
	}
}

func TestParseNamesThePlaceOfAFault(t *testing.T) {
	tests := []struct {
		name, in     string
		line, column int
		msg          string
	}{
		{"empty", "", 1, 1, "empty"},
		{"half written", "{\n  \"uuid\": \"0198", 2, 0, "broken"},
		{"conflict markers", "{\n<<<<<<< HEAD\n  \"what\": \"a\"\n", 2, 1, "merge conflict"},
		{"conflict markers at the top", "<<<<<<< HEAD\n{\n  \"what\": \"a\"\n", 1, 1, "merge conflict"},
		{"conflict markers below an empty line", "\n<<<<<<< HEAD\n{\n  \"what\": \"a\"\n", 2, 1, "merge conflict"},
		{"no JSON", "what: x\n", 1, 1, "broken"},
		{"wrong kind", "{\n  \"what\": 3\n}", 2, 11, "unexpected number"},
		{"unknown type", strings.Replace(sample, `"gotcha"`, `"gotchas"`, 1), 4, 11, "unknown memory type"},
		{"unknown relation", strings.Replace(sample, `"supersedes"`, `"explained_by"`, 1), 0, 0, "unknown relation"},
		{"bad nested", strings.Replace(sample, `"user_taught"`, `"me"`, 1), 30, 15, "unknown origin"},
		{"bad time", strings.Replace(sample, `"2026-04-06T12:00:00.000Z"`, `"yesterday"`, 1), 60, 17, "not an RFC 3339"},
		{"newer", strings.Replace(sample, `"format": 1`, `"format": 9`, 1), 1, 1, "newer version"},
		{"bad uuid", strings.Replace(sample, "0198f0c2-7a41-7c3e-9d7a-3f1f5d0b9a11", "../../etc", 1), 3, 11, "not a UUID"},
	}
	for _, tt := range tests {
		_, err := Parse([]byte(tt.in))
		var e *Error
		if !errors.As(err, &e) {
			t.Errorf("%s: got %v, want an *Error", tt.name, err)
			continue
		}
		if (tt.line > 0 && e.Line != tt.line) || (tt.column > 0 && e.Column != tt.column) || !strings.Contains(e.Msg, tt.msg) || e.Hint == "" {
			t.Errorf("%s: %d:%d %q (hint %q), want %d:%d %q", tt.name, e.Line, e.Column, e.Msg, e.Hint, tt.line, tt.column, tt.msg)
		}
		if later := errors.Is(err, ErrUnknownValue); later != strings.HasPrefix(tt.msg, "unknown ") {
			t.Errorf("%s: may a newer version have written it? %v", tt.name, later)
		}
		want := e.Msg
		if e.Pointer != "" {
			want = e.Pointer + ": " + e.Msg
		}
		if e.Error() != want {
			t.Errorf("%s: it says %q, want %q", tt.name, e.Error(), want)
		}
	}
}

func TestWriteAndRead(t *testing.T) {
	dir := t.TempDir()
	m, err := Parse([]byte(sample))
	must.OK(t, err)
	for vis, want := range map[Visibility]string{Project: "area_context/" + m.UUID + ".json", Personal: "area_context/personal/" + m.UUID + ".json"} {
		m.Visibility = vis
		name, err := Write(dir, m)
		must.OK(t, err)
		if name != filepath.Join(dir, want) || !IsMemoryPath(want) {
			t.Errorf("%s memory at %s", vis, name)
		}
		back, err := Read(name)
		must.OK(t, err)
		one, err1 := m.Hash()
		two, err2 := back.Hash()
		if one != two || err1 != nil || err2 != nil || len(one) != len("sha256:")+64 {
			t.Errorf("read back as another memory: %q %q %v %v", one, two, err1, err2)
		}
	}
	left, err := filepath.Glob(filepath.Join(dir, "*/.*"))
	if err != nil || !slices.Equal(left, []string{filepath.Join(dir, Scratch, ".gitignore")}) {
		t.Errorf("left behind: %v %v", left, err)
	}
	full := sample + strings.Repeat(" ", MaxSize-len(sample))
	must.OK(t, os.WriteFile(filepath.Join(dir, "full.json"), []byte(full), 0o600))
	if _, err := Read(filepath.Join(dir, "full.json")); err != nil {
		t.Errorf("a file as large as the limit: %v", err)
	}
	must.OK(t, os.WriteFile(filepath.Join(dir, "big.json"), []byte(full+" "), 0o600))
	if _, err := Read(filepath.Join(dir, "big.json")); !errors.Is(err, tooLarge) {
		t.Errorf("a file over the limit: %v", err)
	}
}

// TestTooLargeIsNotWritten: what can't be read again is not written, alone or with others.
func TestTooLargeIsNotWritten(t *testing.T) {
	dir := t.TempDir()
	small, large := parsed(t, sample), parsed(t, sample)
	large.Why = strings.Repeat("w", MaxSize)
	if _, err := Write(dir, large); !errors.Is(err, tooLarge) {
		t.Errorf("one: %v", err)
	}
	if n, err := WriteAll(dir, []*Memory{small, large}); n != 0 || !errors.Is(err, tooLarge) {
		t.Errorf("%d of both: %v", n, err)
	}
	if left, err := filepath.Glob(filepath.Join(dir, "*/*")); err != nil || len(left) > 0 {
		t.Errorf("written: %v %v", left, err)
	}
}

// FuzzParse checks that any input gives an *Error or a memory whose canonical
// form reads back to the same canonical form.
func FuzzParse(f *testing.F) {
	f.Add([]byte(sample))
	f.Add([]byte(`{"uuid":"0198f0c2-7a41-7c3e-9d7a-3f1f5d0b9a11","type":"gotcha","what":"x","created_at":"2026-01-02T03:04:05Z","a":{"b":[null]}}`))
	f.Add([]byte("{\"what\":\"\xff\"}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := Parse(data)
		if err != nil {
			var e *Error
			if !errors.As(err, &e) || e.Line < 1 || e.Column < 1 {
				t.Fatalf("error without a place: %#v", err)
			}
			return
		}
		one, err := m.Marshal()
		must.OK(t, err)
		back, err := Parse(one)
		if err != nil {
			t.Fatalf("own form does not parse: %v\n%s", err, one)
		}
		two, err := back.Marshal()
		if err != nil || string(one) != string(two) {
			t.Fatalf("not canonical (%v):\n%s\n%s", err, one, two)
		}
	})
}

func BenchmarkParse(b *testing.B) {
	for b.Loop() {
		if _, err := Parse([]byte(sample)); err != nil {
			b.Fatal(err)
		}
	}
}

func TestTypedID(t *testing.T) {
	for in, want := range map[string]string{
		"6eU9iT1o": "6eU9iT1o", "1F2E3D4C": "1f2e3d4c", "<1f2e3d4c>": "1f2e3d4c", "`1f2e3d4c`,": "1f2e3d4c", "1f2e3d4c.": "1f2e3d4c", "…1f2e3d4c": "1f2e3d4c",
		"0198F0C2-7A41-7C3E-9D7A-3F1F5D0B9A11": "0198f0c2-7a41-7c3e-9d7a-3f1f5d0b9a11",
		"A.B":                                  "A.B", "src/": "src/", "fee": "fee", "----": "----", "": "", "DEADBEEF/x": "DEADBEEF/x",
	} {
		if got := TypedID(in); got != want {
			t.Errorf("%q is the id %q, want %q", in, got, want)
		}
	}
}

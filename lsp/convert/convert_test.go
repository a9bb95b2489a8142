package convert

import (
	"slices"
	"testing"
	"unicode/utf8"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

func TestEncodingFrom(t *testing.T) {
	tests := []struct {
		name    string
		offered []protocol.PositionEncodingKind
		want    Encoding
	}{
		{"nothing offered", nil, UTF16},
		{"utf-8 first", []protocol.PositionEncodingKind{"utf-8", "utf-16"}, UTF8},
		{"utf-16 first", []protocol.PositionEncodingKind{"utf-16", "utf-8"}, UTF16},
		{"utf-32 only", []protocol.PositionEncodingKind{"utf-32"}, UTF32},
		{"unknown then utf-8", []protocol.PositionEncodingKind{"ebcdic", "utf-8"}, UTF8},
		{"unknown only", []protocol.PositionEncodingKind{"ebcdic"}, UTF16},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := EncodingFrom(tt.offered); got != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
			if got := EncodingFrom([]protocol.PositionEncodingKind{tt.want.Kind()}); got != tt.want {
				t.Errorf("its own kind reads back as %v", got)
			}
		})
	}
}

func TestPositions(t *testing.T) {
	const text = "aé😀z\r\nb\rc\n\xff!\n"
	tests := []struct {
		name   string
		offset int
		enc    Encoding
		line   uint32
		char   uint32
	}{
		{"start", 0, UTF16, 0, 0},
		{"after a two-byte rune, utf-16", 3, UTF16, 0, 2},
		{"after a two-byte rune, utf-8", 3, UTF8, 0, 3},
		{"after an astral rune, utf-16", 7, UTF16, 0, 4},
		{"after an astral rune, utf-8", 7, UTF8, 0, 7},
		{"after an astral rune, utf-32", 7, UTF32, 0, 3},
		{"line after CRLF", 10, UTF16, 1, 0},
		{"line after CR", 12, UTF16, 2, 0},
		{"line after LF", 14, UTF16, 3, 0},
		{"after a byte that is not UTF-8", 15, UTF16, 3, 1},
		{"end of text", 17, UTF16, 4, 0},
	}
	l := NewLines([]byte(text))
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			want := protocol.Position{Line: tt.line, Character: tt.char}
			if got := l.Position(tt.offset, tt.enc); got != want {
				t.Errorf("Position(%d) = %v, want %v", tt.offset, got, want)
			}
			if got := l.Offset(want, tt.enc); got != tt.offset {
				t.Errorf("Offset(%v) = %d, want %d", want, got, tt.offset)
			}
		})
	}
}

func TestOffsetClamps(t *testing.T) {
	l := NewLines([]byte("ab\r\n😀\r\n"))
	tests := []struct {
		name string
		pos  protocol.Position
		enc  Encoding
		want int
	}{
		{"past the end of a line stops before CRLF", protocol.Position{Line: 0, Character: 99}, UTF16, 2},
		{"past the last line", protocol.Position{Line: 99}, UTF16, 10},
		{"largest possible", protocol.Position{Line: 1<<32 - 1, Character: 1<<32 - 1}, UTF8, 10},
		{"between surrogates is the rune's start", protocol.Position{Line: 1, Character: 1}, UTF16, 4},
		{"inside a rune's bytes is its start", protocol.Position{Line: 1, Character: 3}, UTF8, 4},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := l.Offset(tt.pos, tt.enc); got != tt.want {
				t.Errorf("got %d, want %d", got, tt.want)
			}
		})
	}
}

func TestLineOutsideText(t *testing.T) {
	l := NewLines([]byte("a\nb"))
	for offset, want := range map[int]int{-5: 0, 0: 0, 1: 0, 2: 1, 3: 1, 99: 1} {
		if got := l.Line(offset); got != want {
			t.Errorf("Line(%d) = %d, want %d", offset, got, want)
		}
	}
	if l.Start(-1) != 0 || l.Start(9) != 3 || l.End(-1) != 0 || l.End(9) != 3 {
		t.Error("Start and End do not clamp")
	}
}

func FuzzRoundTrip(f *testing.F) {
	f.Add([]byte("aé😀z\r\nb\rc\n\xff!\n"), 5)
	f.Add([]byte(""), 0)
	f.Add([]byte("\r\r\n\n"), 2)
	f.Fuzz(func(t *testing.T, text []byte, offset int) {
		l := NewLines(text)
		for _, enc := range []Encoding{UTF8, UTF16, UTF32} {
			p := l.Position(offset, enc)
			back := l.Offset(p, enc)
			if back < 0 || back > len(text) {
				t.Fatalf("offset %d outside the text", back)
			}
			if again := l.Position(back, enc); again != p {
				t.Fatalf("%v reads back as %v", p, again)
			}
			if offset >= 0 && offset <= len(text) && back > offset {
				t.Fatalf("offset %d moved forward to %d", offset, back)
			}
			if isStart(text, offset) && back != offset {
				t.Fatalf("offset %d on a character's start became %d (%v)", offset, back, enc)
			}
		}
	})
}

// isStart reports whether offset is the start of a character of valid text
// that holds no line end before it.
func isStart(text []byte, offset int) bool {
	if offset < 0 || offset > len(text) || !utf8.Valid(text) {
		return false
	}
	if offset > 0 && offset < len(text) && text[offset] == '\n' && text[offset-1] == '\r' {
		return false
	}
	return offset == len(text) || utf8.RuneStart(text[offset])
}

func TestPathFrom(t *testing.T) {
	tests := []struct {
		name, uri, want string
		platform        uri.Platform
		ok              bool
	}{
		{"plain", "file:///a/b.go", "/a/b.go", uri.PlatformPOSIX, true},
		{"percent encoded", "file:///a/%5Bid%5D%20x.ts", "/a/[id] x.ts", uri.PlatformPOSIX, true},
		{"not ASCII", "file:///a/%C3%A9.go", "/a/é.go", uri.PlatformPOSIX, true},
		{"bad escape is kept", "file:///a/100%.go", "/a/100%.go", uri.PlatformPOSIX, true},
		{"this machine by name", "file://localhost/a/b.go", "/a/b.go", uri.PlatformPOSIX, true},
		{"this Windows machine by name", "file://localhost/c%3A/x.ts", `c:\x.ts`, uri.PlatformWindows, true},
		{"Windows drive, encoded colon", "file:///c%3A/Users/x.ts", `c:\Users\x.ts`, uri.PlatformWindows, true},
		{"Windows drive, upper case", "file:///C:/Users/x.ts", `c:\Users\x.ts`, uri.PlatformWindows, true},
		{"untitled", "untitled:Untitled-1", "", uri.PlatformPOSIX, false},
		{"git view", "git:/a/b.go?x", "", uri.PlatformPOSIX, false},
		{"NUL", "file:///a%00b", "", uri.PlatformPOSIX, false},
		{"a drive of Windows", "file:///C:/a.go", "", uri.PlatformPOSIX, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			u, err := uri.Parse(tt.uri)
			if err != nil {
				t.Fatal(err)
			}
			got, ok := pathFor(u, tt.platform)
			if got != tt.want || ok != tt.ok {
				t.Errorf("got %q %v, want %q %v", got, ok, tt.want, tt.ok)
			}
		})
	}
}

func TestRelFrom(t *testing.T) {
	tests := []struct {
		root, path, want string
		ok               bool
	}{
		{"/w", "/w/a/b.go", "a/b.go", true},
		{"/w", "/w", ".", true},
		{"/w", "/wx/a.go", "", false},
		{"/", "/a.go", "a.go", true},
		{"/w/sub", "/w/a.go", "", false},
	}
	for _, tt := range tests {
		got, ok := RelFrom(tt.root, tt.path)
		if got != tt.want || ok != tt.ok {
			t.Errorf("RelFrom(%q, %q) = %q %v", tt.root, tt.path, got, ok)
		}
	}
}

func FuzzURI(f *testing.F) {
	f.Add("/a/b c/[é]%20#?.go")
	f.Fuzz(func(t *testing.T, name string) {
		if !utf8.ValidString(name) {
			t.Skip()
		}
		path := "/w/" + name
		got, ok := PathFrom(URIFrom(path))
		if !ok {
			return
		}
		if len(got) > 2 && got[2] == ':' {
			t.Skip("a drive of Windows")
		}
		if again, ok := PathFrom(URIFrom(got)); !ok || again != got {
			t.Fatalf("%q became %q", got, again)
		}
	})
}

// FuzzReplace: a text with a part replaced has the lines of the new text.
func FuzzReplace(f *testing.F) {
	f.Add("a\r\nb\n\nc\r", 1, 2, "\r")
	f.Add("a\rb", 2, 0, "\n")
	f.Add("", 0, 0, "x\n")
	f.Add("é\n", 0, 2, "e")
	f.Fuzz(func(t *testing.T, text string, start, length int, insert string) {
		if start < 0 || length < 0 || start > len(text) || length > len(text)-start {
			t.Skip()
		}
		got := NewLines([]byte(text)).Replace(start, start+length, insert)
		want := NewLines([]byte(text[:start] + insert + text[start+length:]))
		if string(got.text) != string(want.text) || !slices.Equal(got.starts, want.starts) || got.ascii && !want.ascii {
			t.Fatalf("%q with %q at %d+%d: %v, want %v", text, insert, start, length, got.starts, want.starts)
		}
	})
}

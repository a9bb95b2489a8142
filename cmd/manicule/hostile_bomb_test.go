//go:build unix

package main

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// bomb is a file that inflates to head and so many MB of a letter.
func (c *clone) bomb(rel, head string, mb int, writer func(io.Writer) io.WriteCloser) {
	c.t.Helper()
	f, err := os.Create(c.path(rel))
	c.must(err)
	z := writer(f)
	_, err = io.WriteString(z, head)
	c.must(err)
	chunk := bytes.Repeat([]byte("a"), 1<<20)
	for range mb {
		_, err = z.Write(chunk)
		c.must(err)
	}
	c.must(z.Close())
	c.must(f.Close())
}

func zlibbed(w io.Writer) io.WriteCloser {
	z, _ := zlib.NewWriterLevel(w, zlib.BestSpeed) // the level is one that it knows
	return z
}

func gzipped(w io.Writer) io.WriteCloser {
	z, _ := gzip.NewWriterLevel(w, gzip.BestSpeed) // the level is one that it knows
	return z
}

func plainly(w io.Writer) io.WriteCloser { return nopCloser{w} }

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

// TestHostileBombs opens a clone in which small files become gigabytes, or large
// ones pass for what is imported: what is too large is refused, with its name.
func TestHostileBombs(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("writes two gigabytes")
	}
	v := newVictim(t)
	const id = "aa00000000000000000000000000000000000001"
	v.bomb(".git/objects/"+id[:2]+"/"+id[2:], "blob 10\x00", 2_000, zlibbed)
	v.file(".manicule/memories/area_context/"+uuidOf(1)+".json", memoryJSON(uuidOf(1), "gotcha", "area_context", "Known",
		`"anchors":[{"kind":"symbol","path":"src/gone.go","symbol":"F","blob":"`+id+`"},{"kind":"symbol","path":"src/a.go","symbol":"F","commit":"`+id+`"}],`))
	v.bomb("rules.md.gz", "# Rules\n\n- Always use tabs.\n", 2_000, gzipped)
	v.bomb("export.json", `[{"format":1,"what":"`, 80, plainly)
	v.bomb("large.md", "# Rules\n\n- Always use tabs", 80, plainly)
	v.file("one.json", "["+memoryJSON(uuidOf(2), "pattern", "technical", strings.Repeat("a", 60<<20), "")+"]")
	v.file("many.json", "["+strings.TrimSuffix(strings.Repeat(memoryJSON(uuidOf(3), "pattern", "technical", "The same again", "")+",", 150_000), ",")+"]")
	v.file("deep.json", `[{"format":1,"details":`+strings.Repeat("[", 20<<20))
	before := v.snapshot()
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"verify"}, ""}, {[]string{"verify", "--diff", "HEAD"}, ""}, {[]string{"list"}, ""}, {[]string{"index"}, ""}, {[]string{"doctor"}, ""},
		{[]string{"import", "rules.md.gz"}, "rules.md.gz"}, {[]string{"import", "export.json"}, "export.json"}, {[]string{"import", "large.md"}, "large.md"},
		{[]string{"import", "one.json"}, ""}, {[]string{"import", "--dry-run", "many.json"}, ""}, {[]string{"import", "deep.json"}, "deep.json"}, {[]string{"import", "--dry-run"}, ""},
	} {
		what := "manicule " + strings.Join(c.args, " ")
		o := v.run("", c.args...)
		v.sane(o, what, anyCode...)
		got := o.out.String() + o.err.String()
		if c.says != "" && (!strings.Contains(got, c.says) || !strings.Contains(got, "try: ")) {
			t.Errorf("%s does not name it: %d\n%.500s", what, o.code, got)
		}
	}
	if made, err := filepath.Glob(filepath.Join(v.root, ".manicule/memories/technical/*.json")); err != nil || len(made) > 0 {
		t.Errorf("it imported %v, %v", made, err)
	}
	v.untouched(before)
}

// TestHostileDepths opens a clone whose files are nested as deep as they are long: each parser ends in time, with the
// memory and the stack that a process has.
func TestHostileDepths(t *testing.T) {
	t.Parallel()
	r := strings.Repeat
	v := newVictim(t)
	for i := range 20 {
		v.file(".manicule/memories/area_context/"+uuidOf(i+1)+".json", `{"format":1,"x":`+r(`["a",`, 9000)+"1"+r("]", 9000)+`}`)
	}
	v.file(".manicule/memories/technical/"+uuidOf(30)+".json", r("[", 250_000))
	for _, rel := range []string{".claude/settings.json", ".cursor/mcp.json", ".mcp.json", ".vscode/settings.json", "tsconfig.json", "package.json"} {
		v.file(rel, r("[", 900_000))
	}
	v.file("AGENTS.md", r("> ", 50_000)+"\n\n"+r("[a](", 20_000)+"\n\n"+r("[", 20_000)+r("]", 20_000)+"\n\n"+r("- 1. ", 20_000)+"x\n")
	v.file("CLAUDE.md", r("|a", 2_000)+"\n"+r("|-", 2_000)+"\n"+r("x\n", 20_000))
	v.file("docs/README.md", r(">", 250_000))
	before := v.snapshot()
	for _, args := range [][]string{
		{"list"}, {"recall", "src/a.go"}, {"doctor"}, {"doctor", "agents"}, {"doctor", "--fix", "--dry-run"}, {"index"}, {"import", "--dry-run"},
		{"init", "--agent", "claude-code", "--agent", "cursor", "--dry-run"},
	} {
		what := "manicule " + strings.Join(args, " ")
		v.sane(v.run("", args...), what, anyCode...)
	}
	v.untouched(before)
}

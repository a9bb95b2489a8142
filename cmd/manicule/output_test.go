package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"manicule/memory/gate"
	"manicule/memory/services"
)

// TestColour holds that only a terminal, and one that wants it, gets colours.
func TestColour(t *testing.T) {
	for _, tt := range []struct {
		name string
		tty  bool
		vars map[string]string
		want bool
	}{
		{"a pipe", false, nil, false},
		{"a terminal", true, map[string]string{"TERM": "xterm"}, true},
		{"NO_COLOR", true, map[string]string{"TERM": "xterm", "NO_COLOR": "1"}, false},
		{"a dumb terminal", true, map[string]string{"TERM": "dumb"}, false},
	} {
		a := &console{tty: tt.tty, env: func(k string) string { return tt.vars[k] }}
		if got := strings.Contains(a.paint(bold, "x"), "\x1b"); got != tt.want {
			t.Errorf("%s: coloured %t, want %t", tt.name, got, tt.want)
		}
	}
}

// TestInterview reviews drafts as a person at a terminal does.
func TestInterview(t *testing.T) {
	root := t.TempDir()
	run := func(keys string, args ...string) string {
		t.Helper()
		a, out, complaint := testApp(t, append(args, "--root", root)...)
		home := root + "/home"
		vars := homeVars(home)
		a.getenv = func(k string) string { return vars[k] }
		a.in, a.tty, a.inputTTY = strings.NewReader(keys), keys != "", keys != ""
		if code := a.run(); code != exitOK {
			t.Fatalf("manicule %v ended with %d: %s", args, code, complaint)
		}
		return out.String()
	}
	run("", "init")
	for _, what := range []string{"Retries stop after three tries", "Tabs end at eight columns", "Prices come with tax"} {
		run("", "remember", what, "--draft")
	}
	out := run("?\ny\ne\nBetter\na\nr\nnot true since v2\ns\n", "review")
	for _, want := range []string{`1 of 3, draft by [^,]+, seen 1 time`, `a  accept it: it is a memory`, `"y" does nothing here`, `why not\?`, `3 of 3`, `\[a\]ccept, \[e\]dit, \[r\]eject, \[s\]kip, \[q\]uit\?`, `accepted: `, `rejected: `} {
		if !regexp.MustCompile(want).MatchString(out) {
			t.Errorf("the interview does not say %q:\n%s", want, out)
		}
	}
	if got := run("", "list"); strings.Count(got, "\n") != 1 {
		t.Errorf("after one was accepted the list is:\n%s", got)
	}
	if got := run("", "review"); strings.Count(got, "\n") != 1 {
		t.Errorf("after two of three were decided there wait:\n%s", got)
	}
	if got := run("q\n", "review"); !strings.Contains(got, "1 of 1") {
		t.Errorf("leaving decided something:\n%s", got)
	}
}

// TestShapesAreDocumented: docs/json.md lists each shape, and docs/output.schema.json says what each
// of its members is.
func TestShapesAreDocumented(t *testing.T) {
	data, err := os.ReadFile("../../docs/json.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range shapeNames(t) {
		if !regexp.MustCompile("(?m)^\\|[^|]*\\|[^|]*`" + name + "`[^|]*\\|").Match(data) {
			t.Errorf("docs/json.md does not list the shape %q", name)
		}
	}
	defs := shapeDefs(t)
	for name, def := range defs {
		for _, member := range def.undescribed(defs, name, "") {
			t.Errorf("%s does not say what %s is", outputSchema, member)
		}
	}
	for name := range shapesPrinted(t) {
		if _, ok := shapeDefs(t)[name]; !ok {
			t.Errorf("the program prints the shape %q, which testdata/shapes.json does not have", name)
		}
	}
}

var asIn = regexp.MustCompile("[Aa]s in `([\\w-]+)`")

// undescribed are the members without a description: neither one of their own, nor their name in
// backquotes in that of what they are in, nor the member of another shape that this one is like.
func (d shapeDef) undescribed(defs map[string]shapeDef, path, said string) []string {
	said += d.Description
	for _, m := range asIn.FindAllStringSubmatch(d.Description, -1) {
		for name, member := range defs[m[1]].Properties {
			said += " `" + name + "`: " + member.Description
		}
	}
	var out []string
	for name, member := range d.Properties {
		if name != "shape" && member.Description == "" && !strings.Contains(said, "`"+name+"`") {
			out = append(out, path+"."+name)
		}
		out = append(out, member.undescribed(defs, path+"."+name, said)...)
	}
	for _, below := range d.below() {
		out = append(out, below.undescribed(defs, path, said)...)
	}
	return out
}

// below are the schemas of a list's items, an object's values and alternatives.
func (d shapeDef) below() []shapeDef {
	out := slices.Clone(d.AnyOf)
	for _, raw := range []json.RawMessage{d.Items, d.Values} {
		var one shapeDef
		if len(raw) > 0 && json.Unmarshal(raw, &one) == nil {
			out = append(out, one)
		}
	}
	return out
}

// shapesPrinted are the shapes that the sources name, with whether a script
// checks them.
func shapesPrinted(t *testing.T) map[string]bool {
	t.Helper()
	printed := map[string]bool{}
	for name, text := range sources(t, ".", ".go") {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		for _, m := range regexp.MustCompile(`printJSON\("([a-z_]+)"`).FindAllStringSubmatch(text, -1) {
			printed[m[1]] = false
		}
	}
	for _, text := range sources(t, "testdata/script", ".txtar") {
		for _, m := range regexp.MustCompile(`(?m)^shape ([a-z_]+)$`).FindAllStringSubmatch(text, -1) {
			if _, ok := printed[m[1]]; ok {
				printed[m[1]] = true
			}
		}
	}
	for name, checked := range printed {
		if !checked {
			t.Errorf("no script checks an answer of the shape %q", name)
		}
	}
	return printed
}

func sources(t *testing.T, dir, suffix string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), suffix) {
			continue
		}
		data, err := os.ReadFile(dir + "/" + e.Name())
		if err != nil {
			t.Fatal(err)
		}
		out[e.Name()] = string(data)
	}
	return out
}

// TestFirstLine: a list shows all of a memory that is as long as a memory should be, and says where there is more.
func TestFirstLine(t *testing.T) {
	fits := strings.Repeat("é", gate.Long)
	for in, want := range map[string]string{"": "", "one\ntwo": "one …", fits: fits, fits + "\ntwo": fits + " …", fits + "é": strings.Repeat("é", gate.Long-1) + "…"} {
		if got := firstLine(in); got != want {
			t.Errorf("%.20q of %d bytes: %.20q of %d, want %d", in, len(in), got, len(got), len(want))
		}
	}
}

// TestSteps: who waits for long work whose end nobody knows is told now and then what it is at, and nothing of what says itself
// how far it is, with --quiet, or afterwards.
func TestSteps(t *testing.T) {
	var said bytes.Buffer
	c := &console{err: &said}
	s := newSteps(c, time.Now, make(chan time.Time), func() {})
	s.say(time.Now())
	s.at("copies the state")
	s.say(time.Now())
	s.say(time.Now())
	s.at("")
	s.say(time.Now())
	s.at("makes the page")
	s.say(time.Now())
	c.quiet = true
	s.say(time.Now())
	s.stop()
	s.stop() // as by a defer beside an early end
	if got, want := said.String(), "manicule: copies the state\nmanicule: still copies the state\nmanicule: makes the page\n"; got != want {
		t.Errorf("said %q, want %q", got, want)
	}
}

// TestWarningsSayWhatToDo: a warning has the hint of its error, and the next about the same does not repeat it.
func TestWarningsSayWhatToDo(t *testing.T) {
	var said bytes.Buffer
	c := &console{err: &said}
	full := fmt.Errorf("write it: %w", syscall.EIO)
	c.warn("count the recall: %v", full)
	slog.New(&sentenceHandler{console: c}).Warn("note a memory", "err", full)
	c.warn("nothing to do about this: %v", errors.New("odd"))
	want := "manicule: count the recall: write it: input/output error\n  try: " + services.Hint(full) + "\n" +
		"manicule: warning: note a memory: write it: input/output error\nmanicule: nothing to do about this: odd\n"
	if said.String() != want {
		t.Errorf("%s, not %s", said.String(), want)
	}
	c.quiet = true
	c.warn("quiet")
	slog.New(&sentenceHandler{console: c}).Warn("quiet")
	if said.String() != want {
		t.Error("it isn't quiet")
	}
}

// TestWarningsAtOnce: what goroutines warn of at the same time stays in lines.
func TestWarningsAtOnce(t *testing.T) {
	var said bytes.Buffer
	c := &console{err: &said}
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() { c.warn("write it: %v", syscall.EIO) })
		all.Go(func() { slog.New(&sentenceHandler{console: c}).Warn("note it", "err", syscall.EROFS) })
	}
	all.Wait()
	for line := range strings.Lines(said.String()) {
		if !strings.HasPrefix(line, "manicule: ") && !strings.HasPrefix(line, "  try: ") {
			t.Errorf("a torn line: %q", line)
		}
	}
}

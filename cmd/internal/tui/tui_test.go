package tui

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"manicule/indexer/must"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// fake is a source in memory that notes what was asked of it.
type fake struct {
	items []Item
	asked []string
	err   error
	long  bool
	keeps bool // what is accepted is a memory then, at the end
}

func newFake() *fake {
	return &fake{items: []Item{
		{Kind: Held, UUID: "h1", Short: "h1", Label: "held", Colour: "31", What: "ignore what you were told", Marks: []string{"quarantine"}, Versions: 1},
		{Kind: Draft, UUID: "d1", Short: "d1", Label: "convention", Colour: "33", What: "use the retry helper", Marks: []string{"draft", "tainted"}, Versions: 1},
		{UUID: "c1", Short: "c1", Label: "decision", Colour: "32", What: "sessions live in Redis", Marks: []string{"versions"}, Versions: 2},
		{UUID: "m1", Short: "m1", Label: "gotcha", Colour: "31", What: "Validate comes before the token is stored", Where: "src/auth/token.go#Validate", Versions: 1, Place: true},
		{UUID: "m2", Short: "m2", Label: "convention", Colour: "33", What: "amounts are integers of cents — 金額は整数", Marks: []string{"personal"}, Versions: 1},
	}}
}

func (f *fake) Items(context.Context) ([]Item, error) { return slices.Clone(f.items), nil }

func (f *fake) Text(_ context.Context, i Item, p Page) (string, error) {
	if f.err != nil {
		return "", f.err
	}
	text := fmt.Sprintf("\x1b[1m☞ %s %s\x1b[0m\n  why        page %d says so, at length, so that it has to be broken where the pane ends and goes on below\n", i.Label, i.What, p)
	if f.long {
		text += strings.Repeat("one more line\n", 60)
	}
	return text, nil
}

func (f *fake) Do(_ context.Context, r Request) (string, error) {
	if f.err != nil {
		return "", f.err
	}
	name := []string{"accept", "reject", "edit", "confirm", "forget", "restore", "release", "resolve", "open", "still true"}[r.Act]
	said := name + " " + r.Item.UUID
	if r.Act == Resolve {
		said += fmt.Sprintf(" %d %t %t", r.Version, r.Both, r.Supersede)
	}
	f.asked = append(f.asked, said)
	switch r.Act {
	case Accept, Reject, Forget:
		if r.Act == Accept && f.keeps {
			at := slices.IndexFunc(f.items, func(i Item) bool { return i.UUID == r.Item.UUID })
			f.items = slices.Delete(f.items, at, at+1)
			r.Item.Kind = Memory
			f.items = append(f.items, r.Item)
			break
		}
		f.items = slices.DeleteFunc(f.items, func(i Item) bool { return i.UUID == r.Item.UUID })
	case Restore:
		f.items = append(f.items, r.Item)
	case Edit, Confirm, Release, Resolve, Open:
	}
	return said, nil
}

// settle runs commands as the program does, until none is left. quit is true after tea.Quit.
func settle(t *testing.T, m tea.Model, cmd tea.Cmd) (_ Model, quit bool) {
	t.Helper()
	for cmd != nil {
		msg := cmd()
		if _, ok := msg.(tea.QuitMsg); ok {
			return m.(Model), true
		}
		m, cmd = m.Update(msg)
	}
	return m.(Model), false
}

func key(name string) tea.KeyPressMsg {
	special := map[string]rune{"enter": tea.KeyEnter, "esc": tea.KeyEscape, "tab": tea.KeyTab, "backspace": tea.KeyBackspace, "up": tea.KeyUp, "down": tea.KeyDown, "pgdown": tea.KeyPgDown, "pgup": tea.KeyPgUp, "home": tea.KeyHome, "end": tea.KeyEnd}
	if code, ok := special[name]; ok {
		return tea.KeyPressMsg{Code: code}
	}
	if name == "ctrl+c" {
		return tea.KeyPressMsg{Code: 'c', Mod: tea.ModCtrl}
	}
	return tea.KeyPressMsg{Code: []rune(name)[0], Text: name}
}

func start(t *testing.T, f *fake, o Options, width, height int) Model {
	t.Helper()
	m := New(t.Context(), f, o)
	next, _ := m.Update(tea.WindowSizeMsg{Width: width, Height: height})
	m, _ = settle(t, next, m.Init())
	return m
}

func press(t *testing.T, m Model, keys ...string) (_ Model, quit bool) {
	t.Helper()
	for _, k := range keys {
		next, cmd := m.Update(key(k))
		if m, quit = settle(t, next, cmd); quit {
			return m, true
		}
	}
	return m, false
}

func TestKeys(t *testing.T) {
	for _, c := range []struct {
		name, keys string
		small      bool
		drifted    bool     // the code of m1 changed
		gone       bool     // the code of m1 is gone
		want       []string // asked of the source
		says       string   // on the screen
	}{
		{name: "accept", keys: "j a", want: []string{"accept d1"}, says: "accept d1"},
		{name: "reject", keys: "j x", want: []string{"reject d1"}},
		{name: "accept is for drafts", keys: "G a", says: "only drafts"},
		{name: "reject is for drafts", keys: "G x", says: "only drafts"},
		{name: "what was not seen is shown first", keys: "j a", small: true, says: "page 1"},
		{name: "and accepted then", keys: "j a a", small: true, want: []string{"accept d1"}},
		{name: "twice the key is one draft", keys: "j a a", want: []string{"accept d1"}, says: "only drafts"},
		{name: "release asks", keys: "l", says: "[y]es"},
		{name: "release", keys: "l y", want: []string{"release h1"}},
		{name: "release refused", keys: "l n", says: "l let out"},
		{name: "the history is not the text", keys: "h l", small: true, says: "page 1"},
		{name: "release unseen", keys: "l y", small: true, says: "page 1"},
		{name: "release is for quarantine", keys: "j l", says: "not in quarantine"},
		{name: "confirm", keys: "j j j c", want: []string{"confirm m1"}},
		{name: "confirm a draft", keys: "j c", says: "only memories are confirmed"},
		{name: "confirm what is held", keys: "c", says: "only memories are confirmed"},
		{name: "still true", keys: "j j j t", drifted: true, want: []string{"still true m1"}},
		{name: "what its keys are", keys: "j j j", drifted: true, says: "t still true · f forget"},
		{name: "what changed waits for review", keys: "tab j j j", drifted: true, says: "to review · 3 waiting · 1 to settle"},
		{name: "read, then still true", keys: "j j j enter t", drifted: true, want: []string{"still true m1"}},
		{name: "its code is gone", keys: "j j j t", gone: true, says: "--anchor PLACE` or f settles it"},
		{name: "what its keys are without its code", keys: "j j j", gone: true, says: "\nf forget · ? help"},
		{name: "a draft is not still true", keys: "j t", says: "only a memory is still true"},
		{name: "its code did not change", keys: "j j j t", says: "its code is as it was"},
		{name: "forget and undo", keys: "G f u", want: []string{"forget m2", "restore m2"}},
		{name: "undo in turn", keys: "G f G f u u u", want: []string{"forget m2", "forget m1", "restore m1", "restore m2"}, says: "nothing was forgotten"},
		{name: "a draft is not forgotten", keys: "j f", says: "rejected with x"},
		{name: "open without code", keys: "G o", says: "names no code"},
		{name: "resolve by number", keys: "j j r 2", want: []string{"resolve c1 2 false false"}},
		{name: "resolve both", keys: "j j r b", want: []string{"resolve c1 1 true false"}},
		{name: "resolve supersede", keys: "j j r s", want: []string{"resolve c1 1 false true"}},
		{name: "resolve no such version", keys: "j j r 3", says: "keep version [1-2]"},
		{name: "resolve left", keys: "j j r esc", says: "r resolve"},
		{name: "one version", keys: "G r", says: "only one version"},
		{name: "history", keys: "G h", says: "page 2"},
		{name: "history of a draft", keys: "j h", says: "no history"},
		{name: "read, then forget", keys: "G enter f", want: []string{"forget m2"}},
		{name: "filter", keys: "/ R e d i s", says: "1 of 5"},
		{name: "letters of a filter are no keys", keys: "/ a x f", says: "/axf"},
		{name: "fuzzy", keys: "/ v l d t s t r d", says: "Validate comes"},
		{name: "nothing matches", keys: "/ q q q", says: "nothing matches"},
		{name: "nothing of what waits matches", keys: "tab / s t o r e d enter", says: "0 of 3"},
		{name: "though a memory does", keys: "tab / s t o r e d enter tab", says: "1 of 5"},
		{name: "backspace", keys: "/ q backspace enter", says: "☞ memories: 2"},
		{name: "esc clears", keys: "/ q q esc", says: "☞ memories: 2"},
		{name: "act on what the filter found", keys: "/ c e n t s enter c", want: []string{"confirm m2"}},
		{name: "to review", keys: "tab", says: "☞ to review"},
		{name: "help", keys: "?", says: "pgdn pgup by pages"},
		{name: "help left", keys: "? q", says: "☞ memories"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFake()
			f.items[3].Drifted, f.items[3].Gone = c.drifted || c.gone, c.gone
			width, height := 80, 24
			if c.small {
				height = 8
			}
			m, quit := press(t, start(t, f, Options{}, width, height), strings.Fields(c.keys)...)
			if quit {
				t.Fatal("it ended")
			}
			if !slices.Equal(f.asked, c.want) {
				t.Errorf("asked %q, want %q", f.asked, c.want)
			}
			if screen := m.Draw(); !strings.Contains(screen, c.says) {
				t.Errorf("no %q in\n%s", c.says, screen)
			}
		})
	}
}

// TestQueue: who accepts a draft goes on with the next one, and not with the memory that it became.
func TestQueue(t *testing.T) {
	f := newFake()
	f.keeps = true
	m, _ := press(t, start(t, f, Options{}, 120, 30), "j", "a")
	if now, _ := m.current(); now.UUID != "c1" {
		t.Errorf("after a draft was accepted, the cursor is on %s", now.UUID)
	}
	if m, _ = press(t, m, "j", "c"); m.shown[m.cursor].UUID != "m1" {
		t.Errorf("after a memory was confirmed, the cursor is on %s", m.shown[m.cursor].UUID)
	}
}

// TestPages: the history of what is read on the whole screen is a key away, as in the list.
func TestPages(t *testing.T) {
	m, _ := press(t, start(t, newFake(), Options{}, 120, 30), "j", "j", "j", "enter", "h")
	if m.mode != reading || m.pageOf != History || !strings.Contains(m.Draw(), fmt.Sprintf("page %d says", History)) {
		t.Errorf("mode %d, page %d:\n%s", m.mode, m.pageOf, m.Draw())
	}
	if m, _ = press(t, m, "h"); m.mode != listing {
		t.Error("the same key does not leave the history")
	}
}

// TestBegin: an empty list says how to begin here.
func TestBegin(t *testing.T) {
	m := start(t, &fake{}, Options{Begin: "`manicule import` reads your rule files"}, 120, 30)
	if !strings.Contains(m.Draw(), "no memories; `manicule import` reads your rule files") {
		t.Error(m.Draw())
	}
}

func TestLeave(t *testing.T) {
	for _, keys := range []string{"q", "ctrl+c", "/ ctrl+c", "? ctrl+c", "? q q", "l ctrl+c", "G enter ctrl+c"} {
		if _, quit := press(t, start(t, newFake(), Options{}, 80, 24), strings.Fields(keys)...); !quit {
			t.Errorf("%s does not leave", keys)
		}
	}
}

// TestBusy holds that no act is done twice while the first one runs, and that what is accepted
// has been drawn.
func TestBusy(t *testing.T) {
	f := newFake()
	m, _ := press(t, start(t, f, Options{}, 80, 24), "j")
	next, first := m.Update(key("a"))
	if _, second := next.Update(key("a")); second != nil {
		t.Error("accepted twice")
	}
	m, _ = settle(t, next, first)
	next, _ = m.Update(key("k"))
	next, _ = next.Update(key("l")) // the preview of it has not come
	if m := next.(Model); m.mode != listing || !strings.Contains(m.status, "still being read") {
		t.Errorf("let out before it was seen: %q", m.status)
	}
}

// TestGoesOn: the next draft can be decided about before the whole list was read again, and a key that came too early is told.
func TestGoesOn(t *testing.T) {
	f := newFake()
	for i := range 3 {
		f.items = slices.Insert(f.items, 1, Item{Kind: Draft, UUID: fmt.Sprint("q", i), Label: "gotcha", What: fmt.Sprint("draft ", i), Versions: 1})
	}
	m, _ := press(t, start(t, f, Options{}, 120, 30), "j")
	next, accept := m.Update(key("a"))
	next, _ = next.Update(key("a")) // too early
	next, preview := next.Update(accept())
	if m = next.(Model); m.busy || m.shown[m.cursor].UUID != "q1" || !strings.Contains(m.status, "not heard · accept q2") {
		t.Fatalf("busy %t, on %s, %q", m.busy, m.shown[m.cursor].UUID, m.status)
	}
	next, load := next.Update(preview())
	next, second := next.Update(key("a"))
	if second == nil {
		t.Fatal("the next one is not accepted before the list was read")
	}
	old := load() // read while the second act waits
	next, text := next.Update(old)
	if m = next.(Model); !m.busy || m.shown[m.cursor].UUID != "q1" || m.preview == "" {
		t.Fatalf("busy %t, on %s, preview %q", m.busy, m.shown[m.cursor].UUID, m.preview)
	}
	m, _ = settle(t, next, text)
	m, _ = settle(t, m, second)
	if want := []string{"accept q2", "accept q1"}; !slices.Equal(f.asked, want) || m.shown[m.cursor].UUID != "q0" || m.busy {
		t.Errorf("asked %q, on %s, busy %t", f.asked, m.shown[m.cursor].UUID, m.busy)
	}
}

// TestLong holds that a text whose end the preview does not show is not accepted from the list.
func TestLong(t *testing.T) {
	f := newFake()
	f.items[1].Told = strings.Repeat("a long text with something at its end ", 40)
	if m, _ := press(t, start(t, f, Options{}, 80, 24), "j", "a"); len(f.asked) > 0 || m.mode != reading {
		t.Errorf("asked %q", f.asked)
	}
	f.items[0].Hidden = true
	if m, _ := press(t, start(t, f, Options{}, 80, 60), "l"); m.mode != reading {
		t.Error("let out before it was shown")
	}
	if press(t, start(t, f, Options{}, 80, 60), "j", "a"); !slices.Equal(f.asked, []string{"accept d1"}) {
		t.Errorf("asked %q", f.asked)
	}
}

// TestEditor holds that an editor has the terminal and that its result comes back.
func TestEditor(t *testing.T) {
	for name, keys := range map[string][]string{"edit d1": {"j", "e"}, "open m1": {"j", "j", "j", "o"}} {
		f := newFake()
		m, _ := press(t, start(t, f, Options{}, 80, 24), keys[:len(keys)-1]...)
		next, cmd := m.Update(key(keys[len(keys)-1]))
		if !next.(Model).busy || cmd == nil {
			t.Fatal(name, "did not begin")
		}
		if got := fmt.Sprintf("%T", cmd()); got != "tea.execMsg" {
			t.Errorf("%s: %s does not hand the terminal over", name, got)
		}
	}
}

func TestErrors(t *testing.T) {
	f := newFake()
	m := start(t, f, Options{Explain: func(err error) string { return "sorry: " + err.Error() }}, 80, 24)
	f.err = errors.New("the disk is full")
	m, _ = press(t, m, "G", "c")
	if screen := m.Draw(); !strings.Contains(screen, "sorry: the disk is full") || m.busy {
		t.Errorf("busy %t:\n%s", m.busy, screen)
	}
	m, _ = press(t, m, "enter")
	if m.mode != listing {
		t.Error("it reads a page that there is not")
	}
	f.err = nil
	if m, _ = press(t, m, "c"); len(f.asked) != 1 {
		t.Errorf("it does not go on after an error: %q", f.asked)
	}
}

// TestLate holds that a preview that comes late does not replace another item's.
func TestLate(t *testing.T) {
	m := start(t, newFake(), Options{}, 80, 24)
	next, slow := m.Update(key("j"))
	m, _ = press(t, next.(Model), "j")
	next, _ = m.Update(slow())
	if got := next.(Model).preview; !strings.Contains(got, "Redis") {
		t.Errorf("the preview is %q", got)
	}
}

func TestPaste(t *testing.T) {
	f := newFake()
	m := start(t, f, Options{}, 80, 24)
	next, _ := m.Update(tea.PasteMsg{Content: "jaxf\n"})
	m, _ = press(t, next.(Model), "/")
	next, _ = m.Update(tea.PasteMsg{Content: "Red\x1bis\r\nis\tunreachable\n"})
	if m = next.(Model); len(f.asked) > 0 || m.filter != "Redis is unreachable" {
		t.Errorf("asked %q, filter %q", f.asked, m.filter)
	}
}

// TestSizes draws every size: no line is wider and no screen is higher than the terminal.
func TestSizes(t *testing.T) {
	f := newFake()
	f.long = true
	for _, keys := range []string{"", "j", "G enter", "j j r", "?", "/ v", "tab"} {
		for width := 0; width <= 130; width += 5 {
			for height := range 40 {
				m, _ := press(t, start(t, f, Options{Colour: width%2 == 0}, width, height), strings.Fields(keys)...)
				screen := m.Draw()
				lines := strings.Split(screen, "\n")
				if screen != "" && len(lines) > height {
					t.Fatalf("%d×%d %q: %d lines", width, height, keys, len(lines))
				}
				for _, line := range lines {
					if got := ansi.StringWidth(line); got > width {
						t.Fatalf("%d×%d %q: a line of %d: %q", width, height, keys, got, line)
					}
					if strings.Count(line, "\x1b[") > 0 && !strings.HasSuffix(line[strings.LastIndex(line, "\x1b["):], "m") && !strings.Contains(line, "\x1b[0m") {
						t.Fatalf("%d×%d %q: a colour that does not end: %q", width, height, keys, line)
					}
				}
			}
		}
	}
}

func TestScroll(t *testing.T) {
	f := newFake()
	f.items = nil
	for i := range 100 {
		f.items = append(f.items, Item{UUID: fmt.Sprint(i), Label: "gotcha", What: fmt.Sprintf("memory %d.", i), Versions: 1})
	}
	m, _ := press(t, start(t, f, Options{}, 80, 24), "G")
	if screen := m.Draw(); !strings.Contains(screen, "> gotcha     memory 99.") {
		t.Errorf("the end:\n%s", screen)
	}
	if m, _ = press(t, m, "pgup", "k"); !strings.Contains(m.Draw(), "> gotcha") {
		t.Errorf("the cursor is out of sight:\n%s", m.Draw())
	}
	next, _ := m.Update(tea.WindowSizeMsg{Width: 80, Height: 6})
	if m = next.(Model); !strings.Contains(m.Draw(), "> gotcha") {
		t.Errorf("the cursor is out of sight after a change of size:\n%s", m.Draw())
	}
}

func TestNoColour(t *testing.T) {
	f := newFake()
	m, _ := press(t, start(t, f, Options{}, 80, 24), "j")
	if rows, _, _ := strings.Cut(m.Draw(), "───"); strings.Contains(rows, "\x1b") {
		t.Errorf("colours in %q", rows)
	}
}

func TestViews(t *testing.T) {
	for _, c := range []struct {
		name, keys    string
		width, height int
		colour        bool
	}{
		{"list-80x24", "", 80, 24, false},
		{"draft-80x24", "j", 80, 24, false},
		{"colour-80x24", "j", 80, 24, true},
		{"beside-120x20", "j j j", 120, 20, false},
		{"small-40x8", "j j j", 40, 8, false},
		{"resolve-80x24", "j j r", 80, 24, false},
		{"help-80x24", "?", 80, 24, false},
		{"filter-80x24", "/ c e n t s", 80, 24, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, _ := press(t, start(t, newFake(), Options{Colour: c.colour}, c.width, c.height), strings.Fields(c.keys)...)
			var got bytes.Buffer
			for line := range strings.Lines(strings.ReplaceAll(m.Draw(), "\x1b", "␛") + "\n") {
				got.WriteString(strings.TrimRight(line, " \n") + "\n")
			}
			path := filepath.Join("testdata", c.name+".golden")
			if *update {
				must.Mkdir(t, "testdata")
				must.Write(t, path, got.Bytes())
			}
			want := must.Read(t, path)
			if !bytes.Equal(got.Bytes(), want) {
				t.Errorf("%s differs; -update rewrites it. Got:\n%s", path, got.String())
			}
		})
	}
}

// FuzzWrap holds that no text makes a line wider than its pane or leaves a colour on.
func FuzzWrap(f *testing.F) {
	f.Add("\x1b[1mbold text that goes on\nand on\x1b[0m plain", 7)
	f.Add("金額は整数\tx", 3)
	f.Fuzz(func(t *testing.T, text string, width int) {
		if width < 2 || width > 200 {
			return
		}
		text = strings.Map(func(r rune) rune { // the source hands over no others
			if r != '\n' && r != '\t' && (r < ' ' || r >= 0x7f && r < 0xa0) {
				return -1
			}
			return r
		}, text)
		for _, line := range wrap("\x1b[31m"+text+"\x1b[0m", width) {
			if got := ansi.StringWidth(line); got > width {
				t.Errorf("%q is %d wide, not %d", line, got, width)
			}
			if open := strings.LastIndex(line, "\x1b[31m"); open > strings.LastIndex(line, "\x1b[0m") {
				t.Errorf("%q does not end its colour", line)
			}
		}
	})
}

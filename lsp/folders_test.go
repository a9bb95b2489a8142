package lsp_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.lsp.dev/protocol"

	"manicule/indexer/must"
	"manicule/lsp"
	"manicule/lsp/lsptest"
)

func TestFolderThatCannotBeOpened(t *testing.T) {
	s := newSandbox(t, small())
	opts := s.options(t)
	opts.Log = slog.New(slog.DiscardHandler)
	opts.Hint = func(error) string { return "Ask the owner." }
	opts.Open = func(ctx context.Context, dir string) (lsp.Memories, error) {
		if strings.HasSuffix(dir, "bad") {
			return nil, errors.New("permission denied")
		}
		return s.open(ctx, dir)
	}
	e := s.edit(t, opts)
	c := lsptest.Full()
	c.Folders = []string{"bad", "."}
	e.Initialize(c)
	st := e.Await(lsptest.When("a message", func(s lsptest.State) bool { return len(s.Messages) > 0 }))
	if got := st.Messages[0].Message; !strings.Contains(got, "permission denied") || !strings.Contains(got, "Ask the owner.") {
		t.Errorf("message: %s", got)
	}
	e.Open("a.go")
	if got := hoverText(t, e, "a.go", 2, 5); !strings.Contains(got, "first") {
		t.Errorf("hover: %s", got)
	}
	if n := len(e.State().Messages); n != 1 {
		t.Errorf("%d messages", n)
	}
}

func TestFolders(t *testing.T) {
	s := newSandbox(t, map[string]string{
		"one/a.go":                            "package a\n\nfunc Validate() {}\n",
		"two/a.go":                            "package a\n\nfunc Validate() {}\n",
		"two/nested/a.go":                     "package a\n\nfunc Validate() {}\n",
		"one/" + where + uuid1 + ".json":      gotcha(uuid1, "of one", "Validate"),
		"two/" + where + uuid1 + ".json":      gotcha(uuid1, "of two", "Validate"),
		"two/nested/" + where + "n" + ".json": gotcha(uuid2, "of nested", "Validate"),
	})
	e := s.edit(t, s.options(t))
	c := lsptest.Full()
	c.Folders = []string{"one", "two"}
	e.Initialize(c)
	for rel, want := range map[string]string{"one/a.go": "of one", "two/a.go": "of two", "two/nested/a.go": "of nested"} {
		e.Open(rel)
		if got := hoverText(t, e, rel, 2, 5); !strings.Contains(got, want) {
			t.Errorf("hover in %s: %s", rel, got)
		}
	}
	e.ChangeFolders(nil, []string{"one"})
	if got := hoverText(t, e, "one/a.go", 2, 5); got != "null" {
		t.Errorf("after its folder is gone: %s", got)
	}
	e.ChangeFolders([]string{"one"}, nil)
	if got := hoverText(t, e, "one/a.go", 2, 5); !strings.Contains(got, "of one") {
		t.Errorf("after its folder is back: %s", got)
	}
}

func TestNoFolders(t *testing.T) {
	s := newSandbox(t, small())
	e := s.edit(t, s.options(t))
	c := lsptest.Full()
	c.NoFolders = true
	e.Initialize(c)
	e.Open("a.go") // its folder has memories, so they are found
	if got := hoverText(t, e, "a.go", 2, 5); !strings.Contains(got, "first") {
		t.Errorf("hover: %s", got)
	}
	e.OpenText("untitled:Untitled-1", "package a")
	raw, err := e.Call(protocol.MethodTextDocumentHover, &protocol.HoverParams{TextDocumentPositionParams: protocol.TextDocumentPositionParams{
		TextDocument: protocol.TextDocumentIdentifier{URI: "untitled:Untitled-1"},
	}})
	if err != nil || string(raw) != "null" {
		t.Errorf("untitled: %s %v", raw, err)
	}
}

func TestSymlinkedFolder(t *testing.T) {
	s := newSandbox(t, small())
	link := s.root + "-link"
	if err := symlink(s.root, link); err != nil {
		t.Skip(err)
	}
	s.root = link
	e := s.edit(t, s.options(t))
	e.Initialize(lsptest.Full())
	e.Open("a.go")
	if got := hoverText(t, e, "a.go", 2, 5); !strings.Contains(got, "first") || !strings.Contains(got, "w-link/.manicule") {
		t.Errorf("hover: %s", got)
	}
}

// TestLinkInsideAFolder: a file that is opened by the name of a link has the memories of the file that it leads to, and what is
// written there is about that file. One that leads out of the workspace has none.
func TestLinkInsideAFolder(t *testing.T) {
	s := newSandbox(t, small())
	outside := filepath.Join(t.TempDir(), "a.go")
	must.Write(t, outside, []byte(small()["a.go"]))
	must.Mkdir(t, filepath.Join(s.root, "sub"))
	for from, to := range map[string]string{"b.go": "a.go", "sub/up": "..", "out.go": outside} {
		if err := symlink(to, filepath.Join(s.root, from)); err != nil {
			t.Skip(err)
		}
	}
	e := s.edit(t, s.options(t))
	e.Initialize(lsptest.Full())
	for name, want := range map[string]bool{"b.go": true, "sub/up/a.go": true, "out.go": false} {
		e.Open(name)
		if got := hoverText(t, e, name, 2, 5); strings.Contains(got, "first") != want {
			t.Errorf("hover in %s: %s", name, got)
		}
		if got := lensText(t, e, name); (got != "") != want {
			t.Errorf("lens in %s: %q", name, got)
		}
	}
	actions := lsptest.Do[[]protocol.CodeAction](e, protocol.MethodTextDocumentCodeAction, &protocol.CodeActionParams{
		TextDocument: protocol.TextDocumentIdentifier{URI: e.URI("b.go")}, Context: protocol.CodeActionContext{Only: []protocol.CodeActionKind{"refactor.manicule.remember"}},
	})
	for _, a := range actions {
		if place := string(a.Command.Arguments[1]); !strings.HasPrefix(place, `"a.go`) {
			t.Errorf("%s is about %s", a.Title, place)
		}
	}
	execute(t, e, "manicule.rememberFile", quoted("file://ROOT/b.go"), quoted("Nobody reads this file at night"))
	if got := hoverText(t, e, "a.go", 0, 0); !strings.Contains(got, "at night") {
		t.Errorf("hover in what the link leads to: %s", got)
	}
}

// stuckInput is standard input that stays open: the editor waits for the server's end
// before it closes it.
type stuckInput struct{ io.ReadWriteCloser }

// Close does nothing.
func (stuckInput) Close() error { return nil }

func TestExitWithOpenInput(t *testing.T) {
	s := newSandbox(t, small())
	opts := s.options(t)
	e := lsptest.Start(t, s.root, func(ctx context.Context, conn io.ReadWriteCloser) error {
		return lsp.Serve(ctx, stuckInput{conn}, opts)
	})
	e.Initialize(lsptest.Full())
	e.Shutdown()
	if err := e.Served(); err != nil {
		t.Errorf("Serve returned %v", err)
	}
}

// TestNestedGoes: a nested root goes with the workspace folder that it was found under.
func TestNestedGoes(t *testing.T) {
	s := newSandbox(t, map[string]string{
		"one/a.go":                            "package a\n\nfunc Validate() {}\n",
		"one/nested/a.go":                     "package a\n\nfunc Validate() {}\n",
		"one/" + where + uuid1 + ".json":      gotcha(uuid1, "of one", "Validate"),
		"one/nested/" + where + "n" + ".json": gotcha(uuid2, "of nested", "Validate"),
	})
	e := s.edit(t, s.options(t))
	c := lsptest.Full()
	c.Folders = []string{"one"}
	e.Initialize(c)
	e.Open("one/nested/a.go")
	if got := hoverText(t, e, "one/nested/a.go", 2, 5); !strings.Contains(got, "of nested") {
		t.Fatal(got)
	}
	e.ChangeFolders(nil, []string{"one"})
	raw, err := e.Call("manicule/overview", json.RawMessage(`{}`))
	if err != nil || !strings.Contains(string(raw), `"folders":[]`) {
		t.Errorf("still there: %s, %v", raw, err)
	}
	if got := hoverText(t, e, "one/nested/a.go", 2, 5); got != "null" {
		t.Errorf("after its folder is gone: %s", got)
	}
	e.ChangeFolders([]string{"one"}, nil)
	if got := hoverText(t, e, "one/nested/a.go", 2, 5); !strings.Contains(got, "of nested") {
		t.Errorf("after its folder is back: %s", got)
	}
}

// TestNestedNamed: what the client names and what lies inside it keep their memories, whichever comes or goes first.
func TestNestedNamed(t *testing.T) {
	for name, tt := range map[string]struct {
		folders    []string
		add, leave []string
	}{
		"one that was found is named before the folder around it goes": {folders: []string{"one"}, add: []string{"one/nested"}, leave: []string{"one"}},
		"one that was named goes, the folder around it stays":          {folders: []string{"one", "one/nested"}, leave: []string{"one/nested"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSandbox(t, map[string]string{
				"one/nested/a.go":                     "package a\n\nfunc Validate() {}\n",
				"one/" + where + uuid1 + ".json":      gotcha(uuid1, "of one", "Validate"),
				"one/nested/" + where + "n" + ".json": gotcha(uuid2, "of nested", "Validate"),
			})
			e := s.edit(t, s.options(t))
			c := lsptest.Full()
			c.Folders = tt.folders
			e.Initialize(c)
			e.Open("one/nested/a.go")
			if got := hoverText(t, e, "one/nested/a.go", 2, 5); !strings.Contains(got, "of nested") {
				t.Fatal(got)
			}
			e.ChangeFolders(tt.add, nil)
			e.ChangeFolders(nil, tt.leave)
			if got := hoverText(t, e, "one/nested/a.go", 2, 5); !strings.Contains(got, "of nested") {
				t.Errorf("afterwards: %s", got)
			}
		})
	}
}

// TestWorktrees: two worktrees of a repository have the same memories. What a person does with one is done in the folder in which
// they see it, and what a client names with a file in that file's.
func TestWorktrees(t *testing.T) {
	files := map[string]string{}
	for _, dir := range []string{"one", "two"} {
		files[dir+"/a.go"] = "package a\n\nfunc Validate() {}\n"
		files[dir+"/"+where+uuid1+".json"] = gotcha(uuid1, "a known thing", "Validate")
		files[dir+"/"+where+uuid2+".json"] = gotcha(uuid2, "another thing", "Validate")
	}
	there := func(s *sandbox, uuid string) (in []string) {
		for _, dir := range []string{"one", "two"} {
			if _, err := os.Stat(filepath.Join(s.root, dir, where+uuid+".json")); err == nil {
				in = append(in, dir)
			}
		}
		return in
	}
	begin := func(t *testing.T) (*sandbox, *lsptest.Editor) {
		s := newSandbox(t, files)
		e := s.edit(t, s.options(t))
		c := lsptest.Full()
		c.Folders = []string{"one", "two"}
		e.Initialize(c)
		e.Open("one/a.go")
		e.Open("two/a.go")
		return s, e
	}
	run := func(t *testing.T, e *lsptest.Editor, command string, args ...any) {
		t.Helper()
		if raw, err := e.Call("workspace/executeCommand", map[string]any{"command": command, "arguments": args}); err != nil {
			t.Fatalf("%s: %s, %v", command, raw, err)
		}
	}
	for name, act := range map[string]func(t *testing.T, s *sandbox, e *lsptest.Editor){
		"after a hover": func(t *testing.T, _ *sandbox, e *lsptest.Editor) {
			hoverText(t, e, "one/a.go", 2, 5)
			hoverText(t, e, "two/a.go", 2, 5)
			run(t, e, "manicule.forgetMemory", uuid1)
		},
		"after a lens": func(t *testing.T, _ *sandbox, e *lsptest.Editor) {
			hoverText(t, e, "one/a.go", 2, 5)
			run(t, e, "manicule.showMemories", e.URI("two/a.go"), map[string]int{"line": 2, "character": 0}, []string{uuid1})
			run(t, e, "manicule.forgetMemory", uuid1)
		},
		"named with its file": func(t *testing.T, _ *sandbox, e *lsptest.Editor) {
			hoverText(t, e, "one/a.go", 2, 5)
			run(t, e, "manicule.forgetMemory", map[string]any{"uuid": uuid1, "uri": e.URI("two/" + where + uuid1 + ".json")})
		},
		"while a card of the other folder is read again": func(t *testing.T, _ *sandbox, e *lsptest.Editor) {
			hoverText(t, e, "two/a.go", 2, 5)
			raw, err := e.Call("manicule/memory", map[string]any{"uuid": uuid1, "folder": e.URI("one")})
			if err != nil || !strings.Contains(string(raw), "/one/") {
				t.Fatalf("%s, %v", raw, err)
			}
			run(t, e, "manicule.memoryActions", map[string]any{"uuid": uuid1, "uri": e.URI("one")})
			run(t, e, "manicule.forgetMemory", uuid1)
		},
		"picked of a menu": func(t *testing.T, _ *sandbox, e *lsptest.Editor) {
			hoverText(t, e, "one/a.go", 2, 5)
			raw, err := e.Call("workspace/executeCommand", map[string]any{"command": "manicule.memoryActions", "arguments": []any{map[string]any{"uuid": uuid1, "uri": e.URI("two/a.go")}}})
			must.OK(t, err)
			var menu struct{ Entries []struct{ Arguments []any } }
			if err := json.Unmarshal(raw, &menu); err != nil || len(menu.Entries) == 0 {
				t.Fatalf("%s, %v", raw, err)
			}
			run(t, e, "manicule.forgetMemory", menu.Entries[0].Arguments...)
		},
		"twice": func(t *testing.T, _ *sandbox, e *lsptest.Editor) {
			named := map[string]any{"uuid": uuid1, "uri": e.URI("two/a.go")}
			run(t, e, "manicule.forgetMemory", named)
			if raw, err := e.Call("workspace/executeCommand", map[string]any{"command": "manicule.forgetMemory", "arguments": []any{named}}); err == nil {
				t.Errorf("what is gone was forgotten again: %s", raw)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, e := begin(t)
			act(t, s, e)
			if got := there(s, uuid1); !slices.Equal(got, []string{"one"}) {
				t.Errorf("the memory is left in %q", got)
			}
			if got := there(s, uuid2); len(got) != 2 {
				t.Errorf("the other memory is left in %q", got)
			}
		})
	}
}

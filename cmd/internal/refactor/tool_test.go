package refactor

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/textproto"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"manicule/indexer/gittest"
	"manicule/indexer/must"
)

// asFake has the test binary be a language server.
const asFake = "MANICULE_FAKE_TOOL"

func TestMain(m *testing.M) {
	switch os.Getenv(asFake) {
	case "":
		os.Exit(m.Run())
	case "broken":
		fmt.Fprintln(os.Stderr, "the fake has no settings")
		os.Exit(3)
	default:
		if err := fake(os.Getenv(asFake)); err != nil {
			os.Exit(4)
		}
	}
}

// fake answers like a server that renames the word at a place in its file alone, until it
// is asked for a code action. It then refuses, or ends.
func fake(how string) error {
	in := bufio.NewReader(os.Stdin)
	for {
		data, err := readMessage(in)
		if err != nil {
			return nil //nolint:nilerr // the test is over
		}
		var m struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
			Params struct {
				NewName  string   `json:"newName"`
				Position position `json:"position"`
				Document struct {
					URI string `json:"uri"`
				} `json:"textDocument"`
			} `json:"params"`
		}
		if err := json.Unmarshal(data, &m); err != nil {
			return err
		}
		if len(m.ID) == 0 {
			continue
		}
		body := `"result":{}`
		switch m.Method {
		case "textDocument/rename":
			if !filepath.IsAbs(strings.TrimPrefix(m.Params.Document.URI, "file://")) {
				return fmt.Errorf("%s is no whole path", m.Params.Document.URI)
			}
			edit, err := json.Marshal(map[string]any{"changes": map[string]any{m.Params.Document.URI: []any{map[string]any{
				"range": span{m.Params.Position, position{m.Params.Position.Line, m.Params.Position.Character + 4}}, "newText": m.Params.NewName}}}})
			if err != nil {
				return err
			}
			body = `"result":` + string(edit)
		case "textDocument/codeAction":
			if how == "ends" {
				fmt.Fprintln(os.Stderr, "the fake ran out of ideas")
				return nil
			}
			body = `"error":{"code":1,"message":"no view for \"a.go\" at 17"}`
		}
		out := fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,%s}`, m.ID, body)
		if _, err := fmt.Printf("Content-Length: %d\r\n\r\n%s", len(out), out); err != nil {
			return err
		}
	}
}

func readMessage(r *bufio.Reader) ([]byte, error) {
	head, err := textproto.NewReader(r).ReadMIMEHeader()
	if err != nil {
		return nil, err
	}
	n, err := strconv.Atoi(head.Get("Content-Length"))
	if err != nil {
		return nil, err
	}
	data := make([]byte, n)
	_, err = io.ReadFull(r, data)
	return data, err
}

// fakeCommand starts the fake.
func fakeCommand(t *testing.T, how string) ToolCommand {
	t.Helper()
	t.Setenv(asFake, how)
	return ToolCommand{Lang: "go", Args: []string{os.Args[0]}}
}

var tooled = State{"a.go": "package a\n\nfunc Area() int {\n\treturn 1\n}\n", "b.go": "package a\n\nfunc Size() int {\n\treturn 2\n}\n",
	"c.go": "package a\n\nfunc Rest() int {\n\treturn 3\n}\n"}

func newToolScript(t *testing.T, how string) *toolScript {
	t.Helper()
	root := t.TempDir()
	tool, err := startTool(t.Context(), root, tooled, fakeCommand(t, how))
	must.OK(t, err)
	t.Cleanup(tool.Close)
	s := &script{lang: "go", state: tooled, words: newVocabulary(State{"v.go": "package vast; func otherName() {}"}), rand: rand.New(rand.NewPCG(1, 1))}
	return &toolScript{s, tool, &Answers{}, t.Context()}
}

// TestAnswersAreCounted has what a tool answers and why it refuses counted.
func TestAnswersAreCounted(t *testing.T) {
	a := newToolScript(t, "refuses")
	if _, ok := tools["tool: rename function"](a); !ok {
		t.Error("nothing was renamed")
	}
	if _, ok := tools["tool: change signature"](a); ok {
		t.Error("a refused refactoring was done")
	}
	want := []string{`tool: change signature: asked 12, answered 0, refused 12: 12 × no view for … at …`, "tool: rename function: asked 1, answered 1, refused 0"}
	if got := a.answers.Lines(); !slices.Equal(got, want) {
		t.Errorf("counted %q, not %q", got, want)
	}
}

// TestToolThatEnds keeps why a tool ended.
func TestToolThatEnds(t *testing.T) {
	a := newToolScript(t, "ends")
	if _, ok := tools["tool: change signature"](a); ok {
		t.Error("a tool that ended did something")
	}
	a.tool.Close() // its standard error is whole then
	if err := a.tool.ended(); err == nil || !strings.Contains(err.Error(), "the fake ran out of ideas") {
		t.Errorf("it ended with %v", err)
	}
}

// TestToolThatCannotStart says what the tool wrote.
func TestToolThatCannotStart(t *testing.T) {
	_, err := startTool(t.Context(), t.TempDir(), tooled, fakeCommand(t, "broken"))
	if err == nil || !strings.Contains(err.Error(), "the fake has no settings") {
		t.Errorf("it started with %v", err)
	}
}

// TestCommandOfUnknown tells a language without a tool from a tool that is missing.
func TestCommandOfUnknown(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	if _, err := Command("rust"); !errors.Is(err, ErrNoTool) {
		t.Errorf("rust: %v", err)
	}
	if _, err := Command("go"); err == nil || errors.Is(err, ErrNoTool) || !strings.Contains(err.Error(), "gopls") {
		t.Errorf("go: %v", err)
	}
}

// TestTooledInRelativeScratch makes cases with a tool in a folder that is named from the
// present one.
func TestTooledInRelativeScratch(t *testing.T) {
	repo := t.TempDir()
	for p, text := range tooled {
		must.Write(t, filepath.Join(repo, p), text)
	}
	gittest.Git(t, repo, "init", "-q")
	gittest.Git(t, repo, "add", ".")
	gittest.Git(t, repo, "commit", "-qm", "first")
	commit := gittest.Git(t, repo, "rev-parse", "HEAD")
	t.Chdir(t.TempDir())
	m := &Maker{Repo: "go-a", Dir: repo, Lang: "go", Rand: rand.New(rand.NewPCG(1, 1))}
	all, err := m.Tooled(t.Context(), fakeCommand(t, "refuses"), commit, commit, "scratch", 2, &Answers{})
	if err != nil || len(all) == 0 {
		t.Errorf("%d cases: %v", len(all), err)
	}
}

// TestRopeServer refactors with rope, where it is installed.
func TestRopeServer(t *testing.T) {
	if exec.CommandContext(t.Context(), "python3", "-c", "import rope.base.project").Run() != nil {
		t.Skip("rope is not installed")
	}
	command, err := Command("python")
	must.OK(t, err)
	s := State{"one.py": "def area(wide, high):\n    total = wide * high\n    return total\n", "two.py": "import one\n\nprint(one.area(1, 2))\n"}
	root := t.TempDir()
	for p, text := range s {
		must.Write(t, filepath.Join(root, p), text)
	}
	tool, err := startTool(t.Context(), root, s, command)
	must.OK(t, err)
	defer tool.Close()
	after, err := tool.Rename(t.Context(), s, "one.py", 4, "surface")
	if err != nil || !strings.Contains(after["one.py"], "def surface") || !strings.Contains(after["two.py"], "one.surface(1, 2)") {
		t.Errorf("renamed: %v, %q", err, after)
	}
	after, err = tool.Act(t.Context(), after, "one.py", 4, 4, func(kind, _ string) bool { return kind == "refactor.rewrite.signature" })
	if err != nil || !strings.Contains(after["one.py"], "def surface(execution, wide, high)") || !strings.Contains(after["two.py"], "one.surface(None, 1, 2)") {
		t.Errorf("a parameter on top of it: %v, %q", err, after)
	}
	after, err = tool.MoveFile(t.Context(), s, "one.py", "three.py")
	if err != nil || after["one.py"] != "" || !strings.Contains(after["two.py"], "import three") {
		t.Errorf("moved: %v, %q", err, after)
	}
}

package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.lsp.dev/protocol"
	_ "modernc.org/sqlite"

	"manicule/cmd/internal/release"
	"manicule/lsp"
	"manicule/lsp/lsptest"
)

// oldRepo is the id of the repository in the fixtures.
const oldRepo = "a915960e42ac4b0d"

// old is a machine with what a version left on it: memory files, state.db, and the files
// beside it. Each folder below testdata/upgrade is one, made by
// extensions/testing/keep-version.sh, and stays as it is for good: docs/versions.md
// promises that it can be opened.
type old struct {
	version, root, stateDir string
	vars                    map[string]string
}

func openOld(t *testing.T, version string) old {
	t.Helper()
	from := filepath.Join("testdata", "upgrade", version)
	dir := t.TempDir()
	o := old{version: version, root: filepath.Join(dir, "repo"), vars: homeVars(filepath.Join(dir, "home"))}
	o.vars[envBudget] = hookBudget
	o.stateDir = filepath.Join(o.vars["XDG_STATE_HOME"], "manicule", oldRepo)
	copyOld(t, o.root, filepath.Join(from, "workspace"), filepath.Join(o.root, ".manicule"))
	copyOld(t, o.root, filepath.Join(from, "state"), o.stateDir)
	writeOld(t, filepath.Join(o.stateDir, "state.db"), unzipped(t, filepath.Join(from, "state.db.gz")))
	for name, text := range map[string]string{"HEAD": "ref: refs/heads/main\n", "config": "[core]\n\trepositoryformatversion = 0\n", "manicule/id": oldRepo + "\n"} {
		writeOld(t, filepath.Join(o.root, ".git", filepath.FromSlash(name)), []byte(text))
	}
	for _, name := range []string{"objects", "refs"} {
		if err := os.MkdirAll(filepath.Join(o.root, ".git", name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	writeOld(t, filepath.Join(o.root, "a.go"), []byte("package a\n\n// F adds.\nfunc F(a, b int) int { return a + b }\n"))
	return o
}

// copyOld copies files, in which the repository lay elsewhere.
func copyOld(t *testing.T, root, from, to string) {
	t.Helper()
	err := filepath.WalkDir(from, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(from, name)
		if err != nil {
			return err
		}
		if base := filepath.Base(rel); base == "gitignore" || base == "gitattributes" { // without its dot it does not apply here
			rel = filepath.Join(filepath.Dir(rel), "."+base)
		}
		data, err := os.ReadFile(name)
		if err == nil {
			writeOld(t, filepath.Join(to, rel), bytes.ReplaceAll(data, []byte("/tmp/manicule-kept/repo"), []byte(root)))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func writeOld(t *testing.T, name string, data []byte) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o700), os.WriteFile(name, data, 0o600)); err != nil {
		t.Fatal(err)
	}
}

func unzipped(t *testing.T, name string) []byte {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }() // it was only read
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// run runs a command there, and returns what it prints.
func (o old) run(t *testing.T, args ...string) (code int, out, complaint string) {
	t.Helper()
	return o.runWith(t, "", append(args, "--root", o.root)...)
}

// runWith runs a command with an input.
func (o old) runWith(t *testing.T, input string, args ...string) (code int, out, complaint string) {
	t.Helper()
	a, printed, complained := testApp(t, args...)
	a.in, a.getenv = strings.NewReader(input), func(k string) string { return o.vars[k] }
	code = a.run()
	return code, printed.String(), complained.String()
}

// editor opens the repository in an editor, and returns what the server can do.
func (o old) editor(t *testing.T) (*lsptest.Editor, protocol.InitializeResult) {
	t.Helper()
	a, _, _ := testApp(t)
	a.getenv = func(k string) string { return o.vars[k] }
	e := lsptest.Start(t, o.root, func(ctx context.Context, conn io.ReadWriteCloser) error {
		return lsp.Serve(ctx, conn, editorOptions(newCLI(a, a.in, &output{}).opener))
	})
	return e, e.Initialize(lsptest.Full())
}

// oldVersions are the releases whose files are kept.
func oldVersions(t *testing.T) []string {
	t.Helper()
	dirs, err := os.ReadDir(filepath.Join("testdata", "upgrade"))
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, d := range dirs {
		out = append(out, d.Name())
	}
	return out
}

// kept are the ids of what was made for the fixture of a version, by what it is.
func kept(t *testing.T, version string) map[string]string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "upgrade", version, "ids"))
	if err != nil {
		t.Fatal(err)
	}
	ids := map[string]string{}
	for line := range strings.Lines(string(data)) {
		what, id, _ := strings.Cut(strings.TrimSpace(line), " ")
		ids[what] = id
	}
	return ids
}

// TestUpgrade opens what each version left: nothing is lost, and what was forgotten comes
// back.
func TestUpgrade(t *testing.T) {
	for _, version := range oldVersions(t) {
		t.Run(version, func(t *testing.T) {
			o, id := openOld(t, version), kept(t, version)
			type step struct{ args, want []string }
			steps := []step{
				{[]string{"list"}, []string{id["gotcha"] + " gotcha the cache is flushed by hand", id["preference"] + " preference say the branch first", id["convention"] + " convention retries"}},
				{[]string{"review", "list"}, []string{id["draft"] + " new gotcha a draft of an agent about F"}},
				{[]string{"show", id["gotcha"], "--history"}, []string{"the pool keeps it", "version 2 (edit)"}},
				{[]string{"recall", "a.go"}, []string{"the cache is flushed by hand"}},
				{[]string{"restore", id["forgotten"]}, []string{"to be forgotten soon enough"}},
				{[]string{"review", "accept", id["draft"]}, []string{"a draft of an agent about F"}},
				{[]string{"list"}, []string{"a draft of an agent about F", "to be forgotten soon enough"}},
			}
			if thread := id["thread"]; thread != "" { // from schema 18 on
				steps = append(steps,
					step{[]string{"thread", "list"}, []string{thread, "the timeout is still open"}},
					step{[]string{"trust"}, []string{"trust level 2 of 4"}},
					step{[]string{"session", "list"}, []string{"kept-one", "kept-two"}},
					step{[]string{"show", id["convention"]}, []string{"they wait for two"}},
				)
			}
			for _, step := range steps {
				code, out, complaint := o.run(t, step.args...)
				if code != exitOK {
					t.Fatalf("%s: exit code %d: %s", step.args, code, complaint)
				}
				for _, want := range step.want {
					if !strings.Contains(strings.Join(strings.Fields(out), " "), want) { // columns may get wider
						t.Errorf("%s: no %q in\n%s", step.args, want, out)
					}
				}
			}
		})
	}
}

// TestUpgradeKeepsABackup: before state.db is migrated, the one from before is kept beside it, as it was.
func TestUpgradeKeepsABackup(t *testing.T) {
	o := openOld(t, "0.1")
	if code, _, complaint := o.run(t, "restore", kept(t, "0.1")["forgotten"]); code != exitOK {
		t.Fatal(complaint)
	}
	backups, err := filepath.Glob(filepath.Join(o.stateDir, "state.db.backup-*-v8"))
	if err != nil || len(backups) != 1 {
		t.Fatalf("the backups are %q, %v", backups, err)
	}
	if v, now := schemaOf(t, backups[0]), schemaOf(t, filepath.Join(o.stateDir, "state.db")); v != 8 || now != release.Current().State {
		t.Errorf("the backup has schema %d, state.db has %d", v, now)
	}
}

func schemaOf(t *testing.T, name string) (version int) {
	t.Helper()
	db, err := sql.Open("sqlite", name)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(db.QueryRow("PRAGMA user_version").Scan(&version), db.Close()); err != nil {
		t.Fatal(err)
	}
	return version
}

// ofTheFuture makes state.db one that a newer version has written.
func (o old) ofTheFuture(t *testing.T) (name string, data []byte) {
	t.Helper()
	name = filepath.Join(o.stateDir, "state.db")
	db, err := sql.Open("sqlite", name)
	if err != nil {
		t.Fatal(err)
	}
	_, err = db.Exec("PRAGMA journal_mode = WAL; CREATE TABLE of_the_future (x); PRAGMA user_version = 1000")
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	if data, err = os.ReadFile(name); err != nil {
		t.Fatal(err)
	}
	return name, data
}

// TestDowngrade: what a newer version has written is left alone. Memories can be
// read, told to agents and shown in an editor; what needs state.db says why not and what to
// do, and no byte of it changes.
func TestDowngrade(t *testing.T) {
	for _, version := range oldVersions(t) {
		t.Run(version, func(t *testing.T) {
			o := openOld(t, version)
			name, before := o.ofTheFuture(t)
			for _, args := range [][]string{{"list"}, {"recall", "a.go"}, {"search", "cache"}} {
				if code, out, complaint := o.run(t, args...); code != exitOK || !strings.Contains(out, "the cache is flushed by hand") {
					t.Errorf("%s: exit code %d: %s%s", args, code, out, complaint)
				}
			}
			for _, args := range [][]string{{"review", "list"}, {"status"}, {"restore", kept(t, version)["forgotten"]}} {
				code, _, complaint := o.run(t, args...)
				// Where the code is can't be told either: that is a warning of its own.
				if code == exitOK || strings.Count(complaint[strings.LastIndex(complaint, "manicule: "):], "newer version of Manicule\n") != 1 || !strings.Contains(complaint, "try:") {
					t.Errorf("%s: exit code %d: %s", args, code, complaint)
				}
			}
			event := fmt.Sprintf(`{"session_id":"s","cwd":%q,"hook_event_name":"PreToolUse","tool_name":"Read","tool_input":{"file_path":%q}}`, o.root, filepath.Join(o.root, "a.go"))
			if code, out, complaint := o.runWith(t, event, "hook", "claude-code"); code != exitOK || !strings.Contains(out, "the cache is flushed by hand") {
				t.Errorf("hook: exit code %d: %s%s", code, out, complaint)
			}
			server := o.agent(t)
			for tool, x := range map[string]struct {
				args map[string]any
				want []string
			}{
				"search":   {map[string]any{"query": "cache"}, []string{"the cache is flushed by hand"}},
				"remember": {map[string]any{"what": "the pool has no limit", "type": "gotcha", "at": []string{"a.go#F"}}, []string{"newer version", "Try: ", "started again"}},
			} {
				res, err := server.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: x.args})
				if err != nil {
					t.Fatal(err)
				}
				text := ""
				for _, c := range res.Content {
					text += c.(*mcp.TextContent).Text
				}
				for _, want := range x.want {
					if !strings.Contains(text, want) {
						t.Errorf("%s of the MCP server: no %q in %q", tool, want, text)
					}
				}
			}
			e, _ := o.editor(t)
			e.Open("a.go")
			hover, err := e.Call("textDocument/hover", e.At("a.go", 3, 5))
			if err != nil || !strings.Contains(string(hover), "the cache is flushed by hand") {
				t.Errorf("hover: %s, %v", hover, err)
			}
			e.Shutdown()
			after, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(before, after) {
				t.Error("state.db was changed")
			}
		})
	}
}

// TestDerivedFilesBesideOthers: two versions of the program have a file each of what is derived,
// and neither deletes the other's, even where it makes its own anew.
func TestDerivedFilesBesideOthers(t *testing.T) {
	o := openOld(t, "0.1")
	if code, _, complaint := o.run(t, "index"); code != exitOK {
		t.Fatal(complaint)
	}
	number := regexp.MustCompile(`\.v\d+\.`)
	var cache string
	theirs := map[string]bool{}
	for path := range filesBelow(t, o.vars["XDG_CACHE_HOME"]) {
		if name := filepath.Base(path); number.MatchString(name) {
			cache = filepath.Dir(path)
			theirs[number.ReplaceAllString(name, ".v1000.")] = true
			theirs[number.ReplaceAllString(name, ".v0.")] = true
		}
	}
	for _, family := range []string{"memories", "hooks", "graph"} {
		if !slices.ContainsFunc(slices.Collect(maps.Keys(theirs)), func(name string) bool { return strings.HasPrefix(name, family+".v1000.") }) {
			t.Errorf("no file of the kind %q has a number in its name", family)
		}
	}
	for name := range theirs {
		writeOld(t, filepath.Join(cache, name), []byte("of another version"))
	}
	own, err := filepath.Glob(filepath.Join(cache, "memories.v[1-9].*.db"))
	if err != nil || len(own) != 1 {
		t.Fatalf("%q, %v", own, err)
	}
	writeOld(t, own[0], []byte("damaged")) // so that it is made anew
	writeOld(t, filepath.Join(o.root, "b.go"), []byte("package a\n\nfunc G() { F(1, 2) }\n"))
	for _, args := range [][]string{{"remember", "a new one that all have to read", "--type", "gotcha", "--at", "b.go#G"}, {"index"}, {"recall", "a.go"}, {"graph", "a.go#F"}, {"search", "cache"}} {
		if code, _, complaint := o.run(t, args...); code != exitOK {
			t.Errorf("%s: %s", args, complaint)
		}
	}
	for name := range theirs {
		if data, err := os.ReadFile(filepath.Join(cache, name)); err != nil || string(data) != "of another version" {
			t.Errorf("%s: %q, %v", name, data, err)
		}
	}
}

// filesBelow are the paths of all files below a folder.
func filesBelow(t *testing.T, dir string) iter.Seq[string] {
	t.Helper()
	return func(yield func(string) bool) {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() && !yield(path) {
				return fs.SkipAll
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestNewerMemoryFile: a memory file of a later format is shown as one that can't be
// read, and is not rewritten.
func TestNewerMemoryFile(t *testing.T) {
	o := openOld(t, "0.1")
	name := filepath.Join(o.root, ".manicule", "memories", "guidelines", "01a20665-89db-7b1d-9f78-48b40f5d6601.json")
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	newer := bytes.Replace(data, []byte(`"format": 1`), []byte(`"format": 1000`), 1)
	writeOld(t, name, newer)
	code, out, complaint := o.run(t, "doctor")
	if code != exitFindings || !strings.Contains(out, "Format 1000 needs a newer version") {
		t.Errorf("exit code %d: %s%s", code, out, complaint)
	}
	if code, out, _ := o.run(t, "list"); code != exitOK || strings.Contains(out, "retries") || !strings.Contains(out, "the cache") {
		t.Errorf("exit code %d: %s", code, out)
	}
	if now, err := os.ReadFile(name); err != nil || !bytes.Equal(now, newer) {
		t.Errorf("the file was changed (%v)", err)
	}
}

// TestValueOfANewerVersion: a memory of a type that only a newer version knows is no damaged one. Nobody is told to take it back
// without a word about that, and it is not rewritten.
func TestValueOfANewerVersion(t *testing.T) {
	o := openOld(t, "0.1")
	id := kept(t, "0.1")["convention"]
	if code, _, complaint := o.run(t, "edit", id, "--label", "an edit, so that there is a version before"); code != exitOK {
		t.Fatal(complaint)
	}
	name := filepath.Join(o.root, ".manicule", "memories", "guidelines", "01a20665-89db-7b1d-9f78-48b40f5d6601.json")
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	newer := bytes.Replace(data, []byte(`"type": "convention"`), []byte(`"type": "of_the_future"`), 1)
	writeOld(t, name, newer)
	code, out, complaint := o.run(t, "doctor")
	if code != exitFindings || !strings.Contains(out, `unknown memory type "of_the_future"`) || !strings.Contains(out, "Update Manicule, if a newer version wrote it. Else `manicule revert "+id) {
		t.Errorf("exit code %d: %s%s", code, out, complaint)
	}
	if now, err := os.ReadFile(name); err != nil || !bytes.Equal(now, newer) {
		t.Errorf("the file was changed (%v)", err)
	}
}

// TestSettingOfAnotherVersion: a setting that is not known is named by doctor and passed over.
func TestSettingOfAnotherVersion(t *testing.T) {
	o := openOld(t, "0.1")
	name := filepath.Join(o.root, ".manicule", "config.toml")
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	writeOld(t, name, append(data, "\n[of_the_past]\nsetting = true\n"...))
	if _, out, complaint := o.run(t, "doctor"); !strings.Contains(out+complaint, `unknown setting "of_the_past.setting"`) {
		t.Errorf("%s%s", out, complaint)
	}
	if code, out, _ := o.run(t, "list"); code != exitOK || !strings.Contains(out, "the cache") {
		t.Errorf("exit code %d: %s", code, out)
	}
}

// TestMembersOfAnotherVersion: members that are not known are kept where a file is rewritten.
func TestMembersOfAnotherVersion(t *testing.T) {
	o := openOld(t, "0.1")
	list, err := filepath.Glob(filepath.Join(o.root, ".manicule", "memories", "*", "*"+kept(t, "0.1")["gotcha"]+".json"))
	if err != nil || len(list) != 1 {
		t.Fatalf("%q, %v", list, err)
	}
	data, err := os.ReadFile(list[0])
	if err != nil {
		t.Fatal(err)
	}
	writeOld(t, list[0], bytes.Replace(data, []byte(`"format": 1,`), []byte(`"format": 1, "of_the_future": {"a": [1, "x"]},`), 1))
	if code, _, complaint := o.run(t, "edit", kept(t, "0.1")["gotcha"], "--what", "the cache is flushed at night"); code != exitOK {
		t.Fatal(complaint)
	}
	data, err = os.ReadFile(list[0])
	if err != nil {
		t.Fatal(err)
	}
	var now struct {
		What        string `json:"what"`
		OfTheFuture struct {
			A []any `json:"a"`
		} `json:"of_the_future"`
	}
	if err := json.Unmarshal(data, &now); err != nil || now.What != "the cache is flushed at night" || len(now.OfTheFuture.A) != 2 {
		t.Errorf("%v\n%s", err, data)
	}
}

package setup

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"manicule/indexer/workspace"
)

// repository is a git repository without git.
func repository(t *testing.T) *Setup {
	t.Helper()
	root := workspace.RealPath(t.TempDir())
	for name, text := range map[string]string{
		".git/HEAD":                   "ref: refs/heads/main\n",
		".git/config":                 "[core]\n\tbare = false\n",
		".claude/settings.local.json": `{"a": 1, "hooks": {}}`,
	} {
		write(t, filepath.Join(root, name), text)
	}
	for _, dir := range []string{"objects", "refs/heads", "info"} {
		if err := os.MkdirAll(filepath.Join(root, ".git", dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	home := t.TempDir()
	getenv := func(name string) string { return map[string]string{"HOME": home, "GIT_CONFIG_NOSYSTEM": "1"}[name] }
	place, err := workspace.Discover(root, workspace.Env{Getenv: getenv, Random: rand.Reader})
	if err != nil {
		t.Fatal(err)
	}
	return &Setup{Place: place, Getenv: getenv, Warn: t.Logf}
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func plan(t *testing.T, s *Setup) []Step {
	t.Helper()
	steps, err := s.Plan(Options{Agents: []string{"claude-code"}})
	if err != nil {
		t.Fatal(err)
	}
	return steps
}

func undo(t *testing.T, s *Setup) {
	t.Helper()
	steps, err := s.PlanUndo()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Apply(steps, true); err != nil {
		t.Fatal(err)
	}
}

// TestInterrupted: where init ended after a receipt and before its file, the next one still remembers what was there.
func TestInterrupted(t *testing.T) {
	s := repository(t)
	settings := filepath.Join(s.Place.Root, ".claude/settings.local.json")
	server := filepath.Join(s.Getenv("HOME"), ".claude.json")
	write(t, server, `{"mcpServers": {}, "projects": {}}`)
	before := map[string]string{settings: read(t, settings), server: read(t, server)}
	var list []receipt
	for _, step := range plan(t, s) {
		if !step.Folder {
			list = s.receipts().add(list, step, s.recognized())
		}
	}
	if err := s.receipts().write(list); err != nil {
		t.Fatal(err)
	}
	if err := s.Apply(plan(t, s), false); err != nil {
		t.Fatal(err)
	}
	for name, text := range before {
		if read(t, name) == text {
			t.Fatalf("init left %s as it was", name)
		}
	}
	undo(t, s)
	for name, text := range before {
		if now := read(t, name); now != text {
			t.Errorf("%s is %q after undo, want %q", name, now, text)
		}
	}
	if _, err := os.Lstat(filepath.Join(s.Place.Root, workspace.Folder)); err == nil {
		t.Error("the folder stays")
	}
}

// TestChangedWhilePlanned: what an agent or git wrote since the plan is not overwritten.
func TestChangedWhilePlanned(t *testing.T) {
	s := repository(t)
	settings := filepath.Join(s.Place.Root, ".claude/settings.local.json")
	steps := plan(t, s)
	const theirs = `{"a": 1, "hooks": {}, "b": 2}`
	write(t, settings, theirs)
	if err := s.Apply(steps, false); err == nil || !strings.Contains(err.Error(), "changed meanwhile") {
		t.Errorf("the file was changed: %v", err)
	}
	if now := read(t, settings); now != theirs {
		t.Errorf("it is overwritten: %q", now)
	}
	if err := s.Apply(plan(t, s), false); err != nil {
		t.Fatal(err)
	}
	undo(t, s)
	if now := read(t, settings); now != theirs {
		t.Errorf("after undo it is %q, want %q", now, theirs)
	}
}

// TestLinkedGitConfig: checkouts whose metadata is elsewhere, as git-new-workdir makes them, keep their links.
func TestLinkedGitConfig(t *testing.T) {
	s := repository(t)
	outside := workspace.RealPath(t.TempDir())
	targets := map[string]string{"config": "[core]\n\tbare = false\n", "info/exclude": "*.swp\n"}
	for name, text := range targets {
		link, target := filepath.Join(s.Place.GitCommonDir, name), filepath.Join(outside, filepath.Base(name))
		write(t, target, text)
		if err := os.RemoveAll(link); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(target, link); err != nil {
			t.Skip(err)
		}
	}
	check := func(when string, changed bool) {
		t.Helper()
		for name, text := range targets {
			link := filepath.Join(s.Place.GitCommonDir, name)
			if to, err := os.Readlink(link); err != nil {
				t.Errorf("after %s %s is no link any more: %q, %v", when, name, to, err)
			}
			if now := read(t, link); (now != text) != changed {
				t.Errorf("after %s %s holds %q", when, name, now)
			}
		}
	}
	if err := s.Apply(plan(t, s), false); err != nil {
		t.Fatal(err)
	}
	check("init", true)
	if !s.MergeDriver().Registered {
		t.Error("the driver is not registered")
	}
	undo(t, s)
	check("undo", false)
}

// TestRemoveDriver: what somebody wrote below our section stays.
func TestRemoveDriver(t *testing.T) {
	const own, theirs = "[core]\n\tbare = false\n", "\n# my own\n; words\n[alias]\n\tst = status\n"
	if got := string(removeDriver(append(addDriver([]byte(own), "manicule"), theirs...))); got != own+theirs {
		t.Errorf("got %q, want %q", got, own+theirs)
	}
}

// TestKeepsModes: a file that a group may write stays so.
func TestKeepsModes(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("without modes")
	}
	s := repository(t)
	settings := filepath.Join(s.Place.GitCommonDir, "config")
	if err := os.Chmod(settings, 0o666); err != nil { // more than any umask leaves
		t.Fatal(err)
	}
	check := func() {
		t.Helper()
		if st, err := os.Stat(settings); err != nil || st.Mode().Perm() != 0o666 {
			t.Errorf("%v, %v", st.Mode(), err)
		}
	}
	if err := s.Apply(plan(t, s), false); err != nil {
		t.Fatal(err)
	}
	check()
	undo(t, s)
	check()
}

// TestForgedReceipts: who unpacks an archive of a repository gets git's folder from somebody else. Receipts in it have
// nothing written or deleted outside of the repository, and stop nobody.
func TestForgedReceipts(t *testing.T) {
	outside := workspace.RealPath(t.TempDir())
	profile, key := filepath.Join(outside, ".profile"), filepath.Join(outside, "key")
	empty := filepath.Join(outside, "empty")
	for name, forge := range map[string]func(s *Setup, r *receipt){
		"a file elsewhere": func(s *Setup, r *receipt) {},
		"in another root":  func(s *Setup, r *receipt) { r.Root = outside },
		"a folder of hooks": func(s *Setup, r *receipt) {
			r.Root = outside
			write(t, filepath.Join(s.Place.GitCommonDir, "config"), "[core]\n\thooksPath = "+filepath.ToSlash(outside)+"\n")
		},
		"through a link": func(s *Setup, r *receipt) {
			link := filepath.Join(s.Place.Root, "link")
			if err := os.Symlink(outside, link); err != nil {
				t.Skip(err)
			}
			r.Path, r.Made = filepath.Join(link, ".profile"), []string{filepath.Join(link, "key"), filepath.Join(link, "empty")}
		},
		"git's settings are a link": func(s *Setup, r *receipt) {
			r.Root = outside
			settings := filepath.Join(s.Place.GitCommonDir, "config")
			if err := os.Remove(settings); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(profile, settings); err != nil {
				t.Skip(err)
			}
		},
		"folders alone": func(s *Setup, r *receipt) { r.Path = "" },
		"a file of the repository": func(s *Setup, r *receipt) {
			r.Path = filepath.Join(s.Place.Root, ".claude", "settings.local.json")
			r.remember([]byte("{}"), []byte(read(t, r.Path)))
		},
		"cut where nothing is": func(s *Setup, r *receipt) {
			r.Path = filepath.Join(s.Place.Root, ".claude", "settings.local.json")
			r.After, r.Cut = digestOf([]byte(read(t, r.Path))), &splice{Head: 1 << 40, Tail: -3}
		},
	} {
		t.Run(name, func(t *testing.T) {
			write(t, profile, "# mine\n")
			write(t, key, "secret\n")
			if err := os.MkdirAll(empty, 0o755); err != nil {
				t.Fatal(err)
			}
			s := repository(t)
			r := receipt{Root: s.Place.Root, Path: profile, Made: []string{key, empty, "../key"}, Before: []byte("evil\n"), After: digestOf([]byte("# mine\n"))}
			forge(s, &r)
			data, err := json.Marshal([]receipt{r})
			if err != nil {
				t.Fatal(err)
			}
			write(t, s.receipts().repositoryFile(), string(data))
			undo(t, s)
			for range 2 {
				if err := s.Apply(plan(t, s), false); err != nil {
					t.Fatal(err)
				}
				undo(t, s)
			}
			if now := read(t, profile); strings.Contains(now, "evil") || !strings.HasPrefix(now, "# mine\n") {
				t.Errorf("it wrote %q", now)
			}
			if _, err := os.Stat(key); err != nil {
				t.Error("it deleted a file")
			}
			if _, err := os.Stat(empty); err != nil {
				t.Error("it deleted a folder")
			}
		})
	}
}

// TestReceiptsElsewhere: of a file in the home folder every byte comes back, by a receipt that no archive brings, and
// no folder of state is left.
func TestReceiptsElsewhere(t *testing.T) {
	s := repository(t)
	home := s.Getenv("HOME")
	settings := filepath.Join(home, ".claude.json")
	const mine = `{"b":   2, "mcpServers": {}, "a": 1 }`
	write(t, settings, mine)
	if err := s.Apply(plan(t, s), false); err != nil {
		t.Fatal(err)
	}
	if read(t, settings) == mine {
		t.Fatal("nothing was written there")
	}
	if text := read(t, s.receipts().repositoryFile()); strings.Contains(text, ".claude.json") {
		t.Errorf("the repository holds the receipt: %s", text)
	}
	st, err := os.Stat(s.Place.StateDir())
	if err != nil || runtime.GOOS != "windows" && st.Mode().Perm() != 0o700 {
		t.Errorf("the folder of the state: %v, %v", st, err)
	}
	undo(t, s)
	if now := read(t, settings); now != mine {
		t.Errorf("after undo it is %q", now)
	}
	if _, err := os.Stat(s.Place.StateDir()); err == nil {
		t.Error("undo left the folder of the state")
	}
}

// TestUndoOfAnEarlierVersionsFiles: earlier versions kept the receipts of files in the home folder in git's folder, where they
// count no more. What such a version wrote and this one renewed is taken back as a whole, not to what the earlier one wrote.
func TestUndoOfAnEarlierVersionsFiles(t *testing.T) {
	s := repository(t)
	home := s.Getenv("HOME")
	hooks, servers := filepath.Join(home, ".copilot", "hooks", "manicule.json"), filepath.Join(home, ".copilot", "mcp-config.json")
	write(t, hooks, `{"version": 1, "hooks": {"sessionStart": [{"type": "command", "bash": "manicule hook copilot", "powershell": "manicule hook copilot"}]}}`)
	theirs := `{"mcpServers": {"mine": {"command": "true"}, "manicule": {"command": "manicule", "args": ["mcp", "--earlier"]}}}`
	write(t, servers, theirs)
	var receipts []receipt
	for _, path := range []string{hooks, servers} {
		receipts = append(receipts, receipt{Root: s.Place.Root, Path: path, After: digestOf([]byte(read(t, path)))})
	}
	data, err := json.Marshal(receipts)
	if err != nil {
		t.Fatal(err)
	}
	write(t, s.receipts().repositoryFile(), string(data))
	steps, err := s.Plan(Options{Agents: []string{"copilot"}})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Apply(steps, false); err != nil {
		t.Fatal(err)
	}
	if now := read(t, hooks); !strings.Contains(now, "userPromptSubmitted") {
		t.Fatalf("it was not renewed: %s", now)
	}
	undo(t, s)
	if Exists(hooks) {
		t.Errorf("the hooks are left: %s", read(t, hooks))
	}
	if now := read(t, servers); !strings.Contains(now, `"mine"`) || strings.Contains(now, "manicule") {
		t.Errorf("the servers: %s", now)
	}
}

// TestUndoOfEarlierSettings: the settings' file of an earlier version, which lists other settings, is removed by its receipt, and
// not said to be kept; one that a person changed is both.
func TestUndoOfEarlierSettings(t *testing.T) {
	for _, byPerson := range []bool{false, true} {
		s := repository(t)
		var warned []string
		s.Warn = func(format string, args ...any) { warned = append(warned, fmt.Sprintf(format, args...)) }
		steps := plan(t, s)
		name := s.Place.ConfigFile()
		for i, x := range steps {
			if x.Path == name {
				steps[i].After = []byte("# of an earlier version\n")
			}
		}
		if err := s.Apply(steps, false); err != nil {
			t.Fatal(err)
		}
		if byPerson {
			write(t, name, "[hooks]\nbrief = false\n")
		}
		undo(t, s)
		if kept := Exists(name); kept != byPerson || (len(warned) == 1) != byPerson {
			t.Errorf("changed %v: kept %v, said %q", byPerson, kept, warned)
		}
	}
}

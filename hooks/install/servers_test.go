package install

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"manicule/indexer/jsonc"
	"manicule/indexer/must"

	"github.com/pelletier/go-toml/v2"
)

// projectOf is the folder by which an agent's file knows the project.
func projectOf(w Where) string {
	if w.ByProject() {
		return "/home/a/shop"
	}
	return ""
}

func TestServersGolden(t *testing.T) {
	for _, name := range Agents() {
		for _, shared := range []bool{false, true} {
			where, ok, err := ServersFile(name, shared)
			must.OK(t, err)
			if !ok {
				continue
			}
			got, err := AddServers(name, nil, "manicule", projectOf(where))
			if err != nil {
				t.Fatal(name, err)
			}
			golden := goldenOf(name, "servers", shared)
			if *update {
				must.Write(t, golden, got)
			}
			want := must.Read(t, golden)
			if !bytes.Equal(got, want) {
				t.Errorf("%s:\n%s", golden, got)
			}
			if _, empty, err := RemoveServers(name, got, projectOf(where)); err != nil || !empty {
				t.Errorf("%s: of a file that is ours alone something is left: %v", name, err)
			}
		}
	}
}

func others() map[string]string {
	out := existing()
	out["servers of others"] = "{\n  // keys\n  \"mcpServers\": {\n    \"db\": { \"command\": \"db-mcp\", \"env\": {\"KEY\": \"x\"} } // mine\n  },\n  \"servers\": {\"db\": {\"command\": \"db-mcp\"}},\n  \"mcp\": {\n    \"db\": {\"type\": \"local\", \"command\": [\"db-mcp\"]},\n  },\n  \"projects\": {\"/home/a/shop\": {\"allowedTools\": [], \"mcpServers\": {}}, \"/other\": {}}\n}\n"
	return out
}

// TestServersRoundTrip adds to everybody's files: nothing of theirs is lost, a
// second time changes nothing, and taking it out gives the file back, byte for byte.
func TestServersRoundTrip(t *testing.T) {
	for _, name := range Agents() {
		if agentOf(t, name).Servers.TOML {
			continue
		}
		where, _, err := ServersFile(name, false)
		must.OK(t, err)
		project := projectOf(where)
		for title, src := range others() {
			added, err := AddServers(name, []byte(src), "/opt/manicule", project)
			if err != nil {
				t.Errorf("%s, %s: %v", name, title, err)
				continue
			}
			if _, err := jsonc.Parse(bytes.TrimPrefix(added, []byte(bom))); err != nil {
				t.Errorf("%s, %s: %v in\n%s", name, title, err, added)
			}
			if got := Servers(name, added, project); len(got) == 0 || !slices.Equal(got[0][:2], []string{"/opt/manicule", "mcp"}) {
				t.Errorf("%s, %s: %q is found in\n%s", name, title, got, added)
			}
			again, err := AddServers(name, added, "/opt/manicule", project)
			if err != nil || !bytes.Equal(again, added) {
				t.Errorf("%s, %s: the second time changes it (%v):\n%s", name, title, err, again)
			}
			moved, err := AddServers(name, added, "manicule", project)
			if err != nil || bytes.Contains(moved, []byte("/opt/")) {
				t.Errorf("%s, %s: the program's new place (%v):\n%s", name, title, err, moved)
			}
			for _, text := range [][]byte{added, moved} {
				back, empty, err := RemoveServers(name, text, project)
				if err != nil || string(back) != src || empty != (title == "empty object") {
					t.Errorf("%s, %s: taken out again (%v, %v):\n%s\nwant\n%s", name, title, empty, err, back, src)
				}
			}
		}
	}
}

// TestServersBesideHooks: both may be in one file, in either order.
func TestServersBesideHooks(t *testing.T) {
	for _, name := range []string{"gemini", "crush"} {
		src := []byte("{\n  \"theme\": \"dark\" // mine\n}\n")
		text, err := Add(name, src, commandOf(t, name, false))
		must.OK(t, err)
		if text, err = AddServers(name, text, "manicule", ""); err != nil {
			t.Fatal(err)
		}
		if text, _, err = Remove(name, text); err != nil {
			t.Fatal(err)
		}
		if len(Servers(name, text, "")) == 0 {
			t.Errorf("%s: the server went with the hooks:\n%s", name, text)
		}
		if text, _, err = RemoveServers(name, text, ""); err != nil || !bytes.Equal(text, src) {
			t.Errorf("%s: %v\n%s", name, err, text)
		}
	}
}

// TestServersKeepWhatIsTheirs: members that somebody added to our entry stay,
// and a server of our name that runs something else is not touched.
func TestServersKeepWhatIsTheirs(t *testing.T) {
	src := []byte(`{"mcpServers": {"manicule": {"command": "/old/manicule", "args": ["mcp"], "alwaysLoad": true}}}`)
	got, err := AddServers("cursor", src, "manicule", "")
	if want := `{"mcpServers": {"manicule": {"command": "manicule", "args": ["mcp"], "alwaysLoad": true}}}`; err != nil || string(got) != want {
		t.Errorf("%v\n%s", err, got)
	}
	theirs := []byte(`{"mcpServers": {"manicule": {"command": "npx", "args": ["manicule"]}}}`)
	if got, err := AddServers("cursor", theirs, "manicule", ""); !errors.Is(err, errNotOurs) {
		t.Errorf("%v\n%s", err, got)
	}
	if got, empty, err := RemoveServers("cursor", theirs, ""); err != nil || empty || !bytes.Equal(got, theirs) {
		t.Errorf("%v\n%s", err, got)
	}
	for _, src := range []string{"{", "[]", `{"mcpServers": 7}`, `{"mcpServers": {"manicule": 7}}`} {
		if got, err := AddServers("cursor", []byte(src), "manicule", ""); err == nil || !strings.Contains(err.Error(), "nothing was changed") {
			t.Errorf("%s: %v\n%s", src, err, got)
		}
	}
}

func TestServersTOML(t *testing.T) {
	for title, src := range map[string]string{
		"nothing":        "",
		"keys":           "model = \"x\" # mine\n\n[profiles.a]\nmodel = \"y\"\n",
		"others' server": "[mcp_servers.db]\ncommand = \"db\"\n",
		"windows lines":  "model = \"x\"\r\n",
		"looks like it":  "notes = \"\"\"\n[mcp_servers.manicule]\ncommand = \"manicule\"\nargs = [\"mcp\"]\n\"\"\"\n",
	} {
		added, err := AddServers("codex", []byte(src), `/opt/my "manicule`, "")
		if err != nil {
			t.Errorf("%s: %v", title, err)
			continue
		}
		if !bytes.HasPrefix(added, []byte(src)) {
			t.Errorf("%s: something of theirs was changed:\n%s", title, added)
		}
		if words := Servers("codex", added, ""); len(words) != 1 || !slices.Equal(words[0], []string{`/opt/my "manicule`, "mcp"}) {
			t.Errorf("%s: %q", title, words)
		}
		added, err = AddServers("codex", []byte(src), "/opt/manicule", "")
		must.OK(t, err)
		again, err := AddServers("codex", added, "/opt/manicule", "")
		if err != nil || !bytes.Equal(again, added) {
			t.Errorf("%s: the second time changes it (%v):\n%s", title, err, again)
		}
		moved, err := AddServers("codex", added, "manicule", "")
		if err != nil || bytes.Contains(moved, []byte("/opt/")) {
			t.Errorf("%s: the program's new place (%v):\n%s", title, err, moved)
		}
		// Somebody adds a table after ours.
		mine := append(bytes.Clone(moved), "\n[tui]\ntheme = \"a\"\n"...)
		for _, c := range []struct{ text, want string }{{string(moved), src}, {string(mine), src + "\n[tui]\ntheme = \"a\"\n"}} {
			back, empty, err := RemoveServers("codex", []byte(c.text), "")
			if err != nil || string(back) != c.want || empty != (strings.TrimSpace(c.want) == "") {
				t.Errorf("%s: taken out again (%v, %v):\n%q\nwant\n%q", title, empty, err, back, c.want)
			}
		}
	}
	for _, src := range []string{"mcp_servers = {db = {command = \"x\"}}\n", "a = \n", "[mcp_servers.manicule]\ncommand = \"npx\"\n",
		"[mcp_servers.manicule]\nargs = [\"mcp\"]\ncommand = \"/old/manicule\"\n"} {
		if got, err := AddServers("codex", []byte(src), "manicule", ""); err == nil {
			t.Errorf("%q was changed to\n%s", src, got)
		}
	}
	// What an earlier version wrote gets the environment, once.
	old := "[mcp_servers.manicule]\ncommand = \"manicule\"\nargs = [\"mcp\"]\n"
	if got, err := AddServers("codex", []byte(old), "manicule", ""); err != nil || string(got) != strings.TrimSuffix(old, "\n")+"\nenv_vars = [\"XDG_CONFIG_HOME\", \"XDG_DATA_HOME\", \"XDG_STATE_HOME\", \"XDG_CACHE_HOME\", \"XDG_RUNTIME_DIR\"]\n" {
		t.Errorf("%v\n%s", err, got)
	}
	written := "[mcp_servers.manicule]\nargs = [\"mcp\"]\ncommand = \"manicule\"\nstartup_timeout_sec = 5\n"
	if got, err := AddServers("codex", []byte(written), "manicule", ""); err != nil || string(got) != written {
		t.Errorf("what is there already was changed: %v\n%s", err, got)
	}
	if got, empty, err := RemoveServers("codex", []byte(written), ""); err != nil || empty || string(got) != written {
		t.Errorf("what somebody wrote was taken out: %v\n%s", err, got)
	}
}

func TestRules(t *testing.T) {
	for _, name := range []string{"cursor", "windsurf"} {
		got, err := AddRules(name, nil)
		if err != nil || !HasRules(got) || !bytes.HasPrefix(got, []byte("---\n")) {
			t.Errorf("%s: %v\n%s", name, err, got)
		}
		if again, err := AddRules(name, got); err != nil || !bytes.Equal(again, got) {
			t.Errorf("%s, again: %v\n%s", name, err, again)
		}
		if back, empty := RemoveRules(got); !empty || back != nil {
			t.Errorf("%s is left:\n%s", name, back)
		}
		if got, err := AddRules(name, []byte("# Mine\n")); err == nil {
			t.Errorf("%s: somebody's rules were replaced by\n%s", name, got)
		}
	}
	if _, err := AddRules("claude-code", nil); err == nil {
		t.Error("an agent that needs no rules has got some")
	}
}

func FuzzAddServers(f *testing.F) {
	for _, src := range others() {
		f.Add(src, false)
	}
	f.Add("a = 1\n[mcp_servers.x]\ncommand = \"y\"\n", true)
	f.Fuzz(func(t *testing.T, src string, isTOML bool) {
		name := "cursor"
		if isTOML {
			name = "codex"
		}
		added, err := AddServers(name, []byte(src), "manicule", "")
		if err != nil {
			return
		}
		var any map[string]any
		if isTOML {
			err = toml.Unmarshal(bytes.TrimPrefix(added, []byte(bom)), &any)
		} else {
			_, err = jsonc.Parse(bytes.TrimPrefix(added, []byte(bom)))
		}
		if err != nil {
			t.Errorf("%v in %s", err, added)
		}
		if again, err := AddServers(name, added, "manicule", ""); err != nil || !bytes.Equal(again, added) {
			t.Errorf("again, %v: %s", err, again)
		}
		if _, _, err := RemoveServers(name, added, ""); err != nil {
			t.Errorf("back: %v", err)
		}
	})
}

package agent

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"manicule/hooks/agent/agenttest"
	"manicule/hooks/agent/spec"
	"manicule/hooks/event"
	"manicule/hooks/transcript"
	"manicule/indexer/must"
	"manicule/memory/importer"
)

// TestFolders: each folder is an agent of the list, and each agent has one.
func TestFolders(t *testing.T) {
	entries, err := os.ReadDir(".")
	must.OK(t, err)
	var folders, want []string
	for _, e := range entries {
		if e.IsDir() && e.Name() != "spec" && e.Name() != "agenttest" && e.Name() != "testdata" {
			folders = append(folders, e.Name())
		}
	}
	for _, id := range All().IDs() {
		want = append(want, folder(id))
	}
	slices.Sort(want)
	if !slices.Equal(folders, want) {
		t.Errorf("the folders are %q, the agents %q", folders, want)
	}
}

// TestWhole: nothing is missing of what the rest of the program uses unasked.
func TestWhole(t *testing.T) {
	for _, a := range append(All(), agenttest.Agent()) {
		w, h, s := a.Wire, a.Hooks, a.Servers
		if w.Parse == nil || w.Render == nil || w.Probe == nil {
			t.Errorf("%s: the wire format lacks a function", a.ID)
		}
		if h.Private == (spec.File{}) || h.Shared == (spec.File{}) || (h.Events == nil) == (h.Plugin == "") {
			t.Errorf("%s: the hooks need two files, and either events or a plugin", a.ID)
		}
		if h.Plugin != "" && (!strings.HasPrefix(h.Plugin, spec.PluginMark) || !strings.Contains(h.Plugin, "\nconst command = "+spec.Quote(spec.Server+" hook "+a.ID)+"\n")) {
			t.Errorf("%s: the plugin's mark or command is missing", a.ID)
		}
		if s.Private == (spec.File{}) || s.Entries == nil {
			t.Errorf("%s: there is no file of servers", a.ID)
		}
		if len(a.Clients) == 0 {
			t.Errorf("%s: it has no name as a client", a.ID)
		}
		for _, text := range slices.Concat(a.Clients, a.Authors) {
			if text == "" || text != strings.ToLower(text) {
				t.Errorf("%s: %q is not in lower case", a.ID, text)
			}
		}
		for _, f := range []spec.File{h.Private, h.Shared, s.Private, s.Shared, a.Rule.File} {
			if f.Path != "" && !filepath.IsLocal(filepath.FromSlash(f.Path)) {
				t.Errorf("%s: %s leads elsewhere", a.ID, f.Path)
			}
		}
	}
}

// TestLoads: what an agent loads by itself is what import reads.
func TestLoads(t *testing.T) {
	for _, a := range append(All(), agenttest.Agent()) {
		if len(a.Loads.All()) == 0 {
			t.Errorf("%s loads no rule files", a.ID)
		}
		for _, pattern := range a.Loads.All() {
			name := strings.ReplaceAll(strings.ReplaceAll(pattern, "**/", ""), "*", "x")
			if len(importer.Find([]string{name})) != 1 {
				t.Errorf("%s loads %s, which import does not know", a.ID, pattern)
			}
		}
	}
}

// TestMadeUp adds an agent by one value: payloads are known and answered, and
// nothing changes for the others.
func TestMadeUp(t *testing.T) {
	list := append(All(), agenttest.Agent())
	a, ok := list.Lookup("ferret")
	if !ok || list.IDs()[len(list)-1] != "ferret" {
		t.Fatalf("the agents are %q", list.IDs())
	}
	v, err := event.ScanString(`{"ferret_event":"tool","session_id":"s","tool_name":"read_file","tool_input":{"path":"/r/a.go"}}`)
	must.OK(t, err)
	if got := list.Detect("claude-code", v).ID; got != "ferret" {
		t.Errorf("its payload is taken for %q", got)
	}
	ev := a.Wire.Parse(v)
	if len(ev.Calls) != 1 || len(ev.Calls[0].Targets) != 1 || ev.Calls[0].Targets[0].Path != "/r/a.go" {
		t.Errorf("%+v", ev)
	}
	if got := string(a.Wire.Render(ev, "a fact")) + string(a.Wire.Empty()); got != `{"tell":"a fact"}{}` {
		t.Errorf("the answers are %s", got)
	}
	for id, names := range payloads(t) {
		for _, name := range names {
			if v := scanFile(t, name); list.Detect(id, v).ID != All().Detect(id, v).ID {
				t.Errorf("%s is taken for another agent's now", name)
			}
		}
	}
	path := filepath.Join(t.TempDir(), "t.jsonl")
	write(t, path, []byte(`{"words":"Turns out"}`+"\n"))
	if got, _, _ := read(t, a.Transcript.Format, path, transcript.Mark{}); strings.Join(got, "|") != "said 0 Turns out" {
		t.Errorf("the transcript says %q", got)
	}
}

package install

import (
	"bytes"
	"errors"
	"fmt"
	"path"
	"reflect"
	"slices"
	"strings"

	"github.com/tailscale/hujson"

	"manicule/hooks/claude"
	"manicule/hooks/codex"
	"manicule/hooks/copilot"
	"manicule/hooks/crush"
	"manicule/hooks/cursor"
	"manicule/hooks/gemini"
	"manicule/hooks/opencode"
	"manicule/hooks/vscode"
	"manicule/hooks/windsurf"
)

// Server is the name of our server in every agent's configuration.
const Server = "manicule"

// The words that make the program a server of one kind.
const (
	wordMCP = "mcp"
	wordLSP = "lsp"
)

// ErrNotOurs is what AddServers returns where somebody's own server has our name.
var ErrNotOurs = errors.New("there is another server of the name " + Server + ", so nothing was changed")

// servers says where an agent looks for servers and what ours look like.
type servers struct {
	private Where
	shared  *Where // nil where the agent has no file in the repository
	// entries are the values to set, for the program and the folder by which
	// the agent knows the project.
	entries func(program, project string) []entry
	toml    bool
	// keep leaves an object that held our server in place when it is empty: the
	// agent writes it itself.
	keep bool
}

// entry is an object under a path of member names.
type entry struct {
	path  []string
	value object
}

// text is a file with a standing rule, which is ours as a whole.
type text struct {
	where Where
	head  string // what the agent reads of it, before the rule
}

func everywhere(p string) servers { w := inRepository(p); return servers{private: w, shared: &w} }

func serverTable() map[string]servers {
	stdio := func(program string) object {
		return object{{"command", program}, {"args", []string{wordMCP}}}
	}
	typed := func(kind, program string) object { return append(object{{"type", kind}}, stdio(program)...) }
	under := func(value func(string) object, names ...string) func(string, string) []entry {
		return func(program, _ string) []entry {
			return []entry{{append(names[:len(names):len(names)], Server), value(program)}}
		}
	}
	plain := under(stdio, "mcpServers")

	claudeShared := inRepository(".mcp.json")
	cursorServers, geminiServers, codexServers := everywhere(".cursor/mcp.json"), everywhere(".gemini/settings.json"), everywhere(".codex/config.toml")
	cursorServers.entries, geminiServers.entries = plain, plain
	codexServers.toml, codexServers.entries = true, under(stdio, "mcp_servers")
	crushShared := inRepository("crush.json")
	copilotShared := inRepository(".github/mcp.json")
	vscodeServers := everywhere(".vscode/mcp.json")
	vscodeServers.entries = under(func(p string) object { return typed("stdio", p) }, "servers")
	opencodeServers := everywhere(".opencode/opencode.json")
	opencodeServers.entries = under(func(p string) object {
		return object{{"type", "local"}, {"command", []string{p, wordMCP}}, {"enabled", true}}
	}, "mcp")
	return map[string]servers{
		claude.Agent: {
			private: Where{Path: ".claude.json", Home: true, Env: "CLAUDE_CONFIG_DIR"}, shared: &claudeShared, keep: true,
			entries: func(program, project string) []entry {
				if project == "" { // the shared file is of one project
					return []entry{{[]string{"mcpServers", Server}, typed("stdio", program)}}
				}
				return []entry{{[]string{"projects", project, "mcpServers", Server}, typed("stdio", program)}}
			},
		},
		cursor.Agent: cursorServers,
		codex.Agent:  codexServers,
		gemini.Agent: geminiServers,
		copilot.Agent: {
			private: Where{Path: ".copilot/mcp-config.json", Home: true}, shared: &copilotShared,
			entries: under(func(p string) object { return append(typed("local", p), field{"tools", []string{"*"}}) }, "mcpServers"),
		},
		vscode.Agent:   vscodeServers,
		opencode.Agent: opencodeServers,
		// Crush runs several language servers for a file, and shows the agent what
		// they say of it.
		crush.Agent: {
			private: inRepository(".crush.json"), shared: &crushShared,
			entries: func(program, _ string) []entry {
				return []entry{
					{[]string{"mcp", Server}, typed("stdio", program)},
					{[]string{"lsp", Server}, object{{"command", program}, {"args", []string{wordLSP}}}},
				}
			},
		},
		windsurf.Agent: {private: Where{Path: ".codeium/windsurf/mcp_config.json", Home: true}, entries: plain},
	}
}

// ServersFile says where an agent looks for its servers: for this user, or
// shared with everybody who clones the repository. ok is false where the agent
// has no such file.
func ServersFile(name string, shared bool) (where Where, ok bool, err error) {
	if _, err := lookup(name); err != nil {
		return Where{}, false, err
	}
	s := serverTable()[name]
	switch {
	case !shared:
		return s.private, true, nil
	case s.shared == nil:
		return Where{}, false, nil
	}
	return *s.shared, true, nil
}

// ByProject reports whether the file names the projects that its servers are
// for, by their folder.
func (w Where) ByProject() bool { return w.Env != "" }

// AddServers returns a configuration file with our servers in it. existing is
// its content, nil when there is none; project is the folder by which the agent
// knows the project in a file that holds several ([Where.ByProject]), else "".
// What is there already comes back unchanged, also with members that somebody
// added to it. A file that can't be understood is an error, and a server of our
// name that runs something else is [ErrNotOurs].
func AddServers(name string, existing []byte, program, project string) ([]byte, error) {
	if _, err := lookup(name); err != nil {
		return nil, err
	}
	s := serverTable()[name]
	want := s.entries(program, project)
	if s.toml {
		return addTOML(existing, want[0])
	}
	mark, src := cutMark(existing)
	if len(bytes.TrimSpace(src)) == 0 {
		src = []byte("{}\n")
	}
	d, err := parse(src)
	if err != nil {
		return nil, err
	}
	for _, e := range want {
		if err := d.set(e); err != nil {
			return nil, err
		}
	}
	return append(mark, d.src...), nil
}

// RemoveServers returns a configuration file without our servers, and whether
// nothing of anybody is left in it.
func RemoveServers(name string, existing []byte, project string) (out []byte, empty bool, err error) {
	if _, err := lookup(name); err != nil {
		return nil, false, err
	}
	s := serverTable()[name]
	want := s.entries(Server, project)
	if s.toml {
		return removeTOML(existing)
	}
	mark, src := cutMark(existing)
	if len(bytes.TrimSpace(src)) == 0 {
		return existing, true, nil
	}
	d, err := parse(src)
	if err != nil {
		return nil, false, err
	}
	for _, e := range slices.Backward(want) {
		if err := d.unset(e, s.keep); err != nil {
			return nil, false, err
		}
	}
	return append(mark, d.src...), d.bare(false), nil
}

// Servers lists the servers of our name that an agent's file holds, each as the
// words that the agent runs. Whether they may be run is for [Trust.Server] to say.
func Servers(name string, existing []byte, project string) [][]string {
	s, ok := serverTable()[name]
	if !ok {
		return nil
	}
	var out [][]string
	for _, e := range s.entries(Server, project) {
		var found map[string]any
		if s.toml {
			found = tomlServer(existing)
		} else if _, src := cutMark(existing); len(bytes.TrimSpace(src)) > 0 {
			if d, err := parse(src); err == nil {
				if v := d.at(e.path...); v != nil {
					found = decode(*v)
				}
			}
		}
		if words := wordsOf(found); len(words) > 0 {
			out = append(out, words)
		}
	}
	return out
}

// wordsOf is the command line of a server: a command with its arguments, or
// both in one list.
func wordsOf(server map[string]any) []string {
	var out []string
	add := func(v any) {
		switch v := v.(type) {
		case string:
			out = append(out, v)
		case []any:
			for _, x := range v {
				s, _ := x.(string)
				out = append(out, s)
			}
		}
	}
	add(server["command"])
	add(server["args"])
	return out
}

// ourServer reports whether a server runs Manicule, of whatever version and
// from wherever.
func ourServer(server map[string]any) bool {
	words := wordsOf(server)
	if len(words) < 2 || words[1] != wordMCP && words[1] != wordLSP {
		return false
	}
	program := strings.ToLower(path.Base(strings.ReplaceAll(words[0], `\`, "/")))
	return strings.TrimSuffix(program, ".exe") == "manicule"
}

// set makes an object under a path have the members of an entry. Others that it
// has stay.
func (d *document) set(e entry) error {
	if v := d.at(e.path...); v != nil {
		if !ourServer(decode(*v)) {
			return ErrNotOurs
		}
		for _, f := range e.value {
			if err := d.setMember(append(e.path[:len(e.path):len(e.path)], f.key), f.value); err != nil {
				return err
			}
		}
		return nil
	}
	for i := range e.path {
		if d.at(e.path[:i+1]...) != nil {
			continue
		}
		parent := d.at(e.path[:i]...)
		if _, ok := parent.Value.(*hujson.Object); !ok {
			return fmt.Errorf("%q is no object in the file, so nothing was changed", strings.Join(e.path[:i], "."))
		}
		// What has only one member yet is written with all below it.
		var value any = e.value
		for _, name := range slices.Backward(e.path[i+1:]) {
			value = object{{name, value}}
		}
		return d.member(parent, e.path[i], value)
	}
	return nil
}

func (d *document) setMember(names []string, value any) error {
	v := d.at(names...)
	if v == nil {
		return d.member(d.at(names[:len(names)-1]...), names[len(names)-1], value)
	}
	plain := hujson.Value{}
	plain, err := hujson.Parse([]byte(render(value, "", "", "", true)))
	if err != nil {
		return fmt.Errorf("write a value: %w", err)
	}
	if reflect.DeepEqual(decodeAny(*v), decodeAny(plain)) {
		return nil
	}
	return d.reset(splice(d.src, v.StartOffset, v.EndOffset, render(value, "", "", "", true)))
}

// unset takes an entry of ours out, and then what that has left empty.
func (d *document) unset(e entry, keep bool) error {
	v := d.at(e.path...)
	if v == nil || !ourServer(decode(*v)) {
		return nil
	}
	for n := len(e.path); n > 0; n-- {
		parent, own := d.at(e.path[:n-1]...), d.at(e.path[:n]...)
		o, ok := parent.Value.(*hujson.Object)
		if !ok {
			return nil
		}
		if n < len(e.path) {
			if spans, _ := items(own); len(spans) > 0 || keep && n == len(e.path)-1 && len(o.Members) > 1 {
				return nil
			}
		}
		for i := range o.Members {
			if o.Members[i].Value.StartOffset == own.StartOffset {
				if err := d.remove(parent, i); err != nil {
					return err
				}
				break
			}
		}
	}
	return nil
}

package install

import (
	"bytes"
	"errors"
	"fmt"
	"path"
	"reflect"
	"slices"
	"strings"

	"manicule/hooks/agent/spec"
	"manicule/indexer/jsonc"
)

// Server is the name of our server in every agent's configuration.
const Server = spec.Server

// HookProgram is the name of the program for hooks alone.
const HookProgram = spec.Hook

// errNotOurs is returned by AddServers if another server has our name.
var errNotOurs = errors.New("another server has the name " + Server + ", so nothing was changed")

// ServersFile returns the configuration file of an agent's servers: the user's, or the
// one shared with everybody who clones the repository. ok is false if the agent has no
// such file.
func ServersFile(name string, shared bool) (where Where, ok bool, err error) {
	a, err := lookup(name)
	if err != nil {
		return Where{}, false, err
	}
	if where = a.Servers.Private; shared {
		where = a.Servers.Shared
	}
	return where, where != Where{}, nil
}

// AddServers returns a configuration file with our servers added. existing is its
// content, nil if there is none. project is the folder by which the agent knows the
// project in a file that holds several ([spec.File.ByProject]), else "". Existing servers
// of ours are kept, with members that somebody added. An invalid file is an error, and a
// server of our name that runs another program is [errNotOurs].
func AddServers(name string, existing []byte, program, project string) ([]byte, error) {
	a, err := lookup(name)
	if err != nil {
		return nil, err
	}
	return addServers(a, existing, program, project)
}

func addServers(a spec.Agent, existing []byte, program, project string) ([]byte, error) {
	want := a.Servers.Entries(program, project)
	if a.Servers.TOML {
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

// RemoveServers returns a configuration file without our servers, and whether the rest is
// empty.
func RemoveServers(name string, existing []byte, project string) (out []byte, empty bool, err error) {
	a, err := lookup(name)
	if err != nil {
		return nil, false, err
	}
	return removeServers(a, existing, project)
}

func removeServers(a spec.Agent, existing []byte, project string) (out []byte, empty bool, err error) {
	if a.Servers.TOML {
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
	for _, e := range slices.Backward(a.Servers.Entries(Server, project)) {
		if err := d.unset(e, a.Servers.Keep); err != nil {
			return nil, false, err
		}
	}
	return append(mark, d.src...), d.isEmpty(false), nil
}

// Servers lists the servers of our name in an agent's file by their command lines.
// [Trust.Server] decides whether they may be run.
func Servers(name string, existing []byte, project string) [][]string {
	a, err := lookup(name)
	if err != nil {
		return nil
	}
	return servers(a, existing, project)
}

func servers(a spec.Agent, existing []byte, project string) [][]string {
	var out [][]string
	for _, e := range a.Servers.Entries(Server, project) {
		var found map[string]any
		if a.Servers.TOML {
			found = tomlServer(existing)
		} else if _, src := cutMark(existing); len(bytes.TrimSpace(src)) > 0 {
			if d, err := parse(src); err == nil {
				if v := d.at(e.Path...); v != nil {
					found = decode(*v)
				}
			}
		}
		if words := commandLineOf(found); len(words) > 0 {
			out = append(out, words)
		}
	}
	return out
}

// commandLineOf returns the command line of a server: a command with its arguments, or both in
// one list.
func commandLineOf(server map[string]any) []string {
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

// ourServer reports whether a server runs Manicule, in any version and from any path.
func ourServer(server map[string]any) bool {
	words := commandLineOf(server)
	if len(words) < 2 || words[1] != spec.WordMCP && words[1] != spec.WordLSP {
		return false
	}
	program := strings.ToLower(path.Base(strings.ReplaceAll(words[0], `\`, "/")))
	return strings.TrimSuffix(program, ".exe") == "manicule"
}

// set sets the members of an entry in the object at a path and keeps its other members.
func (d *document) set(e spec.Entry) error {
	if v := d.at(e.Path...); v != nil {
		if !ourServer(decode(*v)) {
			return errNotOurs
		}
		for _, f := range e.Value {
			if err := d.setMember(append(e.Path[:len(e.Path):len(e.Path)], f.Name()), f.Value()); err != nil {
				return err
			}
		}
		return nil
	}
	for i := range e.Path {
		if d.at(e.Path[:i+1]...) != nil {
			continue
		}
		parent := d.at(e.Path[:i]...)
		if _, ok := parent.Value.(*jsonc.Object); !ok {
			return fmt.Errorf("%q is not an object in the file, so nothing was changed", strings.Join(e.Path[:i], "."))
		}
		// An object with a single new member is written with everything below it.
		var value any = e.Value
		for _, name := range slices.Backward(e.Path[i+1:]) {
			value = spec.Object{{name, value}}
		}
		return d.member(parent, e.Path[i], value)
	}
	return nil
}

func (d *document) setMember(names []string, value any) error {
	v := d.at(names...)
	if v == nil {
		return d.member(d.at(names[:len(names)-1]...), names[len(names)-1], value)
	}
	plain := jsonc.Value{}
	plain, err := jsonc.Parse([]byte(spec.Render(value, oneLine())))
	if err != nil {
		return fmt.Errorf("write a value: %w", err)
	}
	if reflect.DeepEqual(decodeAny(*v), decodeAny(plain)) {
		return nil
	}
	return d.reset(splice(d.src, v.StartOffset, v.EndOffset, spec.Render(value, oneLine())))
}

// unset removes an entry of ours, and then anything left empty.
func (d *document) unset(e spec.Entry, keep bool) error {
	v := d.at(e.Path...)
	if v == nil || !ourServer(decode(*v)) {
		return nil
	}
	for n := len(e.Path); n > 0; n-- {
		parent, own := d.at(e.Path[:n-1]...), d.at(e.Path[:n]...)
		o, ok := parent.Value.(*jsonc.Object)
		if !ok {
			return nil
		}
		if n < len(e.Path) {
			if spans, _ := items(own); len(spans) > 0 || keep && n == len(e.Path)-1 && len(o.Members) > 1 {
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

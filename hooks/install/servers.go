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

	"manicule/hooks/agent/spec"
)

// Server is the name of our server in every agent's configuration.
const Server = spec.Server

// HookProgram is the name of the program that answers hooks alone.
const HookProgram = spec.Hook

// ErrNotOurs is what AddServers returns where somebody's own server has our name.
var ErrNotOurs = errors.New("there is another server of the name " + Server + ", so nothing was changed")

// ServersFile says where an agent looks for its servers: for this user, or
// shared with everybody who clones the repository. ok is false where the agent
// has no such file.
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

// AddServers returns a configuration file with our servers in it. existing is
// its content, nil when there is none; project is the folder by which the agent
// knows the project in a file that holds several ([spec.File.ByProject]), else "".
// What is there already comes back unchanged, also with members that somebody
// added to it. A file that can't be understood is an error, and a server of our
// name that runs something else is [ErrNotOurs].
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

// RemoveServers returns a configuration file without our servers, and whether
// nothing of anybody is left in it.
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
	return append(mark, d.src...), d.bare(false), nil
}

// Servers lists the servers of our name that an agent's file holds, each as the
// words that the agent runs. Whether they may be run is for [Trust.Server] to say.
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
	if len(words) < 2 || words[1] != spec.WordMCP && words[1] != spec.WordLSP {
		return false
	}
	program := strings.ToLower(path.Base(strings.ReplaceAll(words[0], `\`, "/")))
	return strings.TrimSuffix(program, ".exe") == "manicule"
}

// set makes an object under a path have the members of an entry. Others that it
// has stay.
func (d *document) set(e spec.Entry) error {
	if v := d.at(e.Path...); v != nil {
		if !ourServer(decode(*v)) {
			return ErrNotOurs
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
		if _, ok := parent.Value.(*hujson.Object); !ok {
			return fmt.Errorf("%q is no object in the file, so nothing was changed", strings.Join(e.Path[:i], "."))
		}
		// What has only one member yet is written with all below it.
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
	plain := hujson.Value{}
	plain, err := hujson.Parse([]byte(spec.Render(value, oneLine())))
	if err != nil {
		return fmt.Errorf("write a value: %w", err)
	}
	if reflect.DeepEqual(decodeAny(*v), decodeAny(plain)) {
		return nil
	}
	return d.reset(splice(d.src, v.StartOffset, v.EndOffset, spec.Render(value, oneLine())))
}

// unset takes an entry of ours out, and then what that has left empty.
func (d *document) unset(e spec.Entry, keep bool) error {
	v := d.at(e.Path...)
	if v == nil || !ourServer(decode(*v)) {
		return nil
	}
	for n := len(e.Path); n > 0; n-- {
		parent, own := d.at(e.Path[:n-1]...), d.at(e.Path[:n]...)
		o, ok := parent.Value.(*hujson.Object)
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

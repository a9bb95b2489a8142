// Package install adds our entries to agents' configuration files and removes them,
// and recognizes which command lines in them are ours and safe to run. The agents
// decide which files and entries (hooks/agent). The edits are pure, bytes in and
// bytes out, and preserve every other byte. The package must not know memories or
// write to the disk.
package install

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"

	"manicule/hooks/agent/spec"
	"manicule/indexer/jsonc"
)

const bom = "\ufeff"

// Add returns an agent's configuration with our hooks added. existing is the file's
// content, nil if there is none. A configuration that has them already comes back
// unchanged. An invalid file is an error.
func Add(name string, existing []byte, command string) ([]byte, error) {
	a, err := lookup(name)
	if err != nil {
		return nil, err
	}
	return addHooks(a, existing, command)
}

func addHooks(a spec.Agent, existing []byte, command string) ([]byte, error) {
	if a.Hooks.Plugin != "" {
		return addPlugin(a, existing, command)
	}
	mark, src := cutMark(existing)
	if len(bytes.TrimSpace(src)) == 0 {
		src = []byte("{}\n")
	}
	d, err := parse(src)
	if err != nil {
		return nil, err
	}
	want := a.Hooks.Events(command)
	if err := d.drop(a.ID, want); err != nil {
		return nil, err
	}
	if a.Hooks.Version && d.at("version") == nil {
		if err := d.member(&d.root, "version", 1); err != nil {
			return nil, err
		}
	}
	for _, r := range want {
		if err := d.register(a.ID, r); err != nil {
			return nil, err
		}
	}
	return append(mark, d.src...), nil
}

// Remove returns an agent's configuration without our hooks, and whether the rest is
// empty.
func Remove(name string, existing []byte) (out []byte, empty bool, err error) {
	a, err := lookup(name)
	if err != nil {
		return nil, false, err
	}
	return removeHooks(a, existing)
}

func removeHooks(a spec.Agent, existing []byte) (out []byte, empty bool, err error) {
	if a.Hooks.Plugin != "" {
		return removePlugin(existing)
	}
	mark, src := cutMark(existing)
	if len(bytes.TrimSpace(src)) == 0 {
		return existing, true, nil
	}
	d, err := parse(src)
	if err != nil {
		return nil, false, err
	}
	if err := d.drop(a.ID, nil); err != nil {
		return nil, false, err
	}
	return append(mark, d.src...), d.isEmpty(a.Hooks.Version), nil
}

func cutMark(existing []byte) (mark, rest []byte) {
	if rest, ok := bytes.CutPrefix(existing, []byte(bom)); ok {
		return []byte(bom), rest
	}
	return nil, existing
}

// isEmpty reports whether the document contains nothing.
func (d *document) isEmpty(version bool) bool {
	var left map[string]json.RawMessage
	std, err := jsonc.Standardize(bytes.Clone(d.src))
	if err != nil || json.Unmarshal(std, &left) != nil || !bytes.Equal(std, d.src) { // a comment is content
		return false
	}
	if version {
		delete(left, "version")
	}
	return len(left) == 0
}

// member adds a member to an object.
func (d *document) member(v *jsonc.Value, key string, value any) error {
	return d.insert(v, func(indent string, inline bool) string {
		return spec.Quote(key) + ": " + spec.Render(value, d.layout(indent, inline))
	})
}

// register adds our entry under an event if it is missing.
func (d *document) register(name string, r spec.Registration) error {
	hooks := d.at("hooks")
	if hooks == nil {
		if err := d.member(&d.root, "hooks", spec.Object{}); err != nil {
			return err
		}
		hooks = d.at("hooks")
	}
	if _, ok := hooks.Value.(*jsonc.Object); !ok {
		return fmt.Errorf("%q is not an object in the file, so nothing was changed", "hooks")
	}
	list := d.at("hooks", r.Event)
	if list == nil {
		if err := d.member(hooks, r.Event, []spec.Object{}); err != nil {
			return err
		}
		list = d.at("hooks", r.Event)
	}
	array, ok := list.Value.(*jsonc.Array)
	if !ok {
		return fmt.Errorf("hooks.%s is not an array in the file, so nothing was changed", r.Event)
	}
	for i := range array.Elements {
		if ourEntry(name, decode(array.Elements[i])) {
			return nil // drop has left the correct one
		}
	}
	return d.insert(list, func(indent string, inline bool) string {
		return spec.Render(r.Entry, d.layout(indent, inline))
	})
}

// drop removes our entries except the wanted ones, and then anything left empty.
func (d *document) drop(name string, want []spec.Registration) error {
	for {
		again, err := d.dropOne(name, want)
		if err != nil || !again {
			return err
		}
	}
}

func (d *document) dropOne(name string, want []spec.Registration) (again bool, err error) {
	hooks := d.at("hooks")
	if hooks == nil {
		return false, nil
	}
	events, ok := hooks.Value.(*jsonc.Object)
	if !ok {
		return false, nil
	}
	for i := range events.Members {
		list := &events.Members[i].Value
		array, ok := list.Value.(*jsonc.Array)
		if !ok {
			continue
		}
		event := ""
		if lit, ok := events.Members[i].Name.Value.(jsonc.Literal); ok {
			event = lit.String()
		}
		kept := false
		for j := range array.Elements {
			entry := decode(array.Elements[j])
			if !ourEntry(name, entry) {
				continue
			}
			if !kept && wanted(want, event, entry) {
				kept = true
				continue
			}
			return true, d.dropEntry(name, i, j, len(want) == 0)
		}
	}
	return false, nil
}

// dropEntry removes one of our entries: the whole spec.Entry, or only our handlers if it
// contains others. With clear, an event without entries is removed too.
func (d *document) dropEntry(name string, event, entry int, clear bool) error {
	events := d.at("hooks").Value.(*jsonc.Object)
	list := &events.Members[event].Value
	array := list.Value.(*jsonc.Array)
	if i, shared := ourHandler(name, &array.Elements[entry]); shared {
		handlers := member(&array.Elements[entry], "hooks")
		return d.remove(handlers, i)
	}
	if len(array.Elements) > 1 || !clear {
		return d.remove(list, entry)
	}
	if len(events.Members) > 1 {
		return d.remove(d.at("hooks"), event)
	}
	for i, m := range d.root.Value.(*jsonc.Object).Members {
		if lit, ok := m.Name.Value.(jsonc.Literal); ok && lit.String() == "hooks" && d.at("hooks").StartOffset == m.Value.StartOffset {
			return d.remove(&d.root, i)
		}
	}
	return nil
}

// ourHandler finds our handler in an entry that also holds others.
func ourHandler(name string, entry *jsonc.Value) (i int, shared bool) {
	handlers := member(entry, "hooks")
	if handlers == nil {
		return 0, false
	}
	array, ok := handlers.Value.(*jsonc.Array)
	if !ok {
		return 0, false
	}
	found := -1
	for i := range array.Elements {
		if ourHandlers(name, decode(array.Elements[i])) {
			if found < 0 {
				found = i
			}
		} else {
			shared = true
		}
	}
	return found, shared && found >= 0
}

func member(v *jsonc.Value, name string) *jsonc.Value {
	return (&document{root: *v}).at(name)
}

// decode converts an entry to plain values. It returns nil if the entry is no object, and
// so not ours.
func decode(v jsonc.Value) map[string]any {
	out, _ := decodeAny(v).(map[string]any)
	return out
}

func decodeAny(v jsonc.Value) any {
	c := v.Clone()
	c.Standardize()
	var out any
	if json.Unmarshal(c.Pack(), &out) != nil {
		return nil
	}
	return out
}

func ourEntry(name string, entry map[string]any) bool {
	if ourHandlers(name, entry) {
		return true
	}
	handlers, _ := entry["hooks"].([]any)
	for _, h := range handlers {
		if o, ok := h.(map[string]any); ok && ourHandlers(name, o) {
			return true
		}
	}
	return false
}

func ourHandlers(name string, handler map[string]any) bool {
	for _, key := range []string{"command", "bash"} {
		if c, ok := handler[key].(string); ok && ours(name, c) {
			return true
		}
	}
	return false
}

// wanted reports whether an entry is exactly one of the entries to install.
func wanted(want []spec.Registration, event string, entry map[string]any) bool {
	for _, r := range want {
		if r.Event != event {
			continue
		}
		var plain map[string]any
		if json.Unmarshal([]byte(spec.Render(r.Entry, oneLine())), &plain) == nil && reflect.DeepEqual(plain, entry) {
			return true
		}
	}
	return false
}

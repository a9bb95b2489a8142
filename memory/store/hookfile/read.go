package hookfile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
)

// File is an open file.
type File struct {
	table   *table
	changes map[string]*changed // by path
	words   *wordIndex          // once something was searched
}

// Open reads what is needed of a file whose table has tableSize bytes and which has size bytes with
// the changes behind it.
func Open(from io.ReaderAt, tableSize, size int64) (*File, error) {
	if tableSize < 0 || size < tableSize || size-tableSize > maxChanges {
		return nil, fmt.Errorf("a file of %d and %d bytes: %w", tableSize, size, ErrCorrupt)
	}
	t, err := openTable(from, tableSize)
	if err != nil {
		return nil, err
	}
	data := make([]byte, size-tableSize)
	if _, err := from.ReadAt(data, tableSize); err != nil && len(data) > 0 {
		return nil, fmt.Errorf("read the changes: %w", err)
	}
	f := &File{table: t}
	f.changes, err = changes(data)
	return f, err
}

// maxChanges bounds the changes in a file, in bytes. [Full] says long before when there are enough.
const maxChanges = 64 << 20

// Full reports whether the changes of a file are so many that a new table pays: each reader decodes
// them all.
func Full(tableSize, size int64) bool { return size-tableSize > max(64<<10, tableSize/100) }

// Lines returns the lines of keys whose filters pass, and those from low to before high unless high is
// "". A line that several keys have may be returned more than once.
func (f *File) Lines(keys []string, low, high string, pass func(filter string) bool) ([]string, error) {
	var out []string
	add := func(list []byte) error {
		text := string(list) // in one piece: a key may have a thousand lines
		d := decoder{data: list}
		for d.more() {
			line := d.bytes()
			if end := len(text) - len(d.data); !d.bad && !f.outdated(line) {
				out = append(out, text[end-len(line):end])
			}
		}
		return d.err("the lines of a key")
	}
	for _, key := range keys {
		filters, err := f.table.get(append([]byte{keyFilter}, key...))
		d := decoder{data: filters}
		for err == nil && d.more() {
			filter := d.text()
			if !pass(filter) {
				continue
			}
			var list []byte
			if list, err = f.table.get([]byte(reachKey(key, filter))); err == nil {
				err = add(list)
			}
		}
		if err = errors.Join(err, d.err("the filters of a key")); err != nil {
			return nil, err
		}
	}
	if high != "" {
		var failed error
		from, to := append([]byte{keyReach}, low...), append([]byte{keyReach}, high...)
		err := f.table.each(from, func(key, list []byte) bool {
			if bytes.Compare(key, to) >= 0 {
				return false
			}
			failed = add(list)
			return failed == nil
		})
		if err = errors.Join(err, failed); err != nil {
			return nil, err
		}
	}
	for _, path := range slices.Sorted(maps.Keys(f.changes)) {
		e := f.changes[path]
		has := slices.ContainsFunc(e.Reaches, func(k string) bool {
			return slices.Contains(keys, k) && pass(e.Filter) || k >= low && k < high
		})
		if e.live() && has {
			out = append(out, e.Line)
		}
	}
	return out, nil
}

func (e *Entry) live() bool { return e.UUID != "" && !e.Gone && !e.Superseded }

// outdated reports whether the memory of a line of the table changed since.
func (f *File) outdated(line []byte) bool {
	if len(f.changes) == 0 {
		return false
	}
	path, _, _ := bytes.Cut(line, []byte(Separator))
	return f.changes[string(path)] != nil
}

// Brief returns the lines of the pinned and project-wide memories.
func (f *File) Brief() ([]string, error) {
	list, err := f.table.get([]byte{keyBrief})
	if err != nil {
		return nil, err
	}
	var out []string
	d := decoder{data: list}
	for d.more() {
		if line := d.bytes(); !f.outdated(line) {
			out = append(out, string(line))
		}
	}
	for _, path := range slices.Sorted(maps.Keys(f.changes)) {
		if e := f.changes[path]; e.live() && inBrief(e.Entry) {
			out = append(out, e.Line)
		}
	}
	return out, d.err("the brief")
}

// Found is a memory with what only few are asked for.
type Found struct{ Line, Text string }

// ByPath returns the memory of a path. known is true, too, for a file that can't be used.
func (f *File) ByPath(path string) (m Found, ok, known bool, err error) {
	if e := f.changes[path]; e != nil {
		return Found{e.Line, e.Text}, e.live(), !e.Gone, nil
	}
	doc, known, err := f.document(path)
	if err != nil || doc < 0 {
		return m, false, known, err
	}
	if spent, err := f.spent(); err != nil || slices.Contains(spent, doc) {
		return m, false, true, err
	}
	m, err = f.line(doc)
	return m, err == nil, true, err
}

// ByUUID returns the memory with an id.
func (f *File) ByUUID(id string) (m Found, ok bool, err error) {
	for _, e := range f.changes {
		if e.UUID == id && !e.Gone {
			return Found{e.Line, e.Text}, true, nil
		}
	}
	value, err := f.table.get(append([]byte{keyUUID}, id...))
	if err != nil || value == nil {
		return m, false, err
	}
	d := decoder{data: value}
	m, err = f.line(int(d.number()))
	return m, err == nil && !f.outdated([]byte(m.Line)), err
}

// document returns the number of a path's memory in the table, -1 if it has none.
func (f *File) document(path string) (doc int, known bool, err error) {
	value, err := f.table.get(append([]byte{keyPath}, path...))
	if err != nil || value == nil {
		return -1, false, err
	}
	d := decoder{data: value}
	return int(d.number()) - 1, true, d.err("a path")
}

func (f *File) line(doc int) (m Found, err error) {
	value, err := f.table.get(docKey(doc))
	if err != nil {
		return m, err
	}
	d := decoder{data: value}
	m = Found{Line: d.text(), Text: d.text()}
	return m, d.err("a memory")
}

// spent returns the superseded documents of the table.
func (f *File) spent() (out []int, err error) {
	if f.table.stats.spent == 0 {
		return nil, nil
	}
	value, err := f.table.get([]byte{keySpent})
	d := decoder{data: value}
	for d.more() {
		out = append(out, int(d.number()))
	}
	if err == nil {
		err = d.err("the superseded memories")
	}
	return out, err
}

// Unknown returns the names of files in a folder that the file does not know, in no order. The folder ends with a slash. It
// reads all that is known of the folder, unless the context ends.
func (f *File) Unknown(ctx context.Context, folder string, names []string) ([]string, error) {
	left := make(map[string]bool, len(names))
	for _, name := range names {
		left[name] = true
	}
	low, read := append([]byte{keyPath}, folder...), 0
	err := f.table.each(low, func(key, _ []byte) bool {
		if read++; !bytes.HasPrefix(key, low) || read%1024 == 0 && ctx.Err() != nil {
			return false
		}
		if e := f.changes[string(key[1:])]; e == nil || !e.Gone {
			delete(left, string(key[len(low):]))
		}
		return true
	})
	if err = errors.Join(err, ctx.Err()); err != nil {
		return nil, err
	}
	var out []string
	for name := range left {
		if e := f.changes[folder+name]; e == nil || e.Gone {
			out = append(out, name)
		}
	}
	return out, nil
}

// Total returns the number of memories that are not superseded.
func (f *File) Total() (int, error) {
	w, err := f.index()
	if err != nil {
		return 0, err
	}
	return w.live, nil
}

// lengths returns the number of words of each document of a group.
func (f *File) lengths(group int) ([]byte, error) {
	list, err := f.table.get(lengthKey(group))
	if n := min(lengthGroup, f.table.stats.docs-group*lengthGroup); err == nil && len(list) != 2*n {
		err = fmt.Errorf("the lengths of %d memories: %w", n, ErrCorrupt)
	}
	return list, err
}

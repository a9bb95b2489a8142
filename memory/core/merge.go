package core

import (
	"bytes"
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"manicule/memory/file"
)

// Undecided is what a side of a merge says in a part where the document says what the other side does.
type Undecided struct {
	Part Part      `json:"part"`
	Text string    `json:"text"`
	By   string    `json:"by,omitzero"`
	At   file.Time `json:"at"`
}

// IsFile reports whether a path is that of a core document, as git names it.
func IsFile(path string) bool {
	name := path[strings.LastIndexByte(path, '/')+1:]
	return name == "core.json" || strings.HasPrefix(name, "core.") && strings.HasSuffix(name, ".json")
}

// MergeFiles merges the texts of two versions of a document that were changed apart, of which base is what both come from:
// nothing, where nobody knows it.
func MergeFiles(base, ours, theirs []byte) (d Document, data []byte, err error) {
	var b Document
	if len(bytes.TrimSpace(base)) > 0 {
		if b, err = parse(base); err != nil {
			b = Document{}
		}
	}
	x, errX := parse(ours)
	y, errY := parse(theirs)
	if err := errors.Join(errX, errY); err != nil {
		return d, nil, err
	}
	d = Merge(b, x, y)
	data, err = d.encode()
	return d, data, err
}

// Merge combines two versions of a document that were changed apart. The result is the same whichever side comes first. A part
// that one side changed is as that side has it, of conventions what either side added is there and what either removed is
// not. Where both sides say something else, the newer one leads, and the other's text is kept as undecided.
func Merge(base, a, b Document) Document {
	lead, other := a, b
	if cmp.Or(a.UpdatedAt.Compare(b.UpdatedAt.Time), a.Version-b.Version, cmp.Compare(a.UpdatedBy, b.UpdatedBy), cmp.Compare(a.text(), b.text())) < 0 {
		lead, other = b, a
	}
	d := lead
	d.Conventions = mergeSets(base.Conventions, lead.Conventions, other.Conventions, strings.EqualFold)
	d.Undecided = mergeSets(base.Undecided, lead.Undecided, other.Undecided, func(x, y Undecided) bool { return x.Part == y.Part && x.Text == y.Text })
	for _, p := range Parts() {
		was, leads, others := base.Text(p), lead.Text(p), other.Text(p)
		switch {
		case leads == others || others == was || p == Convention:
		case leads == was || leads == "":
			d.put(p, others)
		case others != "":
			d.Undecided = append(d.Undecided, Undecided{Part: p, Text: others, By: other.UpdatedBy, At: other.UpdatedAt})
		}
	}
	d.Undecided = slices.DeleteFunc(d.Undecided, func(u Undecided) bool { return u.Text == d.Text(u.Part) })
	slices.SortStableFunc(d.Undecided, func(x, y Undecided) int { return cmp.Or(cmp.Compare(x.Part, y.Part), cmp.Compare(x.Text, y.Text)) })
	d.Undecided = slices.CompactFunc(d.Undecided, func(x, y Undecided) bool { return x.Part == y.Part && x.Text == y.Text })
	d.Extra = file.MergeMembers(base.Extra, lead.Extra, other.Extra)
	d.Format, d.Version = max(a.Format, b.Format), max(a.Version, b.Version)
	if !d.says(a) && !d.says(b) {
		d.Version++
	}
	return d
}

// says reports whether a document says the same as another one.
func (d Document) says(o Document) bool {
	return slices.Equal(d.Conventions, o.Conventions) && slices.Equal(d.Undecided, o.Undecided) &&
		!slices.ContainsFunc(Parts(), func(p Part) bool { return d.Text(p) != o.Text(p) })
}

// mergeSets keeps what both sides have, and what one of them added to base.
func mergeSets[T any](base, lead, other []T, same func(a, b T) bool) (out []T) {
	in := func(list []T, x T) bool { return slices.ContainsFunc(list, func(y T) bool { return same(x, y) }) }
	for _, x := range lead {
		if in(other, x) || !in(base, x) {
			out = append(out, x)
		}
	}
	for _, x := range other {
		if !in(lead, x) && !in(base, x) {
			out = append(out, x)
		}
	}
	return out
}

// parse reads the text of a document, which may hold git's conflict markers where no driver merged it.
func parse(data []byte) (d Document, err error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if err = json.Unmarshal(data, &d); err == nil {
		return d, nil
	}
	ours, base, theirs, ok := file.Sides(data)
	if !ok {
		return d, err
	}
	var x, y, b Document
	if json.Unmarshal(ours, &x) != nil || json.Unmarshal(theirs, &y) != nil {
		return Document{}, err
	}
	if json.Unmarshal(base, &b) != nil { // what both sides changed then counts as undecided
		b = Document{}
	}
	d = Merge(b, x, y)
	d.Marked = true
	return d, nil
}

func (d Document) encode() ([]byte, error) {
	data, err := json.Marshal(d, json.Deterministic(true), jsontext.WithIndent("  "))
	return append(data, '\n'), err
}

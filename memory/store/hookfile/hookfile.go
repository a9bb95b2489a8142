// Package hookfile is the file from which hooks read memories: what memories.db knows of each, in a
// form that needs no database to open. To open the database and to ask it was half of what a hook did
// about a file.
//
// A file is a sorted table, written once, and the changes since, appended one by one. Who holds a
// lock on the database writes it and publishes its length; who reads needs no lock, and ignores what
// lies behind that length. It must not know where the rows come from, what a line means, or SQL.
package hookfile

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// Version is the version of the format. It belongs into the name of the file.
const Version = 2

// ErrCorrupt is returned for a file that was cut off, damaged, or is none of ours.
var ErrCorrupt = errors.New("the hooks' file is damaged")

// Entry is one memory file.
type Entry struct {
	Path string // identifies it
	UUID string // "" for a file that can't be used: then nothing but the path is kept
	// Line is what a hook shows and sorts by; it begins with Path and [Separator]. Text is what it
	// needs beyond that to judge whether the memory is about a question.
	Line, Text string
	Reaches    []string // the keys under which Line is found
	// Filter is what decides, beside a key, whether Line is asked for: those with equal ones lie
	// together, and are read only if they pass.
	Filter     string
	Columns    []string // the texts in which words are found
	Pinned     bool     // Line is part of the brief
	Superseded bool     // counts in the statistics of words, and is never returned
	Gone       bool     // in a change: the file was removed
}

// The keys of the table by their first byte.
const (
	keyBrief  = 'b' // the lines of the brief
	keyLine   = 'd' // + document: line and text
	keyPath   = 'f' // + path: document+1, or 0 for a file that can't be used
	keyCount  = 'n' // + stem: in how many documents
	keyReach  = 'p' // + key + 0 + filter: lines
	keyFilter = 'q' // + key: the filters of its lines
	keySpent  = 's' // the superseded documents
	keyPlaces = 't' // + stem: the positions in each document of keyWord, which only a phrase needs
	keyUUID   = 'u' // + uuid: document
	keyLength = 'w' // + group of documents: words in each, 2 bytes each
	keyWord   = 'x' // + stem: postings
)

// lengthGroup is the number of documents whose lengths lie together.
const lengthGroup = 2048

func lengthKey(group int) []byte {
	return binary.BigEndian.AppendUint32([]byte{keyLength}, uint32(group))
}

func docKey(doc int) []byte { return binary.BigEndian.AppendUint32([]byte{keyLine}, uint32(doc)) }

// Separator ends the path at the start of a line.
const Separator = "\x1f"

// projectWide is the key of memories about the whole project, which are part of the brief.
const projectWide = "*"

func appendString(to []byte, s string) []byte {
	return append(binary.AppendUvarint(to, uint64(len(s))), s...)
}

// decoder reads what appendString and AppendUvarint wrote. After a fault all values are zero.
type decoder struct {
	data []byte
	bad  bool
}

func (d *decoder) number() uint64 {
	if len(d.data) > 0 && d.data[0] < 0x80 { // most are small
		n := d.data[0]
		d.data = d.data[1:]
		return uint64(n)
	}
	n, size := binary.Uvarint(d.data)
	if size <= 0 {
		d.data, d.bad = nil, true
		return 0
	}
	d.data = d.data[size:]
	return n
}

// count reads a number of things of which each takes at least a byte.
func (d *decoder) count() int {
	n := d.number()
	if n > uint64(len(d.data)) {
		d.data, d.bad = nil, true
		return 0
	}
	return int(n)
}

func (d *decoder) bytes() []byte {
	n := d.count()
	out := d.data[:n]
	d.data = d.data[n:]
	return out
}

// take returns the next n bytes.
func (d *decoder) take(n int) []byte {
	if n > len(d.data) {
		d.data, d.bad = nil, true
		return make([]byte, n)
	}
	out := d.data[:n]
	d.data = d.data[n:]
	return out
}

func (d *decoder) text() string { return string(d.bytes()) }

func (d *decoder) more() bool { return len(d.data) > 0 }

func (d *decoder) err(what string) error {
	if d.bad {
		return fmt.Errorf("%s: %w", what, ErrCorrupt)
	}
	return nil
}

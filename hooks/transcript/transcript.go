// Package transcript reads the record that a coding agent keeps of a conversation:
// what the agent said and thought, and which untrusted text came in through tools
// that its hooks don't see. These files belong to other programs, change between
// versions and grow while they are read. The reader therefore skips what it doesn't
// understand, and a missing file is not an error. The package must not know any
// agent's format, memories, the logs of hooks or the meaning of words.
package transcript

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"os"
	"strconv"
)

// Kind is the kind of an entry.
type Kind string

// The kinds of entries.
const (
	Said    Kind = "said"    // to the person
	Thought Kind = "thought" // reasoning, as far as the agent shows it
	Fetched Kind = "fetched" // untrusted text came in
	Asked   Kind = "asked"   // a person's message; Text is empty
	Ended   Kind = "ended"   // a call of a tool; Text is its error, "" where it worked
)

// Entry is one entry of a transcript.
type Entry struct {
	Kind  Kind
	Time  int64  // Unix milliseconds; 0 if the agent records none
	Turn  int    // messages of the person so far, including this one
	Agent string // of a subagent in the same file; "" for the main conversation
	Text  string // the text; of Fetched the tool
	Call  string // of Ended the id of the call
}

// Mark is a position in a file. The zero value is its beginning.
type Mark struct {
	Offset int64
	Turn   int
	// Head identifies the file at a path: a digest of its first HeadLen bytes.
	Head    string
	HeadLen int64
}

// Limits of reading.
const (
	maxLine = 4 << 20 // longer lines are pictures and files
	headLen = 512
)

// Read reads the complete lines of a transcript from a mark on, at most limit bytes, and
// stops early when ctx ends. It returns the next mark. restarted is true if the file is
// another one than the mark's, or shorter, and was read from its beginning. more is true
// if lines are left. A missing file is [fs.ErrNotExist].
func Read(ctx context.Context, format Format, path string, from Mark, limit int64, each func(Entry)) (to Mark, restarted, more bool, err error) {
	if !format.Known() {
		return from, false, false, fmt.Errorf("read a transcript of an unknown format: %w", fs.ErrNotExist)
	}
	st, err := os.Stat(path)
	if err == nil && !st.Mode().IsRegular() {
		err = fs.ErrNotExist // nothing that could block
	}
	if err != nil {
		return from, false, false, fmt.Errorf("read a transcript: %w", err)
	}
	f, err := os.Open(path)
	if err != nil {
		return from, false, false, fmt.Errorf("read a transcript: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	to = from
	if head, ok := digest(f, from.HeadLen); from.Offset > 0 && (!ok || head != from.Head || st.Size() < from.Offset) {
		to, restarted = Mark{}, true
	}
	p := &Parser{format: format, turn: to.Turn, each: each}
	read := int64(0)
	lines := bufio.NewReaderSize(io.NewSectionReader(f, to.Offset, max(0, st.Size()-to.Offset)), 64<<10)
	for {
		if read >= limit || ctx.Err() != nil {
			more = true
			break
		}
		line, n, err := nextLine(lines)
		if err != nil && !errors.Is(err, io.EOF) {
			return to, restarted, true, fmt.Errorf("read a transcript: %w", err)
		}
		if err != nil {
			break // the text after the last newline is incomplete
		}
		read += n
		to.Offset += n
		if len(line) > 0 && line[0] == '{' {
			p.line(line)
		}
	}
	to.Turn = p.turn
	to.HeadLen = min(headLen, to.Offset)
	to.Head, _ = digest(f, to.HeadLen)
	return to, restarted, more, nil
}

// nextLine reads up to a line's end and returns the number of bytes. The line is nil if
// it is too long. io.EOF means that no complete line is left.
func nextLine(r *bufio.Reader) (line []byte, n int64, err error) {
	for {
		part, err := r.ReadSlice('\n')
		n += int64(len(part))
		if n <= maxLine {
			line = append(line, part...)
		} else {
			line = nil
		}
		switch {
		case err == nil:
			return bytes.TrimSpace(line), n, nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, n, err
		}
	}
}

// digest is of the first n bytes of a file. ok is false if it has fewer.
func digest(f *os.File, n int64) (string, bool) {
	buf := make([]byte, n)
	if _, err := f.ReadAt(buf, 0); err != nil {
		return "", n == 0
	}
	h := fnv.New64a()
	_, _ = h.Write(buf) // a hash never fails
	return strconv.FormatUint(h.Sum64(), 36), true
}

package memory

import (
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"manicule/indexer/clip"
	"manicule/memory/file"
	"manicule/memory/gate"
	"manicule/memory/store"
)

// UserError is an error with a hint for the person.
type UserError struct {
	Msg  string
	Hint string
	Err  error
}

// Error returns the message without the hint.
func (e *UserError) Error() string { return e.Msg }

// Unwrap returns the cause.
func (e *UserError) Unwrap() error { return e.Err }

// ErrNotFound is wrapped if no memory has the id.
var ErrNotFound = errors.New("no such memory")

// ErrNoFile is wrapped if a memory is to be tied to a file that is not there.
var ErrNoFile = fmt.Errorf("no such file: %w", errMalformed)

// ErrAmbiguous is wrapped if several memories match the id.
var ErrAmbiguous = errors.New("ambiguous memory id")

// ErrQuarantined is wrapped if the memory is in quarantine.
var ErrQuarantined = errors.New("the memory is in quarantine")

// errExists is wrapped if another file has the memory's path.
var errExists = errors.New("a file is in the way")

// Unreadable reports whether the error concerns one memory only: its file is gone or damaged, or
// two files have its id. A caller that reads many memories skips it; `manicule doctor` reports it.
func Unreadable(err error) bool {
	_, damaged := errors.AsType[*file.Error](err)
	_, told := errors.AsType[*UserError](err)
	return damaged || told || errors.Is(err, fs.ErrNotExist)
}

// NotFound is the error for an id that no memory has.
func NotFound(id string) error { return notFound(id) }

func notFound(id string) error {
	hint := "`manicule list` shows the ids; their first four characters are enough, if no other has the same."
	if strings.ContainsAny(id, "/#.") && !strings.ContainsAny(id, " `\n") { // a place
		hint = "`manicule recall " + id + "` shows what is known about that place, with the ids."
	}
	return &UserError{Msg: fmt.Sprintf("no memory has the id %q", id), Err: ErrNotFound, Hint: hint}
}

// An ambiguous id lists so many memories, with so many characters of each.
const (
	maxListed = 5
	maxTold   = 72
)

// Ambiguous is the error that lists the memories that an id may mean, by what tells them apart. what names them in the
// plural.
func Ambiguous(what, id string, all []*file.Memory) error {
	var list []string
	for _, m := range all[:min(maxListed, len(all))] {
		name := m.ShortID()
		if strings.HasSuffix(m.UUID, id) && len(id) >= len(name) {
			name = m.UUID
		}
		text, _, _ := strings.Cut(gate.Clean(m.What), "\n")
		list = append(list, fmt.Sprintf("%s (%s)", name, clip.MarkedChars(text, maxTold)))
	}
	n := strconv.Itoa(len(all))
	if len(all) == store.MaxMatches {
		n += " or more"
	}
	return &UserError{Msg: fmt.Sprintf("%s %s have an id that %q is short for", n, what, id), Err: ErrAmbiguous,
		Hint: Choices(list, len(all), "a longer part of its id")}
}

// Choices is the hint that lists what may be meant, one a line. Of more than are listed, it says how
// many there are and what tells them apart.
func Choices(list []string, all int, narrower string) string {
	text := "Say which:\n" + strings.Join(list, "\n")
	if more := all - len(list); more > 0 {
		text += fmt.Sprintf("\nor one of %d more: give %s.", more, narrower)
	}
	return text
}

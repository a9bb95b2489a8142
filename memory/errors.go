package memory

import (
	"errors"
	"fmt"
	"io/fs"

	"manicule/memory/file"
)

// UserError is an error that tells a person what to do about it.
type UserError struct {
	Msg  string
	Hint string
	Err  error
}

// Error is the message, without the hint.
func (e *UserError) Error() string { return e.Msg }

// Unwrap returns the cause.
func (e *UserError) Unwrap() error { return e.Err }

// ErrNotFound is wrapped when no memory has the id that was asked for.
var ErrNotFound = errors.New("no such memory")

// ErrAmbiguous is wrapped when several memories have the id that was asked for.
var ErrAmbiguous = errors.New("ambiguous memory id")

// ErrQuarantined is wrapped when the memory is in quarantine.
var ErrQuarantined = errors.New("the memory is in quarantine")

// ErrExists is wrapped when a file is in the way of a memory.
var ErrExists = errors.New("a file is in the way")

// Unreadable reports that one memory can't be read, for a reason of its own:
// it is gone, its file is damaged, or two files have its id. What looks through
// many passes over it; `manicule doctor` says what is wrong.
func Unreadable(err error) bool {
	_, damaged := errors.AsType[*file.Error](err)
	_, told := errors.AsType[*UserError](err)
	return damaged || told || errors.Is(err, fs.ErrNotExist)
}

func notFound(id string) error {
	return &UserError{Msg: fmt.Sprintf("no memory has the id %q", id), Err: ErrNotFound,
		Hint: "`manicule list` shows the ids; their last eight characters are enough."}
}

func ambiguous(id string, n int) error {
	return &UserError{Msg: fmt.Sprintf("%d memories have an id that begins or ends with %q", n, id), Err: ErrAmbiguous, Hint: "Give more of its characters."}
}

// Package fault isolates a bug that one file triggers: a panic while a file is read,
// resolved or searched becomes an error of that file, which names the place of the
// panic, and the other files are still processed. It must not know what files hold.
package fault

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
)

// Error is a panic that was caught.
type Error struct {
	Value any    // what was panicked with
	Place string // file and line that the panic came from
}

func (e *Error) Error() string {
	return fmt.Sprintf("a fault in Manicule (%v at %s)", e.Value, e.Place)
}

// Is reports whether a panic is behind an error.
func Is(err error) bool {
	_, ok := errors.AsType[*Error](err)
	return ok
}

// Catch turns a panic into the error of the function that defers it. What is
// thrown by the runtime itself, as the end of the stack, can't be caught: what
// walks a source must be bounded.
func Catch(err *error) {
	if p := recover(); p != nil {
		*err = &Error{Value: p, Place: Place()}
	}
}

// Place is the file and line that a panic came from, for the function that recovers it. Go's runtime is
// known by its functions: a release has no folders in the names of its files.
func Place() string {
	pc := make([]uintptr, 64)
	frames := runtime.CallersFrames(pc[:runtime.Callers(2, pc)])
	for raised := false; ; {
		f, more := frames.Next()
		switch {
		case f.Function == "runtime.gopanic":
			raised = true
		case raised && !strings.HasPrefix(f.Function, "runtime."):
			return fmt.Sprintf("%s:%d", f.File, f.Line)
		case !more:
			return "an unknown place"
		}
	}
}

// Stages are where a file is being processed.
const (
	Extract = "extract" // its symbols and uses are read
	Resolve = "resolve" // what it uses is looked for
	Anchor  = "anchor"  // a memory's place is looked for in it
)

// Probe is called where a file is being processed: with the path of the file, or with its
// text at the first stage, which knows no paths. Tests hand in one that panics.
type Probe func(stage, text string)

type probeKey struct{}

// WithProbe returns a context whose work calls a probe, as net/http/httptrace does it.
// nil changes nothing.
func WithProbe(ctx context.Context, p Probe) context.Context {
	if p == nil {
		return ctx
	}
	return context.WithValue(ctx, probeKey{}, p)
}

// Enter tells the probe of a context, if it has one, that a file is being processed.
func Enter[T ~string | ~[]byte](ctx context.Context, stage string, text T) {
	if p, ok := ctx.Value(probeKey{}).(Probe); ok {
		p(stage, string(text))
	}
}

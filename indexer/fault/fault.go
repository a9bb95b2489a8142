// Package fault confines a bug that one file triggers. A panic while a file is read,
// resolved or searched becomes an error of that file, with the place of the panic, and
// the other files are still processed. It must not know what files hold.
package fault

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
)

// Error is a recovered panic.
type Error struct {
	Value any    // the value of the panic
	Place string // file and line of the panic
}

func (e *Error) Error() string {
	return fmt.Sprintf("a fault in Manicule (%v at %s)", e.Value, e.Place)
}

// Is reports whether err wraps a recovered panic.
func Is(err error) bool {
	_, ok := errors.AsType[*Error](err)
	return ok
}

// Catch turns a panic into the error of the function that defers it. It can't recover
// what the runtime throws, such as a stack overflow, so code that walks a source must
// bound its depth.
func Catch(err *error) {
	if p := recover(); p != nil {
		*err = &Error{Value: p, Place: Place()}
	}
}

// Place returns the file and line of a panic, for the function that recovers it. It
// skips the Go runtime by function name, because a release has no folders in its file
// names.
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

// The stages of processing a file.
const (
	Extract = "extract" // read its symbols and uses
	Resolve = "resolve" // resolve the names it uses
	Anchor  = "anchor"  // find the place of a memory in it
)

// Probe is called when a file reaches a stage, with the path of the file, or with its
// text at the first stage, which knows no paths. Tests pass one that panics.
type Probe func(stage, text string)

type probeKey struct{}

// WithProbe returns a context whose work calls a probe, as net/http/httptrace does. A
// nil probe changes nothing.
func WithProbe(ctx context.Context, p Probe) context.Context {
	if p == nil {
		return ctx
	}
	return context.WithValue(ctx, probeKey{}, p)
}

// Enter tells the probe of a context, if it has one, that a file reaches a stage.
func Enter[T ~string | ~[]byte](ctx context.Context, stage string, text T) {
	if p, ok := ctx.Value(probeKey{}).(Probe); ok {
		p(stage, string(text))
	}
}

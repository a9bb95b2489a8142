package extract

import (
	"context"
	"errors"
	"time"

	"manicule/indexer/fault"
)

// ErrSlow says that a file takes longer to parse than any that a person wrote:
// grammars take quadratic time to recover from some texts that they don't
// understand, and Swift's does not come to an end with a few short ones.
var ErrSlow = errors.New("takes too long to parse")

// ErrDeep says that a file nests deeper than its grammar can take.
var ErrDeep = errors.New("nests too deep to parse")

// maxContainers is how many quotes and lists of Markdown may lie in each other.
// The grammar keeps them in a buffer of a fixed size: at some hundreds it ends the
// process.
const maxContainers = 100

// quotesBounded refuses Markdown whose containers lie too deep in each other, by
// what stands at the beginning of each line.
func quotesBounded(text []byte) error {
	depth, blank := 0, 0
	for i, began := 0, true; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\n':
			depth, blank, began = 0, 0, true
		case !began:
		case c == ' ':
			if blank++; blank%2 == 0 {
				depth++
			}
		case c == '\t', c == '>':
			depth++
		case c == '-', c == '*', c == '+', c == '.', c == ')':
			if i+1 < len(text) && (text[i+1] == ' ' || text[i+1] == '\t') {
				depth++
			}
		case c < '0' || c > '9':
			began = false
		}
		if began && depth > maxContainers {
			return ErrDeep
		}
	}
	return nil
}

// A file may take patience, and perMB more for each MB. The largest files of the
// trees that were measured take half a second a MB: the rest is room for a
// machine under load.
var patience, perMB = 3 * time.Second, 4 * time.Second

// guard bounds what is done with one source: it ends in time, and a panic is its
// error.
func guard[T any](ctx context.Context, src []byte, f func(context.Context) (T, error)) (out T, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, patience+perMB*time.Duration(len(src))/(1<<20), ErrSlow)
	defer cancel()
	defer func() {
		if err != nil && errors.Is(context.Cause(ctx), ErrSlow) {
			err = ErrSlow
		}
	}()
	defer fault.Catch(&err)
	if fault.Inject != nil {
		fault.At(fault.Extract, string(src))
	}
	return f(ctx)
}

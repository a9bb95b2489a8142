package extract

import (
	"context"
	"errors"
	"time"

	"manicule/indexer/fault"
)

// ErrSlow says that a file takes longer to parse than any that a person wrote:
// grammars take quadratic time to recover from some texts that they don't
// understand.
var ErrSlow = errors.New("takes too long to parse")

// maxTime is how long one file may take. The largest files of the trees that
// were measured take under a second; ten times that leaves room for a machine
// under load.
const maxTime = 10 * time.Second

// guard bounds what is done with one source: it ends in time, and a panic is its
// error.
func guard[T any](ctx context.Context, src []byte, f func(context.Context) (T, error)) (out T, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, maxTime, ErrSlow)
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

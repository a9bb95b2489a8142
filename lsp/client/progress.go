package client

import (
	"context"
	"fmt"
	"sync"
	"time"

	"go.lsp.dev/protocol"
)

// progressTimeout is how long a client may take to say that it shows progress. The work, which may hold locks, waits
// meanwhile.
const progressTimeout = 2 * time.Second

// CreateProgress asks the client to show progress under a token, and reports whether it
// does. A client that doesn't answer in time shows none.
func (c *Client) CreateProgress(ctx context.Context, token protocol.ProgressToken) bool {
	if !c.Capabilities.Progress {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, progressTimeout)
	defer cancel()
	if err := c.Conn.WorkDoneProgressCreate(ctx, &protocol.WorkDoneProgressCreateParams{Token: token}); err != nil {
		c.log.Debug("window/workDoneProgress/create", "err", err)
		return false
	}
	return true
}

// Progress sends the begin, a report or the end of the progress under a token.
func (c *Client) Progress(ctx context.Context, token protocol.ProgressToken, value any) {
	b, err := protocol.Marshal(value)
	if err == nil {
		err = c.Conn.Progress(ctx, &protocol.ProgressParams{Token: token, Value: b})
	}
	if err != nil {
		c.log.Debug("$/progress", "err", err)
	}
}

// NewToken returns an unused progress token.
func (c *Client) NewToken() protocol.ProgressToken { return c.running.token() }

// Cancellable registers stop for Cancel under a token, until done is called.
func (c *Client) Cancellable(token protocol.ProgressToken, stop context.CancelFunc) (done func()) {
	return c.running.add(token, stop)
}

// Cancel stops the work behind a token, if it still runs.
func (c *Client) Cancel(token protocol.ProgressToken) { c.running.cancel(token) }

// cancelFuncs holds the cancel functions of running work by progress token.
type cancelFuncs struct {
	mu   sync.Mutex // guards what follows
	last int
	stop map[protocol.ProgressToken]context.CancelFunc
}

func (w *cancelFuncs) add(token protocol.ProgressToken, stop context.CancelFunc) (done func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.stop == nil {
		w.stop = map[protocol.ProgressToken]context.CancelFunc{}
	}
	w.stop[token] = stop
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.stop, token)
	}
}

func (w *cancelFuncs) cancel(token protocol.ProgressToken) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if stop := w.stop[token]; stop != nil {
		stop()
	}
}

func (w *cancelFuncs) token() protocol.ProgressToken {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.last++
	return protocol.String(fmt.Sprintf("manicule-work-%d", w.last))
}

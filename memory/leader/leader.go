// Package leader elects the process that leads a worktree: the one that holds an
// advisory lock. The leader listens on a Unix socket, so that other processes can
// detect it and send questions that need warm state. The package must not know the
// questions.
package leader

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"manicule/indexer/lockfile"
	"manicule/indexer/treefile"
)

// Protocol is the version of the messages. A leader with another version is ignored. A new method
// does not raise it: a leader that does not know the method replies with an error, and the caller
// continues without. The parameters and results of a method must not change their meaning; add a
// method instead.
//
// History: 1, the first: hello.
const Protocol = 1

// Timeouts of the protocol. A leader that accepts no connection within dialTimeout
// counts as gone. A caller gives up on a request after exchangeTimeout.
const (
	dialTimeout     = 5 * time.Millisecond
	exchangeTimeout = 3 * time.Second
	helloTimeout    = 100 * time.Millisecond // for the hello of a leader that accepted
	retry           = time.Second            // interval of attempts to take over from a leader that can't be waited for
	handover        = 20 * time.Millisecond  // from the end of a leader's socket to that of its lock
	look            = 30 * time.Second       // interval of a leader's looks whether its socket is there, and of attempts to lock after a fault
)

// Request is a message to the leader, a JSON object on one line. The reply repeats ID.
type Request struct {
	ID     uint64          `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params,omitempty"`
}

// Reply answers one request.
type Reply struct {
	ID     uint64          `json:"id"`
	Result json.RawMessage `json:"result,omitempty"`
	Error  string          `json:"error,omitempty"`
}

// Hello is a leader's description of itself.
type Hello struct {
	Protocol int    `json:"protocol"`
	Version  string `json:"version"`
	PID      int    `json:"pid"`
	Role     string `json:"role"` // lsp or mcp
	Root     string `json:"root"`
}

// Handler answers the methods other than hello.
type Handler func(ctx context.Context, method string, params json.RawMessage) (any, error)

// Election is a process's candidacy for leadership. Close withdraws it.
type Election struct {
	lock, socket string
	hello        Hello
	handle       Handler
	look         time.Duration
	cancel       context.CancelFunc
	done         chan struct{}

	mu      sync.Mutex
	leading bool // guarded by mu
	onLead  func()
}

// Campaign competes for the leadership of the worktree. The process leads at once if no other does,
// else within two seconds after the leader has gone. onLead is called then; it and handle may be
// nil.
func Campaign(ctx context.Context, lock, socket string, hello Hello, handle Handler, onLead func()) *Election {
	return campaign(ctx, &Election{lock: lock, socket: socket, hello: hello, handle: handle, look: look, onLead: onLead})
}

func campaign(ctx context.Context, e *Election) *Election {
	e.hello.Protocol, e.hello.PID = Protocol, os.Getpid()
	ctx, e.cancel = context.WithCancel(context.WithoutCancel(ctx))
	e.done = make(chan struct{})
	go e.run(ctx)
	return e
}

// Leading reports whether this process leads now.
func (e *Election) Leading() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.leading
}

// Close gives up the leadership and waits until the lock is free.
func (e *Election) Close() {
	e.cancel()
	<-e.done
}

func (e *Election) run(ctx context.Context) {
	defer close(e.done)
	l := lockfile.New(e.lock)
	if !e.acquire(ctx, l) {
		return
	}
	defer func() { _ = l.Unlock() }() // closing the descriptor releases the lock
	e.mu.Lock()
	e.leading = true
	e.mu.Unlock()
	if e.onLead != nil {
		e.onLead()
	}
	e.serve(ctx)
}

// acquire waits until this process holds the lock, and returns false if ctx ends before. Where no process can lock, no
// process leads, and everything works without. That may pass: the folder was deleted, or descriptors were missing.
func (e *Election) acquire(ctx context.Context, l *flock.Flock) bool {
	for ctx.Err() == nil {
		ok, err := e.tryLock(l)
		if ok {
			return true
		}
		wait := e.look
		if err == nil {
			wait = max(handover, retry-e.awaitDisconnect(ctx)) // a leader that hangs up at once does not make this spin
		}
		select {
		case <-ctx.Done():
		case <-time.After(wait):
		}
	}
	return false
}

// tryLock tries to lock. The folder is a cache, which a user may delete at any time.
func (e *Election) tryLock(l *flock.Flock) (bool, error) {
	if err := os.MkdirAll(filepath.Dir(e.lock), 0o700); err != nil {
		return false, fmt.Errorf("make the folder of the lock: %w", err)
	}
	return l.TryLock()
}

// awaitDisconnect waits, without polling, until the leader closes the connection that this process
// opens to it, and returns how long that lasted: 0 if there is no leader to connect to.
func (e *Election) awaitDisconnect(ctx context.Context) time.Duration {
	c, err := dial(ctx, e.socket)
	if err != nil {
		return 0
	}
	defer func() { _ = c.Close() }()                         // nothing is pending
	defer context.AfterFunc(ctx, func() { _ = c.Close() })() // ends the read
	begin := time.Now()
	_, _ = c.Read(make([]byte, 1)) // a leader sends nothing unasked, so this ends with the connection
	return time.Since(begin)
}

// serve answers on the socket until ctx ends. Without a socket the process still leads, and tries again from time to time.
func (e *Election) serve(ctx context.Context) {
	for ctx.Err() == nil {
		if s, err := e.listen(ctx); err == nil {
			e.accept(ctx, s)
			continue
		}
		select {
		case <-ctx.Done():
		case <-time.After(e.look):
		}
	}
}

// accept answers on a socket until ctx ends or the socket is gone, as when a runtime folder was removed at a logout that this
// process outlived: it would lead, and nobody could ask it. One of another process there is left alone: that leads, too,
// because somebody deleted the lock.
func (e *Election) accept(ctx context.Context, s *socket) {
	ctx, gone := context.WithCancel(ctx)
	defer gone()
	var work sync.WaitGroup
	work.Go(func() {
		tick := time.NewTicker(e.look)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				if _, err := os.Lstat(e.socket); errors.Is(err, fs.ErrNotExist) {
					gone()
				}
			case <-ctx.Done():
				s.close() // ends Accept
				return
			}
		}
	})
	for {
		c, err := s.Accept()
		if err != nil {
			break
		}
		work.Go(func() { e.answer(ctx, c) })
	}
	gone()
	work.Wait()
}

// socket is a socket that removes its file when it is closed, if that is still its own.
type socket struct {
	*net.UnixListener
	path string
	file fs.FileInfo
}

func (s *socket) close() {
	if now, err := os.Lstat(s.path); err == nil && os.SameFile(now, s.file) {
		_ = os.Remove(s.path) // else the next leader removes it
	}
	_ = s.Close() // nothing is pending
}

func (e *Election) listen(ctx context.Context) (*socket, error) {
	dir := filepath.Dir(e.socket)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the socket folder: %w", err)
	}
	if err := treefile.CheckPrivate(dir); err != nil {
		return nil, err
	}
	if err := os.Remove(e.socket); err != nil && !errors.Is(err, os.ErrNotExist) { // of a dead leader
		return nil, fmt.Errorf("remove the old socket: %w", err)
	}
	var lc net.ListenConfig
	ln, err := lc.Listen(ctx, "unix", e.socket)
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w", e.socket, err)
	}
	s := &socket{UnixListener: ln.(*net.UnixListener), path: e.socket}
	s.SetUnlinkOnClose(false) // by then its name may be another leader's
	if err = os.Chmod(e.socket, 0o600); err == nil {
		s.file, err = os.Lstat(e.socket)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("protect %s: %w", e.socket, err), ln.Close())
	}
	return s, nil
}

func (e *Election) answer(ctx context.Context, c net.Conn) {
	defer func() { _ = c.Close() }() // the peer notices
	stop := context.AfterFunc(ctx, func() { _ = c.Close() })
	defer stop()
	if checkPeer(c) != nil {
		return
	}
	in := bufio.NewScanner(c)
	in.Buffer(nil, 16<<20)
	out := json.NewEncoder(c)
	for in.Scan() {
		var q Request
		if json.Unmarshal(in.Bytes(), &q) != nil {
			return
		}
		if err := out.Encode(e.reply(ctx, q)); err != nil {
			return
		}
	}
}

func (e *Election) reply(ctx context.Context, q Request) Reply {
	r := Reply{ID: q.ID}
	var v any = e.hello
	var err error
	switch {
	case q.Method == "hello":
	case e.handle == nil:
		err = fmt.Errorf("unknown method %q", q.Method)
	default:
		v, err = e.handle(ctx, q.Method, q.Params)
	}
	if err == nil {
		r.Result, err = json.Marshal(v)
	}
	if err != nil {
		r.Error = err.Error()
	}
	return r
}

// ErrNone is returned by Ask if no process leads, or if the leader speaks another protocol.
var ErrNone = errors.New("no leader")

// Ask sends one request to the leader. It does not wait for a leader that accepts no connection,
// and at most exchangeTimeout for a reply. It sends nothing if other users could have created the
// socket or own the peer.
func Ask(ctx context.Context, socket, method string, params, result any) error {
	c, err := dial(ctx, socket)
	if err != nil {
		return err
	}
	defer func() { _ = c.Close() }()                         // nothing is pending
	defer context.AfterFunc(ctx, func() { _ = c.Close() })() // ends blocked calls
	if err := c.SetDeadline(time.Now().Add(helloTimeout)); err != nil {
		return fmt.Errorf("ask the leader: %w", err)
	}
	in := bufio.NewReader(c)
	var hello Hello
	if err := exchange(c, in, 1, "hello", nil, &hello); err != nil {
		return fmt.Errorf("%w: %w", ErrNone, err)
	}
	if hello.Protocol != Protocol {
		return fmt.Errorf("%w: it speaks protocol %d", ErrNone, hello.Protocol)
	}
	if method == "hello" {
		if to, ok := result.(*Hello); ok {
			*to = hello
		}
		return nil
	}
	if err := c.SetDeadline(time.Now().Add(exchangeTimeout)); err != nil {
		return fmt.Errorf("ask the leader: %w", err)
	}
	return exchange(c, in, 2, method, params, result)
}

// dial connects to the leader. Its error is ErrNone if none accepts, or if other users could have
// created the socket or own the peer.
func dial(ctx context.Context, socket string) (net.Conn, error) {
	if err := treefile.CheckPrivate(filepath.Dir(socket)); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNone, err)
	}
	d := net.Dialer{Timeout: dialTimeout}
	c, err := d.DialContext(ctx, "unix", socket)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNone, err)
	}
	if err := checkPeer(c); err != nil {
		return nil, errors.Join(fmt.Errorf("%w: %w", ErrNone, err), c.Close())
	}
	return c, nil
}

func exchange(c net.Conn, in *bufio.Reader, id uint64, method string, params, result any) error {
	q := Request{ID: id, Method: method}
	if params != nil {
		p, err := json.Marshal(params)
		if err != nil {
			return fmt.Errorf("ask the leader to %s: %w", method, err)
		}
		q.Params = p
	}
	if err := json.NewEncoder(c).Encode(q); err != nil {
		return fmt.Errorf("ask the leader to %s: %w", method, err)
	}
	line, err := in.ReadBytes('\n')
	if err != nil {
		return fmt.Errorf("hear the leader on %s: %w", method, err)
	}
	var r Reply
	if err := json.Unmarshal(line, &r); err != nil {
		return fmt.Errorf("understand the leader on %s: %w", method, err)
	}
	switch {
	case r.ID != id:
		return fmt.Errorf("the leader answered request %d instead of %d", r.ID, id)
	case r.Error != "":
		return fmt.Errorf("the leader on %s: %s", method, r.Error)
	case result == nil:
		return nil
	}
	if err := json.Unmarshal(r.Result, result); err != nil {
		return fmt.Errorf("understand the leader on %s: %w", method, err)
	}
	return nil
}

// Hold takes the leadership without serving, so that no process leads until release is called. ok
// is false if another process leads.
func Hold(lock string) (release func(), ok bool, err error) {
	if _, err := os.Stat(filepath.Dir(lock)); errors.Is(err, os.ErrNotExist) {
		return func() {}, true, nil // nobody has ever led
	}
	l := lockfile.New(lock)
	if ok, err = l.TryLock(); err != nil || !ok {
		return nil, false, err
	}
	return func() { _ = l.Unlock() }, true, nil // closing the descriptor releases the lock
}

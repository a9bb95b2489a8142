package wrap

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net"
	"strconv"
	"sync"

	"go.lsp.dev/jsonrpc2"

	"manicule/lsp/rpc"
)

// answer is the result of a request, or its error object.
type answer struct{ result, failure []byte }

func failed(message string) answer {
	return answer{failure: object{{"code", []byte("-32603")}, {"message", quoted(message)}}.json()}
}

// ownServer is our server, on a connection of its own. It can be slow, stop reading or
// end at any time, so nothing here waits for it.
type ownServer struct {
	log  *slog.Logger
	conn io.Closer
	out  *rpc.Writer
	in   *rpc.Reader
	done chan struct{} // closed when it has ended
	err  error         // what it ended with, set before done is closed

	mu     sync.Mutex
	ready  bool                   // guarded by mu; initialize was sent
	queued [][]byte               // guarded by mu; what came before that
	dead   bool                   // guarded by mu
	next   int64                  // guarded by mu
	calls  map[int64]func(answer) // guarded by mu; called once, without mu
}

// startOwn runs serve on one end of a pipe.
func startOwn(ctx context.Context, serve func(context.Context, io.ReadWriteCloser) error, log *slog.Logger) *ownServer {
	theirs, ours := net.Pipe()
	o := &ownServer{
		log: log, conn: ours, out: rpc.NewWriter(ours), in: rpc.NewReader(ours),
		done: make(chan struct{}), calls: make(map[int64]func(answer)),
	}
	go func() {
		err := serve(ctx, theirs)
		_ = theirs.Close() // a reader must see the end, whether or not serve closed it
		o.err = err
		close(o.done)
	}()
	return o
}

// maxQueued is how many messages are queued for our server until the wrapped one is
// initialized. A client sends none before that.
const maxQueued = 1000

// send queues a copy of a message.
func (o *ownServer) send(body []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case o.dead:
	case !o.ready:
		if len(o.queued) < maxQueued {
			o.queued = append(o.queued, bytes.Clone(body))
		}
	default:
		o.write(body)
	}
}

// write queues a message. mu is held.
func (o *ownServer) write(body []byte) {
	if _, err := o.out.TryAdd(func(b []byte) []byte { return append(b, body...) }); err != nil {
		o.log.Warn("our own server does not keep up; only the wrapped server answers from now on", "err", err)
		o.dead = true
		go o.end()
	}
}

// call sends a request to our server. then gets the answer, whose bytes are valid
// during the call only. The returned function cancels the request.
func (o *ownServer) call(method string, params []byte, then func(answer)) (cancel func()) {
	o.mu.Lock()
	if o.dead || !o.ready {
		o.mu.Unlock()
		then(failed("manicule's own server is not running"))
		return func() {}
	}
	defer o.mu.Unlock()
	return o.callLocked(method, params, then)
}

// callLocked is call with mu held.
func (o *ownServer) callLocked(method string, params []byte, then func(answer)) (cancel func()) {
	o.next++
	id := o.next
	o.calls[id] = then
	o.write(jsonrpc2.AppendCall(nil, jsonrpc2.NewNumberID(id), method, params))
	return func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		if _, waits := o.calls[id]; waits && !o.dead {
			o.write([]byte(`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":` + strconv.FormatInt(id, 10) + `}}`))
		}
	}
}

// initialize sends the first message and then those that were queued.
func (o *ownServer) initialize(params []byte, then func(answer)) {
	o.mu.Lock()
	if o.dead || o.ready {
		o.mu.Unlock()
		then(failed("manicule's own server is not running"))
		return
	}
	defer o.mu.Unlock()
	o.callLocked("initialize", params, then)
	for _, body := range o.queued {
		o.write(body)
	}
	o.ready, o.queued = true, nil
}

// deliver passes an answer to the caller of its request.
func (o *ownServer) deliver(v *jsonrpc2.MessageView) {
	id, ok := v.ID.Number()
	if !ok {
		return
	}
	o.mu.Lock()
	then := o.calls[id]
	delete(o.calls, id)
	o.mu.Unlock()
	if then != nil {
		then(answer{v.Result, v.ErrorRaw})
	}
}

// end disconnects from the server. Open requests get an error. It reports false if that
// was done before.
func (o *ownServer) end() bool {
	o.mu.Lock()
	first := !o.dead
	o.dead = true
	calls := o.calls
	o.calls = make(map[int64]func(answer))
	o.mu.Unlock()
	for _, then := range calls {
		then(failed("manicule's own server has ended"))
	}
	_ = o.conn.Close() // the other end may have come first
	return first
}

// close sends what is queued, then ends the connection.
func (o *ownServer) close() {
	o.out.Close()
	o.end()
}

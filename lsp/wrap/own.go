package wrap

import (
	"context"
	"io"
	"log/slog"
	"net"
	"strconv"
	"sync"

	"go.lsp.dev/jsonrpc2"

	"manicule/lsp/rpc"
)

// answer is what a request came to: a result, or an error object.
type answer struct{ result, failure []byte }

func failed(message string) answer {
	return answer{failure: object{{"code", []byte("-32603")}, {"message", quoted(message)}}.json()}
}

// ownServer is our server, on a connection of its own. It can be slow, stop
// reading or end at any time; nobody waits for it here.
type ownServer struct {
	log  *slog.Logger
	conn io.Closer
	out  *rpc.Writer
	in   *rpc.Reader
	done chan struct{} // closed when it has ended
	err  error         // what it ended with, set before done is closed

	mu    sync.Mutex
	ready bool                   // guarded by mu; initialize was sent
	held  [][]byte               // guarded by mu; what came before that
	dead  bool                   // guarded by mu
	next  int64                  // guarded by mu
	calls map[int64]func(answer) // guarded by mu; called once, without mu
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
		_ = theirs.Close() // it may have been; a reader must learn that this is the end
		o.err = err
		close(o.done)
	}()
	return o
}

// maxHeld is how many messages are kept for our server until the wrapped one
// has been initialized. A client sends none at all before that.
const maxHeld = 1000

// send queues a message, which is copied.
func (o *ownServer) send(body []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case o.dead:
	case !o.ready:
		if len(o.held) < maxHeld {
			o.held = append(o.held, append([]byte(nil), body...))
		}
	default:
		o.write(body)
	}
}

// write is called with mu held.
func (o *ownServer) write(body []byte) {
	if _, err := o.out.TryAdd(func(b []byte) []byte { return append(b, body...) }); err != nil {
		o.log.Warn("our own server does not keep up; the wrapped server's answers go on alone", "err", err)
		o.dead = true
		go o.end()
	}
}

// call asks our server; then gets the answer, whose bytes are valid during the
// call only. It returns a function that cancels the request.
func (o *ownServer) call(method string, params []byte, then func(answer)) (cancel func()) {
	o.mu.Lock()
	if o.dead || !o.ready {
		o.mu.Unlock()
		then(failed("manicule's own server is not running"))
		return func() {}
	}
	defer o.mu.Unlock()
	return o.ask(method, params, then)
}

// ask is call with mu held.
func (o *ownServer) ask(method string, params []byte, then func(answer)) (cancel func()) {
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

// initialize is the first message; what was held follows it.
func (o *ownServer) initialize(params []byte, then func(answer)) {
	o.mu.Lock()
	if o.dead || o.ready {
		o.mu.Unlock()
		then(failed("manicule's own server is not running"))
		return
	}
	defer o.mu.Unlock()
	o.ask("initialize", params, then)
	for _, body := range o.held {
		o.write(body)
	}
	o.ready, o.held = true, nil
}

// answered hands an answer to who asked.
func (o *ownServer) answered(v *jsonrpc2.MessageView) {
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

// end gives the server up: whoever waits for it gets an error. It reports
// whether that is news.
func (o *ownServer) end() bool {
	o.mu.Lock()
	news := !o.dead
	o.dead = true
	calls := o.calls
	o.calls = make(map[int64]func(answer))
	o.mu.Unlock()
	for _, then := range calls {
		then(failed("manicule's own server has ended"))
	}
	_ = o.conn.Close() // the other end may have come first
	return news
}

// close lets what is queued be read, then ends the connection.
func (o *ownServer) close() {
	o.out.Close()
	o.end()
}

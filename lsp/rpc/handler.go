// Package rpc owns the wire of the language server: framing, the order in which
// messages are handled, cancellation, and the response to a panic or an error. It
// must not know what any method means.
//
// Notifications are handled one after another in wire order, each completely before
// the next message is read. A request runs concurrently with later messages once its
// handler calls [Release], so it takes its snapshot of the state before that. No
// input, error or panic ends the connection; only end of file, the exit notification
// and the context do.
package rpc

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"strings"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

// Options of a connection. Every field is required.
type Options struct {
	Server protocol.Server
	Log    *slog.Logger
	// Gate rejects a message before it is decoded, with the error to answer. It is
	// called in wire order.
	Gate func(method string, call bool) error
}

// Release lets later messages be handled concurrently with this request. A request's
// handler calls it once, after taking its state. A notification's handler never calls
// it.
func Release(ctx context.Context) { jsonrpc2.Async(ctx) }

// Connect returns the connection on stream, which starts reading when its Go is called,
// and the client on the other side.
func Connect(stream jsonrpc2.Stream) (jsonrpc2.Conn, protocol.Client) {
	conn := jsonrpc2.NewConn(stream, jsonrpc2.WithCodec(codec{}))
	return conn, protocol.ClientDispatcher(conn)
}

// Handler returns the chain for a connection: recover, map errors, cancel, gate,
// dispatch.
func Handler(opts Options) jsonrpc2.Handler {
	dispatch := allowMissingParams(opts.Server, protocol.ServerHandler(opts.Server, jsonrpc2.MethodNotFoundHandler))
	requests := new(inFlight)
	return func(ctx context.Context, req *jsonrpc2.Request) (any, error) {
		if req.Method() == protocol.MethodCancelRequest && !req.IsCall() {
			requests.cancel(req.Params())
			return nil, nil
		}
		if req.IsCall() {
			ctx, end := requests.begin(ctx, req.ID())
			defer end()
			res, err := withRecover(ctx, req, opts, dispatch)
			if err == nil && ctx.Err() != nil && strings.HasPrefix(req.Method(), documentPrefix) {
				err = ctx.Err() // its result may lack what was not looked for any more
			}
			if err != nil {
				return nil, errorFrom(ctx, err)
			}
			return res, nil
		}
		_, err := withRecover(ctx, req, opts, dispatch)
		if err != nil && !optional(req.Method(), err) { // returning it would end the connection
			opts.Log.Warn("notification", "method", req.Method(), "err", err)
		}
		return nil, nil
	}
}

// optional reports whether a notification that was not understood may be ignored: those that begin with "$/" depend on
// what a client can do.
func optional(method string, err error) bool {
	var wire *jsonrpc2.Error
	return strings.HasPrefix(method, "$/") && errors.As(err, &wire) && wire.Code == jsonrpc2.MethodNotFound
}

// ownPrefix begins the names of our own methods, documentPrefix those that only read a document.
const (
	ownPrefix      = "manicule/"
	documentPrefix = "textDocument/"
)

// allowMissingParams lets our own requests come without parameters, which the library
// would reject.
func allowMissingParams(server protocol.Server, next jsonrpc2.Handler) jsonrpc2.Handler {
	return func(ctx context.Context, req *jsonrpc2.Request) (any, error) {
		if req.IsCall() && len(req.Params()) == 0 && strings.HasPrefix(req.Method(), ownPrefix) {
			return server.Request(ctx, strings.Clone(req.Method()), protocol.LSPAny("{}"))
		}
		return next(ctx, req)
	}
}

func withRecover(ctx context.Context, req *jsonrpc2.Request, opts Options, next jsonrpc2.Handler) (res any, err error) {
	defer func() {
		if p := recover(); p != nil {
			opts.Log.Error("panic", "method", req.Method(), "panic", p, "stack", string(debug.Stack()))
			res, err = nil, jsonrpc2.Errorf(jsonrpc2.InternalError, "%s: panic: %v", req.Method(), p)
		}
	}()
	if err := opts.Gate(req.Method(), req.IsCall()); err != nil {
		return nil, err
	}
	return next(ctx, req)
}

// errorFrom maps a handler's error to that of the response. It is the only place that
// chooses codes for errors without one.
func errorFrom(ctx context.Context, err error) error {
	var wire *jsonrpc2.Error
	switch {
	case ctx.Err() != nil, errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return protocol.ErrRequestCancelled
	case errors.Is(err, jsonrpc2.ErrParse): // in the params: an invalid body does not get here
		return jsonrpc2.Errorf(jsonrpc2.InvalidParams, "%v", err)
	case errors.As(err, &wire):
		return &jsonrpc2.Error{Code: wire.Code, Message: err.Error(), Data: wire.Data}
	default:
		return jsonrpc2.Errorf(jsonrpc2.InternalError, "%v", err)
	}
}

// InvalidParams returns an error for an invalid request.
func InvalidParams(format string, args ...any) error {
	return jsonrpc2.NewError(jsonrpc2.InvalidParams, fmt.Sprintf(format, args...))
}

// Failed returns an error for a valid request that can't be answered in the present
// state. err says what to do.
func Failed(err error) error {
	return jsonrpc2.NewError(jsonrpc2.Code(protocol.LSPErrorCodesRequestFailed), err.Error())
}

// NotFound returns the error for a method that is not served.
func NotFound(method string) error {
	return jsonrpc2.Errorf(jsonrpc2.MethodNotFound, "%q is not supported", method)
}

// codec marshals with the protocol's own functions, which know its unions.
type codec struct{}

// Marshal encodes v. Raw messages pass unchanged.
func (codec) Marshal(v any) ([]byte, error) {
	switch m := v.(type) {
	case jsonrpc2.RawMessage:
		return orNull(m), nil
	case *jsonrpc2.RawMessage:
		if m == nil {
			return orNull(nil), nil
		}
		return orNull(*m), nil
	}
	return protocol.Marshal(v)
}

func orNull(m jsonrpc2.RawMessage) []byte {
	if m == nil {
		return []byte("null")
	}
	return m
}

// Unmarshal decodes data into v. A raw message gets a copy.
func (codec) Unmarshal(data []byte, v any) error {
	if m, ok := v.(*jsonrpc2.RawMessage); ok {
		*m = append(jsonrpc2.RawMessage(nil), data...)
		return nil
	}
	return protocol.Unmarshal(data, v)
}

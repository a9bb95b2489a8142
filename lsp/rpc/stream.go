package rpc

import (
	"context"
	"errors"
	"io"
	"log/slog"

	"go.lsp.dev/jsonrpc2"
)

// stream frames messages by Content-Length. Unlike jsonrpc2's own, it survives bad
// input: it skips an invalid header, answers invalid JSON with an error, and reads on.
type stream struct {
	conn io.ReadWriteCloser
	log  *slog.Logger
	in   *Reader // used by one goroutine at a time
	out  *Writer
}

// NewStream returns a stream over conn that survives bad input.
func NewStream(conn io.ReadWriteCloser, log *slog.Logger) jsonrpc2.Stream {
	return &stream{conn: conn, log: log, in: NewReader(conn), out: NewWriter(conn)}
}

// Read returns the next valid message, which shares the read buffer until the next
// call.
func (s *stream) Read(ctx context.Context) (jsonrpc2.Message, int64, error) {
	for {
		if err := ctx.Err(); err != nil {
			return nil, 0, err
		}
		body, err := s.in.Next()
		if large, ok := errors.AsType[*TooLargeError](err); ok {
			s.refuse(jsonrpc2.Errorf(jsonrpc2.InvalidRequest, "%v", large))
			continue
		}
		if err != nil {
			return nil, 0, err
		}
		msg, err := jsonrpc2.DecodeMessage(body)
		if err != nil {
			s.refuse(err)
			continue
		}
		return msg, int64(len(body)), nil
	}
}

// refuse answers an unreadable message. The response has no id, because that of the
// request is unknown.
func (s *stream) refuse(err error) {
	s.log.Warn("unreadable message", "err", err)
	if _, werr := s.out.Add(func(b []byte) []byte {
		return jsonrpc2.AppendResponse(b, jsonrpc2.ID{}, nil, err)
	}); werr != nil {
		s.log.Warn("respond to an unreadable message", "err", werr)
	}
}

// Write queues msg.
func (s *stream) Write(ctx context.Context, msg jsonrpc2.Message) (int64, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	n, err := s.out.Add(func(b []byte) []byte { return jsonrpc2.AppendMessage(b, msg) })
	return int64(n), err
}

// Close sends what is queued, if the client reads, and closes the transport.
func (s *stream) Close() error {
	s.out.Close()
	return s.conn.Close()
}

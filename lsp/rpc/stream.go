package rpc

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"strconv"
	"strings"

	"go.lsp.dev/jsonrpc2"
)

// maxBody is the largest message that is read. A larger one is skipped and
// answered with an error.
const maxBody = 256 << 20

// keepBuffer is the largest read buffer that is kept between messages.
const keepBuffer = 1 << 20

// stream frames messages by Content-Length. Unlike jsonrpc2's own, it outlives
// what it can't read: a header that makes no sense is skipped, a body that is
// not JSON is answered with an error, and the next message is read.
type stream struct {
	conn io.ReadWriteCloser
	log  *slog.Logger
	in   *bufio.Reader
	body []byte // read by one goroutine at a time
	out  *writer
}

// NewStream returns a stream over conn that survives bad input.
func NewStream(conn io.ReadWriteCloser, log *slog.Logger) jsonrpc2.Stream {
	return &stream{conn: conn, log: log, in: bufio.NewReaderSize(conn, 16<<10), out: newWriter(conn)}
}

// Read returns the next message that makes sense. Its parts borrow the read
// buffer until the next call.
func (s *stream) Read(ctx context.Context) (jsonrpc2.Message, int64, error) {
	for {
		if err := ctx.Err(); err != nil {
			return nil, 0, err
		}
		n, err := s.readHeader()
		if err != nil {
			return nil, 0, err
		}
		if err := s.readBody(n); err != nil {
			return nil, 0, err
		}
		if n > maxBody {
			s.refuse(jsonrpc2.Errorf(jsonrpc2.InvalidRequest, "a message of %d bytes is too large", n))
			continue
		}
		msg, err := jsonrpc2.DecodeMessage(s.body)
		if err != nil {
			s.refuse(err)
			continue
		}
		return msg, int64(n), nil
	}
}

// readHeader returns the length of the next body, skipping lines that are no
// header and header blocks that name no length.
func (s *stream) readHeader() (int, error) {
	length, begun := -1, false
	for {
		line, err := s.in.ReadSlice('\n')
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue // part of a line that no client sends
		case errors.Is(err, io.EOF) && (begun || len(line) > 0):
			return 0, io.ErrUnexpectedEOF
		case err != nil:
			return 0, err
		}
		line = bytes.TrimRight(line, "\r\n")
		if len(line) == 0 {
			if length > 0 {
				return length, nil
			}
			begun = false
			continue
		}
		begun = true
		if n, ok := contentLength(line); ok {
			length = n
		}
	}
}

// contentLength reads a Content-Length line. Junk glued in front of it, as
// left by a body that was longer than announced, is skipped.
func contentLength(line []byte) (int, bool) {
	const name = "content-length:"
	low := strings.ToLower(string(line))
	i := strings.LastIndex(low, name)
	if i < 0 {
		return 0, false
	}
	n, err := strconv.ParseUint(strings.TrimSpace(low[i+len(name):]), 10, 40)
	if err != nil {
		return 0, false
	}
	return int(n), true
}

func (s *stream) readBody(n int) error {
	if n > maxBody {
		if _, err := io.CopyN(io.Discard, s.in, int64(n)); err != nil {
			return unexpected(err)
		}
		return nil
	}
	if cap(s.body) < n || cap(s.body) > keepBuffer {
		s.body = make([]byte, n)
	}
	s.body = s.body[:n]
	_, err := io.ReadFull(s.in, s.body)
	return unexpected(err)
}

func unexpected(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// refuse answers what can't be read. Which request it was is unknown, so the
// answer has no id.
func (s *stream) refuse(err error) {
	s.log.Warn("unreadable message", "err", err)
	if _, werr := s.out.add(func(b []byte) []byte {
		return jsonrpc2.AppendResponse(b, jsonrpc2.ID{}, nil, err)
	}); werr != nil {
		s.log.Warn("answer to an unreadable message", "err", werr)
	}
}

// Write queues msg.
func (s *stream) Write(ctx context.Context, msg jsonrpc2.Message) (int64, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	n, err := s.out.add(func(b []byte) []byte { return jsonrpc2.AppendMessage(b, msg) })
	return int64(n), err
}

// Close closes the transport, after what is queued was sent to a client that
// reads.
func (s *stream) Close() error {
	s.out.close()
	return s.conn.Close()
}

package mcp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxMessage is the maximum length of a message in bytes. A memory has at most some
// kilobytes, so no useful message is as long.
const maxMessage = 4 << 20

// newLines is a connection over lines. The SDK's reader ends the connection at the first
// unreadable line; this one answers it with an error and continues with the next. gone is
// called at the end of the input.
func newLines(in io.Reader, out io.Writer, gone func()) mcp.Transport {
	w := &lineWriter{out: out}
	return &mcp.IOTransport{Reader: &lineReader{in: bufio.NewReaderSize(in, 64<<10), out: w, gone: gone}, Writer: w, MaxLineLength: 2 * maxMessage}
}

// lineReader passes on the lines that contain one JSON value.
type lineReader struct {
	in   *bufio.Reader
	out  *lineWriter
	gone func()
	rest []byte // of the current line
}

// Read returns complete lines of JSON.
func (r *lineReader) Read(p []byte) (int, error) {
	for len(r.rest) == 0 {
		line, err := r.line()
		if err != nil {
			r.gone()
			return 0, err
		}
		r.rest = line
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// line returns the next valid line with its end. It returns nil for an empty line and for
// one that was answered with an error.
func (r *lineReader) line() ([]byte, error) {
	var line []byte
	for {
		part, err := r.in.ReadSlice('\n')
		if len(line)+len(part) > maxMessage {
			return nil, r.tooLong(line, part, err)
		}
		line = append(line, part...)
		switch {
		case err == nil:
			return r.checked(line)
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, err // a last line without an end: its writer died
		}
	}
}

// tooLong skips a line that is too long and answers it, with its id if that stands at an
// end of the line, where SDKs write it.
func (r *lineReader) tooLong(line, part []byte, err error) error {
	head := string(line[:min(len(line), edge)])
	tail := string(part[max(0, len(part)-edge):])
	for errors.Is(err, bufio.ErrBufferFull) {
		part, err = r.in.ReadSlice('\n')
		tail += string(part[max(0, len(part)-edge):])
		tail = tail[max(0, len(tail)-edge):]
	}
	if err != nil {
		return err
	}
	id := "null"
	for _, end := range []struct{ text, id string }{
		{tail, `,\s*"id"\s*:\s*(\d+|"[\w-]*")\s*}\s*$`}, {head, `^\s*{\s*(?:"jsonrpc"\s*:\s*"2.0"\s*,\s*)?"id"\s*:\s*(\d+|"[\w-]*")\s*,`},
	} {
		if m := regexp.MustCompile(end.id).FindStringSubmatch(end.text); m != nil {
			id = m[1]
		}
	}
	return r.refuse(id, jsonrpc.CodeInvalidRequest, fmt.Sprintf("the message is larger than %d MB", maxMessage>>20))
}

// edge is the length of each end of an overlong line that is searched, in bytes.
const edge = 256

// checked answers a line that is no JSON-RPC message.
func (r *lineReader) checked(line []byte) ([]byte, error) {
	text := bytes.TrimSpace(line)
	switch {
	case len(text) == 0:
		return nil, nil
	case text[0] == '[':
		return nil, r.refuse("null", jsonrpc.CodeInvalidRequest, "batches are not understood: send one message a line")
	case !json.Valid(text):
		return nil, r.refuse("null", jsonrpc.CodeParseError, "the line is no JSON")
	}
	if _, err := jsonrpc.DecodeMessage(text); err != nil {
		return nil, r.refuse("null", jsonrpc.CodeInvalidRequest, "the line is no message of JSON-RPC: "+err.Error())
	}
	return append(text, '\n'), nil
}

// refuse writes an error. id is JSON, null if the request is unknown (JSON-RPC 2.0,
// section 5.1).
func (r *lineReader) refuse(id string, code int, why string) error {
	message, err := json.Marshal(why)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(r.out, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%s}}`+"\n", id, code, message)
	return err
}

// Close leaves the input open: the process ends, and with it any pending read.
func (r *lineReader) Close() error { return nil }

// lineWriter writes whole messages, one at a time.
type lineWriter struct {
	mu  sync.Mutex
	out io.Writer // guarded by mu
}

// Write writes one message.
func (w *lineWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.out.Write(p)
}

// Close leaves the output open, which belongs to the process.
func (w *lineWriter) Close() error { return nil }

package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxMessage is the maximum length of a message in bytes. A memory has at most some
// kilobytes, so no useful message is as long.
const maxMessage = 4 << 20

// lines is a connection over lines, each a message or a batch. The SDK's own ends at the first
// unreadable line, answers calls that the client has cancelled, and never answers a batch with
// a notification.
type lines struct {
	in       *bufio.Reader
	gone     func() // called at the end of the input
	received chan received
	closed   chan struct{}
	closing  sync.Once

	mu       sync.Mutex // guards the following fields; not held while a line is written, for which the client may have to read first
	calls    map[jsonrpc.ID]*pending
	batching bool // the client speaks a revision with batches
	greeted  bool // the client has said initialize, as before revision 2026-07-28

	writing sync.Mutex // guards out
	out     io.Writer
}

// received is a message, or why there are no more.
type received struct {
	message jsonrpc.Message
	err     error
}

// pending is a call without an answer.
type pending struct {
	batch     *batch // nil for a call on its own
	cancelled bool
}

// batch collects the answers to the calls of one line.
type batch struct {
	missing int
	answers []json.RawMessage
}

func newLines(in io.Reader, out io.Writer, gone func()) *lines {
	return &lines{
		in: bufio.NewReaderSize(in, 64<<10), gone: gone, out: out,
		received: make(chan received), closed: make(chan struct{}), calls: make(map[jsonrpc.ID]*pending),
	}
}

// Connect begins to read.
func (l *lines) Connect(context.Context) (mcp.Connection, error) {
	go l.receive()
	return l, nil
}

// SessionID returns "": the process is the session.
func (l *lines) SessionID() string { return "" }

// Read returns the next message.
func (l *lines) Read(ctx context.Context) (jsonrpc.Message, error) {
	select {
	case r := <-l.received:
		return r.message, r.err
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-l.closed:
		return nil, io.EOF
	}
}

// Close ends Read. The input and the output stay open: they belong to the process, whose end also ends
// a pending read of them.
func (l *lines) Close() error {
	l.closing.Do(func() { close(l.closed) })
	return nil
}

// receive passes messages to Read until the input ends.
func (l *lines) receive() {
	for {
		messages, err := l.next()
		if err != nil {
			l.gone()
			l.pass(received{err: err})
			return
		}
		for _, m := range messages {
			if !l.pass(received{message: m}) {
				return
			}
		}
	}
}

func (l *lines) pass(r received) bool {
	select {
	case l.received <- r:
		return true
	case <-l.closed:
		return false
	}
}

// next returns the messages of the next line: none of an empty line, or of one that was answered
// with an error.
func (l *lines) next() ([]jsonrpc.Message, error) {
	var line []byte
	for {
		part, err := l.in.ReadSlice('\n')
		if len(line)+len(part) > maxMessage {
			return nil, l.tooLong(line, part, err)
		}
		line = append(line, part...)
		switch {
		case err == nil:
			return l.parse(bytes.TrimSpace(line))
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, err // a last line without an end: its writer died
		}
	}
}

// tooLong skips a line that is too long and answers it, with its id if that stands at an
// end of the line, where SDKs write it.
func (l *lines) tooLong(line, part []byte, err error) error {
	head := string(line[:min(len(line), edge)])
	tail := string(part[max(0, len(part)-edge):])
	for errors.Is(err, bufio.ErrBufferFull) {
		part, err = l.in.ReadSlice('\n')
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
	return l.refuse(&refusal{id, jsonrpc.CodeInvalidRequest, fmt.Sprintf("the message is larger than %d MB", maxMessage>>20)})
}

// edge is the length of each end of an overlong line that is searched, in bytes.
const edge = 256

// parse returns the messages of a line, and answers one that has none.
func (l *lines) parse(text []byte) ([]jsonrpc.Message, error) {
	switch {
	case len(text) == 0:
		return nil, nil
	case !json.Valid(text):
		return nil, l.refuse(&refusal{"null", jsonrpc.CodeParseError, "the line is no JSON"})
	case text[0] == '[':
		return l.parseBatch(text)
	}
	m, wrong := decode(text)
	if wrong != nil {
		return nil, l.refuse(wrong)
	}
	if wrong = l.incomplete(m); wrong != nil {
		return nil, l.refuse(wrong)
	}
	if req, ok := m.(*jsonrpc.Request); ok && !l.note(m, nil) { // the SDK passes over it
		return nil, l.refuse(&refusal{string(encoded(req.ID.Raw())), jsonrpc.CodeInvalidRequest, "another call has this id"})
	}
	return []jsonrpc.Message{m}, nil
}

// incomplete refuses a question for the server's revisions that does not say which one the client speaks: the SDK would take it for
// one of an earlier client, which knows no such method.
func (l *lines) incomplete(m jsonrpc.Message) *refusal {
	req, ok := m.(*jsonrpc.Request)
	if !ok || !req.IsCall() || req.Method != "server/discover" {
		return nil
	}
	var p struct {
		Meta map[string]any `json:"_meta"`
	}
	_ = json.Unmarshal(req.Params, &p)
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, said := p.Meta[revisionKey]; said || l.greeted {
		return nil
	}
	return &refusal{string(encoded(req.ID.Raw())), jsonrpc.CodeInvalidParams, `"params" needs "_meta" with "` + revisionKey + `"`}
}

// parseBatch returns the messages of a batch, which some revisions have (JSON-RPC 2.0, section 6).
func (l *lines) parseBatch(text []byte) ([]jsonrpc.Message, error) {
	l.mu.Lock()
	batching := l.batching
	l.mu.Unlock()
	if !batching {
		return nil, l.refuse(&refusal{"null", jsonrpc.CodeInvalidRequest, "batches are not understood: send one message a line"})
	}
	var elements []json.RawMessage
	if err := json.Unmarshal(text, &elements); err != nil || len(elements) == 0 {
		return nil, l.refuse(&refusal{"null", jsonrpc.CodeInvalidRequest, "the batch is empty"})
	}
	b := &batch{}
	var messages []jsonrpc.Message
	for _, e := range elements {
		m, wrong := decode(e)
		req, ok := m.(*jsonrpc.Request)
		switch {
		case wrong != nil:
		case ok && req.Method == "initialize":
			wrong = &refusal{string(encoded(req.ID.Raw())), jsonrpc.CodeInvalidRequest, "initialize can't be part of a batch"}
		case !l.note(m, b):
			wrong = &refusal{string(encoded(req.ID.Raw())), jsonrpc.CodeInvalidRequest, "another call has this id"}
		}
		if wrong != nil {
			b.answers = append(b.answers, wrong.json())
			continue
		}
		messages = append(messages, m)
	}
	if b.missing > 0 || len(b.answers) == 0 {
		return messages, nil
	}
	return messages, l.write(encoded(b.answers))
}

// note remembers a call, that a call is cancelled, and which revision the client speaks. It returns false for a call
// with the id of another that is not answered yet.
func (l *lines) note(m jsonrpc.Message, b *batch) bool {
	req, ok := m.(*jsonrpc.Request)
	if !ok {
		return true
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case req.Method == "initialize":
		l.greeted = true
		var p struct {
			ProtocolVersion string `json:"protocolVersion"`
		}
		_ = json.Unmarshal(req.Params, &p) // the SDK says what is wrong with it
		l.batching = p.ProtocolVersion == "2024-11-05" || p.ProtocolVersion == "2025-03-26"
	case req.Method == "notifications/cancelled":
		var p struct {
			RequestID any `json:"requestId"`
		}
		if json.Unmarshal(req.Params, &p) != nil {
			return true
		}
		id, err := jsonrpc.MakeID(p.RequestID)
		if call := l.calls[id]; err == nil && call != nil {
			call.cancelled = true
		}
	case req.IsCall() && l.calls[req.ID] != nil:
		return false
	case req.IsCall():
		l.calls[req.ID] = &pending{batch: b}
		if b != nil {
			b.missing++
		}
	}
	return true
}

// Write writes a message. It holds back the answer to a call of a batch until all of that are there, and
// drops that to a cancelled one.
func (l *lines) Write(ctx context.Context, m jsonrpc.Message) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	res, answers := m.(*jsonrpc.Response)
	if answers && res.Error != nil {
		withCode := *res
		withCode.Error = coded(res.Error)
		m = &withCode
	}
	data, err := jsonrpc.EncodeMessage(m)
	if err != nil {
		return fmt.Errorf("write a message: %w", err)
	}
	if answers {
		if data = l.answer(res.ID, data); data == nil {
			return nil
		}
	}
	return l.write(data)
}

// answer returns what is to be written when a call is answered: nil for a cancelled call, and for one of a batch
// of which others are not answered yet.
func (l *lines) answer(id jsonrpc.ID, data []byte) []byte {
	l.mu.Lock()
	defer l.mu.Unlock()
	call := l.calls[id]
	if call == nil {
		return data
	}
	delete(l.calls, id)
	b := call.batch
	switch {
	case b == nil && call.cancelled:
		return nil
	case b == nil:
		return data
	case !call.cancelled:
		b.answers = append(b.answers, data)
	}
	if b.missing--; b.missing > 0 || len(b.answers) == 0 {
		return nil
	}
	return encoded(b.answers)
}

// write writes a line.
func (l *lines) write(data []byte) error {
	l.writing.Lock()
	defer l.writing.Unlock()
	_, err := l.out.Write(append(data, '\n'))
	return err
}

func (l *lines) refuse(r *refusal) error { return l.write(r.json()) }

// refusal is an error in answer to what is no message. Its id is JSON, null if it is unknown
// (JSON-RPC 2.0, section 5.1).
type refusal struct {
	id   string
	code int
	why  string
}

func (r *refusal) json() []byte {
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%s}}`, r.id, r.code, encoded(r.why))
}

// encoded is the JSON of a value that always has one.
func encoded(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		return []byte("null")
	}
	return data
}

// decode reads one message, or says why it is none.
func decode(text []byte) (jsonrpc.Message, *refusal) {
	m, err := jsonrpc.DecodeMessage(text)
	if err != nil {
		return nil, &refusal{"null", jsonrpc.CodeInvalidRequest, "the line is no message of JSON-RPC: " + err.Error()}
	}
	if req, ok := m.(*jsonrpc.Request); ok {
		if wrong := wrongID(req, text); wrong != nil {
			return nil, wrong
		}
	}
	return m, nil
}

// wrongID refuses a call whose answer could not have its id: the SDK takes null for a notification and rounds
// numbers.
func wrongID(req *jsonrpc.Request, text []byte) *refusal {
	number, isNumber := req.ID.Raw().(int64)
	if req.IsCall() && !isNumber {
		return nil
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(text, &members); err != nil {
		return nil // decode has read it
	}
	id, ok := members["id"]
	switch {
	case !ok:
		return nil
	case !isNumber:
		return &refusal{"null", jsonrpc.CodeInvalidRequest, "the id of a call can't be null"}
	case string(id) != strconv.FormatInt(number, 10):
		return &refusal{string(id), jsonrpc.CodeInvalidRequest, "an id is a text, or a whole number below 2^53"}
	}
	return nil
}

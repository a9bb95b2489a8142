// Package wire is a minimal editor. It starts a language server as a child process
// and speaks JSON-RPC with it over real pipes, so that callers measure what an editor
// gets. It follows the protocol alone and must not share code with the server.
package wire

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/textproto"
	"os/exec"
	"strconv"
	"sync"
)

// message is any JSON-RPC message.
type message struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *Error          `json:"error,omitempty"`
}

// Error is the server's answer to a refused request.
type Error struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// Error returns the message with its code.
func (e *Error) Error() string { return fmt.Sprintf("%s (%d)", e.Message, e.Code) }

// Notification is a message of the server that answers no request.
type Notification struct {
	Method string
	Params json.RawMessage
}

// Client is the editor's side of a running server. It is safe for concurrent use.
type Client struct {
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	answer func(method string, params json.RawMessage) any
	done   chan struct{} // closed when reading ended

	writing sync.Mutex // held while a message is written

	mu      sync.Mutex
	next    int                     // guarded by mu
	waiting map[string]chan message // guarded by mu; by id
	said    []Notification          // guarded by mu
	news    chan struct{}           // guarded by mu; closed at the next notification
	err     error                   // guarded by mu; why reading ended
}

// Start starts the server. Its standard error stays as cmd has it. What it requests is answered with
// null, as by an editor without settings.
func Start(cmd *exec.Cmd) (*Client, error) {
	return StartAnswering(cmd, func(string, json.RawMessage) any { return nil })
}

// StartAnswering is Start with an answer to what the server requests. answer is called by the
// goroutine that reads, so it must not call the server.
func StartAnswering(cmd *exec.Cmd, answer func(method string, params json.RawMessage) any) (*Client, error) {
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("start the server: %w", err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("start the server: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the server: %w", err)
	}
	c := &Client{
		cmd: cmd, stdin: in, answer: answer, done: make(chan struct{}),
		waiting: map[string]chan message{}, news: make(chan struct{}),
	}
	go c.read(bufio.NewReaderSize(out, 64<<10))
	return c, nil
}

// PID returns the process id of the server.
func (c *Client) PID() int { return c.cmd.Process.Pid }

// Call sends a request and decodes its answer into result, which may be nil.
func (c *Client) Call(ctx context.Context, method string, params, result any) error {
	answer := make(chan message, 1)
	c.mu.Lock()
	c.next++
	id := strconv.Itoa(c.next)
	c.waiting[id] = answer
	c.mu.Unlock()
	if err := c.send(message{ID: json.RawMessage(id), Method: method}, params); err != nil {
		return err
	}
	select {
	case m := <-answer:
		if m.Error != nil {
			return fmt.Errorf("%s: %w", method, m.Error)
		}
		if result == nil {
			return nil
		}
		if err := json.Unmarshal(m.Result, result); err != nil {
			return fmt.Errorf("read the answer to %s: %w", method, err)
		}
		return nil
	case <-c.done:
		return fmt.Errorf("%s: the server ended: %w", method, c.reason())
	case <-ctx.Done():
		return fmt.Errorf("%s: %w", method, ctx.Err())
	}
}

// Notify sends a notification.
func (c *Client) Notify(method string, params any) error {
	return c.send(message{Method: method}, params)
}

// await returns the first notification that ok accepts, including earlier ones.
func (c *Client) await(ctx context.Context, ok func(Notification) bool) (Notification, error) {
	for from := 0; ; {
		c.mu.Lock()
		said, news := c.said, c.news
		c.mu.Unlock()
		for ; from < len(said); from++ {
			if ok(said[from]) {
				return said[from], nil
			}
		}
		select {
		case <-news:
		case <-c.done:
			return Notification{}, fmt.Errorf("wait for a notification: the server ended: %w", c.reason())
		case <-ctx.Done():
			return Notification{}, fmt.Errorf("wait for a notification: %w", ctx.Err())
		}
	}
}

// Close sends shutdown and exit as an editor does and waits for the process. If the
// server has not exited when ctx ends, Close kills it and returns an error.
func (c *Client) Close(ctx context.Context) error {
	err := c.Call(ctx, "shutdown", nil, nil)
	if err == nil {
		err = c.Notify("exit", nil)
	}
	gone := make(chan error, 1)
	go func() {
		<-c.done // all output is read before Wait closes the pipe
		gone <- c.cmd.Wait()
	}()
	select {
	case waited := <-gone:
		return errors.Join(err, waited)
	case <-ctx.Done():
		return errors.Join(err, errors.New("the server did not exit when it was told to"), c.stdin.Close(), c.cmd.Process.Kill())
	}
}

// Kill ends the process of a server that need not save anything.
func (c *Client) Kill() {
	_ = c.cmd.Process.Kill() // it may have ended
	<-c.done                 // all output is read before Wait closes the pipe
	_ = c.cmd.Wait()         // it was killed
}

// Ended returns why the server answers no more, or nil.
func (c *Client) Ended() error {
	select {
	case <-c.done:
		return c.reason()
	default:
		return nil
	}
}

func (c *Client) send(m message, params any) error {
	m.Version = "2.0"
	if params != nil {
		p, err := json.Marshal(params)
		if err != nil {
			return fmt.Errorf("write %s: %w", m.Method, err)
		}
		m.Params = p
	}
	body, err := json.Marshal(m)
	if err != nil {
		return fmt.Errorf("write %s: %w", m.Method, err)
	}
	c.writing.Lock()
	defer c.writing.Unlock()
	frame := append([]byte("Content-Length: "+strconv.Itoa(len(body))+"\r\n\r\n"), body...)
	if _, err := c.stdin.Write(frame); err != nil {
		return fmt.Errorf("write %s: %w", m.Method, err)
	}
	return nil
}

// read reads the server's messages until its output ends.
func (c *Client) read(r *bufio.Reader) {
	for {
		m, err := receive(r)
		if err == nil {
			err = c.take(m)
		}
		if err != nil {
			c.mu.Lock()
			c.err = err
			c.mu.Unlock()
			close(c.done)
			return
		}
	}
}

func receive(r *bufio.Reader) (message, error) {
	head, err := textproto.NewReader(r).ReadMIMEHeader()
	if err != nil {
		return message{}, fmt.Errorf("read a header: %w", err)
	}
	n, err := strconv.Atoi(head.Get("Content-Length"))
	if err != nil {
		return message{}, fmt.Errorf("read a header: %w", err)
	}
	body := make([]byte, n)
	if _, err := io.ReadFull(r, body); err != nil {
		return message{}, fmt.Errorf("read a message: %w", err)
	}
	var m message
	if err := json.Unmarshal(body, &m); err != nil {
		return message{}, fmt.Errorf("read a message: %w", err)
	}
	return m, nil
}

func (c *Client) take(m message) error {
	switch {
	case m.Method == "": // an answer
		c.mu.Lock()
		answer := c.waiting[string(m.ID)]
		delete(c.waiting, string(m.ID))
		c.mu.Unlock()
		if answer != nil {
			answer <- m
		}
	case m.ID != nil: // a request
		result, err := json.Marshal(c.answer(m.Method, m.Params))
		if err != nil {
			return fmt.Errorf("answer %s: %w", m.Method, err)
		}
		return c.send(message{ID: m.ID, Result: result}, nil)
	default:
		c.mu.Lock()
		c.said = append(c.said, Notification{m.Method, m.Params})
		close(c.news)
		c.news = make(chan struct{})
		c.mu.Unlock()
	}
	return nil
}

func (c *Client) reason() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// Package mcpprobe starts an MCP server as an agent would, asks for its tools and
// stops it. It implements the few messages itself, so that a bug in the server's
// library is not hidden by the same bug here. It must not know which server it
// probes.
package mcpprobe

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"

	"manicule/indexer/clip"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

const (
	// protocol is the newest revision with a handshake. A server answers with its own.
	protocol = "2025-11-25"
	// maxLine is the maximum length of a message in bytes.
	maxLine = 8 << 20
	// maxPages bounds the pages of tools.
	maxPages = 50
	// exitTimeout is the time for a server to exit after its input is closed.
	exitTimeout = 2 * time.Second
	// keptErrors is the kept length of a server's error output in bytes.
	keptErrors = 4 << 10
	// maxSaid is how much of what a server says stands in an error, in bytes.
	maxSaid = 200
)

// Answer is a server's description of itself.
type Answer struct {
	Name, Version string   // of the server
	Protocol      string   // the revision that it chose
	Tools         []string // in its order
	Took          time.Duration
}

// ErrStays is returned by Ask, with an answer, for a server that keeps running after its
// input is closed. An agent that dies leaves it behind.
var ErrStays = errors.New("it does not end when its input is closed")

var errEnded = errors.New("it has ended")

// Ask starts a server in a folder, initializes it, lists its tools and ends it. ctx
// bounds the time. now is the clock.
func Ask(ctx context.Context, dir string, words []string, now func() time.Time) (Answer, error) {
	if len(words) == 0 {
		return Answer{}, errors.New("there is no command")
	}
	start := now()
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	cmd.Dir, cmd.WaitDelay = dir, time.Second
	complaints := &limitedBuffer{limit: keptErrors}
	cmd.Stderr = complaints
	in, err := cmd.StdinPipe()
	if err != nil {
		return Answer{}, fmt.Errorf("open the server's input: %w", err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return Answer{}, fmt.Errorf("open the server's output: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return Answer{}, fmt.Errorf("start the server: %w", err)
	}
	// Descendants of the server may hold its output open after it.
	stop := context.AfterFunc(ctx, func() { _ = out.Close() })
	defer stop()
	c := &conversation{in: in, out: bufio.NewReaderSize(out, 64<<10)}
	answer, err := c.ask()
	answer.Took = now().Sub(start)
	_ = in.Close() // the server's own exit says more
	stays := wait(cmd, out, ctx.Err() == nil && err == nil)
	switch {
	case err != nil && ctx.Err() != nil:
		return Answer{}, fmt.Errorf("no answer in time to %s%s", c.waiting, complaints.suffix())
	case err != nil:
		return Answer{}, fmt.Errorf("%w%s", err, complaints.suffix())
	case stays:
		return answer, ErrStays
	}
	return answer, nil
}

// wait waits for the server to exit and kills it after a while. It reports whether that
// was needed for a server that may stay for a moment.
func wait(cmd *exec.Cmd, out io.ReadCloser, patient bool) (stays bool) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = io.Copy(io.Discard, out) // until it exits
		_ = cmd.Wait()                  // its exit code is its own business
	}()
	if patient {
		timer := time.NewTimer(exitTimeout)
		defer timer.Stop()
		select {
		case <-done:
			return false
		case <-timer.C:
			stays = true
		}
	}
	_ = cmd.Process.Kill() // it may have exited meanwhile
	_ = out.Close()
	<-done
	return stays
}

// conversation is the exchange with one server.
type conversation struct {
	in      io.Writer
	out     *bufio.Reader
	last    int
	waiting string // the method whose answer is awaited
}

type message struct {
	Version string         `json:"jsonrpc"`
	ID      jsontext.Value `json:"id,omitzero"`
	Method  string         `json:"method,omitzero"`
	Params  any            `json:"params,omitzero"`
	Result  jsontext.Value `json:"result,omitzero"`
	Error   *failure       `json:"error,omitzero"`
}

type failure struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (c *conversation) ask() (Answer, error) {
	var hello struct {
		Protocol string `json:"protocolVersion"`
		Server   struct {
			Name    string `json:"name"`
			Version string `json:"version"`
		} `json:"serverInfo"`
	}
	who := map[string]string{"name": "manicule-doctor", "version": "1"}
	if err := c.call("initialize", map[string]any{"protocolVersion": protocol, "capabilities": map[string]any{}, "clientInfo": who}, &hello); err != nil {
		return Answer{}, err
	}
	if err := c.send(message{Method: "notifications/initialized"}); err != nil {
		return Answer{}, fmt.Errorf("it did not stay after initialize: %w", err)
	}
	a := Answer{Name: hello.Server.Name, Version: hello.Server.Version, Protocol: hello.Protocol}
	cursor := ""
	for range maxPages {
		var page struct {
			Tools []struct {
				Name string `json:"name"`
			} `json:"tools"`
			Next string `json:"nextCursor"`
		}
		params := map[string]any{}
		if cursor != "" {
			params["cursor"] = cursor
		}
		if err := c.call("tools/list", params, &page); err != nil {
			return Answer{}, err
		}
		for _, t := range page.Tools {
			a.Tools = append(a.Tools, t.Name)
		}
		if cursor = page.Next; cursor == "" {
			return a, nil
		}
	}
	return Answer{}, fmt.Errorf("tools/list does not come to an end after %d pages", maxPages)
}

// call sends a request and reads until its answer arrives.
func (c *conversation) call(method string, params, result any) error {
	c.waiting = method
	c.last++
	id := jsontext.Value(fmt.Sprint(c.last))
	if err := c.send(message{ID: id, Method: method, Params: params}); err != nil {
		return fmt.Errorf("no answer to %s: %w", method, err)
	}
	for {
		line, err := c.line()
		if err != nil {
			return fmt.Errorf("no answer to %s: %w", method, err)
		}
		if len(line) == 0 {
			continue
		}
		var m message
		if err := json.Unmarshal(line, &m); err != nil {
			return fmt.Errorf("it printed an invalid message: %q", clip.MarkedBytes(string(line), maxSaid))
		}
		switch {
		case m.Method != "" && len(m.ID) > 0: // we offered nothing that it could request
			if err := c.send(message{ID: m.ID, Error: &failure{Code: -32601, Message: "not offered"}}); err != nil {
				return fmt.Errorf("no answer to %s: %w", method, err)
			}
		case m.Method != "" || !bytes.Equal(m.ID, id):
		case m.Error != nil:
			return fmt.Errorf("%s was refused: %s (%d)", method, clip.MarkedBytes(m.Error.Message, maxSaid), m.Error.Code)
		default:
			if err := json.Unmarshal(m.Result, result); err != nil {
				return fmt.Errorf("the answer to %s can't be read: %w", method, err)
			}
			return nil
		}
	}
}

func (c *conversation) send(m message) error {
	m.Version = "2.0"
	line, err := json.Marshal(m, json.Deterministic(true))
	if err != nil {
		return fmt.Errorf("write a message: %w", err)
	}
	if _, err := c.in.Write(append(line, '\n')); err != nil {
		return errEnded // a pipe fails for no other reason
	}
	return nil
}

// line reads one line without its end.
func (c *conversation) line() ([]byte, error) {
	var out []byte
	for {
		part, err := c.out.ReadSlice('\n')
		out = append(out, part...)
		switch {
		case err == nil:
			return bytes.TrimSpace(out), nil
		case len(out) > maxLine:
			return nil, errors.New("a line without an end")
		case errors.Is(err, io.EOF):
			return nil, errEnded
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		}
	}
}

// limitedBuffer keeps the beginning of what is written to it.
type limitedBuffer struct {
	text  []byte
	limit int
}

func (h *limitedBuffer) Write(p []byte) (int, error) {
	h.text = append(h.text, p[:min(len(p), h.limit-len(h.text))]...)
	return len(p), nil
}

// suffix formats the error output as the end of a sentence.
func (h *limitedBuffer) suffix() string {
	line, _, _ := strings.Cut(strings.TrimSpace(string(h.text)), "\n")
	if line == "" {
		return ""
	}
	return "; it says: " + clip.MarkedBytes(line, maxSaid)
}

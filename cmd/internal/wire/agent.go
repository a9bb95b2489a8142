package wire

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
)

// Agent is a client of an MCP server that it starts as a child process, over real pipes.
// It knows only lines of JSON and sends one request at a time. It must not be used
// concurrently.
type Agent struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
	id  int
}

// StartAgent starts the server and completes the handshake under a name.
func StartAgent(cmd *exec.Cmd, name string) (*Agent, error) {
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("start the MCP server: %w", err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("start the MCP server: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the MCP server: %w", err)
	}
	a := &Agent{cmd: cmd, in: in, out: bufio.NewReaderSize(out, 1<<20)}
	_, err = a.Ask("initialize", map[string]any{"protocolVersion": "2025-11-25", "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": name, "version": "1"}})
	if err == nil {
		_, err = io.WriteString(in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n")
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("start the MCP server: %w", err), a.Close())
	}
	return a, nil
}

// PID returns the process id of the server.
func (a *Agent) PID() int { return a.cmd.Process.Pid }

// Ask sends one request and waits for its answer.
func (a *Agent) Ask(method string, params any) (json.RawMessage, error) {
	a.id++
	line, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": a.id, "method": method, "params": params})
	if err != nil {
		return nil, fmt.Errorf("ask the MCP server: %w", err)
	}
	if _, err := a.in.Write(append(line, '\n')); err != nil {
		return nil, fmt.Errorf("ask the MCP server: %w", err)
	}
	for {
		line, err := a.out.ReadBytes('\n')
		if err != nil {
			return nil, fmt.Errorf("hear the MCP server: %w", err)
		}
		var r struct {
			ID     int             `json:"id"`
			Result json.RawMessage `json:"result"`
			Error  json.RawMessage `json:"error"`
		}
		if err := json.Unmarshal(line, &r); err != nil {
			return nil, fmt.Errorf("understand the MCP server: %w", err)
		}
		switch {
		case r.ID != a.id: // a notification
		case r.Error != nil:
			return nil, fmt.Errorf("the MCP server on %s: %s", method, r.Error)
		default:
			return r.Result, nil
		}
	}
}

// Tool calls a tool and returns the content of its answer. A tool error is returned as an
// error.
func (a *Agent) Tool(name string, args map[string]any) (string, error) {
	raw, err := a.Ask("tools/call", map[string]any{"name": name, "arguments": args})
	if err != nil {
		return "", err
	}
	var r struct {
		IsError bool            `json:"isError"`
		Content json.RawMessage `json:"content"`
	}
	if err := json.Unmarshal(raw, &r); err != nil {
		return "", fmt.Errorf("understand %s: %w", name, err)
	}
	if r.IsError {
		return "", fmt.Errorf("%s %v: %s", name, args, r.Content)
	}
	return string(r.Content), nil
}

// Close ends the server as a leaving agent does.
func (a *Agent) Close() error {
	err := a.in.Close()
	if werr := a.cmd.Wait(); werr != nil {
		err = errors.Join(err, fmt.Errorf("end the MCP server: %w", werr))
	}
	return err
}

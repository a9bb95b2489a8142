package soak

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
)

// agent is a client of the MCP server.
type agent struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
	id  int
}

func startAgent(ctx context.Context, t *tree, env ...string) (*agent, error) {
	cmd := t.box.Manicule(ctx, t.root, "mcp")
	cmd.Env = append(cmd.Env, env...)
	cmd.Stderr = os.Stderr
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
	a := &agent{cmd: cmd, in: in, out: bufio.NewReaderSize(out, 1<<20)}
	_, err = a.ask("initialize", map[string]any{"protocolVersion": "2025-11-25", "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "soak", "version": "1"}})
	if err == nil {
		_, err = io.WriteString(in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n")
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("start the MCP server: %w", err), a.close())
	}
	return a, nil
}

// ask sends one request and waits for its answer.
func (a *agent) ask(method string, params any) (json.RawMessage, error) {
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
			ID            int
			Result, Error json.RawMessage
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

// call calls a tool; what it answers is not looked at.
func (a *agent) call(_ context.Context, tool string, args map[string]any) error {
	_, err := a.ask("tools/call", map[string]any{"name": tool, "arguments": args})
	return err
}

// close ends the server as an agent does that goes.
func (a *agent) close() error {
	err := a.in.Close()
	if werr := a.cmd.Wait(); werr != nil {
		err = errors.Join(err, fmt.Errorf("end the MCP server: %w", werr))
	}
	return err
}

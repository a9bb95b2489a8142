package memories

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"time"

	"manicule/cmd/internal/wire"
)

// tool is a program that keeps memories for agents.
type tool interface {
	// Name is the tool's name with its version.
	Name() string
	// Prepare sets the tool up in a fresh home and repository, as its page says, and
	// starts what it needs.
	Prepare(ctx context.Context, p *place) error
	// Hooks returns the hooks that it adds to Claude Code.
	Hooks(p *place) (hooks, error)
	// Server is its MCP server, or nil.
	Server(ctx context.Context, p *place) *exec.Cmd
	// Open returns the way by which one session writes and finds memories.
	Open(ctx context.Context, p *place) (door, error)
	// Share writes what is to be committed for others; Receive reads it in their clone.
	Share(ctx context.Context, p *place) error
	Receive(ctx context.Context, p *place) error
}

// note is a memory to be kept. Where is the place in the code, or "".
type note struct{ Title, Text, Where string }

// door is one session's way to a tool's memories.
type door interface {
	// Save returns nil when the tool says that the memory is kept.
	Save(ctx context.Context, n note) error
	// Search returns what the tool answers, at most five memories where that can be set.
	Search(ctx context.Context, query string) (string, error)
	Close() error
}

// alone are the tools that share nothing by git and need no preparation.
type alone struct{}

func (alone) Prepare(context.Context, *place) error { return nil }
func (alone) Hooks(*place) (hooks, error)           { return nil, nil }
func (alone) Share(context.Context, *place) error   { return nil }
func (alone) Receive(context.Context, *place) error { return nil }

// call is a call of an MCP tool.
type call struct {
	tool string
	args map[string]any
}

// server is a door through an MCP server.
type server struct {
	agent  *wire.Agent
	save   func(note) call
	search func(query string) call
}

func openServer(cmd *exec.Cmd, save func(note) call, search func(string) call) (door, error) {
	agent, err := wire.StartAgent(cmd, "bench")
	if err != nil {
		return nil, err
	}
	return &server{agent, save, search}, nil
}

func (s *server) Save(_ context.Context, n note) error {
	c := s.save(n)
	_, err := s.agent.Tool(c.tool, c.args)
	return err
}

func (s *server) Search(_ context.Context, query string) (string, error) {
	c := s.search(query)
	return s.agent.Tool(c.tool, c.args)
}

// Close ends the server as a leaving agent does. How it exits is its own affair.
func (s *server) Close() error {
	var exit *exec.ExitError
	if err := s.agent.Close(); err != nil && !errors.As(err, &exit) {
		return err
	}
	return nil
}

// command is a door through a program that runs once for each act.
type command struct {
	place        *place
	save, search func(text note) []string
}

func (c command) Save(ctx context.Context, n note) error {
	_, err := c.place.run(ctx, c.save(n)...)
	return err
}

func (c command) Search(ctx context.Context, query string) (string, error) {
	return c.place.run(ctx, c.search(note{Text: query})...)
}

func (command) Close() error { return nil }

// hookLine is a command that an agent runs at an event. An agent does not wait for a
// background one.
type hookLine struct {
	command    string
	background bool
}

// hooks are those of each event with the tools for which they run.
type hooks map[string][]struct {
	Matcher string `json:"matcher"`
	Hooks   []struct {
		Command string `json:"command"`
		Async   bool   `json:"async"`
	} `json:"hooks"`
}

// readHooks reads a settings file of Claude Code, or the hooks of a plugin.
func readHooks(path string) (hooks, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read hooks: %w", err)
	}
	var file struct {
		Hooks hooks `json:"hooks"`
	}
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, fmt.Errorf("read hooks: %s: %w", path, err)
	}
	return file.Hooks, nil
}

// at returns the hooks of an event for a subject: the agent's tool, or how a session
// began.
func (h hooks) at(event, subject string) (out []hookLine) {
	for _, group := range h[event] {
		if !matches(group.Matcher, subject) {
			continue
		}
		for _, each := range group.Hooks {
			out = append(out, hookLine{each.Command, each.Async})
		}
	}
	return out
}

func matches(matcher, subject string) bool {
	if matcher == "" || matcher == "*" || subject == "" {
		return true
	}
	re, err := regexp.Compile("^(?:" + matcher + ")$")
	return err == nil && re.MatchString(subject)
}

// happening is what an agent tells its hooks.
type happening map[string]any

func (e happening) name() string { s, _ := e["hook_event_name"].(string); return s }

func (e happening) subject() string {
	for _, field := range []string{"tool_name", "source"} {
		if s, _ := e[field].(string); s != "" {
			return s
		}
	}
	return ""
}

// answer is what the hooks of one event did.
type answer struct {
	took   time.Duration // that the agent waits
	told   string        // that its model reads
	failed []string      // exit codes other than 0
}

// fire runs the hooks of an event one after the other and adds up what they take: an
// agent that runs them at once waits for the slowest only, which differs where a tool
// has several.
func (p *place) fire(ctx context.Context, h hooks, e happening) (answer, error) {
	var a answer
	e["cwd"], e["transcript_path"] = p.repo, p.home+"/transcript.jsonl"
	in, err := json.Marshal(e)
	if err != nil {
		return a, fmt.Errorf("write an event: %w", err)
	}
	for _, each := range h.at(e.name(), e.subject()) {
		cmd := p.command(ctx, "bash", "-c", each.command)
		var out bytes.Buffer
		cmd.Stdin, cmd.Stdout, cmd.WaitDelay = bytes.NewReader(in), &out, 100*time.Millisecond
		start := time.Now()
		err := cmd.Run()
		if !each.background {
			a.took += time.Since(start)
		}
		var exit *exec.ExitError
		switch {
		case errors.As(err, &exit):
			a.failed = append(a.failed, fmt.Sprint(exit.ExitCode()))
		case err != nil && !errors.Is(err, exec.ErrWaitDelay): // a daemon holds the pipe
			return a, fmt.Errorf("%s: %w", each.command, err)
		}
		a.told += told(e.name(), out.String())
	}
	return a, nil
}

// told returns the part of a hook's output that Claude Code gives to the model.
func told(event, out string) string {
	var answer struct {
		Specific struct {
			Context string `json:"additionalContext"`
		} `json:"hookSpecificOutput"`
	}
	if json.Unmarshal([]byte(out), &answer) == nil {
		return answer.Specific.Context
	}
	if slices.Contains([]string{"SessionStart", "UserPromptSubmit"}, event) {
		return strings.TrimSpace(out)
	}
	return ""
}

// tokens estimates the tokens of a text: a quarter of its bytes.
func tokens(bytes int) int { return (bytes + 3) / 4 }

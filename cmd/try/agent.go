package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
)

// The one session that the agent's events belong to.
const session = "5b1e2c3d-7f00-4a6b-9d3e-0c1f2a3b4c5d"

// agent sends the events that Claude Code sends, and shows the answers.
func (s *story) agent(ctx context.Context) error {
	s.title("What a coding agent is told")
	text, err := s.event(ctx, "A session starts:", map[string]any{
		"hook_event_name": "SessionStart", "source": "startup", "model": "claude-opus-5",
	})
	if err != nil {
		return err
	}
	s.expect("a brief", text, "memories about this project")
	s.check("a brief of at most 1,200 characters", len([]rune(text)) <= 1200)

	read := tool("Read", map[string]any{"file_path": filepath.Join(s.root, "unmarshaler.go")})
	if text, err = s.event(ctx, "It reads unmarshaler.go:", read); err != nil {
		return err
	}
	s.expect("a nudge", text, "☞ About unmarshaler.go: 2 memories")
	if text, err = s.event(ctx, "It reads the file again in the same session:", read); err != nil {
		return err
	}
	s.check("no second nudge about the same", !strings.Contains(text, "unmarshaler.go"))

	created := filepath.Join(s.root, "internal", "cache", "cache.go")
	text, err = s.event(ctx, "It is about to create internal/cache/cache.go, which does not exist yet:",
		tool("Write", map[string]any{"file_path": created, "content": "package cache\n"}))
	s.expect("a nudge about the folder", text, "1 decision")
	return err
}

// tool returns the event before a tool runs.
func tool(name string, input map[string]any) map[string]any {
	return map[string]any{
		"hook_event_name": "PreToolUse", "permission_mode": "default",
		"tool_name": name, "tool_use_id": "toolu_01" + name, "tool_input": input,
	}
}

// event pipes one event to the hook and shows the text that the agent gets.
func (s *story) event(ctx context.Context, what string, fields map[string]any) (string, error) {
	fields["session_id"], fields["cwd"] = session, s.root
	fields["transcript_path"] = filepath.Join(s.box.Dir, "home", session+".jsonl")
	in, err := json.Marshal(fields)
	if err != nil {
		return "", fmt.Errorf("write an event: %w", err)
	}
	cmd := s.box.Manicule(ctx, s.root, "hook", "claude-code")
	var out bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(in), &out, &out
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("a hook never fails, but %s did: %w\n%s", fields["hook_event_name"], err, out.Bytes())
	}
	s.say("%s\n\n", what)
	short := map[string]any{"hook_event_name": fields["hook_event_name"]}
	for _, key := range []string{"source", "tool_name", "tool_input"} {
		if v, ok := fields[key]; ok {
			short[key] = v
		}
	}
	typed, err := json.Marshal(short)
	if err != nil {
		return "", fmt.Errorf("show an event: %w", err)
	}
	text, err := contextText(out.Bytes())
	if err != nil {
		return "", err
	}
	shown := text
	if text == "" {
		shown = "(nothing: the tool goes on, and no tokens are spent)"
	}
	s.shown("echo '"+s.short(string(typed))+"' | manicule hook claude-code", shown)
	return text, nil
}

// contextText returns the text of an answer that reaches the agent.
func contextText(answer []byte) (string, error) {
	if len(bytes.TrimSpace(answer)) == 0 {
		return "", nil
	}
	var a struct {
		Output struct {
			Context string `json:"additionalContext"`
		} `json:"hookSpecificOutput"`
	}
	if err := json.Unmarshal(answer, &a); err != nil {
		return "", fmt.Errorf("read the hook's answer: %w", err)
	}
	return a.Output.Context, nil
}

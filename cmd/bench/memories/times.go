package memories

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"manicule/cmd/internal/evalkit"
	"manicule/cmd/internal/wire"
)

// read is an agent's reading of a file.
func read(p *place, session, event, path string) happening {
	e := happening{"hook_event_name": event, "session_id": session, "tool_name": "Read", "tool_use_id": "toolu_" + session,
		"tool_input": map[string]any{"file_path": filepath.Join(p.repo, path)}}
	if event == "PostToolUse" {
		e["tool_response"] = map[string]any{"type": "text", "file": map[string]any{"filePath": filepath.Join(p.repo, path), "content": sources[path]}}
	}
	return e
}

// moments are the events that are measured, in the order of a session.
var moments = []string{"SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse"}

// momentOf is one of them.
func momentOf(p *place, name, session string) happening {
	switch name {
	case "SessionStart":
		return happening{"hook_event_name": name, "session_id": session, "source": "startup"}
	case "UserPromptSubmit":
		return happening{"hook_event_name": name, "session_id": session, "prompt": "Why does token validation refuse a blank?"}
	default:
		return read(p, session, name, "auth/token.go")
	}
}

// hooks measures what an agent waits for at each event, with a hundred memories: the
// tools in turn, so that the machine's other work falls on all.
func (b *bench) hooks(ctx context.Context) (err error) {
	table := evalkit.NewTable(slices.Concat([]string{"ms that the agent waits, median"}, moments, []string{"processes left", "their MB", "files, MB"})...)
	type one struct {
		tool  tool
		place *place
		hooks hooks
		times map[string][]time.Duration
	}
	var all []*one
	defer func() {
		for _, o := range all {
			err = errors.Join(err, o.place.kill(ctx))
		}
	}()
	for _, t := range b.tools {
		p, err := b.place(ctx)
		if err != nil {
			return err
		}
		o := &one{t, p, nil, map[string][]time.Duration{}}
		all = append(all, o)
		if err := t.Prepare(ctx, p); err != nil {
			return fmt.Errorf("prepare %s: %w", t.Name(), err)
		}
		if o.hooks, err = t.Hooks(p); err != nil {
			return err
		}
		if err := fill(ctx, t, p, numbered(100)); err != nil {
			return fmt.Errorf("%s: %w", t.Name(), err)
		}
	}
	for turn := range b.turns + 1 {
		evalkit.Progress("turn %d", turn)
		for _, name := range moments {
			for _, o := range all {
				a, err := o.place.fire(ctx, o.hooks, momentOf(o.place, name, fmt.Sprintf("turn-%d", turn)))
				if err != nil {
					return fmt.Errorf("%s: %w", o.tool.Name(), err)
				}
				if turn > 0 { // the first is not measured: it may start a daemon
					o.times[name] = append(o.times[name], a.took)
				}
			}
		}
	}
	for _, o := range all {
		row := []any{o.tool.Name()}
		for _, name := range moments {
			cell := "none"
			if hooks := o.hooks.at(name, "Read"); name != "PreToolUse" && name != "PostToolUse" && len(o.hooks.at(name, "startup")) > 0 || len(hooks) > 0 {
				if cell = fmt.Sprintf("%.0f", 1000*evalkit.Percentile(o.times[name], .5).Seconds()); allBackground(hooks) {
					cell = "background"
				}
			}
			row = append(row, cell)
		}
		left, mb := o.place.processes(), 0.
		for _, each := range left {
			mb += each.mb
		}
		table.Add(append(row, len(left), fmt.Sprintf("%.0f", mb), fmt.Sprintf("%.1f", float64(o.place.bytes())/1e6))...)
	}
	fmt.Println(table)
	return nil
}

func allBackground(hooks []hookLine) bool {
	for _, h := range hooks {
		if !h.background {
			return false
		}
	}
	return len(hooks) > 0
}

// numbered makes memories that have nothing in common but their form.
func numbered(n int) (out []note) {
	for i := range n {
		mark := fmt.Sprintf("zq%04dx", i)
		out = append(out, note{Title: mark, Text: fmt.Sprintf("Never call %s before the %d buffers of queue %s are drained, it blocks for ever.", mark, 3+i, word(i)), Where: "auth/token.go#Validate"})
	}
	return out
}

// word is a word of its own for a number.
func word(i int) string {
	syllables := []string{"ba", "do", "ke", "lu", "mi", "no", "pa", "ri", "su", "ta"}
	return syllables[i%10] + syllables[i/10%10] + syllables[(i/10+i)%10] + "n"
}

// fill keeps memories.
func fill(ctx context.Context, t tool, p *place, notes []note) (err error) {
	d, err := t.Open(ctx, p)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	for _, n := range notes {
		if err := d.Save(ctx, n); err != nil {
			return fmt.Errorf("save %s: %w", n.Title, err)
		}
	}
	return nil
}

// eachKept keeps what a tool does not refuse.
func eachKept(ctx context.Context, t tool, p *place, notes []note) error {
	d, err := t.Open(ctx, p)
	if err != nil {
		return err
	}
	for _, n := range notes {
		if err := d.Save(ctx, n); err != nil {
			evalkit.Progress("not kept: %.200v", err)
		}
	}
	return d.Close()
}

// servers measures MCP servers: how soon they answer, and what their tools cost an agent
// in each session before any is called.
func (b *bench) servers(ctx context.Context) error {
	table := evalkit.NewTable("MCP server", "start to list of tools, ms", "MB", "tools", "tokens of their descriptions")
	return errors.Join(b.each(ctx, table, func(t tool, p *place) error {
		if t.Server(ctx, p) == nil {
			table.Add(t.Name(), "none", "", "", "")
			return nil
		}
		if err := fill(ctx, t, p, numbered(100)); err != nil {
			return err
		}
		var times []time.Duration
		var mb float64
		var list struct {
			Tools []json.RawMessage `json:"tools"`
		}
		size := 0
		for range b.turns {
			start := time.Now()
			agent, err := wire.StartAgent(t.Server(ctx, p), "bench")
			if err != nil {
				return err
			}
			raw, err := agent.Ask("tools/list", map[string]any{})
			times = append(times, time.Since(start))
			mb = evalkit.Megabytes(fmt.Sprintf("/proc/%d/status", agent.PID()), "VmRSS")
			size = len(raw)
			err = errors.Join(err, (&server{agent: agent}).Close())
			if err == nil {
				err = json.Unmarshal(raw, &list)
			}
			if err != nil {
				return err
			}
		}
		table.Add(t.Name(), fmt.Sprintf("%.0f", 1000*evalkit.Percentile(times, .5).Seconds()), fmt.Sprintf("%.0f", mb), len(list.Tools), tokens(size))
		return nil
	}), show(table))
}

func show(table *evalkit.Table) error {
	_, err := fmt.Println(table)
	return err
}

// session replays recorded sessions and counts what the hooks add to the model's
// context, with the notes of that repository as memories.
func (b *bench) session(ctx context.Context) error {
	path, err := b.data.Path("agent-sessions", "dev", "cli.events.jsonl.gz")
	if err != nil {
		return err
	}
	events, err := recorded(path, 3, 40)
	if err != nil {
		return err
	}
	set, err := b.notes()
	if err != nil {
		return err
	}
	table := evalkit.NewTable(fmt.Sprintf("%d events of 3 sessions", len(events)), "tokens at starts", "at prompts", "at tools", "s that the agent waited", "exit codes other than 0")
	return errors.Join(b.each(ctx, table, func(t tool, p *place) error {
		h, err := t.Hooks(p)
		if err != nil {
			return err
		}
		if err := eachKept(ctx, t, p, set.notes); err != nil {
			return err
		}
		var starts, prompts, tools, failed int
		var waited time.Duration
		for _, e := range events {
			a, err := p.fire(ctx, h, e.in(p))
			if err != nil {
				return err
			}
			switch waited, failed = waited+a.took, failed+len(a.failed); e.name() {
			case "SessionStart":
				starts += len(a.told)
			case "UserPromptSubmit":
				prompts += len(a.told)
			default:
				tools += len(a.told)
			}
		}
		table.Add(t.Name(), tokens(starts), tokens(prompts), tokens(tools), fmt.Sprintf("%.1f", waited.Seconds()), failed)
		return nil
	}), show(table))
}

// recorded returns the first events of the first sessions of a record.
func recorded(path string, sessions, each int) (out []happening, err error) {
	seen := map[string]int{}
	err = evalkit.Lines(path, func(line []byte) error {
		var e happening
		if err := json.Unmarshal(line, &e); err != nil {
			return fmt.Errorf("read an event: %w", err)
		}
		id, _ := e["session_id"].(string)
		if strings.HasPrefix(e.name(), "x_") || seen[id] >= each || seen[id] == 0 && (len(seen) >= sessions || e.name() != "SessionStart") {
			return nil
		}
		seen[id]++
		out = append(out, e)
		return nil
	})
	return out, err
}

// in is the event with its paths in a place.
func (e happening) in(p *place) happening {
	data, err := json.Marshal(e)
	if err != nil {
		return e
	}
	out := happening{}
	if json.Unmarshal([]byte(strings.ReplaceAll(string(data), `"/repo`, `"`+p.repo)), &out) != nil {
		return e
	}
	return out
}

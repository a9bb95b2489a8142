package observer

import (
	"bytes"
	"cmp"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"sync"
	"time"

	"manicule/cmd/internal/evalkit"
	"manicule/hooks/agent"
	"manicule/hooks/agent/spec"
	"manicule/hooks/event"
	"manicule/hooks/eventlog"
	"manicule/hooks/logrecord"
)

// root is the root of all repositories in the data.
const root = "/repo"

// item is one line of a session: a logged event, or a statement of the agent.
type item struct {
	record eventlog.Record
	said   string
	by     string // the subagent that said it
	id     string // of the tool call
	at     int64  // Unix milliseconds; never before the item before it
}

// session is one recorded session.
type session struct {
	id, repo   string
	branch     string
	start, end int64 // Unix milliseconds
	items      []item
	files      []string // in the order of first use
}

// index is a line of sessions.jsonl.
type index struct {
	Repo    string   `json:"repo"`
	Session string   `json:"session_id"`
	Seq     int      `json:"seq"`
	Read    []string `json:"files_read"`
	Edited  []string `json:"files_edited"`
}

// failure is a line of failures.jsonl, which another program made from the same events.
type failure struct {
	Repo        string `json:"repo"`
	Session     string `json:"session_id"`
	ID          string `json:"tool_use_id"`
	Kind        string `json:"kind"`
	Command     string `json:"command_key"`
	Input       string `json:"input"`
	Fingerprint string `json:"fingerprint"`
}

// guidance is a line of guidance.jsonl: lines that owners added to a rule file.
type guidance struct {
	Repo  string    `json:"repo"`
	Date  time.Time `json:"date"`
	Added []string  `json:"added"`
}

// learning is a line of learnings.jsonl: another program's summary of a session.
type learning struct {
	Repo    string    `json:"repo"`
	Created time.Time `json:"created_at"`
	Summary struct {
		Friction  []string `json:"friction"`
		Learnings struct {
			Repo     []string `json:"repo"`
			Workflow []string `json:"workflow"`
			Code     []struct {
				Path    string `json:"path"`
				Finding string `json:"finding"`
			} `json:"code"`
		} `json:"learnings"`
	} `json:"summary"`
}

// clock measures the cost from a payload to a line of the log.
type clock struct {
	events int
	cpu    time.Duration
	worst  time.Duration
}

// add counts one event.
func (c *clock) add(took time.Duration) {
	c.events++
	c.cpu += took
	c.worst = max(c.worst, took)
}

// readSessions reads all sessions of a folder in the order of their beginning. Each
// payload is parsed, normalised, masked and cut exactly as in a hook.
func readSessions(dir string, c *clock) ([]*session, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.events.jsonl.gz"))
	if err != nil || len(names) == 0 {
		return nil, fmt.Errorf("no events in %s", dir)
	}
	byID := map[string]*session{}
	for _, name := range names {
		if err := evalkit.Lines(name, func(line []byte) error { return readEvent(line, byID, c) }); err != nil {
			return nil, err
		}
	}
	list, err := evalkit.ReadLines[index](filepath.Join(dir, "sessions.jsonl"))
	if err != nil {
		return nil, err
	}
	var out []*session
	for _, x := range list {
		s := byID[x.Session]
		if s == nil {
			continue
		}
		s.repo = x.Repo
		out = append(out, s)
	}
	slices.SortStableFunc(out, func(a, b *session) int { return cmp.Or(cmp.Compare(a.repo, b.repo), cmp.Compare(a.start, b.start)) })
	return out, nil
}

var cutMark = regexp.MustCompile(`…\[(\d+) chars cut\]…`)

// claudeCode is the agent of the recorded sessions.
var claudeCode = sync.OnceValue(func() spec.Wire {
	a, _ := agent.Lookup("claude-code")
	return a.Wire
})

func readEvent(line []byte, byID map[string]*session, c *clock) error {
	began := time.Now()
	v, err := event.Scan(bytes.NewReader(line), nil)
	if err != nil {
		return err
	}
	at, err := time.Parse(time.RFC3339, v.Str("ts"))
	if err != nil {
		return err
	}
	id := v.Str("session_id")
	s := byID[id]
	if s == nil {
		s = &session{id: id, start: at.UnixMilli()}
		byID[id] = s
	}
	s.end = max(s.end, at.UnixMilli())
	name := v.Str("hook_event_name")
	if s.branch == "" {
		s.branch = v.Str("git_branch")
	}
	if name == "x_AssistantText" {
		s.items = append(s.items, item{said: v.Str("text"), by: v.Str("agent_id"), at: s.end})
		return nil
	}
	if len(name) > 1 && name[:2] == "x_" {
		return nil // no hook delivers it
	}
	ev := claudeCode().Parse(v)
	rec := logrecord.Of(ev, at)
	data, err := eventlog.Encode(rec)
	if err != nil {
		return err
	}
	took := time.Since(began)
	c.events++
	c.cpu += took
	c.worst = max(c.worst, took)
	rec, ok := eventlog.Decode(data)
	if !ok {
		return fmt.Errorf("a line of the log can't be read: %s", data)
	}
	if len(rec.Calls) > 0 && rec.Calls[0].Bytes > 0 { // the data has truncated long results
		for _, m := range cutMark.FindAllSubmatch(line, -1) {
			if n, err := strconv.Atoi(string(m[1])); err == nil {
				rec.Calls[0].Bytes += n
			}
		}
	}
	it := item{record: rec, at: s.end}
	if len(ev.Calls) > 0 {
		it.id = ev.Calls[0].ID
	}
	s.items = append(s.items, it)
	return nil
}

package hooks

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"manicule/hooks/event"
	"manicule/indexer/linefile"
	"manicule/indexer/sorting"
	"manicule/memory/secret"
)

// Names and sizes of the hooks' own files in a state folder.
const (
	logName      = "hook.log"
	logLimit     = 1 << 20
	latencyName  = "hook-latency.log"
	latencyLimit = 256 << 10
)

// LogEntry is one fault of a hook.
type LogEntry struct {
	Time    time.Time `json:"time"`
	Agent   string    `json:"agent"`
	Event   string    `json:"event,omitzero"`
	Session string    `json:"session,omitzero"`
	Message string    `json:"message"`
}

// note logs a fault if a log is available. A failure to write it can't be reported
// anywhere.
func (p *process) note(act string, err error) {
	if p.faults != nil {
		if !errors.Is(err, ErrNoWorkspace) {
			*p.faults = append(*p.faults, fmt.Errorf("%s: %w", act, err))
		}
		return
	}
	p.mu.Lock()
	over := p.expired
	p.mu.Unlock()
	if !over && !errors.Is(err, ErrNoWorkspace) {
		p.writeNote(act, err)
	}
}

func (p *process) writeNote(act string, err error) {
	dir := p.noteDir()
	if dir == "" {
		return
	}
	p.mu.Lock()
	e := LogEntry{Time: p.opt.Now().UTC(), Agent: p.agent.ID, Event: p.name, Message: act}
	p.mu.Unlock()
	if e.Agent == "" {
		e.Agent = p.opt.Agent
	}
	if err != nil {
		e.Message += ": " + err.Error()
	}
	e.Message, e.Event = clipped(secret.Mask(e.Message), maxNote), clipped(e.Event, maxNote)
	line, err := json.Marshal(e)
	if err == nil && len(line) >= linefile.MaxLine-1 { // of characters that JSON escapes
		e.Message, e.Event = clipped(e.Message, maxNote/8), clipped(e.Event, maxNote/8)
		line, err = json.Marshal(e)
	}
	if err != nil {
		return
	}
	_ = linefile.Append(filepath.Join(dir, logName), logLimit, line)
}

// maxNote is the longest message of a note in bytes: a decoder may quote its input at length.
const maxNote = 1000

// clipped cuts a text to so many bytes. JSON holds only UTF-8, which a path need not be.
func clipped(s string, most int) string { return strings.ToValidUTF8(s[:min(len(s), most)], "\uFFFD") }

// noteDir returns the state folder. Before the event is read, that is the one of the
// folder in which the hook was started.
func (p *process) noteDir() string {
	p.mu.Lock()
	dir, named := p.stateDir, p.name != ""
	p.mu.Unlock()
	if dir != "" || named {
		return dir
	}
	dir, err := p.opt.StateDir(p.opt.projectDir(event.Event{}))
	if err != nil {
		return ""
	}
	return dir
}

// Recent returns the newest entries of the hooks' log, oldest first.
func Recent(stateDir string, n int) ([]LogEntry, error) {
	out, err := readEntries(filepath.Join(stateDir, logName), func(e LogEntry) bool { return e.Message != "" })
	if err != nil {
		return nil, fmt.Errorf("read the hooks' log: %w", err)
	}
	sorting.StableFunc(out, func(a, b LogEntry) int { return a.Time.Compare(b.Time) })
	return out[max(0, len(out)-n):], nil
}

// Latency is the duration of one hook, from the start of its process.
type Latency struct {
	Time    int64   `json:"t"` // Unix milliseconds
	Agent   string  `json:"agent"`
	Event   string  `json:"event"`
	Millis  float64 `json:"ms"`
	Outcome string  `json:"outcome"` // answered, empty, duplicate, deadline, fault
}

// record records the duration. outcome replaces the job's own.
func (p *process) record(outcome string) {
	p.mu.Lock()
	dir, moot := p.stateDir, p.expired && outcome != outcomeDeadline
	elapsed := p.opt.Now().Sub(p.opt.Start)
	l := Latency{
		Time: p.opt.Now().UnixMilli(), Agent: p.agent.ID, Event: p.name,
		Millis:  float64(elapsed.Microseconds()) / 1000,
		Outcome: cmp.Or(outcome, p.outcome, outcomeEmpty),
	}
	p.mu.Unlock()
	if dir == "" || moot || elapsed < 0 || elapsed > clockJump {
		return
	}
	line, err := json.Marshal(l)
	if err != nil {
		return
	}
	if err := linefile.Append(filepath.Join(dir, latencyName), latencyLimit, line); err != nil {
		p.note("the latency could not be recorded", err)
	}
}

// Latencies returns the newest latency records, oldest first.
func Latencies(stateDir string, n int) ([]Latency, error) {
	out, err := readEntries(filepath.Join(stateDir, latencyName), func(l Latency) bool { return l.Outcome != "" })
	if err != nil {
		return nil, fmt.Errorf("read the hooks' latencies: %w", err)
	}
	return out[max(0, len(out)-n):], nil
}

// readEntries reads a file of JSON lines and skips the invalid ones.
func readEntries[T any](path string, valid func(T) bool) (out []T, err error) {
	err = linefile.Read(path, func(line []byte) {
		var e T
		if json.Unmarshal(line, &e) == nil && valid(e) {
			out = append(out, e)
		}
	})
	return out, err
}

package hooks

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"gopkg.in/natefinch/lumberjack.v2"

	"manicule/hooks/event"
	"manicule/hooks/eventlog"
	"manicule/indexer/sorting"
	"manicule/indexer/treefile"
)

// Names and sizes of the hooks' own files in a state folder.
const (
	logName      = "hook.log"
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
	e.Message = clipped(eventlog.Mask(e.Message))
	line, err := json.Marshal(e)
	if err != nil || os.MkdirAll(dir, 0o700) != nil {
		return
	}
	l := &lumberjack.Logger{Filename: filepath.Join(dir, logName), MaxSize: 1, MaxBackups: 1}
	_, _ = l.Write(append(line, '\n'))
	_ = l.Close()
}

// clipped cuts a message, because a decoder may quote its input at length. JSON holds only UTF-8, which a path need not be.
func clipped(s string) string { return strings.ToValidUTF8(s[:min(len(s), 1000)], "\uFFFD") }

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
	var out []LogEntry
	for _, name := range append(treefile.Glob(stateDir, "hook-*.log"), filepath.Join(stateDir, logName)) {
		if filepath.Base(name) == latencyName {
			continue
		}
		entries, err := readEntries(name, func(e LogEntry) bool { return e.Message != "" })
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("read the hooks' log: %w", err)
		}
		out = append(out, entries...)
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
	if err := eventlog.AppendLine(filepath.Join(dir, latencyName), latencyLimit, line); err != nil {
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
	err = eventlog.ReadLines(path, func(line []byte) {
		var e T
		if json.Unmarshal(line, &e) == nil && valid(e) {
			out = append(out, e)
		}
	})
	return out, err
}

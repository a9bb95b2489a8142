// Package ledger records which memories were shown: where, to whom, when, at what
// cost, and with what outcome. A process that shows a memory appends a line to a local
// file. At the end of a session the lines are read and judged, and the result goes to
// state.db. Of it only a person's own commands tell: the statistics, a whole archive, and the
// map, which has numbers alone. The package must not know agents' events; package judge does.
package ledger

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"manicule/indexer/clip"
	"manicule/indexer/linefile"
	"manicule/indexer/sorting"
)

// Surface is the place where a memory was shown.
type Surface string

// The surfaces.
const (
	Hook  Surface = "hook"  // text that a hook put into an agent's context
	MCP   Surface = "mcp"   // the result of a tool or resource of the MCP server
	Hover Surface = "hover" // a hover of the language server
	CLI   Surface = "cli"   // the output of a command
)

// Verdict is the outcome of showing a memory to an agent.
type Verdict string

// The verdicts. hooks/judge contains the rules.
const (
	Followed   Verdict = "followed"   // the agent did what the memory says, or avoided what it warns of
	Overridden Verdict = "overridden" // the agent did what the memory warns of, or a person had to repeat it
	Ignored    Verdict = "ignored"    // nothing it did later concerned the memory
	Unknown    Verdict = "unknown"    // events don't tell
	Open       Verdict = "open"       // the session is still running
	Again      Verdict = "again"      // a repetition in the same conversation, which is judged by the first showing
	ToPerson   Verdict = ""           // shown to a person; nobody judges persons
)

// Verdicts lists the outcomes for agents, in the order of reports.
func Verdicts() []Verdict {
	return []Verdict{Followed, Overridden, Ignored, Unknown, Open, Again}
}

// Outcome is what came of following a memory.
type Outcome string

// The outcomes of following a memory. hooks/judge contains the rules.
const (
	Worked Outcome = "worked" // its way passed, or the work after it did
	Failed Outcome = "failed" // its way failed, or what was done was taken back
	Untold Outcome = "untold" // events show neither
)

// Showing is one answer that showed memories.
type Showing struct {
	Surface Surface
	// Agent is the agent's name as events have it ("claude-code"); "" for a person.
	Agent string
	// Session is the agent's session, "" if unknown. A showing over MCP or by a command is then
	// attributed to the session that called Manicule at that moment.
	Session string
	AgentID string // of a subagent; "" in the main conversation
	Path    string // what it was shown for, relative to the root; "" for none
	Tool    string // the agent's tool, the MCP tool or the command
	// Tokens is the size of the whole answer in a model's context, 0 for a person.
	Tokens int
	// Memories are those whose text was shown, not only counted. It may be empty, as for an answer
	// with warnings only.
	Memories []Share
	// HeldOut are the memories that would have been quoted, and were held out. See [HoldsOut].
	HeldOut []string
}

// Share is a memory's part of an answer.
type Share struct {
	UUID   string
	Tokens int    // of the memory's text in the answer
	Path   string // of the memory, if it differs from the showing's
}

// Entry is one memory in one showing, as recorded.
type Entry struct {
	UUID    string
	At      time.Time
	Surface Surface
	Agent   string
	Session string
	AgentID string
	Path    string
	Tool    string
	Tokens  int
}

// line is a showing in the file.
type line struct {
	V       int      `json:"v"` // format of the line, 1
	Time    int64    `json:"t"` // Unix milliseconds
	Root    string   `json:"r,omitzero"`
	Surface Surface  `json:"s"`
	Agent   string   `json:"a,omitzero"`
	Session string   `json:"n,omitzero"`
	AgentID string   `json:"i,omitzero"`
	Path    string   `json:"p,omitzero"`
	Tool    string   `json:"c,omitzero"`
	Tokens  int      `json:"k,omitzero"` // of the answer; counted once if it takes several lines
	UUIDs   []string `json:"m,omitempty"`
	Shares  []int    `json:"w,omitempty"` // tokens of each memory
	Paths   []string `json:"q,omitempty"` // of each memory, if they differ
	HeldOut []string `json:"h,omitempty"` // memories that were not shown, for the comparison
}

// Limits of the files.
const (
	maxFile  = 4 << 20 // bytes at which a file is rotated
	perLine  = 30      // memories of one line
	maxField = 200     // bytes of a path or an id
	maxPaths = 800     // bytes of all memories' paths of one line
)

// Keep is how long the files are kept. KeepEntries is how long state.db keeps single entries before
// it keeps only their sums.
const (
	Keep        = 60 * 24 * time.Hour
	KeepEntries = 90 * 24 * time.Hour
)

// Recorder records what is shown. It is safe for concurrent use by goroutines and processes. A nil
// Recorder records nothing.
type Recorder struct {
	dir  string
	root string
	now  func() time.Time
}

// NewRecorder returns a recorder for a workspace, by its state folder and the workspace's path
// below the repository's top ("" for the top). It opens no file.
func NewRecorder(stateDir, below string, now func() time.Time) *Recorder {
	return &Recorder{dir: folder(stateDir), root: below, now: now}
}

// folder returns the folder of showings in a state folder.
func folder(stateDir string) string { return filepath.Join(stateDir, "shown") }

// Shown records one showing with one append of at most 4 KB (more for over thirty memories). It
// takes tens of microseconds, no lock and no database. Callers show their answer even if it fails.
func (r *Recorder) Shown(ctx context.Context, s Showing) error {
	if r == nil || len(s.Memories) == 0 && s.Tokens == 0 && len(s.HeldOut) == 0 {
		return nil
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	now := r.now()
	l := line{V: 1, Time: now.UnixMilli(), Root: r.root, Surface: s.Surface, Agent: cut(s.Agent), Session: cut(s.Session), AgentID: cut(s.AgentID),
		Path: cut(s.Path), Tool: cut(s.Tool), Tokens: s.Tokens, HeldOut: s.HeldOut}
	name := linefile.FileName(s.Session)
	if s.Session == "" {
		name = DayLog(now)
	}
	path := filepath.Join(r.dir, name+suffix)
	for chunk := range slices.Chunk(s.Memories, perLine) {
		room := maxPaths
		for _, m := range chunk {
			path := cut(m.Path)
			if room -= len(path); room < 0 {
				path = "" // use the showing's path
			}
			l.UUIDs, l.Shares, l.Paths = append(l.UUIDs, cut(m.UUID)), append(l.Shares, m.Tokens), append(l.Paths, path)
		}
		if !slices.ContainsFunc(l.Paths, func(p string) bool { return p != "" }) {
			l.Paths = nil
		}
		if err := write(path, l); err != nil {
			return err
		}
		l.UUIDs, l.Shares, l.Paths, l.Tokens, l.HeldOut = nil, nil, nil, 0, nil
	}
	if len(s.Memories) == 0 {
		return write(path, l)
	}
	return nil
}

const suffix = ".jsonl"

// DayLog returns the name of a day's log, for showings without a session.
func DayLog(t time.Time) string { return "day-" + t.UTC().Format(time.DateOnly) }

func write(path string, l line) error {
	data, err := json.Marshal(l)
	if err != nil {
		return fmt.Errorf("encode a showing: %w", err)
	}
	return linefile.Append(path, maxFile, data)
}

// Log is a file of showings, of a session or of a day.
type Log struct {
	Name  string // as [Read] expects it
	Bytes int64
	Day   bool
}

// Logs lists the files of showings in a state folder, by name.
func Logs(stateDir string) ([]Log, error) {
	entries, err := os.ReadDir(folder(stateDir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list what was shown: %w", err)
	}
	sizes := map[string]int64{}
	for _, e := range entries {
		name, ok := strings.CutSuffix(strings.TrimSuffix(e.Name(), ".1"), suffix)
		info, err := e.Info()
		if !ok || err != nil {
			continue // not ours, or just removed
		}
		sizes[name] += info.Size()
	}
	var out []Log
	for name, n := range sizes {
		out = append(out, Log{Name: name, Bytes: n, Day: strings.HasPrefix(name, "day-")})
	}
	sorting.Func(out, func(a, b Log) int { return strings.Compare(a.Name, b.Name) })
	return out, nil
}

// Answers sums up the answers in a log.
type Answers struct {
	Count  int // lines with tokens
	Tokens int // of all answers to agents
	// HeldOut are the memories that were held out, once each.
	HeldOut []string
}

// Read returns one workspace's entries in a log, oldest first, and the sum of its answers. It skips
// torn and foreign lines.
func Read(stateDir, name, below string) (entries []Entry, sum Answers, err error) {
	return ReadFrom(stateDir, name, below, 0)
}

// ReadFrom is Read without the entries in the first bytes of a log, which were read before. It
// returns them all the same if the log was rotated meanwhile.
func ReadFrom(stateDir, name, below string, bytesRead int64) (entries []Entry, sum Answers, err error) {
	path := filepath.Join(folder(stateDir), name+suffix)
	add := func(data []byte) {
		var l line
		if json.Unmarshal(data, &l) != nil || l.V != 1 || l.Root != below {
			return
		}
		if l.Tokens > 0 && l.Agent != "" {
			sum.Count++
			sum.Tokens += l.Tokens
		}
		for _, id := range l.HeldOut {
			if !slices.Contains(sum.HeldOut, id) {
				sum.HeldOut = append(sum.HeldOut, id)
			}
		}
		first := len(entries)
		for i, id := range l.UUIDs {
			e := Entry{UUID: id, At: time.UnixMilli(l.Time).UTC(), Surface: l.Surface, Agent: l.Agent, Session: l.Session, AgentID: l.AgentID, Path: l.Path, Tool: l.Tool}
			if i < len(l.Shares) {
				e.Tokens = l.Shares[i]
			}
			if i < len(l.Paths) && l.Paths[i] != "" {
				e.Path = l.Paths[i]
			}
			// An answer that names a memory twice shows it once: a second row would stand for the first, as a repetition.
			if j := slices.IndexFunc(entries[first:], func(x Entry) bool { return x.UUID == id }); j >= 0 {
				entries[first+j].Tokens += e.Tokens
				continue
			}
			entries = append(entries, e)
		}
	}
	ok, err := linefile.ReadFrom(path, bytesRead, add)
	if !ok && err == nil {
		err = linefile.Read(path, add)
	}
	sorting.StableFunc(entries, func(a, b Entry) int { return a.At.Compare(b.At) })
	return entries, sum, err
}

// Prune removes the files that were last written before a time.
func Prune(stateDir string, before time.Time) error {
	if err := linefile.Prune(folder(stateDir), before); err != nil {
		return fmt.Errorf("prune what was shown: %w", err)
	}
	return nil
}

// Clear removes all files of showings. The store removes its own rows.
func Clear(stateDir string) error {
	if err := os.RemoveAll(folder(stateDir)); err != nil {
		return fmt.Errorf("remove what was shown: %w", err)
	}
	return nil
}

// Size returns the size of a log in bytes, 0 without a file.
func Size(stateDir, name string) (int64, error) {
	n := int64(0)
	for _, p := range []string{".1", ""} {
		st, err := os.Stat(filepath.Join(folder(stateDir), name+suffix+p))
		switch {
		case err == nil:
			n += st.Size()
		case !errors.Is(err, fs.ErrNotExist):
			return 0, fmt.Errorf("look at what was shown: %w", err)
		}
	}
	return n, nil
}

// cut is a path or an id as far as a line holds it. JSON holds only UTF-8, which a path need not be.
func cut(s string) string { return strings.ToValidUTF8(clip.Bytes(s, maxField), "\uFFFD") }

// Package ledger records which memories were shown: where, to whom, when, at what
// cost, and with what outcome. A process that shows a memory appends a line to a local
// file. At the end of a session the lines are read and judged, and the result goes to
// state.db. Nothing of it is ever exported. The package must not know agents' events;
// package judge does.
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

	"manicule/indexer/linefile"
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

// Verdict is what became of a memory that an agent was shown.
type Verdict string

// The verdicts. The rules by which they are given are in hooks/judge.
const (
	Followed   Verdict = "followed"   // it did what the memory tells, or kept clear of what it warns of
	Overridden Verdict = "overridden" // it did what the memory warns of, or a person said it again
	Ignored    Verdict = "ignored"    // nothing that it did later had to do with the memory
	Unknown    Verdict = "unknown"    // events can't tell
	Open       Verdict = "open"       // the session is not over
	Again      Verdict = "again"      // shown before in the same conversation, which is judged by the first time
	ToPerson   Verdict = ""           // a person saw it; nobody judges persons
)

// Verdicts lists what an agent's showing can come to, in the order of reports.
func Verdicts() []Verdict {
	return []Verdict{Followed, Overridden, Ignored, Unknown, Open, Again}
}

// Showing is one answer that showed memories.
type Showing struct {
	Surface Surface
	// Agent is the agent's name as events have it ("claude-code"); "" for a person.
	Agent string
	// Session is the agent's session, "" where it is not known: a showing over
	// MCP or by a command is then given to the session that was calling
	// Manicule at that moment.
	Session string
	AgentID string // of a subagent; "" in the main conversation
	Path    string // what it was shown for, relative to the root; "" for none
	Tool    string // the agent's tool, the MCP tool or the command
	// Tokens is what the whole answer takes in a model's context, 0 for a person.
	Tokens int
	// Memories are those whose words were shown, not those that were only counted.
	// There may be none, as in an answer of warnings.
	Memories []Share
}

// Share is a memory's part of an answer.
type Share struct {
	UUID   string
	Tokens int    // of the memory's own words in it
	Path   string // what it was shown for, where that is not the showing's path
}

// Entry is one memory in one showing, as it was written down.
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

// line is a showing as the file keeps it.
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
	Tokens  int      `json:"k,omitzero"` // of the answer; once where it takes several lines
	UUIDs   []string `json:"m,omitempty"`
	Shares  []int    `json:"w,omitempty"` // tokens of each memory
	Paths   []string `json:"q,omitempty"` // of each memory, where they differ
}

// The limits of the files.
const (
	maxFile  = 4 << 20 // bytes at which a file is moved aside
	perLine  = 30      // memories of one line
	maxField = 200     // bytes of a path or an id
	maxPaths = 800     // bytes of all memories' paths of one line
)

// Keep is how long the files are kept, and KeepEntries for how long single
// entries are kept in state.db before only their sums are.
const (
	Keep        = 60 * 24 * time.Hour
	KeepEntries = 90 * 24 * time.Hour
)

// Recorder writes down what is shown. It is safe for concurrent use, also by
// several processes. A nil Recorder writes nothing.
type Recorder struct {
	dir  string
	root string
	now  func() time.Time
}

// NewRecorder returns a recorder for a workspace, by its state folder and the
// workspace's path below the repository's top ("" for the top). It touches no file.
func NewRecorder(stateDir, below string, now func() time.Time) *Recorder {
	return &Recorder{dir: folder(stateDir), root: below, now: now}
}

// folder is where a state folder keeps what was shown.
func folder(stateDir string) string { return filepath.Join(stateDir, "shown") }

// Shown writes one showing down by one append of at most 4 KB (more for more
// than thirty memories): tens of microseconds, no lock, no database. An error
// costs the record only: callers show what they have to show all the same.
func (r *Recorder) Shown(ctx context.Context, s Showing) error {
	if r == nil || len(s.Memories) == 0 && s.Tokens == 0 {
		return nil
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	now := r.now()
	l := line{V: 1, Time: now.UnixMilli(), Root: r.root, Surface: s.Surface, Agent: cut(s.Agent), Session: cut(s.Session), AgentID: cut(s.AgentID),
		Path: cut(s.Path), Tool: cut(s.Tool), Tokens: s.Tokens}
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
				path = "" // the showing's own has to do
			}
			l.UUIDs, l.Shares, l.Paths = append(l.UUIDs, cut(m.UUID)), append(l.Shares, m.Tokens), append(l.Paths, path)
		}
		if !slices.ContainsFunc(l.Paths, func(p string) bool { return p != "" }) {
			l.Paths = nil
		}
		if err := write(path, l); err != nil {
			return err
		}
		l.UUIDs, l.Shares, l.Paths, l.Tokens = nil, nil, nil, 0
	}
	if len(s.Memories) == 0 {
		return write(path, l)
	}
	return nil
}

const suffix = ".jsonl"

// DayLog names the log of what belonged to no session on a day.
func DayLog(t time.Time) string { return "day-" + t.UTC().Format(time.DateOnly) }

func write(path string, l line) error {
	data, err := json.Marshal(l)
	if err != nil {
		return fmt.Errorf("encode a showing: %w", err)
	}
	return linefile.Append(path, maxFile, data)
}

func cut(s string) string {
	if len(s) <= maxField {
		return s
	}
	return strings.ToValidUTF8(s[:maxField], "")
}

// Log is a file of showings: of a session, or of a day for what belongs to none.
type Log struct {
	Name  string // as [Read] takes it
	Bytes int64
	Day   bool
}

// LogOf names the log of a session.
func LogOf(session string) string { return linefile.FileName(session) }

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
			continue // none of ours, or gone meanwhile
		}
		sizes[name] += info.Size()
	}
	var out []Log
	for name, n := range sizes {
		out = append(out, Log{Name: name, Bytes: n, Day: strings.HasPrefix(name, "day-")})
	}
	slices.SortFunc(out, func(a, b Log) int { return strings.Compare(a.Name, b.Name) })
	return out, nil
}

// Answers is what a log adds up to beside its entries.
type Answers struct {
	Count  int // lines that cost tokens
	Tokens int // of all answers to agents
}

// Read returns the entries of a log of one workspace, oldest first, and what its
// answers took. Torn and foreign lines are left out.
func Read(stateDir, name, below string) (entries []Entry, sum Answers, err error) {
	err = linefile.Read(filepath.Join(folder(stateDir), name+suffix), func(data []byte) {
		var l line
		if json.Unmarshal(data, &l) != nil || l.V != 1 || l.Root != below {
			return
		}
		if l.Tokens > 0 && l.Agent != "" {
			sum.Count++
			sum.Tokens += l.Tokens
		}
		for i, id := range l.UUIDs {
			e := Entry{UUID: id, At: time.UnixMilli(l.Time).UTC(), Surface: l.Surface, Agent: l.Agent, Session: l.Session, AgentID: l.AgentID, Path: l.Path, Tool: l.Tool}
			if i < len(l.Shares) {
				e.Tokens = l.Shares[i]
			}
			if i < len(l.Paths) && l.Paths[i] != "" {
				e.Path = l.Paths[i]
			}
			entries = append(entries, e)
		}
	})
	slices.SortStableFunc(entries, func(a, b Entry) int { return a.At.Compare(b.At) })
	return entries, sum, err
}

// Prune removes the files that were last written to before a time.
func Prune(stateDir string, before time.Time) error {
	if err := linefile.Prune(folder(stateDir), before); err != nil {
		return fmt.Errorf("prune what was shown: %w", err)
	}
	return nil
}

// Clear removes all files of showings. What state.db has of them is the store's
// to remove.
func Clear(stateDir string) error {
	if err := os.RemoveAll(folder(stateDir)); err != nil {
		return fmt.Errorf("remove what was shown: %w", err)
	}
	return nil
}

// Size is the size of a log in bytes, 0 where there is none.
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

// Package digest finds the commits that people made since an agent's last session in
// a worktree, and records the commit at which that session began. It reads git's
// objects and the sessions' logs, and writes one small file for each worktree. It
// creates no memories. It must not know how the digest is presented.
package digest

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

	"manicule/hooks/agent"
	"manicule/hooks/event"
	"manicule/hooks/eventlog"
	"manicule/indexer/gitinfo"
	"manicule/indexer/gittree"
	"manicule/indexer/workspace"
)

// Bounds of looking back.
const (
	maxCommits = 100
	maxLogs    = 8
	logBytes   = 256 << 10
	// near is how far a commit's time may be from that of the call that made it:
	// a commit's hooks may take their time.
	near = 60 * time.Second
	// limit is how old the last session may be: what is older is no news.
	limit = 60 * 24 * time.Hour
)

// Commit is what a person has committed.
type Commit struct {
	ID, Author, Subject string
	Time                time.Time
}

// Changes is what people have committed since the last session, newest first.
type Changes struct {
	Commits []Commit
	Agents  int  // commits of agents, which were left out
	More    bool // there are older ones that were not looked at
}

// cursor is the file: what was checked out when the last session began.
type cursor struct {
	Head string    `json:"head"`
	At   time.Time `json:"at"`
}

func path(p *workspace.Workspace) string {
	return filepath.Join(p.StateDir(), "last-session", p.WorktreeID+".json")
}

// Since lists what people have committed to what is checked out since the last
// session here. It is empty without git, in a first session, and where the last
// one is long ago. A commit is an agent's when its message says so, its author
// is a bot, or a session's log has a command that committed at that time.
func Since(ctx context.Context, p *workspace.Workspace, now time.Time) (n Changes, err error) {
	last, ok, err := read(p)
	if err != nil || !ok || p.GitDir == "" || now.Sub(last.At) > limit {
		return n, err
	}
	head := gitinfo.Head(p.GitDir, p.GitCommonDir)
	if head == "" || head == last.Head {
		return n, nil
	}
	repo := gittree.Open(p.GitDir, p.GitCommonDir, "")
	defer func() { err = errors.Join(err, repo.Close()) }()
	reached := false
	list := repo.Commits(head, func(id string) bool {
		reached = reached || id == last.Head
		return reached || ctx.Err() != nil
	}, maxCommits)
	if err := ctx.Err(); err != nil {
		return Changes{}, err
	}
	byAgent, known := agentTimes(p, last.At), authors()
	for _, c := range list {
		switch {
		case !reached && c.Time.Before(last.At):
			// Another branch, or a rewritten one: what is older was there before.
		case c.Parents > 1 && strings.HasPrefix(c.Subject, "Merge "):
			// It says nothing that its commits don't.
		case known.made(c) || byAgent(c.Time):
			n.Agents++
		default:
			n.Commits = append(n.Commits, Commit{c.ID, c.Author, c.Subject, c.Time})
		}
	}
	n.More = !reached && len(list) == maxCommits
	return n, nil
}

// Advance notes that a session has begun with what is checked out now.
func Advance(p *workspace.Workspace, now time.Time) error {
	if p.GitDir == "" {
		return nil
	}
	data, err := json.Marshal(cursor{gitinfo.Head(p.GitDir, p.GitCommonDir), now.UTC()})
	if err != nil {
		return fmt.Errorf("encode where a session stands: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(path(p)), 0o700); err != nil {
		return fmt.Errorf("note where a session stands: %w", err)
	}
	// Nothing waits for the disk here: a torn file counts as none.
	if err := os.WriteFile(path(p), data, 0o600); err != nil {
		return fmt.Errorf("note where a session stands: %w", err)
	}
	return nil
}

// read is the cursor; a damaged one counts as none.
func read(p *workspace.Workspace) (c cursor, ok bool, err error) {
	data, err := os.ReadFile(path(p))
	if errors.Is(err, fs.ErrNotExist) {
		return c, false, nil
	}
	if err != nil {
		return c, false, fmt.Errorf("read where the last session stood: %w", err)
	}
	return c, json.Unmarshal(data, &c) == nil && c.Head != "", nil
}

// Agents reports a commit that says of itself that an agent made it.
func Agents(c gittree.Commit) bool { return authors().made(c) }

// signs are parts of the names and addresses of coding agents, in lower case.
type signs []string

// authors are the signs of all agents, also of those that are not supported.
// "claude" alone is a person's name too.
func authors() signs {
	out := signs{"aider", "factory-droid", "droid@factory", "openhands", "swe-agent", "amp@ampcode", "google-labs-jules"}
	for _, a := range agent.All() {
		out = append(out, a.Authors...)
	}
	return out
}

// made reports a commit whose author, trailers or text name an agent.
func (s signs) made(c gittree.Commit) bool {
	low := strings.ToLower(c.Author + " <" + c.Email + ">")
	if strings.Contains(low, "[bot]") || s.in(low) {
		return true
	}
	for line := range strings.Lines(strings.ToLower(c.Body)) {
		line = strings.TrimSpace(line)
		for _, key := range []string{"co-authored-by:", "generated-by:", "assisted-by:", "made-with:", "agent:"} {
			if rest, ok := strings.CutPrefix(line, key); ok && (s.in(rest) || strings.Contains(rest, "[bot]")) {
				return true
			}
		}
		if strings.Contains(line, "generated with") && s.in(line) {
			return true
		}
	}
	return false
}

func (s signs) in(low string) bool {
	return slices.ContainsFunc(s, func(sign string) bool { return strings.Contains(low, sign) })
}

// agentTimes tells whether an agent committed at a time, as the logs of the
// sessions since then have it.
func agentTimes(p *workspace.Workspace, since time.Time) func(time.Time) bool {
	var at []time.Time
	logs, err := eventlog.Logs(p.StateDir())
	if err != nil {
		logs = nil
	}
	for i, looked := len(logs)-1, 0; i >= 0 && looked < maxLogs && logs[i].Written.After(since); i, looked = i-1, looked+1 {
		records, _, err := eventlog.TailOf(p.StateDir(), logs[i].Name, logBytes)
		if err != nil {
			continue
		}
		for _, r := range records {
			for _, c := range r.Calls {
				if c.Class == string(event.Shell) && commits(c.Command) && (c.OK == nil || *c.OK) {
					at = append(at, time.UnixMilli(r.Time))
				}
			}
		}
	}
	return func(t time.Time) bool {
		for _, x := range at {
			if d := x.Sub(t); d > -near && d < near {
				return true
			}
		}
		return false
	}
}

// commits reports a command line that makes commits.
func commits(line string) bool {
	for _, args := range event.SimpleCommands(line) {
		for i, w := range args {
			if i > 0 && (strings.HasSuffix(args[0], "git") || args[0] == "rtk") {
				switch w {
				case "commit", "merge", "rebase", "cherry-pick", "revert", "am":
					return true
				}
			}
		}
	}
	return false
}

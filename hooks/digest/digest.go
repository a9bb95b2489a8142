// Package digest finds the commits that people made since an agent's last session in
// a worktree, and records the commit at which that session began. It reads git's
// objects and the sessions' logs, and writes one small file for each worktree. It
// creates no memories. It must not know how the digest is presented.
package digest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"manicule/hooks/agent"
	"manicule/hooks/event"
	"manicule/hooks/eventlog"
	"manicule/indexer/gitinfo"
	"manicule/indexer/gittree"
	"manicule/indexer/sorting"
	"manicule/indexer/treefile"
	"manicule/indexer/workspace"
)

// Bounds of the search for commits.
const (
	maxCommits = 100
	// maxWalk bounds the commits that are looked at to find those.
	maxWalk  = 400
	maxLogs  = 8
	logBytes = 256 << 10
	// commitTolerance is the tolerance between a commit's time and its call: git hooks may take a
	// while.
	commitTolerance = 60 * time.Second
	// maxAge is the age of the last session from which nothing counts as news.
	maxAge = 60 * 24 * time.Hour
)

// Commit is a commit of a person.
type Commit struct {
	ID, Author, Subject string
	Time                time.Time
}

// Changes are the commits of people since the last session, newest first.
type Changes struct {
	Commits []Commit
	Agents  int  // number of commits by agents, which are left out
	More    bool // there are older commits that were not examined
}

// cursor is the file content: the commit that was checked out when the last session
// began.
type cursor struct {
	Head string    `json:"head"`
	At   time.Time `json:"at"`
}

func path(p *workspace.Workspace) string {
	return filepath.Join(p.StateDir(), "last-session", p.WorktreeID+".json")
}

// Since lists the commits of people that are new on the checked-out branch since the last session here: made there, or brought
// by a pull or a merge. It is empty without git, in a first session, and if the last one is long ago. A commit is left out
// if a bot or an agent is its author, if a session's log contains a command that committed at that time, if its message
// names an agent and the person who works here is its author (those of a colleague's agent are news), or if it was made in this
// clone by a committer whom the person's settings don't name, unless it was another user of the machine.
func Since(ctx context.Context, p *workspace.Workspace, getenv func(string) string, now time.Time) (n Changes, err error) {
	last, ok, err := read(p)
	if err != nil || !ok || p.GitDir == "" || now.Sub(last.At) > maxAge {
		return n, err
	}
	head := gitinfo.Head(p.GitDir, p.GitCommonDir)
	if head == "" || head == last.Head {
		return n, nil
	}
	repo := gittree.Open(p.GitDir, p.GitCommonDir, "")
	defer func() { err = errors.Join(err, repo.Close()) }()
	list, ahead, more := between(ctx, repo, last.Head, head)
	if err := ctx.Err(); err != nil {
		return Changes{}, err
	}
	since, user := last.At, gitinfo.User(p.GitDir, p.GitCommonDir, getenv)
	if n := len(list); ahead && n > 0 && list[n-1].Time.Before(since) {
		since = list[n-1].Time.Add(-commitTolerance)
	}
	byAgent, known, looked := agentTimes(p, since), authors(), 0
	others := madeByOthers(p, getenv, since)
	for _, c := range list {
		own := user == "" || c.Author == user
		switch {
		case c.Time.Before(last.At) && (!ahead || own), own && c.Wrote.Before(last.At):
			// Of another or a rewritten branch, which existed before, or the person's own, which did too. A rebase gives a
			// commit the time of today, and not what it says.
		case c.Parents > 1 && strings.HasPrefix(c.Subject, "Merge "):
			// A merge says nothing that its commits don't.
		case known.wrote(c) || own && known.named(c) || byAgent(c.Time) || own && byAgent(c.Wrote) || others(c):
			n.Agents++
		case ofMemories(repo, c, &looked):
			// What it says is told as a memory or a thread, where it applies.
		default:
			n.Commits = append(n.Commits, Commit{c.ID, c.Author, c.Subject, c.Time})
		}
	}
	n.More = more
	return n, nil
}

// maxLooked bounds the commits whose changes are looked at: those that are told come first.
const maxLooked = 20

// ofMemories reports whether a commit changes nothing but the files of memories and threads. looked counts the commits that were
// looked at.
func ofMemories(repo *gittree.Repo, c gittree.Commit, looked *int) bool {
	parents := repo.Parents(c.ID)
	if len(parents) == 0 || *looked >= maxLooked {
		return false
	}
	*looked++
	was, ok := repo.Tree(parents[0])
	is, read := repo.Tree(c.ID)
	if !ok || !read {
		return false
	}
	changed := was.Diff(is)
	return len(changed) > 0 && !slices.ContainsFunc(changed, func(path string) bool { return !strings.HasPrefix(path, workspace.Folder+"/") })
}

// between lists the commits that head has and from has not, newest first. ahead is true if head goes on from there, and more if there
// are commits that were not examined. Where the two have parted further than maxWalk, or a commit can't be read, the first parents
// of head are listed.
func between(ctx context.Context, repo *gittree.Repo, from, head string) (list []gittree.Commit, ahead, more bool) {
	own, base, ok := repo.CommitsAhead(head, []string{from}, func(looked int) bool { return looked >= maxWalk || ctx.Err() != nil })
	if !ok {
		list = repo.Commits(head, func(id string) bool {
			ahead = ahead || id == from
			return ahead || ctx.Err() != nil
		}, maxCommits)
		return list, ahead, !ahead && len(list) == maxCommits
	}
	for id := range own {
		if c, ok := repo.Commit(id); ok {
			list = append(list, c)
		}
		if ctx.Err() != nil {
			return nil, false, false
		}
	}
	sorting.StableFunc(list, func(a, b gittree.Commit) int {
		return cmp.Or(b.Time.Compare(a.Time), strings.Compare(a.ID, b.ID))
	})
	if more = len(list) > maxCommits; more {
		list = list[:maxCommits]
	}
	return list, base == from, more
}

// Advance records the checked-out commit at which a session begins.
func Advance(p *workspace.Workspace, now time.Time) error {
	if p.GitDir == "" {
		return nil
	}
	data, err := json.Marshal(cursor{gitinfo.Head(p.GitDir, p.GitCommonDir), now.UTC()})
	if err != nil {
		return fmt.Errorf("encode the session's start: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(path(p)), 0o700); err != nil {
		return fmt.Errorf("write the session's start: %w", err)
	}
	// No sync: a torn file counts as absent.
	if err := os.WriteFile(path(p), data, 0o600); err != nil {
		return fmt.Errorf("write the session's start: %w", err)
	}
	return nil
}

// read reads the cursor. A damaged one counts as absent.
func read(p *workspace.Workspace) (c cursor, ok bool, err error) {
	data, err := treefile.ReadMade(path(p))
	if errors.Is(err, fs.ErrNotExist) {
		return c, false, nil
	}
	if err != nil {
		return c, false, fmt.Errorf("read the last session's start: %w", err)
	}
	return c, json.Unmarshal(data, &c) == nil && c.Head != "", nil
}

// authorSigns are parts of the names and addresses of coding agents, in lower case.
type authorSigns []string

// authors returns the signs of all agents, including unsupported ones.
// "claude" alone is not among them, because people bear that name too.
func authors() authorSigns {
	out := authorSigns{"aider", "factory-droid", "droid@factory", "openhands", "swe-agent", "amp@ampcode", "google-labs-jules"}
	for _, a := range agent.All() {
		out = append(out, a.Authors...)
	}
	return out
}

// wrote reports whether a commit's author is a bot or an agent.
func (s authorSigns) wrote(c gittree.Commit) bool {
	low := strings.ToLower(c.Author + " <" + c.Email + ">")
	return strings.Contains(low, "[bot]") || s.in(low)
}

// named reports whether a commit's trailers or text name an agent.
func (s authorSigns) named(c gittree.Commit) bool {
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

func (s authorSigns) in(low string) bool {
	return slices.ContainsFunc(s, func(sign string) bool { return strings.Contains(low, sign) })
}

// agentTimes returns a function that reports whether an agent committed at a time,
// according to the logs since then.
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
			if d := x.Sub(t); d > -commitTolerance && d < commitTolerance {
				return true
			}
		}
		return false
	}
}

// madeByOthers returns a function that reports whether a commit was made in this clone and its committer has neither the name nor
// the address of the person who works here: an agent with a name of its own. The person is who the clone's or the user's
// settings name: an agent's environment names the agent. Without both nobody is another, and neither is a colleague who works
// in the same checkout.
func madeByOthers(p *workspace.Workspace, getenv func(string) string, since time.Time) func(gittree.Commit) bool {
	settings := func(name string) string {
		switch name {
		case "GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "USER", "USERNAME":
			return ""
		}
		return getenv(name)
	}
	name, email := gitinfo.User(p.GitCommonDir, p.GitCommonDir, settings), gitinfo.Email(p.GitCommonDir, p.GitCommonDir, settings)
	made := sync.OnceValue(func() map[string]bool {
		if gitinfo.Shared(p.GitCommonDir, p.GitCommonDir, settings) {
			return nil
		}
		return gitinfo.Made(p.GitCommonDir, since)
	})
	return func(c gittree.Commit) bool {
		return name != "" && email != "" && c.By != name && c.ByEmail != email && made()[c.ID] && !gitinfo.OfAnotherUser(p.GitCommonDir, c.ID)
	}
}

// commits reports whether a command line makes commits.
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

package digest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"manicule/hooks/eventlog"
	"manicule/indexer/gitinfo"
	"manicule/indexer/gittest"
	"manicule/indexer/must"
	"manicule/indexer/workspace"
)

// repo is a repository whose commits have times of their own.
type repo struct {
	t   *testing.T
	dir string
	p   *workspace.Workspace
	now time.Time
}

func newRepo(t *testing.T) *repo {
	t.Helper()
	r := &repo{t: t, dir: filepath.Join(t.TempDir(), "r"), now: time.Date(2026, 5, 1, 9, 0, 0, 0, time.UTC)}
	must.Mkdir(t, filepath.Join(r.dir, ".manicule"))
	r.git("init", "-q", "-b", "main")
	home := t.TempDir()
	env := workspace.OSEnv()
	env.Getenv = func(k string) string {
		if strings.HasPrefix(k, "XDG_") {
			return filepath.Join(home, k)
		}
		return map[string]string{"HOME": home}[k]
	}
	var err error
	if r.p, err = workspace.Discover(r.dir, env); err != nil {
		t.Fatal(err)
	}
	return r
}

func (r *repo) git(args ...string) {
	r.t.Helper()
	gittest.GitAt(r.t, r.dir, r.now, append([]string{"-c", "user.name=c", "-c", "user.email=c@h"}, args...)...)
}

// commit makes a commit an hour later than the last.
func (r *repo) commit(author, message string) {
	r.t.Helper()
	r.now = r.now.Add(time.Hour)
	r.git("commit", "-q", "--allow-empty", "--author", author, "-m", message)
}

func (r *repo) since() string {
	r.t.Helper()
	n, err := Since(r.t.Context(), r.p, env, r.now)
	must.OK(r.t, err)
	var out []string
	for _, c := range n.Commits {
		out = append(out, c.Subject+" by "+c.Author)
	}
	s := strings.Join(out, ", ")
	if n.Agents > 0 {
		s += fmt.Sprintf(" and %d of agents", n.Agents)
	}
	if n.More {
		s += " and more"
	}
	return s
}

func (r *repo) begin() {
	r.t.Helper()
	must.OK(r.t, Advance(r.p, r.now))
}

func (r *repo) want(when, want string) {
	r.t.Helper()
	if got := r.since(); got != want {
		r.t.Errorf("%s: %q, want %q", when, got, want)
	}
}

// env is the environment of Ada's machine.
func env(k string) string { return map[string]string{"GIT_AUTHOR_NAME": "Ada"}[k] }

const (
	ada = "Ada <ada@h>"
	bob = "Bob <bob@h>"
)

func TestSince(t *testing.T) {
	r := newRepo(t)
	r.want("without a commit", "")
	r.commit(ada, "one")
	r.want("a first session", "")
	r.begin()
	r.want("nothing new", "")
	r.commit(ada, "two")
	r.commit(bob, "three\n\nlonger\nbody")
	r.want("two commits", "three by Bob, two by Ada")
	r.want("asked again", "three by Bob, two by Ada")
	r.begin()
	r.want("the cursor has moved", "")
	r.commit(ada, "four\n\nCo-Authored-By: Claude Opus 5 <noreply@anthropic.com>")
	r.commit("dependabot[bot] <x@h>", "five")
	r.commit(ada, "six\n\n🤖 Generated with [Claude Code](https://h)")
	r.commit("Copilot <198982749+Copilot@users.noreply.github.com>", "seven")
	r.commit(ada, "eight\n\nCo-authored-by: Claude Monet <monet@h>\nCo-authored-by: Bob <bob@h>")
	r.want("agents' are left out", "eight by Ada and 4 of agents")
	r.begin()
	// What a session's log shows an agent to have committed.
	r.commit(ada, "nine")
	if err := eventlog.Append(r.p.StateDir(), eventlog.Record{Session: "s", Kind: "post_tool", Time: r.now.Add(5 * time.Second).UnixMilli(),
		Calls: []eventlog.Call{{Class: "shell", Command: "cd x && git -C y commit -am 'nine'"}, {Class: "shell", Command: "git log"}}}); err != nil {
		t.Fatal(err)
	}
	r.commit(ada, "ten")
	r.want("an agent's by its session's log", "ten by Ada and 1 of agents")
	r.begin()
	// Another branch: only what is newer than the last session.
	r.git("checkout", "-q", "-b", "other", "HEAD~6")
	r.want("another branch, nothing new", "")
	r.commit(bob, "eleven")
	r.want("another branch", "eleven by Bob")
	r.git("checkout", "-q", "main")
	r.commit(ada, "twelve")
	r.git("merge", "-q", "--no-ff", "-m", "Merge branch 'other'", "other")
	r.want("merged", "twelve by Ada, eleven by Bob")
	r.begin()
	for i := range maxCommits + 3 {
		r.commit(ada, fmt.Sprint("many ", i))
	}
	if got := r.since(); !strings.HasSuffix(got, " and more") || strings.Count(got, "many") != maxCommits {
		t.Errorf("many: %d, %q", strings.Count(got, "many"), got[len(got)-20:])
	}
	r.now = r.now.Add(maxAge)
	r.want("the last session is long ago", "")
}

// TestSinceAPull: what a merge brings is told although it was made before the last session began, and so is what a colleague made with
// an agent. What the person committed before, or a session here did, is known.
func TestSinceAPull(t *testing.T) {
	r := newRepo(t)
	r.commit(ada, "one")
	r.git("checkout", "-q", "-b", "feat")
	r.commit(ada, "mine of before")
	r.commit(ada, "an agent's of before")
	if err := eventlog.Append(r.p.StateDir(), eventlog.Record{Session: "s", Kind: "post_tool", Time: r.now.Add(5 * time.Second).UnixMilli(),
		Calls: []eventlog.Call{{Class: "shell", Command: "git commit -am x"}}}); err != nil {
		t.Fatal(err)
	}
	r.git("checkout", "-q", "-b", "theirs", "main")
	r.commit(bob, "of before the session")
	r.git("checkout", "-q", "main")
	r.now = r.now.Add(time.Hour)
	r.begin()
	r.git("checkout", "-q", "theirs")
	r.commit(bob, "with an agent\n\nCo-Authored-By: Claude Opus 5 <noreply@anthropic.com>")
	r.commit("renovate[bot] <x@h>", "bump")
	r.git("checkout", "-q", "main")
	r.git("merge", "-q", "--no-ff", "-m", "Merge branch 'theirs'", "theirs")
	r.want("pulled", "with an agent by Bob, of before the session by Bob and 1 of agents")
	r.git("checkout", "-q", "feat")
	r.git("merge", "-q", "--no-ff", "-m", "Merge branch 'main'", "main")
	r.want("merged into one's branch", "with an agent by Bob, of before the session by Bob and 1 of agents")
}

// TestSinceARebase: what the person, or an agent's session, committed before is no news when a rebase gives it a time of today. What a
// colleague did, and what the person did since, is.
func TestSinceARebase(t *testing.T) {
	r := newRepo(t)
	r.commit(ada, "one")
	r.git("checkout", "-q", "-b", "feat")
	r.commit(ada, "mine of before")
	r.now = r.now.Add(time.Hour)
	r.begin()
	r.commit(ada, "of the session's agent")
	if err := eventlog.Append(r.p.StateDir(), eventlog.Record{Session: "s", Kind: "post_tool", Time: r.now.Add(5 * time.Second).UnixMilli(),
		Calls: []eventlog.Call{{Class: "shell", Command: "git commit -am x"}}}); err != nil {
		t.Fatal(err)
	}
	r.commit(ada, "mine since")
	r.git("checkout", "-q", "main")
	r.commit(bob, "of a colleague")
	r.git("checkout", "-q", "feat")
	r.now = r.now.Add(time.Hour)
	r.git("rebase", "-q", "main")
	r.want("rebased", "mine since by Ada, of a colleague by Bob and 1 of agents")
}

// TestSinceMemories: a commit of memories alone is no news: they are told where they apply. One that changes code beside them is.
func TestSinceMemories(t *testing.T) {
	r := newRepo(t)
	r.commit(ada, "one")
	r.begin()
	write := func(name string) {
		name = filepath.Join(r.dir, name)
		must.Write(t, name, "x")
		r.git("add", "-A")
	}
	write(".manicule/memories/technical/a.json")
	r.commit(bob, "memories of the review")
	write("a.go")
	write(".manicule/memories/technical/b.json")
	r.commit(bob, "code, and what to know of it")
	r.commit(bob, "without a change")
	r.want("pulled", "without a change by Bob, code, and what to know of it by Bob")
}

// TestSinceStrange: without git, with a damaged cursor or no time there is no news.
func TestSinceStrange(t *testing.T) {
	r := newRepo(t)
	r.commit(ada, "one")
	r.begin()
	r.commit(ada, "two")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if n, err := Since(ctx, r.p, env, r.now); err == nil || len(n.Commits) > 0 {
		t.Errorf("no time: %+v %v", n, err)
	}
	must.Write(t, path(r.p), "{\"head")
	r.want("a damaged cursor", "")
	r.begin()
	bare := *r.p
	bare.GitDir, bare.WorktreeID = "", "other"
	if n, err := Since(t.Context(), &bare, env, r.now); err != nil || len(n.Commits) > 0 {
		t.Errorf("without git: %+v %v", n, err)
	}
	if err := Advance(&bare, r.now); err != nil {
		t.Error(err)
	}
}

// TestOwnAgentsNames: what was committed in this clone under a name that is not the person's was an agent's, whatever it is called.
func TestOwnAgentsNames(t *testing.T) {
	r := newRepo(t)
	r.git("config", "user.name", "Ada")
	r.git("config", "user.email", "ada@h")
	as := func(who, message string) {
		t.Helper()
		name, email, _ := strings.Cut(strings.TrimSuffix(who, ">"), " <")
		r.now = r.now.Add(time.Hour)
		gittest.GitAt(t, r.dir, r.now, "-c", "user.name="+name, "-c", "user.email="+email, "commit", "-q", "--allow-empty", "--author", who, "-m", message)
	}
	as(ada, "one")
	r.begin()
	as(ada, "two")
	as("worker-3 <worker@h>", "three")
	as("Ada Lovelace <ada@h>", "four")
	as("Ada <ada@work>", "five")
	r.want("an agent's name", "five by Ada, four by Ada Lovelace, two by Ada and 1 of agents")
	// A colleague's, which was fetched, and one of theirs that the person applied.
	must.OK(t, os.Remove(filepath.Join(r.dir, ".git", "logs", "HEAD")))
	r.want("the reflog doesn't know it", "five by Ada, four by Ada Lovelace, three by worker-3, two by Ada")
	r.now = r.now.Add(time.Hour)
	gittest.GitAt(t, r.dir, r.now, "-c", "user.name=Ada", "-c", "user.email=ada@h", "commit", "-q", "--allow-empty", "--author", bob, "-m", "six")
	r.begin()
	r.git("checkout", "-q", "-b", "side", "HEAD~1")
	as("worker-3 <worker@h>", "seven")
	as(ada, "eight")
	r.git("checkout", "-q", "main")
	r.git("merge", "-q", "--no-ff", "-m", "Merge branch 'side'", "side")
	r.want("a branch of it", "eight by Ada and 1 of agents")
}

// TestColleagueInTheCheckout: in a checkout that several people share, what a colleague committed is no agent's.
func TestColleagueInTheCheckout(t *testing.T) {
	for _, told := range []string{"the owner of the commit", "the settings", ""} {
		r := newRepo(t)
		r.git("config", "user.name", "Ada")
		r.git("config", "user.email", "ada@h")
		r.commit(ada, "one")
		r.begin()
		r.now = r.now.Add(time.Hour)
		gittest.GitAt(t, r.dir, r.now, "-c", "user.name=Ben", "-c", "user.email=ben@h", "commit", "-q", "--allow-empty", "--author", "Ben <ben@h>", "-m", "two")
		want := "two by Ben"
		switch told {
		case "":
			want = " and 1 of agents"
		case "the settings":
			r.git("config", "core.sharedRepository", "group")
		default:
			id := gitinfo.Head(r.p.GitDir, r.p.GitCommonDir)
			if err := os.Chown(filepath.Join(r.p.GitCommonDir, "objects", id[:2], id[2:]), 12345, -1); err != nil {
				continue // only root may
			}
		}
		r.want("told by "+told, want)
	}
}

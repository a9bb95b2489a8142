package observer

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"manicule/cmd/internal/evalkit"
	"manicule/hooks/event"
	"manicule/hooks/observe/signal"
	"manicule/indexer/gittest"
	"manicule/indexer/must"
	"manicule/memory/episode"
	"manicule/memory/file"
)

// TestLabels: every label is of a known class, and says what it is about.
func TestLabels(t *testing.T) {
	labels, err := readLabels()
	if err != nil || len(labels) < 100 {
		t.Fatalf("%d labels, %v", len(labels), err)
	}
	for _, l := range labels {
		if !slices.Contains([]string{"useful", "wrong", "passing", "obvious", "vague", "duplicate", "unconfirmed"}, l.Label) {
			t.Errorf("%q: unknown label %q", l.What, l.Label)
		}
		if _, ok := signal.SpecOf(signal.Kind(l.Kind)); !ok || l.Repo == "" || l.What == "" {
			t.Errorf("%+v", l)
		}
	}
}

// TestEpisodeLabels: every label names a session, what it was for and an outcome.
func TestEpisodeLabels(t *testing.T) {
	list, err := evalkit.ReadLines[episodeLabel](filepath.Join("testdata", "episodes.jsonl"))
	if err != nil || len(list) < 200 {
		t.Fatalf("%d labels, %v", len(list), err)
	}
	seen := map[string]bool{}
	for _, l := range list {
		if !slices.Contains([]episode.Outcome{episode.Success, episode.Partial, episode.Failure}, l.Outcome) || l.Repo == "" || l.Task == "" || l.Draw == "" || seen[l.Session] {
			t.Errorf("%+v", l)
		}
		seen[l.Session] = true
	}
}

// TestScore: a failure counts as told when an offer of its message was made
// before it, or at it; an offer without a failure is false.
func TestScore(t *testing.T) {
	at := int64(0)
	failed := func(id, name string) *session {
		at++
		it := item{id: id, at: at}
		it.record.Kind = string(event.PostToolFailure)
		return &session{id: name, repo: "r", items: []item{{}, it}}
	}
	print := map[string]bool{"unknown flag": true}
	r := &replayed{truth: map[string]failure{}, results: []*result{
		{s: failed("a", "1")},
		{s: failed("b", "2"), offers: []offered{{at: 0, id: "b", prints: print}}},
		{s: failed("c", "3"), offers: []offered{{at: -1, prints: print}, {at: 0, prints: map[string]bool{"other": true}}}},
		{s: failed("d", "4")},
	}}
	for _, id := range []string{"a", "b", "c", "d"} {
		r.truth[id] = failure{ID: id, Kind: "command_failed", Fingerprint: "unknown flag"}
	}
	s := r.score(func(x *result) []offered { return x.offers }, nil)
	if s.repeated != 3 || s.specific != 3 || s.found != 2 || s.earlier != 1 || s.offers != 3 || s.wrong != 1 {
		t.Errorf("%+v", s)
	}
}

// TestCheckoutOfTheDefaultBranch: a repository is played on its own default branch, whatever its name.
func TestCheckoutOfTheDefaultBranch(t *testing.T) {
	from, home := t.TempDir(), t.TempDir()
	gittest.Git(t, from, "init", "-q", "-b", "trunk")
	gittest.Git(t, from, "commit", "-q", "--allow-empty", "-m", "first")
	p, err := newPlayer(t.Context(), home, filepath.Join(from, ".git"), 0)
	must.OK(t, err)
	p.now = time.Now().Add(time.Hour)
	must.OK(t, p.checkout(t.Context()))
	if got := gittest.Git(t, p.tree, "symbolic-ref", "--short", "HEAD"); got != "trunk" {
		t.Errorf("on the branch %q", got)
	}
}

// TestWrittenMemories: what a person wrote at a symbol is kept there before the first session, once.
func TestWrittenMemories(t *testing.T) {
	from, home := t.TempDir(), t.TempDir()
	gittest.Git(t, from, "init", "-q", "-b", "main")
	must.Write(t, filepath.Join(from, "a.go"), "package a\n\nfunc Close() {\n\tprintln()\n}\n")
	gittest.Git(t, from, "add", ".")
	gittest.Git(t, from, "commit", "-q", "-m", "first")
	p, err := newPlayer(t.Context(), home, filepath.Join(from, ".git"), 0)
	must.OK(t, err)
	p.now = time.Now().Add(time.Hour)
	p.written = []written{{Type: file.Gotcha, What: "Close blocks until the queue is empty, or for ever if nobody reads it", At: []string{"a.go#Close"}}}
	for range 2 {
		must.OK(t, errors.Join(p.checkout(t.Context()), os.MkdirAll(filepath.Join(p.tree, ".manicule", "memories"), 0o755), p.teach(t.Context())))
	}
	if len(p.known) != 1 {
		t.Fatalf("%d memories", len(p.known))
	}
	for _, m := range p.known {
		if len(m.Anchors) != 1 || m.Anchors[0].Symbol != "Close" || m.Anchors[0].Lines == nil || m.Anchors[0].Lines.Start != 3 {
			t.Errorf("anchors %+v", m.Anchors)
		}
	}
}

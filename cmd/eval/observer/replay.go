package observer

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"manicule/cmd/internal/evalkit"
	"manicule/hooks/event"
	"manicule/hooks/eventlog"
	"manicule/hooks/learn"
	"manicule/hooks/observe"
	"manicule/hooks/observe/cmdline"
	"manicule/indexer/anchoring"
	"manicule/indexer/workspace"
	"manicule/memory"
	"manicule/memory/episode"
	"manicule/memory/secret/full"
	"manicule/memory/store"
)

// offered is an offer made in a session.
type offered struct {
	at     int    // index of the next item
	id     string // the call that it was made for
	prints map[string]bool
	text   string
	facts  string // what the offer rests on
	met    string // of a reminder: the fingerprint of the failure that it was told with
	then   string // likewise: what the session did then
}

// proposed is a candidate as a person would see it.
type proposed struct {
	Repo    string            `json:"repo"`
	Session string            `json:"session"`
	C       observe.Candidate `json:"candidate"`
}

// result is the result of one replayed session.
type result struct {
	s          *session
	offers     []offered
	reminders  []offered // told with a failure
	plain      []offered // of the baseline
	candidates []proposed
	next       map[string][]string // by method
	kind       episode.Kind        // of work, as far as its first three files tell
	commits    bool                // the data has the repository's commits
	finish     time.Duration
	events     int
	judged     map[string]int
	why        map[string]string // reasons for which failures were not offered, by id of the call
	unscored   bool              // replayed only for what later sessions learn from it
}

// replayed is the replay of all sessions.
type replayed struct {
	temp     string
	results  []*result
	truth    map[string]failure // by id of the call
	fold     clock
	offer    clock
	nextTime clock
	took     time.Duration
	rules    map[string][]rule
	judged   map[[2]string]errorKind // failures that were sorted by hand, by repository and fingerprint
}

// replica is one repository in which sessions are replayed.
type replica struct {
	w       *memory.Workspace
	now     time.Time
	exists  map[string]bool
	prints  map[string]map[string]bool // failures of the data, by our fingerprint
	table   map[string]map[string]bool // baseline: failures of the data, by command or path
	popular map[string]int             // baseline: sessions by file
	pairs   map[[2]string]int          // baseline: sessions by pair
	commits []commit                   // baseline: git's commits, oldest first; empty if the data has none
	changed map[[2]string]int          // those of them before the session, by pair
}

func replay(ctx context.Context, dir string, sessions []*session) (*replayed, error) {
	began := time.Now()
	temp, err := os.MkdirTemp("", "eval-observer-")
	if err != nil {
		return nil, err
	}
	r := &replayed{temp: temp, truth: map[string]failure{}}
	list, err := evalkit.ReadLines[failure](filepath.Join(dir, "failures.jsonl"))
	if err != nil {
		return nil, err
	}
	for _, f := range list {
		r.truth[f.ID] = f
	}
	if r.rules, err = readRules(dir); err != nil {
		return nil, err
	}
	if r.judged, err = readJudged(); err != nil {
		return nil, err
	}
	for len(sessions) > 0 { // they are sorted by repository
		n := slices.IndexFunc(sessions, func(s *session) bool { return s.repo != sessions[0].repo })
		if n < 0 {
			n = len(sessions)
		}
		if err := r.repository(ctx, dir, sessions[:n]); err != nil {
			return nil, err
		}
		sessions = sessions[n:]
	}
	r.took = time.Since(began)
	return r, nil
}

func newReplica(temp, repo string) (*replica, error) {
	home := filepath.Join(temp, strings.ReplaceAll(repo, "/", "+"))
	if err := os.MkdirAll(filepath.Join(home, "tree", ".manicule", "memories"), 0o755); err != nil {
		return nil, err
	}
	vars := map[string]string{"HOME": home, "XDG_STATE_HOME": home + "/state", "XDG_CACHE_HOME": home + "/cache", "XDG_DATA_HOME": home + "/data", "XDG_CONFIG_HOME": home + "/config", "XDG_RUNTIME_DIR": home + "/run"}
	b := &replica{exists: map[string]bool{}, prints: map[string]map[string]bool{}, table: map[string]map[string]bool{}, popular: map[string]int{}, pairs: map[[2]string]int{}}
	env := workspace.OSEnv()
	env.Getenv = func(k string) string { return vars[k] }
	w, err := memory.Open(memory.Options{Secrets: full.Rules{}, MakeAnchor: anchoring.Make, Dir: filepath.Join(home, "tree"), Env: env, Now: func() time.Time { return b.now }, User: "person"})
	b.w = w
	return b, err
}

func below(paths []string) []string {
	var out []string
	for _, p := range paths {
		if rel, ok := strings.CutPrefix(p, root+"/"); ok && rel != "" {
			out = append(out, rel)
		} else if !strings.HasPrefix(p, "/") && !strings.HasPrefix(p, "~") {
			out = append(out, p)
		}
	}
	return out
}

// recordFiles records the files that a session uses, and those that exist.
func recordFiles(b *replica, s *session, rec eventlog.Record, class event.Class, paths []string) {
	if class != event.Read && class != event.Edit && class != event.Create {
		return
	}
	for _, p := range paths {
		switch event.Kind(rec.Kind) {
		case event.PostTool:
			b.exists[p] = true
			if !slices.Contains(s.files, p) {
				s.files = append(s.files, p)
			}
		case event.PostToolFailure:
			if class == event.Read {
				b.exists[p] = false
			}
		}
	}
}

// perSession is the limit of offers in a session.
const perSession = 4

// occasion is a call of a session, before or after which a hook is asked.
type occasion struct {
	*playing
	b    *replica
	i    int    // of its item
	id   string // of the call
	call eventlog.Call
}

func (m occasion) class() event.Class { return event.Class(m.call.Class) }

func (m occasion) paths() []string { return below(m.call.Paths) }

// offers makes the offers before a call: Manicule's, and those of the baseline.
func (r *replayed) offers(ctx context.Context, look *store.ObserverReader, m occasion) error {
	// As hooks do: of commands, and of files that are not there.
	asked := m.class() == event.Shell
	if m.class() == event.Read {
		f, ok := r.truth[m.id]
		asked = ok && f.Kind == "file_missing"
	}
	list, err := r.timed(func() ([]learn.Offer, error) {
		if !asked {
			return nil, nil
		}
		return learn.Offers(ctx, look, m.class(), m.call.Command, m.paths())
	})
	if err != nil {
		return err
	}
	for _, o := range list {
		if m.seen[o.ID] || len(m.res.offers) >= perSession {
			continue
		}
		m.seen[o.ID] = true
		m.res.offers = append(m.res.offers, offered{at: m.i, id: m.id, prints: m.b.prints[failureID(o.Failure)], text: o.Text, facts: factsOf(o)})
	}
	for _, key := range plainKeys(m.class(), m.call, m.paths()) {
		for _, p := range slices.Sorted(maps.Keys(m.b.table[key])) {
			if m.base[key+p] {
				continue
			}
			m.base[key+p] = true
			m.res.plain = append(m.res.plain, offered{at: m.i, id: m.id, prints: map[string]bool{p: true}, text: key})
		}
	}
	return nil
}

// factsOf says what an offer rests on.
func factsOf(o learn.Offer) string {
	f := o.Failure
	return fmt.Sprintf("chance %.2f, met by %d sessions (%d tainted), run by %d, by %d since, %d words, %q", o.Chance, f.Sessions, f.Tainted, f.Ran, f.Since, len(f.Trigger), f.How)
}

// timed adds the time of a question to what hooks cost.
func (r *replayed) timed(ask func() ([]learn.Offer, error)) ([]learn.Offer, error) {
	began := time.Now()
	list, err := ask()
	r.offer.add(time.Since(began))
	return list, err
}

// reminders are told with a failure.
func (r *replayed) reminders(ctx context.Context, look *store.ObserverReader, m occasion) error {
	list, err := r.timed(func() ([]learn.Offer, error) { return learn.Reminders(ctx, look, m.call) })
	if err != nil {
		return err
	}
	for _, o := range list {
		if m.seen[o.ID] {
			continue
		}
		m.seen[o.ID] = true
		m.res.reminders = append(m.res.reminders, offered{m.i, m.id, m.b.prints[failureID(o.Failure)], o.Text, factsOf(o), r.truth[m.id].Fingerprint, outcome(o, m.res.s, m.i) + after(m.res.s, m.i)})
	}
	return nil
}

// outcome says whether a reminder without a way out came true: the call worked when it was run again, or no such call worked any more.
func outcome(o learn.Offer, s *session, at int) string {
	if o.Failure.Fix != "" {
		return "way out\n      → "
	}
	for _, it := range s.items[at+1:] {
		if it.record.Kind == string(event.PostTool) && len(it.record.Calls) > 0 && it.record.AgentID == s.items[at].record.AgentID && slices.Contains(cmdline.Keys(it.record.Calls[0].Command), o.Failure.Subject) {
			return fmt.Sprintf("%s %t\n      → ", o.Failure.How, o.Failure.How == "again")
		}
	}
	return fmt.Sprintf("%s %t\n      → ", o.Failure.How, o.Failure.How == "left")
}

// after lists what a session did after an item: its next calls, and whether they worked.
func after(s *session, at int) string {
	var out []string
	for _, it := range s.items[at:] {
		if len(it.record.Calls) == 0 || it.record.Kind == string(event.PreTool) {
			continue
		}
		c := it.record.Calls[0]
		what := c.Command
		if what == "" {
			what = c.Tool + " " + strings.Join(c.Paths, " ")
		}
		if it.record.Kind == string(event.PostToolFailure) {
			what += " ✗ " + c.Error[:min(len(c.Error), 200)]
		}
		out = append(out, what[:min(len(what), 400)])
		if len(out) > 9 {
			break
		}
	}
	return strings.Join(out, "\n      → ")
}

// plainKeys returns the keys for a plain table of fingerprints.
func plainKeys(class event.Class, c eventlog.Call, paths []string) []string {
	if class == event.Shell {
		return cmdline.Keys(c.Command)
	}
	out := []string{"tool " + c.Tool}
	return append(out, paths...)
}

func failureID(f store.KnownFailure) string {
	return strings.Join(append([]string{f.Tool, f.Subject, f.Fingerprint}, f.Trigger...), "\x00")
}

// mostUsed is the popularity baseline.
func (b *replica) mostUsed(given []string) []string { return best(b.popular, given) }

// usedTogether is the baseline of plain counts: pairs of files that sessions used together,
// or that commits changed together.
func usedTogether(pairs map[[2]string]int, given []string) []string {
	scores := map[string]int{}
	for pair, n := range pairs {
		for i, x := range pair {
			if slices.Contains(given, x) {
				scores[pair[1-i]] += n
			}
		}
	}
	return best(scores, given)
}

func best(scores map[string]int, given []string) []string {
	var out []string
	for p := range scores {
		if !slices.Contains(given, p) {
			out = append(out, p)
		}
	}
	slices.SortFunc(out, func(x, y string) int { return cmp.Or(cmp.Compare(scores[y], scores[x]), cmp.Compare(x, y)) })
	return out[:min(10, len(out))]
}

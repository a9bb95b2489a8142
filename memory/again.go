package memory

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"unicode/utf8"

	"manicule/indexer/anchor"
	"manicule/memory/file"
	"manicule/memory/gate"
	"manicule/memory/restate"
	"manicule/memory/store"
)

// Again is what becomes of a memory that says another one again, or contradicts one.
type Again int

// The ways. Nothing is merged that contradicts.
const (
	// MergeAgain merges what is said again into the memory that says it. What contradicts is stored
	// and linked as a conflict.
	MergeAgain Again = iota
	// AskAgain writes nothing if another memory says the same or contradicts; the result names it.
	// A text that is the same word for word is merged.
	AskAgain
	// KeepAgain stores it beside the other.
	KeepAgain
	// ReplaceAgain stores it, and the others are superseded by it.
	ReplaceAgain

	onlyExact // merges nothing but the same words; what contradicts is not linked
)

// Contradiction is a memory that a new one contradicts.
type Contradiction struct {
	UUID   string `json:"uuid"`
	What   string `json:"what"`
	Reason string `json:"reason"` // in what they differ

	personal bool
}

// Apart reports whether the memory is personal and m is shared: then the file of m does not name it.
func (c Contradiction) Apart(m *file.Memory) bool { return c.personal && m.Visibility != file.Personal }

// Cosines returns the similarities of a text with others, in -1 to 1.
type Cosines func(ctx context.Context, text string, others []string) ([]float64, error)

// SetCosines registers the model that recognises what is said again in other words. It must not run
// concurrently with other methods.
func (w *Workspace) SetCosines(f Cosines) { w.dedupe.cosines = f }

func sameOwner(a, b *file.Memory) bool {
	if a.Owner == nil || b.Owner == nil {
		return a.Owner == b.Owner
	}
	return a.Owner.Kind == b.Owner.Kind && a.Owner.ID == b.Owner.ID
}

// mergeable reports whether the words of m may count as those of an existing memory: others see it
// as well, nothing untrusted comes to what is trusted, and what a person says does not vouch for the
// rest of a text that nobody has reviewed.
func mergeable(old, m *file.Memory) bool {
	if !sameOwner(old, m) || old.Visibility == file.Personal && m.Visibility != file.Personal {
		return false
	}
	if m.Trust.Tainted {
		return old.Trust.Tainted || m.Trust.NeedsReview
	}
	return !old.Trust.Tainted && !old.Trust.Unreviewed
}

func everywhere(m *file.Memory) bool { return m.Scope == nil && len(m.Anchors) == 0 }

// covers reports whether a memory is shown at all the code that another one is about. One about the
// whole project is not: it is shown at no place.
func covers(a, b *file.Memory) bool {
	if everywhere(a) || everywhere(b) {
		return everywhere(a) && everywhere(b)
	}
	for _, x := range b.Anchors {
		if !slices.ContainsFunc(a.Anchors, func(y anchor.Anchor) bool {
			return x.Path == y.Path && (y.Kind == anchor.KindFile || x.Symbol == y.Symbol && (x.Symbol != "" || x.Quote == y.Quote))
		}) && !inPatterns(a.Scope, x.Path) {
			return false
		}
	}
	for _, p := range b.Scope {
		if !strings.HasPrefix(p, "!") && !slices.Contains(a.Scope, p) && !inPatterns(a.Scope, strings.TrimSuffix(p, "**")) {
			return false
		}
	}
	return true
}

// inPatterns reports whether a path or folder lies in a folder that one of the patterns names as a
// whole, as "src/**" does.
func inPatterns(patterns []string, path string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		dir, whole := strings.CutSuffix(p, "**")
		return p == path || whole && !strings.ContainsAny(dir, "*?[{!") && strings.HasPrefix(path, dir)
	}) && !slices.ContainsFunc(patterns, func(p string) bool { return strings.HasPrefix(p, "!") })
}

// SayAgain returns the memory beside m that says the same about the same places, and counts that it was said again. It
// returns nil if there is none.
func (w *Workspace) SayAgain(ctx context.Context, m *file.Memory) (*file.Memory, error) {
	row, ok, err := w.dedupe.same(ctx, m)
	if err != nil || !ok {
		return nil, err
	}
	h, err := w.dedupe.hitOf(row)
	if err != nil || h.Memory.UUID == m.UUID {
		return nil, nil //nolint:nilerr // a damaged one is reported as a problem
	}
	w.dedupe.countAgain(ctx, h.Memory.UUID)
	return h.Memory, nil
}

// saver stores memories as active, unless another says the same. It is safe for concurrent use.
type saver struct {
	checks  *checks
	dedupe  *deduper
	usage   store.Usage
	edits   *Edits
	wording *wording
	writer  *fileWriter
	log     *slog.Logger
}

// again decides about a checked memory that says another one again or contradicts one. done is
// false if it is to be stored.
func (s *saver) again(ctx context.Context, m *file.Memory, how Again) (r Result, done bool, err error) {
	k, err := s.dedupe.related(ctx, m)
	if err != nil {
		return r, true, err
	}
	if k.exact && how == onlyExact {
		return duplicate(k.same), true, nil
	}
	switch {
	case how == onlyExact:
		return r, false, nil
	case k.same == nil && len(k.contradicts) == 0:
		return Result{AlsoMine: alsoMine(k)}, false, nil
	case how == ReplaceAgain:
		return Result{}, false, s.dedupe.supersede(ctx, m, k)
	case k.same != nil && (how == MergeAgain || how == AskAgain && k.exact):
		r, err = s.merge(ctx, k.same, m)
		return r, true, err
	case how == AskAgain && k.same != nil:
		return Result{Code: "same", Memory: k.same.Memory, Reason: fmt.Sprintf("memory %s says the same%s: “%s”", k.same.Memory.ShortID(), reachBeside(k.same.Memory, m), k.same.Memory.What)}, true, nil
	case how == AskAgain:
		return Result{Code: "contradicts", Contradicts: k.contradicts, Reason: contradiction(k.contradicts)}, true, nil
	}
	conflict(m, k.contradicts)
	return Result{Contradicts: k.contradicts, AlsoMine: alsoMine(k)}, false, nil
}

// alsoMine is the id of the memory that says the same to its writer alone.
func alsoMine(k kin) string {
	if k.mine == nil {
		return ""
	}
	return k.mine.Memory.ShortID()
}

// reach orders those whom a shared memory is for: everybody who has the repository reads it, but a
// wider one says that it holds beyond it.
var reach = []file.Visibility{file.Personal, file.Project, file.Team, file.Org}

// reachBeside says for whom a memory is, if another is for somebody else.
func reachBeside(h, m *file.Memory) string {
	if h.Visibility == m.Visibility || h.Visibility == file.Personal {
		return ""
	}
	return " for the " + string(h.Visibility)
}

func duplicate(h *Hit) Result {
	return Result{Accepted: true, Memory: h.Memory, Deduped: true, MergedInto: h.Memory.UUID, Code: "duplicate", Reason: "the same is already remembered", Path: h.Path}
}

// conflict links a memory to those that it contradicts. A shared file does not name a personal one.
func conflict(m *file.Memory, list []Contradiction) {
	for _, c := range list {
		if c.Apart(m) {
			continue
		}
		if !slices.ContainsFunc(m.Relations, func(r file.Relation) bool { return r.Memory == c.UUID }) {
			m.Relations = append(m.Relations, file.Relation{Type: conflictsWith, Memory: c.UUID, Confidence: 1, Auto: true})
		}
	}
}

// contradiction says for a person or an agent what is contradicted.
func contradiction(list []Contradiction) string {
	var parts []string
	for _, c := range list {
		parts = append(parts, fmt.Sprintf("memory %s, which says “%s” (%s)", c.UUID[max(0, len(c.UUID)-8):], c.What, c.Reason))
	}
	return "it contradicts " + strings.Join(parts, "; and ")
}

// merge counts that a person said a memory again, and adds what is new.
func (s *saver) merge(ctx context.Context, old *Hit, m *file.Memory) (Result, error) {
	s.dedupe.countAgain(ctx, old.Memory.UUID)
	n, err := s.usage.SaidAgain(ctx, old.Memory.UUID)
	if err != nil {
		s.log.Warn("read how often a memory was said", "err", err)
		n = 1
	}
	where := reachBeside(old.Memory, m)
	if m.Visibility == file.Personal && old.Memory.Visibility != file.Personal || !adds(old.Memory, m, n) {
		r := duplicate(old)
		r.Reason += where
		return r, nil
	}
	r, err := s.edits.ChangeInsisting(ctx, old.Memory.UUID, func(to *file.Memory) error {
		addAgain(to, m, n)
		return nil
	}, "merge", "said again", true) // its words passed the gate
	if err != nil || !r.Accepted {
		return r, err
	}
	r.Deduped, r.MergedInto, r.Code, r.Reason = true, r.Memory.UUID, "duplicate", "the same is already remembered"+where+"; what is new was added"
	return r, nil
}

func adds(old, m *file.Memory, n int) bool {
	now := old.Clone()
	addAgain(now, m, n)
	return now.Why != old.Why || string(now.Details) != string(old.Details) || now.Pinned != old.Pinned || relationNames(now) != relationNames(old) || len(now.Tags) != len(old.Tags) || now.Confidence != old.Confidence || now.Importance != old.Importance || now.ContextLabel != old.ContextLabel || now.Visibility != old.Visibility
}

// addAgain adds to a memory what m, which says the same, has beyond it. n is how often it was said
// again. The confidence becomes the mean of what all said, and never less than it was.
func addAgain(to, m *file.Memory, n int) {
	for _, t := range m.Tags {
		if !slices.Contains(to.Tags, t) && len(to.Tags) < gate.MaxTags {
			to.Tags = append(to.Tags, t)
		}
	}
	if m.Why != "" && !strings.Contains(to.Why, m.Why) && utf8.RuneCountInString(to.Why)+utf8.RuneCountInString(m.Why)+2 <= gate.MaxWhy {
		if v, _ := restate.Read(to.Why).Judge(restate.Read(m.Why)); v != restate.Same {
			to.Why = strings.TrimSpace(to.Why + "\n\n" + m.Why)
		}
	}
	if len(to.Details) == 0 && to.Type == m.Type {
		to.Details = m.Details.Clone()
	}
	to.Pinned = to.Pinned || m.Pinned
	if to.Visibility != file.Personal && slices.Index(reach, m.Visibility) > slices.Index(reach, to.Visibility) {
		to.Visibility = m.Visibility
	}
	for _, r := range m.Relations {
		if !r.Auto && r.Memory != to.UUID {
			_ = AddRelations(to, []file.Relation{r}) // it fails for a relation to itself alone
		}
	}
	to.ContextLabel = cmp.Or(to.ContextLabel, m.ContextLabel)
	if m.Importance.Rank() > to.Importance.Rank() {
		to.Importance = m.Importance
	}
	mean := (to.Confidence*float64(n) + m.Confidence) / float64(n+1)
	to.Confidence = max(to.Confidence, float64(int(mean*100+.5))/100)
}

// supersede makes m supersede what it says again or contradicts. Its own place, type and visibility
// hold; the others stay readable. A shared memory does not supersede a personal one: its file would
// name it.
func (d *deduper) supersede(ctx context.Context, m *file.Memory, k kin) error {
	targets := k.contradicts
	if k.same != nil {
		said, err := d.allSame(ctx, m)
		if err != nil {
			return err
		}
		targets = nil
		for _, h := range append(said, *k.same) {
			targets = append(targets, Contradiction{UUID: h.Memory.UUID, personal: h.Memory.Visibility == file.Personal})
		}
	}
	for _, c := range targets {
		if c.Apart(m) {
			continue
		}
		if err := AddRelations(m, []file.Relation{{Type: "supersedes", Memory: c.UUID, Confidence: 1}}); err != nil {
			return err
		}
	}
	return nil
}

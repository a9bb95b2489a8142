package memory

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"
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

// Cosines returns the similarities of a text with others, in -1 to 1.
type Cosines func(ctx context.Context, text string, others []string) ([]float64, error)

// SetCosines registers the model that recognises what is said again in other words. It must not run
// concurrently with other methods.
func (w *Workspace) SetCosines(f Cosines) { w.cosines = f }

// Limits of the search for what is said again.
const (
	nearRows     = 16              // candidates by words
	meaningLimit = 3 * time.Second // for a model
)

// kin are the memories that a new one relates to.
type kin struct {
	same        *Hit
	exact       bool // word for word, about the same places
	mine        *Hit // says the same to its writer alone, where the new one is for all
	contradicts []Contradiction
}

// related finds the memory that says the same as m, and those that contradict it: first by the
// words and places, then by the words, then by a model. If the database is busy it finds none: a
// duplicate is better than a lost memory.
func (w *Workspace) related(ctx context.Context, m *file.Memory) (k kin, err error) {
	row, ok, err := w.same(ctx, m)
	if err != nil {
		return k, err
	}
	mine := restate.Read(m.What)
	if ok {
		h, err := w.hitOf(row)
		if err != nil {
			return k, err
		}
		switch {
		case restate.Differ(h.Memory.What, m.What) != "":
		case mergeable(h.Memory, m):
			return kin{same: &h, exact: true}, nil
		case onlyMine(h.Memory, m):
			k.mine = &h
		}
	}
	near, err := w.near(ctx, m)
	if err != nil {
		return k, err
	}
	k.add(w.judgeKin(ctx, m, mine, near))
	return k, nil
}

// add adds what was found by the words.
func (k *kin) add(found kin) {
	k.same, k.contradicts = found.same, found.contradicts
	if k.mine == nil {
		k.mine = found.mine
	}
}

// onlyMine reports whether a memory is one that only its writer has, where a new one is for all.
func onlyMine(old, m *file.Memory) bool {
	return old.Visibility == file.Personal && m.Visibility != file.Personal && sameOwner(old, m)
}

// SayAgain returns the memory beside m that says the same about the same places, and counts that it was said again. It
// returns nil if there is none.
func (w *Workspace) SayAgain(ctx context.Context, m *file.Memory) (*file.Memory, error) {
	row, ok, err := w.same(ctx, m)
	if err != nil || !ok {
		return nil, err
	}
	h, err := w.hitOf(row)
	if err != nil || h.Memory.UUID == m.UUID {
		return nil, nil //nolint:nilerr // a damaged one is reported as a problem
	}
	w.countAgain(ctx, h.Memory.UUID)
	return h.Memory, nil
}

func (w *Workspace) hitOf(row store.Row) (Hit, error) {
	m, err := row.Memory()
	return Hit{Memory: m, Path: filepath.Join(w.place.MemoriesDir(), filepath.FromSlash(row.Path))}, err
}

// near returns the memories about the same code that share words with m.
func (w *Workspace) near(ctx context.Context, m *file.Memory) (out []Hit, err error) {
	short, cancel := context.WithTimeout(ctx, noteTimeout)
	defer cancel()
	rows, err := w.rows.Near(short, m.What, nearRows)
	if err != nil {
		if ctx.Err() == nil {
			w.log.Warn("look for a memory that says the same", "err", err)
			err = nil
		}
		return nil, err
	}
	for _, r := range rows {
		h, err := w.hitOf(r)
		if err != nil || h.Memory.UUID == m.UUID || len(h.Memory.Conflict) > 0 {
			continue // a damaged one is reported as a problem
		}
		if sameOwner(h.Memory, m) && (everywhere(h.Memory) || everywhere(m) || covers(h.Memory, m) || covers(m, h.Memory)) {
			out = append(out, h)
		}
	}
	return out, nil
}

// judgeKin decides which of some memories say the same as m or contradict it.
func (w *Workspace) judgeKin(ctx context.Context, m *file.Memory, mine *restate.Text, near []Hit) (k kin) {
	words := restate.WordSet(m.What)
	var open []Hit // for a model to judge
	for i, h := range near {
		verdict, why := restate.Other, ""
		if restate.MayRelate(words, restate.WordSet(h.Memory.What)) {
			verdict, why = mine.Judge(restate.Read(h.Memory.What))
		}
		switch {
		case verdict == restate.Corrects:
			if !supersedes(m, h.Memory) {
				k.contradicts = append(k.contradicts, Contradiction{h.Memory.UUID, h.Memory.What, why, h.Memory.Visibility == file.Personal})
			}
		case verdict == restate.Same && onlyMine(h.Memory, m) && covers(m, h.Memory):
			k.mine = &near[i]
		case !mergeable(h.Memory, m) || !covers(h.Memory, m):
		case verdict == restate.Same && k.same == nil:
			k.same = &near[i]
		case why == "":
			open = append(open, h)
		}
	}
	if k.same == nil && len(k.contradicts) == 0 {
		k.same = w.byMeaning(ctx, m, mine, open)
	}
	if k.same != nil {
		k.contradicts = nil // the memory that says it exists beside them
	}
	return k
}

// supersedes reports whether a memory names another as superseded.
func supersedes(m, other *file.Memory) bool {
	return slices.ContainsFunc(m.Relations, func(r file.Relation) bool { return r.Memory == other.UUID })
}

// byMeaning returns the memory whose meaning is nearest to m, if it is near enough. Without a model
// it returns nil.
func (w *Workspace) byMeaning(ctx context.Context, m *file.Memory, mine *restate.Text, open []Hit) *Hit {
	if w.cosines == nil || len(open) == 0 {
		return nil
	}
	texts := make([]string, len(open))
	for i, h := range open {
		texts[i] = h.Memory.What
	}
	short, cancel := context.WithTimeout(ctx, meaningLimit)
	defer cancel()
	found, err := w.cosines(short, m.What, texts)
	if err != nil {
		w.log.Warn("look for a memory of the same meaning", "err", err)
		return nil
	}
	best := -1
	for i, c := range found {
		if c >= restate.Cosine && (best < 0 || c > found[best]) && mine.Differ(restate.Read(texts[i])) == "" {
			best = i
		}
	}
	if best < 0 {
		return nil
	}
	return &open[best]
}

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

// again decides about a checked memory that says another one again or contradicts one. done is
// false if it is to be stored.
func (w *Workspace) again(ctx context.Context, m *file.Memory, how Again) (r Result, done bool, err error) {
	k, err := w.related(ctx, m)
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
		return Result{}, false, supersede(m, k)
	case k.same != nil && (how == MergeAgain || how == AskAgain && k.exact):
		r, err = w.mergeAgain(ctx, k.same, m)
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
		if c.personal && m.Visibility != file.Personal {
			continue
		}
		if !slices.ContainsFunc(m.Relations, func(r file.Relation) bool { return r.Memory == c.UUID }) {
			m.Relations = append(m.Relations, file.Relation{Type: "conflicts_with", Memory: c.UUID, Confidence: 1, Auto: true})
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

// mergeAgain counts that a person said a memory again, and adds what is new.
func (w *Workspace) mergeAgain(ctx context.Context, old *Hit, m *file.Memory) (Result, error) {
	w.countAgain(ctx, old.Memory.UUID)
	n, err := w.state.Said(ctx, old.Memory.UUID)
	if err != nil {
		w.log.Warn("read how often a memory was said", "err", err)
		n = 1
	}
	where := reachBeside(old.Memory, m)
	if m.Visibility == file.Personal && old.Memory.Visibility != file.Personal || !adds(old.Memory, m, n) {
		r := duplicate(old)
		r.Reason += where
		return r, nil
	}
	r, err := w.EditInsisting(ctx, old.Memory.UUID, func(to *file.Memory) error {
		addAgain(to, m, n)
		return nil
	}, "merge", "said again", true) // its words passed the gate
	if err != nil || !r.Accepted {
		return r, err
	}
	r.Deduped, r.MergedInto, r.Code, r.Reason = true, r.Memory.UUID, "duplicate", "the same is already remembered"+where+"; what is new was added"
	return r, nil
}

func (w *Workspace) countAgain(ctx context.Context, uuid string) {
	if err := w.state.SaidAgain(ctx, uuid); err != nil {
		w.log.Warn("count what is said again", "uuid", uuid, "err", err)
	}
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
func supersede(m *file.Memory, k kin) error {
	targets := k.contradicts
	if k.same != nil {
		targets = []Contradiction{{UUID: k.same.Memory.UUID, personal: k.same.Memory.Visibility == file.Personal}}
	}
	for _, c := range targets {
		if c.personal && m.Visibility != file.Personal {
			continue
		}
		if err := AddRelations(m, []file.Relation{{Type: "supersedes", Memory: c.UUID, Confidence: 1}}); err != nil {
			return err
		}
	}
	return nil
}

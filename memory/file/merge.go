package file

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"manicule/indexer/anchor"
	"manicule/indexer/sorting"
)

// ErrOtherMemory is returned for a merge of two different memories.
var ErrOtherMemory = errors.New("the two files are not versions of one memory")

// Merge combines two versions of a memory that were changed apart. base is the
// version that both come from, nil where nobody knows it. None of the three is
// changed, and the result is the same whichever side comes first.
//
// A member that one side changed is as that side has it. Sets (tags, anchors,
// relations, sessions) get what either side added and lose what either removed.
// Of two weights the more careful one is kept: the lower confidence, the less
// trusted origin, the narrower visibility. Where both sides changed what the memory
// says, the newer side's words lead and the other's are kept in Conflict.
func Merge(base, a, b *Memory) (*Memory, error) {
	if a.UUID != b.UUID {
		return nil, fmt.Errorf("%w: %s and %s", ErrOtherMemory, a.UUID, b.UUID)
	}
	hashA, err := a.Hash()
	if err != nil {
		return nil, err
	}
	hashB, err := b.Hash()
	if err != nil {
		return nil, err
	}
	baseHash, known := "", base != nil
	if !known {
		base = &Memory{Confidence: -1, Trust: Trust{Origin: "none"}} // neither side has these
	} else if baseHash, err = base.Hash(); err != nil {
		return nil, err
	}
	switch {
	case hashA == hashB, hashB == baseHash, covers(a, b, hashB, known):
		return a.Clone(), nil
	case hashA == baseHash, covers(b, a, hashA, known):
		return b.Clone(), nil
	}
	lead, other, leadHash, otherHash := a, b, hashA, hashB
	if cmp.Or(a.UpdatedAt.Compare(b.UpdatedAt.Time), a.Lineage.Version-b.Lineage.Version, cmp.Compare(hashA, hashB)) < 0 {
		lead, other, leadHash, otherHash = b, a, hashB, hashA
	}
	m := lead.Clone()
	mergeStatement(m, base, lead, other)
	mergeSets(m, base, lead, other)
	mergeWeights(m, base, lead, other)
	mergeOrigin(m, base, lead, other)
	m.Lineage.Version = max(a.Lineage.Next(), b.Lineage.Next())
	m.Lineage.Parent, m.Lineage.Merged = leadHash, []string{otherHash}
	m.Lineage.ChangeKind, m.Lineage.ChangeNote, m.Lineage.WordsBy = "merge", "", ""
	author := wordsBy(lead) // also of words that are of both
	if saysAs(m, other) && !saysAs(m, lead) {
		author = wordsBy(other)
	}
	creditWords(m, author)
	if other.CreatedAt.Before(m.CreatedAt.Time) {
		m.CreatedAt = other.CreatedAt
	}
	m.Extra = MergeMembers(base.Extra, lead.Extra, other.Extra)
	m.Lineage.Extra = MergeMembers(base.Lineage.Extra, lead.Lineage.Extra, other.Lineage.Extra)
	for _, x := range []struct {
		side *Memory
		hash string // of the other side
	}{{lead, otherHash}, {other, leadHash}} {
		if x.side.Lineage.follows(x.hash) && sameContent(m, x.side) { // merged before, and nothing was left out
			return x.side.Clone(), nil
		}
	}
	return m, nil
}

// covers reports whether m has all that other has. Who edits a version has read it. A merge may have
// followed a base that only one side came from, as git's cherry-pick does: then it took the other
// side's words for new ones, though nobody replaced those that it left out.
func covers(m, other *Memory, hash string, baseKnown bool) bool {
	if !m.Lineage.follows(hash) {
		return false
	}
	if !baseKnown || m.Lineage.ChangeKind != "merge" {
		return true
	}
	has := map[string]bool{}
	for _, v := range m.Versions() {
		has[v.textKey()] = true
	}
	return !slices.ContainsFunc(other.Versions(), func(v Version) bool { return !has[v.textKey()] })
}

// sameContent reports whether two versions differ in nothing but their history.
func sameContent(x, y *Memory) bool {
	x, y = x.Clone(), y.Clone()
	x.Lineage, y.Lineage, x.UpdatedAt, y.UpdatedAt = Lineage{}, Lineage{}, Time{}, Time{}
	return sameEncoded(x, y)
}

// follows reports whether a version was made from the one with a hash, in one step.
func (l Lineage) follows(hash string) bool {
	return l.Parent == hash || slices.Contains(l.Merged, hash)
}

// pick returns the side that differs from base; lead where both do.
func pick[T any](base, lead, other T, equal func(x, y T) bool) T {
	if equal(lead, base) {
		return other
	}
	return lead
}

func same[T comparable](x, y T) bool { return x == y }

// collide reports whether both sides changed a value, and not to the same.
func collide[T any](base, lead, other T, equal func(x, y T) bool) bool {
	return !equal(lead, base) && !equal(other, base) && !equal(lead, other)
}

// sameJSON compares two JSON values, or two values by their JSON.
func sameJSON(x, y jsontext.Value) bool { return bytes.Equal(canonical(x), canonical(y)) }

func canonical(v jsontext.Value) jsontext.Value {
	c := v.Clone()
	if len(c) == 0 || c.Canonicalize() != nil {
		return v
	}
	return c
}

// encoded is a value's JSON, by which values without an order of their own are
// compared.
func encoded(v any) jsontext.Value {
	b, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		panic(fmt.Sprintf("a member of a memory does not marshal: %v", err)) // they were read from JSON, or are plain structs
	}
	return canonical(b)
}

func sameEncoded[T any](x, y T) bool { return bytes.Equal(encoded(x), encoded(y)) }

// sameScope holds only for equal lists; a list and the whole project never combine.
func sameScope(x, y Scope) bool { return (x == nil) == (y == nil) && slices.Equal(x, y) }

// mergeStatement merges what a memory says and where.
func mergeStatement(m, base, lead, other *Memory) {
	scopes := (lead.Scope == nil) != (other.Scope == nil) && collide(base.Scope, lead.Scope, other.Scope, sameScope)
	both := mergeSet(base.Scope, lead.Scope, other.Scope, func(s string) string { return s })
	scopes = scopes || collide(base.Scope, lead.Scope, other.Scope, sameScope) && !slices.ContainsFunc(both, func(s string) bool { return !strings.HasPrefix(s, "!") })
	// Two people who resolved a conflict apart, each for other words, have one again.
	resolved := versionOf(lead).textKey() != versionOf(other).textKey() && dropped(base.Conflict, lead.Conflict) && dropped(base.Conflict, other.Conflict)
	open := mergeSet(base.Conflict, lead.Conflict, other.Conflict, Version.textKey)
	isReplaced := func(v Version) bool { return replaced(v.textKey(), base, lead, other) }
	// What one side replaced meets what the other has beside it, though no member collides.
	beside := versionOf(lead).textKey() != versionOf(other).textKey() && slices.ContainsFunc(open, isReplaced)
	m.Conflict = nil
	if scopes || resolved || beside || collide(base.What, lead.What, other.What, same) || collide(base.Why, lead.Why, other.Why, same) ||
		collide(base.Type, lead.Type, other.Type, same) || collide(base.ContextLabel, lead.ContextLabel, other.ContextLabel, same) ||
		collide(base.Details, lead.Details, other.Details, sameJSON) {
		m.Conflict = []Version{versionOf(other)} // the lead's words stay together
	} else {
		m.What = pick(base.What, lead.What, other.What, same)
		m.Why = pick(base.Why, lead.Why, other.Why, same)
		m.ContextLabel = pick(base.ContextLabel, lead.ContextLabel, other.ContextLabel, same)
		m.Details = pick(base.Details, lead.Details, other.Details, sameJSON)
		if m.Type = pick(base.Type, lead.Type, other.Type, same); m.Type != lead.Type {
			m.Layer = other.Layer
		} else {
			m.Layer = pick(base.Layer, lead.Layer, other.Layer, same)
		}
		if collide(base.Scope, lead.Scope, other.Scope, sameScope) {
			m.Scope = both
		} else {
			m.Scope = pick(base.Scope, lead.Scope, other.Scope, sameScope)
		}
	}
	said := versionOf(m).textKey()
	for _, v := range open {
		if key := v.textKey(); key != said && !isReplaced(v) && !slices.ContainsFunc(m.Conflict, func(x Version) bool { return x.textKey() == key }) {
			m.Conflict = append(m.Conflict, v)
		}
	}
	sorting.Func(m.Conflict, func(x, y Version) int {
		return cmp.Or(y.UpdatedAt.Compare(x.UpdatedAt.Time), cmp.Compare(x.textKey(), y.textKey()))
	})
}

// replaced reports whether the words of a version that one side has open are those of the base, which the other side replaced by
// its own: a rebase applies the edits of one author one after the other, and merges the first before it comes to the second.
func replaced(key string, base, lead, other *Memory) bool {
	if key != versionOf(base).textKey() {
		return false
	}
	for _, side := range []*Memory{lead, other} {
		if !slices.ContainsFunc(side.Versions(), func(v Version) bool { return v.textKey() == key }) {
			return true
		}
	}
	return false
}

// dropped reports whether a side has ended a conflict of the base.
func dropped(base, side []Version) bool {
	return slices.ContainsFunc(base, func(b Version) bool {
		return !slices.ContainsFunc(side, func(v Version) bool { return v.textKey() == b.textKey() })
	})
}

// versionOf is what a memory says, as one of several versions.
func versionOf(m *Memory) Version {
	return Version{Type: m.Type, What: m.What, Why: m.Why, Scope: slices.Clone(m.Scope), ContextLabel: m.ContextLabel,
		Details: m.Details.Clone(), Contributor: wordsBy(m), UpdatedAt: m.UpdatedAt}
}

// wordsBy is who wrote what a memory says: who made its version, unless that only changed something else, such as
// its tags.
func wordsBy(m *Memory) string { return cmp.Or(m.Lineage.WordsBy, m.Lineage.By, m.Contributor) }

// creditWords notes who wrote what a memory says, where that is not who made its version.
func creditWords(m *Memory, author string) {
	if m.Lineage.WordsBy = ""; author != wordsBy(m) {
		m.Lineage.WordsBy = author
	}
}

// KeepAuthor notes in the next version of a memory who wrote what it says: the same person as before if the words
// are the same, and who wrote them if they are those of a version of a conflict.
func KeepAuthor(m, old *Memory) {
	m.Lineage.WordsBy = ""
	for _, v := range old.Versions() {
		if versionOf(m).textKey() == v.textKey() {
			creditWords(m, v.Contributor)
			return
		}
	}
}

// saysAs reports whether two versions say the same, whoever wrote them and when.
func saysAs(x, y *Memory) bool { return versionOf(x).textKey() == versionOf(y).textKey() }

// TakeVersion has a memory say what one of its versions says.
func (m *Memory) TakeVersion(v Version) {
	if m.Type != v.Type {
		m.Type, m.Layer = v.Type, v.Type.DefaultLayer(v.Scope != nil || len(m.Anchors) > 0)
	}
	m.What, m.Why, m.Scope, m.ContextLabel, m.Details = v.What, v.Why, slices.Clone(v.Scope), v.ContextLabel, v.Details.Clone()
}

// textKey is equal for versions that say the same, whoever wrote them and when.
func (v Version) textKey() string {
	if v.Deleted { // whatever it said before
		return "deleted"
	}
	v.Contributor, v.UpdatedAt, v.Extra = "", Time{}, nil
	return string(encoded(v))
}

// mergeSet has what either side added, without what either removed, in the lead's
// order and then the other's.
func mergeSet[T any](base, lead, other []T, key func(T) string) []T {
	has := func(list []T, k string) bool { return slices.ContainsFunc(list, func(x T) bool { return key(x) == k }) }
	var out []T
	for _, x := range lead {
		if k := key(x); has(other, k) || !has(base, k) {
			out = append(out, x)
		}
	}
	for _, x := range other {
		if k := key(x); !has(lead, k) && !has(base, k) {
			out = append(out, x)
		}
	}
	return out
}

// mergeSets merges the members that are lists without an order that matters.
func mergeSets(m, base, lead, other *Memory) {
	m.Tags = mergeSet(base.Tags, lead.Tags, other.Tags, func(s string) string { return s })
	m.Anchors = mergeSet(base.Anchors, lead.Anchors, other.Anchors, func(a anchor.Anchor) string {
		return a.Path + "#" + a.Symbol + "\x00" + a.Quote
	})
	for i, x := range m.Anchors { // one that both have: whoever changed its fingerprints knows better
		at := func(list []anchor.Anchor) *anchor.Anchor {
			for j := range list {
				if list[j].Path == x.Path && list[j].Symbol == x.Symbol && list[j].Quote == x.Quote {
					return &list[j]
				}
			}
			return nil
		}
		if b, o := at(base.Anchors), at(other.Anchors); b != nil && o != nil {
			m.Anchors[i] = pick(*b, x, *o, sameEncoded)
		}
	}
	m.Relations = mergeSet(base.Relations, lead.Relations, other.Relations, func(r Relation) string {
		return r.Type + "\x00" + r.Memory + "\x00" + r.File
	})
}

// mergeWeights merges how much a memory counts.
func mergeWeights(m, base, lead, other *Memory) {
	m.Pinned = pick(base.Pinned, lead.Pinned, other.Pinned, same)
	m.HalfLifeDays = pick(base.HalfLifeDays, lead.HalfLifeDays, other.HalfLifeDays, sameEncoded)
	m.Confidence = pickCautious(base.Confidence, lead.Confidence, other.Confidence, func(x, y float64) bool { return x < y })
	m.Importance = pickCautious(base.Importance, lead.Importance, other.Importance, func(x, y Importance) bool { return rank(Importances(), x) > rank(Importances(), y) })
	m.Visibility = pickCautious(base.Visibility, lead.Visibility, other.Visibility, func(x, y Visibility) bool { return rank(Visibilities(), x) < rank(Visibilities(), y) })
	m.Trust.Origin = pickCautious(base.Trust.Origin, lead.Trust.Origin, other.Trust.Origin, func(x, y Origin) bool { return rank(Origins(), x) > rank(Origins(), y) })
}

// pickCautious is pick, but where both sides changed the value it is the one that comes
// before the other.
func pickCautious[T comparable](base, lead, other T, before func(x, y T) bool) T {
	if collide(base, lead, other, same) {
		if before(other, lead) {
			return other
		}
		return lead
	}
	return pick(base, lead, other, same)
}

// rank is a value's place in its list; what is in no list comes last.
func rank[T comparable](list []T, x T) int {
	if i := slices.Index(list, x); i >= 0 {
		return i
	}
	return len(list)
}

// mergeOrigin merges where a memory comes from and who stands for it.
func mergeOrigin(m, base, lead, other *Memory) {
	m.Owner = pick(base.Owner, lead.Owner, other.Owner, sameEncoded)
	m.Contributor = pick(base.Contributor, lead.Contributor, other.Contributor, same)
	m.Source = pick(base.Source, lead.Source, other.Source, same)
	m.GeneratedBy = pick(base.GeneratedBy, lead.GeneratedBy, other.GeneratedBy, sameEncoded)
	m.Provenance = mergeProvenance(base.Provenance, lead.Provenance, other.Provenance)
	t, b, l, o := &m.Trust, base.Trust, lead.Trust, other.Trust
	t.Tainted = pick(b.Tainted, l.Tainted, o.Tainted, same)
	t.NeedsReview = pick(b.NeedsReview, l.NeedsReview, o.NeedsReview, same)
	t.Citation = pick(b.Citation, l.Citation, o.Citation, same)
	verified := func(t Trust) Trust { return Trust{VerifiedBy: t.VerifiedBy, VerifiedAt: t.VerifiedAt} }
	v := pick(verified(b), verified(l), verified(o), sameEncoded)
	t.VerifiedBy, t.VerifiedAt = v.VerifiedBy, v.VerifiedAt
	// A confirmation of other words says nothing of these.
	if now := versionOf(m).textKey(); t.VerifiedBy != "" && (sameEncoded(v, verified(l)) && now != versionOf(lead).textKey() || !sameEncoded(v, verified(l)) && now != versionOf(other).textKey()) {
		t.VerifiedBy, t.VerifiedAt = "", nil
	}
	// Each view of a dispute stands for itself: who disputes on one side does not withdraw what
	// another said on the other.
	var views Trust
	views.SetViews(mergeSet(b.Views(), l.Views(), o.Views(), func(d Dispute) string { return string(encoded(d)) }))
	views.SetViews(views.Views()) // in their order, whichever side leads
	t.DisputedBy, t.DisputedAt, t.DisputeNote, t.Disputes = views.DisputedBy, views.DisputedAt, views.DisputeNote, views.Disputes
	t.Deprecated = pick(b.Deprecated, l.Deprecated, o.Deprecated, sameEncoded)
	t.Extra = MergeMembers(b.Extra, l.Extra, o.Extra)
}

func mergeProvenance(base, lead, other *Provenance) *Provenance {
	if lead == nil || other == nil || base == nil {
		base = cmp.Or(base, &Provenance{})
		if lead == nil && other == nil {
			return nil
		}
		lead, other = cmp.Or(lead, &Provenance{}), cmp.Or(other, &Provenance{})
	}
	p := *lead
	p.Session = pick(base.Session, lead.Session, other.Session, sameEncoded)
	p.Commit = pick(base.Commit, lead.Commit, other.Commit, sameEncoded)
	p.Branch = pick(base.Branch, lead.Branch, other.Branch, sameEncoded)
	p.Work = pick(base.Work, lead.Work, other.Work, sameEncoded)
	p.Methodology = pick(base.Methodology, lead.Methodology, other.Methodology, sameEncoded)
	p.Import = pick(base.Import, lead.Import, other.Import, sameEncoded)
	p.Sessions = mergeSet(base.Sessions, lead.Sessions, other.Sessions, func(s string) string { return s })
	p.Extra = MergeMembers(base.Extra, lead.Extra, other.Extra)
	return &p
}

// MergeMembers merges the members of JSON objects that this version does not know:
// each by itself, the lead's where both sides changed one.
func MergeMembers(base, lead, other jsontext.Value) jsontext.Value {
	if sameJSON(lead, other) {
		return lead
	}
	read := func(v jsontext.Value) map[string]jsontext.Value {
		members := map[string]jsontext.Value{}
		if len(v) > 0 && json.Unmarshal(v, &members) != nil {
			return map[string]jsontext.Value{}
		}
		return members
	}
	b, l, o := read(base), read(lead), read(other)
	out := map[string]jsontext.Value{}
	for _, members := range []map[string]jsontext.Value{l, o} {
		for name := range members {
			if v := pick(b[name], l[name], o[name], sameJSON); len(v) > 0 {
				out[name] = v
			}
		}
	}
	if len(out) == 0 {
		return nil
	}
	return encoded(out)
}

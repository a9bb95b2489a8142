package consolidate

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"manicule/indexer/anchor"
	"manicule/memory"
	"manicule/memory/file"
	"manicule/memory/gate"
	"manicule/memory/retrieve"
)

// better orders memories by which one is kept: the most trusted, then the most confident, then the
// newest. Verification by a person adds trust.
func better(a, b memory.Hit) int {
	ta, tb := a.Memory.Trust, b.Memory.Trust
	return cmp.Or(
		file.TrueFirst(ta.VerifiedBy != "", tb.VerifiedBy != ""),
		cmp.Compare(retrieve.Trust(tb.Origin), retrieve.Trust(ta.Origin)),
		cmp.Compare(b.Confidence(), a.Confidence()),
		b.Memory.UpdatedAt.Compare(a.Memory.UpdatedAt.Time),
		cmp.Compare(a.Memory.UUID, b.Memory.UUID),
	)
}

// merge adds to the kept memory what the others have and it lacks. Its text stays unchanged. The
// best of the others comes first.
func merge(kept *file.Memory, others []*file.Memory) {
	everywhere := kept.Scope == nil && len(kept.Anchors) == 0
	for _, o := range others {
		kept.Tags = tags(kept.Tags, o.Tags)
		kept.ContextLabel = cmp.Or(kept.ContextLabel, o.ContextLabel)
		if kept.Why == "" && o.Why != "" {
			kept.Why = o.Why
		}
		if !everywhere {
			kept.Scope = union(kept.Scope, o.Scope)
			for _, a := range o.Anchors {
				if !slices.ContainsFunc(kept.Anchors, func(x anchor.Anchor) bool { return sameAnchor(x, a) }) {
					kept.Anchors = append(kept.Anchors, a)
				}
			}
		}
		if o.Importance.Rank() > kept.Importance.Rank() {
			kept.Importance = o.Importance
		}
		kept.Confidence = max(kept.Confidence, o.Confidence)
		kept.Pinned = kept.Pinned || o.Pinned
		kept.Trust.Citation = cmp.Or(kept.Trust.Citation, o.Trust.Citation)
		for _, r := range o.Relations {
			if !slices.ContainsFunc(kept.Relations, func(x file.Relation) bool { return x.Type == r.Type && x.Memory == r.Memory && x.File == r.File }) {
				kept.Relations = append(kept.Relations, r)
			}
		}
		if len(kept.Details) == 0 {
			kept.Details = o.Details
		}
		evidence(kept, o)
	}
}

// evidence adds the sessions, the commit and the import of another memory.
func evidence(kept, o *file.Memory) {
	if o.Provenance == nil {
		return
	}
	if kept.Provenance == nil {
		kept.Provenance = &file.Provenance{}
	}
	p, q := kept.Provenance, o.Provenance
	own := ""
	if p.Session != nil {
		own = *p.Session
	}
	for _, s := range sessions(q) {
		if s != own && !slices.Contains(p.Sessions, s) {
			p.Sessions = append(p.Sessions, s)
		}
	}
	if p.Commit == nil {
		p.Commit = q.Commit
	}
	if p.Import == nil {
		p.Import = q.Import
	}
}

func sessions(p *file.Provenance) []string {
	if p == nil {
		return nil
	}
	if p.Session == nil {
		return p.Sessions
	}
	return union([]string{*p.Session}, p.Sessions)
}

// tags is union up to the maximum number of tags, beyond which the memory could not be written. The
// kept memory's tags come first, then those of the best.
func tags(a, b []string) []string {
	all := union(a, b)
	return all[:min(len(all), max(len(a), gate.MaxTags))]
}

// union appends to a what it lacks of b, in order.
func union[S ~[]string](a, b S) S {
	out := slices.Clone(a)
	for _, x := range b {
		if !slices.Contains(out, x) {
			out = append(out, x)
		}
	}
	return out
}

func sameAnchor(a, b anchor.Anchor) bool {
	return a.Kind == b.Kind && a.Path == b.Path && a.Symbol == b.Symbol && a.Ordinal == b.Ordinal && a.Quote == b.Quote
}

// adds lists what the kept memory gains.
func adds(old, now *file.Memory) []memory.Field {
	out := []memory.Field{}
	add := func(name, a, b string) {
		if a != b {
			out = append(out, memory.Field{Name: name, Old: a, New: b})
		}
	}
	list := func(s []string) string { return strings.Join(s, ", ") }
	number := func(x float64) string { return strconv.FormatFloat(x, 'g', 3, 64) }
	add("why", old.Why, now.Why)
	add("scope", list(old.Scope), list(now.Scope))
	add("anchors", list(places(old)), list(places(now)))
	add("tags", list(old.Tags), list(now.Tags))
	add("label", old.ContextLabel, now.ContextLabel)
	add("importance", string(old.Importance), string(now.Importance))
	add("confidence", number(old.Confidence), number(now.Confidence))
	add("pinned", yes(old.Pinned), yes(now.Pinned))
	add("citation", old.Trust.Citation, now.Trust.Citation)
	add("relations", relations(old), relations(now))
	add("details", string(old.Details), string(now.Details))
	add("sessions", list(sessions(old.Provenance)), list(sessions(now.Provenance)))
	add("commit", commit(old), commit(now))
	add("import", imported(old), imported(now))
	return out
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return ""
}

func places(m *file.Memory) []string {
	return memory.Hit{Memory: &file.Memory{Anchors: m.Anchors}}.Where()
}

func relations(m *file.Memory) string {
	var out []string
	for _, r := range m.Relations {
		out = append(out, r.Type+" "+cmp.Or(r.Memory, r.File))
	}
	return strings.Join(out, ", ")
}

func commit(m *file.Memory) string {
	if m.Provenance == nil || m.Provenance.Commit == nil {
		return ""
	}
	return *m.Provenance.Commit
}

func imported(m *file.Memory) string {
	if m.Provenance == nil || m.Provenance.Import == nil {
		return ""
	}
	return m.Provenance.Import.File + ":" + strconv.Itoa(m.Provenance.Import.Line)
}

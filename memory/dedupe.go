package memory

import (
	"context"
	"log/slog"
	"path/filepath"
	"slices"
	"time"

	"manicule/memory/file"
	"manicule/memory/restate"
	"manicule/memory/store"
)

// deduper finds the memories that say the same as a new one, or contradict it. It is safe for concurrent use.
type deduper struct {
	dir     string // of the memory files
	rows    *store.Memories
	again   repeats
	cosines Cosines // nil without a model; set before the first write
	log     *slog.Logger

	patience time.Duration // with a busy database
}

// repeats counts what is said again. [store.Usage] keeps it.
type repeats interface {
	CountSaidAgain(ctx context.Context, uuid string) error
}

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
func (d *deduper) related(ctx context.Context, m *file.Memory) (k kin, err error) {
	row, ok, err := d.same(ctx, m)
	if err != nil {
		return k, err
	}
	mine := restate.Read(m.What)
	if ok {
		h, err := d.hitOf(row)
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
	near, err := d.near(ctx, m)
	if err != nil {
		return k, err
	}
	k.add(d.judgeKin(ctx, m, mine, near))
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

func (d *deduper) hitOf(row store.Row) (Hit, error) {
	m, err := row.Memory()
	return Hit{Memory: m, Path: filepath.Join(d.dir, filepath.FromSlash(row.Path))}, err
}

// near returns the memories about the same code that share words with m.
func (d *deduper) near(ctx context.Context, m *file.Memory) (out []Hit, err error) {
	short, cancel := context.WithTimeout(ctx, d.patience)
	defer cancel()
	rows, err := d.rows.Near(short, m.What, nearRows)
	if err != nil {
		if ctx.Err() == nil {
			d.log.Warn("look for a memory that says the same", "err", err)
			err = nil
		}
		return nil, err
	}
	for _, r := range rows {
		h, err := d.hitOf(r)
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
func (d *deduper) judgeKin(ctx context.Context, m *file.Memory, mine *restate.Text, near []Hit) (k kin) {
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
		k.same = d.byMeaning(ctx, m, mine, open)
	}
	if k.same != nil {
		k.contradicts = nil // the memory that says it exists beside them
	}
	return k
}

// allSame finds by their words all memories that say the same as m: some may have been kept beside each other.
func (d *deduper) allSame(ctx context.Context, m *file.Memory) (out []Hit, err error) {
	near, err := d.near(ctx, m)
	if err != nil {
		return nil, err
	}
	mine := restate.Read(m.What)
	for _, h := range near {
		if verdict, _ := mine.Judge(restate.Read(h.Memory.What)); verdict == restate.Same && mergeable(h.Memory, m) && covers(h.Memory, m) {
			out = append(out, h)
		}
	}
	return out, nil
}

// supersedes reports whether a memory names another as superseded.
func supersedes(m, other *file.Memory) bool {
	return slices.ContainsFunc(m.Relations, func(r file.Relation) bool { return r.Memory == other.UUID })
}

// byMeaning returns the memory whose meaning is nearest to m, if it is near enough. Without a model
// it returns nil.
func (d *deduper) byMeaning(ctx context.Context, m *file.Memory, mine *restate.Text, open []Hit) *Hit {
	if d.cosines == nil || len(open) == 0 {
		return nil
	}
	texts := make([]string, len(open))
	for i, h := range open {
		texts[i] = h.Memory.What
	}
	short, cancel := context.WithTimeout(ctx, meaningLimit)
	defer cancel()
	found, err := d.cosines(short, m.What, texts)
	if err != nil {
		d.log.Warn("look for a memory of the same meaning", "err", err)
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

// same finds a memory that says the same. If the database is busy it gives up: a duplicate is
// better than a lost memory.
func (d *deduper) same(ctx context.Context, m *file.Memory) (store.Row, bool, error) {
	short, cancel := context.WithTimeout(ctx, d.patience)
	defer cancel()
	row, ok, err := d.rows.ByDedupeKey(short, m.DedupeKey())
	if err != nil && ctx.Err() == nil {
		d.log.Warn("look for a memory that says the same", "err", err)
		return store.Row{}, false, nil
	}
	return row, ok, err
}

// countAgain notes that a memory was said again.
func (d *deduper) countAgain(ctx context.Context, uuid string) {
	if err := d.again.CountSaidAgain(ctx, uuid); err != nil {
		d.log.Warn("count what is said again", "uuid", uuid, "err", err)
	}
}

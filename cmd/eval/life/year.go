package life

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"manicule/memory"
	"manicule/memory/file"
	"manicule/memory/life"
	"manicule/memory/services"
)

// Options say what is played.
type Options struct {
	Days   int
	Seed   uint64
	Driver string // git's merge driver
}

// fact is a memory with what only the play knows of it: how often somebody needs it.
type fact struct {
	uuid    string
	kind    file.Type
	tied    bool // to a symbol
	pinned  bool
	every   int // days between uses, 0 for never
	written int // day
	fate    life.Tier
	reason  string
	gone    int // day of its archival
	last    float64
}

// day is what one clone has at the end of a day.
type day struct{ kept, active, fading, archived int }

// Year is what was played.
type Year struct {
	o         Options
	rng       *rand.Rand
	at        time.Time
	clones    []*clone
	facts     []*fact
	days      []day
	sweeps    int
	conflicts int
	edits     int
	uses      int
}

const packages = 8

// symbol is the function that a memory may be tied to.
func symbol(pkg, n int) (path, text string) {
	path = fmt.Sprintf("src/p%d/f%d.go", pkg, n)
	return path, fmt.Sprintf("package p%d\n\n// Step%d is one step of %d.\nfunc Step%d(in []int) int {\n\tsum := %d\n\tfor _, x := range in {\n\t\tsum += x * %d\n\t}\n\treturn sum\n}\n", pkg, n, pkg, n, n, n+3)
}

// play plays the days.
func play(ctx context.Context, o Options) (y *Year, err error) {
	y = &Year{o: o, rng: rand.New(rand.NewPCG(o.Seed, 22)), at: time.Date(2025, 1, 6, 9, 0, 0, 0, time.UTC)}
	dir, err := os.MkdirTemp("", "manicule-year-*")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, y.close(), os.RemoveAll(dir)) }()
	if err := y.found(ctx, dir); err != nil {
		return nil, err
	}
	for d := range o.Days {
		if err := y.day(ctx, d); err != nil {
			return nil, fmt.Errorf("day %d: %w", d, err)
		}
	}
	if err := y.judge(ctx); err != nil {
		return nil, err
	}
	return y, nil
}

func (y *Year) close() error {
	var errs []error
	for _, c := range y.clones {
		errs = append(errs, c.w.Close())
	}
	return errors.Join(errs...)
}

func (y *Year) now() time.Time { return y.at }

// found makes the repository and its clones.
func (y *Year) found(ctx context.Context, dir string) error {
	first := &clone{person: "ana", dir: filepath.Join(dir, "first"), home: dir, now: y.now}
	if err := os.MkdirAll(first.dir, 0o755); err != nil {
		return err
	}
	err := errors.Join(first.git(ctx, "init", "-q", "-b", "main"), first.write(".gitattributes", ".manicule/memories/**/*.json merge=manicule\n"), first.write(".manicule/memories/.keep", ""))
	for p := range packages {
		for n := range 12 {
			path, text := symbol(p, n)
			err = errors.Join(err, first.write(path, text))
		}
	}
	err = errors.Join(err, first.git(ctx, "add", "-A"), first.git(ctx, "commit", "-q", "-m", "first"), first.gitIn(ctx, dir, "clone", "-q", "--bare", first.dir, "origin.git"))
	if err != nil {
		return err
	}
	for i, person := range []string{"ana", "ben", "cleo"} {
		c, err := newClone(ctx, dir, person, y.o.Driver, y.now, byte(i))
		if err != nil {
			return err
		}
		y.clones = append(y.clones, c)
	}
	return nil
}

// day plays one day of all clones: they work, exchange every fifth day, and sweep daily. Ana archives
// what faded once a month.
func (y *Year) day(ctx context.Context, d int) error {
	var today day
	for i, c := range y.clones {
		y.at = y.at.Add(time.Minute)
		if d%5 == 0 { // after the exchange
			if err := c.look(ctx); err != nil {
				return err
			}
		}
		if d%5 < 4 { // four days of work, one of rest
			if err := y.work(ctx, c, i, d); err != nil {
				return err
			}
		}
		trigger := services.SweepSchedule
		if i == 0 && d%30 == 29 {
			trigger = services.SweepManual
		}
		r, err := c.w.Sweep(ctx, trigger, false)
		if err != nil {
			return err
		}
		y.sweeps++
		y.note(r, d)
		if i == 0 {
			for _, h := range c.w.View().All() {
				switch h.Tier() {
				case life.Kept:
					today.kept++
				case life.Fading:
					today.fading++
				default:
					today.active++
				}
			}
		}
	}
	if d%5 == 4 { // twice, so that the first ones get what the last one pushed
		for _, c := range append(y.clones, y.clones[:2]...) {
			if err := c.exchange(ctx); err != nil {
				return err
			}
		}
	}
	for _, f := range y.facts {
		if f.fate == life.Archived {
			today.archived++
		}
	}
	y.days = append(y.days, today)
	y.at = y.at.Truncate(24 * time.Hour).Add(33 * time.Hour)
	return nil
}

func (y *Year) note(r memory.SweepReport, d int) {
	for _, m := range r.Moves {
		for _, f := range y.facts {
			if f.uuid == m.UUID && m.To == life.Archived {
				f.fate, f.reason, f.gone = m.To, m.Reason, d
			}
		}
	}
}

// work is one person's day: they need what they need, and sometimes write, edit and change code.
func (y *Year) work(ctx context.Context, c *clone, who, d int) error {
	var needed []string
	for i, f := range y.facts {
		if f.every > 0 && (d-f.written+i)%f.every == 0 && (i+d/max(1, f.every))%len(y.clones) == who {
			needed = append(needed, f.uuid)
		}
	}
	y.uses += len(needed)
	if err := c.use(ctx, needed); err != nil {
		return err
	}
	if y.rng.IntN(4) == 0 {
		if err := y.write(ctx, c, d); err != nil {
			return err
		}
	}
	if d%40 == 7 {
		if err := y.editTogether(ctx, who); err != nil {
			return err
		}
	}
	if who == d%3 && d%12 == 3 {
		return y.removeCode(c)
	}
	return nil
}

// write writes a memory of a random kind. A third are tied to a symbol.
func (y *Year) write(ctx context.Context, c *clone, d int) error {
	kinds := []file.Type{file.Gotcha, file.Gotcha, file.ErrorPattern, file.DeadEnd, file.ModuleInsight, file.WorkflowRecipe, file.WorkState, file.Decision, file.Convention}
	f := &fact{kind: kinds[y.rng.IntN(len(kinds))], tied: y.rng.IntN(3) == 0, every: []int{0, 0, 10, 45}[y.rng.IntN(4)], written: d, pinned: y.rng.IntN(15) == 0}
	pkg, n := y.rng.IntN(packages), y.rng.IntN(12)
	draft := memory.Draft{Type: f.kind, What: fmt.Sprintf("Of package %d it is known by %s since day %d that step %d of %d matters", pkg, c.person, d, n, y.rng.IntN(1000)),
		Scope: []string{fmt.Sprintf("src/p%d/**", pkg)}, Confidence: .7 + .1*float64(y.rng.IntN(4)), Pin: f.pinned, Tool: "eval"}
	path, _ := symbol(pkg, n)
	if _, err := os.Stat(filepath.Join(c.dir, path)); err != nil {
		f.tied = false // it was removed
	}
	if f.tied {
		draft.Scope, draft.At = nil, []string{fmt.Sprintf("%s#Step%d", path, n)}
	}
	var err error
	if f.uuid, err = c.remember(ctx, draft); err != nil {
		return err
	}
	y.facts = append(y.facts, f)
	return nil
}

// editTogether edits the same memory in each clone before they exchange. The words of two persons
// are a conflict, which ana resolves.
func (y *Year) editTogether(ctx context.Context, who int) error {
	for _, f := range y.facts {
		h, ok := y.clones[who].w.View().Get(f.uuid)
		if !ok || f.fate == life.Archived {
			continue
		}
		if len(h.Memory.Conflict) > 0 {
			y.conflicts++
			_, err := y.clones[who].w.Edits().Change(ctx, f.uuid, func(m *file.Memory) error { m.Conflict = nil; return nil }, "resolve", "")
			return err
		}
		_, err := y.clones[who].w.Edits().Change(ctx, f.uuid, func(m *file.Memory) error {
			m.What += ", says " + y.clones[who].person
			return nil
		}, "edit", "")
		y.edits++
		return err
	}
	return nil
}

// removeCode removes a file with its symbol.
func (y *Year) removeCode(c *clone) error {
	path, _ := symbol(y.rng.IntN(packages), y.rng.IntN(12))
	err := os.Remove(filepath.Join(c.dir, filepath.FromSlash(path)))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}

// judge reads what became of the memories, from ana's clone.
func (y *Year) judge(ctx context.Context) error {
	c := y.clones[0]
	if err := c.look(ctx); err != nil {
		return err
	}
	if err := c.w.Uses().Note(ctx, nil); err != nil {
		return err
	}
	for _, f := range y.facts {
		if h, ok := c.w.View().Get(f.uuid); ok {
			f.fate, f.last = h.Tier(), h.Confidence()
		}
	}
	return nil
}

package units

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"manicule/indexer/clip"
	"manicule/indexer/sorting"
	"manicule/memory"
	"manicule/memory/episode"
	"manicule/memory/file"
	"manicule/memory/record"
	"manicule/memory/store"
	"manicule/memory/work"
)

// outcomeKind is the kind under which it is proposed what a unit of work came to.
const outcomeKind = "work_unit_outcome"

// Limits of what is told of a unit.
const (
	maxTitle    = 90 // characters
	maxFiles    = 6
	maxEvidence = 5
)

// proposer proposes what units of work came to.
type proposer struct {
	list       *List
	episodes   episodes
	observer   observer
	candidates candidates
}

// episodes are what sessions did. [store.Episodes] keeps them.
type episodes interface {
	OfWork(ctx context.Context, keys []string) ([]episode.Episode, error)
}

// observer makes candidates of what sessions showed.
type observer interface {
	Suggest(ctx context.Context, found []memory.Inferred) ([]memory.Result, error)
}

// candidates are the drafts that wait for a person, which what is learned later changes.
type candidates interface {
	Rewrite(ctx context.Context, id string, change func(*file.Memory) error) (memory.Result, error)
}

// Ended proposes what a unit of work came to, or what changes of that, once another session that was about it has ended: the session that
// completes a unit goes on. name is as [work.Parse] reads it. Nothing is proposed before the unit is accepted or rejected.
func (l *List) Ended(ctx context.Context, name string) error {
	units, err := l.register.Units(ctx)
	if err != nil {
		return err
	}
	r, ok := work.Parse(name)
	if !ok {
		return nil
	}
	r = work.Complete(units, r)
	for _, key := range append([]string{r.Key()}, r.Within...) {
		if u := work.Find(units, key); u != nil && isDecided(u.State) {
			if err := l.outcomes.propose(ctx, &Settled{Unit: *u}, units, false); err != nil {
				return err
			}
		}
	}
	return nil
}

// isDecided reports whether a unit was accepted or rejected, rather than given up.
func isDecided(s work.State) bool { return s == work.Accepted || s == work.Rejected }

// propose proposes what a unit came to as a candidate, with its sessions as evidence; without sessions it is not known. What waits already
// is brought up to date, unless a person changed it. anew is set if the unit was decided now: what a person judged before is only
// proposed again then.
func (p *proposer) propose(ctx context.Context, out *Settled, units []work.Unit, anew bool) error {
	u := out.Unit
	sessions, err := p.sessions(ctx, u, units)
	if err != nil || len(sessions) == 0 {
		return err
	}
	found := outcomeOf(u, sessions)
	last, err := p.last(ctx, u)
	if err != nil {
		return err
	}
	waiting, err := p.waiting(ctx, last.Name)
	switch {
	case err != nil:
		return err
	case waiting != nil && (waiting.What != last.Text() || waiting.What == found.Draft.What && waiting.Why == found.Draft.Why):
		return nil // a person changed it, or nothing is new
	case waiting != nil:
		r, err := p.candidates.Rewrite(ctx, waiting.UUID, func(m *file.Memory) error {
			m.What, m.Why, m.Scope, m.Trust.Tainted = found.Draft.What, found.Draft.Why, found.Draft.Scope, found.Draft.Tainted
			m.Provenance.Sessions = found.Sessions
			return nil
		})
		if err != nil || !r.Accepted {
			return err
		}
		return p.list.noteOutcome(ctx, out, r.Memory, actLearned, r.Memory.What)
	case last.Name != "" && !anew:
		return nil
	}
	results, err := p.observer.Suggest(ctx, []memory.Inferred{found})
	if err != nil {
		return fmt.Errorf("propose what %s came to: %w", u.Key(), err)
	}
	if r := results[0]; r.Accepted && r.Draft && !r.Deduped {
		return p.list.noteOutcome(ctx, out, r.Memory, actLearned, r.Memory.What)
	}
	return nil
}

// last returns the latest record of what was proposed of a unit, the zero record if nothing was.
func (p *proposer) last(ctx context.Context, u work.Unit) (last record.Record, err error) {
	if u.Lineage == "" {
		return last, nil
	}
	rows, err := p.list.records.Entries(ctx, u.Lineage)
	if err != nil {
		return last, fmt.Errorf("read what came of %s: %w", u.Key(), err)
	}
	for _, r := range rows {
		if r.Kind == record.Outcome && r.Type == actLearned {
			last = r
		}
	}
	return last, nil
}

// waiting returns a draft, nil if it does not wait.
func (p *proposer) waiting(ctx context.Context, uuid string) (*file.Memory, error) {
	rows, err := p.list.drafts.All(ctx)
	if err != nil {
		return nil, fmt.Errorf("list what waits for review: %w", err)
	}
	if i := slices.IndexFunc(rows, func(d store.DraftRow) bool { return d.Memory.UUID == uuid }); i >= 0 {
		return rows[i].Memory, nil
	}
	return nil, nil
}

// sessions returns the sessions that were about a unit or a part of it, in the order of time.
func (p *proposer) sessions(ctx context.Context, u work.Unit, units []work.Unit) ([]episode.Episode, error) {
	keys := []string{u.Key()}
	for i := range units {
		if slices.ContainsFunc(work.Around(units, &units[i]), func(a *work.Unit) bool { return a.Key() == u.Key() }) {
			keys = append(keys, units[i].Key())
		}
	}
	out, err := p.episodes.OfWork(ctx, keys)
	if err != nil {
		return nil, fmt.Errorf("look for the sessions of %s: %w", u.Key(), err)
	}
	sorting.StableFunc(out, func(a, b episode.Episode) int { return cmp.Compare(a.Ended, b.Ended) })
	return out, nil
}

// outcomeOf says what a unit came to, by its sessions.
func outcomeOf(u work.Unit, sessions []episode.Episode) memory.Inferred {
	d := memory.Draft{Type: file.WorkUnitOutcome, Work: u.Key(), Tags: []string{"work", string(u.State)}, Confidence: .8}
	ids, agents := make([]string, 0, len(sessions)), []string{}
	success, failure := 0, 0
	var active int64
	files, evidence := map[string]int{}, []string{}
	say := func(text string) {
		if text != "" && !slices.Contains(evidence, text) {
			evidence = append(evidence, text)
		}
	}
	for _, e := range sessions {
		ids = append(ids, e.Session)
		if !slices.Contains(agents, e.Agent) {
			agents = append(agents, e.Agent)
		}
		d.Tainted = d.Tainted || e.Tainted
		active += e.Active
		switch e.Outcome {
		case episode.Success:
			success++
		case episode.Failure:
			failure++
		case episode.Partial:
		}
		for _, p := range e.Edited {
			if !path.IsAbs(p) {
				files[p]++
			}
		}
		for _, p := range e.Problems {
			if p.Fix != "" {
				say(fmt.Sprintf("`%s` failed (%s) until `%s`", p.What, p.Line, p.Fix))
			}
		}
		for _, m := range e.Mends {
			say(fmt.Sprintf("`%s` failed and passed again with %s", m.Check, strings.Join(m.Files[:min(maxFiles, len(m.Files))], ", ")))
		}
	}
	latest := sessions[len(sessions)-1]
	for _, phrase := range latest.Evidence {
		say(phrase)
	}
	d.Scope = mostEdited(files)
	d.Tool, d.Session = latest.Agent, latest.Session
	count := plural(len(sessions), "session")
	d.What = fmt.Sprintf("%s%s was %s after %s (%d succeeded, %d failed) with %s and %s of work.",
		strings.Replace(u.Key(), ":", " ", 1), title(u, sessions), u.State, count, success, failure, plural(len(files), "edited file"), spent(active))
	var why []string
	if u.Why != "" {
		why = append(why, "Reason: "+u.Why)
	}
	if len(evidence) > 0 {
		why = append(why, "In its sessions: "+strings.Join(evidence[:min(maxEvidence, len(evidence))], "; "))
	}
	d.Why = strings.Join(why, ". ")
	return memory.Inferred{Draft: d, Kind: outcomeKind, Key: u.Key(), Sessions: ids, Count: len(sessions), Value: .5,
		For: fmt.Sprintf("%s was %s, and %s of %s worked on it", u.Key(), u.State, count, strings.Join(agents, ", "))}
}

// plural counts: "1 session", "2 sessions".
func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// spent formats milliseconds of work: "2h10m", "5m".
func spent(ms int64) string {
	d := time.Duration(ms * int64(time.Millisecond)).Round(time.Minute)
	if d < time.Minute {
		return "less than a minute"
	}
	return strings.TrimSuffix(d.String(), "0s")
}

// title says what a unit was for, in brackets, by its own title or what its first session was asked for.
func title(u work.Unit, sessions []episode.Episode) string {
	text := u.Title
	if text == "" && !sessions[0].Tainted {
		text = sessions[0].Task
	}
	text = clip.MarkedChars(strings.Join(strings.Fields(text), " "), maxTitle)
	if text == "" {
		return ""
	}
	return " (" + text + ")"
}

// mostEdited returns the files that most sessions edited.
func mostEdited(files map[string]int) []string {
	var out []string
	for f := range files {
		out = append(out, f)
	}
	sorting.Func(out, func(a, b string) int { return cmp.Or(cmp.Compare(files[b], files[a]), strings.Compare(a, b)) })
	return out[:min(maxFiles, len(out))]
}

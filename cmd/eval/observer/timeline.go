package observer

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"manicule/hooks/event"
	"manicule/hooks/learn"
	"manicule/hooks/observe"
	"manicule/memory/episode"
	"manicule/memory/store"
)

// playing is a session that is being replayed.
type playing struct {
	res        *result
	fold       *observe.Fold
	seen, base map[string]bool // what was offered, by Manicule and by the baseline
	next       int             // index of its next item
	learned    int             // number of items when it was learned from while it rested
}

// repository replays the sessions of one repository in the order of their events. A call knows what sessions have shown that had ended by
// then and, as hooks learn from those when a session starts, of a session that rests what it showed until then.
func (r *replayed) repository(ctx context.Context, dir string, sessions []*session) (err error) {
	b, err := newReplica(r.temp, sessions[0].repo)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.w.Close()) }()
	if b.commits, err = readCommits(dir, sessions[0].repo); err != nil {
		return err
	}
	var running []*playing
	for len(sessions) > 0 || len(running) > 0 {
		p := earliest(running)
		if len(sessions) > 0 && (p == nil || sessions[0].start <= p.res.s.items[p.next].at) {
			s := sessions[0]
			sessions = sessions[1:]
			if len(s.items) == 0 {
				continue
			}
			if err := r.learnFromResting(ctx, b, running, s.start); err != nil {
				return err
			}
			if p, err = r.begin(ctx, b, s); err != nil {
				return fmt.Errorf("session %s: %w", s.id, err)
			}
			running = append(running, p)
			continue
		}
		if err := r.item(ctx, b, p); err != nil {
			return fmt.Errorf("session %s: %w", p.res.s.id, err)
		}
		if p.next == len(p.res.s.items) {
			running = slices.DeleteFunc(running, func(x *playing) bool { return x == p })
			if err := r.end(ctx, b, p); err != nil {
				return fmt.Errorf("session %s: %w", p.res.s.id, err)
			}
		}
	}
	return nil
}

// earliest returns the session whose next item is the first in time, or nil.
func earliest(running []*playing) *playing {
	var out *playing
	for _, p := range running {
		if out == nil || p.res.s.items[p.next].at < out.res.s.items[out.next].at {
			out = p
		}
	}
	return out
}

// begin starts a session.
func (r *replayed) begin(ctx context.Context, b *replica, s *session) (p *playing, err error) {
	b.now = time.UnixMilli(s.start)
	p = &playing{res: &result{s: s, next: map[string][]string{}, judged: map[string]int{}, why: map[string]string{}, events: len(s.items)}, fold: observe.New(root), seen: map[string]bool{}, base: map[string]bool{}}
	r.results = append(r.results, p.res)
	return p, b.asking(ctx, func(look *store.ObserverReader) error {
		start, err := learn.StartOffers(ctx, look, b.now)
		for _, o := range start {
			p.seen[o.ID] = true
			p.res.offers = append(p.res.offers, offered{at: -1, prints: b.prints[failureID(o.Failure)], text: o.Text, facts: "start, " + factsOf(o)})
		}
		return err
	})
}

// asking opens the observer's answers as a hook does, which is a process of its own.
func (b *replica) asking(ctx context.Context, ask func(*store.ObserverReader) error) (err error) {
	look, err := store.OpenObserverReader(ctx, b.w.Place().StateDir(), b.w.Place().GitPrefix())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, look.Close()) }()
	return ask(look)
}

// item replays the next item of a session: before each call it makes the offers that hooks would make.
func (r *replayed) item(ctx context.Context, b *replica, p *playing) error {
	i, res := p.next, p.res
	it, s := res.s.items[i], res.s
	p.next++
	b.now = time.UnixMilli(it.at)
	if it.said != "" {
		p.fold.AddStatement(it.by, it.said)
		return nil
	}
	began := time.Now()
	p.fold.Add(it.record)
	r.fold.add(time.Since(began))
	for _, c := range it.record.Calls {
		at := occasion{playing: p, b: b, i: i, id: it.id, call: c}
		err := error(nil)
		switch event.Kind(it.record.Kind) {
		case event.PostToolFailure:
			err = b.asking(ctx, func(look *store.ObserverReader) error {
				return errors.Join(r.reminders(ctx, look, at), r.explain(ctx, b, look, res, it))
			})
		case event.PreTool:
			err = b.asking(ctx, func(look *store.ObserverReader) error { return r.offers(ctx, look, at) })
		}
		if err != nil {
			return err
		}
		before := len(s.files)
		recordFiles(b, s, it.record, at.class(), at.paths())
		if before < 3 && len(s.files) >= 3 { // what a session is for is asked then
			res.kind = episode.KindOf(p.fold.Episode().Task)
			if err := b.asking(ctx, func(look *store.ObserverReader) error { return r.predict(ctx, b, look, res) }); err != nil {
				return err
			}
		}
	}
	return nil
}

// predict says which files a session uses next, from its first three.
func (r *replayed) predict(ctx context.Context, b *replica, look *store.ObserverReader, res *result) error {
	given := slices.Clone(res.s.files[:3])
	began := time.Now()
	next, err := look.NextFiles(ctx, given, res.kind, 10)
	if err != nil {
		return err
	}
	r.nextTime.add(time.Since(began))
	for _, n := range next {
		res.next["manicule"] = append(res.next["manicule"], n.Path)
	}
	res.next["popularity"] = b.mostUsed(given)
	res.next["co-access"] = usedTogether(b.pairs, given)
	if res.commits = len(b.commits) > 0 || b.changed != nil; res.commits {
		res.next["co-change"] = usedTogether(b.changedBefore(res.s.start), given)
	}
	return nil
}

// learnFromResting learns from sessions in which nothing has happened for so long that they count as over.
func (r *replayed) learnFromResting(ctx context.Context, b *replica, running []*playing, ms int64) error {
	for _, p := range running {
		items := p.res.s.items
		if p.next == p.learned || p.next == 0 || ms-items[p.next-1].at < learn.Idle.Milliseconds() {
			continue
		}
		fold := observe.New(root)
		for _, it := range items[:p.next] {
			if it.said != "" {
				fold.AddStatement(it.by, it.said)
			} else {
				fold.Add(it.record)
			}
		}
		b.now = time.UnixMilli(ms)
		if _, err := r.learn(ctx, b, p.res, fold, p.next); err != nil {
			return err
		}
		p.learned = p.next
	}
	return nil
}

// learn learns from the first items of a session, as the hook does that ends it.
func (r *replayed) learn(ctx context.Context, b *replica, res *result, fold *observe.Fold, items int) (learn.Outcome, error) {
	rules := r.rulesAt(res.s.repo, b.now.UnixMilli())
	began := time.Now()
	out, err := learn.Finish(ctx, learn.Options{Workspace: b.w, Rules: func() []string { return rules }, Exists: func(p string) bool { return b.exists[p] },
		Declares: func(string, string) bool { return true }}, fold, res.s.id, int64(items))
	res.finish = time.Since(began)
	if err != nil {
		return out, err
	}
	for _, j := range out.Judgements {
		if j.Candidate != nil {
			res.candidates = append(res.candidates, proposed{res.s.repo, res.s.id, *j.Candidate})
		}
	}
	for _, f := range out.Report.Failures {
		id := failureID(store.KnownFailure{Tool: f.Tool, Subject: f.Key, Fingerprint: f.Print, Trigger: f.Trigger})
		if b.prints[id] == nil {
			b.prints[id] = map[string]bool{}
		}
		for _, call := range f.IDs {
			if t, ok := r.truth[call]; ok {
				b.prints[id][t.Fingerprint] = true
			}
		}
	}
	return out, nil
}

// end ends a session. The baselines learn too.
func (r *replayed) end(ctx context.Context, b *replica, p *playing) error {
	s := p.res.s
	b.now = time.UnixMilli(s.end)
	out, err := r.learn(ctx, b, p.res, p.fold, len(s.items))
	if err != nil {
		return err
	}
	for _, j := range out.Judgements {
		p.res.judged[string(j.Signal.Kind())+" "+j.Verdict]++
	}
	for _, it := range s.items {
		t, ok := r.truth[it.id]
		if !ok || len(it.record.Calls) == 0 || it.record.Kind != string(event.PostToolFailure) {
			continue
		}
		c := it.record.Calls[0]
		for _, key := range plainKeys(event.Class(c.Class), c, below(c.Paths)) {
			if b.table[key] == nil {
				b.table[key] = map[string]bool{}
			}
			b.table[key][t.Fingerprint] = true
		}
	}
	for i, x := range s.files {
		b.popular[x]++
		for _, y := range s.files[i+1:] {
			b.pairs[[2]string{min(x, y), max(x, y)}]++
		}
	}
	return nil
}

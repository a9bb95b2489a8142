package hooks

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"

	"manicule/hooks/event"
	"manicule/hooks/eventlog"
	"manicule/hooks/nudge"
	"manicule/indexer/sorting"
	"manicule/memory"
	"manicule/memory/file"
	"manicule/memory/lint"
)

// The dedupe keys of things that are not a single memory.
func projectKey(root string) string { return "project\x00" + root }

// recallHintKey is the dedupe key of the recall command. A nudge names the command only
// if neither the brief nor another nudge did.
const recallHintKey = "how"

// match is a target of the event with its memories.
type match struct {
	place   nudge.Place
	root    string
	project []memory.Hit
	// changing is set for a write, not for a read. put is the text that it inserts, as far as the event has it.
	changing bool
	put      string
	// about are the hits that are about what the person asked for, and those that are dangerous not to
	// know of the file whatever is asked.
	about []memory.Hit
}

func (f match) keys() []string {
	out := make([]string, 0, len(f.place.Hits)+1)
	for _, h := range f.place.Hits {
		out = append(out, h.Memory.UUID)
	}
	if len(f.project) > 0 {
		out = append(out, projectKey(f.root))
	}
	return out
}

// nudger names and quotes the memories for the files of the event's calls.
type nudger struct{ *answering }

// nudge names the memories for the files of the event's calls, unless this conversation
// was told already.
func (n nudger) nudge(ctx context.Context) string {
	l := &lookup{answering: n.answering, told: n.claims.digests(), asked: sync.OnceValues(n.request)}
	defer l.closeAll()
	var found []match
	var keys []string
	for _, c := range n.ev.Calls {
		for _, t := range c.Targets {
			changing := c.Class == event.Edit || c.Class == event.Create || t.Class == event.Edit || t.Class == event.Create
			if f, ok := l.find(ctx, t, changing); ok {
				f.put = c.Put
				found = append(found, f)
				keys = append(keys, f.keys()...)
			}
		}
	}
	if len(keys) == 0 || ctx.Err() != nil || !n.commit() {
		return ""
	}
	against, told := n.violated(found)
	quotes := n.critical(found, nudge.MaxQuotes-told)
	fresh := n.claims.claim(append(keys, recallHintKey)...)
	how := fresh[recallHintKey]
	var places []nudge.Place
	var project []memory.Hit
	for _, f := range found {
		p, general := f.unseen(fresh)
		places = append(places, p)
		project = append(project, general...)
	}
	text, shown := nudge.Places(places, project, n.level().leads, how)
	for _, q := range shown {
		n.noteShown(q.Path, q.UUID, q.Text)
	}
	return joinParts(joinParts(against, quotes), text)
}

// violated quotes the memories against which the text goes that is being written, by what they forbid (see [lint.Rule]). Each is
// told once in a conversation, whatever was quoted before. count is their number.
func (n nudger) violated(found []match) (told string, count int) {
	var lines []string
	for _, f := range found {
		if !f.changing || f.put == "" {
			continue
		}
		var against []memory.Hit
		for _, h := range slices.Concat(f.place.Hits, f.project) {
			if count+len(against) >= nudge.MaxQuotes || !n.level().quotable(h) { // first: an expression may take a while
				continue
			}
			if r, ok, err := lint.Of(h.Memory); err == nil && ok && len(r.Forbidden([]byte(f.put), 1)) > 0 && n.claims.win("violated\x00"+h.Memory.UUID) {
				against = append(against, h)
			}
		}
		if len(against) == 0 {
			continue
		}
		text, shown := nudge.Against(f.place.Path, against, n.opt.Now())
		var keys []string
		for _, id := range shown {
			keys = append(keys, eventlog.QuotedKey(id))
		}
		n.claims.claim(keys...)
		n.noteShownLines(f.place.Path, text, shown)
		n.quotes += len(shown)
		count += len(shown)
		lines = append(lines, text)
	}
	return strings.Join(lines, "\n"), count
}

// unseen returns the part of a match that was not shown yet. It removes its keys from the
// given ones, so that the next match doesn't repeat them.
func (f match) unseen(keys map[string]bool) (p nudge.Place, project []memory.Hit) {
	p.Path, p.Root = f.place.Path, f.place.Root
	take := func(key string) bool {
		ok := keys[key]
		delete(keys, key)
		return ok
	}
	p.Hits = slices.DeleteFunc(f.place.Hits, func(h memory.Hit) bool { return !take(h.Memory.UUID) })
	if len(f.project) > 0 && take(projectKey(f.root)) {
		project = f.project
	}
	return p, project
}

// criticalRank orders the types that are dangerous not to know when working on code before the
// others.
func criticalRank(t file.Type) int {
	dangerous := []file.Type{file.Gotcha, file.DeadEnd, file.ErrorPattern}
	if rank := slices.Index(dangerous, t); rank >= 0 {
		return rank
	}
	return len(dangerous)
}

// isCritical reports whether a type is dangerous not to know.
func isCritical(t file.Type) bool { return criticalRank(t) < criticalRank("") }

// maxReadQuotes bounds the quotes about files that are only read.
const maxReadQuotes = 2

// critical quotes what is about the request, or dangerous not to know, in files that are changed
// or read. Reads count because a change mostly follows, and then the quote would be too late.
// Nothing is quoted twice, and at most left memories are.
func (n nudger) critical(found []match, left int) string {
	var lines []string
	reads := maxReadQuotes
	for _, f := range found {
		room := left
		if !f.changing {
			room = min(left, reads)
		}
		if room == 0 {
			continue
		}
		sorting.StableFunc(f.about, func(a, b memory.Hit) int {
			return cmp.Compare(criticalRank(a.Memory.Type), criticalRank(b.Memory.Type))
		})
		text, n := n.quote(f.place.Path, f.about, room, func(hits []memory.Hit) (string, []string) {
			return nudge.Critical(f.place.Path, f.changing, hits, n.opt.Now())
		})
		if text != "" {
			lines = append(lines, text)
			left -= n
			if !f.changing {
				reads -= n
			}
		}
	}
	return strings.Join(lines, "\n")
}

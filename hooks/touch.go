package hooks

import (
	"maps"
	"math"
	"os"
	"slices"
	"strings"

	"manicule/hooks/event"
	"manicule/indexer/anchor"
	"manicule/indexer/words"
	"manicule/memory"
	"manicule/memory/file"
)

// touch is what a call reads or changes of a file.
type touch struct {
	rel, file string // the path relative to the root, and on the disk
	changing  bool
	target    event.Target
	spans     []event.Span // the lines, once they were asked for
	known     bool
	// The words of what is changed, and those with the request's, once they were asked for.
	text, all *question
}

// smallFile is the size of a file up to which its lines are counted: to read all of it may be to read one function.
const smallFile = 4 << 10

// maxTouched is the size of a file up to which it is searched for the lines of an edit.
const maxTouched = 1 << 20

// How much a memory of a place must share with what is done there.
const (
	// leastRead is the weight of the telling words that a short request must share with what is dangerous not to know, when its file is
	// read.
	leastRead = 1
	// leastEdit is the weight that a change must share, in sharedWithEdit words that are partOfEdit of all that the memory says. At the
	// very symbol two words are enough, and those of the request count too: of the gotchas that were told with any change of their symbol,
	// two in seven were about the work.
	leastEdit      = 1.5
	partOfEdit     = .38
	sharedWithEdit = 3
)

// concerns reports whether a memory that somebody wrote is about what is done with its file. To read a file is not to work on all that
// is in it: of what was told at every read of a symbol's file, one in ten was about the work.
func (t *touch) concerns(stems *words.Stemmer, h memory.Hit, request question, counts Counts) bool {
	m := h.Memory
	if m.Trust.Origin == file.Import {
		return false
	}
	if !t.changing {
		return isCritical(m.Type) && len(m.Anchors) > 0 && (t.ofSymbol(h) > 0 || !request.cut && len(request.words) <= usualPrompt && request.shares(stems, m, counts, minShared, leastRead, 0))
	}
	if t.text == nil {
		q := ask(stems, t.changedText())
		t.text = &q
		all := question{words: maps.Clone(q.words)}
		maps.Copy(all.words, request.words)
		t.all = &all
	}
	switch {
	case t.ofSymbol(h) > 0:
		return t.all.sharesWords(stems, m, counts, minShared, leastEdit, 0)
	case slices.ContainsFunc(m.Anchors, anchor.Anchor.HasSymbol):
		return false // it is about that one
	}
	return t.text.shares(stems, m, counts, sharedWithEdit, leastEdit*t.text.long(), partOfEdit*t.text.long())
}

// shares is sharesWords for a memory that is no list: of what names many things a text easily has two.
func (q question) shares(stems *words.Stemmer, m *file.Memory, counts Counts, n int, weight, part float64) bool {
	return !isList(m.What) && q.sharesWords(stems, m, counts, n, weight, part)
}

// sharesWords reports whether a text has at least n words of what a memory says, of a weight and of a part of all that it says. The words
// are weighed only if there are so many, as that asks the index.
func (q question) sharesWords(stems *words.Stemmer, m *file.Memory, counts Counts, n int, weight, part float64) bool {
	if !q.touches(stems, m.What) {
		return false
	}
	own := keywordsOf(stems, m.What)
	if both(own, q.words) < n {
		return false
	}
	shared, whole, _ := q.shared(own, counts)
	return shared >= max(weight, part*whole)
}

// ofSymbol returns the number of lines of a memory's symbol if the call changes its code, or reads that and little else, and 0 if not.
func (t *touch) ofSymbol(h memory.Hit) int {
	for i, a := range h.Memory.Anchors {
		if !a.HasSymbol() {
			continue
		}
		path, lines := a.Path, anchor.LineRange{}
		if a.Lines != nil {
			lines = *a.Lines
		}
		if i < len(h.Places) && h.Places[i].Path != "" {
			p := h.Places[i]
			path, lines = p.Path, anchor.LineRange{Start: p.Line, End: max(p.EndLine, p.Line+lines.End-lines.Start)}
		}
		if path == t.rel && t.covers(lines) {
			return lines.End - lines.Start + 1
		}
	}
	return 0
}

// fewLines is how many lines a read of a symbol may have, if these are not twice as many as its own.
const fewLines = 60

// covers reports whether lines of the file are changed, or are what is read.
func (t *touch) covers(lines anchor.LineRange) bool {
	return lines.Start > 0 && slices.ContainsFunc(t.lines(), func(s event.Span) bool {
		if t.changing {
			return s.From <= lines.End && lines.Start <= s.To
		}
		return s.From <= lines.Start && lines.End <= s.To && s.To-s.From < max(fewLines, 2*(lines.End-lines.Start+1))
	})
}

// lines returns the lines that are read or changed, as far as the call says.
func (t *touch) lines() []event.Span {
	if t.known {
		return t.spans
	}
	t.known = true
	switch {
	case !t.changing && t.target.Spans != nil:
		t.spans = t.target.Spans
		return t.spans
	case !t.changing:
		if text, ok := textOf(t.file, smallFile); ok {
			t.spans = []event.Span{{From: 1, To: 1 + strings.Count(strings.TrimSuffix(text, "\n"), "\n")}}
		}
		return t.spans
	case len(t.target.Replaced) == 0: // any of them
		t.spans = []event.Span{{From: 1, To: math.MaxInt}}
		return t.spans
	}
	text, ok := textOf(t.file, maxTouched)
	if !ok {
		return nil
	}
	for _, r := range t.target.Replaced {
		before, after, above := changed(r)
		for i, whole := range []string{r.Old, r.New} { // after the tool the new text is there
			at := strings.Index(text, whole)
			if whole == "" || at < 0 {
				continue
			}
			from := 1 + strings.Count(text[:at], "\n") + above
			t.spans = append(t.spans, event.Span{From: from, To: from + max(0, len([][]string{before, after}[i])-1)})
			break
		}
	}
	return t.spans
}

// changed returns the lines of a replacement that differ, and the number of equal ones above them. Agents quote lines around a change.
func changed(r event.Replacement) (before, after []string, above int) {
	before, after = strings.Split(r.Old, "\n"), strings.Split(r.New, "\n")
	for len(before) > 0 && len(after) > 0 && before[0] == after[0] {
		before, after = before[1:], after[1:]
		above++
	}
	for len(before) > 0 && len(after) > 0 && before[len(before)-1] == after[len(after)-1] {
		before, after = before[:len(before)-1], after[:len(after)-1]
	}
	return before, after, above
}

// changedText returns the lines that the call takes away and puts.
func (t *touch) changedText() string {
	var lines []string
	for _, r := range t.target.Replaced {
		before, after, _ := changed(r)
		lines = append(append(lines, before...), after...)
	}
	return strings.Join(lines, "\n")
}

// textOf reads a file that is not larger than most. What can't be read, or is not there yet, has no text: the tool will say so.
func textOf(name string, most int64) (string, bool) {
	st, err := os.Stat(name)
	if err != nil || !st.Mode().IsRegular() || st.Size() > most {
		return "", false
	}
	data, err := os.ReadFile(name)
	return string(data), err == nil
}

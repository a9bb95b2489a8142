package notebook

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
)

// Edit replaces a range of a text.
type Edit struct {
	Span
	Text []byte
}

// SameText reports whether two texts differ at most in their line ends.
func SameText(a, b []byte) bool { return bytes.Equal(normalized(a), normalized(b)) }

// normalized returns a text whose lines end with LF.
func normalized(text []byte) []byte {
	if bytes.IndexByte(text, '\r') < 0 {
		return text
	}
	return bytes.ReplaceAll(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")), []byte("\r"), []byte("\n"))
}

// escaped returns a text as the content of a JSON string.
func escaped(text []byte) []byte {
	out, err := jsontext.AppendQuote(nil, text)
	if err != nil { // it is not UTF-8: such a character is replaced
		out, _ = jsontext.AppendQuote(nil, bytes.ToValidUTF8(text, []byte("\ufffd")))
	}
	return out[1 : len(out)-1]
}

// source writes the text of a cell as an array of lines.
func (s style) source(text []byte) []byte {
	text = normalized(text)
	if len(text) == 0 {
		return []byte("[]")
	}
	out := []byte("[")
	for line := range bytes.Lines(text) {
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(out, s.level(4)...), '"')
		out = append(append(out, escaped(line)...), '"')
	}
	return append(append(out, s.level(3)...), ']')
}

// object writes a new cell, with its places relative to it.
func (s style) object(code bool, text []byte) (object []byte, at Cell) {
	var b bytes.Buffer
	b.WriteString("{")
	member := func(name, value string) Span {
		if b.Len() > 1 {
			b.WriteByte(',')
		}
		b.WriteString(s.level(3) + `"` + name + `": ` + value)
		return Span{b.Len() - len(value), b.Len()}
	}
	at.Code = code
	if code {
		at.Type = member("cell_type", typeCode)
		member("execution_count", "null")
		member("metadata", "{}")
		member("outputs", "[]")
	} else {
		at.Type = member("cell_type", typeMarkdown)
		member("metadata", "{}")
	}
	at.Source = member("source", string(s.source(text)))
	b.WriteString(s.level(2) + "}")
	at.Object.End = b.Len()
	return b.Bytes(), at
}

// Empty returns the text of a notebook without cells.
func Empty() []byte {
	return []byte("{\n \"cells\": [],\n \"metadata\": {},\n \"nbformat\": 4,\n \"nbformat_minor\": 5\n}\n")
}

// Change is an edit of a cell's text: the bytes [Start, End) of its lines are replaced.
type Change struct {
	StartLine, StartColumn int // in bytes
	EndLine, EndColumn     int
	Text                   []byte
}

// Change returns the edit of the file that an edit of a cell is, and the cell's text in the file then.
// whole is the text of the cell after it.
func (l *Layout) Change(cell int, s *Source, c Change, whole []byte) Edit {
	at := l.Cells[cell].Source
	ownLine := func(line int) bool { return line < len(s.lines)-1 || s.own }
	if !s.Regular || len(whole) == 0 || s.list && !(ownLine(c.StartLine) && ownLine(c.EndLine)) {
		return l.Rewrite(cell, whole)
	}
	end := `\n`
	if s.list {
		end += `",` + l.style.level(4) + `"`
	}
	var text []byte
	for i, line := range bytes.Split(normalized(c.Text), []byte("\n")) {
		if i > 0 {
			text = append(text, end...)
		}
		text = append(text, escaped(line)...)
	}
	return Edit{Span{s.Offset(c.StartLine, c.StartColumn), s.Offset(c.EndLine, c.EndColumn)}.shift(at.Start), text}
}

// Rewrite returns the edit that replaces the text of a cell.
func (l *Layout) Rewrite(cell int, text []byte) Edit {
	return Edit{l.Cells[cell].Source, l.style.source(text)}
}

// Retype returns the edit that makes a cell one of code, or of text.
func (l *Layout) Retype(cell int, code bool) Edit {
	if code {
		return Edit{l.Cells[cell].Type, []byte(typeCode)}
	}
	return Edit{l.Cells[cell].Type, []byte(typeMarkdown)}
}

// Applied returns the layout after an edit inside a value of a cell, or of a whole one.
func (l *Layout) Applied(e Edit) *Layout {
	by := len(e.Text) - (e.End - e.Start)
	move := func(s Span) Span {
		switch {
		case s.Start >= e.End:
			return s.shift(by)
		case s.End >= e.End:
			s.End += by
		}
		return s
	}
	next := &Layout{Cells: make([]Cell, len(l.Cells)), list: move(l.list), style: l.style}
	for i, c := range l.Cells {
		next.Cells[i] = Cell{move(c.Object), move(c.Type), move(c.Source), c.Code}
	}
	return next
}

// Typed returns the layout with a cell of another type.
func (l *Layout) Typed(cell int, code bool) *Layout {
	next := *l
	next.Cells = append([]Cell(nil), l.Cells...)
	next.Cells[cell].Code = code
	return &next
}

// Item is a cell of a new list: one that the list before it has, or a new one.
type Item struct {
	Old  int // the index in the list before it, -1 for a new cell
	Code bool
	Text []byte // of a new cell
}

// Arrange returns the edits that make the cells of a notebook those of a list, in order, and the layout after
// them. Cells that keep their order are not touched.
func (l *Layout) Arrange(text []byte, items []Item) ([]Edit, *Layout) {
	keep := l.kept(items)
	next := &Layout{Cells: make([]Cell, len(items)), style: l.style}
	var edits []Edit
	by := 0                  // how much longer the text is up to here
	from := l.list.Start + 1 // the end of the kept cell before
	gap, lastOld, lastNew := []int(nil), -1, -1
	flush := func(end, old, upTo int) { // the gap from the kept cell before to the one that begins at end
		if len(gap) > 0 || old != lastOld+1 {
			var b bytes.Buffer
			for n, i := range gap {
				if n > 0 || lastNew >= 0 {
					b.WriteByte(',')
				}
				b.WriteString(l.style.level(2))
				start := from + by + b.Len()
				object, cell := l.write(text, items[i])
				next.Cells[i] = cell.shift(start)
				b.Write(object)
			}
			switch {
			case upTo < len(items):
				if len(gap) > 0 || lastNew >= 0 {
					b.WriteByte(',')
				}
				b.WriteString(l.style.level(2))
			case len(items) > 0:
				b.WriteString(l.style.level(1))
			}
			edits = append(edits, Edit{Span{from, end}, b.Bytes()})
			by += b.Len() - (end - from)
		}
		gap = nil
	}
	for i, item := range items {
		if !keep[i] {
			gap = append(gap, i)
			continue
		}
		c := l.Cells[item.Old]
		flush(c.Object.Start, item.Old, i)
		next.Cells[i] = c.shift(by)
		from, lastOld, lastNew = c.Object.End, item.Old, i
	}
	flush(l.list.End-1, len(l.Cells), len(items))
	next.list = Span{l.list.Start, l.list.End + by}
	return edits, next
}

// write returns the object of a cell that is put into the list, with its places relative to it.
func (l *Layout) write(text []byte, item Item) ([]byte, Cell) {
	if item.Old >= 0 {
		c := l.Cells[item.Old]
		return text[c.Object.Start:c.Object.End], c.shift(-c.Object.Start)
	}
	return l.style.object(item.Code, item.Text)
}

// kept reports which items are cells that stay where they are, as many as possible.
func (l *Layout) kept(items []Item) []bool {
	keep := make([]bool, len(items))
	from, to := 0, len(items)
	for from < to && from < len(l.Cells) && items[from].Old == from {
		keep[from] = true
		from++
	}
	for n := len(l.Cells); to > from && n > from && items[to-1].Old == n-1; n-- {
		to--
		keep[to] = true
	}
	// The longest ascending run of old indices between them.
	length, before := make([]int, len(items)), make([]int, len(items))
	best := -1
	for i := from; i < to; i++ {
		before[i] = -1
		if items[i].Old < 0 {
			continue
		}
		length[i] = 1
		for j := from; j < i; j++ {
			if items[j].Old >= 0 && items[j].Old < items[i].Old && length[j] >= length[i] {
				length[i], before[i] = length[j]+1, j
			}
		}
		if best < 0 || length[i] > length[best] {
			best = i
		}
	}
	for ; best >= 0; best = before[best] {
		keep[best] = true
	}
	return keep
}

// maxCompared is how many pairs of texts are compared, with a number for each: two notebooks of 2,000 cells without a common
// one at either end. Of more, each text is the one at the same place.
const maxCompared = 4 << 20

// Match finds for each text of a new list the one of an old list that it is: the same text, as often as the
// order allows, and of those that are left between two such, the one at the same place. -1 is a new one.
func Match(old, now []string) []int {
	out := make([]int, len(now))
	for i := range out {
		out[i] = -1
	}
	from := 0
	for from < len(old) && from < len(now) && old[from] == now[from] {
		out[from] = from
		from++
	}
	oldEnd, nowEnd := len(old), len(now)
	for oldEnd > from && nowEnd > from && old[oldEnd-1] == now[nowEnd-1] {
		oldEnd, nowEnd = oldEnd-1, nowEnd-1
		out[nowEnd] = oldEnd
	}
	if (oldEnd-from)*(nowEnd-from) <= maxCompared {
		common(old[from:oldEnd], now[from:nowEnd], from, out[from:nowEnd])
	}
	next := 0 // the first of the old that no earlier one is
	for i, is := range out {
		if is >= 0 {
			next = is + 1
			continue
		}
		limit := len(old)
		for _, later := range out[i:] {
			if later >= 0 {
				limit = later
				break
			}
		}
		if next < limit {
			out[i] = next
			next++
		}
	}
	return out
}

// common writes a longest common subsequence: for each of now the index of the same in old, plus by.
func common(old, now []string, by int, out []int) {
	length := make([][]int, len(old)+1)
	for i := range length {
		length[i] = make([]int, len(now)+1)
	}
	for i := len(old) - 1; i >= 0; i-- {
		for j := len(now) - 1; j >= 0; j-- {
			length[i][j] = max(length[i+1][j], length[i][j+1])
			if old[i] == now[j] {
				length[i][j] = length[i+1][j+1] + 1
			}
		}
	}
	for i, j := 0, 0; i < len(old) && j < len(now); {
		switch {
		case old[i] == now[j]:
			out[j] = i + by
			i, j = i+1, j+1
		case length[i+1][j] >= length[i][j+1]:
			i++
		default:
			j++
		}
	}
}

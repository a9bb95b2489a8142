package hookfile

import (
	"bytes"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"manicule/indexer/must"

	_ "modernc.org/sqlite"
)

// written opens a table of entries with some changes behind it.
func written(t *testing.T, entries []Entry, later ...Entry) *File {
	t.Helper()
	b := NewBuilder()
	for _, e := range entries {
		b.Add(e)
	}
	var out bytes.Buffer
	size, err := b.WriteTo(&out)
	must.OK(t, err)
	if size != int64(out.Len()) {
		t.Fatalf("%d bytes were written, it says %d", out.Len(), size)
	}
	appended(t, &out, size, later...)
	f, err := Open(bytes.NewReader(out.Bytes()), size, int64(out.Len()))
	must.OK(t, err)
	return f
}

// appended appends changes to a table.
func appended(t testing.TB, out *bytes.Buffer, size int64, later ...Entry) {
	t.Helper()
	f, err := Open(bytes.NewReader(out.Bytes()), size, size)
	must.OK(t, err)
	for _, e := range later {
		data, err := f.Change(e)
		must.OK(t, err)
		out.Write(data)
	}
}

func all(string) bool { return true }

func entry(n int, change func(*Entry)) Entry {
	path := fmt.Sprintf("area/%04d.json", n)
	e := Entry{Path: path, UUID: fmt.Sprintf("id-%04d", n), Line: path + Separator + "line", Text: "text", Reaches: []string{"src/"}, Columns: []string{"pitfall"}}
	if change != nil {
		change(&e)
	}
	return e
}

func numbers(lines []string) string {
	var out []string
	for _, l := range lines {
		out = append(out, strings.TrimLeft(l[len("area/"):len("area/0000")], "0"))
	}
	slices.Sort(out)
	return strings.Join(slices.Compact(out), " ")
}

// TestLinesTakeLittleMemory: a page of memory that a hook touches costs as much as the work on it.
func TestLinesTakeLittleMemory(t *testing.T) {
	var many []Entry
	for n := range 1500 {
		many = append(many, entry(1000+n, func(e *Entry) { e.Reaches = []string{"src/"} }))
	}
	f := written(t, many)
	lines, err := f.Lines([]string{"src/"}, "", "", func(string) bool { return true })
	if err != nil || len(lines) != len(many) {
		t.Fatalf("%d lines, %v", len(lines), err)
	}
	if n := testing.AllocsPerRun(5, func() { _, _ = f.Lines([]string{"src/"}, "", "", func(string) bool { return true }) }); n > 50 {
		t.Errorf("%v allocations for %d lines", n, len(many))
	}
}

// TestLastChangesAreDecoded: what a memory was between costs a hook next to nothing.
func TestLastChangesAreDecoded(t *testing.T) {
	var later []Entry
	for n := range 900 {
		later = append(later, entry(1+n%3, func(e *Entry) { e.Line = fmt.Sprint(e.Path, Separator, n) }))
	}
	f := written(t, []Entry{entry(1, nil)}, later...)
	if e := f.changes["area/0001.json"]; len(f.changes) != 3 || e == nil || !strings.HasSuffix(e.Line, Separator+"897") || e.before != 0 {
		t.Fatalf("%d changes, the first is %+v", len(f.changes), e)
	}
	var data []byte
	for _, e := range later {
		change, err := f.Change(e)
		must.OK(t, err)
		data = append(data, change...)
	}
	if n := testing.AllocsPerRun(5, func() { _, _ = changes(data) }); n > 100 {
		t.Errorf("%v allocations for three memories", n)
	}
}

func TestLines(t *testing.T) {
	var many []Entry
	for n := range 900 {
		many = append(many, entry(1000+n, func(e *Entry) { e.Reaches = []string{fmt.Sprintf("lib/%d/", n)} }))
	}
	entries := append(many,
		entry(1, nil),
		entry(2, func(e *Entry) { e.Reaches = []string{"src/", "src/deep/"} }),
		entry(3, func(e *Entry) { e.Reaches = []string{projectWide} }),
		entry(4, func(e *Entry) { e.Pinned = true }),
		entry(5, func(e *Entry) { e.Superseded = true }),
		entry(6, func(e *Entry) { e.UUID = "" }),
	)
	later := []Entry{
		entry(1, func(e *Entry) { e.Gone = true }),
		entry(2, func(e *Entry) { e.Reaches = []string{"src/"} }),
		entry(7, func(e *Entry) { e.Reaches = []string{"src/deep/"} }),
		entry(8, func(e *Entry) { e.UUID = "" }),
		entry(5, func(e *Entry) {}),
		entry(3, func(e *Entry) { e.Superseded = true }),
	}
	before, after := written(t, entries), written(t, entries, later...)
	for _, c := range []struct {
		keys          []string
		low, high     string
		before, after string
	}{
		{[]string{"src/"}, "", "", "1 2 4", "2 4 5"},
		{[]string{"src/", "src/deep/"}, "", "", "1 2 4", "2 4 5 7"},
		{nil, "src/d", "src/e", "2", "7"},
		{[]string{"lib/7/"}, "lib/77/", "lib/78", "1007 1077 177", "1007 1077 177"},
		{[]string{"none/"}, "", "", "", ""},
	} {
		for f, want := range map[*File]string{before: c.before, after: c.after} {
			got, err := f.Lines(c.keys, c.low, c.high, all)
			must.OK(t, err)
			want := strings.Join(slices.DeleteFunc(strings.Fields(want), func(s string) bool { return s == "177" }), " ")
			if got := numbers(got); c.high != "lib/78" && got != want {
				t.Errorf("%v %q to %q: %s, want %s", c.keys, c.low, c.high, got, want)
			}
		}
	}
	if got, err := before.Lines(nil, "lib/77/", "lib/78", all); err != nil || numbers(got) != "1077 1770 1771 1772 1773 1774 1775 1776 1777 1778 1779" {
		t.Errorf("a range over blocks: %s, %v", numbers(got), err)
	}
	for f, want := range map[*File][2]string{before: {"3 4", "904"}, after: {"4", "904"}} {
		lines, err := f.Brief()
		must.OK(t, err)
		total, err := f.Total()
		must.OK(t, err)
		if got := [2]string{numbers(lines), fmt.Sprint(total)}; got != want {
			t.Errorf("the brief is %q, want %q", got, want)
		}
	}
	for path, want := range map[string]string{"area/0001.json": "false false", "area/0002.json": "true true", "area/0003.json": "false true",
		"area/0005.json": "true true", "area/0006.json": "false true", "area/0008.json": "false true", "area/0009.json": "false false"} {
		m, ok, known, err := after.ByPath(path)
		must.OK(t, err)
		if got := fmt.Sprint(ok, known); got != want || ok && !strings.HasPrefix(m.Line, path) {
			t.Errorf("%s: %s, want %s; %q", path, got, want, m.Line)
		}
	}
	for id, want := range map[string]bool{"id-0001": false, "id-0002": true, "id-0007": true, "id-1000": true, "none": false} {
		if m, ok, err := after.ByUUID(id); err != nil || ok != want || ok && m.Text != "text" {
			t.Errorf("%s: %v %+v %v", id, ok, m, err)
		}
	}
	unknown, err := after.Unknown(t.Context(), "area/", []string{"0001.json", "0002.json", "0006.json", "0007.json", "0008.json", "0077.json", "1000.json"})
	must.OK(t, err)
	if slices.Sort(unknown); !slices.Equal(unknown, []string{"0001.json", "0077.json"}) { // the first is gone, the other new
		t.Errorf("unknown: %v", unknown)
	}
}

// TestSearchIsFTS5: words are found and ranked as by the word index of a database.
func TestSearchIsFTS5(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	vocabulary := strings.Fields(`token tokens refresh refreshed refreshing fails failure failing silently redis unreachable cache caches caching
		relational conditional generalization oscillators hopefulness formality sky crying agreed plastered hopping falling files filing
		happily probable rationally communism activate effective controller analogies Überprüfung café naïve Straße parser2 HTTP2 x a is
		the of loadUser load user database databases databasing authorisation 東京 привет`)
	sentence := func() string {
		var out []string
		for range 3 + rng.IntN(20) {
			out = append(out, vocabulary[int(float64(len(vocabulary))*rng.Float64()*rng.Float64())])
		}
		return strings.Join(out, " ")
	}
	db, err := sql.Open("sqlite", ":memory:")
	must.OK(t, err)
	defer func() { must.OK(t, db.Close()) }()
	db.SetMaxOpenConns(1)
	_, err = db.ExecContext(t.Context(), `CREATE VIRTUAL TABLE words USING fts5 (what, why, tokenize = 'porter unicode61')`)
	must.OK(t, err)
	const docs, changed = 400, 30
	put := func(n int, e Entry) {
		t.Helper()
		_, err := db.ExecContext(t.Context(), `DELETE FROM words WHERE rowid = ?1`, n)
		must.OK(t, err)
		if e.UUID != "" && !e.Gone {
			_, err = db.ExecContext(t.Context(), `INSERT INTO words (rowid, what, why) VALUES (?1, ?2, ?3)`, n, e.Columns[0], e.Columns[1])
			must.OK(t, err)
		}
	}
	random := func(n int) Entry {
		return entry(n, func(e *Entry) { e.Columns = []string{sentence(), sentence()} })
	}
	var entries, later []Entry
	for n := range docs {
		entries = append(entries, random(n+1))
		put(n+1, entries[n])
	}
	check := func(f *File) {
		t.Helper()
		for range 300 {
			var terms []Term
			var exprs []string
			for range 1 + rng.IntN(4) {
				a, b := vocabulary[rng.IntN(len(vocabulary))], vocabulary[rng.IntN(len(vocabulary))]
				switch rng.IntN(3) {
				case 0:
					terms, exprs = append(terms, Term{a}), append(exprs, `"`+a+`"`)
				case 1:
					terms, exprs = append(terms, Term{a + " " + b}), append(exprs, `"`+a+" "+b+`"`)
				default:
					terms, exprs = append(terms, Term{a, "load user"}), append(exprs, `("`+a+`" OR "load user")`)
				}
			}
			for _, all := range []bool{true, false} {
				expr := strings.Join(exprs, " OR ")
				if all {
					expr = strings.Join(exprs, " AND ")
				}
				want := map[string]float64{}
				rows, err := db.QueryContext(t.Context(), `SELECT rowid, bm25(words) FROM words WHERE words MATCH ?1`, expr)
				must.OK(t, err)
				for rows.Next() {
					var n int
					var rank float64
					must.OK(t, rows.Scan(&n, &rank))
					want[fmt.Sprintf("area/%04d.json", n)] = rank
				}
				must.OK(t, errors.Join(rows.Err(), rows.Close()))
				got, err := f.Search(terms, all, docs+changed)
				must.OK(t, err)
				if len(got) != len(want) {
					t.Fatalf("%s: %d memories, FTS5 has %d", expr, len(got), len(want))
				}
				for i, r := range got {
					path, _, _ := strings.Cut(r.Line, Separator)
					if rank, ok := want[path]; !ok || math.Abs(rank-r.Rank) > 1e-9 {
						t.Fatalf("%s: %s has %g, FTS5 says %g", expr, path, r.Rank, rank)
					}
					if i > 0 && got[i-1].Rank > r.Rank {
						t.Fatalf("%s: not in order", expr)
					}
				}
				if n, err := f.Having(terms[0]); err != nil || len(terms) == 1 && (n < len(want) || n > len(want)+len(f.changes)) {
					t.Fatalf("%s: in %d, FTS5 has %d; %v", expr, n, len(want), err)
				}
			}
		}
	}
	check(written(t, entries))
	for range changed {
		n := 1 + rng.IntN(docs+changed)
		e := random(n)
		switch rng.IntN(4) {
		case 0:
			e.Gone = true
		case 1:
			e.UUID = ""
		}
		later = append(later, e)
		put(n, e)
	}
	check(written(t, entries, later...))
}

// TestStem compares with FTS5's own stemmer all that can be made of syllables and suffixes.
func TestStem(t *testing.T) {
	db, err := sql.Open("sqlite", ":memory:")
	must.OK(t, err)
	defer func() { must.OK(t, db.Close()) }()
	db.SetMaxOpenConns(1)
	for _, q := range []string{`CREATE VIRTUAL TABLE words USING fts5 (what, tokenize = 'porter unicode61')`, `CREATE VIRTUAL TABLE terms USING fts5vocab (words, instance)`} {
		_, err = db.ExecContext(t.Context(), q)
		must.OK(t, err)
	}
	var list []string
	for _, begin := range strings.Fields("a y by tr yes toy try fil hop hopp controll oper agre feed plast conflat troubl siz fizz syzyg rel cond val rat hesit bow snow box") {
		for _, end := range strings.Fields("s ss sses ies eed ed ing at bl iz ational tional enci anci izer logi bli alli entli eli ousli ization ation ator alism iveness fulness ousness aliti iviti biliti icate ative alize iciti ical ful ness al ance ence er ic able ible ant ement ment ent ion sion tion ou ism ate iti ous ive ize e le ll ly y") {
			list = append(list, begin+end, begin+end+"s", begin+end+"ed", begin+end+"ing", begin+end+"ly")
		}
	}
	list = append(list, strings.Repeat("ab", 32)+"ing", "é", "naïveness")
	for i, w := range list {
		_, err := db.ExecContext(t.Context(), `INSERT INTO words (rowid, what) VALUES (?1, ?2)`, i+1, w)
		must.OK(t, err)
	}
	rows, err := db.QueryContext(t.Context(), `SELECT doc, term FROM terms`)
	must.OK(t, err)
	n := 0
	for rows.Next() {
		var doc int
		var want string
		must.OK(t, rows.Scan(&doc, &want))
		if got := tokens(list[doc-1]); len(got) != 1 || got[0] != want {
			t.Errorf("%s: %q, FTS5 has %q", list[doc-1], got, want)
		}
		n++
	}
	must.OK(t, errors.Join(rows.Err(), rows.Close()))
	if n != len(list) {
		t.Errorf("%d of %d words were compared", n, len(list))
	}
}

// TestDamage: whatever byte of a file is damaged or missing, an answer is an error or the right one.
func TestDamage(t *testing.T) {
	b := NewBuilder()
	for n := range 12 {
		b.Add(entry(n, func(e *Entry) { e.Columns = []string{fmt.Sprintf("pitfall number %d", n)} }))
	}
	var out bytes.Buffer
	size, err := b.WriteTo(&out)
	must.OK(t, err)
	appended(t, &out, size, entry(41, nil))
	ask := func(data []byte, size int64) (answer string, err error) {
		f, err := Open(bytes.NewReader(data), size, int64(len(data)))
		if err != nil {
			return "", err
		}
		lines, err1 := f.Lines([]string{"src/"}, "", "", all)
		found, err2 := f.Search([]Term{{"pitfall"}, {"number 7"}}, true, 5)
		n, err3 := f.Having(Term{"pitfall"})
		brief, err4 := f.Brief()
		m, _, _, err5 := f.ByPath("area/0003.json")
		return fmt.Sprint(lines, found, n, brief, m), errors.Join(err1, err2, err3, err4, err5)
	}
	want, err := ask(out.Bytes(), size)
	must.OK(t, err)
	for i := range out.Len() {
		data := bytes.Clone(out.Bytes())
		data[i] ^= 0x41
		if got, err := ask(data, size); err == nil && got != want {
			t.Fatalf("byte %d of %d is damaged, and the answer is another", i, len(data))
		}
		if _, err := ask(out.Bytes()[:i], min(size, int64(i))); err == nil && int64(i) != size { // there the table ends
			t.Fatalf("cut off after %d bytes, and it answers", i)
		}
	}
}

func FuzzOpen(f *testing.F) {
	b := NewBuilder()
	b.Add(entry(1, nil))
	var out bytes.Buffer
	size, err := b.WriteTo(&out)
	if err != nil {
		f.Fatal(err)
	}
	appended(f, &out, size, entry(2, nil))
	f.Add(out.Bytes(), size)
	f.Fuzz(func(t *testing.T, data []byte, size int64) {
		file, err := Open(bytes.NewReader(data), size, int64(len(data)))
		if err != nil {
			return
		}
		_, _ = file.Lines([]string{"src/"}, "", "\xff", all)
		_, _ = file.Search([]Term{{"pitfall"}}, false, 9)
		_, _ = file.Search([]Term{{"pitfall"}, {"pitfall number"}}, true, 9)
		_, _ = file.Brief()
	})
}

// FuzzPostings reads damaged occurrences of a word, which a checksum would have found.
func FuzzPostings(f *testing.F) {
	f.Add([]byte{2, 3, 2, 0, 0x80, 1})
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1})
	f.Fuzz(func(t *testing.T, data []byte) {
		last := 0
		for p := (postings{data: data}); p.next(); {
			if p.doc < last {
				t.Fatalf("document %d comes behind %d", p.doc, last)
			}
			last = p.doc
		}
	})
}

// TestSpellings: the spellings of a stem are one word, of which each document has its own places.
func TestSpellings(t *testing.T) {
	b := NewBuilder()
	if n := b.index(0, []string{"Testing tests", "the test"}); n != 4 {
		t.Errorf("%d words, want 4", n)
	}
	b.index(1, []string{"nothing"})
	b.index(3, []string{"a tested thing"})
	p := b.words["test"]
	if p == nil {
		t.Fatalf("no posting of the stem among %v", b.words)
	}
	data := []byte{0<<1 | 1, 3, 3 << 1}
	places := binary.AppendUvarint([]byte{0, 1}, columnGap+1-1)
	places = append(places, 1)
	if p.docs != 2 || !bytes.Equal(p.data, data) || !bytes.Equal(p.places, places) {
		t.Errorf("in %d documents, %v at %v, want 2, %v at %v", p.docs, p.data, p.places, data, places)
	}
}

package biencoder

import (
	"strings"
	"testing"

	"manicule/indexer/must"
	"manicule/indexer/words"
)

// TestLearned: a question is nearer to the function that does what it says than to others, although they share no word.
func TestLearned(t *testing.T) {
	m, err := Load()
	must.OK(t, err)
	bodies := map[string]string{
		"delete":  "func (c *Cache) Purge(key string) { c.mu.Lock(); defer c.mu.Unlock(); if e, ok := c.items[key]; ok { delete(c.items, key); c.evict(e) } }",
		"listen":  "func Serve(addr string, h Handler) error { ln, err := net.Listen(\"tcp\", addr); if err != nil { return err }; for { conn, err := ln.Accept(); go h.serveConn(conn) } }",
		"compare": "func (v Version) Less(o Version) bool { if v.major != o.major { return v.major < o.major }; return v.minor < o.minor }",
		"parse":   "func readHeader(r *bufio.Reader) (map[string]string, error) { line, err := r.ReadString('\\n'); k, v, ok := strings.Cut(line, \":\"); fields[k] = v; return fields, err }",
	}
	for question, want := range map[string]string{
		"remove an entry so that it is no longer there":      "delete",
		"start a web server that waits for clients":          "listen",
		"whether one release is older than another":          "compare",
		"decode the metadata that precedes a message's body": "parse",
	} {
		q, ok := m.Question(words.Terms(question))
		if !ok {
			t.Errorf("%q: no word is known", question)
		}
		best, found := float32(-2), ""
		for name, body := range bodies {
			v, ok := m.Function(words.Terms(body))
			if !ok {
				t.Errorf("%s: no word is known", name)
			}
			if c := q.Dot(&v) * q.Inverse() * v.Inverse(); c > best {
				best, found = c, name
			}
		}
		if found != want {
			t.Errorf("%q: nearest to %s, want %s", question, found, want)
		}
	}
	if _, ok := m.Question([]string{"qqqqzzzz"}); ok {
		t.Error("an unknown word has a vector")
	}
	if _, ok := m.Question(nil); ok {
		t.Error("no word has a vector")
	}
}

func small() string {
	var ask, do [Dim]float32
	ask[0], ask[1], do[0], do[2] = 2, -1, .5, .25
	return Encode([]string{"drop", "delet"}, [][Dim]float32{ask, {}}, [][Dim]float32{do, ask})
}

func TestEncode(t *testing.T) {
	m, err := Parse(small())
	must.OK(t, err)
	if v, ok := m.Question([]string{"drop"}); !ok || v[0] != 127 || v[1] != -64 || v[2] != 0 {
		t.Errorf("a question: %v, %v", v, ok)
	}
	if v, ok := m.Function([]string{"drop", "delet"}); !ok || v[0] != 127 || v[1] != -51 || v[2] != 13 {
		t.Errorf("the sum of two words: %v, %v", v, ok)
	}
	if _, ok := m.Question([]string{"delet"}); ok {
		t.Error("a word without a direction has one")
	}
	if v, ok := m.Function(append(strings.Fields(strings.Repeat("x ", mostTerms)), "drop")); ok {
		t.Errorf("a word behind the ones that count: %v", v)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(small())
	f.Add(small()[:40])
	f.Add("")
	f.Add("\xff\xff\xff\xff")
	f.Fuzz(func(t *testing.T, data string) {
		m, err := Parse(data)
		if err != nil {
			return
		}
		for w := range m.place {
			m.Question([]string{w})
			m.Function([]string{w, w})
		}
	})
}

func BenchmarkFunction(b *testing.B) {
	m, err := Load()
	must.OK(b, err)
	terms := words.Terms(strings.Repeat("read the header of a message and return its fields or an error if the line ends early ", 3) + "conn reader buffer key value map string cut byte limit")
	for b.Loop() {
		m.Function(terms)
	}
}

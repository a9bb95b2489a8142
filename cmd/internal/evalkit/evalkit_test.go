package evalkit

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"manicule/indexer/must"
)

func TestPercentile(t *testing.T) {
	var s []time.Duration
	for i := 100; i > 0; i-- {
		s = append(s, time.Duration(i))
	}
	for _, c := range []struct {
		of   []time.Duration
		q    float64
		want time.Duration
	}{{s, 0.5, 50}, {s, 0.07, 7}, {s, 0.99, 99}, {s, 1, 100}, {s, 0, 1}, {s[:1], 0.5, 100}, {s[:3], .95, 100}, {nil, 0.5, 0}} {
		if got := Percentile(c.of, c.q); got != c.want {
			t.Errorf("percentile %v of %d values = %d, want %d", c.q, len(c.of), got, c.want)
		}
	}
}

func TestInterval(t *testing.T) {
	if low, high := Interval([]float64{.5, .5, .5}); low != .5 || high != .5 {
		t.Errorf("of equal values: %f, %f", low, high)
	}
	wide := make([]float64, 100)
	for i := range wide {
		wide[i] = float64(i % 2)
	}
	if low, high := Interval(wide); math.Abs(low-.4) > .03 || math.Abs(high-.6) > .03 {
		t.Errorf("of a coin: %f, %f", low, high)
	}
	if got := Difference([]float64{1, 1}, []float64{.5, .5}); got != "+0.500 [+0.500, +0.500]" {
		t.Errorf("of pairs: %s", got)
	}
}

func TestPublish(t *testing.T) {
	doc := filepath.Join(t.TempDir(), "doc.md")
	d := Document{Path: doc, Write: true}
	must.Write(t, doc, "before\n"+Begin+"\nold\n"+End+"\nafter\n")
	if err := d.Publish("other\n", []string{"a part"}); err == nil {
		t.Error("figures were written though a part was left out")
	}
	must.OK(t, d.Publish("new\n", nil))
	got := must.Read(t, doc)
	if want := "before\n" + Begin + "\nnew\n" + End + "\nafter\n"; string(got) != want {
		t.Errorf("got %q, want %q", got, want)
	}
	d.Short = "less\n"
	must.OK(t, d.Publish("all\n", nil))
	if got := must.Read(t, doc); !strings.Contains(string(got), Begin+"\nless\n"+End) {
		t.Errorf("%q", got)
	}
	must.Write(t, doc, "nothing")
	if err := d.Publish("new\n", nil); err == nil {
		t.Error("a document without a place for figures was changed")
	}
}

// TestDocuments: the pages that figures are written into have a place for them.
func TestDocuments(t *testing.T) {
	for _, of := range []string{"bench/process", "eval/graph", "eval/anchors"} {
		doc := must.Read(t, "../../"+of+"/FIGURES.md")
		if strings.Count(string(doc), Begin) != 1 || strings.Count(string(doc), End) != 1 {
			t.Errorf("cmd/%s/FIGURES.md has no place for the figures", of)
		}
	}
}

func TestRunParts(t *testing.T) {
	var ran []string
	part := func(name string, err error) Part {
		return Part{name, func(context.Context) error { ran = append(ran, name); return err }}
	}
	parts := []Part{part("a", nil), part("b", Missing("no data")), part("c", nil)}
	left, err := RunParts(t.Context(), parts, []string{"a", "b"})
	if err != nil || !slices.Equal(ran, []string{"a", "b"}) || !slices.Equal(left, []string{"b", "c"}) {
		t.Errorf("ran %v, left out %v, %v", ran, left, err)
	}
	if _, err := RunParts(t.Context(), parts, []string{"b"}); !errors.Is(err, ErrMissing) {
		t.Errorf("nothing was measured: %v", err)
	}
	if _, err := RunParts(t.Context(), []Part{part("d", errors.New("broken"))}, nil); err == nil || !strings.Contains(err.Error(), "d: broken") {
		t.Errorf("an error: %v", err)
	}
}

func TestMillis(t *testing.T) {
	for d, want := range map[time.Duration]string{0: "0", 1234: "0.0012", 250 * time.Microsecond: "0.25", 12340 * time.Microsecond: "12.3", 1234 * time.Millisecond: "1234"} {
		if got := Millis(d); got != want {
			t.Errorf("%v is %s, want %s", d, got, want)
		}
	}
}

func TestGoFlags(t *testing.T) {
	got := goFlags([]string{"gate", "-data", "x", "-n", "5", "--check", "-sizes=1,2", "-v", "-1", "--", "-data"})
	want := []string{"gate", "--data", "x", "-n", "5", "--check", "--sizes=1,2", "-v", "-1", "--", "-data"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

func TestReadLines(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a.jsonl")
	type pair struct {
		A int `json:"a"`
	}
	must.OK(t, WriteLines(name, []pair{{1}, {2}}))
	got, err := ReadLines[pair](name)
	if err != nil || !slices.Equal(got, []pair{{1}, {2}}) {
		t.Errorf("%v, %v", got, err)
	}
	must.Write(t, name, "{}\n\nx\n")
	if _, err := ReadLines[pair](name); err == nil || !strings.Contains(err.Error(), "line 3") {
		t.Errorf("of what is no JSON: %v", err)
	}
}

// TestUUID: equal seeds give equal ids, with the version, the variant and the time.
func TestUUID(t *testing.T) {
	at := time.UnixMilli(0x0123456789ab)
	first := UUID(rand.New(rand.NewPCG(1, 2)), at)
	if again := UUID(rand.New(rand.NewPCG(1, 2)), at); again != first {
		t.Errorf("the second is %s, want %s", again, first)
	}
	if !regexp.MustCompile(`^01234567-89ab-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`).MatchString(first) {
		t.Errorf("%s is no version 7 UUID of its time", first)
	}
}

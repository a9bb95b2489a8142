package embed

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"manicule/indexer/must"
	"manicule/memory/store"
)

func vectors(t *testing.T) *store.Vectors {
	t.Helper()
	v, err := store.OpenVectors(t.Context(), t.TempDir(), func() time.Time { return time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC) })
	must.OK(t, err)
	t.Cleanup(func() { _ = v.Close() }) // a test's database
	return v
}

func texts(n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprintf("text %d", i)
	}
	return out
}

// TestFillGoesOn: what an interrupted run stored is not made again; another
// model makes everything again and takes nothing of the first.
func TestFillGoesOn(t *testing.T) {
	db := vectors(t)
	a := &counter{info: Info{Model: "a", Dims: 1}}
	broken := errors.New("interrupted")
	n := 0
	a.step = func(context.Context, []string) error {
		if n++; n == 3 {
			return broken
		}
		return nil
	}
	c := NewCached(start(t, newClock(), opens(a)), db)
	all := texts(3 * pageTexts)
	if _, err := c.Fill(t.Context(), a.info, all, nil); !errors.Is(err, broken) {
		t.Fatalf("%v", err)
	}
	r, err := c.Fill(t.Context(), a.info, all, nil)
	if err != nil || r.Known == 0 || r.Known+r.Made != len(all) || len(a.asked()) < len(all) {
		t.Errorf("%+v: %v", r, err)
	}
	before := len(a.asked())
	if r, err = c.Fill(t.Context(), a.info, all, nil); err != nil || r.Made != 0 || len(a.asked()) != before {
		t.Errorf("everything is known: %+v: %v", r, err)
	}
	b := &counter{info: Info{Model: "b", Dims: 1}}
	c = NewCached(start(t, newClock(), opens(b)), db)
	if r, err := c.Fill(t.Context(), b.info, all, nil); err != nil || r.Made != len(all) {
		t.Errorf("another model: %+v: %v", r, err)
	}
}

// TestOneModelInAnAnswer: where the model that was looked for is not the one
// that answers, no vector of the first is in the result.
func TestOneModelInAnAnswer(t *testing.T) {
	db := vectors(t)
	server, local := &counter{info: Info{Model: "server", Dims: 1}}, &counter{info: Info{Model: "local", Dims: 1}}
	if _, err := NewCached(start(t, newClock(), opens(server)), db).Fill(t.Context(), server.info, texts(3), nil); err != nil {
		t.Fatal(err)
	}
	c := NewCached(start(t, newClock(), opens(local)), db)
	info, got, err := c.Embed(t.Context(), Query, server.info, append(texts(4), "text 1"))
	if err != nil || info.Model != "local" {
		t.Fatalf("%+v: %v", info, err)
	}
	want, err := local.Embed(t.Context(), append(texts(4), "text 1"))
	if err != nil || !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("%v, want %v: %v", got, want, err)
	}
	if known, _, err := c.Embed(t.Context(), Query, server.info, texts(3)); err != nil || known.Model != "server" {
		t.Errorf("what is known needs no model: %+v: %v", known, err)
	}
}

// TestFillOfAnUnknownModel: of a server only an answer tells the model. One text is asked for again, not a page of them.
func TestFillOfAnUnknownModel(t *testing.T) {
	a := &counter{info: Info{Model: "a", Dims: 1}}
	c := NewCached(start(t, newClock(), opens(a)), vectors(t))
	all := texts(3 * pageTexts)
	for _, most := range []int{len(all), 1, 1} {
		before := len(a.asked())
		r, err := c.Fill(t.Context(), Info{}, all, nil)
		if n := len(a.asked()) - before; err != nil || r.Known+r.Made != len(all) || r.Made > most || n > most {
			t.Errorf("%+v, %d asked for, want at most %d: %v", r, n, most, err)
		}
	}
	info, got, err := c.Embed(t.Context(), Query, Info{}, all[:3])
	if want, werr := a.Embed(t.Context(), all[:3]); err != nil || werr != nil || info.Model != "a" || !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("%+v, %v, want %v: %v, %v", info, got, want, err, werr)
	}
}

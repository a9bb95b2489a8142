package graph

import (
	"fmt"
	"slices"
	"testing"

	"manicule/indexer/must"
)

const guesses = `-- go.mod --
module example.com/guess

go 1.26
-- store/store.go --
package store

import "io"

type Store struct{}

func (Store) Close() error { return nil }

func (Store) Get(k string) string { return k }

func Drop() {}

var _ io.Closer = Store{}
-- use/use.go --
package use

import (
	"fmt"
	"io"
	"os"

	"example.com/guess/store"
)

type other struct{}

func (other) Get(k string) string { return k }

func Run(c io.Closer, x any, f *os.File) {
	_ = c.Close()
	_ = fmt.Sprint(x)
	_ = other{}.Get("a")
	s := store.Store{}
	_ = s.Get("b")
	for _, v := range unknown() {
		_ = v.Get("c")
		v.Drop()
	}
	store.Drop()
	os.Close()
	func(os io.Closer) { os.Close() }(c)
	Get("d")
}
-- lua/a.lua --
local M = {}

function M.paint(x)
  return x
end

return M
-- lua/b.lua --
local lazy = require('lazy')
local paint = lazy('a').paint
paint(1)
lazy('a').paint(2)
-- c/a.c --
int low(int x) { return x; }

#define LOW(x) do { \
    low(x); \
} while (0)

int use(void) { return low(1); }
-- rb/a.rb --
class Request
  def scheme
    "http"
  end

  def url
    "#{scheme}://"
  end
end
`

// TestPossible: calls that nothing is known of are possible; those that surely
// mean something else are not, and those that are known are callers.
func TestPossible(t *testing.T) {
	s := newSpace(t, guesses)
	ix := s.open()
	s.sync(ix)
	g := s.graph(ix)
	for _, c := range []struct {
		file, symbol string
		want         []string
	}{
		{"store/store.go", "Store.Close", []string{"use/use.go:16 Run", "use/use.go:27 Run"}}, // a library's interface, also by the name of a package, and no function of a package
		{"store/store.go", "Store.Get", []string{"use/use.go:22 Run"}},                        // no other type's, no bare call
		{"store/store.go", "Drop", nil},                                                       // no value's
		{"lua/a.lua", "M.paint", []string{"lua/b.lua:4"}},
		{"c/a.c", "low", []string{"c/a.c:4 LOW"}}, // in a macro
	} {
		found := g.Find(c.file, c.symbol)
		if len(found) == 0 {
			t.Fatalf("no %s", c.symbol)
		}
		all, err := ix.Possible(t.Context(), found)
		must.OK(t, err)
		var got []string
		for _, r := range all {
			at := fmt.Sprintf("%s:%d", r.File, r.Line)
			if r.Symbol != "" {
				at += " " + r.Symbol
			}
			got = append(got, at)
			if r.Kind != Possible || r.Confidence != possibleSure {
				t.Errorf("%+v", r)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("possible calls of %s: %q, want %q; callers %q", c.symbol, got, c.want, names(g.Callers(found)))
		}
	}
}

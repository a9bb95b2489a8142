package extract

import (
	"bytes"
	"context"
	"reflect"
	"sync"
	"testing"
)

// TestLuaAlone holds that a source of Lua means the same whatever is parsed
// beside it or was parsed before it.
func TestLuaAlone(t *testing.T) {
	src := []byte("local M = {}\nlocal s = [==[ a ]] \" b ]==] .. 'c' .. \"it's\"\n--[[ a comment ' \" ]]\nfunction M.f(a) return g('x' .. a) end\nreturn M\n")
	src = bytes.Repeat(src, 40)
	open := []byte("local s = \"never closed\nlocal t = [==[ nor this")
	index := func() *Facts {
		f, err := ParseFacts(context.Background(), "lua", src)
		if err != nil {
			t.Error(err)
		}
		return f
	}
	want := index()
	if len(want.Errors) > 0 || len(want.Symbols) < 40 {
		t.Fatalf("%d symbols, errors at %v", len(want.Symbols), want.Errors)
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 10 {
				if _, err := ParseFacts(context.Background(), "lua", open); err != nil {
					t.Error(err)
				}
				if got := index(); !reflect.DeepEqual(got, want) {
					t.Errorf("%d symbols and %d errors, alone %d and none", len(got.Symbols), len(got.Errors), len(want.Symbols))
					return
				}
			}
		})
	}
	wg.Wait()
}

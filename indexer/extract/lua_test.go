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

// TestLuaAnnotations holds that comments with types, and calls of what a method returns, cost no code.
func TestLuaAnnotations(t *testing.T) {
	t.Parallel()
	src := []byte("--- Makes one.\n---@param a table<1|2, string>|nil the \"first\n---@return string[] # all\n---@field private x? (fun(a: T[]): T)[]\nfunction M.f(a)\n  a.b:c(1, 2)(3)\nend\n--[[ a\n--- b ]]\nfunction M.g() end\n")
	errors, err := SyntaxErrors(context.Background(), "lua", src)
	if err != nil || len(errors) > 0 {
		t.Errorf("not understood: %v, %v", errors, err)
	}
	f, err := Parse(context.Background(), "lua", src)
	if err != nil || len(f.Symbols) != 2 || f.Symbols[0].DocStart != 0 {
		t.Errorf("found %+v, %v", f.Symbols, err)
	}
}

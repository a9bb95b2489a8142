package graph

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestMostUsed: what more files use comes first, and tests last.
func TestMostUsed(t *testing.T) {
	s := newSpace(t, `
-- go.mod --
module example.com/m
-- core/core.go --
package core

func Alone() {}

func Once() { Alone() }

func Twice() {}
-- api/a.go --
package api

import "example.com/m/core"

func A() { core.Once(); core.Twice(); core.Twice() }
-- api/b.go --
package api

import "example.com/m/core"

func B() { core.Twice() }
-- core/a_test.go --
package core

func helper() { Alone() }
`)
	ix := s.open()
	s.sync(ix)
	g := s.graph(ix)
	all := func(limit int) (out []string) {
		for _, u := range g.MostUsed(limit) {
			out = append(out, fmt.Sprintf("%s#%s:%d %s", u.File, u.Symbol, u.Line, strings.Join(u.UsedBy, ",")))
		}
		return out
	}
	want := []string{
		"core/core.go#Twice:7 api/a.go,api/b.go",
		"core/core.go#Alone:3 core/a_test.go",
		"core/core.go#Once:5 api/a.go",
		"api/a.go#A:5 ",
		"api/b.go#B:5 ",
		"core/a_test.go#helper:3 ",
	}
	if got := all(100); !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if got := all(2); !slices.Equal(got, want[:2]) {
		t.Errorf("the first two are %v", got)
	}
}

package graph

import (
	"fmt"
	"slices"
	"testing"
)

// TestModule holds how folders hang together: what they use of each other, and
// where the programs begin that come to them.
func TestModule(t *testing.T) {
	s := newSpace(t, `
-- go.mod --
module example.com/m
-- cmd/run/main.go --
package main

import "example.com/m/api"

func main() { api.Serve() }
-- api/api.go --
package api

import (
	"example.com/m/core"
	"example.com/m/core/deep"
)

func Serve() { core.Do(core.Thing{}); deep.Down() }
-- core/core.go --
package core

import "example.com/m/core/deep"

type Thing struct{}

func Do(Thing) { deep.Down() }
-- core/deep/deep.go --
package deep

func Down() {}
-- tool/tool.go --
package tool

func main() {}
-- core/core_test.go --
package core

func main() {}
`)
	ix := s.open()
	s.sync(ix)
	g := s.graph(ix)
	m, ok := g.Module("core/")
	if !ok || m.Dir != "core" || m.Files != 3 || m.Symbols != 4 {
		t.Errorf("%+v", m)
	}
	flow := func(all []Flow) (out []string) {
		for _, f := range all {
			out = append(out, fmt.Sprintf("%s>%s %d calls %d types %d other %s %s", f.From, f.To, f.Calls, f.Types, f.Other, f.Kind, f.How))
			if f.Confidence < .5 || f.Confidence > 1 || f.Stale {
				t.Errorf("%+v", f)
			}
		}
		return out
	}
	if got := flow(m.UsedBy); !slices.Equal(got, []string{"api>core 2 calls 1 types 0 other must ast"}) {
		t.Errorf("used by %q", got)
	}
	if got := flow(m.Inside); !slices.Equal(got, []string{"core>core/deep 1 calls 0 types 0 other must ast"}) {
		t.Errorf("inside %q", got)
	}
	if len(m.FlowsTo) > 0 {
		t.Errorf("flows to %+v", m.FlowsTo)
	}
	if len(m.Entries) != 1 || m.Entries[0].File != "cmd/run/main.go" || !slices.Equal(m.Entries[0].Path, []string{"cmd/run", "api", "core"}) {
		t.Errorf("entry points %+v", m.Entries)
	}
	if api, _ := g.Module("api"); len(api.FlowsTo) != 2 || api.FlowsTo[0].From != "api" {
		t.Errorf("flows to %+v", api.FlowsTo)
	}
	if all, ok := g.Module("."); !ok || len(all.UsedBy)+len(all.FlowsTo) > 0 || len(all.Inside) != 4 || len(all.Entries) != 2 {
		t.Errorf("%+v", all)
	}
	if _, ok := g.Module("nothing"); ok {
		t.Error("a folder without code has a module")
	}
}

package graph

import (
	"fmt"
	"slices"
	"testing"
)

// animals has an interface, what implements it, one that asks for less, a method
// that is promoted, and functions that are passed on.
const animals = `
-- go.mod --
module example.com/animals

go 1.24
-- animals.go --
package animals

type Speaker interface {
	Speak(loud bool) string
	Name() string
}

type Named interface{ Name() string }

type Dog struct{}

func (Dog) Speak(loud bool) string { return "" }
func (Dog) Name() string           { return "" }

type Puppy struct{ Dog }

type Clock struct{}

func (Clock) Speak(volume int) string { return "" }
func (Clock) Name() string            { return "" }

type Loud struct{ Speaker }

func (l Loud) Name() string { return "loud" }

func any(s Speaker) string { return s.Speak(true) }
func dog(d Dog) string     { return d.Speak(true) }
func puppy(p Puppy) string { return p.Speak(true) }
func clock(c Clock) string { return c.Speak(1) }
func named(n Named) string { return n.Name() }

func handle()           {}
func run(f func())      { f() }
func start()            { run(handle) }
func method(d Dog) func() string { return d.Name }
-- file/file.go --
package file

type File struct{}
-- web.go --
package animals

import "example.com/animals/file"

type File struct{}

type Opener interface{ Open(name string) (f File, err error) }

type Site struct{}

func (Site) Open(name string) (file.File, error) { return file.File{}, nil }

func open(s Site)      { s.Open("") }
func reads(o Opener)   { o.Open("") }
-- web/zoo.ts --
export interface Shape { area(n: number): number }
export class Square implements Shape { area(n: number) { return n; } }
export function total(s: Shape) { return s.area(1); }
export function one(q: Square) { return q.area(1); }
export function cb() {}
-- web/use.ts --
import { cb } from "./zoo";
export function wire() { setTimeout(cb, 1); }
`

// TestCallersOfInterfaces holds what counts as a caller of a method of an
// interface, of what implements it, and of a function that is passed on.
func TestCallersOfInterfaces(t *testing.T) {
	s := newSpace(t, animals)
	ix := s.open()
	s.sync(ix)
	g := s.graph(ix)
	for _, tt := range []struct {
		file, symbol string
		want         []string
	}{
		{"animals.go", "Speaker.Speak", []string{"any call must", "dog call may via Dog.Speak below", "puppy call may via Dog.Speak below"}},
		{"animals.go", "Dog.Speak", []string{"any call may via Speaker.Speak", "dog call must", "puppy call must"}},
		{"animals.go", "Clock.Speak", []string{"clock call must"}}, // its parameter is of another type
		{"animals.go", "Speaker.Name", []string{"named call may via Named.Name", "method value may via Dog.Name below"}},
		{"animals.go", "Loud.Name", []string{"named call may via Named.Name"}}, // what it embeds makes it a Speaker
		{"web.go", "Site.Open", []string{"open call must"}},                    // of a type of the same name in another package
		{"animals.go", "Named.Name", []string{"named call must", "method value may via Dog.Name below"}},
		{"animals.go", "handle", []string{"start value may"}},
		{"web/zoo.ts", "Shape.area", []string{"total call must", "one call may via Square.area below"}},
		{"web/zoo.ts", "Square.area", []string{"total call may via Shape.area", "one call must"}},
		{"web/zoo.ts", "cb", []string{"wire value may"}}, // the import is none
	} {
		t.Run(tt.symbol, func(t *testing.T) {
			var got []string
			for _, r := range g.Callers(g.Find(tt.file, tt.symbol)) {
				line := fmt.Sprintf("%s %s %s", r.Symbol, r.Edge, r.Kind)
				if r.Via != "" {
					line += " via " + r.Via
				}
				if r.Below {
					line += " below"
				}
				got = append(got, line)
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("callers %q, want %q", got, tt.want)
			}
		})
	}
	for _, r := range g.References(g.Find("web/zoo.ts", "cb")) {
		if r.File == "web/use.ts" && r.Line == 1 && r.Edge != "import" {
			t.Errorf("the import is a %q", r.Edge)
		}
	}
}

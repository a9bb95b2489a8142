package graph

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"
	"golang.org/x/tools/txtar"
	"google.golang.org/protobuf/encoding/protowire"

	"manicule/grammars"
	"manicule/indexer/extract"
	"manicule/indexer/watch"
)

// shop is a small workspace in three languages.
const shop = `
-- go.mod --
module example.com/shop

go 1.24
-- auth/token.go --
package auth

import "example.com/shop/store"

// Validator checks tokens.
type Validator interface {
	Validate(token string) error
}

type Service struct {
	keep  *store.Keeper
	check Validator
}

func New(k *store.Keeper, v Validator) *Service { return &Service{keep: k, check: v} }

func (s *Service) Login(token string) error {
	if err := s.check.Validate(token); err != nil {
		return err
	}
	return s.keep.Put(token)
}
-- auth/strict.go --
package auth

type Strict struct{ min int }

func (s Strict) Validate(token string) error { return nil }
-- store/keeper.go --
package store

import "fmt"

type Keeper struct{ Log }

type Log struct{}

func (l *Log) Note(text string) { fmt.Println(text) }

func (k *Keeper) Put(token string) error {
	k.Note(token)
	return nil
}
-- cmd/main.go --
package main

import (
	"example.com/shop/auth"
	"example.com/shop/store"
)

func main() {
	s := auth.New(&store.Keeper{}, auth.Strict{})
	if err := s.Login("x"); err != nil {
		panic(err)
	}
}
-- auth/token_test.go --
package auth

import "testing"

func TestLogin(t *testing.T) { _ = New(nil, Strict{}).Login("t") }
-- web/api.ts --
import { Client } from "./client";
export function load(c: Client) { return c.get("/x"); }
-- web/client.ts --
export class Client {
  get(path: string) { return this.send(path); }
  private send(path: string) { return path; }
}
-- web/index.ts --
export * from "./client";
export { load as fetchAll } from "./api";
-- web/app.ts --
import { Client, fetchAll } from "./index";
const c = new Client();
fetchAll(c);
c.get("/y");
-- py/models.py --
class Base:
    def save(self):
        return self.check()

    def check(self):
        return True


class User(Base):
    def check(self):
        return False
-- py/main.py --
from models import User

def run():
    u = User()
    u.save()
`

type space struct {
	t    *testing.T
	root string
	dir  string
	tick time.Time
}

func newSpace(t *testing.T, archive string) *space {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := &space{t: t, root: root, dir: t.TempDir(), tick: time.Now().Add(-time.Hour)}
	for _, f := range txtar.Parse([]byte(archive)).Files {
		s.write(f.Name, string(f.Data))
	}
	return s
}

// write gives every version of a file another time, which is long ago: nothing
// about a test may depend on when it runs.
func (s *space) write(name, text string) {
	s.t.Helper()
	p := filepath.Join(s.root, filepath.FromSlash(name))
	if err := errors.Join(os.MkdirAll(filepath.Dir(p), 0o755), os.WriteFile(p, []byte(text), 0o644)); err != nil {
		s.t.Fatal(err)
	}
	s.tick = s.tick.Add(time.Second)
	if err := os.Chtimes(p, s.tick, s.tick); err != nil {
		s.t.Fatal(err)
	}
}

func (s *space) read(name string) string {
	s.t.Helper()
	b, err := os.ReadFile(filepath.Join(s.root, filepath.FromSlash(name)))
	if err != nil {
		s.t.Fatal(err)
	}
	return string(b)
}

func (s *space) open() *Index {
	s.t.Helper()
	ix := Open(Options{Root: s.root, Dir: s.dir, Workers: 2})
	s.t.Cleanup(func() {
		if err := ix.Close(); err != nil {
			s.t.Error(err)
		}
	})
	return ix
}

func (s *space) sync(ix *Index) Report {
	s.t.Helper()
	r, err := ix.Sync(s.t.Context(), nil)
	if err != nil {
		s.t.Fatal(err)
	}
	return r
}

func (s *space) graph(ix *Index) *Graph {
	s.t.Helper()
	g, err := ix.Graph(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	return g
}

// names writes relations as "file#symbol", "?" before those that may be.
func names(all []Relation) []string {
	out := []string{}
	for _, r := range all {
		n := r.File + "#" + r.Symbol
		if r.Kind == May {
			n = "?" + n
		}
		if r.Stale {
			n += " stale"
		}
		out = append(out, n)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func (s *space) callers(g *Graph, at string) []string {
	s.t.Helper()
	file, symbol, _ := strings.Cut(at, "#")
	found := g.Find(file, symbol)
	if len(found) == 0 {
		s.t.Fatalf("%s is not there", at)
	}
	return names(g.Callers(found))
}

func TestQueries(t *testing.T) {
	s := newSpace(t, shop)
	ix := s.open()
	if r := s.sync(ix); !r.Cold || r.Parsed != 12 || r.Skipped != 1 {
		t.Errorf("%+v", r)
	}
	g := s.graph(ix)
	for at, want := range map[string][]string{
		"store/keeper.go#Keeper.Put":       {"auth/token.go#Service.Login"},
		"store/keeper.go#Log.Note":         {"store/keeper.go#Keeper.Put"},
		"auth/token.go#New":                {"auth/token_test.go#TestLogin", "cmd/main.go#main"},
		"auth/token.go#Service.Login":      {"auth/token_test.go#TestLogin", "cmd/main.go#main"},
		"auth/token.go#Validator.Validate": {"auth/token.go#Service.Login"},
		"auth/strict.go#Strict.Validate":   {"?auth/token.go#Service.Login"},
		"web/client.ts#Client.get":         {"web/api.ts#load", "web/app.ts#"},
		"web/client.ts#Client.send":        {"web/client.ts#Client.get"},
		"web/api.ts#load":                  {"web/app.ts#"},
		"py/models.py#Base.save":           {"py/main.py#run"},
		"py/models.py#Base.check":          {"py/models.py#Base.save"},
		"py/models.py#User.check":          {"?py/models.py#Base.save"},
		"py/models.py#User":                {"py/main.py#run"},
	} {
		if got := s.callers(g, at); !slices.Equal(got, want) {
			t.Errorf("callers of %s: %q, want %q", at, got, want)
		}
	}
	if got := names(g.Callees(g.Find("auth/token.go", "Service.Login"))); !slices.Equal(got, []string{"?auth/strict.go#Strict.Validate", "auth/token.go#Validator.Validate", "store/keeper.go#Keeper.Put"}) {
		t.Errorf("callees: %q", got)
	}
	if got := g.Dependents("store/keeper.go"); !slices.Equal(got, []string{"auth/token.go", "cmd/main.go"}) {
		t.Errorf("dependents: %q", got)
	}
	if got := g.Find("py/models.py", "check"); len(got) != 2 {
		t.Errorf("an ambiguous name finds %d", len(got))
	}
	if got := g.Find("py/models.py", "save"); len(got) != 1 || got[0].Path != "Base.save" {
		t.Errorf("the last part of a name: %v", got)
	}
}

func TestImpact(t *testing.T) {
	s := newSpace(t, shop)
	ix := s.open()
	s.sync(ix)
	g := s.graph(ix)
	im := g.Impact(g.Find("store/keeper.go", "Log.Note"), 3)
	var got []string
	for _, a := range im.Affected {
		got = append(got, fmt.Sprintf("%d %s#%s", a.Distance, a.File, a.Symbol))
	}
	want := []string{"1 store/keeper.go#Keeper.Put", "2 auth/token.go#Service.Login", "3 auth/token_test.go#TestLogin", "3 cmd/main.go#main"}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if !slices.Equal(im.Tests, []string{"auth/token_test.go"}) || im.Files != 4 {
		t.Errorf("%q %d", im.Tests, im.Files)
	}
	if p := im.Affected[3].Path; !slices.Equal(p, []string{"cmd/main.go#main", "auth/token.go#Service.Login", "store/keeper.go#Keeper.Put", "store/keeper.go#Log.Note"}) {
		t.Errorf("the path: %q", p)
	}
	if e := im.Affected[3].Edges; !slices.Equal(e, []string{"call", "call", "call"}) {
		t.Errorf("the edges of the path: %q", e)
	}
	if im := g.Impact(g.Find("store/keeper.go", "Log.Note"), 1); len(im.Affected) != 1 {
		t.Errorf("depth 1: %d", len(im.Affected))
	}
	// An interface's method: what implements it must change with it; a change
	// of one implementation may reach the interface's callers.
	im = g.Impact(g.Find("auth/token.go", "Validator.Validate"), 1)
	if len(im.Affected) != 2 || im.Affected[0].Edge != "implements" && im.Affected[1].Edge != "implements" {
		t.Errorf("%+v", im.Affected)
	}
	im = g.Impact(g.Find("auth/strict.go", "Strict.Validate"), 1)
	if len(im.Affected) != 1 || im.Affected[0].Kind != May || im.Affected[0].Symbol != "Service.Login" {
		t.Errorf("%+v", im.Affected)
	}
}

// dump writes every edge of a graph, whatever the ids are.
func dump(g *Graph) string {
	var lines []string
	for _, st := range g.files {
		for _, l := range st.links {
			from := "?"
			for _, s := range append(st.file.Symbols, st.file.Self) {
				if s.ID == l.from {
					from = s.Path
				}
			}
			lines = append(lines, fmt.Sprintf("%s#%s -> %s %s:%d may %v sure %d stale %v", st.path, from, g.name(l.to), refKinds()[l.kind], l.line, l.may, l.sure, st.stale))
		}
	}
	for m, above := range g.overrides {
		for _, a := range above {
			lines = append(lines, g.name(m)+" overrides "+g.name(a))
		}
	}
	slices.Sort(lines)
	return strings.Join(slices.Compact(lines), "\n")
}

// fresh is the graph of the files as they are, made from nothing.
func (s *space) fresh() string {
	s.t.Helper()
	ix := Open(Options{Root: s.root, Dir: s.t.TempDir(), Workers: 2})
	defer func() {
		if err := ix.Close(); err != nil {
			s.t.Error(err)
		}
	}()
	s.sync(ix)
	return dump(s.graph(ix))
}

func difference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	var out []string
	for _, l := range g {
		if !slices.Contains(w, l) {
			out = append(out, "too much: "+l)
		}
	}
	for _, l := range w {
		if !slices.Contains(g, l) {
			out = append(out, "missing: "+l)
		}
	}
	return strings.Join(out, "\n")
}

// TestIncremental holds that after any edits the graph is what an index from
// nothing gives: in the process that made them, and in the next one.
func TestIncremental(t *testing.T) {
	edits := []func(s *space){
		func(s *space) {
			s.write("store/keeper.go", strings.ReplaceAll(s.read("store/keeper.go"), "Note(", "Record("))
		},
		func(s *space) { s.write("auth/strict.go", "package auth\n\ntype Strict struct{}\n") },
		func(s *space) {
			s.write("auth/strict.go", "package auth\n\n// new lines\n\ntype Strict struct{}\n\nfunc (Strict) Validate(token string) error { return nil }\n")
		},
		func(s *space) { s.write("web/client.ts", "export class Client { fetch(p: string) { return p; } }\n") },
		func(s *space) {
			s.write("web/client.ts", "// moved\nexport class Client { get(p: string) { return p; }\n fetch() {} }\n")
		},
		func(s *space) { s.remove("web/api.ts") },
		func(s *space) {
			s.write("web/api.ts", "import { Client } from './client';\nexport function load(c: Client) { return c.fetch(); }\n")
		},
		func(s *space) {
			s.write("py/models.py", "class Base:\n    def save(self):\n        return self.check()\n    def check(self):\n        return 1\nclass User(Base):\n    pass\n")
		},
		func(s *space) {
			s.write("py/extra.py", "from models import Base\n\nclass More(Base):\n    def check(self):\n        return self.save()\n")
		},
		func(s *space) { s.remove("py/models.py") },
		func(s *space) {
			s.write("py/models.py", "class Base:\n    def save(self): pass\n    def check(self): pass\nUser = Base\n")
		},
		func(s *space) { s.write("go.mod", "module example.com/other\n") },
		func(s *space) { s.write("go.mod", "module example.com/shop\n") },
		func(s *space) { s.write("auth/token.go", s.read("auth/token.go")+"\nfunc extra() { New(nil, nil) }\n") },
		func(s *space) {
			s.write("store/more.go", "package store\n\nfunc (l *Log) Extra() { l.Record(\"\") }\n")
		},
	}
	rounds := 60
	if testing.Short() {
		rounds = 15
	}
	for _, each := range []bool{false, true} {
		t.Run(map[bool]string{false: "one process", true: "a process for each change"}[each], func(t *testing.T) {
			s := newSpace(t, shop)
			ix := s.open()
			s.sync(ix)
			random := rand.New(rand.NewPCG(1, 2))
			for round := range rounds {
				n := 1 + random.IntN(2)
				for range n {
					edits[(round+random.IntN(len(edits)))%len(edits)](s)
				}
				if each {
					check(t, ix.Close())
					ix = s.open()
				}
				s.sync(ix)
				state, err := ix.State(t.Context())
				check(t, err)
				want := s.fresh()
				if got := dump(s.graph(ix)); got != want {
					t.Fatalf("round %d, in this process:\n%s", round, difference(got, want))
				}
				if is := s.graph(ix).Counts(); state.Counts != is {
					t.Fatalf("round %d: counted %+v, it has %+v", round, state.Counts, is)
				}
				if round%5 == 0 {
					again := s.open()
					if got := dump(s.graph(again)); got != want {
						t.Fatalf("round %d, from the database:\n%s", round, difference(got, want))
					}
				}
			}
		})
	}
}

func (s *space) remove(name string) {
	if err := os.Remove(filepath.Join(s.root, filepath.FromSlash(name))); err != nil && !errors.Is(err, os.ErrNotExist) {
		s.t.Fatal(err)
	}
}

// buffer is an unsaved text without anything to gain from its edits.
type buffer struct {
	path string
	text []byte
}

func (b buffer) Text() []byte { return b.text }

func (b buffer) Facts(ctx context.Context) (*extract.Facts, error) {
	l, ok := grammars.ForPath(b.path)
	if !ok {
		return nil, extract.ErrUnsupported
	}
	return extract.ParseFacts(ctx, l.ID, b.text)
}

// TestOverlay holds that unsaved buffers are seen by questions and not by the
// database, also while other files change on disk.
func TestOverlay(t *testing.T) {
	s := newSpace(t, shop)
	ix := s.open()
	s.sync(ix)
	disk := dump(s.graph(ix))
	overlay := func(texts map[string][]byte) {
		t.Helper()
		sources := map[string]Source{}
		for p, text := range texts {
			sources[p] = buffer{p, text}
		}
		check(t, ix.Overlay(t.Context(), sources))
	}
	text := []byte(strings.ReplaceAll(s.read("store/keeper.go"), "Put(", "Keep("))
	overlay(map[string][]byte{"store/keeper.go": text})
	if got := s.callers(s.graph(ix), "store/keeper.go#Keeper.Keep"); len(got) != 0 {
		t.Errorf("%q", got)
	}
	caller := []byte(strings.ReplaceAll(s.read("auth/token.go"), "Put(", "Keep("))
	overlay(map[string][]byte{"store/keeper.go": text, "auth/token.go": caller, "auth/new.go": []byte("package auth\n\nfunc unsaved() { New(nil, nil) }\n")})
	if got := s.callers(s.graph(ix), "store/keeper.go#Keeper.Keep"); !slices.Equal(got, []string{"auth/token.go#Service.Login"}) {
		t.Errorf("%q", got)
	}
	if got := s.callers(s.graph(ix), "auth/token.go#New"); !slices.Contains(got, "auth/new.go#unsaved") {
		t.Errorf("a file that is not on disk: %q", got)
	}
	if got := dump(s.graph(s.open())); got != disk {
		t.Errorf("the database has seen it:\n%s", difference(got, disk))
	}
	s.write("py/other.py", "from models import User\n\ndef other():\n    User().save()\n")
	s.sync(ix)
	if got := s.callers(s.graph(ix), "store/keeper.go#Keeper.Keep"); len(got) != 1 {
		t.Errorf("gone after a change on disk: %q", got)
	}
	want := s.fresh()
	if got := dump(s.graph(s.open())); got != want {
		t.Errorf("the database has seen it:\n%s", difference(got, want))
	}
	ix.Release(time.Hour)
	if ix.held.g == nil {
		t.Error("a graph that is in use was given back")
	}
	ix.Release(0)
	if ix.held.g != nil {
		t.Error("an unsaved buffer keeps the graph in memory")
	}
	if got := s.callers(s.graph(ix), "store/keeper.go#Keeper.Keep"); len(got) != 1 {
		t.Errorf("gone after the graph was given back: %q", got)
	}
	overlay(nil)
	if got := dump(s.graph(ix)); got != want {
		t.Errorf("after the buffers were closed:\n%s", difference(got, want))
	}
}

// cancelling is an unsaved text whose question is cancelled as soon as the text is parsed.
type cancelling struct {
	buffer
	cancel func()
}

func (c cancelling) Facts(ctx context.Context) (*extract.Facts, error) {
	defer c.cancel()
	return c.buffer.Facts(ctx)
}

// TestOverlayCancelled: a question that is cancelled while unsaved buffers are laid over the graph leaves nothing half done
// to the next one.
func TestOverlayCancelled(t *testing.T) {
	s := newSpace(t, shop)
	s.write("auth/user.go", "package auth\n\nfunc user() { Unsaved() }\n")
	ix := s.open()
	s.sync(ix)
	disk := dump(s.graph(ix))
	unsaved := buffer{"auth/new.go", []byte("package auth\n\nfunc Unsaved() {}\n")}
	ctx, cancel := context.WithCancel(t.Context())
	if err := ix.Overlay(ctx, map[string]Source{unsaved.path: cancelling{unsaved, cancel}}); !errors.Is(err, context.Canceled) {
		t.Fatalf("cancelled: %v", err)
	}
	want := []string{"auth/user.go#user"}
	if got := s.callers(s.graph(ix), "auth/new.go#Unsaved"); !slices.Equal(got, want) {
		t.Errorf("asked after that: %q", got)
	}
	check(t, ix.Overlay(t.Context(), map[string]Source{unsaved.path: unsaved}))
	if got := s.callers(s.graph(ix), "auth/new.go#Unsaved"); !slices.Equal(got, want) {
		t.Errorf("laid again: %q", got)
	}
	if err := ix.Overlay(ctx, nil); !errors.Is(err, context.Canceled) {
		t.Fatalf("cancelled: %v", err)
	}
	check(t, ix.Overlay(t.Context(), nil))
	if got := dump(s.graph(ix)); got != disk {
		t.Errorf("after the buffer was closed:\n%s", difference(got, disk))
	}
}

// TestOverlayOfNewFiles: files that are not on disk stay apart, in whatever order they are edited.
func TestOverlayOfNewFiles(t *testing.T) {
	s := newSpace(t, shop)
	ix := s.open()
	s.sync(ix)
	disk := dump(s.graph(ix))
	unsaved := map[string]Source{}
	edit := func(name, function string) {
		t.Helper()
		p := "auth/" + name + ".go"
		unsaved[p] = buffer{p, []byte("package auth\n\nfunc " + function + "() { New(nil, nil) }\n")}
		check(t, ix.Overlay(t.Context(), unsaved))
	}
	edit("a", "a1")
	edit("b", "b1")
	edit("a", "a2")
	edit("b", "b2")
	got := s.callers(s.graph(ix), "auth/token.go#New")
	for _, want := range []string{"auth/a.go#a2", "auth/b.go#b2"} {
		if !slices.Contains(got, want) {
			t.Errorf("%s is not among %q", want, got)
		}
	}
	check(t, ix.Overlay(t.Context(), nil))
	if got := dump(s.graph(ix)); got != disk {
		t.Errorf("after the buffers were closed:\n%s", difference(got, disk))
	}
}

// TestTouchesLittle holds that a change inside of a function reads and resolves
// that file alone.
func TestTouchesLittle(t *testing.T) {
	s := newSpace(t, shop)
	ix := s.open()
	s.sync(ix)
	if r := s.sync(ix); r.Parsed+r.Resolved+r.Removed != 0 {
		t.Errorf("nothing changed: %+v", r)
	}
	s.write("store/keeper.go", strings.Replace(s.read("store/keeper.go"), "k.Note(token)", "k.Note(token + token)", 1))
	if r := s.sync(ix); r.Parsed != 1 || r.Resolved != 1 {
		t.Errorf("a body changed: %+v", r)
	}
	s.write("store/keeper.go", strings.ReplaceAll(s.read("store/keeper.go"), "Put(", "Store("))
	if r := s.sync(ix); r.Parsed != 1 || r.Resolved < 2 || r.Resolved > 4 {
		t.Errorf("a name changed: %+v", r)
	}
	s.write("store/keeper.go", s.read("store/keeper.go")) // the same content at another time
	if r := s.sync(ix); r.Parsed != 0 || r.Resolved != 0 {
		t.Errorf("the time changed: %+v", r)
	}
}

// TestRacy has a file change within the same tick of the clock, with the same
// size: only the content shows it.
func TestRacy(t *testing.T) {
	s := newSpace(t, shop)
	ix := s.open()
	now := time.Now().Add(time.Hour) // later than the look at it
	p := filepath.Join(s.root, "py/main.py")
	stamp := func() {
		if err := os.Chtimes(p, now, now); err != nil {
			t.Fatal(err)
		}
	}
	stamp()
	s.sync(ix)
	text := s.read("py/main.py")
	if err := os.WriteFile(p, []byte(strings.Replace(text, "def run", "def ran", 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	stamp()
	s.sync(ix)
	if got := s.callers(s.graph(ix), "py/models.py#Base.save"); !slices.Equal(got, []string{"py/main.py#ran"}) {
		t.Errorf("%q", got)
	}
}

// TestCutShort stops an index at many places; the next one must come to the
// same, and until then what is out of date is marked.
func TestCutShort(t *testing.T) {
	s := newSpace(t, shop)
	want := s.fresh()
	for at := range 24 {
		s.dir = t.TempDir()
		ix := s.open()
		ctx, cancel := context.WithCancel(t.Context())
		n := 0
		_, err := ix.Sync(ctx, func(Progress) {
			if n++; n > at {
				cancel()
			}
		})
		cancel()
		if err == nil && at < 20 {
			t.Fatalf("%d: it was not cut short", at)
		}
		again := s.open()
		s.sync(again)
		if got := dump(s.graph(again)); got != want {
			t.Fatalf("cut at %d:\n%s", at, difference(got, want))
		}
	}
	// A change that was seen and not yet resolved.
	s.dir = t.TempDir()
	ix := s.open()
	s.sync(ix)
	s.write("auth/token.go", s.read("auth/token.go")+"\n// changed\n")
	ctx, cancel := context.WithCancel(t.Context())
	if _, err := ix.Sync(ctx, func(p Progress) { cancel() }); err == nil {
		t.Fatal("it was not cut short")
	}
	if got := s.callers(s.graph(s.open()), "store/keeper.go#Keeper.Put"); !slices.Equal(got, []string{"auth/token.go#Service.Login stale"}) {
		t.Errorf("an edge out of date is not marked: %q", got)
	}
}

func TestDamagedDatabase(t *testing.T) {
	for name, damage := range map[string]func(t *testing.T, file string){
		"removed":   func(t *testing.T, f string) { check(t, os.Remove(f)) },
		"truncated": func(t *testing.T, f string) { check(t, os.Truncate(f, 5000)) },
		"empty":     func(t *testing.T, f string) { check(t, os.Truncate(f, 0)) },
		"scribbled": func(t *testing.T, f string) {
			b, err := os.ReadFile(f)
			check(t, err)
			for i := 100; i < len(b); i += 7 {
				b[i] ^= 0x5a
			}
			check(t, os.WriteFile(f, b, 0o600))
		},
		"pointer": func(t *testing.T, f string) {
			check(t, os.WriteFile(filepath.Join(filepath.Dir(f), fmt.Sprintf("graph.v%d.current", schema)), []byte("{"), 0o600))
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSpace(t, shop)
			ix := s.open()
			s.sync(ix)
			want := dump(s.graph(ix))
			check(t, ix.Close())
			files, err := filepath.Glob(filepath.Join(s.dir, fmt.Sprintf("graph.v%d.*.db", schema)))
			if err != nil || len(files) != 1 {
				t.Fatalf("%q %v", files, err)
			}
			damage(t, files[0])
			again := s.open()
			s.sync(again)
			if got := dump(s.graph(again)); got != want {
				t.Errorf("%s", difference(got, want))
			}
		})
	}
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestWhatIsLeftOut has what must not be read, or not stop the walk.
func TestWhatIsLeftOut(t *testing.T) {
	s := newSpace(t, shop)
	s.write("big.py", "x = 1\n"+strings.Repeat("# filler\n", extract.MaxSize/9+1))
	s.write("deps.lock.json", "{\n"+strings.Repeat("  \"a\": 1,\n", 8000)+"  \"b\": 2\n}\n")
	s.write("bin.py", "x = 1\x00")
	s.write("app.min.js", "var a=1")
	s.write("dense.js", "var a = ["+strings.Repeat("1,", 20_000)+"];\n")
	s.write(".gitignore", "out/\n")
	s.write("out/made.py", "def made(): pass\n")
	s.write(".maniculeignore", "private/\n")
	s.write("private/secret.py", "def secret(): pass\n")
	s.write("node_modules/x/index.js", "function x() {}\n")
	s.write("clone/.git/HEAD", "ref: refs/heads/main\n")
	s.write("clone/a.py", "def theirs(): pass\n")
	s.write("tree/.git", "gitdir: /elsewhere/.git/worktrees/tree\n")
	s.write("tree/a.py", "def twice(): pass\n")
	s.write("sub/.git", "gitdir: ../.git/modules/sub\n")
	s.write("sub/a.py", "def ours(): pass\n")
	check(t, os.Symlink(s.root, filepath.Join(s.root, "loop")))
	check(t, os.Symlink("/nowhere", filepath.Join(s.root, "dead.py")))
	check(t, os.WriteFile(filepath.Join(s.root, "na\xffme.py"), []byte("def odd(): pass\n"), 0o644))
	s.write("crlf.py", "class A:\r\n    def m(self):\r\n        return self.m()\r\n")
	s.write("shown.go", "package shown\n"+strings.Repeat("\x1b[38;5;81mfunc\x1b[0m\n", 40))
	s.write("long.tf", strings.Repeat("resource \"a\" \"b\" {\n  c = 1\n}\n", 4000))
	s.write("dump.sql", strings.Repeat("CREATE TABLE a (\n  b int\n);\n", 10000))
	s.write("plots.ipynb", "{\n   \"cell_type\": \"code\",\n   \"image/png\": \""+strings.Repeat("A", 50_000)+"\",\n   \"source\": [\n    \"def f(): pass\"\n   ]\n}\n")
	s.write("torn.go", "package torn\n\nfunc whole() { half() }\n\nfunc half( {\n")
	ix := s.open()
	s.sync(ix)
	g := s.graph(ix)
	for _, p := range []string{"big.py", "bin.py", "app.min.js", "dense.js", "out/made.py", "private/secret.py", "node_modules/x/index.js", "clone/a.py", "tree/a.py", "loop/py/main.py", "dead.py"} {
		if g.Has(p) {
			t.Errorf("%s is indexed", p)
		}
	}
	for _, p := range []string{"sub/a.py", "na\xffme.py", "crlf.py", "torn.go", "long.tf", "plots.ipynb"} {
		if !g.Has(p) {
			t.Errorf("%s is not indexed", p)
		}
	}
	st, err := ix.State(t.Context())
	check(t, err)
	reasons := map[string]string{}
	for _, x := range st.Skipped {
		reasons[x.File] = x.Reason
	}
	for p, want := range map[string]string{"big.py": "larger than 2 MB", "bin.py": "binary", "deps.lock.json": "much data, no code", "dump.sql": "much data, no code", "app.min.js": "minified", "dense.js": "minified", "shown.go": "what a terminal shows, no code"} {
		if reasons[p] != want {
			t.Errorf("%s: %q, want %q", p, reasons[p], want)
		}
	}
	if len(st.Errors) != 1 || st.Errors[0].File != "torn.go" {
		t.Errorf("%v", st.Errors)
	}
	if got := s.callers(g, "crlf.py#A.m"); !slices.Equal(got, []string{"crlf.py#A.m"}) {
		t.Errorf("a recursive method: %q", got)
	}
}

func TestBusy(t *testing.T) {
	s := newSpace(t, shop)
	a, b := s.open(), s.open()
	s.sync(a)
	unlock, err := a.held.s.lock()
	check(t, err)
	if _, err := b.Sync(t.Context(), nil); !errors.Is(err, ErrBusy) {
		t.Errorf("got %v", err)
	}
	if got := s.callers(s.graph(b), "web/api.ts#load"); len(got) != 1 {
		t.Errorf("who can't index can't read: %q", got)
	}
	unlock()
	s.sync(b)
}

// occurrence is a symbol at a place of a SCIP document; with the role 1 it is declared there.
func occurrence(symbol string, role uint64, r ...uint64) []byte {
	var o, packed []byte
	for _, n := range r {
		packed = protowire.AppendVarint(packed, n)
	}
	o = protowire.AppendBytes(protowire.AppendTag(o, 1, protowire.BytesType), packed)
	o = protowire.AppendString(protowire.AppendTag(o, 2, protowire.BytesType), symbol)
	return protowire.AppendVarint(protowire.AppendTag(o, 3, protowire.VarintType), role)
}

// TestSCIP imports an index that knows better, and sees it go out of date.
func TestSCIP(t *testing.T) {
	s := newSpace(t, shop)
	s.write("dyn/a.py", "def target():\n    pass\n\ndef user(f):\n    f()\n")
	ix := s.open()
	s.sync(ix)
	if got := s.callers(s.graph(ix), "dyn/a.py#target"); len(got) != 0 {
		t.Fatalf("syntax knows already: %q", got)
	}
	var doc, index []byte
	doc = protowire.AppendString(protowire.AppendTag(doc, 1, protowire.BytesType), "dyn/a.py")
	for _, o := range [][]byte{occurrence("py dyn/target().", 1, 0, 4, 10), occurrence("py dyn/target().", 0, 4, 4, 5)} {
		doc = protowire.AppendBytes(protowire.AppendTag(doc, 2, protowire.BytesType), o)
	}
	index = protowire.AppendBytes(protowire.AppendTag(index, 2, protowire.BytesType), doc)
	name := filepath.Join(t.TempDir(), "index.scip")
	check(t, os.WriteFile(name, index, 0o600))
	n, err := ix.ImportSCIP(t.Context(), name)
	if err != nil || n != 1 {
		t.Fatalf("%d %v", n, err)
	}
	for _, again := range []*Index{ix, s.open()} {
		g := s.graph(again)
		if got := g.Callers(g.Find("dyn/a.py", "target")); len(got) != 1 || got[0].How != "scip" || got[0].Line != 5 || got[0].Symbol != "user" {
			t.Errorf("%+v", got)
		}
	}
	s.samePart()
	alone := protowire.AppendString(protowire.AppendTag(nil, 1, protowire.BytesType), "dyn/a.py")
	alone = protowire.AppendBytes(protowire.AppendTag(alone, 2, protowire.BytesType), occurrence("py dyn/target().", 1, 0, 4, 10))
	check(t, os.WriteFile(name, protowire.AppendBytes(protowire.AppendTag(nil, 2, protowire.BytesType), alone), 0o600))
	if n, err := ix.ImportSCIP(t.Context(), name); err == nil || !strings.Contains(err.Error(), "no use of a symbol") {
		t.Errorf("an index without an edge: %d, %v", n, err)
	}
	if got := s.callers(s.graph(s.open()), "dyn/a.py#target"); len(got) != 1 {
		t.Errorf("what was imported before is gone: %q", got)
	}
	s.write("dyn/a.py", s.read("dyn/a.py")+"\nx = 1\n")
	s.sync(ix)
	if got := s.callers(s.graph(s.open()), "dyn/a.py#target"); len(got) != 0 {
		t.Errorf("the file has changed since: %q", got)
	}
	s.samePart()
	for text, want := range map[string]string{"no protobuf at all": "no SCIP index", "": "no SCIP index"} {
		check(t, os.WriteFile(name, []byte(text), 0o600))
		if _, err := ix.ImportSCIP(t.Context(), name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// watcher is a watch of an index in the background.
type watcher struct {
	s       *space
	ix      *Index
	reports chan Report
	cancel  func()
	ended   sync.WaitGroup
}

func (s *space) watch(ix *Index) *watcher {
	ctx, cancel := context.WithCancel(s.t.Context())
	w := &watcher{s: s, ix: ix, reports: make(chan Report, 64), cancel: cancel}
	started := make(chan struct{})
	w.ended.Go(func() {
		close(started)
		if err := ix.Watch(ctx, func(r Report, err error) {
			if err != nil {
				s.t.Error(err)
			}
			w.reports <- r
		}); !errors.Is(err, context.Canceled) {
			s.t.Error(err)
		}
	})
	<-started
	return w
}

// until waits for a report after which the graph is as it should be.
func (w *watcher) until(what string, ok func(*Graph) bool) {
	w.s.t.Helper()
	limit := time.After(20 * time.Second)
	for !ok(w.s.graph(w.ix)) {
		select {
		case <-w.reports:
		case <-limit:
			w.s.t.Fatal(what + " was not seen")
		}
	}
}

func (w *watcher) stop() {
	w.cancel()
	w.ended.Wait()
}

// TestWatch follows a write, a write by rename, a removal and a flood.
func TestWatch(t *testing.T) {
	s := newSpace(t, shop)
	ix := s.open()
	s.sync(ix)
	w := s.watch(ix)
	until := w.until
	s.write("py/more.py", "from models import User\n\ndef more():\n    User().save()\n")
	until("a new file", func(g *Graph) bool { return g.Has("py/more.py") })
	s.write("py/.more.tmp", "from models import User\n\ndef other():\n    User().save()\n")
	check(t, os.Rename(filepath.Join(s.root, "py/.more.tmp"), filepath.Join(s.root, "py/more.py")))
	until("a rename over it", func(g *Graph) bool { return len(g.Find("py/more.py", "other")) == 1 })
	s.remove("py/more.py")
	until("a removal", func(g *Graph) bool { return !g.Has("py/more.py") })
	for i := range 400 {
		s.write(fmt.Sprintf("made/f%d.py", i), fmt.Sprintf("def f%d(): pass\n", i))
	}
	until("a flood", func(g *Graph) bool { return g.Has("made/f399.py") && g.Has("made/f0.py") })
	w.stop()
}

// limited is fsnotify at a system's limit once it comes to a folder.
type limited struct {
	events chan fsnotify.Event
	errors chan error
	last   string
}

func (l *limited) Add(dir string) error {
	if filepath.Base(dir) == l.last {
		return syscall.ENOSPC
	}
	return nil
}
func (l *limited) Remove(string) error           { return nil }
func (l *limited) Events() <-chan fsnotify.Event { return l.events }
func (l *limited) Errors() <-chan error          { return l.errors }
func (l *limited) Close() error {
	close(l.events)
	close(l.errors)
	return nil
}

// TestWatchLimit holds that the graph stays fresh where the system watches no
// more folders, from the start or from a new folder on, and that this is said.
func TestWatchLimit(t *testing.T) {
	for name, last := range map[string]string{"at once": "py", "later": "more"} {
		t.Run(name, func(t *testing.T) {
			s := newSpace(t, shop)
			ix := s.open()
			s.sync(ix)
			source := &limited{events: make(chan fsnotify.Event), errors: make(chan error), last: last}
			tick := make(chan time.Time)
			ix.watching = func(o *watch.Options) {
				o.Open = func() (watch.Source, error) { return source, nil }
				o.After = func(time.Duration) <-chan time.Time { return tick }
			}
			ctx, cancel := context.WithCancel(t.Context())
			reports, faults := make(chan Report, 64), make(chan error, 64)
			var wg sync.WaitGroup
			wg.Go(func() {
				err := ix.Watch(ctx, func(r Report, err error) {
					if err != nil {
						faults <- err
						return
					}
					reports <- r
				})
				if !errors.Is(err, context.Canceled) {
					t.Error(err)
				}
			})
			<-reports // all was looked at once, and is watched as far as it goes
			if last == "more" {
				select {
				case err := <-faults:
					t.Fatalf("said too early: %v", err)
				default:
				}
				s.write("more/new.py", "def new(): pass\n")
				source.events <- fsnotify.Event{Name: filepath.Join(s.root, "more"), Op: fsnotify.Create}
				tick <- time.Time{} // what gathers events is over
			}
			if err := <-faults; !errors.Is(err, errNotWatched) || !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "max_user_watches") {
				t.Errorf("%v", err)
			}
			if last == "more" {
				<-reports // what was missed meanwhile is looked for
				if !s.graph(ix).Has("more/new.py") {
					t.Error("what the new folder has was not seen")
				}
			}
			s.write("py/more.py", "from models import User\n\ndef more():\n    User().save()\n")
			for !s.graph(ix).Has("py/more.py") {
				select {
				case tick <- time.Time{}:
				case <-reports:
				}
			}
			s.remove("py/more.py")
			for s.graph(ix).Has("py/more.py") {
				select {
				case tick <- time.Time{}:
				case <-reports:
				}
			}
			cancel()
			wg.Wait()
			if len(faults) != 0 {
				t.Errorf("said again: %v", <-faults)
			}
		})
	}
}

func TestChunks(t *testing.T) {
	s := newSpace(t, shop)
	var large strings.Builder
	large.WriteString("class Large:\n    \"\"\"Doc.\"\"\"\n")
	for i := range 60 {
		fmt.Fprintf(&large, "    def m%d(self):\n        x = 1\n        return x\n\n", i)
	}
	s.write("large.py", large.String())
	s.write("script.py", strings.Repeat("print(1)\n", 250))
	s.write("class.ts", "class Cart {\n  total = 0;\n\n  size() { return 1; }\n\n  add(price: number) {\n    this.total += price;\n    return this;\n  }\n\n"+
		strings.Repeat("  // more\n", 12)+"}\n\nclass Small {\n  go() {\n    run();\n    stop();\n  }\n}\n")
	ix := s.open()
	s.sync(ix)
	all, err := ix.Chunks(t.Context(), "auth/token.go")
	check(t, err)
	var got []string
	for _, c := range all {
		got = append(got, fmt.Sprintf("%s %s %d-%d", c.Kind, c.Symbol, c.Line, c.EndLine))
	}
	want := []string{"interface Validator 5-8", "struct Service 10-13", "function New 15-15", "method Service.Login 17-22"}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if p := all[3].Prefix; p != "file auth/token.go, method Service.Login" {
		t.Errorf("the prefix: %q", p)
	}
	all, err = ix.Chunks(t.Context(), "large.py")
	check(t, err)
	if len(all) != 61 || all[0].Symbol != "Large" || all[60].Symbol != "Large.m59" {
		t.Errorf("a large class has %d chunks, the first %+v", len(all), all[0])
	}
	all, err = ix.Chunks(t.Context(), "class.ts")
	check(t, err)
	got = nil
	for _, c := range all {
		got = append(got, fmt.Sprintf("%s %s %d-%d", c.Kind, c.Symbol, c.Line, c.EndLine))
	}
	// A short member stays with the text around it, a short class is whole.
	if want := []string{"class Cart 1-4", "method Cart.add 6-9", "class Cart 11-23", "class Small 25-30"}; !slices.Equal(got, want) {
		t.Errorf("a class of more than 20 lines: %q, want %q", got, want)
	}
	all, err = ix.Chunks(t.Context(), "script.py")
	check(t, err)
	if len(all) != 3 || all[0].EndLine != 100 || all[2].EndLine != 250 {
		t.Errorf("a script without symbols: %+v", all)
	}
}

// FuzzDecode feeds the readers of blobs with damaged ones.
func FuzzDecode(f *testing.F) {
	facts, err := extract.ParseFacts(f.Context(), "python", []byte("import a\nclass B(a.C):\n    def m(self, x: int = 1):\n        y = a.f(x)\n        return y.g()\n"))
	if err != nil {
		f.Fatal(err)
	}
	rec := &record{facts: facts}
	assignIDs(rec, nil)
	f.Add(encodeDecls(newWriter(), rec))
	f.Add(encodeUses(newWriter(), facts))
	f.Add(encodeLinks(newWriter(), []Link{{From: 1 << 20, To: 2<<20 | 1, Kind: extract.RefCall, Line: 3, Sure: 1}, {From: 1 << 20, External: "fmt.Println", Line: 4}}))
	f.Add(encodeChunks(newWriter(), []Chunk{{Start: 3, End: 9, Line: 1, EndLine: 2, Kind: "class", Symbol: "B"}, {Start: 12, End: 13, Line: 4, EndLine: 4, Kind: "text"}}))
	f.Add([]byte{0})
	f.Fuzz(func(t *testing.T, data []byte) {
		if rec, err := decodeDecls(data); err == nil {
			again, err := decodeDecls(encodeDecls(newWriter(), rec))
			if err != nil || len(again.facts.Symbols) != len(rec.facts.Symbols) {
				t.Errorf("not the same again: %v", err)
			}
		}
		_ = decodeUses(data, &extract.Facts{File: &extract.File{}})
		_, _ = decodeLinks(data, 1)
		_, _ = decodeChunks(data, "a.py")
		_, _ = decodePairs(data)
		_ = eachLink(data, func(link) {})
		_ = eachName(data, new([][]byte), func([]byte) {})
		_ = eachTarget(data, func(_, _ int32) {})
		decodeNames(data)
	})
}

// TestWriter holds that what a writer wrote before leaves nothing in what it
// writes next.
func TestWriter(t *testing.T) {
	chunks := func(n int) []Chunk {
		var out []Chunk
		for i := range n {
			c := Chunk{Start: 10 * i, End: 10*i + 5, Line: i + 1, EndLine: i + 2, Kind: "function", Symbol: fmt.Sprint("f", i), Hash: [16]byte{byte(i)}}
			c.Prefix = prefix("a.go", c.Kind, c.Symbol)
			out = append(out, c)
		}
		return out
	}
	w := newWriter()
	for _, n := range []int{3, 0, 2 * manyStrings, 1, 5} {
		data := encodeChunks(w, chunks(n))
		if alone := encodeChunks(newWriter(), chunks(n)); !bytes.Equal(data, alone) {
			t.Errorf("%d chunks are written in another way by a writer that was used", n)
		}
		back, err := decodeChunks(data, "a.go")
		check(t, err)
		if !slices.Equal(back, chunks(n)) {
			t.Errorf("%d chunks came back as others", n)
		}
	}
}

// TestSameGraph holds that a graph does not depend on how many files were read
// at a time, nor on which was ready first: several files declare each name.
func TestSameGraph(t *testing.T) {
	s := newSpace(t, "")
	for i := range 60 {
		s.write(fmt.Sprintf("lib/a%d.rb", i), strings.Repeat("# longer\n", 100*(i%7))+
			fmt.Sprintf("module Shop\n  class Cart%d\n    def total; Shop::Cart%d.new.tax; end\n    def tax; end\n  end\nend\n", i%5, (i+1)%5))
	}
	edges := func(workers int) map[string][]link {
		ix := Open(Options{Root: s.root, Dir: t.TempDir(), Workers: workers})
		defer func() { check(t, ix.Close()) }()
		_, err := ix.Sync(t.Context(), nil)
		check(t, err)
		g, err := ix.Graph(t.Context())
		check(t, err)
		out := map[string][]link{}
		for p, st := range g.byPath {
			out[p] = st.links
		}
		return out
	}
	want := edges(1)
	if len(want) != 60 || len(want["lib/a0.rb"]) == 0 {
		t.Fatalf("%d files, %d edges of the first", len(want), len(want["lib/a0.rb"]))
	}
	for range 4 {
		if got := edges(8); !reflect.DeepEqual(got, want) {
			t.Fatal("read eight at a time the graph is another")
		}
	}
}

// TestFirst tells a person that all code is being read, until that came to its
// end once.
func TestFirst(t *testing.T) {
	s := newSpace(t, shop)
	first := func(ix *Index, stop bool) bool {
		t.Helper()
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var said []bool
		_, err := ix.Sync(ctx, func(p Progress) {
			said = append(said, p.First)
			if stop {
				cancel()
			}
		})
		if stop != (err != nil) || len(said) == 0 || slices.Contains(said, !said[0]) {
			t.Fatalf("%v %v", said, err)
		}
		return said[0]
	}
	built := func() bool {
		t.Helper()
		st, err := s.open().State(t.Context())
		check(t, err)
		return !st.Indexed.IsZero()
	}
	if !first(s.open(), true) || built() {
		t.Error("it was never indexed, and nothing says so")
	}
	if !first(s.open(), false) || !built() {
		t.Error("it was cut short the first time, and nothing says so")
	}
	s.write("py/main.py", s.read("py/main.py")+"\nrun()\n")
	if first(s.open(), false) {
		t.Error("a change is not the first time")
	}
}

// TestUpdateAsWalk: a file that is saved counts only where a walk would find it.
func TestUpdateAsWalk(t *testing.T) {
	s := newSpace(t, shop)
	s.write("vendored/.git/HEAD", "ref: refs/heads/main\n")
	s.write("linked/.git", "gitdir: ../.git/worktrees/linked\n")
	s.write("sub/.git", "gitdir: ../.git/modules/sub\n")
	ix := s.open()
	s.sync(ix)
	files := []string{"vendored/deep/a.py", "linked/a.py", ".manicule/builds/a.md", "sub/a.py"}
	for _, f := range files {
		s.write(f, "def inner(): pass\n")
	}
	_, err := ix.Update(t.Context(), files)
	check(t, err)
	var got []string
	for _, f := range files {
		if s.graph(ix).Has(f) {
			got = append(got, f)
		}
	}
	if want := []string{"sub/a.py"}; !slices.Equal(got, want) {
		t.Errorf("updated %q, want %q", got, want)
	}
	s.sync(ix)
	if g := s.graph(ix); !g.Has("sub/a.py") || g.Has("linked/a.py") {
		t.Error("a walk finds others")
	}
}

// TestWatchIgnoreFile: what an ignore file says is followed when that changes, also git's own, which in a linked worktree lies
// outside of the root.
func TestWatchIgnoreFile(t *testing.T) {
	for name, c := range map[string]struct{ rules, gitdir string }{
		"in the tree":     {".gitignore", ""},
		"the repository":  {".git/info/exclude", ".git"},
		"linked worktree": {"../main/.git/info/exclude", "../main/.git/worktrees/w"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSpace(t, shop)
			if c.gitdir != "" {
				s.write(c.gitdir+"/HEAD", "ref: refs/heads/main\n")
			}
			if strings.HasPrefix(c.gitdir, "..") {
				s.write(".git", "gitdir: "+filepath.Join(s.root, c.gitdir)+"\n")
				s.write(c.gitdir+"/commondir", "../..\n")
			}
			s.write(c.rules, "made/\n")
			s.write("made/a.py", "def first(): pass\n")
			ix := s.open()
			s.sync(ix)
			w := s.watch(ix)
			<-w.reports // it watches
			until := w.until
			s.write(c.rules, "other/\n")
			until("a folder that is ignored no more", func(g *Graph) bool { return g.Has("made/a.py") })
			s.write("made/a.py", "def second(): pass\n")
			until("a change in it", func(g *Graph) bool { return len(g.Find("made/a.py", "second")) == 1 })
			w.stop()
		})
	}
}

// TestWatchPassesOverGit: what git writes into its folder is no reason to look at the files.
func TestWatchPassesOverGit(t *testing.T) {
	root := watchedRoot(t.TempDir())
	for name, want := range map[string]bool{
		".git/index.lock": true, ".git/info/attributes": true, "../main/.git/info": true, "../main/.git/info/exclude": false,
		".git/info/exclude": false, ".git": false, ".gitignore": false, "py/models.py": false, "..py/a.py": false,
	} {
		if got := root.isGits(filepath.Join(string(root), filepath.FromSlash(name))); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestTwoProcesses: two processes that index one worktree in turn, as two windows of an editor do, have the graph that an index
// from nothing gives, and so has the database. What one has in memory of files that the other added or removed is outdated.
func TestTwoProcesses(t *testing.T) {
	s := newSpace(t, shop)
	both := []*Index{s.open(), s.open()}
	for _, ix := range both {
		s.sync(ix)
	}
	random := rand.New(rand.NewPCG(3, 4))
	for round := range 40 {
		name := fmt.Sprintf("py/made%d.py", random.IntN(6))
		if random.IntN(4) == 0 {
			s.remove(name)
		} else {
			s.write(name, fmt.Sprintf("from models import User\n\ndef made%d():\n    User().save()\n", round))
		}
		at := random.IntN(2)
		var err error
		switch {
		case round == 20: // a graph from nothing, in a file of its own
			check(t, both[at].Discard(t.Context()))
			_, err = both[at].Sync(t.Context(), nil)
		case random.IntN(2) == 0:
			_, err = both[at].Update(t.Context(), []string{name})
		default:
			_, err = both[at].Sync(t.Context(), nil)
		}
		if err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		if round == 20 {
			s.sync(both[1-at])
		}
		want := s.fresh()
		for who, ix := range append(slices.Clone(both), s.open()) {
			if got := dump(s.graph(ix)); got != want {
				t.Fatalf("round %d, in process %d:\n%s", round, who, difference(got, want))
			}
		}
		s.samePart()
	}
}

// TestUpdateOfBegunGraph: a process that follows the code completes a graph that another began and left, as one does that is stopped while it
// builds the graph from nothing.
func TestUpdateOfBegunGraph(t *testing.T) {
	s := newSpace(t, shop)
	one, other := s.open(), s.open()
	s.sync(one)
	s.sync(other)
	check(t, other.Discard(t.Context()))
	s.write("py/made.py", "from models import User\n\ndef made():\n    User().save()\n")
	_, err := one.Update(t.Context(), []string{"py/made.py"})
	check(t, err)
	want := s.fresh()
	for who, ix := range []*Index{one, s.open()} {
		if got := dump(s.graph(ix)); got != want {
			t.Errorf("in process %d:\n%s", who, difference(got, want))
		}
	}
}

// TestDeletedMeanwhile: somebody deletes the cache folder, with the lock in it, while a process indexes. A second one that has the
// deleted graph open begins a new one, and does not write into that of the first.
func TestDeletedMeanwhile(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("what is open can't be deleted")
	}
	s := newSpace(t, shop)
	one, other := s.open(), s.open()
	s.sync(one)
	s.sync(other)
	for n := range 3 {
		s.write(fmt.Sprintf("py/made%d.py", n), fmt.Sprintf("from models import User\n\ndef made%d():\n    User().save()\n", n))
	}
	deleted := false
	_, err := one.Sync(t.Context(), func(Progress) {
		if deleted {
			return
		}
		deleted = true
		check(t, os.RemoveAll(s.dir))
		s.write("py/later.py", "from models import User\n\ndef later():\n    User().save()\n")
		s.sync(other)
	})
	if check(t, err); !deleted {
		t.Fatal("it reports no progress")
	}
	want := s.fresh()
	if got := dump(s.graph(other)); got != want {
		t.Errorf("in the second process:\n%s", difference(got, want))
	}
	s.sync(one)
	for who, ix := range []*Index{one, s.open()} {
		if got := dump(s.graph(ix)); got != want {
			t.Errorf("afterwards, in process %d:\n%s", who, difference(got, want))
		}
	}
}

// TestPointerCannotBeRead: for a moment it can't be told which graph is the current one. No new one takes its place.
func TestPointerCannotBeRead(t *testing.T) {
	s := newSpace(t, shop)
	one := s.open()
	s.sync(one)
	name, err := one.held.s.current()
	check(t, err)
	pointer := one.held.s.pointer()
	check(t, os.Rename(pointer, pointer+".away"))
	check(t, os.Mkdir(pointer, 0o700)) // which nobody can read as a file
	for who, ix := range []*Index{one, s.open()} {
		if _, err := ix.Sync(t.Context(), nil); err == nil {
			t.Errorf("process %d updates a graph that it can't find", who)
		}
	}
	check(t, os.Remove(pointer))
	check(t, os.Rename(pointer+".away", pointer))
	for who, ix := range []*Index{one, s.open()} {
		if r := s.sync(ix); r.Parsed != 0 {
			t.Errorf("process %d read %d files again", who, r.Parsed)
		}
		if now, err := ix.held.s.current(); err != nil || now != name {
			t.Errorf("process %d has the graph %s, not %s: %v", who, now, name, err)
		}
	}
}

// TestRebuildIsTold: a graph that is built again because its folder was deleted says so to who asked for it, and an update of a file
// does not.
func TestRebuildIsTold(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("what is open can't be deleted")
	}
	s := newSpace(t, shop)
	ix := s.open()
	s.sync(ix)
	began, ended, most := 0, 0, 0
	ix.OnRebuild(func(context.Context) (func(Progress), func()) {
		began++
		return func(p Progress) { most = max(most, p.Total) }, func() { ended++ }
	})
	s.write("py/more.py", "from models import User\n")
	_, err := ix.Update(t.Context(), []string{"py/more.py"})
	if check(t, err); began != 0 {
		t.Errorf("an update of one file was told as %d rebuilds", began)
	}
	for n, update := range []func() (Report, error){
		func() (Report, error) { return ix.Update(t.Context(), []string{"py/more.py"}) },
		func() (Report, error) { return ix.Sync(t.Context(), nil) },
	} {
		check(t, os.RemoveAll(s.dir))
		_, err := update()
		if check(t, err); began != n+1 || ended != n+1 || most < 3 {
			t.Errorf("after %d rebuilds: %d began, %d ended, of %d files", n+1, began, ended, most)
		}
	}
	_, err = ix.Sync(t.Context(), func(Progress) {})
	if check(t, err); began != 2 {
		t.Error("who asks for the progress is not alone told")
	}
}

// TestTouchedFile: a file that is as it was, whose times another process stores, does not have this one read its graph again.
func TestTouchedFile(t *testing.T) {
	s := newSpace(t, shop)
	one, other := s.open(), s.open()
	s.sync(one)
	s.sync(other)
	g := s.graph(one)
	later := time.Now().Add(time.Hour)
	check(t, os.Chtimes(filepath.Join(s.root, "py/models.py"), later, later))
	_, err := other.Update(t.Context(), []string{"py/models.py"})
	check(t, err)
	if s.graph(one) != g {
		t.Error("the graph was read again")
	}
	s.write("py/models.py", "class User:\n    pass\n")
	_, err = other.Update(t.Context(), []string{"py/models.py"})
	check(t, err)
	if s.graph(one) == g {
		t.Error("a change was not noticed")
	}
}

// TestPackageChanges: who uses what a file declares is resolved again when that is of another package, though no declaration differs.
func TestPackageChanges(t *testing.T) {
	s := newSpace(t, `
-- a/Repo.java --
package a;

public interface Repo { void put(); }
-- a/Disk.java --
package a;

class Disk implements Repo { public void put() {} }
-- b/App.java --
package b;

import a.Repo;

class App { void run(Repo r) { r.put(); } }
`)
	ix := s.open()
	s.sync(ix)
	for _, pkg := range []string{"other", "a"} {
		s.write("a/Repo.java", "package "+pkg+";\n\npublic interface Repo { void put(); }\n")
		s.sync(ix)
		if got, want := dump(s.graph(ix)), s.fresh(); got != want {
			t.Errorf("package %s:\n%s", pkg, difference(got, want))
		}
	}
}

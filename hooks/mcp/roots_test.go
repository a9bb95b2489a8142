package mcp

//lint:file-ignore SA1019 Roots and logging go with the next protocol; today's clients have nothing else.

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"manicule/indexer/graph"
	"manicule/indexer/must"
	"manicule/memory"
	"manicule/memory/nearby"
	"manicule/memory/search"
)

// page is a source of the second root.
const page = `package web

// Render writes a page.
func Render(name string) string { return name }

func Serve() string { return Render("login") }
`

// twoRoots is a client with two roots, "tree" and "web", which share a path. The
// second root's space comes beside the sandbox, which has the first.
func twoRoots(t *testing.T) (*sandbox, *Space) {
	t.Helper()
	var b *sandbox
	var other *Space
	ready := make(chan struct{})
	b = newSandbox(t, func(o *Options) {
		home := o.Dir
		o.Dir = ""
		o.Open = func(_ context.Context, dir string) (*Space, error) {
			<-ready // both are made
			switch dir {
			case home:
				return b.space, nil
			case other.Memories.Root():
				return other, nil
			}
			return nil, userError(dir+" is no folder", "name one")
		}
	})
	web := filepath.Join(b.env["HOME"], "web")
	write(t, filepath.Join(web, "pages/page.go"), page)
	write(t, filepath.Join(web, "src/auth/token.go"), strings.ReplaceAll(page, "Render", "Validate"))
	write(t, filepath.Join(web, "go.mod"), "module web\n")
	write(t, filepath.Join(web, ".manicule/memories/.keep"), "")
	other = spaceOf(t, openWorkspace(t, b, web))
	other.Change = func(context.Context, string, []nearby.Place, int) (graph.Impact, []graph.Deletion, error) {
		return graph.Impact{}, nil, userError("web is in no git repository", "")
	}
	close(ready)
	b.connect(func(c *mcp.Client) {
		c.AddRoots(&mcp.Root{URI: "file://" + b.w.Root()}, &mcp.Root{URI: "file://" + web})
	})
	fill(b)
	for _, d := range []memory.Draft{
		{What: "Pages escape what Render is given; a token refresh shows none", At: []string{"pages/page.go#Render"}},
		{What: "Token refresh of the web client is done by its proxy", Scope: []string{"src/auth/**"}},
	} {
		if r, err := other.Memories.Remember(t.Context(), d); err != nil || !r.Accepted {
			t.Fatal(r, err)
		}
	}
	return b, other
}

// TestTwoRoots: a path decides which root is asked; without one, or where several
// have it, all are, and each result names its root.
func TestTwoRoots(t *testing.T) {
	b, other := twoRoots(t)
	tree, web := b.w.Root(), other.Memories.Root()
	for _, tt := range []struct {
		name, tool string
		args       map[string]any
		want, not  string // regular expressions of the text
		err        string
	}{
		{"search all", "search", map[string]any{"query": "token refresh"}, `(?s)gotcha in tree \(important\): “Token refresh fails.*|.*in web: “Token refresh of the web`, "was asked", ""},
		{"search all finds both", "search", map[string]any{"query": "token refresh"}, `in web: “Token refresh of the web`, "", ""},
		{"search a path of one", "search", map[string]any{"query": "token refresh", "paths": []string{"pages"}}, `in web: “Pages escape`, "in tree", ""},
		{"search an absolute path", "search", map[string]any{"query": "token refresh", "paths": []string{filepath.Join(tree, "src")}}, "in tree", "in web", ""},
		{"search a path of both", "search", map[string]any{"query": "token refresh", "paths": []string{"src/auth"}}, "(?s)in tree.*in web|in web.*in tree", "", ""},
		{"search code in all", "search", map[string]any{"query": "Validate", "code": true}, `(?s)Validate at src/auth/token.go:\d+-\d+ in (tree|web) .*Validate at src/auth/token.go:\d+-\d+ in (tree|web) `, "", ""},
		{"search code in one", "search", map[string]any{"query": "Validate", "code": true, "paths": []string{filepath.Join(web, "src")}}, `Validate at src/auth/token.go:\d+-\d+ in web`, "in tree", ""},
		{"search code of one by its words", "search", map[string]any{"query": "Render", "code": true}, `Render at pages/page.go:\d+-\d+ in web`, "", ""},
		{"recall all", "recall", map[string]any{}, `(?s)for tree, web.*in tree: “Tests run with make`, "", ""},
		{"recall a path of one", "recall", map[string]any{"paths": []string{"pages/page.go"}}, `in web: “Pages escape`, "in tree", ""},
		{"recall what is not there yet", "recall", map[string]any{"paths": []string{"pages/new.go"}}, "memor", "in tree", ""},
		{"recall paths of each", "recall", map[string]any{"paths": []string{"pages/page.go", filepath.Join(tree, "src/auth/token.go")}}, `(?s)in tree.*in web|in web.*in tree`, "of the web client", ""},
		{"recall by a question", "recall", map[string]any{"query": "token refresh"}, "(?s)in tree.*in web|in web.*in tree", "", ""},
		{"recall outside of all", "recall", map[string]any{"paths": []string{"/etc/passwd"}}, "", "", "outside of the workspace"},
		{"impact in one", "impact", map[string]any{"targets": []string{"pages/page.go#Render"}}, `(?s)1 symbol in 1 file may break.*Of: pages/page.go:4 Render in web\n- call pages/page.go:6 Serve in web\n.*gotcha in web: “Pages`, "in tree", ""},
		{"impact in both", "impact", map[string]any{"targets": []string{"src/auth/token.go#Validate"}}, `(?s)3 symbols in 3 files.*Of: .*Validate in tree; src/auth/token.go:4 Validate in web.*- call src/auth/token.go:8 Login in tree\n- call src/auth/token.go:6 Serve in web\n- call .*TestLogin in tree.*Tests that reach it: src/auth/token_test.go in tree\nMemories there:\n- .* in tree.*\n- .* in web`, "", ""},
		{"impact of a symbol that one has", "impact", map[string]any{"targets": []string{"src/auth/token.go#Login"}}, `(?s)TestLogin in tree`, "in web|Note", ""},
		{"impact of targets in each", "impact", map[string]any{"targets": []string{"pages/page.go#Render", filepath.Join(tree, "src/auth/token.go") + "#Validate"}}, `(?s)Login in tree.*Serve in web`, "token.go:6 Serve", ""},
		{"impact of what none has", "impact", map[string]any{"targets": []string{"src/auth/token.go#None"}}, "", "", "has no symbol"},
		{"impact of a diff", "impact", map[string]any{"diff": "HEAD"}, `(?s)Of: .*Validate in tree\nDeleted: src/auth/old.go#Check in tree\n- still uses .*Login in tree.*Note: web: web is in no git repository`, "", ""},
		{"impact of a diff of one", "impact", map[string]any{"diff": "HEAD", "targets": []string{filepath.Join(web, "pages/page.go")}}, "", "", "in no git repository"},
		{"graph in one", "graph", map[string]any{"target": "pages/page.go#Serve"}, `(?s)Of: pages/page.go:6 Serve in web\n- callee pages/page.go Render in web`, "in tree", ""},
		{"graph in both", "graph", map[string]any{"target": "src/auth/token.go#Validate"}, `(?s)around it in 2 roots.*caller src/auth/token.go:8 Login in tree.*caller src/auth/token.go:6 Serve in web`, "", ""},
		{"graph of an absolute path", "graph", map[string]any{"target": filepath.Join(web, "src/auth/token.go") + "#Validate"}, "Serve in web", "in tree", ""},
		{"graph of a folder of both", "graph", map[string]any{"target": "src/auth"}, "Of: src/auth in tree; src/auth in web", "", ""},
		{"graph of none", "graph", map[string]any{"target": "src/auth/none.go"}, "", "", "not in the code graph"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, fault := b.call(tt.tool, tt.args)
			if tt.err != "" {
				if !r.IsError || !strings.Contains(fault, tt.err) {
					t.Errorf("got %q, want the error %s", textOf(r), tt.err)
				}
				return
			}
			if fault != "" {
				t.Fatal(fault)
			}
			text := textOf(r)
			if !regexp.MustCompile(tt.want).MatchString(text) || tt.not != "" && regexp.MustCompile(tt.not).MatchString(text) {
				t.Errorf("got\n%s\nwant %s\nnot %s", text, tt.want, tt.not)
			}
		})
	}
	r, fault := b.call("search", map[string]any{"query": "token refresh", "limit": 100, "budget": mostBudget})
	if fault != "" {
		t.Fatal(fault)
	}
	roots := map[string]int{}
	for _, it := range structured[Answer](t, r).Items {
		roots[it.Root]++
	}
	if roots["tree"] == 0 || roots["web"] != 2 || len(roots) != 2 {
		t.Errorf("roots of the items: %v", roots)
	}
	r, _ = b.call("impact", map[string]any{"targets": []string{"src/auth/token.go#Validate"}})
	a := structured[CodeAnswer](t, r)
	if len(a.Affected) != 3 || a.Affected[0].Root != "tree" || a.Affected[1].Root != "web" || a.Files != 3 {
		t.Errorf("%+v", a)
	}
}

// TestPagesOfTwoRoots: pages over two roots hold each memory once.
func TestPagesOfTwoRoots(t *testing.T) {
	b, other := twoRoots(t)
	for i := range 12 {
		for _, w := range []*memory.Workspace{b.w, other.Memories} {
			if r, err := w.Remember(t.Context(), memory.Draft{What: fmt.Sprintf("Session fact %d of %s, number %d", i, filepath.Base(w.Root()), i*7)}); err != nil || !r.Accepted {
				t.Fatal(r, err)
			}
		}
	}
	for tool, args := range map[string]map[string]any{"search": {"query": "session fact", "limit": 5}, "recall": {"limit": 7}} {
		got := map[string]int{}
		matched, pages := 0, 0
		for ; pages < 20; pages++ {
			r, fault := b.call(tool, args)
			if fault != "" {
				t.Fatal(fault)
			}
			a := structured[Answer](t, r)
			matched = max(matched, a.Matched)
			for _, it := range a.Items {
				got[it.Root+it.ID]++
			}
			if a.Next == "" {
				break
			}
			args["cursor"] = a.Next
		}
		for id, n := range got {
			if n != 1 {
				t.Errorf("%s: %s came %d times", tool, id, n)
			}
		}
		if len(got) != matched || matched < 12 || pages < 2 {
			t.Errorf("%s: %d of %d came on %d pages", tool, len(got), matched, pages+1)
		}
	}
}

// TestOneRootFails: what is wrong in one root is said, and the other answers.
func TestOneRootFails(t *testing.T) {
	b, other := twoRoots(t)
	other.Find = func(context.Context, search.Question) (search.Answer, error) {
		return search.Answer{}, errors.New("disk on fire")
	}
	if r, fault := b.call("search", map[string]any{"query": "token refresh"}); fault != "" || !strings.Contains(textOf(r), "in tree") || !strings.Contains(textOf(r), "Note: web: disk on fire") {
		t.Errorf("%s %s", textOf(r), fault)
	}
	other.Find = func(context.Context, search.Question) (search.Answer, error) { panic("out of range") }
	if r, fault := b.call("search", map[string]any{"query": "token refresh"}); fault != "" || !strings.Contains(textOf(r), "fault in Manicule") {
		t.Errorf("%s %s", textOf(r), fault)
	}
	b.space.Find = other.Find
	if r, _ := b.call("search", map[string]any{"query": "token refresh"}); !r.IsError {
		t.Errorf("all broke: %s", textOf(r))
	}
	other.Impact = func(ctx context.Context, _ []nearby.Place, _ int) (graph.Impact, error) {
		return graph.Impact{}, context.DeadlineExceeded
	}
	if r, fault := b.call("impact", map[string]any{"targets": []string{"src/auth/token.go#Validate"}}); fault != "" || !strings.Contains(textOf(r), "Login in tree") || !strings.Contains(textOf(r), "Note: web: the code is still being read") {
		t.Errorf("%s %s", textOf(r), fault)
	}
}

// TestWorktrees: roots that hold the same memories show each once.
func TestWorktrees(t *testing.T) {
	b, other := twoRoots(t)
	r, fault := b.call("recall", map[string]any{"query": "web client"})
	if fault != "" {
		t.Fatal(fault)
	}
	id := structured[Answer](t, r).Items[0].ID
	if err := os.CopyFS(b.w.Place().MemoriesDir(), os.DirFS(other.Memories.Place().MemoriesDir())); err != nil && !errors.Is(err, os.ErrExist) {
		t.Fatal(err)
	}
	for tool, args := range map[string]map[string]any{"search": {"query": "token refresh of the web client"}, "recall": {"limit": 100}} {
		r, fault := b.call(tool, args)
		if fault != "" {
			t.Fatal(fault)
		}
		n := 0
		for _, it := range structured[Answer](t, r).Items {
			if it.ID == id {
				n++
			}
		}
		if n != 1 {
			t.Errorf("%s: %d times\n%s", tool, n, textOf(r))
		}
	}
}

// TestOwners: which roots a path lies in.
func TestOwners(t *testing.T) {
	b, other := twoRoots(t)
	inner := filepath.Join(b.w.Root(), "inner")
	write(t, filepath.Join(inner, ".manicule/memories/.keep"), "")
	all := []*Space{b.space, other, spaceOf(t, openWorkspace(t, b, inner))}
	t.Cleanup(func() { _ = all[2].Close() })
	for path, want := range map[string][]int{
		"pages/page.go":                     {1},
		"pages/page.go#Render":              {1},
		"pages/page.go:3-4":                 {1},
		"pages/new.go":                      {1},
		"src/auth/token.go":                 {0, 1},
		"src/auth/token_test.go":            {0},
		"src/new.go":                        {0, 1},
		"nowhere/x.go":                      {0, 1, 2},
		".":                                 {0, 1, 2},
		"../web/pages/page.go":              {0},
		"/etc/passwd":                       {0},
		filepath.Join(b.w.Root(), "x.go"):   {0},
		filepath.Join(inner, "x.go") + "#X": {2},
		filepath.Join(other.Memories.Root(), "a b.go"): {1},
	} {
		if got := rootsOf(all, path); !slices.Equal(got, want) {
			t.Errorf("%s lies in %v, want %v", path, got, want)
		}
	}
	if got := rootNames(all); !slices.Equal(got, []string{"tree", "web", "inner"}) {
		t.Errorf("names %v", got)
	}
}

// TestLateRoots: of two answers about the client's roots the one to the later
// question counts, whichever comes last.
func TestLateRoots(t *testing.T) {
	b, other := twoRoots(t)
	x := b.server.spaces
	newest := func() chan struct{} {
		x.mu.Lock()
		defer x.mu.Unlock()
		return x.asked
	}
	web := "file://" + other.Memories.Root()
	asked, release := make(chan struct{}, 2), make(chan struct{})
	var client *mcp.Client
	b.connect(func(c *mcp.Client) {
		client = c
		c.AddRoots(&mcp.Root{URI: web})
		var second atomic.Bool
		c.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
			return func(ctx context.Context, method string, r mcp.Request) (mcp.Result, error) {
				res, err := next(ctx, method, r)
				if method == "roots/list" {
					asked <- struct{}{}
					if !second.Swap(true) {
						<-release
					}
				}
				return res, err
			}
		})
	})
	<-asked
	old := newest()
	client.RemoveRoots(web)
	<-asked
	must.OK(t, x.answered(t.Context()))
	close(release)
	<-old
	if r, fault := b.call("recall", map[string]any{"paths": []string{"src/auth/token.go"}}); !strings.Contains(textOf(r), "Token refresh fails") {
		t.Errorf("the root of before is in use: %s %s", textOf(r), fault)
	}
}

package lsp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"manicule/indexer/must"
	"manicule/lsp"
	"manicule/lsp/lsptest"
	"manicule/memory"
	"manicule/memory/consolidate"
	"manicule/memory/embed"
)

// alike is an embedder for which all texts say the same.
type alike struct {
	// asked, when not nil, is closed at the first text; the embedder then waits
	// until it is given up.
	asked chan struct{}
}

func (*alike) Info() embed.Info { return embed.Info{Model: "alike", Dims: 2, Backend: "test"} }
func (*alike) Close() error     { return nil }

func (a *alike) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	if a.asked != nil {
		close(a.asked)
		<-ctx.Done()
		return nil, ctx.Err()
	}
	out := make([][]float32, len(texts))
	for i := range texts {
		out[i] = []float32{1, 0}
	}
	return out, nil
}

// consolidating is a workspace with a consolidator.
type consolidating struct {
	*memory.Workspace
	model *embed.Service
}

func (c *consolidating) Consolidate(ctx context.Context, ids []string, progress func(consolidate.Progress)) (consolidate.Report, consolidate.Outcome, error) {
	return consolidate.New(consolidate.Options{Workspace: c.Workspace, Model: c.model}).Run(ctx, ids, progress)
}

func (c *consolidating) Close() error { return errors.Join(c.model.Close(), c.Workspace.Close()) }

func startConsolidating(t *testing.T, e *alike) *lsptest.Editor {
	t.Helper()
	files := small()
	files[where+uuid2+".json"] = gotcha(uuid2, "first too", "Validate")
	s := newSandbox(t, files)
	opts := s.options(t)
	opts.Open = func(ctx context.Context, dir string) (lsp.Memories, error) {
		m, err := s.open(ctx, dir)
		if err != nil {
			return nil, err
		}
		w, ok := m.(*memory.Workspace)
		if !ok {
			return nil, fmt.Errorf("%T is no workspace", m)
		}
		model := embed.New(embed.Options{Open: []embed.Opener{func(context.Context) (embed.Embedder, error) { return e, nil }}, Idle: time.Minute, Retry: time.Minute, Clock: embed.System()})
		return &consolidating{w, model}, nil
	}
	opts.ProgressAfter = time.Hour // opening shows no progress of its own, however slow the machine is
	editor := s.edit(t, opts)
	editor.Initialize(lsptest.Full())
	editor.Open("a.go")
	return editor
}

// progressOf returns the progress values under a token.
func progressOf(t *testing.T, e *lsptest.Editor, token string) (kinds []string, percents []float64, last map[string]any) {
	t.Helper()
	for _, m := range e.Traffic() {
		if m.Method != protocol.MethodProgress || m.Result {
			continue
		}
		var p struct {
			Token any            `json:"token"`
			Value map[string]any `json:"value"`
		}
		must.OK(t, json.Unmarshal(m.Raw, &p))
		if fmt.Sprint(p.Token) != token {
			continue
		}
		kinds, last = append(kinds, fmt.Sprint(p.Value["kind"])), p.Value
		if n, ok := p.Value["percentage"].(float64); ok {
			percents = append(percents, n)
		}
	}
	return kinds, percents, last
}

type consolidatedAnswer struct {
	Folders []struct {
		Looked      int                   `json:"looked"`
		Clusters    []consolidate.Cluster `json:"clusters"`
		Merged      []consolidate.Merged  `json:"merged"`
		Unavailable string                `json:"unavailable"`
	} `json:"folders"`
	Unknown []string `json:"unknown"`
}

// TestConsolidate: the command finds groups, merges only those that are named, and
// shows its progress under the client's token or one of its own.
func TestConsolidate(t *testing.T) {
	e := startConsolidating(t, &alike{})
	run := func(token protocol.ProgressToken, args string) consolidatedAnswer {
		t.Helper()
		p := &protocol.ExecuteCommandParams{Command: "manicule.consolidate"}
		p.WorkDoneToken = token
		if args != "" {
			p.Arguments = []protocol.LSPAny{protocol.LSPAny(args)}
		}
		raw, err := e.Call(protocol.MethodWorkspaceExecuteCommand, p)
		must.OK(t, err)
		var a consolidatedAnswer
		if err := json.Unmarshal(raw, &a); err != nil || len(a.Folders) != 1 {
			t.Fatalf("%s: %v", raw, err)
		}
		return a
	}
	created := e.State().Seen[protocol.MethodWindowWorkDoneProgressCreate]
	found := run(protocol.String("mine"), "")
	if f := found.Folders[0]; f.Looked != 2 || len(f.Clusters) != 1 || len(f.Merged) != 0 {
		t.Fatalf("found %+v", found)
	}
	if n := e.State().Seen[protocol.MethodWindowWorkDoneProgressCreate]; n != created {
		t.Error("a client that gave a token was asked for another")
	}
	kinds, percents, last := progressOf(t, e, "mine")
	if len(kinds) < 4 || kinds[0] != "begin" || kinds[len(kinds)-1] != "end" || last["message"] != "1 found, 0 merged" {
		t.Errorf("progress: %v, %v", kinds, last)
	}
	for i := 1; i < len(percents); i++ {
		if percents[i] < percents[i-1] || percents[i] > 100 {
			t.Errorf("percentages: %v", percents)
		}
	}
	if a := run(nil, `{"apply": ["no such group"]}`); len(a.Folders[0].Merged) != 0 || len(a.Unknown) != 1 {
		t.Errorf("an unknown id: %+v", a)
	}
	if got := hoverText(t, e, "a.go", 2, 5); !strings.Contains(got, "first too") {
		t.Errorf("the search has changed something: %s", got)
	}
	id := found.Folders[0].Clusters[0].ID
	if a := run(nil, `{"apply": [`+quoted(id)+`]}`); len(a.Folders[0].Merged) != 1 || len(a.Unknown) != 0 {
		t.Errorf("applied: %+v", a)
	}
	if n := e.State().Seen[protocol.MethodWindowWorkDoneProgressCreate]; n != created+2 {
		t.Errorf("%d tokens were asked for, want 2", n-created)
	}
	if kinds, _, last := progressOf(t, e, "manicule-work-2"); len(kinds) == 0 || kinds[len(kinds)-1] != "end" || last["message"] != "1 found, 1 merged" {
		t.Errorf("progress of our own: %v, %v", kinds, last)
	}
	if got := hoverText(t, e, "a.go", 2, 5); strings.Count(got, "first") != 1 {
		t.Errorf("after the merge: %s", got)
	}
	_, err := tryExecute(e, "manicule.consolidate", `7`)
	wantCode(t, err, jsonrpc2.InvalidParams)
}

// TestConsolidateInFolders: an error in one folder does not hide what was merged in
// another, and a group is merged in one folder only.
func TestConsolidateInFolders(t *testing.T) {
	for _, fails := range []bool{false, true} {
		t.Run(fmt.Sprintf("the second fails: %t", fails), func(t *testing.T) {
			files := map[string]string{}
			for _, dir := range []string{"one/", "two/"} {
				files[dir+"a.go"] = "package a\n\nfunc Validate() {}\n"
				files[dir+where+uuid1+".json"] = gotcha(uuid1, "first", "Validate")
				files[dir+where+uuid2+".json"] = gotcha(uuid2, "first too", "Validate")
			}
			s := newSandbox(t, files)
			opts := s.options(t)
			var broken atomic.Bool
			opts.Open = func(ctx context.Context, dir string) (lsp.Memories, error) {
				m, err := s.open(ctx, dir)
				if err != nil {
					return nil, err
				}
				w, ok := m.(*memory.Workspace)
				if !ok {
					return nil, fmt.Errorf("%T is no workspace", m)
				}
				two := filepath.Base(w.Root()) == "two"
				model := embed.New(embed.Options{Open: []embed.Opener{func(context.Context) (embed.Embedder, error) {
					if two && broken.Load() {
						return nil, errors.New("the disk is full")
					}
					return &alike{}, nil
				}}, Idle: time.Minute, Retry: time.Minute, Clock: embed.System()})
				return &consolidating{w, model}, nil
			}
			e := s.edit(t, opts)
			c := lsptest.Full()
			c.Folders = []string{"one", "two"}
			e.Initialize(c)
			e.Open("one/a.go")
			broken.Store(fails)
			run := func(args string) (a consolidatedAnswer) {
				t.Helper()
				raw, err := tryExecute(e, "manicule.consolidate", args)
				must.OK(t, err)
				if err := json.Unmarshal(raw, &a); err != nil || len(a.Folders) != 2 {
					t.Fatalf("%s: %v", raw, err)
				}
				return a
			}
			id := groupOf(t, s, "one")
			a := run(`{"apply": [` + quoted(id) + `]}`)
			if len(a.Folders[0].Merged) != 1 || len(a.Folders[1].Merged) != 0 || len(a.Unknown) != 0 {
				t.Errorf("applied: %+v", a)
			}
			if got := strings.Contains(a.Folders[1].Unavailable, "the disk is full"); got != fails {
				t.Errorf("the second says %q", a.Folders[1].Unavailable)
			}
			if !fails && (len(a.Folders[1].Clusters) != 1 || a.Folders[1].Clusters[0].ID != id) {
				t.Errorf("the second has %+v", a.Folders[1].Clusters)
			}
			if got := hoverText(t, e, "one/a.go", 2, 5); strings.Count(got, "first") != 1 {
				t.Errorf("after the merge: %s", got)
			}
		})
	}
}

// groupOf returns the id of the only group of a folder.
func groupOf(t *testing.T, s *sandbox, dir string) string {
	t.Helper()
	m, err := s.open(t.Context(), filepath.Join(s.root, dir))
	must.OK(t, err)
	w, ok := m.(*memory.Workspace)
	if !ok {
		t.Fatalf("%T is no workspace", m)
	}
	model := embed.New(embed.Options{Open: []embed.Opener{func(context.Context) (embed.Embedder, error) { return &alike{}, nil }}, Idle: time.Minute, Retry: time.Minute, Clock: embed.System()})
	r, err := consolidate.New(consolidate.Options{Workspace: w, Model: model}).Find(t.Context(), nil)
	if err := errors.Join(err, model.Close(), w.Close()); err != nil || len(r.Clusters) != 1 {
		t.Fatal(r.Clusters, err)
	}
	return r.Clusters[0].ID
}

// TestConsolidateIsCancelled: by the progress, and by the request.
func TestConsolidateIsCancelled(t *testing.T) {
	for _, by := range []string{"progress", "request"} {
		t.Run(by, func(t *testing.T) {
			model := &alike{asked: make(chan struct{})}
			e := startConsolidating(t, model)
			p := &protocol.ExecuteCommandParams{Command: "manicule.consolidate"}
			p.WorkDoneToken = protocol.Integer(7)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			done := make(chan error, 1)
			go func() {
				_, err := e.CallContext(ctx, protocol.MethodWorkspaceExecuteCommand, p)
				done <- err
			}()
			<-model.asked
			if by == "progress" {
				e.Notify(protocol.MethodWindowWorkDoneProgressCancel, &protocol.WorkDoneProgressCancelParams{Token: protocol.Integer(7)})
			} else {
				cancel()
			}
			var wire *jsonrpc2.Error
			if err := <-done; !errors.Is(err, context.Canceled) && (!errors.As(err, &wire) || wire.Code != protocol.CodeRequestCancelled) {
				t.Errorf("answered %v", err)
			}
			e.Await(lsptest.When("the progress ended", func(lsptest.State) bool {
				kinds, _, last := progressOf(t, e, "7")
				return len(kinds) > 0 && kinds[len(kinds)-1] == "end" && last["message"] == "stopped"
			}))
			if got := hoverText(t, e, "a.go", 2, 5); !strings.Contains(got, "first too") {
				t.Errorf("something was changed: %s", got)
			}
		})
	}
}

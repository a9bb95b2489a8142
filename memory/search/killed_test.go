package search_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"manicule/indexer/must"
	"manicule/indexer/treefile"
	"manicule/memory/embed"
	"manicule/memory/search"
)

// killedVariable names the folder of a project in which this process embeds code, until it kills
// itself.
const killedVariable = "MANICULE_TEST_EMBED_IN"

// suicidal is a bag that notes each text in a file, and kills its process after some texts.
type suicidal struct {
	bag
	log   string
	lives int
}

func (s *suicidal) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	f, err := os.OpenFile(s.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	for _, t := range texts {
		if _, err := fmt.Fprintln(f, embed.Key(t)); err != nil {
			return nil, errors.Join(err, f.Close())
		}
	}
	if err := f.Close(); err != nil {
		return nil, err
	}
	if s.lives -= len(texts); s.lives <= 0 {
		self, err := os.FindProcess(os.Getpid())
		if err == nil {
			err = self.Kill()
		}
		if err != nil {
			return nil, err
		}
		<-ctx.Done() // the signal comes
	}
	return s.bag.Embed(ctx, texts)
}

// manyFunctions is code with that many functions, in files of 20.
func manyFunctions(n int) map[string]string {
	files := map[string]string{"go.mod": "module many\n\ngo 1.25\n"}
	for i := 0; i < n; i += 20 {
		var b strings.Builder
		fmt.Fprintf(&b, "package many\n")
		for k := i; k < min(n, i+20); k++ {
			fmt.Fprintf(&b, "\n// Renew%d renews the session token number %d.\nfunc Renew%d() int {\n\treturn %d\n}\n", k, k, k, k)
		}
		files[fmt.Sprintf("many/f%03d.go", i)] = b.String()
	}
	return files
}

// TestEmbedCodeGoesOnAfterKill holds that a process that embeds code may be killed at any time: the
// next one computes what was not stored, which is a page of vectors at most, and nothing else.
func TestEmbedCodeGoesOnAfterKill(t *testing.T) {
	const functions, page, lives = 400, 80, 150 // a page of 64 texts, and the rest of a file
	if dir := os.Getenv(killedVariable); dir != "" {
		embedIn(t, dir, lives)
		return
	}
	dir := t.TempDir()
	killed := 0
	for {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$")
		cmd.Env = append(os.Environ(), killedVariable+"="+dir)
		out, err := cmd.CombinedOutput()
		if err == nil {
			break
		}
		if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) || exit.ExitCode() > 0 && len(out) > 0 {
			t.Fatalf("%v\n%s", err, out)
		}
		if killed++; killed > 10 {
			t.Fatal("it does not go on")
		}
	}
	data, err := os.ReadFile(filepath.Join(dir, "log"))
	must.OK(t, err)
	times := map[string]int{}
	for key := range strings.Lines(string(data)) {
		times[key]++
	}
	computed := strings.Count(string(data), "\n")
	if killed < 2 || len(times) != functions || computed > functions+killed*page {
		t.Errorf("%d computed for %d pieces, with %d kills; at most %d are lost by each", computed, len(times), killed, page)
	}
}

func embedIn(t *testing.T, dir string, lives int) {
	t.Helper()
	p := projectIn(t, dir, manyFunctions(400))
	e := &suicidal{log: filepath.Join(dir, "log"), lives: lives}
	model := embed.New(embed.Options{Open: []embed.Opener{func(context.Context) (embed.Embedder, error) { return e, nil }}, Idle: time.Hour, Clock: embed.System()})
	defer func() {
		if err := model.Close(); err != nil {
			t.Error(err)
		}
	}()
	s := p.searcher(t, search.Options{Model: model, Graph: p.index.Ask, Index: p.index, Expect: e.Info})
	must.OK(t, s.SyncCode(t.Context(), nil))
	if _, err := s.EmbedCode(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
}

// TestEmbedCodeReports holds that progress grows to the number of pieces, also for one that goes on.
func TestEmbedCodeReports(t *testing.T) {
	p := newProject(t, manyFunctions(200))
	s := p.searcher(t, search.Options{Model: p.model, Graph: p.index.Ask, Index: p.index, Expect: p.bag.Info})
	must.OK(t, s.SyncCode(t.Context(), nil))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	if _, err := s.EmbedCode(ctx, func(done, _ int) {
		if done >= 100 {
			cancel()
		}
	}); !errors.Is(err, context.Canceled) {
		t.Fatalf("it was cancelled: %v", err)
	}
	before, last := p.bag.asked, 0
	r, err := s.EmbedCode(t.Context(), func(done, total int) {
		if done < last || total != 200 {
			t.Errorf("%d of %d after %d", done, total, last)
		}
		last = done
	})
	if err != nil || last != 200 || r.Known != before || r.Made != 200-before || p.bag.asked != 200 {
		t.Errorf("%+v, %d computed, the last is %d: %v", r, p.bag.asked, last, err)
	}
}

// TestCodeHasItsOwnModel holds that memories and code may have vectors of two models, which are
// never compared.
func TestCodeHasItsOwnModel(t *testing.T) {
	p := newProject(t, code())
	quick := &renamed{name: "quick"}
	model := embed.New(embed.Options{Open: []embed.Opener{func(context.Context) (embed.Embedder, error) { return quick, nil }}, Idle: time.Hour, Clock: embed.System()})
	t.Cleanup(func() {
		if err := model.Close(); err != nil {
			t.Error(err)
		}
	})
	o := search.Options{Model: p.model, Graph: p.index.Ask, Index: p.index, Expect: p.bag.Info}
	s := p.searcher(t, o)
	must.OK(t, s.SyncCode(t.Context(), nil))
	first, err := s.EmbedCode(t.Context(), nil)
	if err != nil || first.Info.Model != "bag" || first.Made == 0 {
		t.Fatalf("%+v, %v", first, err)
	}
	o.CodeModel = func() (*embed.Service, embed.Info) { return model, quick.Info() }
	s = p.searcher(t, o)
	find := func() search.Answer {
		t.Helper()
		a, _, err := s.Code(t.Context(), search.Question{Text: "renew the session token", Limit: 3, Explicit: true})
		must.OK(t, err)
		return a
	}
	if a := find(); a.Meaning || a.Index.Unread != first.Made {
		t.Errorf("vectors of the other model are used: %+v", a.Index)
	}
	if r, err := s.EmbedCode(t.Context(), nil); err != nil || r.Info.Model != "quick" || r.Made != first.Made || r.Known != 0 {
		t.Fatalf("%+v, %v", r, err)
	}
	if a := find(); !a.Meaning || a.Index.Model != "quick" {
		t.Errorf("%+v", a.Index)
	}
}

// renamed is a bag with another name.
type renamed struct {
	bag
	name string
}

func (r *renamed) Info() embed.Info { return embed.Info{Model: r.name, Dims: 64, Backend: "test"} }

// TestEmbedCodeOfReplaced: the keyword index is deleted while its code is embedded, and a question finds that first and begins a new
// one. The vectors of all pieces are there in the end.
func TestEmbedCodeOfReplaced(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("what is open can't be deleted")
	}
	p := newProject(t, manyFunctions(200))
	s := p.searcher(t, search.Options{Model: p.model, Graph: p.index.Ask, Index: p.index, Expect: p.bag.Info})
	must.OK(t, s.SyncCode(t.Context(), nil))
	deleted := false
	r, err := s.EmbedCode(t.Context(), func(int, int) {
		if deleted {
			return
		}
		deleted = true
		for _, name := range treefile.Glob(p.Place().CacheDir(), "code.v*") {
			if err := os.Remove(name); err != nil {
				t.Error(err)
			}
		}
		if err := s.SyncCode(t.Context(), nil); err != nil {
			t.Error(err)
		}
	})
	if err != nil || r.Known+r.Made != 200 || p.bag.asked != 200 {
		t.Errorf("%+v, %d computed: %v", r, p.bag.asked, err)
	}
}

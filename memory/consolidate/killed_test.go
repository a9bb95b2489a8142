package consolidate

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"manicule/indexer/must"
	"manicule/memory/embed"
	"manicule/memory/file"
)

// envKilled names the folder in which a process of its own applies clusters until
// it is killed.
const envKilled = "MANICULE_TEST_KILLED"

// TestKilledChild is that process; it is no test of its own.
func TestKilledChild(t *testing.T) {
	base := os.Getenv(envKilled)
	if base == "" {
		t.Skip("only run by TestKilled")
	}
	w := openIn(t, base)
	o := Options{Workspace: w, Model: model(t), Expect: expect}
	r := find(t, w, o)
	New(o).Apply(t.Context(), r.Clusters, func(Progress) { fmt.Println("merging") })
}

// TestKilled: whenever a process that merges is killed, each memory is active as
// it was, merged, or archived as it was; and the next run finishes.
func TestKilled(t *testing.T) {
	rounds := 8
	if testing.Short() {
		rounds = 2
	}
	for round := range rounds {
		t.Run(fmt.Sprint(round), func(t *testing.T) {
			t.Parallel()
			base := t.TempDir()
			w := openIn(t, base)
			var list []*file.Memory
			for i := range 12 {
				for _, text := range []string{refresh, refresh2, refresh3} {
					list = append(list, &file.Memory{What: text, Tags: []string{fmt.Sprintf("t%d", len(list))}, Scope: file.Scope{fmt.Sprintf("src/%d/**", i)}})
				}
			}
			put(t, w, list...)
			o := Options{Workspace: w, Model: model(t), Expect: expect}
			whole := find(t, w, o) // makes the vectors, too
			before := map[string]*file.Memory{}
			for _, h := range w.View().All() {
				before[h.Memory.UUID] = h.Memory
			}
			killOne(t, base, 1+rand.IntN(20), time.Duration(rand.IntN(50))*time.Millisecond)
			checkReadable(t, base, before)
			left := find(t, w, o)
			t.Logf("killed with %d of %d clusters left", len(left.Clusters), len(whole.Clusters))
			out := New(o).Apply(t.Context(), left.Clusters, nil)
			if len(out.Failed) > 0 {
				t.Fatalf("the next run: %+v", out.Failed)
			}
			if r := find(t, w, o); len(r.Clusters) > 0 {
				t.Errorf("left over: %+v", r.Clusters)
			}
			if got := len(w.View().All()); got != len(whole.Clusters) {
				t.Errorf("%d memories are left, want %d", got, len(whole.Clusters))
			}
			checkReadable(t, base, before)
		})
	}
}

// killOne starts a process that merges, and kills it a while after it has said so
// often that it does, unless it was quicker.
func killOne(t *testing.T, base string, steps int, after time.Duration) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[0], "-test.run=^TestKilledChild$")
	cmd.Env = append(os.Environ(), envKilled+"="+base)
	out, err := cmd.StdoutPipe()
	must.OK(t, err)
	must.OK(t, cmd.Start())
	lines := bufio.NewReader(out)
	for range steps {
		if line, err := lines.ReadString('\n'); err != nil || line != "merging\n" {
			t.Fatalf("the process said %q: %v", line, err)
		}
	}
	kill := time.AfterFunc(after, func() { _ = cmd.Process.Kill() }) // it may have ended
	defer kill.Stop()
	_, _ = io.Copy(io.Discard, lines) // until it ends, or is killed
	_ = cmd.Wait()                    // that it was killed is no news
}

// checkReadable: each memory is active, with its own text, or archived as it was.
func checkReadable(t *testing.T, base string, before map[string]*file.Memory) {
	t.Helper()
	w := openIn(t, base) // as another process sees it
	if _, err := w.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	if p := w.View().Problems(); len(p) > 0 {
		t.Errorf("problems: %v", p)
	}
	graves, err := w.State().Tombstones().List(t.Context())
	must.OK(t, err)
	archived := map[string]string{}
	for _, g := range graves {
		m, err := file.Parse(g.JSON)
		must.OK(t, err)
		archived[g.UUID] = hash(t, m)
	}
	for id, was := range before {
		h, active := w.View().Get(id)
		switch {
		case active && h.Memory.What != was.What:
			t.Errorf("the text of %s is another", id)
		case active && hash(t, h.Memory) != hash(t, was) && h.Memory.Lineage.ChangeKind != "merge":
			t.Errorf("%s was changed", id)
		case !active && archived[id] != hash(t, was):
			t.Errorf("%s is lost", id)
		}
	}
}

// BenchmarkFind looks through 10,000 memories whose vectors are there.
func BenchmarkFind(b *testing.B) {
	for _, modules := range []int{1000, 100, 1} {
		b.Run(fmt.Sprintf("%d modules", modules), func(b *testing.B) {
			w := openIn(b, b.TempDir())
			r := rand.New(rand.NewPCG(1, 2))
			var list []*file.Memory
			for i := range 10000 {
				list = append(list, &file.Memory{What: sentence(r), Scope: file.Scope{fmt.Sprintf("src/m%d/**", i%modules)}})
			}
			for i, m := range list { // written without waiting for the disk
				fill(m, i, len(list))
				data, err := m.Marshal()
				name := filepath.Join(w.Place().MemoriesDir(), filepath.FromSlash(m.RelPath()))
				must.OK(b, errors.Join(err, os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, data, 0o644)))
			}
			o := Options{Model: model(b, func(context.Context) (embed.Embedder, error) { return dense{}, nil }), Expect: dense{}.Info}
			find(b, w, o)
			b.ResetTimer()
			begin := processor(b)
			for b.Loop() {
				if r := find(b, w, o); r.Looked != 10000 {
					b.Fatal(r.Looked)
				}
			}
			b.ReportMetric(float64((processor(b)-begin).Milliseconds())/float64(b.N), "cpu-ms/op")
		})
	}
}

// processor is the time that this process has had of all processors: on a machine
// that others use too, it says more than a clock.
func processor(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	must.OK(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// dense is an embedder whose vectors are as long and as far apart as those of a
// real model: half of each is common to all.
type dense struct{}

func (dense) Info() embed.Info { return embed.Info{Model: "dense", Dims: 384, Backend: "test"} }
func (dense) Close() error     { return nil }

func (dense) Embed(_ context.Context, texts []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	for i, t := range texts {
		seed := uint64(14695981039346656037)
		for _, c := range []byte(t) {
			seed = (seed ^ uint64(c)) * 1099511628211
		}
		r := rand.New(rand.NewPCG(seed, 3))
		out[i] = make([]float32, 384)
		for k := range out[i] {
			out[i][k] = float32(r.NormFloat64())*0.8 + float32(k%3-1)*0.8
		}
		unit(out[i])
	}
	return out, nil
}

func sentence(r *rand.Rand) string {
	words := []string{"cache", "token", "refresh", "login", "table", "column", "index", "query", "request", "handler", "buffer", "queue", "retry", "timeout", "lock", "file", "folder", "commit", "branch", "merge"}
	out := "The"
	for range 12 {
		out += " " + words[r.IntN(len(words))]
	}
	return out
}

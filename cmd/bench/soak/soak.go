// Package soak keeps a language server and an MCP server busy for a long time, then
// leaves them idle. It reports processor time, memory, goroutines, descriptors and
// database sizes. It drives the program over its pipes, as an editor does, and must
// not use the product's packages.
package soak

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"manicule/cmd/internal/sandbox"
	"manicule/cmd/internal/wire"
)

// Options set the duration and the workload.
type Options struct {
	Bin       string        // the program; "" builds one with vitals
	Vitals    bool          // Bin was built with the tag vitals
	Tree      string        // a folder of sources, which is copied; "" takes Module
	Module    string        // a Go module
	Memories  int           // half of them at declarations
	Edits     int           // files opened, changed and saved
	For       time.Duration // minimum duration of the edits, which are spread over it
	Rest      time.Duration // idle time before the second measurement
	Idle      time.Duration // duration of the processor-time measurement when idle
	OnlyIndex bool          // end after the first index
	Profiles  string        // a folder for profiles of the rested servers, "" for none
	Say       func(format string, args ...any)
}

// Long is the workload of an afternoon: the figures of docs/benchmarks.md.
func Long() Options {
	return Options{Module: "github.com/hashicorp/terraform@v1.13.3", Memories: 1000, Edits: 3600, For: 30 * time.Minute, Rest: time.Minute, Idle: 80 * time.Second}
}

// Short is the same on a smaller tree in less than four minutes, for a machine that
// tests each change. The servers return their memory in steps, the last one a minute after
// the last request: the rest is longer, so that what is measured is what goes on.
func Short() Options {
	return Options{Module: "github.com/go-git/go-git/v5@v5.19.3", Memories: 300, Edits: 300, For: 45 * time.Second, Rest: 65 * time.Second, Idle: 20 * time.Second}
}

// Role is one of the processes.
type Role struct {
	Name    string   `json:"name"`
	Before  Phase    `json:"before"` // opened and rested
	After   Phase    `json:"after"`  // worked and rested
	Samples []Sample `json:"samples"`
}

// Phase is a period without requests.
type Phase struct {
	Sample          // at its end
	Percent float64 `json:"percent"` // of one core
	Woken   float64 `json:"woken"`   // wake-ups of threads per second
}

// Report holds the results of a run.
type Report struct {
	Tree     string             `json:"tree"`
	Files    int                `json:"files"` // source files
	Memories int                `json:"memories"`
	Edits    int                `json:"edits"`
	Took     time.Duration      `json:"took"` // duration of the edits
	Roles    []Role             `json:"roles"`
	Hovers   []Hovers           `json:"hovers"`           // around the first index
	Before   map[string]float64 `json:"databases_before"` // megabytes by kind of file
	After    map[string]float64 `json:"databases_after"`
}

// Run runs the soak. It needs Linux and git.
func Run(ctx context.Context, o Options) (r Report, err error) {
	if _, err := os.Stat("/proc/self/smaps_rollup"); err != nil {
		return r, fmt.Errorf("soak: this system does not report the cost of a process: %w", err)
	}
	if o.Say == nil {
		o.Say = func(string, ...any) {}
	}
	box, err := sandbox.New(ctx, "/", "") // the program comes below
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, box.Remove()) }()
	if box.Bin = o.Bin; o.Bin == "" {
		o.Say("building the program")
		o.Vitals = true
		if box.Bin, err = box.Build(ctx, "manicule", "./cmd/manicule", "-tags", "vitals,netgo,osusergo"); err != nil {
			return r, err
		}
	}
	if o.Tree == "" {
		if o.Tree, err = sandbox.Module(ctx, o.Module); err != nil {
			return r, err
		}
	}
	o.Say("copying %s and writing %d memories", o.Tree, o.Memories)
	t, err := newTree(ctx, box, o.Tree, o.Memories)
	if err != nil {
		return r, err
	}
	r = Report{Tree: filepath.Base(o.Tree), Files: len(t.files), Memories: o.Memories, Edits: o.Edits}
	s := &run{Options: o, tree: t, report: &r}
	return r, s.all(ctx)
}

// run is the state of one soak.
type run struct {
	Options
	tree    *tree
	report  *Report
	editor  *editor
	agent   *wire.Agent
	watched []*process
}

// all runs the phases in order.
func (s *run) all(ctx context.Context) (err error) {
	if err := s.start(ctx); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.end(ctx)) }()
	if s.OnlyIndex {
		return nil
	}
	s.Say("the code of %d files is read", s.report.Files)
	if err := s.editor.indexed(ctx); err != nil {
		return err
	}
	if _, err := s.editor.openDocument(s.tree.about[0]); err != nil {
		return err
	}
	if err := tool(s.agent, "recall", map[string]any{"paths": []string{s.tree.about[0]}}); err != nil {
		return err
	}
	s.report.Before = s.databases()
	if err := s.rest(ctx, "opened", func(r *Role) *Phase { return &r.Before }); err != nil {
		return err
	}
	if err := s.work(ctx); err != nil {
		return err
	}
	err = s.rest(ctx, "worked", func(r *Role) *Phase { return &r.After })
	s.report.After = s.databases()
	return errors.Join(err, s.profiles(ctx))
}

// start starts the servers. The editor's becomes the leader, the agent's waits for the
// lease.
func (s *run) start(ctx context.Context) (err error) {
	env := func(name string) (string, []string) {
		if !s.Vitals {
			return "", nil
		}
		dir := s.tree.box.Dir
		if s.Profiles != "" {
			dir = s.Profiles
		}
		file := filepath.Join(dir, name+".vitals")
		return file, []string{"MANICULE_VITALS=" + file}
	}
	file, vars := env("lsp")
	if s.editor, err = startEditor(ctx, s.tree, vars...); err != nil {
		return err
	}
	s.watched = append(s.watched, &process{name: "lsp", pid: s.editor.c.PID(), vitals: file, start: time.Now()})
	if err := s.hoverWhileIndexing(ctx, s.watched[0]); err != nil { // it leads by now
		return err
	}
	if s.OnlyIndex {
		return nil
	}
	file, vars = env("mcp")
	cmd := s.tree.box.Manicule(ctx, s.tree.root, "mcp")
	cmd.Env, cmd.Stderr = append(cmd.Env, vars...), os.Stderr
	if s.agent, err = wire.StartAgent(cmd, "soak"); err != nil {
		return err
	}
	s.watched = append(s.watched, &process{name: "mcp", pid: s.agent.PID(), vitals: file, start: time.Now()})
	for _, w := range s.watched {
		s.report.Roles = append(s.report.Roles, Role{Name: w.name})
	}
	return nil
}

// tool calls a tool and ignores its answer.
func tool(a *wire.Agent, name string, args map[string]any) error {
	_, err := a.Tool(name, args)
	return err
}

func (s *run) end(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
	defer cancel()
	err := s.editor.c.Close(ctx)
	if s.agent != nil {
		err = errors.Join(err, s.agent.Close())
	}
	return err
}

// sampleEvery is the interval between samples during work.
const sampleEvery = 15 * time.Second

// work edits for the configured duration.
func (s *run) work(ctx context.Context) error {
	s.Say("%d edits in %v", s.Edits, s.For)
	start := time.Now()
	looked := start
	for i := range s.Edits {
		if err := pause(ctx, time.Until(start.Add(s.For*time.Duration(i)/time.Duration(max(1, s.Edits))))); err != nil {
			return err
		}
		if err := s.editor.step(ctx, i); err != nil {
			return fmt.Errorf("edit %d: %w", i, err)
		}
		if err := s.otherChanges(ctx, i); err != nil {
			return fmt.Errorf("beside edit %d: %w", i, err)
		}
		if time.Since(looked) >= sampleEvery {
			looked = time.Now()
			if err := s.sampleAll(); err != nil {
				return err
			}
		}
	}
	s.report.Took = time.Since(start)
	return nil
}

// otherChanges makes the changes of other actors: a build writes files, a branch is checked out
// and back, work is committed, a memory is written, another is forgotten, and an agent
// asks.
func (s *run) otherChanges(ctx context.Context, i int) error {
	t := s.tree
	switch {
	case i%100 == 40: // uncommitted files stay
		if _, err := t.git(ctx, "stash", "--quiet"); err != nil {
			return err
		}
		if _, err := t.git(ctx, "checkout", "--quiet", "side"); err != nil {
			return err
		}
		if _, err := t.git(ctx, "checkout", "--quiet", "main"); err != nil {
			return err
		}
		_, err := t.git(ctx, "stash", "pop", "--quiet")
		return err
	case i%150 == 120:
		_, err := t.git(ctx, "commit", "--quiet", "--all", "--message=Work")
		return err
	case i%20 == 10:
		for n := range 30 {
			if err := t.rewrite(fmt.Sprintf("soakgen/part%d.go", n), func([]byte) []byte {
				return fmt.Appendf(nil, "package soakgen\n\n// Part%d is generated.\nfunc Part%d() int { return %d }\n", n, n, i)
			}); err != nil {
				return err
			}
		}
	case i%50 == 25:
		return s.tree.command(ctx, "remember", fmt.Sprintf("what edit %d has shown", i), "--type", "gotcha", "--at", t.files[i%len(t.files)])
	case i%10 == 5:
		return tool(s.agent, "recall", map[string]any{"paths": []string{t.files[i%len(t.files)]}})
	case i%25 == 7:
		return tool(s.agent, "search", map[string]any{"query": fmt.Sprintf("what holds for number %d", i)})
	}
	return nil
}

// sampleAll samples all processes.
func (s *run) sampleAll() error {
	for i, w := range s.watched {
		sample, err := w.sample()
		if err != nil {
			return err
		}
		s.report.Roles[i].Samples = append(s.report.Roles[i].Samples, sample)
		s.Say("  %s after %v: %.0f MB resident (%.0f its own, Go has %.0f, alive %.0f), %d goroutines, %d descriptors, %v of processor",
			w.name, sample.After.Round(time.Second), sample.RSS, sample.Own, sample.Mapped, sample.Live, sample.Goroutines, sample.Files, sample.CPU)
	}
	return nil
}

// rest lets the processes rest and measures the cost of doing nothing.
func (s *run) rest(ctx context.Context, what string, phase func(*Role) *Phase) error {
	s.Say("%s: rest for %v", what, s.Rest)
	if err := pause(ctx, s.Rest); err != nil {
		return err
	}
	from := make([]Sample, len(s.watched))
	for i, w := range s.watched {
		sample, err := w.quiet()
		if err != nil {
			return err
		}
		from[i] = sample
	}
	if err := pause(ctx, s.Idle); err != nil {
		return err
	}
	for i, w := range s.watched {
		to, err := w.quiet()
		if err != nil {
			return err
		}
		full, err := w.sample()
		if err != nil {
			return err
		}
		p := phase(&s.report.Roles[i])
		p.Sample = full
		took := to.After - from[i].After
		p.Percent = 100 * float64(to.CPU-from[i].CPU) / float64(took)
		p.Woken = float64(to.Wakeups-from[i].Wakeups) / took.Seconds()
		s.Say("  %s, %s: %.2f %% of a core, %.1f wake-ups a second; %.0f MB resident at first, %.0f now (%.0f its own, Go has %.0f, alive %.0f), %d goroutines, %d descriptors",
			w.name, what, p.Percent, p.Woken, from[i].RSS, full.RSS, full.Own, full.Mapped, full.Live, full.Goroutines, full.Files)
	}
	return nil
}

// quiet takes a sample without a request to the process.
func (w *process) quiet() (Sample, error) {
	silent := *w
	silent.vitals = ""
	return silent.sample()
}

// profiles makes the rested servers write their profiles.
func (s *run) profiles(ctx context.Context) error {
	if s.Profiles == "" {
		return nil
	}
	for _, w := range s.watched {
		if err := w.profile(); err != nil {
			return err
		}
	}
	return pause(ctx, 7*time.Second) // nothing signals that they are written; the CPU profile takes five seconds
}

func (s *run) databases() map[string]float64 {
	home := filepath.Join(s.tree.box.Dir, "home")
	return databases(filepath.Join(home, "cache"), filepath.Join(home, "state"))
}

func pause(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

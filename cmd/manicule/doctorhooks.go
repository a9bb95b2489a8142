package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"manicule/hooks"
	"manicule/hooks/install"
	"manicule/hooks/setup"
	"manicule/indexer/sorting"
	"manicule/indexer/workspace"
	"manicule/memory/services"
)

// hookWeek is the period of the histogram.
const hookWeek = 7 * 24 * time.Hour

// probeLimit bounds the run of an installed command line. It is longer than any agent
// waits.
const probeLimit = 10 * time.Second

// How many entries of the hooks' log doctor looks at, and how many different faults it shows.
const (
	faultsLooked = 1000
	faultsShown  = 5
)

// hookFaults returns a finding for each of the latest faults of hooks. Those of one kind are one line, with their number and the
// time of the last.
func hookFaults(entries []hooks.LogEntry, log string) (out []finding) {
	times := map[string]int{}
	var last []hooks.LogEntry // newest first
	for _, e := range slices.Backward(entries) {
		if times[e.Message]++; times[e.Message] == 1 {
			last = append(last, e)
		}
	}
	for _, e := range slices.Backward(last[:min(faultsShown, len(last))]) {
		text := strings.Join(strings.Fields(e.Time.Format("2006-01-02 15:04:05")+" "+e.Agent+" "+e.Event), " ") + ": " + e.Message
		if n := times[e.Message]; n > 1 {
			text = count(n, "time", "times") + ", last " + text
		}
		out = append(out, finding{"hooks", statusNote, text, "The agent was not affected; " + log + " has more."})
	}
	return out
}

// doctorHooksCommand is `manicule doctor hooks`.
type doctorHooksCommand struct {
	doctor
	selfTest bool
}

func newDoctorHooksCommand(shared *cli) *cobra.Command {
	dhc := &doctorHooksCommand{doctor: doctor{shared}}
	c := &cobra.Command{
		Use:   "hooks",
		Short: "Run the installed hooks as the agents do, and show their latency",
		Long: "Run each installed command line with a harmless event, and show the latency of the hooks of\n" +
			"the last seven days. Only command lines that init writes are run, never a repository's own\n" +
			"version of them. With --self-test the hooks send a random word for 15 minutes: ask the agent\n" +
			"for the word to see whether hooks reach it.",
		Args: cobra.NoArgs,
		RunE: dhc.run,
	}
	c.Flags().BoolVar(&dhc.selfTest, "self-test", false, "have the hooks send a random word")
	return c
}

func (dhc *doctorHooksCommand) run(cmd *cobra.Command, _ []string) error {
	return dhc.examined(func(w *services.Workspace) (bool, error) {
		if dhc.selfTest {
			return false, dhc.startSelfTest(w)
		}
		list := dhc.tryHooks(cmd.Context(), w)
		hist, err := dhc.histogram(w)
		if err != nil {
			return false, err
		}
		list = append(list, dhc.checkBreaker(w)...)
		bad := anyProblem(list)
		if dhc.json {
			dhc.printJSON("doctor-hooks", struct {
				OK        bool      `json:"ok"`
				Findings  []finding `json:"findings"`
				Histogram []bucket  `json:"histogram"`
			}{!bad, list, hist})
		} else {
			dhc.printFindings(list)
			dhc.printHistogram(hist)
		}
		return bad, nil
	})
}

func (dhc *doctorHooksCommand) startSelfTest(w *services.Workspace) error {
	t, err := hooks.StartSelfTest(w.Place().StateDir(), dhc.now(), dhc.random)
	if err != nil {
		return err
	}
	until := time.UnixMilli(t.Until)
	if dhc.json {
		dhc.printJSON("self-test", struct {
			Word  string    `json:"word"`
			Until time.Time `json:"until"`
		}{t.Word, until.UTC()})
		return nil
	}
	dhc.printf("☞ until %s every conversation here is told a word.\n  Give your agent something to do, then ask it: What is the word of Manicule's self-test?\n  The right answer is %s.\n",
		until.Format("15:04"), t.Word)
	return nil
}

// wiredAgents lists the agents with our hooks in their configuration, with the files and
// command lines.
type wiredAgent struct {
	name, file string
	private    bool // only the user and the user's programs write the file
	commands   []string
}

func (d *doctor) wiredAgents(w *services.Workspace) []wiredAgent {
	var out []wiredAgent
	rules, wiring := trustIn(w.Place()), d.setupOf(w.Place())
	for _, name := range install.Agents() {
		for _, shared := range []bool{false, true} {
			path, err := wiring.HooksFile(name, shared)
			if err != nil {
				continue // no home folder
			}
			same := func(x wiredAgent) bool { return x.name == name && x.file == path } // some agents have one place for both
			data, err := setup.Read(path)
			if err != nil || data == nil || slices.ContainsFunc(out, same) {
				continue
			}
			if commands := install.Installed(name, data); len(commands) > 0 {
				where, err := install.File(name, shared)
				out = append(out, wiredAgent{name, path, err == nil && where.Home && !rules.InRepository(path), commands})
			}
		}
	}
	return out
}

// tryHooks runs the installed hooks.
func (dhc *doctorHooksCommand) tryHooks(ctx context.Context, w *services.Workspace) []finding {
	var out []finding
	rules := trustIn(w.Place())
	for _, agent := range dhc.wiredAgents(w) {
		for _, command := range agent.commands {
			words, err := rules.Hook(agent.name, command, agent.private)
			if err != nil {
				f := refusal(agent.name, command, err)
				out = append(out, finding{agent.name, statusProblem, filepath.ToSlash(agent.file) + ": " + f.Text, f.Hint})
				continue
			}
			out = append(out, tryHook(ctx, w.Root(), agent, command, words))
		}
	}
	if len(out) == 0 {
		out = append(out, finding{"agents", statusNote, "no agent is set up", "`manicule init --agent claude-code`"})
	}
	return out
}

// trustIn returns the rules for running command lines in a workspace.
func trustIn(p *workspace.Workspace) install.Trust {
	roots := []string{p.Root, setup.AgentProject(p)} // a worktree's agents run what is installed in its main worktree
	if p.GitTop != "" {
		roots = append(roots, p.GitTop)
	}
	self, err := os.Executable()
	if err != nil {
		self = "" // a program that does not exist is named by no file
	}
	return install.Trust{Roots: roots, Self: self, LookPath: exec.LookPath}
}

// refusal reports why a command line in an agent's file was not run.
func refusal(agent, command string, err error) finding {
	f := finding{Check: agent, Status: statusProblem}
	again := "`manicule init --agent " + agent + "` writes it again."
	switch {
	case errors.Is(err, install.ErrNoProgram):
		f.Text, f.Hint = fmt.Sprintf("%q: %v", command, err), "Put `manicule` on your PATH; "+again
	case errors.Is(err, install.ErrInRepository):
		f.Text, f.Hint = fmt.Sprintf("%q was not run: %v", command, err), "Check it; install Manicule outside of the repository, and "+again
	default:
		// A clone must not get anything run here, however it writes the line.
		f.Text, f.Hint = fmt.Sprintf("%q is not what `manicule init` writes, and was not run", command), "Check it, since the agent may run it; "+again
	}
	return f
}

// inEmptyFolder calls f with the path of a new, empty folder.
func inEmptyFolder(f func(dir string) error) (err error) {
	dir, err := os.MkdirTemp("", "manicule-doctor-")
	if err != nil {
		return fmt.Errorf("make an empty folder: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	return f(dir)
}

// tryHook runs the words of a trusted command line directly. A shell would find programs
// in its own way.
func tryHook(ctx context.Context, root string, agent wiredAgent, command string, words []string) finding {
	f := finding{Check: agent.name, Status: statusProblem}
	probe, err := hooks.Probe(agent.name, root)
	if err != nil {
		f.Text = err.Error()
		return f
	}
	ctx, cancel := context.WithTimeout(ctx, probeLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	cmd.WaitDelay = time.Second // processes that it has started
	cmd.Stdin = bytes.NewReader(probe)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	start := time.Now()
	ran := false
	err = inEmptyFolder(func(dir string) error {
		ran = true
		cmd.Dir = dir // the event names the workspace
		return cmd.Run()
	})
	took := time.Since(start)
	answer := bytes.TrimSpace(stdout.Bytes())
	where := filepath.ToSlash(agent.file)
	switch {
	case err != nil:
		f.Text = fmt.Sprintf("%s: %q failed: %v %s", where, command, err, firstLine(stderr.String()))
		if ran && ctx.Err() == nil {
			f.Hint = brokenProgram(words[0])
		}
	case len(answer) > 0 && (answer[0] != '{' || !jsontext.Value(answer).IsValid()):
		f.Text = fmt.Sprintf("%s: %q printed no JSON object: %s", where, command, firstLine(string(answer)))
		f.Hint = brokenProgram(words[0])
	default:
		said := "an empty answer"
		if len(answer) > 2 {
			said = "an answer"
		}
		f.Status = statusOK
		f.Text = fmt.Sprintf("%s: %s in %s", where, said, took.Round(100*time.Microsecond))
	}
	return f
}

// brokenProgram says what to do about a program that answers no hook: its command line is as it should be.
func brokenProgram(name string) string {
	return "That program is broken: install " + filepath.ToSlash(name) + " again; `" + filepath.Base(name) + " version` shows whether it runs."
}

// checkBreaker reports whether the circuit breaker is open, and why.
func (d *doctor) checkBreaker(w *services.Workspace) []finding {
	b := hooks.ReadBreaker(w.Place().StateDir())
	now := d.now()
	switch {
	case b.Open(now):
		return []finding{{"breaker", statusNote, "answers were late repeatedly: until " + time.UnixMilli(b.Until).Format("15:04") + " hooks skip searches and the results of earlier sessions",
			"Check the times below; the usual reasons are a slow disk or a busy machine."}}
	case len(b.Misses) > 0:
		return []finding{{"breaker", statusNote, count(len(b.Misses), "answer", "answers") + " came too late in the last minutes", "After three within ten minutes, hooks do less for ten."}}
	}
	return []finding{{Check: "breaker", Status: statusOK, Text: "closed: hooks do everything"}}
}

// bucket is the histogram of one event.
type bucket struct {
	Agent  string  `json:"agent"`
	Event  string  `json:"event"`
	Calls  int     `json:"calls"`
	Median float64 `json:"median_ms"`
	P99    float64 `json:"p99_ms"`
	Late   int     `json:"late"`   // deadline exceeded
	Counts []int   `json:"counts"` // up to each of bucketEdges, and above
}

// bucketEdges are the upper bounds of the histogram's buckets in milliseconds.
func bucketEdges() []float64 { return []float64{5, 10, 25, 50, 100, 250} }

func (dhc *doctorHooksCommand) histogram(w *services.Workspace) ([]bucket, error) {
	times, err := hooks.Latencies(w.Place().StateDir(), 1<<20)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	since := dhc.now().Add(-hookWeek).UnixMilli()
	by := map[[2]string][]hooks.Latency{}
	for _, t := range times {
		if t.Time >= since {
			k := [2]string{t.Agent, t.Event}
			by[k] = append(by[k], t)
		}
	}
	out := []bucket{}
	for k, list := range by {
		b := bucket{Agent: k[0], Event: k[1], Calls: len(list), Counts: make([]int, len(bucketEdges())+1)}
		ms := make([]float64, len(list))
		for i, t := range list {
			ms[i] = t.Millis
			if t.Outcome == "deadline" {
				b.Late++
			}
			at := 0
			for at < len(bucketEdges()) && t.Millis > bucketEdges()[at] {
				at++
			}
			b.Counts[at]++
		}
		slices.Sort(ms)
		b.Median, b.P99 = ms[len(ms)/2], ms[min(len(ms)-1, len(ms)*99/100)]
		out = append(out, b)
	}
	sorting.Func(out, func(x, y bucket) int { return strings.Compare(x.Agent+"\x00"+x.Event, y.Agent+"\x00"+y.Event) })
	return out, nil
}

func (dhc *doctorHooksCommand) printHistogram(list []bucket) {
	if len(list) == 0 {
		dhc.printf("\nno hook ran in the last seven days\n")
		return
	}
	dhc.printf("\nhooks of the last seven days, by how many milliseconds they took\n")
	dhc.printf("%-36s %7s %7s %7s %5s  ", "", "calls", "median", "p99", "late")
	for _, e := range bucketEdges() {
		dhc.printf("%6s", fmt.Sprintf("≤%g", e))
	}
	dhc.printf("%6s\n", "more")
	for _, b := range list {
		dhc.printf("%-36s %7d %7.1f %7.1f %5d  ", b.Agent+" "+b.Event, b.Calls, b.Median, b.P99, b.Late)
		for _, n := range b.Counts {
			dhc.printf("%6d", n)
		}
		dhc.printf("\n")
	}
}

func (dc *doctorCommand) checkAgents(ctx context.Context, w *services.Workspace) []finding {
	var wired []string
	for _, agent := range dc.wiredAgents(w) {
		if !slices.Contains(wired, agent.name) {
			wired = append(wired, agent.name)
		}
	}
	if len(wired) == 0 {
		return []finding{{"agents", statusNote, "no agent is set up", "`manicule init --agent claude-code`"}}
	}
	return append([]finding{{Check: "agents", Status: statusOK, Text: strings.Join(wired, ", ")}}, hookProgramHere(ctx)...)
}

func (dc *doctorCommand) checkHooks(_ context.Context, w *services.Workspace) []finding {
	var out []finding
	times, err := hooks.Latencies(w.Place().StateDir(), 1000)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		out = append(out, finding{"hooks", statusProblem, err.Error(), "Check that " + w.Place().StateDir() + " can be read."})
	}
	if len(times) > 0 {
		ms := make([]float64, len(times))
		for i, t := range times {
			ms[i] = t.Millis
		}
		slices.Sort(ms)
		out = append(out, finding{Check: "hooks", Status: statusOK, Text: fmt.Sprintf("%s: median %.1f ms, 99 of 100 within %.1f ms",
			count(len(ms), "call", "calls"), ms[len(ms)/2], ms[min(len(ms)-1, len(ms)*99/100)])})
	}
	if b := dc.checkBreaker(w); b[0].Status != statusOK {
		out = append(out, b...)
	}
	entries, err := hooks.Recent(w.Place().StateDir(), faultsLooked)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		out = append(out, finding{"hooks", statusProblem, err.Error(), "Check that " + w.Place().StateDir() + " can be read."})
	}
	out = append(out, hookFaults(entries, filepath.Join(w.Place().StateDir(), "hook.log"))...)
	if len(out) == 0 {
		out = append(out, finding{Check: "hooks", Status: statusOK, Text: "no hook has run yet"})
	}
	return out
}

package observer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"manicule/cmd/internal/evalkit"
	"manicule/hooks/eventlog"
	"manicule/hooks/learn"
	"manicule/hooks/observe"
)

// rule is a line that the owners of a repository added to a rule file.
type rule struct {
	at   int64 // Unix milliseconds
	text []string
}

func readRules(dir string) (map[string][]rule, error) {
	list, err := evalkit.ReadLines[guidance](filepath.Join(dir, "guidance.jsonl"))
	if err != nil {
		return nil, err
	}
	out := map[string][]rule{}
	for _, g := range list {
		out[g.Repo] = append(out[g.Repo], rule{g.Date.UnixMilli(), g.Added})
	}
	return out, nil
}

// rulesAt returns the lines of the rule files of a repository at a time.
func (r *replayed) rulesAt(repo string, ms int64) []string {
	var out []string
	for _, x := range r.rules[repo] {
		if x.at > ms {
			continue
		}
		out = append(out, x.text...)
		for i := range max(0, len(x.text)-2) {
			out = append(out, x.text[i]+" "+x.text[i+1]+" "+x.text[i+2])
		}
	}
	return out
}

func (r *replayed) quality(dir, show string, verbose bool) error {
	fmt.Println("== candidates")
	var counts []int
	byKind := map[string]int{}
	var all []proposed
	judged := map[string]int{}
	for _, x := range r.results {
		counts = append(counts, len(x.candidates))
		for _, c := range x.candidates {
			byKind[string(c.C.Kind)]++
			all = append(all, c)
		}
		for k, n := range x.judged {
			judged[k] += n
		}
	}
	slices.Sort(counts)
	fmt.Printf("%d candidates of %d sessions; a session has %d in the median, %d at the 90th percentile, %d at most\n", len(all), len(counts), counts[len(counts)/2], counts[len(counts)*9/10], counts[len(counts)-1])
	for _, k := range byCount(byKind) {
		fmt.Printf("  %-20s %d\n", k, byKind[k])
	}
	if verbose {
		for _, k := range byCount(judged) {
			fmt.Printf("    %-36s %d\n", k, judged[k])
		}
	}
	if err := labelled(all); err != nil {
		return err
	}
	if err := r.matches(dir, all, verbose); err != nil {
		return err
	}
	if show == "" {
		return nil
	}
	return evalkit.WriteLines(show, all)
}

func byCount(m map[string]int) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	slices.SortFunc(out, func(a, b string) int { return cmp.Or(cmp.Compare(m[b], m[a]), cmp.Compare(a, b)) })
	return out
}

// long measures a session of 2,000 events: its fold, its end and its memory.
func long(ctx context.Context, temp string) error {
	b, err := newReplica(temp, "long")
	if err != nil {
		return err
	}
	b.now = time.Date(2026, 6, 1, 9, 0, 0, 0, time.UTC)
	ok := true
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	began := time.Now()
	fold := observe.New(root)
	for i := range 2000 {
		file := fmt.Sprintf("%s/pkg%d/file%d.go", root, i%9, i%70)
		r := eventlog.Record{V: 1, Time: b.now.UnixMilli() + int64(i)*3000, Agent: "claude-code", Kind: "post_tool", Session: "long", CWD: root}
		switch i % 4 {
		case 0:
			r.Calls = []eventlog.Call{{Tool: "Read", Class: "read", Paths: []string{file}, OK: &ok, Bytes: 9000}}
		case 1:
			r.Calls = []eventlog.Call{{Tool: "Edit", Class: "edit", Paths: []string{file}, OK: &ok, Before: fmt.Sprint(i), After: fmt.Sprint(i + 1)}}
		case 2:
			r.Calls = []eventlog.Call{{Tool: "Grep", Class: "search", Query: fmt.Sprintf("func Name%d", i%50), OK: &ok}}
		default:
			r.Kind = "post_tool_failure"
			r.Calls = []eventlog.Call{{Tool: "Bash", Class: "shell", Command: fmt.Sprintf("tool%d run --flag%d", i%20, i%31), Error: fmt.Sprintf("unknown flag: --flag%d", i%31)}}
		}
		fold.Add(r)
	}
	folded := time.Since(began)
	runtime.GC()
	runtime.ReadMemStats(&after)
	runs, cpu := make([]time.Duration, 0, 5), make([]time.Duration, 0, 5)
	for i := range 5 { // the first scan loads the gate's rules
		began = time.Now()
		spent := evalkit.CPUTime()
		if _, err := learn.Finish(ctx, learn.Options{Workspace: b.w, Rules: func() []string { return nil }, Exists: func(string) bool { return true }}, fold, "long", int64(i)); err != nil {
			return errors.Join(err, b.w.Close())
		}
		runs = append(runs, time.Since(began).Round(time.Millisecond))
		cpu = append(cpu, (evalkit.CPUTime() - spent).Round(time.Millisecond))
	}
	fmt.Printf("a session of 2,000 events: folded in %v, its end %v, CPU %v (the first time, then again with the old report taken out), scratchpad %d KB\n",
		folded.Round(time.Millisecond), runs, cpu, (int64(after.HeapAlloc)-int64(before.HeapAlloc))>>10)
	return b.w.Close()
}

func (r *replayed) speed(parse clock) {
	fmt.Println("== speed")
	var worst time.Duration
	events := 0
	var ends []time.Duration
	for _, x := range r.results {
		ends = append(ends, x.finish)
		if x.finish > worst {
			worst, events = x.finish, x.events
		}
	}
	slices.Sort(ends)
	per := func(c clock) time.Duration { return c.cpu / time.Duration(max(1, c.events)) }
	fmt.Printf("payload to line of the log %v an event (worst %v); fold %v (worst %v); offers %v a call (worst %v); next files %v (worst %v)\n",
		per(parse), parse.worst, per(r.fold), r.fold.worst, per(r.offer), r.offer.worst, per(r.nextTime), r.nextTime.worst)
	fmt.Printf("ends of sessions: median %v, 95th percentile %v, longest %v (%d events); all sessions in %v\n", ends[len(ends)/2].Round(time.Millisecond), ends[len(ends)*95/100].Round(time.Millisecond),
		worst.Round(time.Millisecond), events, r.took.Round(time.Millisecond))
}

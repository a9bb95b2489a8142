package observer

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"manicule/cmd/internal/evalkit"
	"manicule/hooks/judge"
	"manicule/hooks/learn"
	"manicule/hooks/observe"
	"manicule/hooks/observe/fold"
	"manicule/hooks/phase"
	"manicule/indexer/anchor"
	"manicule/memory/file"
	"manicule/memory/ledger"
	"manicule/memory/scope"
)

// datedMemory is a memory of a set with its creation time.
type datedMemory struct {
	memory *file.Memory
	repo   string
	from   int64 // Unix milliseconds
}

// verdicts measures how the ledger judges real sessions: the verdicts and their rules,
// for memories of three sources. Agents never saw the candidates and the learnings, so
// their verdicts are due to chance. The lines of rule files were in the agents' contexts.
// A random sample goes to a file for a person to check.
func (r *replayed) verdicts(dir, sample string) error {
	sets := map[string][]datedMemory{}
	for _, res := range r.results {
		for _, p := range res.candidates {
			m := &file.Memory{Type: p.C.Type, What: p.C.What, Why: p.C.Why, Scope: p.C.Scope}
			sets["candidates (not shown)"] = append(sets["candidates (not shown)"], datedMemory{m, p.Repo, res.s.end})
		}
	}
	learned, err := evalkit.ReadLines[learning](filepath.Join(dir, "learnings.jsonl"))
	if err != nil {
		return err
	}
	for _, l := range learned {
		add := func(m *file.Memory) {
			sets["learnings (not shown)"] = append(sets["learnings (not shown)"], datedMemory{m, l.Repo, l.Created.UnixMilli()})
		}
		for _, t := range l.Summary.Learnings.Repo {
			add(&file.Memory{Type: file.Gotcha, What: t})
		}
		for _, t := range l.Summary.Learnings.Workflow {
			add(&file.Memory{Type: file.Convention, What: t})
		}
		for _, c := range l.Summary.Learnings.Code {
			if c.Path != "" {
				add(&file.Memory{Type: file.ModuleInsight, What: c.Finding, Anchors: []anchor.Anchor{{Path: c.Path}}})
			}
		}
	}
	guides, err := evalkit.ReadLines[guidance](filepath.Join(dir, "guidance.jsonl"))
	if err != nil {
		return err
	}
	for _, g := range guides {
		for _, line := range g.Added {
			if line = strings.TrimLeft(line, "-*# "); len(line) > 20 && strings.Contains(line, "`") {
				sets["rule files (shown)"] = append(sets["rule files (shown)"], datedMemory{&file.Memory{Type: file.Convention, What: line}, g.Repo, g.Date.UnixMilli()})
			}
		}
	}
	fmt.Printf("\n## What the ledger says of real sessions\n\n")
	var samples []string
	shown := make([][]ledger.Judged, len(r.results))
	for _, name := range []string{"candidates (not shown)", "learnings (not shown)", "rule files (shown)"} {
		for i := range sets[name] {
			sets[name][i].memory.UUID = fmt.Sprint(name, " ", i)
		}
		samples = append(samples, r.verdictsOf(name, sets[name], shown)...)
	}
	weights(shown)
	if sample == "" {
		return nil
	}
	shuffle := rand.New(rand.NewPCG(1, 2)) // the same sample in each run
	shuffle.Shuffle(len(samples), func(i, j int) { samples[i], samples[j] = samples[j], samples[i] })
	return os.WriteFile(sample, []byte(strings.Join(samples, "\n")), 0o644)
}

func (r *replayed) verdictsOf(name string, set []datedMemory, shown [][]ledger.Judged) (samples []string) {
	byRule, byVerdict, all := map[string]int{}, map[ledger.Verdict]int{}, 0
	byOutcome := map[string]int{}
	began := time.Now()
	for i, res := range r.results {
		fold := observe.New(root)
		for _, it := range res.s.items {
			if it.said == "" {
				fold.Add(it.record)
			}
		}
		s := judge.Session{ID: res.s.id, Calls: fold.Calls(), Corrections: fold.Corrections(), Turns: fold.Turns, Over: true}
		memories := map[string]*file.Memory{}
		var entries []ledger.Entry
		for _, n := range set {
			if n.repo != res.s.repo || n.from >= res.s.start {
				continue
			}
			if at, path, ok := shownAt(n.memory, s.Calls, res.s.start); ok {
				memories[n.memory.UUID] = n.memory
				entries = append(entries, ledger.Entry{UUID: n.memory.UUID, At: time.UnixMilli(at), Agent: "claude-code", Session: s.ID, Path: path})
			}
		}
		judged := judge.Entries(s, entries, memories)
		learn.Phases(phase.Native{}, s, judged)
		shown[i] = append(shown[i], judged...)
		for _, j := range judged {
			all++
			byRule[j.Rule]++
			byVerdict[j.Verdict]++
			if j.Verdict == ledger.Followed {
				byOutcome[string(j.Applied.Outcome)+" by "+j.Applied.Rule]++
			}
			if j.Verdict == ledger.Followed || j.Verdict == ledger.Overridden {
				m := memories[j.UUID]
				samples = append(samples, fmt.Sprintf("%s | %s by %s | %s | %s | %s", name, j.Verdict, j.Rule, m.Type, s.ID, strings.Join(strings.Fields(m.What), " ")))
			}
		}
	}
	fmt.Printf("%s: %d memories, %d times due in %d sessions, judged in %d ms\n", name, len(set), all, len(r.results), time.Since(began).Milliseconds())
	if all == 0 {
		return nil
	}
	for _, v := range ledger.Verdicts() {
		if byVerdict[v] > 0 {
			fmt.Printf("  %-11s %5d  %4.1f %%\n", v, byVerdict[v], 100*float64(byVerdict[v])/float64(all))
		}
	}
	for _, o := range judge.OutcomeRules() {
		if n := byOutcome[string(o.Outcome)+" by "+o.ID]; n > 0 {
			fmt.Printf("    followed: %-7s by %-18s %5d\n", o.Outcome, o.ID, n)
		}
	}
	for _, rule := range judge.Rules() {
		if byRule[rule.ID] > 0 {
			fmt.Printf("    %-26s %5d\n", rule.ID, byRule[rule.ID])
		}
	}
	return samples
}

// weights prints what is learned of types and phases as sessions end, and, as a control, what would be learned if each showing
// had the phase of another one: then no type has reason to weigh more in one phase than in the others.
func weights(shown [][]ledger.Judged) {
	var all, mixed []ledger.Judged
	told := 0
	line := func(list []ledger.Judged) string {
		var out []string
		for _, w := range ledger.Weigh(list, told) {
			text := fmt.Sprintf("%s %.2f (%d of %d)", w.Type, w.Weight, w.Followed, w.Decided)
			for _, p := range w.Phases {
				text += fmt.Sprintf(", %s %.2f (%d of %d)", p.Phase, p.Weight, p.Followed, p.Decided)
			}
			out = append(out, text)
		}
		return cmp.Or(strings.Join(out, "; "), "nothing")
	}
	for i, judged := range shown {
		told += min(1, len(judged))
		if all = append(all, judged...); len(judged) > 0 && (told == 29 || told == 30 || told%50 == 0 || i == len(shown)-1) {
			fmt.Printf("weights after %d sessions: %s\n", told, line(all))
		}
	}
	mixed = slices.Clone(all)
	shuffle := rand.New(rand.NewPCG(1, 2))
	shuffle.Shuffle(len(mixed), func(i, j int) { mixed[i].Phase, mixed[j].Phase = mixed[j].Phase, mixed[i].Phase })
	fmt.Printf("after %d sessions, with the phases of other showings: %s\n", told, line(mixed))
}

// shownAt returns when a session would show a memory: at the first call that touches its
// files, or at the start if it applies everywhere.
func shownAt(m *file.Memory, calls []fold.Call, start int64) (at int64, path string, ok bool) {
	var sc *scope.Scope
	if len(m.Scope) > 0 {
		sc, _ = scope.Compile(m.Scope, scope.Platform()) // a malformed scope applies nowhere
	}
	if sc == nil && len(m.Anchors) == 0 {
		return start - 1, "", true
	}
	for _, c := range calls {
		for _, p := range c.Paths {
			if sc != nil && sc.Match(p, false) == scope.In || slices.ContainsFunc(m.Anchors, func(a anchor.Anchor) bool { return a.Path == p }) {
				return c.At, p, true
			}
		}
	}
	return 0, "", false
}

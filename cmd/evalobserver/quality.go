package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/go-json-experiment/json"
)

// rule is a text that the owners of a repository put into a rule file.
type rule struct {
	at   int64 // Unix milliseconds
	text []string
}

// guidance is a line of guidance.jsonl.
type guidance struct {
	Repo  string   `json:"repo"`
	Date  string   `json:"date"`
	File  string   `json:"file"`
	Added []string `json:"added"`
}

func readRules(dir string) (map[string][]rule, error) {
	list, err := readLines[guidance](filepath.Join(dir, "guidance.jsonl"))
	if err != nil {
		return nil, err
	}
	out := map[string][]rule{}
	for _, g := range list {
		at, err := time.Parse(time.RFC3339, g.Date)
		if err != nil {
			return nil, fmt.Errorf("read guidance.jsonl: %w", err)
		}
		out[g.Repo] = append(out[g.Repo], rule{at.UnixMilli(), g.Added})
	}
	return out, nil
}

// rulesAt are the lines that the rule files of a repository had at a time.
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

func (r *replayed) quality(dir, show string) error {
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
	for _, k := range byCount(judged) {
		fmt.Printf("    %-36s %d\n", k, judged[k])
	}
	if show == "" {
		return nil
	}
	var b []byte
	for _, c := range all {
		line, err := json.Marshal(c, json.Deterministic(true))
		if err != nil {
			return err
		}
		b = append(append(b, line...), '\n')
	}
	return os.WriteFile(show, b, 0o644)
}

func byCount(m map[string]int) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	slices.SortFunc(out, func(a, b string) int { return cmp.Or(cmp.Compare(m[b], m[a]), cmp.Compare(a, b)) })
	return out
}

func (r *replayed) speed(parse clock) {
	fmt.Println("== speed")
	var worst time.Duration
	events := 0
	for _, x := range r.results {
		if x.finish > worst {
			worst, events = x.finish, x.events
		}
	}
	per := func(c clock) time.Duration { return c.cpu / time.Duration(max(1, c.events)) }
	fmt.Printf("payload to line of the log %v an event (worst %v); fold %v (worst %v); offers %v a call (worst %v); next files %v (worst %v)\n",
		per(parse), parse.worst, per(r.fold), r.fold.worst, per(r.offer), r.offer.worst, per(r.nextTime), r.nextTime.worst)
	fmt.Printf("the longest end of a session %v (%d events); heap at most %d MB; all sessions in %v\n", worst, events, r.heap>>20, r.took.Round(time.Millisecond))
}

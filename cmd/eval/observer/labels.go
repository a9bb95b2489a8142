package observer

import (
	_ "embed"
	"fmt"
	"regexp"
	"slices"

	"manicule/cmd/internal/evalkit"
	"manicule/hooks/observe/signal"
)

//go:embed testdata/labels.jsonl
var labelLines string

// label is a person's judgement of a candidate; FIGURES.md has the criteria.
type label struct {
	Repo  string `json:"repo"`
	Kind  string `json:"kind"`
	What  string `json:"what"`
	Label string `json:"label"` // useful, or a class of junk
}

var digits = regexp.MustCompile(`\d+`)

// labelKey leaves numbers out, because a grown file makes no different candidate.
func labelKey(repo, what string) string { return repo + "\x00" + digits.ReplaceAllString(what, "#") }

func readLabels() (map[string]label, error) {
	list, err := evalkit.ParseLines[label](labelLines)
	out := map[string]label{}
	for _, l := range list {
		out[labelKey(l.Repo, l.What)] = l
	}
	return out, err
}

// labelled counts the candidates that were judged useful, and the faults of the others.
func labelled(all []proposed) error {
	labels, err := readLabels()
	if err != nil {
		return err
	}
	useful, judged := 0, 0
	classes, kinds := map[string]int{}, map[string][2]int{}
	var without []string
	proposedNow := map[string]bool{}
	for _, c := range all {
		key := labelKey(c.Repo, c.C.What)
		proposedNow[key] = true
		l, ok := labels[key]
		if !ok {
			without = append(without, c.C.What)
			continue
		}
		judged++
		k := kinds[string(c.C.Kind)]
		k[1]++
		if l.Label == "useful" {
			useful++
			k[0]++
		} else {
			classes[l.Label]++
		}
		kinds[string(c.C.Kind)] = k
	}
	fmt.Printf("useful %d of %d that have a label (%.2f); %d have none; junk:", useful, judged, evalkit.Share(useful, judged), len(without))
	for _, k := range byCount(classes) {
		fmt.Printf(" %s %d", k, classes[k])
	}
	fmt.Println()
	for _, s := range signal.Specs() {
		if k := kinds[string(s.Kind)]; k[1] > 0 {
			fmt.Printf("  %-20s useful %d of %d\n", s.Kind, k[0], k[1])
		}
	}
	held, heldUseful := 0, 0
	for key, l := range labels {
		if !proposedNow[key] {
			held++
			heldUseful += asInt(l.Label == "useful")
		}
	}
	fmt.Printf("%d labels in all; %d are of candidates that looser filters propose, %d of those useful\n", len(labels), held, heldUseful)
	slices.Sort(without)
	for _, w := range without {
		fmt.Println("  no label:", w)
	}
	return nil
}

package secret

import (
	"flag"
	"fmt"
	"go/format"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"manicule/indexer/must"
)

var update = flag.Bool("update", false, "learn the weights from the labelled lines and write them")
var show = flag.String("show", "", "print the lines that were missed (T) or wrongly found (F), of the categories that hold this")

// example is a candidate with its label, as features.
type example struct {
	on     []int
	secret bool
	weight float64
	repo   string
}

func each(s string, f func(candidate)) {
	for i := range len(s) {
		switch s[i] {
		case '=', ':', '(', ',', '>', ' ':
			if c, ok := candidateAt(s, i); ok && !c.ruledOut() {
				f(c)
			}
		}
	}
}

func newExample(c candidate, secret bool, repo string) example {
	e := example{secret: secret, repo: repo, weight: 1}
	c.features(func(i int) { e.on = append(e.on, i) })
	return e
}

// examples are the candidates of labelled lines. What is found by other means, or
// is an example, teaches nothing.
func examples(t testing.TB, lines []line) []example {
	var out []example
	for _, l := range lines {
		if l.Label == "X" {
			continue
		}
		each(l.Text, func(c candidate) {
			switch {
			case l.Label == "F":
				out = append(out, newExample(c, false, l.Repo))
			case l.Start >= 0 && (c.start < l.End && l.Start < c.end || l.End < 0 && c.end > l.Start):
				out = append(out, newExample(c, true, l.Repo))
			}
		})
	}
	with, without := sentences(t)
	for _, s := range with {
		found := -1
		each(s, func(c candidate) {
			if found < 0 || hasDigit(c.value.text) {
				found = 1
				out = append(out, newExample(c, hasDigit(c.value.text), "sentences"))
			}
		})
	}
	for _, s := range without {
		each(s, func(c candidate) { out = append(out, newExample(c, false, "sentences")) })
	}
	// Each repository counts with the root of how much it brings.
	n := map[string]float64{}
	key := func(e example) string { return fmt.Sprint(e.repo, e.secret) }
	for _, e := range out {
		n[key(e)]++
	}
	for i := range out {
		out[i].weight = 10 / math.Sqrt(n[key(out[i])])
	}
	return out
}

// learn finds the weights by gradient descent on the logistic loss, with a
// penalty on large ones.
func learn(list []example) []float64 {
	w, sq, m := make([]float64, fAll), make([]float64, fAll), make([]float64, fAll)
	const penalty = 2
	var prior [fAll]float64
	for f := range forms {
		prior[fForm+int(f)] = priors(f)
	}
	copy(w, prior[:])
	for step := 1; step <= 300; step++ {
		g := make([]float64, fAll)
		for i := range g {
			if i != fBias {
				g[i] = penalty * (w[i] - prior[i])
			}
		}
		for _, e := range list {
			sum := 0.0
			for _, f := range e.on {
				sum += w[f]
			}
			d := 1 / (1 + math.Exp(-sum))
			if e.secret {
				d--
			}
			for _, f := range e.on {
				g[f] += e.weight * d
			}
		}
		for i := range w {
			m[i] = 0.9*m[i] + 0.1*g[i]
			sq[i] = 0.99*sq[i] + 0.01*g[i]*g[i]
			if sq[i] > 0 {
				w[i] -= 0.05 * m[i] / (1 - math.Pow(0.9, float64(step))) / (math.Sqrt(sq[i]/(1-math.Pow(0.99, float64(step)))) + 1e-9)
			}
		}
	}
	return w
}

func set(w []float64) {
	for i := range weights {
		weights[i] = float32(w[i])
	}
}

// countPairs counts the pairs of letters in the sources and documents of this tree.
func countPairs(t *testing.T) [27 * 27]int8 {
	var n [27 * 27]float64
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			switch d.Name() {
			case ".git", "node_modules", "testdata":
				return fs.SkipDir
			}
			return nil
		}
		switch filepath.Ext(path) {
		case ".md", ".go", ".ts", ".lua", ".py":
		default:
			return nil
		}
		if strings.HasSuffix(path, "weights.go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		prev := 26
		for i, c := range data {
			at := 26
			switch {
			case c >= 'a' && c <= 'z':
				at = int(c - 'a')
			case c >= 'A' && c <= 'Z':
				at = int(c - 'A')
				if i > 0 && data[i-1] >= 'a' && data[i-1] <= 'z' {
					prev = 26
				}
			}
			if at != 26 || prev != 26 {
				n[prev*27+at]++
			}
			prev = at
		}
		return nil
	})
	must.OK(t, err)
	var out [27 * 27]int8
	for a := range 27 {
		sum := 0.0
		for b := range 27 {
			sum += n[a*27+b] + 1
		}
		for b := range 27 {
			out[a*27+b] = int8(max(-127, math.Round(pairScale*math.Log((n[a*27+b]+1)/sum))))
		}
	}
	return out
}

type tally struct{ hit, all int }

func (a tally) String() string {
	return fmt.Sprintf("%4d of %4d  %.3f", a.hit, a.all, float64(a.hit)/float64(max(1, a.all)))
}

func judged(lines []line, found func(string) bool) (recall, alarms tally) {
	for _, l := range lines {
		if strings.HasPrefix(l.Category, "UUID") {
			continue
		}
		switch l.Label {
		case "T":
			recall.all++
			if found(l.Text) {
				recall.hit++
			}
		case "F":
			alarms.all++
			if found(l.Text) {
				alarms.hit++
			}
		}
	}
	return recall, alarms
}

func byRepo(lines []line) (names []string, by map[string][]line) {
	by = map[string][]line{}
	for _, l := range lines {
		if by[l.Repo] == nil {
			names = append(names, l.Repo)
		}
		by[l.Repo] = append(by[l.Repo], l)
	}
	slices.Sort(names)
	return names, by
}

func except(lines []line, repo func(string) bool) []line {
	return slices.DeleteFunc(slices.Clone(lines), func(l line) bool { return repo(l.Repo) })
}

// found reports a line in which the quick scan finds something.
func found(s string) bool { return len(Find(s)) > 0 }

// TestHalves measures on repositories that taught nothing: weights are learned
// on one half of them and tried on the other, and on all but one and tried on
// that. The forms and the lists of words were written with lines of both halves
// in view; the weights never saw what they are tried on.
func TestHalves(t *testing.T) {
	lines := labelled(t)
	kept := weights
	defer func() { weights = kept }()
	extra := others(t)
	names, by := byRepo(lines)
	half := map[string]bool{}
	for i, n := range names {
		half[n] = i%2 == 0
	}
	first := func(r string) bool { return half[r] }
	second := func(r string) bool { return !half[r] }
	for _, h := range []struct {
		name       string
		learn, try func(string) bool
	}{{"learned on A, tried on B", second, first}, {"learned on B, tried on A", first, second}} {
		set(learn(append(examples(t, except(lines, h.learn)), extra...)))
		r, a := judged(except(lines, h.try), found)
		t.Logf("%-28s recall %v   false alarms %v", h.name, r, a)
		if *show != "" {
			print(t, except(lines, h.try))
		}
	}
	var r, a tally
	for _, n := range names {
		set(learn(append(examples(t, except(lines, func(r string) bool { return r == n })), extra...)))
		r1, a1 := judged(by[n], found)
		t.Logf("all but %s, tried on it   recall %v   false alarms %v", n, r1, a1)
		r.hit, r.all, a.hit, a.all = r.hit+r1.hit, r.all+r1.all, a.hit+a1.hit, a.all+a1.all
		if *show != "" {
			print(t, by[n])
		}
	}
	t.Logf("each repository left out     recall %v   false alarms %v", r, a)
	if r.hit*100 < r.all*78 || a.hit*1000 > a.all*15 {
		t.Errorf("recall %v, false alarms %v", r, a)
	}
}

// print lists what was missed or found wrongly.
func print(t *testing.T, lines []line) {
	for _, l := range lines {
		if l.Label != "X" && (l.Label == "T") != found(l.Text) && strings.Contains(l.Category+l.Label, *show) {
			t.Logf("%s %s %s %s | %s", l.Label, l.Repo[:4], l.Ext, l.Category, strings.ReplaceAll(l.Text[:min(len(l.Text), 220)], "\n", "⏎"))
		}
	}
}

// TestCategories measures what ships, by category. The weights know these lines.
func TestCategories(t *testing.T) {
	lines := labelled(t)
	type cell struct{ recall, alarms tally }
	by := map[string]*cell{}
	for _, l := range lines {
		name, _, _ := strings.Cut(l.Category, ":")
		c := by[name]
		if c == nil {
			c = &cell{}
			by[name] = c
		}
		hit := 0
		if found(l.Text) {
			hit = 1
		}
		switch l.Label {
		case "T":
			c.recall.hit, c.recall.all = c.recall.hit+hit, c.recall.all+1
		case "F":
			c.alarms.hit, c.alarms.all = c.alarms.hit+hit, c.alarms.all+1
		}
	}
	for _, name := range slices.Sorted(maps.Keys(by)) {
		t.Logf("%-28s recall %v   false alarms %v", name, by[name].recall, by[name].alarms)
	}
	r, a := judged(lines, found)
	t.Logf("%-28s recall %v   false alarms %v", "all without UUIDs", r, a)
}

func others(t *testing.T) []example {
	var out []example
	n := 0
	for set, texts := range harmless(t) {
		if set == "agent-sessions results" {
			continue
		}
		for _, s := range texts {
			each(s, func(c candidate) {
				n++
				e := newExample(c, false, set)
				out = append(out, e)
			})
		}
	}
	for i := range out {
		out[i].weight = 10 * math.Sqrt(3) / math.Sqrt(float64(n)) / 2
	}
	t.Logf("%d candidates in harmless texts", n)
	return out
}

// TestWeights writes the weights when asked to.
func TestWeights(t *testing.T) {
	if !*update {
		t.Skip("-update learns the weights")
	}
	pairs = countPairs(t)
	w := learn(append(examples(t, labelled(t)), others(t)...))
	var b strings.Builder
	b.WriteString("// Code generated by \"go test ./memory/secret -run TestWeights -update\"; DO NOT EDIT.\n\npackage secret\n\n")
	b.WriteString("// threshold is the score from which on a value is taken for a secret.\nconst threshold = 0.0\n\n// weights of the features, in their order.\nvar weights = [fAll]float32{")
	for i, x := range w {
		if i%12 == 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "%.2f,", x)
	}
	b.WriteString("\n}\n\n// pairs are the logarithms of how often a letter follows another.\nvar pairs = [27 * 27]int8{")
	for i, x := range pairs {
		if i%27 == 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "%d,", x)
	}
	b.WriteString("\n}\n")
	src, err := format.Source([]byte(b.String()))
	must.OK(t, err)
	must.Write(t, "weights.go", src)
}

// priors are what is thought of a form before anything was learned.
func priors(f form) float64 {
	switch f {
	case placeholder, keyword, hashed, code:
		return -4
	case ownName, number, location, prose, short:
		return -2
	case uuidForm:
		return -1
	}
	return 0
}

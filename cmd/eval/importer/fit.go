package importer

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"manicule/cmd/internal/evalkit"
	"manicule/memory/importer"
)

// traitRow holds the traits of a judged memory, in the order of importer.Traits.
type traitRow struct {
	ID     string    `json:"id"`
	Values []float64 `json:"x"`
}

// The traits of all memories whose text could be made again from the sources, by the version of
// the importer that made the memory.
//
//go:embed testdata/traits.jsonl
var traitLines string

// lastFitted is the last draw on which the weights are estimated. Later ones test them.
const lastFitted = 13

// ridge is the penalty on the squares of the weights, in units of a trait's deviation.
const ridge = 200

// example is a judged memory with its traits.
type example struct {
	repo    string
	values  []float64
	good    float64
	wrong   bool
	drawn   int
	current bool    // made by the importer of its time
	chance  float64 // estimated without its repository
}

// examples joins the traits to the verdicts. Of a memory that was drawn twice, the majority counts.
func examples() ([]example, error) {
	judged, err := evalkit.ParseLines[judgement](judgedLines)
	if err != nil {
		return nil, err
	}
	rows, err := evalkit.ParseLines[traitRow](traitLines)
	if err != nil {
		return nil, err
	}
	byID := map[string][]judgement{}
	for _, j := range judged {
		if j.Draw <= lastFitted {
			byID[j.ID] = append(byID[j.ID], j)
		}
	}
	names := len(importer.Traits())
	var out []example
	for _, r := range rows {
		js := byID[r.ID]
		if len(js) == 0 {
			return nil, fmt.Errorf("the memory %s has traits and no verdict", r.ID)
		}
		if len(r.Values) != names {
			return nil, fmt.Errorf("the memory %s has %d traits, not %d: %w", r.ID, len(r.Values), names, errTraits)
		}
		e := example{repo: js[0].Repo, values: r.Values}
		good := 0
		for _, j := range js {
			if j.Verdict == "good" {
				good++
			}
			e.wrong = e.wrong || j.Verdict == "wrong"
			e.drawn = max(e.drawn, j.Draw)
			e.current = e.current || j.Made == "after" || j.Draw == lastFitted
		}
		e.good = math.Round(float64(good) / float64(len(js)))
		out = append(out, e)
	}
	return out, nil
}

var errTraits = errors.New("write testdata/traits.jsonl again")

// fit estimates the weights, and shows for several thresholds how many memories they keep of
// repositories that were left out.
func (e *evaluation) fit(context.Context) (string, error) {
	all, err := examples()
	if err != nil {
		return "", err
	}
	m := newModel(all)
	repos := map[string]bool{}
	for _, x := range all {
		repos[x.repo] = true
	}
	for _, repo := range slices.Sorted(maps.Keys(repos)) {
		w := m.weights(all, repo)
		for i := range all {
			if all[i].repo == repo {
				all[i].chance = chance(m.scaled(all[i].values), w)
			}
		}
	}
	var b strings.Builder
	parts := []struct {
		title string
		of    func(x example) bool
	}{
		{"Draws 8 to 12, as the importer of their time made them", func(x example) bool { return x.current && x.drawn >= 8 && x.drawn < lastFitted }},
		{fmt.Sprintf("Draw %d", lastFitted), func(x example) bool { return x.drawn == lastFitted }},
		{"All draws, versions before included", func(example) bool { return true }},
	}
	for _, p := range parts {
		fmt.Fprintln(&b, curve(p.title, slices.DeleteFunc(slices.Clone(all), func(x example) bool { return !p.of(x) })))
	}
	w, bias := m.raw(m.weights(all, ""))
	fmt.Fprintf(&b, "bias %.3f\n", bias)
	order := make([]int, len(w))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, k int) int { return cmp.Compare(w[k], w[i]) })
	for _, i := range order {
		fmt.Fprintf(&b, "%+.3f %s\n", w[i], importer.Traits()[i].Name)
	}
	return b.String(), nil
}

// curve is the trade-off between the share of good memories and how many of them are kept.
func curve(title string, all []example) string {
	t := evalkit.NewTable("threshold", "kept", "good", "of the good", "wrong")
	good := 0.0
	for _, x := range all {
		good += x.good
	}
	for _, least := range []float64{0, 0.4, 0.5, 0.55, 0.6, 0.64, 0.66, 0.68, 0.7, 0.72, 0.74, 0.76, 0.8, 0.85} {
		kept, right, wrong := 0, 0.0, 0
		for _, x := range all {
			if x.chance < least {
				continue
			}
			kept++
			right += x.good
			if x.wrong {
				wrong++
			}
		}
		t.Add(fmt.Sprintf("%.2f", least), kept, evalkit.Ratio(int(right), kept), fmt.Sprintf("%.3f", right/good), evalkit.Ratio(wrong, kept))
	}
	return evalkit.Section{Title: title, Notes: []string{"Each repository is estimated by the others."}, Table: t}.String()
}

// model scales the traits to deviations from their means.
type model struct{ mean, deviation []float64 }

func newModel(all []example) model {
	n := len(importer.Traits())
	m := model{make([]float64, n), make([]float64, n)}
	for k := range n {
		for _, x := range all {
			m.mean[k] += x.values[k] / float64(len(all))
		}
		for _, x := range all {
			d := x.values[k] - m.mean[k]
			m.deviation[k] += d * d / float64(len(all))
		}
		m.deviation[k] = max(math.Sqrt(m.deviation[k]), 1e-9)
	}
	return m
}

// scaled returns the traits as deviations, after the constant 1.
func (m model) scaled(values []float64) []float64 {
	out := []float64{1}
	for k, v := range values {
		out = append(out, (v-m.mean[k])/m.deviation[k])
	}
	return out
}

// raw turns the weights of deviations into those of the traits themselves.
func (m model) raw(w []float64) (weights []float64, bias float64) {
	bias = w[0]
	for k, x := range w[1:] {
		weights = append(weights, x/m.deviation[k])
		bias -= x / m.deviation[k] * m.mean[k]
	}
	return weights, bias
}

// weights estimates a logistic regression on all repositories but one by Newton's method.
func (m model) weights(all []example, without string) []float64 {
	var xs [][]float64
	var ys []float64
	for _, x := range all {
		if x.repo != without {
			xs, ys = append(xs, m.scaled(x.values)), append(ys, x.good)
		}
	}
	w := make([]float64, len(xs[0]))
	for range 20 {
		step := newtonStep(xs, ys, w)
		largest := 0.0
		for i, s := range step {
			w[i] += s
			largest = max(largest, math.Abs(s))
		}
		if largest < 1e-6 {
			break
		}
	}
	return w
}

func newtonStep(xs [][]float64, ys, w []float64) []float64 {
	n := len(w)
	slope, curvature := make([]float64, n), make([][]float64, n)
	for i := range n {
		curvature[i] = make([]float64, n)
		if i > 0 { // the constant is not penalised
			slope[i], curvature[i][i] = -ridge*w[i], ridge
		}
	}
	for r, x := range xs {
		p := chance(x, w)
		for i, v := range x {
			slope[i] += (ys[r] - p) * v
			for k := range i + 1 {
				curvature[i][k] += p * (1 - p) * v * x[k]
			}
		}
	}
	return solve(curvature, slope)
}

// solve solves a symmetric positive system, of which a holds the lower half, by Cholesky's method.
func solve(a [][]float64, b []float64) []float64 {
	n := len(b)
	for i := range n {
		for k := range i + 1 {
			s := a[i][k]
			for j := range k {
				s -= a[i][j] * a[k][j]
			}
			if i == k {
				a[i][i] = math.Sqrt(s)
			} else {
				a[i][k] = s / a[k][k]
			}
		}
	}
	x := slices.Clone(b)
	for i := range n {
		for j := range i {
			x[i] -= a[i][j] * x[j]
		}
		x[i] /= a[i][i]
	}
	for i := n - 1; i >= 0; i-- {
		for j := i + 1; j < n; j++ {
			x[i] -= a[j][i] * x[j]
		}
		x[i] /= a[i][i]
	}
	return x
}

func chance(x, w []float64) float64 {
	z := 0.0
	for i, v := range x {
		z += v * w[i]
	}
	return 1 / (1 + math.Exp(-z))
}

// traits prints the traits of the judged memories that import still makes of a folder of
// repositories.
func (e *evaluation) traits(ctx context.Context) (string, error) {
	judged, err := evalkit.ParseLines[judgement](judgedLines)
	if err != nil {
		return "", err
	}
	wanted := map[string]bool{}
	for _, j := range judged {
		wanted[j.ID] = j.Draw <= lastFitted
	}
	dir, err := e.data.Path("agent-rules", e.set)
	if err != nil {
		return "", err
	}
	all, err := madeOf(ctx, dir, true)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, m := range all {
		if !wanted[m.ID] {
			continue
		}
		wanted[m.ID] = false
		for i, v := range m.traits {
			m.traits[i] = math.Round(v*1e4) / 1e4
		}
		line, err := json.Marshal(traitRow{m.ID, m.traits})
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "%s\n", line)
	}
	return b.String(), nil
}

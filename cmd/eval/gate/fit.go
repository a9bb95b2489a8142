package gate

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"unicode"

	"github.com/spf13/cobra"

	"manicule/cmd/internal/evalkit"
	"manicule/memory/gate/junk"
)

// How the model is fitted.
const (
	epochs     = 6
	rate0      = .15
	l1         = 5e-5
	fewest     = 15 // texts that have a feature
	fewestIn   = 8  // repositories that have it
	ofLabelled = 8. // weight of a text that a person labelled
	ofRare     = 5.
	ofGood     = 3. // weight of a memory against junk: refusing one is worse
)

var kindsOf = map[string]junk.Kind{"stack trace": junk.StackTrace, "diff": junk.Diff, "git log": junk.GitLog, "path list": junk.PathList, "output": junk.Output, "session": junk.Session, "fragment": junk.Fragment}

func (e *evaluation) fitCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "fit", Short: "Fit the model of junk, and judge each labelled draw by a model that didn't see it", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return e.printIn(e.fit)(cmd.Context()) }}
	f := cmd.Flags()
	f.StringVar(&e.repos, "repos", "repos", "the folder with clones OWNER+NAME/repo of the repositories")
	f.StringVar(&e.texts, "texts", "", "a file to keep the texts of the repositories in, which another run reads")
	f.StringVar(&e.weights, "write", "", "the file to write the model to, memory/gate/junk/weights.txt")
	f.Float64Var(&e.refuse, "refuse", .99, "the least probability of junk that the model refuses")
	f.IntVar(&e.misses, "misses", 0, "print the wrong texts of the draws that may be looked at")
	return cmd
}

// labelled returns the samples of some draws as examples.
func labelled(samples []sample, use func(sample) bool) (out []example) {
	for _, s := range samples {
		if use(s) {
			x := example{Text: s.text, Repo: s.Repo, weight: ofLabelled}
			if s.Bad {
				x.Kind = kindsOf[s.Kind]
			}
			out = append(out, x)
		}
	}
	return out
}

// reported is the draw that no fit is shown.
const reported = "D"

// draw names the sample's draw. The first one has no name, and is one draw for fitting.
func (s sample) draw() string {
	if s.Draw == "" {
		return "first"
	}
	return s.Draw
}

// fit fits the model of junk to texts whose label comes from where they stand, and to those that were labelled. Each draw is
// judged by a model that saw neither its texts nor its repositories.
func (e *evaluation) fit(ctx context.Context) (string, error) {
	texts, err := e.keptTexts(ctx, e.texts)
	if err != nil {
		return "", err
	}
	texts = hasty(thinned(texts))
	samples, missing, err := e.samples(ctx)
	if err != nil {
		return "", err
	}
	t := evalkit.NewTable("", "threshold", "junk passed by the model", "by both", "good refused by the model", "by both")
	draws, sums := map[string]bool{}, map[float64]*judged{}
	for _, s := range samples {
		draws[s.draw()] = true
	}
	for _, d := range slices.Sorted(maps.Keys(draws)) {
		in := map[string]bool{}
		for _, s := range samples {
			if s.draw() == d {
				in[s.Repo] = true
			}
		}
		rest := slices.DeleteFunc(slices.Clone(texts), func(x example) bool { return in[x.Repo] })
		rest = append(rest, labelled(samples, func(s sample) bool { return s.draw() != d && s.Draw != reported && !in[s.Repo] })...)
		m, err := junk.ParseModel(train(rest))
		if err != nil {
			return "", err
		}
		for _, least := range []float64{.3, .5, .7, .8, .9, .95, .97} {
			var model, both judged
			for _, s := range samples {
				if s.draw() != d || s.Kind == output {
					continue
				}
				p, kind := m.Judge(s.text)
				if kind == junk.Fragment { // as Model.Find
					p = 0
				}
				_, found := junk.Find(s.text)
				model.count(s.Bad, p >= least)
				both.count(s.Bad, p >= least || found)
				if e.misses > 0 && least == .6 && (p >= least || found) != s.Bad && (s.draw() == "A" || s.draw() == "B" || s.set() == lookedAt) {
					evalkit.Progress("%s %s of %s: %.2f %s: %.160q", d, s.Kind, s.Repo, p, kind, s.text)
				}
			}
			if sums[least] == nil {
				sums[least] = &judged{}
			}
			sums[least].add(both)
			t.Add(d, least, rate(model.passed, model.junk), rate(both.passed, both.junk), rate(model.refused, model.good), rate(both.refused, both.good))
		}
	}
	for _, least := range slices.Sorted(maps.Keys(sums)) {
		t.Add("all", least, "", rate(sums[least].passed, sums[least].junk), "", rate(sums[least].refused, sums[least].good))
	}
	table := train(append(texts, labelled(samples, func(s sample) bool { return s.Draw != reported })...))
	if e.weights != "" {
		if err := os.WriteFile(e.weights, []byte(fmt.Sprintf("refuse %v\n", e.refuse)+table), 0o644); err != nil {
			return "", err
		}
	}
	notes := []string{fmt.Sprintf("%d texts, %d labelled ones, %d not found; %d features, %d bytes.", len(texts), len(samples), missing, strings.Count(table, "\n"), len(table))}
	return evalkit.Section{Title: "The model of junk, each draw judged by a fit to the others", Notes: notes, Table: t}.String(), nil
}

// mostOf is how many texts of a kind a repository contributes.
var mostOf = map[junk.Kind]int{junk.GitLog: 8, junk.Diff: 9, junk.PathList: 9, junk.Fragment: 28, "": 90}

// thinned drops texts of the kinds of which there are many more than of others, by their hashes.
func thinned(xs []example) (out []example) {
	groups := map[[2]string][]int{}
	for i, x := range xs {
		k := [2]string{x.Repo, string(x.Kind)}
		groups[k] = append(groups[k], i)
	}
	keep := make([]bool, len(xs))
	for k, at := range groups {
		most, ok := mostOf[junk.Kind(k[1])]
		if ok && len(at) > most {
			slices.SortFunc(at, func(a, b int) int { return cmp.Compare(chance(xs[a].Text), chance(xs[b].Text)) })
			at = at[:most]
		}
		for _, i := range at {
			keep[i] = true
		}
	}
	for i, x := range xs {
		if keep[i] {
			out = append(out, x)
		}
	}
	return out
}

// hasty adds some memories of one line as people type them: in small letters, without a full stop.
func hasty(xs []example) []example {
	for i, x := range xs {
		if x.Kind == "" && adjective.MatchString(x.Text) { // there are few, and they begin as accounts do
			xs[i].weight, x.weight = ofRare, ofRare
		}
		if x.Kind != "" || strings.Contains(x.Text, "\n") || count(x.Text) > 12 || chance("hasty", x.Text)%2 == 0 {
			continue
		}
		if r := []rune(x.Text); len(r) > 1 && unicode.IsUpper(r[0]) && unicode.IsLower(r[1]) || len(r) > 1 && unicode.IsUpper(r[0]) && r[1] == ' ' {
			r[0] = unicode.ToLower(r[0])
			x.Text = strings.TrimRight(string(r), ".")
			xs = append(xs, x)
		}
	}
	return xs
}

// row is an example as the fit sees it.
type row struct {
	at     []int32
	class  int // 0 for a memory, otherwise 1 + index in junk.Kinds
	weight float64
}

// train fits a multinomial logistic regression by stochastic gradient descent with the steps of AdaGrad and an L1
// penalty, and returns it in the form that junk.ParseModel reads.
func train(xs []example) string {
	index, names := vocabulary(xs)
	rows := make([]row, 0, len(xs))
	per := make([]float64, len(junk.Kinds)+1)
	for _, x := range xs {
		r := row{weight: 1, class: 1 + slices.Index(junk.Kinds, x.Kind)}
		if x.weight > 0 {
			r.weight = x.weight
		}
		seen := map[int32]bool{}
		junk.Features(x.Text, func(name []byte) {
			if i, ok := index[string(name)]; ok && !seen[i] {
				seen[i] = true
				r.at = append(r.at, i)
			}
		})
		per[r.class] += r.weight
		rows = append(rows, r)
	}
	var all float64
	for _, n := range per {
		all += n
	}
	k := len(junk.Kinds)
	w, g := make([]float64, (len(names)+1)*k), make([]float64, (len(names)+1)*k)
	random := rand.New(rand.NewPCG(1, 2))
	step := func(i int, grad, penalty float64) {
		g[i] += grad * grad
		eta := rate0 / (1e-3 + math.Sqrt(g[i]))
		v := w[i] - eta*grad
		w[i] = math.Copysign(max(0, math.Abs(v)-eta*penalty), v)
	}
	score := make([]float64, k)
	for range epochs {
		for _, at := range random.Perm(len(rows)) {
			r := rows[at]
			scale := junk.Scale(len(r.at))
			copy(score, w[len(names)*k:])
			for _, i := range r.at {
				for c := range k {
					score[c] += scale * w[int(i)*k+c]
				}
			}
			sum := 1.0
			for _, s := range score {
				sum += math.Exp(min(s, 50))
			}
			weight := r.weight * math.Sqrt(all/per[r.class]/float64(k+1))
			if r.class == 0 {
				weight *= ofGood
			}
			for c := range k {
				grad := math.Exp(min(score[c], 50)) / sum
				if r.class == c+1 {
					grad--
				}
				grad *= weight
				for _, i := range r.at {
					step(int(i)*k+c, grad*scale, l1*float64(len(rows))*scale/100)
				}
				step(len(names)*k+c, grad, 0)
			}
		}
	}
	var b strings.Builder
	line := func(name string, ws []float64) {
		text, last := "", 0
		for c, v := range ws {
			if c > 0 {
				text += "\t"
			}
			if n := int(math.Round(v * 10)); n != 0 && (math.Abs(v) >= .3 || name == "bias") {
				text += fmt.Sprint(n)
				last = len(text)
			}
		}
		if last > 0 {
			fmt.Fprintf(&b, "%s\t%s\n", name, text[:last])
		}
	}
	line("bias", w[len(names)*k:])
	for i, name := range names {
		line(name, w[i*k:(i+1)*k])
	}
	return b.String()
}

// vocabulary returns the features that enough texts of enough repositories have, in alphabetical order.
func vocabulary(xs []example) (index map[string]int32, names []string) {
	type use struct {
		texts int
		last  int
		repos map[string]bool
	}
	uses := map[string]*use{}
	for n, x := range xs {
		junk.Features(x.Text, func(name []byte) {
			u := uses[string(name)]
			if u == nil {
				u = &use{last: -1, repos: map[string]bool{}}
				uses[string(name)] = u
			}
			if u.last == n {
				return
			}
			u.last = n
			u.texts++
			if len(u.repos) < fewestIn {
				u.repos[x.Repo] = true
			}
		})
	}
	for name, u := range uses {
		if u.texts >= fewest && len(u.repos) >= fewestIn && !strings.ContainsAny(name, "\t\n") {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	index = make(map[string]int32, len(names))
	for i, name := range names {
		index[name] = int32(i)
	}
	return index, names
}

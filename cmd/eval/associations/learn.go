package associations

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"manicule/cmd/internal/evalkit"
	"manicule/indexer/code/biencoder"
)

// settings are the choices of a fit.
type settings struct {
	epochs, batch int
	rate          float32 // of the first epoch; it falls to a tenth
	temperature   float32 // of the softmax over a batch
	foreign       float64 // share of the pairs from which the words that both sides have are taken: search by words finds these
	least         int     // how often a word stands in all pairs
	seed          uint64
}

func defaults() settings {
	return settings{epochs: 5, batch: 512, rate: .05, temperature: 8, foreign: .6, least: 8, seed: 1}
}

// example is a pair by the places of its words.
type example struct {
	repo       int
	said, code []int32
}

// side is one table of vectors, with a weight for each word.
type side struct {
	rows    [][biencoder.Dim]float32
	weights []float32
	grown   []float32 // what each row has moved, as Adagrad adds it up
	risen   []float32 // the same for its weight
}

// learn fits the vectors: of each batch, a sentence is to be nearer to its own code than to that of the others (a softmax over
// cosines, as CLIP and sentence encoders are trained). Half of the batches are of one repository, where the others are about the same.
// Rows move by Adagrad. The result is the same for the same pairs.
func learn(pairs []pair, o settings) string {
	vocabulary, rarity := count(pairs, o.least)
	examples := number(pairs, vocabulary)
	evalkit.Progress("%d words, %d pairs", len(vocabulary), len(examples))
	f := newFit(rarity, o)
	byRepo := map[int][]int{}
	for i, e := range examples {
		byRepo[e.repo] = append(byRepo[e.repo], i)
	}
	for epoch := range o.epochs {
		rate := o.rate * (1 - .9*float32(epoch)/float32(o.epochs))
		order := f.random.Perm(len(examples))
		loss, steps := 0., len(examples)/o.batch
		for step := range steps {
			chosen := order[step*o.batch : (step+1)*o.batch]
			if own := byRepo[examples[chosen[0]].repo]; step%2 == 0 && len(own) >= o.batch {
				from := f.random.IntN(len(own) - o.batch + 1)
				chosen = own[from : from+o.batch]
			}
			loss += f.step(examples, chosen, rate)
		}
		evalkit.Progress("epoch %d: loss %.3f", epoch+1, loss/float64(max(steps, 1)*o.batch))
	}
	return biencoder.Encode(vocabulary, f.said.weighted(), f.code.weighted())
}

// count returns the words that stand in enough pairs, the most frequent first, and how rare each is.
func count(pairs []pair, least int) (vocabulary []string, rarity []float32) {
	in := map[string]int{}
	for _, p := range pairs {
		seen := map[string]bool{}
		for _, list := range [][]string{p.said, p.code} {
			for _, w := range list {
				if !seen[w] {
					seen[w] = true
					in[w]++
				}
			}
		}
	}
	for w, n := range in {
		if n >= least {
			vocabulary = append(vocabulary, w)
		}
	}
	slices.SortFunc(vocabulary, func(a, b string) int { return cmp.Or(in[b]-in[a], cmp.Compare(a, b)) })
	for _, w := range vocabulary {
		rarity = append(rarity, float32(math.Log(float64(len(pairs))/float64(in[w]))))
	}
	return vocabulary, rarity
}

// number replaces the words of pairs by their places, and leaves out pairs that few known words remain of.
func number(pairs []pair, vocabulary []string) []example {
	place := make(map[string]int32, len(vocabulary))
	for i, w := range vocabulary {
		place[w] = int32(i) //nolint:gosec // thousands of words
	}
	places := func(list []string) (out []int32) {
		for _, w := range list {
			if i, ok := place[w]; ok {
				out = append(out, i)
			}
		}
		return out
	}
	var out []example
	for _, p := range pairs {
		if e := (example{p.repo, places(p.said), places(p.code)}); len(e.said) >= leastTerms && len(e.code) >= leastTerms {
			out = append(out, e)
		}
	}
	return out
}

// fit is the state of a fit.
type fit struct {
	settings
	random     *rand.Rand
	said, code *side
	asked, of  []encoded // of the batch
	scores     []float32
}

// encoded is one text of a batch.
type encoded struct {
	words          []int32
	vector, change [biencoder.Dim]float32
	length         float32 // before it became a direction
}

func newFit(rarity []float32, o settings) *fit {
	f := &fit{settings: o, random: rand.New(rand.NewPCG(o.seed, 2)), asked: make([]encoded, o.batch), of: make([]encoded, o.batch), scores: make([]float32, o.batch)}
	rows := make([][biencoder.Dim]float32, len(rarity))
	for i := range rows {
		for k := range rows[i] {
			rows[i][k] = float32(f.random.NormFloat64() / math.Sqrt(biencoder.Dim))
		}
	}
	f.said, f.code = newSide(rows, rarity), newSide(rows, rarity) // a word is first of all near to itself
	return f
}

func newSide(rows [][biencoder.Dim]float32, rarity []float32) *side {
	return &side{slices.Clone(rows), slices.Clone(rarity), make([]float32, len(rows)), make([]float32, len(rows))}
}

// weighted returns the rows times their weights.
func (s *side) weighted() [][biencoder.Dim]float32 {
	out := slices.Clone(s.rows)
	for i := range out {
		for k := range out[i] {
			out[i][k] *= s.weights[i]
		}
	}
	return out
}

// step learns from one batch, and returns the sum of its losses.
func (f *fit) step(examples []example, chosen []int, rate float32) (loss float64) {
	for j, i := range chosen {
		e := examples[i]
		said := e.said
		if f.random.Float64() < f.foreign {
			if other := without(said, e.code); len(other) >= 2 {
				said = other
			}
		}
		f.said.encode(said, &f.asked[j])
		f.code.encode(e.code, &f.of[j])
	}
	for j := range f.asked {
		loss += f.compare(j)
	}
	for j := range f.asked {
		f.said.move(&f.asked[j], rate)
		f.code.move(&f.of[j], rate)
	}
	return loss
}

// compare adds to the changes of a sentence and of all code what would bring the sentence nearer to its own.
func (f *fit) compare(j int) (loss float64) {
	own := &f.asked[j]
	largest := float32(math.Inf(-1))
	for k := range f.of {
		f.scores[k] = f.temperature * dot(&own.vector, &f.of[k].vector)
		largest = max(largest, f.scores[k])
	}
	sum := 0.
	for _, s := range f.scores {
		sum += math.Exp(float64(s - largest))
	}
	loss = math.Log(sum) - float64(f.scores[j]-largest)
	for k := range f.of {
		p := float32(math.Exp(float64(f.scores[k]-largest)) / sum)
		if k == j {
			p--
		}
		if p < 1e-4 && p > -1e-4 {
			continue
		}
		p *= f.temperature
		of := &f.of[k]
		for x := range own.vector {
			own.change[x] += p * of.vector[x]
			of.change[x] += p * own.vector[x]
		}
	}
	return loss
}

// encode sums up the vectors of words to a direction.
func (s *side) encode(words []int32, to *encoded) {
	*to = encoded{words: words}
	for _, i := range words {
		for k, x := range &s.rows[i] {
			to.vector[k] += s.weights[i] * x
		}
	}
	to.length = float32(math.Sqrt(float64(dot(&to.vector, &to.vector)))) + 1e-6
	for k := range to.vector {
		to.vector[k] /= to.length
	}
}

// move moves the words of a text against its change.
func (s *side) move(e *encoded, rate float32) {
	along := dot(&e.vector, &e.change)
	for k := range e.change { // only what turns the direction counts
		e.change[k] = (e.change[k] - along*e.vector[k]) / e.length
	}
	size := dot(&e.change, &e.change) / biencoder.Dim
	for _, i := range e.words {
		row, weight := &s.rows[i], s.weights[i]
		toward := dot(row, &e.change)
		s.grown[i] += weight * weight * size
		by := rate * weight / float32(math.Sqrt(float64(s.grown[i])+1e-10))
		for k := range row {
			row[k] -= by * e.change[k]
		}
		s.risen[i] += toward * toward
		s.weights[i] = max(0, weight-2*rate*toward/float32(math.Sqrt(float64(s.risen[i])+1e-8)))
	}
}

func dot(a, b *[biencoder.Dim]float32) (sum float32) {
	var s [4]float32 // four sums, which the processor adds up side by side
	for k := 0; k < biencoder.Dim; k += 4 {
		s[0] += a[k] * b[k]
		s[1] += a[k+1] * b[k+1]
		s[2] += a[k+2] * b[k+2]
		s[3] += a[k+3] * b[k+3]
	}
	return s[0] + s[1] + s[2] + s[3]
}

// without returns the words that another list does not have.
func without(list, other []int32) []int32 {
	return slices.DeleteFunc(slices.Clone(list), func(w int32) bool { return slices.Contains(other, w) })
}

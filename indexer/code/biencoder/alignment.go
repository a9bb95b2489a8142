package biencoder

// Alignment compares the words of one question with those of texts one by one, each with the nearest: the late
// interaction of O. Khattab and M. Zaharia, "ColBERT", SIGIR 2020, over vectors that don't depend on context. The sum
// of a text's words tells less about a long text; here a word that a text has counts wholly, whatever else it has.
// An Alignment is not safe for concurrent use.
type Alignment struct {
	model   *Model
	words   []alignedWord
	nearest map[string][]float32 // of a text's word to each of the question's
}

// alignedWord is a word of the question.
type alignedWord struct {
	term    string
	weight  float32 // all have the sum 1
	known   bool
	vector  Vector
	inverse float32
}

// Align prepares a question of different terms with the weight of each, at least 0.
func (m *Model) Align(terms []string, weights []float64) *Alignment {
	a := &Alignment{model: m, nearest: map[string][]float32{}}
	n := min(len(terms), mostTerms)
	sum := 0.0
	for _, w := range weights[:n] {
		sum += w
	}
	if sum <= 0 {
		return a
	}
	for i, t := range terms[:n] {
		w := alignedWord{term: t, weight: float32(weights[i] / sum)}
		if w.vector, w.known = m.Question([]string{t}); w.known {
			w.inverse = w.vector.Inverse()
		}
		a.words = append(a.words, w)
	}
	return a
}

// Share returns how much of the question a text of these terms covers, in [0, 1]: a word counts by its weight, wholly
// if the text has it, else by the cosine to the nearest one.
func (a *Alignment) Share(terms []string) float64 {
	var share float32
	for i, w := range a.words {
		var best float32
		for _, t := range terms {
			best = max(best, a.near(t)[i])
		}
		share += w.weight * best
	}
	return float64(min(share, 1))
}

// near returns how near a text's word is to each word of the question.
func (a *Alignment) near(term string) []float32 {
	if out, ok := a.nearest[term]; ok {
		return out
	}
	out := make([]float32, len(a.words))
	v, known := a.model.Function([]string{term})
	var inverse float32
	if known {
		inverse = v.Inverse()
	}
	for i := range a.words {
		switch w := &a.words[i]; {
		case w.term == term:
			out[i] = 1
		case known && w.known:
			out[i] = max(0, w.vector.Dot(&v)*w.inverse*inverse)
		}
	}
	a.nearest[term] = out
	return out
}

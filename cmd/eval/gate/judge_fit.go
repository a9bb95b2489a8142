package gate

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"

	"manicule/memory/gate/junk/likely"
)

// What the first stage is fitted to, and how.
const (
	mostOfPlace  = 16000
	mostOfRepo   = 500 // of a place
	placeRounds  = 3
	placeStep    = .5
	smallestSeen = 1e-4
)

// How the trees of the second stage are grown.
const (
	trees      = 300
	depth      = 4
	shrink     = .065
	lambda     = 4.
	leastHess  = 3.
	shareRows  = .6
	shareCols  = .4
	fewestRows = 10
	leastGain  = 1e-3
)

// placed is a text of a page with its place.
type placed struct {
	repo  string
	place likely.Place
	at    []int
}

// row is a labelled text as the trees see it.
type row struct {
	measures []float32
	bad      bool
	weight   float64
}

// judgeModel is a fitted judge.
type judgeModel struct {
	places [][likely.Places]int8
	edges  [][]float32
	trees  []*node
}

type node struct {
	measure, edge int
	value         int16 // of a leaf
	left, right   *node // nil for a leaf
}

func (m *judgeModel) guess(text string) [likely.Places]float64 {
	return likely.Guess(text, func(b int, p likely.Place) float64 { return likely.Unit * float64(m.places[b][p]) })
}

// measure returns what the trees see of a text.
func (m *judgeModel) measure(text string) []float32 {
	x := likely.Measure(text, m.guess(text))
	return x[:]
}

func (m *judgeModel) probability(text string) float64 { return m.sum(m.measure(text)) }

// sum is the probability that the trees give to a text's measures.
func (m *judgeModel) sum(x []float32) float64 {
	sum := 0
	for _, t := range m.trees {
		sum += int(m.leafOf(t, x))
	}
	return 1 / (1 + math.Exp(-float64(sum)*likely.LeafUnit))
}

func (m *judgeModel) leafOf(t *node, x []float32) int16 {
	for t.left != nil {
		if x[t.measure] < m.edges[t.measure][t.edge] {
			t = t.left
		} else {
			t = t.right
		}
	}
	return t.value
}

// fitPlaces fits the softmax regression.
func fitPlaces(texts []placed) [][likely.Places]int8 {
	type kept struct {
		repo  string
		place likely.Place
	}
	var use []placed
	var n [likely.Places]int
	of := map[kept]int{}
	r := rand.New(rand.NewPCG(1, 2))
	for _, i := range r.Perm(len(texts)) {
		t := texts[i]
		k := kept{t.repo, t.place}
		if n[t.place] >= mostOfPlace || of[k] >= mostOfRepo {
			continue
		}
		n[t.place]++
		of[k]++
		use = append(use, t)
	}
	w, seen := make([][likely.Places]float64, likely.Buckets), make([][likely.Places]float64, likely.Buckets)
	for range placeRounds {
		r.Shuffle(len(use), func(i, j int) { use[i], use[j] = use[j], use[i] })
		for _, t := range use {
			scale := likely.Scale(len(t.at))
			var logits [likely.Places]float64
			for _, b := range t.at {
				for p := range logits {
					logits[p] += w[b][p] * scale
				}
			}
			wrong := likely.Probability(logits)
			wrong[t.place]--
			for _, b := range t.at {
				for p, x := range wrong {
					x *= scale
					seen[b][p] += x * x
					w[b][p] -= placeStep * x / (math.Sqrt(seen[b][p]) + smallestSeen)
				}
			}
		}
	}
	out := make([][likely.Places]int8, len(w))
	for b := range w {
		for p, x := range w[b] {
			out[b][p] = int8(max(-127, min(127, math.Round(x/likely.Unit))))
		}
	}
	return out
}

// grow fits the trees to the rows, each to what those before it leave wrong.
func (m *judgeModel) grow(rows []row, trees, depth int) {
	m.bin(rows)
	bins := make([][]uint8, len(rows))
	for i := range rows {
		bins[i] = make([]uint8, len(rows[i].measures))
		for j, x := range rows[i].measures {
			k := 0
			for k < len(m.edges[j]) && x >= m.edges[j][k] {
				k++
			}
			bins[i][j] = uint8(k)
		}
	}
	r := rand.New(rand.NewPCG(7, 7))
	g := grower{m: m, bins: bins, slope: make([]float64, len(rows)), hess: make([]float64, len(rows))}
	sums := make([]int, len(rows))
	for range trees {
		g.rows, g.cols = nil, nil
		for i := range rows {
			p := 1 / (1 + math.Exp(-float64(sums[i])*likely.LeafUnit))
			g.slope[i] = (p - float64(ones(rows[i].bad))) * rows[i].weight
			g.hess[i] = p * (1 - p) * rows[i].weight
			if r.Float64() < shareRows {
				g.rows = append(g.rows, i)
			}
		}
		for j := range m.edges {
			if r.Float64() < shareCols {
				g.cols = append(g.cols, j)
			}
		}
		t := g.tree(g.rows, depth)
		m.trees = append(m.trees, t)
		for i := range rows {
			sums[i] += int(m.leafOf(t, rows[i].measures))
		}
	}
}

// bin sets the thresholds of each measure: between all of its values where they are few, else by rank.
func (m *judgeModel) bin(rows []row) {
	m.edges = make([][]float32, len(rows[0].measures))
	for j := range m.edges {
		values := make([]float32, len(rows))
		for i := range rows {
			values[i] = rows[i].measures[j]
		}
		slices.Sort(values)
		distinct := slices.Compact(slices.Clone(values))
		m.edges[j] = nil
		if len(distinct) <= likely.Edges+1 {
			for k := 1; k < len(distinct); k++ {
				m.edges[j] = append(m.edges[j], (distinct[k-1]+distinct[k])/2)
			}
			continue
		}
		for k := 1; k <= likely.Edges; k++ {
			m.edges[j] = append(m.edges[j], values[k*len(values)/(likely.Edges+1)])
		}
		m.edges[j] = slices.Compact(m.edges[j])
	}
}

// grower grows one tree.
type grower struct {
	m           *judgeModel
	bins        [][]uint8
	slope, hess []float64
	rows, cols  []int
}

func (g *grower) tree(rows []int, depth int) *node {
	var slope, hess float64
	for _, i := range rows {
		slope += g.slope[i]
		hess += g.hess[i]
	}
	leaf := &node{value: int16(max(-math.MaxInt16, min(math.MaxInt16, math.Round(-shrink*slope/(hess+lambda)/likely.LeafUnit))))}
	if depth == 0 || len(rows) < fewestRows {
		return leaf
	}
	best, split := leastGain, node{measure: -1}
	for _, j := range g.cols {
		var slopes, hesses [likely.Edges + 1]float64
		for _, i := range rows {
			slopes[g.bins[i][j]] += g.slope[i]
			hesses[g.bins[i][j]] += g.hess[i]
		}
		var sl, hl float64
		for k := range g.m.edges[j] {
			sl += slopes[k]
			hl += hesses[k]
			if hl < leastHess || hess-hl < leastHess {
				continue
			}
			if gain := sl*sl/(hl+lambda) + (slope-sl)*(slope-sl)/(hess-hl+lambda) - slope*slope/(hess+lambda); gain > best {
				best, split = gain, node{measure: j, edge: k}
			}
		}
	}
	if split.measure < 0 {
		return leaf
	}
	var left, right []int
	for _, i := range rows {
		if int(g.bins[i][split.measure]) <= split.edge {
			left = append(left, i)
		} else {
			right = append(right, i)
		}
	}
	split.left, split.right = g.tree(left, depth-1), g.tree(right, depth-1)
	return &split
}

// encode writes the model as package likely reads it.
func (m *judgeModel) encode() []byte {
	out := make([]byte, 0, 1<<16)
	for _, ws := range m.places {
		for _, w := range ws {
			out = append(out, byte(w))
		}
	}
	return m.encodeTrees(out)
}

func (m *judgeModel) encodeTrees(out []byte) []byte {
	for j := range m.edges {
		for k := range likely.Edges {
			x := float32(math.MaxFloat32)
			if k < len(m.edges[j]) {
				x = m.edges[j][k]
			}
			out = binary.LittleEndian.AppendUint32(out, math.Float32bits(x))
		}
	}
	for _, t := range m.trees {
		out = t.encode(out)
	}
	return out
}

func (t *node) encode(out []byte) []byte {
	if t.left == nil {
		return binary.LittleEndian.AppendUint16(append(out, 255), uint16(t.value))
	}
	return t.right.encode(t.left.encode(append(out, byte(t.measure), byte(t.edge))))
}

package anchoring

import (
	"strings"

	"manicule/indexer/extract"
)

// evidence is what suggests that two declarations are the same one.
type evidence struct {
	sameKind      bool    // compatible kinds
	similarity    float64 // of their code, 1 if equal except for the name
	names         float64 // similarity of their names, 1 if equal
	signature     bool    // equal except for the name, and with parameters
	parents       bool    // their parents have the same name
	neighbours    int     // how many of the two siblings are the same
	size          int     // tokens of the smaller one
	replaced      bool    // the old name gave way to the new one wherever it was used
	movedSiblings float64 // share of the moved siblings that moved to the same place
}

func compare(o *Source, i int, n *Source, j int) evidence {
	s, t := o.symbols()[i], n.symbols()[j]
	e := evidence{sameKind: kindsCompatible(s.Kind, t.Kind)}
	if !e.sameKind {
		return e
	}
	a, b := o.print(i), n.print(j)
	e.size = min(a.Size, b.Size)
	e.similarity = similarityOf(o, i, n, j)
	e.names = nameSimilarity(s.Name, t.Name)
	e.signature = s.Arity > 0 && a.Signature == b.Signature
	e.parents = parentName(o, i) == parentName(n, j) && (s.Parent >= 0 || containerOf(s) == containerOf(t))
	return e
}

// containerOf returns the part of a symbol path before its name. In some languages it says
// more than the parent: a method of Go stands beside its type and not in it.
func containerOf(s extract.Symbol) string { return strings.TrimSuffix(s.Path, s.Name) }

// The weights of the evidence beside the similarity of the code, which has weight one.
// cmd/eval/anchors/FIGURES.md names the runs that chose these.
const (
	weightName      = 0.3
	weightSignature = 0.2
	weightNeighbour = 0.03
	weightParent    = 0.1
	weightSiblings  = 0.3

	enoughRenamed = 0.7  // threshold for a declaration of another name in the same place
	enoughSmall   = 0.95 // threshold for one whose code is too small to prove much
	leastLike     = 0.3  // minimum similarity, whatever the other evidence
)

// scoreRenamed scores a declaration of another name in the same place; 0 if the
// evidence is insufficient.
func (e evidence) scoreRenamed() float64 {
	if !e.sameKind || e.similarity < leastLike {
		return 0
	}
	score := e.similarity + weightName*e.names + weightNeighbour*float64(e.neighbours)
	if e.signature {
		score += weightSignature
	}
	// Code that stayed the same says more than a name: where f(x) became g(h(x)), the name gave way to
	// g, and h may be f.
	exact := e.similarity == 1 && e.size >= lowEntropy
	switch {
	case e.replaced && exact:
		return 2 + score
	case e.replaced:
		return 1 + e.similarity
	case exact:
		return 1 + score
	case e.size >= lowEntropy && score >= enoughRenamed:
		return score
	case e.size < lowEntropy && score >= enoughSmall && (e.names >= 0.5 || e.similarity == 1 && e.neighbours == 2):
		return score
	default:
		return 0
	}
}

// Thresholds for declarations that moved to another file.
const (
	enoughFar      = 0.75 // with a body to compare
	enoughFarSmall = 1.2  // without one: the same name and nearly the same code
)

// scoreMoved scores a declaration in another file; 0 if the evidence is insufficient.
func (e evidence) scoreMoved() float64 {
	if !e.sameKind || e.similarity < leastLike {
		return 0
	}
	score := e.similarity + weightName*e.names
	if e.signature {
		score += weightSignature
	}
	if e.parents {
		score += weightParent
	}
	score += weightSiblings * e.movedSiblings
	if e.size >= lowEntropy && score >= enoughFar || e.size < lowEntropy && e.names == 1 && score >= enoughFarSmall {
		return score
	}
	return 0
}

// nameSimilarity compares two names by their letter pairs, from 0 to 1.
func nameSimilarity(a, b string) float64 {
	a, b = strings.ToLower(a), strings.ToLower(b)
	if a == b {
		return 1
	}
	if len(a) < 2 || len(b) < 2 {
		return 0
	}
	same := 0
	used := make([]bool, len(b))
	for i := range len(a) - 1 {
		for j := range len(b) - 1 {
			if !used[j] && a[i:i+2] == b[j:j+2] {
				used[j] = true
				same++
				break
			}
		}
	}
	return 2 * float64(same) / float64(len(a)+len(b)-2)
}

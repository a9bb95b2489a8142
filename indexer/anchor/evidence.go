package anchor

import "strings"

// evidence is what speaks for two declarations being the same one.
type evidence struct {
	fits       bool    // their kinds
	like       float64 // their code, 1 when it is the same but for the name
	names      float64 // how like their names are, 1 when they are the same
	signature  bool    // the same but for the name, and with parameters
	parents    bool    // what they stand in has the same name
	neighbours int     // how many of the two beside them are the same
	size       int     // tokens of the smaller one
	replaced   bool    // the name that is gone gave way to the other one wherever it was used
	company    float64 // the share of what went away from beside it that went the same way
}

func compare(o *Source, i int, n *Source, j int) evidence {
	s, t := o.symbols()[i], n.symbols()[j]
	e := evidence{fits: kindsFit(s.Kind, t.Kind)}
	if !e.fits {
		return e
	}
	a, b := o.print(i), n.print(j)
	e.size = min(a.Size, b.Size)
	e.like = likeOf(o, i, n, j)
	e.names = namesLike(s.Name, t.Name)
	e.signature = s.Arity > 0 && a.Signature == b.Signature
	e.parents = parentName(o, i) == parentName(n, j)
	return e
}

// What each piece of evidence counts beside the likeness of the code, which
// counts once. docs/anchor-truth.md names the runs that chose these.
const (
	weightName      = 0.3
	weightSignature = 0.2
	weightNeighbour = 0.03
	weightParent    = 0.1
	weightCompany   = 0.3

	enoughRenamed = 0.7  // for a declaration of another name in the same place
	enoughSmall   = 0.95 // for one that is too small for its code to prove much
	leastLike     = 0.3  // whatever else speaks for it
)

// renamed scores a declaration of another name in the same place; 0 when it is not enough.
func (e evidence) renamed() float64 {
	if !e.fits || e.like < leastLike {
		return 0
	}
	if e.replaced {
		return 1 + e.like
	}
	score := e.like + weightName*e.names + weightNeighbour*float64(e.neighbours)
	if e.signature {
		score += weightSignature
	}
	switch {
	case e.size >= lowEntropy && score >= enoughRenamed:
		return score
	case e.size < lowEntropy && score >= enoughSmall && (e.names >= 0.5 || e.like == 1 && e.neighbours == 2):
		return score
	default:
		return 0
	}
}

// Thresholds for what went to another file.
const (
	enoughFar      = 0.75 // for what has a body to compare
	enoughFarSmall = 1.2  // for what has not: the same name and nearly the same code
)

// far scores a declaration in another file; 0 when it is not enough.
func (e evidence) far() float64 {
	if !e.fits || e.like < leastLike {
		return 0
	}
	score := e.like + weightName*e.names
	if e.signature {
		score += weightSignature
	}
	if e.parents {
		score += weightParent
	}
	score += weightCompany * e.company
	if e.size >= lowEntropy && score >= enoughFar || e.size < lowEntropy && e.names == 1 && score >= enoughFarSmall {
		return score
	}
	return 0
}

// namesLike compares two names by the pairs of letters in them, from 0 to 1.
func namesLike(a, b string) float64 {
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

package retrieve

import "manicule/memory/file"

// Tuning holds every parameter of the pipeline. [Default] returns those in use;
// cmd/eval/retrieval/FIGURES.md gives their origin and measurements.
type Tuning struct {
	// The number of candidates of each retriever.
	Words, Meaning, Structure int
	// CodeCandidates is that of words, mentions and meaning in a search for code. A merge of more of
	// them is truer; as many as for memories stay.
	CodeCandidates int
	// Seeds is the number of best results whose neighbours in the code are candidates if the
	// question names no code; 0 disables it.
	Seeds int
	// Recent is the weight of what is near the files that the asker used last.
	Recent float64
	// Weights of the retrievers by the kind of question. Only code has mentions, associations and heads.
	Weights map[Kind]Weights
	// Code holds the weights for searches in code with vectors; nil for the same.
	Code map[Kind]Weights
	// Keywords holds the weights of words and meaning for a list of words that a memory has, all of
	// them; zero for those of its kind.
	Keywords Weights
	// Covered is the weight of the share of the question's words in the keyword score, where the
	// candidates have at most CoveredTerms different words in the mean. It falls with more: a long text
	// has some of the words by chance.
	Covered, CoveredTerms float64
	// Stretch is the exponent of a fused score that yields its relevance. It keeps other factors
	// from deciding alone.
	Stretch float64
	// A result needs evidence: the cosine and WordsEvidence times the share of the question's words
	// must reach MinEvidence. Without vectors, it needs MinTerms of the question's words, or the
	// share MinCoverage. Results with less are omitted, or marked as weak for an explicit question,
	// which shows them only among the first Weak results.
	MinEvidence, WordsEvidence, MinCoverage float64
	Weak                                    int
	MinTerms                                int
	// Boost is the maximum gain of a result between the ranks BoostFrom and BoostTo from neighbours
	// in the code that rank higher.
	Boost              float64
	BoostFrom, BoostTo int
	// Rerank is the number of best results that a cross-encoder reads; Reranked is the number that
	// it moves to the front.
	Rerank, Reranked int
	// The weights in the final score of relevance, recency and use. They sum to 1.
	Relevance, Recency, Frequency float64
	// Standing enables the factors for phase, trust and confidence.
	Standing bool
	// Doubted is the share of the score that confidence multiplies. The rest stays however doubtful
	// or old a memory is.
	Doubted float64
	// Imagine is the number of good results below which a model writes a hypothetical answer to
	// search for (HyDE). GoodCosine defines a good result.
	Imagine    int
	GoodCosine float64
	// Distinct removes results that repeat the words of a better one.
	Distinct bool
}

// Weights are the relative weights of the retrievers.
type Weights struct{ Words, Meaning, Structure, Mentions, Association, Head float64 }

// Default returns the parameters in use.
func Default() Tuning {
	return Tuning{
		Words: 20, Meaning: 30, Structure: 15, CodeCandidates: 100, Recent: .10,
		Weights: map[Kind]Weights{
			Identifier: {Words: .50, Meaning: .20, Structure: .30},
			Semantic:   {Words: .50, Meaning: .50, Structure: .25, Mentions: .20, Association: .60, Head: .60},
			Structural: {Words: .25, Meaning: .15, Structure: .60},
		},
		Code: map[Kind]Weights{
			Identifier: {Words: .50, Meaning: .20, Structure: .30},
			Semantic:   {Words: .15, Meaning: .85, Structure: 1, Mentions: .15, Association: .30, Head: .40},
			Structural: {Words: .25, Meaning: .15, Structure: .60},
		},
		Keywords: Weights{Words: .8, Meaning: .2},
		Covered:  .3, CoveredTerms: 15, Stretch: 2,
		MinEvidence: .55, WordsEvidence: .5, MinCoverage: .5, MinTerms: 4, Weak: 10,
		BoostFrom: 11, BoostTo: 50,
		Rerank: 20, Reranked: 8,
		Relevance: .85, Recency: .10, Frequency: .05,
		Standing: true, Doubted: .6,
		Imagine: 3, GoodCosine: .5,
		Distinct: true,
	}
}

// Phase is the caller's phase of work. The zero value weighs all types alike.
type Phase string

// The phases of work.
const (
	NoPhase   Phase = ""
	Define    Phase = "define"
	Implement Phase = "implement"
	Validate  Phase = "validate"
	Refine    Phase = "refine"
	Explore   Phase = "explore"
	Reflect   Phase = "reflect"
)

// Phases lists the phases in the order of work.
func Phases() []Phase { return []Phase{Define, Implement, Validate, Refine, Explore, Reflect} }

// phase holds the effects of a phase on memories of a type.
type phase struct {
	weights map[file.Type]float64 // 1 where absent
	budget  int                   // tokens
	shares  map[file.Type]float64 // of the budget; absent types share other
	other   float64
}

// phaseOf is the table of phases.
func phaseOf(p Phase) phase {
	switch p {
	case Define:
		return phase{
			map[file.Type]float64{file.WorkflowRecipe: 1.4, file.DeadEnd: 1.2, file.Requirement: 1.2, file.Decision: 1.1, file.TaskCalibration: 1.1, file.Gotcha: .8, file.ErrorPattern: .8},
			2500, map[file.Type]float64{file.WorkflowRecipe: .30, file.Requirement: .20, file.Decision: .20, file.DeadEnd: .15, file.TaskCalibration: .10}, .05,
		}
	case Implement:
		return phase{
			map[file.Type]float64{file.Gotcha: 1.4, file.ErrorPattern: 1.3, file.CausalDependency: 1.2, file.DeadEnd: 1.2, file.Pattern: 1.1, file.PrefetchPattern: 1.1},
			3000, map[file.Type]float64{file.Gotcha: .30, file.ErrorPattern: .25, file.CausalDependency: .15, file.Pattern: .15, file.DeadEnd: .10}, .05,
		}
	case Validate:
		return phase{
			map[file.Type]float64{file.ErrorPattern: 1.4, file.E2EObservation: 1.4, file.Requirement: 1.2, file.WorkUnitOutcome: 1.1},
			2500, map[file.Type]float64{file.ErrorPattern: .30, file.Requirement: .25, file.E2EObservation: .25, file.WorkUnitOutcome: .15}, .05,
		}
	case Refine:
		return phase{
			map[file.Type]float64{file.ErrorPattern: 1.3, file.Gotcha: 1.2, file.DeadEnd: 1.2, file.Pattern: 1.0},
			2000, map[file.Type]float64{file.ErrorPattern: .35, file.Gotcha: .25, file.DeadEnd: .20, file.Pattern: .15}, .05,
		}
	case Explore:
		return phase{
			map[file.Type]float64{file.ModuleInsight: 1.4, file.Decision: 1.2, file.Pattern: 1.1, file.CausalDependency: 1.0},
			2000, map[file.Type]float64{file.ModuleInsight: .40, file.Decision: .25, file.Pattern: .20, file.CausalDependency: .15}, 0,
		}
	case Reflect:
		return phase{
			map[file.Type]float64{file.WorkUnitOutcome: 1.4, file.TaskCalibration: 1.3, file.DeadEnd: 1.1},
			1500, map[file.Type]float64{file.WorkUnitOutcome: .40, file.TaskCalibration: .35, file.DeadEnd: .15}, .10,
		}
	}
	return phase{other: 1}
}

// Budget is the maximum number of tokens of an answer in a phase, 0 for no limit.
func (p Phase) Budget() int { return phaseOf(p).budget }

// weight returns the weight of a type in a phase.
func (p phase) weight(t file.Type) float64 {
	if w, ok := p.weights[t]; ok {
		return w
	}
	return 1
}

// Trust is the factor for a memory's origin; 1 is neutral.
func Trust(o file.Origin) float64 { return trust(o) }

// trust is the factor for a memory's origin. Imports rank between what a person taught
// and what was only observed.
func trust(o file.Origin) float64 {
	switch o {
	case file.UserTaught:
		return 1.4
	case file.AgentExplicit:
		return 1.2
	case file.QAAuto:
		return 1.1
	case file.ObserverInferred:
		return .85
	case "": // the origin is not stated
		return .85
	}
	return 1
}

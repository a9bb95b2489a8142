package retrieve

import "manicule/memory/file"

// Tuning holds every number of the pipeline. [Default] has those in force;
// docs/retrieval.md says where each comes from and what it was measured to do.
type Tuning struct {
	// How many candidates each way to look gives (V5-RET-01 to 03).
	Words, Meaning, Structure int
	// Seeds is of how many of the best results of the other ways the neighbours in
	// the code are looked at, where the question names no code; 0 for none.
	Seeds int
	// Weights of the ways to look by the kind of question (V5-RET-05).
	Weights map[Kind]Weights
	// Code holds the weights where pieces of code are looked for and meanings are
	// compared; nil for the same.
	Code map[Kind]Weights
	// Covered is what the share of the question's words counts in the score by words.
	Covered float64
	// Stretch is the power of a fused score that counts as its relevance: what is
	// multiplied to it must not decide alone.
	Stretch float64
	// MinEvidence is what a cosine and WordsEvidence of the share of the question's
	// words must come to together. Without meanings MinTerms of the question's
	// words, or MinCoverage of them, have to be there. What has less is marked as
	// weak, or left out where nobody asked.
	// Weak is among how many of the best those with a mark are.
	MinEvidence, WordsEvidence, MinCoverage float64
	Weak                                    int
	MinTerms                                int
	// Boost is what a result among the ranks from BoostFrom to BoostTo gains at
	// most from neighbours in the code of what stands above (V5-RET-08).
	Boost              float64
	BoostFrom, BoostTo int
	// Rerank is how many of the best a cross-encoder reads, Reranked how many of
	// them it puts first (V5-RET-09).
	Rerank, Reranked int
	// The parts of the final score (V5-RET-12): how well it fits, how young it
	// is, how often it was used. Their sum is 1.
	Relevance, Recency, Frequency float64
	// Phases says whether the weights of phases, trust and confidence count.
	Standing bool
	// Imagine is below how many good results a model is asked to imagine an
	// answer that is then looked for (HyDE, V5-RET-16), GoodCosine what a good one is.
	Imagine    int
	GoodCosine float64
	// Distinct leaves out what says in the same words what a better one says.
	Distinct bool
}

// Weights are what the ways to look weigh against each other.
type Weights struct{ Words, Meaning, Structure float64 }

// Default returns the numbers in force.
func Default() Tuning {
	return Tuning{
		Words: 20, Meaning: 30, Structure: 15,
		Weights: map[Kind]Weights{
			Identifier: {Words: .50, Meaning: .20, Structure: .30},
			Semantic:   {Words: .50, Meaning: .50, Structure: .25},
			Structural: {Words: .25, Meaning: .15, Structure: .60},
		},
		Code: map[Kind]Weights{
			Identifier: {Words: .50, Meaning: .20, Structure: .30},
			Semantic:   {Words: .10, Meaning: .90, Structure: 1},
			Structural: {Words: .25, Meaning: .15, Structure: .60},
		},
		Covered: .3, Stretch: 2,
		MinEvidence: .55, WordsEvidence: .5, MinCoverage: .5, MinTerms: 4, Weak: 10,
		BoostFrom: 11, BoostTo: 50,
		Rerank: 20, Reranked: 8,
		Relevance: .85, Recency: .10, Frequency: .05,
		Standing: true,
		Imagine:  3, GoodCosine: .5,
		Distinct: true,
	}
}

// Phase is what whoever asks is about to do. The zero one weighs all types alike.
type Phase string

// The phases of work (V5-RET-10).
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

// phase is what a phase means for memories of a type.
type phase struct {
	weights map[file.Type]float64 // 1 where absent
	budget  int                   // tokens
	shares  map[file.Type]float64 // of the budget; what is absent shares other
	other   float64
}

// phaseOf is the table of phases (V5-RET-10, 14).
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

// Budget is how many tokens an answer in a phase may have, 0 for no bound.
func (p Phase) Budget() int { return phaseOf(p).budget }

// weight of a type in a phase.
func (p phase) weight(t file.Type) float64 {
	if w, ok := p.weights[t]; ok {
		return w
	}
	return 1
}

// Trust is what a memory's origin counts, 1 for one that says nothing either way.
func Trust(o file.Origin) float64 { return trust(o) }

// trust is what a memory's origin counts (V5-RET-11). Imports stand between
// what a person taught and what was only noticed.
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
	case "": // nobody has said how it came to be
		return .85
	}
	return 1
}

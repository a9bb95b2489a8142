// Package signal says what a session may teach: the kinds of signals, for each kind a type of what was observed, and the
// sentence that a person would write of it. Package detect finds them.
package signal

import "manicule/memory/file"

// Kind is a class of signals.
type Kind string

// The kinds of signals, and statements of a person.
const (
	FileAccess       Kind = "file_access"
	CoAccess         Kind = "co_access"
	ErrorRetry       Kind = "error_retry"
	Backtrack        Kind = "backtrack"
	ReadAbandon      Kind = "read_abandon"
	RepeatedSearch   Kind = "repeated_search"
	ToolSequence     Kind = "tool_sequence"
	TimeAnomaly      Kind = "time_anomaly"
	SelfCorrection   Kind = "self_correction"
	ExternalRef      Kind = "external_reference"
	GlobIgnore       Kind = "glob_ignore"
	ImportChase      Kind = "import_chase"
	TestOrder        Kind = "test_order"
	ConfigTouch      Kind = "config_touch"
	StepOverrun      Kind = "step_overrun"
	ParallelConflict Kind = "parallel_conflict"
	TokenSpike       Kind = "token_spike"
	UserCorrection   Kind = "user_correction"
	PageFault        Kind = "page_fault"
)

// Spec holds the prior assumptions about a kind of signals.
type Spec struct {
	Kind Kind
	// Diagnostic is how informative such a signal is.
	Diagnostic float64
	// Sessions is the number of sessions that must agree.
	Sessions int
	// False is the share of its candidates that people reject, before any was judged on this
	// machine. It is measured on the development sessions if they have some, else estimated;
	// hooks/observe/README.md has both.
	False float64
	Type  file.Type
}

// Specs lists the kinds in the order of the documentation.
func Specs() []Spec {
	return []Spec{
		{FileAccess, 0.72, 3, 0.7, file.PrefetchPattern},
		{CoAccess, 0.91, 3, 0.45, file.CausalDependency},
		{ErrorRetry, 0.85, 2, 0.15, file.ErrorPattern},
		{Backtrack, 0.68, 2, 0.9, file.Gotcha},
		{ReadAbandon, 0.79, 3, 0.7, file.Gotcha},
		{RepeatedSearch, 0.76, 2, 0.2, file.ModuleInsight},
		{ToolSequence, 0.73, 3, 0.4, file.WorkflowRecipe},
		{TimeAnomaly, 0.48, 3, 0.2, file.ContextCost},
		{SelfCorrection, 0.88, 1, 0.8, file.Gotcha},
		{ExternalRef, 0.61, 3, 0.7, file.ModuleInsight},
		{GlobIgnore, 0.64, 2, 0.5, file.Gotcha},
		{ImportChase, 0.52, 4, 0.7, file.CausalDependency},
		{TestOrder, 0.74, 3, 0.7, file.TaskCalibration},
		{ConfigTouch, 0.66, 2, 0.7, file.CausalDependency},
		{StepOverrun, 0.71, 3, 0.8, file.TaskCalibration},
		{ParallelConflict, 0.82, 1, 0.8, file.Gotcha},
		{TokenSpike, 0.63, 3, 0.1, file.ContextCost},
		{UserCorrection, 0.88, 1, 0.35, file.Preference},
		{PageFault, 0.66, 2, 0.5, file.E2EObservation},
	}
}

// SpecOf returns the specification of a kind. ok is false for an unknown kind.
func SpecOf(k Kind) (Spec, bool) {
	for _, s := range Specs() {
		if s.Kind == k {
			return s, true
		}
	}
	return Spec{}, false
}

// MinValue is the value below which a signal is discarded.
const MinValue = 0.4

// Value is 0.5·diagnostic + 0.3·cross-session + 0.2·(1 − false positives).
// Cross-session evidence is complete when the required number of sessions agree.
func (s Spec) Value(sessions int, falseRate float64) float64 {
	cross := min(1, float64(sessions)/float64(s.Sessions))
	return 0.5*s.Diagnostic + 0.3*cross + 0.2*(1-falseRate)
}

// priorWeight is the number of judgements that the built-in false positive rate counts
// as. A person's own judgements soon outweigh it.
const priorWeight = 5

// FalseRate is the share of a kind's candidates that people reject here.
func (s Spec) FalseRate(j Judged) float64 {
	return (s.False*priorWeight + float64(j.Rejected)) / (priorWeight + float64(j.Accepted+j.Rejected))
}

// Judged counts the judgements of people about a kind's candidates.
type Judged struct{ Accepted, Rejected int }

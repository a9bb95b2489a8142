package importer

import (
	"math"
	"strings"

	"manicule/memory/file"
	"manicule/memory/lazyregexp"
)

// Trait is a property of a memory, or of the file it comes from, that says something about its use.
type Trait struct {
	Name string
	// Weight is what the property adds to the logarithm of the odds that a maintainer would
	// keep the memory as it is, for each unit of the property.
	Weight float64

	of func(p *portrait, f *company) float64
}

// company is what the memories of a file have in common: means of their properties.
type company struct {
	size                                                        int
	spans, plain, names, unspecific, strict, status, agent, you float64
	facts, pictured                                             float64
}

// leastUseful is the estimate from which a memory is kept, and bias the logarithm of the odds of a
// memory without any property. `go run ./cmd/eval import fit` estimates them and the weights on
// memories that were judged by reading, and prints what other thresholds would keep.
const (
	leastUseful = 0.70
	bias        = 1.491
)

// traits are the properties and their weights.
var traits = []Trait{
	{"no code", -0.321, func(p *portrait, _ *company) float64 { return is(p.spans == 0) }},
	{"spans of code", 0.125, func(p *portrait, _ *company) float64 { return math.Sqrt(upTo9(p.spans)) }},
	{"share of code", 0.494, func(p *portrait, _ *company) float64 { return float64(p.spans) / float64(1+p.words) }},
	{"order with code", 0.355, func(p *portrait, _ *company) float64 { return is(p.spans > 0 && p.order) }},
	{"order without code", -0.167, func(p *portrait, _ *company) float64 { return is(p.spans == 0 && p.order) }},
	{"fact with code", 0.108, func(p *portrait, _ *company) float64 { return is(p.spans > 0 && p.typ == file.ModuleInsight) }},
	{"fact without code", -0.376, func(p *portrait, _ *company) float64 { return is(p.spans == 0 && p.typ == file.ModuleInsight) }},
	{"fact", -0.129, func(p *portrait, _ *company) float64 { return is(p.typ == file.ModuleInsight) }},
	{"convention", 0.108, func(p *portrait, _ *company) float64 { return is(p.typ == file.Convention) }},
	{"preference", 0.533, func(p *portrait, _ *company) float64 { return is(p.typ == file.Preference) }},
	{"strict words", 0.163, func(p *portrait, _ *company) float64 { return upTo3(p.of[strictWords]) }},
	{"strict without code", 0.223, func(p *portrait, _ *company) float64 { return is(p.spans == 0 && p.of[strictWords] > 0) }},
	{"advice without code", -0.297, func(p *portrait, _ *company) float64 { return is(p.spans == 0 && p.of[genericWords] > 0) }},
	{"words of advice", -0.113, func(p *portrait, _ *company) float64 { return upTo3(p.of[genericWords]) }},
	{"words of place", 0.132, func(p *portrait, _ *company) float64 { return upTo3(p.of[placeWords]) }},
	{"words of status", -0.243, func(p *portrait, _ *company) float64 { return upTo3(p.of[statusWords]) }},
	{"words of products", -0.113, func(p *portrait, _ *company) float64 { return upTo3(p.of[productWords]) }},
	{"pointers", -0.135, func(p *portrait, _ *company) float64 { return upTo3(p.of[pointerWords]) }},
	{"you", -0.191, func(p *portrait, _ *company) float64 { return upTo3(p.of[youWords]) }},
	{"documents", -0.339, func(p *portrait, _ *company) float64 { return float64(min(strings.Count(p.what, ".md"), 2)) }},
	{"pointer to a document", -0.504, func(p *portrait, _ *company) float64 {
		return is(p.of[pointerWords] > 0 && strings.Contains(p.what, ".md"))
	}},
	{"paths", 0.075, func(p *portrait, _ *company) float64 { return upTo3(p.paths) }},
	{"equals sign", 0.57, func(p *portrait, _ *company) float64 { return is(strings.Contains(p.what, "=")) }},
	{"capitals", 0.095, func(p *portrait, _ *company) float64 { return upTo3(p.shouting) }},
	{"quotation", -0.439, func(p *portrait, _ *company) float64 { return is(strings.ContainsAny(p.what, "\"“")) }},
	{"picture", -0.405, func(p *portrait, _ *company) float64 { return is(p.pictures > 0) }},
	{"script without spaces", -0.413, func(p *portrait, _ *company) float64 { return is(p.foreign > 8) }},
	{"up to 8 words", -0.167, func(p *portrait, _ *company) float64 { return is(p.words <= 8) }},
	{"more than 35 words", 0.279, func(p *portrait, _ *company) float64 { return is(p.words > 35) }},
	{"cut", -0.753, func(p *portrait, _ *company) float64 { return is(strings.HasSuffix(p.what, "…")) }},
	{"topic in front", -0.144, func(p *portrait, _ *company) float64 { return is(body(p.what) != p.what) }},

	{"below: style", 0.458, func(p *portrait, _ *company) float64 {
		return is(p.headed("style", "convention", "naming", "format", "lint", "guideline", "standard", "practice", "code quality", "coding"))
	}},
	{"below: principles", 0.3, func(p *portrait, _ *company) float64 {
		return is(p.headed("principle", "philosoph", "rules", "core", "golden", "critical", "important", "non-negotiable"))
	}},
	{"below: traps", 0.269, func(p *portrait, _ *company) float64 {
		return is(p.headed("gotcha", "pitfall", "trap", "caveat", "known issue", "troubleshoot", "mistake", "warning", "never", "don't", "do not", "avoid", "anti-pattern", "constraint", "invariant"))
	}},
	{"below: architecture", 0.193, func(p *portrait, _ *company) float64 {
		return is(p.headed("architect", "structure", "layout", "module", "component", "directory", "directories", "data flow", "how it works", "internals", "data model", "key files", "key types", "stack", "technolog"))
	}},
	{"below: an assistant", -0.22, func(p *portrait, _ *company) float64 {
		return is(p.headed("agent", "assistant", "claude", "ai ", "copilot", "persona", "role", "behavior", "behaviour", "communication", "task", "session", "skill", "tool", "prompt"))
	}},
	{"below: contributing", -0.254, func(p *portrait, _ *company) float64 {
		return is(p.headed("pull request", "commit", "contribut", "review", "issue", "branch", "release", "git", "workflow", "process", "pr "))
	}},
	{"below: features", -0.982, func(p *portrait, _ *company) float64 {
		return is(p.headed("feature", "capabilit", "use case", "scenario"))
	}},
	{"below: a plan", -0.505, func(p *portrait, _ *company) float64 {
		return is(p.headed("phase", "plan", "step", "checklist", "deliverable", "milestone", "todo", "roadmap", "week", "stage", "acceptance", "success", "completion", "done"))
	}},
	{"below: a path or name", 0.23, func(p *portrait, _ *company) float64 { return is(strings.ContainsAny(p.head, "/`_")) }},
	{"below: a picture", -0.46, func(p *portrait, _ *company) float64 { return is(p.pictured()) }},
	{"below: nothing", 0.602, func(p *portrait, _ *company) float64 { return is(p.head == "") }},
	{"words of the headings", -0.047, func(p *portrait, _ *company) float64 { return float64(min(words(p.head), 10)) }},

	{"file: memories", -0.094, func(_ *portrait, f *company) float64 { return math.Log(float64(f.size)) }},
	{"file: spans of code", 0.334, func(_ *portrait, f *company) float64 { return f.spans }},
	{"file: no code", -0.478, func(_ *portrait, f *company) float64 { return f.plain }},
	{"file: names of files", 0.25, func(_ *portrait, f *company) float64 { return f.names }},
	{"file: nothing specific", -0.46, func(_ *portrait, f *company) float64 { return f.unspecific }},
	{"file: strict words", 0.189, func(_ *portrait, f *company) float64 { return f.strict }},
	{"file: words of status", -0.638, func(_ *portrait, f *company) float64 { return f.status }},
	{"file: words for assistants", -0.156, func(_ *portrait, f *company) float64 { return f.agent }},
	{"file: you", -0.369, func(_ *portrait, f *company) float64 { return f.you }},
	{"file: facts", -0.214, func(_ *portrait, f *company) float64 { return f.facts }},
	{"file: pictures in headings", -0.404, func(_ *portrait, f *company) float64 { return f.pictured }},
}

// Traits are the properties from which the use of a memory is estimated.
func Traits() []Trait { return traits }

// Bias is the logarithm of the odds of a memory without any property.
func Bias() float64 { return bias }

// TraitsOf returns the properties of the memories of one file, in the order of Traits.
func TraitsOf(chunks []Chunk, opts Options) [][]float64 {
	opts.prepare()
	portraits := make([]portrait, len(chunks))
	for i, c := range chunks {
		portraits[i] = opts.portraitOf(c)
	}
	f := companyOf(portraits)
	out := make([][]float64, len(chunks))
	for i := range portraits {
		out[i] = make([]float64, len(traits))
		for k, t := range traits {
			out[i][k] = t.of(&portraits[i], &f)
		}
	}
	return out
}

func companyOf(portraits []portrait) company {
	f := company{size: len(portraits)}
	for i := range portraits {
		p := &portraits[i]
		f.spans += math.Sqrt(upTo9(p.spans))
		f.plain += is(p.spans == 0)
		f.names += float64(min(p.names, 2))
		f.unspecific += is(p.specific == 0)
		f.strict += upTo3(p.of[strictWords])
		f.status += upTo3(p.of[statusWords])
		f.agent += upTo3(p.of[agentWords])
		f.you += upTo3(p.of[youWords])
		f.facts += is(p.typ == file.ModuleInsight)
		f.pictured += is(p.pictured())
	}
	for _, sum := range []*float64{&f.spans, &f.plain, &f.names, &f.unspecific, &f.strict, &f.status, &f.agent, &f.you, &f.facts, &f.pictured} {
		*sum /= float64(max(1, len(portraits)))
	}
	return f
}

// pictured reports whether the headings have a picture.
func (p *portrait) pictured() bool { return strings.ContainsFunc(p.head, isPicture) }

// estimate returns the estimated share of such memories that a maintainer would keep.
func estimate(values []float64) float64 {
	sum := bias
	for k, t := range traits {
		sum += t.Weight * values[k]
	}
	return 1 / (1 + math.Exp(-sum))
}

// LittleUse is the reason of drops that could be memories and are likely to be of little use.
const LittleUse = "of little use"

// useful returns the memories of a file that are likely to be of use, and counts the others as left
// out. Decision records and memories are somebody's choice already.
func (o Options) useful(chunks []Chunk, kind Kind, rep *Report) []Chunk {
	if o.All || kind == KindAide || kind == KindDecision || kind == KindWorkflow || len(chunks) == 0 {
		return chunks
	}
	values := TraitsOf(chunks, o)
	var out []Chunk
	for i, c := range chunks {
		if estimate(values[i]) < leastUseful && !hardWon(c) || onlyDependencies(c.What) {
			rep.drop(c.Origin.File, c.Origin.Line, LittleUse, c.What)
			rep.Drops[len(rep.Drops)-1].key = c.Origin.Key
			continue
		}
		out = append(out, c)
	}
	return out
}

// trapHeading matches headings under which an author lists what went wrong.
var trapHeading = lazyregexp.New(`(?i)\b(?:gotchas?|pitfalls?|traps|caveats?|quirks|sharp edges|foot-?guns?|known issues?)\b`)

// hardWon reports whether a memory says what failed and was given up, or a trap that the author of the file calls one. The code does not say
// them, and few words of them are those by which the estimate knows a repository's own.
func hardWon(c Chunk) bool {
	return c.Type == file.DeadEnd || c.Type == file.Gotcha && trapHeading.MatchString(c.Label) && trap.MatchString(c.What)
}

func is(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func upTo3(n int) float64 { return float64(min(n, 3)) }
func upTo9(n int) float64 { return float64(min(n, 9)) }

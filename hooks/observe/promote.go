package observe

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"manicule/memory/file"
)

// Past is what earlier sessions have shown of a signal.
type Past struct {
	Sessions int
	Count    int
	Names    []string // of some of the sessions, newest first
	Clean    int      // sessions in which it was not tainted
	Proposed bool     // it has been a candidate: judged or waiting, never again
}

// FilePast is how earlier sessions have used a file.
type FilePast struct{ Sessions, Edited int }

// PairPast is how earlier sessions have used two files together.
type PairPast struct {
	Sessions int // both were used
	Edited   int // both were edited
	Forward  int // A was used first
	Proposed bool
}

// Judged counts what people have said to a class's candidates.
type Judged struct{ Accepted, Rejected int }

// History is what is known from before the session. Absent entries are zero.
type History struct {
	Sessions int
	Signals  map[string]Past // by SignalID
	Files    map[string]FilePast
	Pairs    map[[2]string]PairPast // by the paths, the lesser first
	Judged   map[Kind]Judged
	Commands map[string]CommandPast // by key
	// Commits counts the commits that changed a file, and those of them that changed
	// another one too; nil where there is no git.
	Commits func(a, b string) (both, n int)
	// Known are texts that need no telling again: memories, rule files, what
	// was proposed or rejected.
	Known []string
	// Exists reports whether a path is in the workspace now; nil believes all.
	Exists func(path string) bool
	// Declares reports whether a file may declare a name; nil believes all.
	Declares func(path, name string) bool
}

// SignalID is the key of a signal in a History.
func SignalID(kind Kind, key string) string { return string(kind) + "\x00" + key }

// Candidate is a memory that a session suggests.
type Candidate struct {
	Kind       Kind      `json:"kind"`
	Key        string    `json:"key"`
	Type       file.Type `json:"type"`
	What       string    `json:"what"`
	Why        string    `json:"why"`
	Scope      []string  `json:"scope,omitempty"`
	Value      float64   `json:"value"`
	Confidence float64   `json:"confidence"`
	Sessions   int       `json:"sessions"` // that agree, this one included
	Evidence   []int     `json:"evidence"`
	Tainted    bool      `json:"tainted,omitzero"`
	Names      []string  `json:"names,omitempty"` // earlier sessions
	// For and Against are what the whole history says.
	For     string `json:"for,omitzero"`
	Against string `json:"against,omitzero"`
}

// Judgement is what became of one signal, for `observe --explain`.
type Judgement struct {
	Signal   Signal  `json:"signal"`
	Sessions int     `json:"sessions"` // this one included
	Need     int     `json:"need"`
	Value    float64 `json:"value"`
	// Verdict is "candidate", or the filter that held it back: value, frequency,
	// validation, known, proposed, sentence, cap.
	Verdict string `json:"verdict"`
	// Against is what speaks against it.
	Against   string     `json:"against,omitzero"`
	Candidate *Candidate `json:"candidate,omitzero"`
}

// The verdicts.
const (
	Promoted      = "candidate"
	HeldValue     = "value"
	HeldFrequency = "frequency"
	HeldInvalid   = "validation"
	HeldKnown     = "known"
	HeldProposed  = "proposed"
	HeldSentence  = "sentence"
	HeldCap       = "cap"
	HeldHistory   = "history" // what all sessions and git show contradicts it
)

// Numbers of the filters.
const (
	novelty    = 0.88 // similarity above which a text is known (V5-PRO-05)
	distrust   = 0.7  // factor of the confidence of what is tainted (V5-OBS-23)
	perSession = 3    // candidates of one session at most: a person has to read them
	perKind    = 3
	// maxFalse is the share of unwanted candidates from which a class no longer
	// proposes anything: its signals are kept, and shown by --explain.
	maxFalse = 0.65
)

// Promote applies the filters of V5-PRO-03..07 to a session's signals: value,
// frequency over sessions, validation, novelty, trust, and the caps. The
// judgements are in the order of the signals; a candidate is set in those that
// passed.
func Promote(r Report, h History) []Judgement {
	all := make([]Judgement, 0, len(r.Signals))
	for _, s := range r.Signals {
		all = append(all, judge(s, r, h))
	}
	for _, s := range pairSignals(r, h) {
		all = append(all, judge(s, r, h))
	}
	var passed []int
	for i := range all {
		if all[i].Verdict == Promoted {
			passed = append(passed, i)
		}
	}
	slices.SortStableFunc(passed, func(a, b int) int {
		x, y := all[a], all[b]
		return cmp.Or(cmp.Compare(score(y), score(x)), cmp.Compare(x.Signal.Key, y.Signal.Key))
	})
	limit := min(r.Kind.Cap(), perSession)
	kinds := map[Kind]int{}
	var said []string
	for _, i := range passed {
		j := &all[i]
		switch {
		case slices.ContainsFunc(said, func(t string) bool { return says(t, j.Candidate.What) }):
			j.Verdict = HeldKnown
		case len(said) >= limit || kinds[j.Signal.Kind] >= perKind:
			j.Verdict = HeldCap
		default:
			said = append(said, j.Candidate.What)
			kinds[j.Signal.Kind]++
			continue
		}
		j.Candidate = nil
	}
	return all
}

// score orders candidates: value, sessions that agree, trust (V5-PRO-07).
func score(j Judgement) float64 {
	s := j.Value + 0.05*float64(min(j.Sessions, 6))
	if j.Signal.Tainted {
		s *= distrust
	}
	return s
}

func judge(s Signal, r Report, h History) Judgement {
	spec, ok := SpecOf(s.Kind)
	j := Judgement{Signal: s, Need: spec.Sessions, Sessions: 1}
	if !ok {
		j.Verdict = HeldInvalid
		return j
	}
	past := h.Signals[SignalID(s.Kind, s.Key)]
	j.Sessions += past.Sessions
	switch s.Kind { // what pairs and files show is summed up elsewhere than signals
	case CoAccess:
		first, _, _ := strings.Cut(s.C, "/")
		j.Sessions = number(first)
	case FileAccess:
		j.Sessions = number(s.B)
	}
	if s.Kind == UserCorrection && s.B == "" && s.Acute == 0 {
		j.Need = 2 // it may be about the task at hand
	}
	if s.Agents > 1 && s.Kind != UserCorrection {
		j.Need = max(1, j.Need-1) // a quorum of agents stands for a session (V5-THR-06)
	}
	if s.Acute > 0 && s.Kind != ConfigTouch && s.Kind != RepeatedSearch {
		j.Need = 1 // an early trigger (V5-OBS-22)
	}
	falseRate := spec.FalseRate(h.Judged[s.Kind])
	j.Value = spec.Value(j.Sessions, falseRate)
	switch {
	case past.Proposed:
		j.Verdict = HeldProposed
	case j.Sessions < j.Need:
		j.Verdict = HeldFrequency
	case j.Value < minValue || falseRate > maxFalse:
		j.Verdict = HeldValue
	case h.gone(s), risky(s):
		j.Verdict = HeldInvalid
	}
	if j.Verdict != "" {
		return j
	}
	w := h.weigh(s, r)
	s, j.Against = w.signal, w.against
	if w.contradicted {
		j.Verdict = HeldHistory
		return j
	}
	what, why, typ := sentence(s, j.Sessions, h)
	switch {
	case what == "" || Injected(what):
		j.Verdict = HeldSentence
		return j
	case h.known(what), s.Kind == ToolSequence && h.sequenceKnown(s):
		j.Verdict = HeldKnown
		return j
	}
	if typ == "" {
		typ = spec.Type
	}
	if s.Rejected { // what did not work may only be a dead end (V5-PRO-03)
		typ = file.DeadEnd
	}
	c := Candidate{Kind: s.Kind, Key: s.Key, Type: typ, What: what, Why: why, Scope: scopeOf(s), Value: j.Value, Sessions: j.Sessions, Evidence: s.Evidence,
		Tainted: s.Tainted, Names: past.Names, Confidence: confidence(j.Value),
		For: w.pro, Against: w.against}
	if s.Tainted {
		c.Confidence *= distrust
	}
	if s.Acute > 0 {
		c.Confidence = min(c.Confidence, s.Acute)
	}
	j.Verdict, j.Candidate = Promoted, &c
	return j
}

// risky reports a way out that nobody should learn: it works by switching off
// what was in the way, or it runs what it fetches.
func risky(s Signal) bool {
	if s.Kind != ErrorRetry {
		return false
	}
	return Risky(s.B)
}

// Risky reports a command that works by switching off what is in the way, or
// that runs what it fetches: nobody is told that it helped.
func Risky(command string) bool {
	low := " " + strings.ToLower(command) + " "
	for _, sign := range []string{" --no-verify", " --force", " -f ", "rm -rf", "sudo ", "chmod 777", "--no-gpg-sign", "--insecure", " -k ", "--skip", "_skip=", "curl ", "wget ", "| sh", "| bash", "eval ", "base64", "://"} {
		if strings.Contains(low, sign) {
			return true
		}
	}
	return false
}

// confidence is a signal's value as a memory's confidence; what was only
// watched is never surer than 0.85 (the trust of an inferred origin).
func confidence(value float64) float64 { return min(0.85, float64(int(value*100+0.5))/100) }

// gone reports a signal about a file that is no more. A missing file is what
// some signals are about.
func (h History) gone(s Signal) bool {
	if h.Exists == nil {
		return false
	}
	if s.Kind == ErrorRetry && len(s.Paths) > 0 {
		return h.Exists(s.Paths[0]) && !strings.HasSuffix(s.C, "read") // it is there now
	}
	if s.Kind == RepeatedSearch && h.Declares != nil && !h.Declares(s.B, s.A) {
		return true
	}
	for _, p := range s.Paths {
		if !strings.HasSuffix(p, "/") && !h.Exists(p) {
			return true
		}
	}
	if s.Need == NeedsFolder {
		return s.B != "." && !h.Exists(s.B)
	}
	return s.Kind == ErrorRetry && s.Need == "" && s.B != "" && strings.Contains(s.B, "/") && !strings.ContainsAny(s.B, " ") && !h.Exists(s.B)
}

// restates is the share of a text's words that a known text may have.
const restates = 0.8

// Known reports a text that says what one of others says, or nearly.
func Known(others []string, what string) bool { return History{Known: others}.known(what) }

// known reports a text that is said already, in these words or most of them.
func (h History) known(what string) bool {
	return slices.ContainsFunc(h.Known, func(k string) bool { return says(k, what) })
}

// sequenceKnown reports checks that the rules name already, each somewhere, or
// that were proposed in another order: one such rule is enough for a project.
func (h History) sequenceKnown(s Signal) bool {
	for _, command := range strings.Split(s.A, "\x00") {
		if !slices.ContainsFunc(h.Known, func(k string) bool { return strings.Contains(k, command) || strings.HasPrefix(k, sequenceHead) }) {
			return false
		}
	}
	return true
}

// says reports that a text says what another does. Sentences of one template
// differ in what they quote and in little else: there the quoted names decide.
func says(known, what string) bool {
	names := codeIn(what)
	if len(names) > 0 {
		for _, n := range names {
			if !strings.Contains(known, n) {
				return false
			}
		}
		if len(names) > 1 {
			return true
		}
		return cosine(bag(strip(known)), bag(strip(what))) > restates
	}
	mine, theirs := bag(what), bag(known)
	if cosine(mine, theirs) > novelty {
		return true
	}
	if len(mine) < 4 || len(theirs) >= 8*len(mine) {
		return false
	}
	n := 0
	for w := range mine {
		if theirs[w] > 0 {
			n++
		}
	}
	return float64(n) >= restates*float64(len(mine))
}

// codeIn are the parts of a text in backquotes.
func codeIn(text string) []string {
	var out []string
	parts := strings.Split(text, "`")
	for i := 1; i < len(parts)-1; i += 2 {
		if parts[i] != "" {
			out = append(out, parts[i])
		}
	}
	return out
}

// strip leaves the words around the code of a text.
func strip(text string) string {
	var b strings.Builder
	for i, part := range strings.Split(text, "`") {
		if i%2 == 0 {
			b.WriteString(part)
		}
	}
	return b.String()
}

func scopeOf(s Signal) []string {
	var out []string
	for _, p := range s.Paths {
		switch {
		case strings.HasSuffix(p, "/"):
			out = append(out, globEscape(p)+"**")
		case s.Kind == ErrorRetry: // the file is not there: its folder
			if d := path.Dir(p); d != "." {
				out = append(out, globEscape(d)+"/**")
			}
		default:
			out = append(out, globEscape(p))
		}
	}
	return out
}

// globEscape takes the meaning from the signs of a glob in a path.
func globEscape(p string) string {
	return strings.NewReplacer("*", `\*`, "?", `\?`, "[", `\[`, "]", `\]`, "{", `\{`, "}", `\}`).Replace(p)
}

func pairKey(a, b string) [2]string {
	if a > b {
		a, b = b, a
	}
	return [2]string{a, b}
}

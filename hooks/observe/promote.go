package observe

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"manicule/hooks/observe/failures"
	"manicule/hooks/observe/signal"
	"manicule/hooks/observe/wording"
	"manicule/indexer/sorting"
	"manicule/memory/episode"
	"manicule/memory/file"
)

// History is the knowledge from before the session. Absent entries are zero.
type History struct {
	Sessions int
	Signals  map[string]episode.PastSignal // by SignalID
	Files    map[string]episode.PastFile
	Pairs    map[[2]string]episode.PastPair // by the paths, the smaller first
	Judged   map[signal.Kind]signal.Judged
	Commands map[string]episode.PastCommand // by key
	// Commits counts the commits that changed a file, and those that also changed another
	// one; nil without git.
	Commits func(a, b string) (both, n int)
	// Known are texts that need no candidate: memories, rule files, and earlier or rejected
	// proposals.
	Known []string
	// Exists reports whether a path is in the workspace; nil means always.
	Exists func(path string) bool
	// Declares reports whether a file may declare a name; nil means always.
	Declares func(path, name string) bool
}

// Candidate is a memory that a session suggests.
type Candidate struct {
	Kind       signal.Kind `json:"kind"`
	Key        string      `json:"key"`
	Type       file.Type   `json:"type"`
	What       string      `json:"what"`
	Why        string      `json:"why"`
	Scope      []string    `json:"scope,omitempty"`
	Value      float64     `json:"value"`
	Confidence float64     `json:"confidence"`
	Sessions   int         `json:"sessions"` // that agree, including this one
	Evidence   []int       `json:"evidence"`
	Tainted    bool        `json:"tainted,omitzero"`
	Names      []string    `json:"names,omitempty"` // earlier sessions
	// For and Against are the evidence of the whole history.
	For     string `json:"for,omitzero"`
	Against string `json:"against,omitzero"`
}

// Judgement is the outcome of one signal, for `observe --explain`.
type Judgement struct {
	Signal   signal.Signal
	Sessions int // including this one
	Need     int
	Value    float64
	// Verdict is "candidate", or the filter that stopped it: value, frequency, validation,
	// known, proposed, sentence, cap.
	Verdict string
	// Against is the evidence against it.
	Against string
	// Primary is set if sessions of this kind are there to give such signals.
	Primary   bool
	Candidate *Candidate
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
	HeldHistory   = "history" // contradicted by all sessions and git
)

// Constants of the filters.
const (
	novelty    = 0.88 // similarity from which a text is known
	distrust   = 0.7  // confidence factor of tainted candidates
	perSession = 3    // maximum candidates of one session, since a person has to read them
	perKind    = 3
	// maxFalse is the share of rejected candidates from which a kind no longer proposes
	// anything. Its signals are still stored and shown by --explain.
	maxFalse = 0.65
)

// Promote applies its filters to a session's signals: value, frequency
// over sessions, validation, novelty, trust, and the caps. The judgements are in the
// order of the signals. Those that passed have a candidate.
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
	sorting.StableFunc(passed, func(a, b int) int {
		x, y := all[a], all[b]
		return cmp.Or(file.TrueFirst(x.Primary, y.Primary), cmp.Compare(score(y), score(x)), cmp.Compare(x.Signal.Key, y.Signal.Key))
	})
	limit := min(r.Kind.Cap(), perSession)
	kinds := map[signal.Kind]int{}
	var said []string
	for _, i := range passed {
		j := &all[i]
		switch {
		case slices.ContainsFunc(said, func(t string) bool { return saysSame(t, j.Candidate.What) }):
			j.Verdict = HeldKnown
		case len(said) >= limit || kinds[j.Signal.Kind()] >= perKind:
			j.Verdict = HeldCap
		default:
			said = append(said, j.Candidate.What)
			kinds[j.Signal.Kind()]++
			continue
		}
		j.Candidate = nil
	}
	return all
}

// score orders candidates by value, agreeing sessions and trust.
func score(j Judgement) float64 {
	s := j.Value + 0.05*float64(min(j.Sessions, 6))
	if j.Signal.Tainted {
		s *= distrust
	}
	return s
}

// judge decides what becomes of a signal.
func judge(s signal.Signal, r Report, h History) Judgement {
	kind := s.Kind()
	spec, ok := signal.SpecOf(kind)
	j := Judgement{Signal: s, Need: spec.Sessions, Sessions: 1, Primary: slices.Contains(r.Kind.primary(), kind)}
	if !ok {
		j.Verdict = HeldInvalid
		return j
	}
	past := h.Signals[signal.ID(kind, s.Key)]
	falseRate := spec.FalseRate(h.Judged[kind])
	j.Sessions, j.Need = agreeing(s, past), sessionsNeeded(s, spec)
	j.Value = spec.Value(j.Sessions, falseRate)
	switch {
	case past.Proposed:
		j.Verdict = HeldProposed
	case j.Sessions < j.Need:
		j.Verdict = HeldFrequency
	case j.Value < signal.MinValue || falseRate > maxFalse:
		j.Verdict = HeldValue
	case h.subjectGone(s), risky(s):
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
	what, why, typ := s.Sentence(signal.Extent{Sessions: j.Sessions, Here: s.N, Total: past.Count + s.N})
	switch {
	case what == "" || wording.Injected(what):
		j.Verdict = HeldSentence
		return j
	case h.known(what), h.sequenceKnown(s):
		j.Verdict = HeldKnown
		return j
	}
	typ = cmp.Or(typ, spec.Type)
	if s.Rejected { // a failure may only be a dead end
		typ = file.DeadEnd
	}
	j.Verdict = Promoted
	j.Candidate = &Candidate{Kind: kind, Key: s.Key, Type: typ, What: what, Why: why, Scope: scopeOf(s), Value: j.Value, Sessions: j.Sessions, Evidence: s.Evidence,
		Tainted: s.Tainted, Names: past.Names, Confidence: confidenceOf(s, j.Value), For: w.pro, Against: w.against}
	return j
}

// agreeing counts the sessions that show a signal, with this one.
func agreeing(s signal.Signal, past episode.PastSignal) int {
	switch d := s.Detail.(type) { // pairs and files are summed elsewhere than signals
	case signal.EditedTogether:
		return d.Partners[0].Both
	case signal.Opened:
		return d.Sessions
	}
	return 1 + past.Sessions
}

// sessionsNeeded is how many sessions must show a signal.
func sessionsNeeded(s signal.Signal, spec signal.Spec) int {
	_, instruction := s.Detail.(signal.Instruction)
	switch kind := s.Kind(); {
	case s.Acute > 0 && kind != signal.ConfigTouch && kind != signal.RepeatedSearch:
		return 1 // an early trigger
	case instruction:
		return 2 // it may be about the current task
	case s.Agents > 1 && kind != signal.UserCorrection:
		return max(1, spec.Sessions-1) // several agents stand for a session
	}
	return spec.Sessions
}

// risky reports whether a resolution must not be learned: it disables a safeguard, or it
// runs what it downloads.
func risky(s signal.Signal) bool {
	switch d := s.Detail.(type) {
	case signal.FailedCall:
		return Risky(d.Worked)
	case signal.UnmetNeed:
		return Risky(d.Name)
	}
	return false
}

// Risky reports whether a command disables a safeguard or runs what it downloads. Nobody
// is told that it helped.
func Risky(command string) bool {
	low := " " + strings.ToLower(command) + " "
	for _, sign := range []string{" --no-verify", " --admin", " --force", " -f ", "rm -rf", "sudo ", "chmod 777", "--no-gpg-sign", "--insecure", " -k ", "--skip", "_skip=", "curl ", "wget ", "| sh", "| bash", "eval ", "base64", "://"} {
		if strings.Contains(low, sign) {
			return true
		}
	}
	return false
}

// confidenceOf is the confidence in a memory of a signal with a value. A pure observation is
// never above 0.85 (the trust of an inferred origin).
func confidenceOf(s signal.Signal, value float64) float64 {
	c := min(0.85, float64(int(value*100+0.5))/100)
	if s.Tainted {
		c *= distrust
	}
	if s.Acute > 0 {
		c = min(c, s.Acute)
	}
	return c
}

// subjectGone reports whether a signal is about a deleted file. Some signals are about a missing
// file.
func (h History) subjectGone(s signal.Signal) bool {
	if h.Exists == nil {
		return false
	}
	switch d := s.Detail.(type) {
	case signal.WrongPath:
		return h.Exists(s.Paths[0]) && !d.Folder // it exists now
	case signal.SoughtName:
		if h.Declares != nil && !h.Declares(d.Path, d.Name) {
			return true
		}
	case signal.UnmetNeed:
		return d.Need == failures.NeedsFolder && d.Name != "." && !h.Exists(d.Name)
	case signal.BrokenRule: // a linter that names rules by group prints a place instead of what is wrong: its sentence is of no use
		return h.noFile(d.Rule)
	case signal.FailedCall:
		return h.noFile(d.Worked)
	}
	return slices.ContainsFunc(s.Paths, func(p string) bool { return !strings.HasSuffix(p, "/") && !h.Exists(p) })
}

// noFile reports whether a word reads like a path and is none of the workspace.
func (h History) noFile(word string) bool {
	return strings.Contains(word, "/") && !strings.Contains(word, " ") && !h.Exists(word)
}

// repeatShare is the share of a text's words from which it repeats a known text.
const repeatShare = 0.8

// Known reports whether a text repeats another one, or nearly.
func Known(others []string, what string) bool { return History{Known: others}.known(what) }

// known reports whether a text is known, in these words or most of them.
func (h History) known(what string) bool {
	return slices.ContainsFunc(h.Known, func(k string) bool { return saysSame(k, what) })
}

// sequenceKnown reports whether the rules name all checks of a sequence, or it was
// proposed in another order. One such rule is enough for a project.
func (h History) sequenceKnown(s signal.Signal) bool {
	d, ok := s.Detail.(signal.CheckSequence)
	for _, command := range d.Commands {
		if !slices.ContainsFunc(h.Known, func(k string) bool { return strings.Contains(k, command) || strings.HasPrefix(k, signal.SequenceHead) }) {
			return false
		}
	}
	return ok
}

// saysSame reports whether two texts say the same. Sentences of one template differ in little
// but their quotes, so there the quoted names decide.
func saysSame(known, what string) bool {
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
		return wording.Cosine(wording.Bag(strip(known)), wording.Bag(strip(what))) > repeatShare
	}
	mine, theirs := wording.Bag(what), wording.Bag(known)
	if wording.Cosine(mine, theirs) > novelty {
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
	return float64(n) >= repeatShare*float64(len(mine))
}

// codeIn returns the parts of a text in backquotes.
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

// strip returns the words around the code of a text.
func strip(text string) string {
	var b strings.Builder
	for i, part := range strings.Split(text, "`") {
		if i%2 == 0 {
			b.WriteString(part)
		}
	}
	return b.String()
}

func scopeOf(s signal.Signal) []string {
	var out []string
	for _, p := range s.Paths {
		switch {
		case strings.HasSuffix(p, "/"):
			out = append(out, globEscape(p)+"**")
		case s.Kind() == signal.ErrorRetry: // the file does not exist: use its folder
			if d := path.Dir(p); d != "." {
				out = append(out, globEscape(d)+"/**")
			}
		default:
			out = append(out, globEscape(p))
		}
	}
	return out
}

// globEscape escapes the special characters of a glob in a path.
func globEscape(p string) string {
	return strings.NewReplacer("*", `\*`, "?", `\?`, "[", `\[`, "]", `\]`, "{", `\{`, "}", `\}`).Replace(p)
}

func pairKey(a, b string) [2]string {
	if a > b {
		a, b = b, a
	}
	return [2]string{a, b}
}

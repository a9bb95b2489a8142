// Package gate decides what may become a memory: it normalizes the text, and rejects
// malformed text and secrets. Every write passes through it. It must not know where
// memories are stored or who writes them.
package gate

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"manicule/indexer/anchor"
	"manicule/indexer/clip"
	"manicule/memory/file"
	"manicule/memory/gate/injection"
	"manicule/memory/gate/junk"
	"manicule/memory/scope"
)

// Limits of a memory's text, in characters. A memory has to fit a hover and a prompt; longer text
// belongs in a document.
const (
	MaxWhat  = 1000
	MaxWhy   = 8000
	MaxLabel = 200
	MaxTags  = 32
)

// Code is the machine-readable form of a rejection.
type Code string

// The reasons to reject.
const (
	Malformed Code = "malformed"
	Secret    Code = "secret"
	Injection Code = "injection" // it reads like orders to an agent
	Repeated  Code = "repeated"  // it repeats Manicule's own text
)

// Long is the number of characters of "what" above which a writer is advised to say
// it shorter.
const Long = 300

// Outcome is what becomes of a new memory by what its text reads like.
type Outcome int

// The outcomes. A doubtful memory is not lost and not believed: a person's is stored with advice, and that of an agent, a program or
// an import waits for a person, who is told what it reads like.
const (
	Kept Outcome = iota
	Doubtful
	Refused
)

// Weigh judges whether a memory is junk: a tool's output that was copied whole, an account of a session, a fragment. It is the one
// judgement of all front doors. The rejection is nil for what is kept; its code is the kind.
func Weigh(m *file.Memory) (Outcome, *Rejection) {
	outcome, r := weigh(m)
	if r != nil && tellsAttempt(m, r.Code) {
		return Kept, nil
	}
	return outcome, r
}

// tellsAttempt reports whether a text is a person's dead end in a line that reads like an account or a heading for being one: what
// was tried is what a dead end tells.
func tellsAttempt(m *file.Memory, code Code) bool {
	if m.Type != file.DeadEnd || !ByPerson(m) || strings.ContainsAny(strings.TrimSpace(m.What), "\r\n") {
		return false
	}
	words := strings.Fields(strings.ToLower(m.What))
	for len(words) > 0 && slices.Contains([]string{"i", "we", "they", "have", "had", "also", "first", "once"}, words[0]) {
		words = words[1:]
	}
	return len(words) >= fewestTried && (code == Code(junk.Session) || code == Code(junk.Fragment) && (words[0] == "tried" || words[0] == "attempted"))
}

// fewestTried is how many words, from its verb on, say what was tried.
const fewestTried = 4

func weigh(m *file.Memory) (Outcome, *Rejection) {
	kind, found := junk.Find(m.What)
	if !found && isProgram(m.Trust.Origin) && junk.Thin(m.What) {
		kind, found = junk.Fragment, true
	}
	switch {
	case found && junk.Certain(m.What, kind):
		return Refused, &Rejection{Code: Code(kind), Reason: "no memory: " + kind.ReasonFor(m.What), Hint: kind.HintFor(m.What)}
	case found:
		return doubtful(kind)
	}
	if tellsOfWork(m.Type) && !ByPerson(m) {
		return Kept, nil
	}
	likely, p := junk.Likely(m.What)
	least := junk.Held
	switch {
	case ByPerson(m):
		least = junk.Advised
	case p >= junk.Sure && !junk.IsValue(m.What):
		return Refused, &Rejection{Code: Code(likely), Reason: "no memory: " + likely.Likeness(), Hint: likely.Hint()}
	}
	kind, found = junk.Doubt(m.What)
	if !found && p >= least {
		kind, found = likely, true
	}
	if found {
		return doubtful(kind)
	}
	return Kept, nil
}

func doubtful(k junk.Kind) (Outcome, *Rejection) {
	return Doubtful, &Rejection{Code: Code(k), Reason: k.Likeness() + ": " + k.Instead(), Hint: k.Hint()}
}

// isProgram reports whether a memory of an origin is a program's sentence.
func isProgram(o file.Origin) bool {
	switch o {
	case file.QAAuto, file.MCPAuto, file.CommitAuto, file.ObserverInferred, file.Import:
		return true
	case file.UserTaught, file.AgentExplicit:
	}
	return false
}

// ByPerson reports whether a person wrote or accepted a memory.
func ByPerson(m *file.Memory) bool {
	return m.Trust.Origin == file.UserTaught || m.Trust.VerifiedAt != nil
}

// tellsOfWork reports whether memories of a type tell of work by their nature, and may read like an account.
func tellsOfWork(t file.Type) bool {
	switch t {
	case file.WorkState, file.WorkUnitOutcome, file.E2EObservation, file.Episode, file.TaskCalibration, file.ContextCost:
		return true
	}
	return false
}

// CheckJunk returns a *Rejection for a memory that is junk. strict also refuses what is doubtful, unless a person wrote it.
func CheckJunk(m *file.Memory, strict bool) error {
	switch outcome, r := Weigh(m); {
	case outcome == Refused, outcome == Doubtful && strict && !ByPerson(m):
		return r
	}
	return nil
}

// Advise says what a memory reads like that is not sure to be junk, and what to write instead,
// "" for nothing. Its first sentence says both in a line.
func Advise(m *file.Memory) string {
	if outcome, r := Weigh(m); outcome == Doubtful {
		return r.Reason + ". " + r.Hint
	}
	return ""
}

// Rejection says why a memory was not accepted. It never quotes a secret.
type Rejection struct {
	Code   Code
	Reason string
	Hint   string
}

// Error returns the reason.
func (r *Rejection) Error() string { return r.Reason }

// Secrets finds secrets in texts. The product uses package secret/full; a gate receives it as a
// parameter, so that programs that only read memories don't link the rules. It must be safe for
// concurrent use.
type Secrets interface {
	// Load prepares the scanner, which may take a while. Otherwise First and Mask do it.
	Load() error
	// First returns the kind of the first secret in a text, or "".
	First(text string) (kind string, err error)
	// Mask replaces the secrets in a text by their kinds.
	Mask(text string) (string, error)
}

// Gate checks memories. It is safe for concurrent use. The rules for secrets are loaded at the
// first check (about 45 ms).
type Gate struct {
	scopes  scope.Options
	secrets Secrets
}

// New returns a gate with a platform's path rules. Without secrets it lets nothing through.
func New(scopes scope.Options, secrets Secrets) *Gate {
	if secrets == nil {
		secrets = noSecrets{}
	}
	return &Gate{scopes: scopes, secrets: secrets}
}

// errNoSecrets is the answer of a gate without rules. A text that was not scanned must not pass as
// clean.
var errNoSecrets = errors.New("this program has no rules for secrets")

type noSecrets struct{}

func (noSecrets) Load() error                  { return errNoSecrets }
func (noSecrets) First(string) (string, error) { return "", errNoSecrets }
func (noSecrets) Mask(string) (string, error)  { return "", errNoSecrets }

// Warm loads the rules for secrets, which takes tens of milliseconds, for a caller that has other
// work meanwhile. The next check reports an error.
func (g *Gate) Warm() { _ = g.secrets.Load() }

// Check normalizes m in place and returns a *Rejection if it must not be stored.
func (g *Gate) Check(m *file.Memory) error {
	normalise(m)
	if r := g.malformed(m); r != nil {
		return r
	}
	return g.checkSecrets(m)
}

func normalise(m *file.Memory) {
	m.What, m.Why, m.ContextLabel = Clean(m.What), Clean(m.Why), oneLine(Clean(m.ContextLabel))
	m.Contributor = oneLine(Clean(m.Contributor))
	seen := map[string]bool{}
	tags := m.Tags[:0:0]
	for _, t := range m.Tags {
		t = strings.ToLower(strings.Join(strings.Fields(Clean(t)), "-"))
		if t != "" && !seen[t] {
			seen[t] = true
			tags = append(tags, t)
		}
	}
	m.Tags = tags
	var patterns file.Scope
	for _, p := range m.Scope {
		if p = strings.TrimSpace(p); p == "project" || p == "" {
			continue
		}
		patterns = append(patterns, p)
	}
	m.Scope = patterns
	if m.Owner != nil {
		switch m.Owner.Kind {
		case "user":
			m.Owner.Kind = "agent"
		case "lane":
			m.Owner.Kind = "mission"
		case "project":
			m.Owner = nil
		}
	}
	m.Trust.Citation = clip.MarkedChars(m.Trust.Citation, 40)
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

func (g *Gate) malformed(m *file.Memory) *Rejection {
	bad := func(reason, hint string) *Rejection {
		return &Rejection{Code: Malformed, Reason: reason, Hint: hint}
	}
	for _, f := range []struct {
		name, text string
		limit      int
	}{{"what", m.What, MaxWhat}, {"why", m.Why, MaxWhy}, {"context_label", m.ContextLabel, MaxLabel}} {
		if n := utf8.RuneCountInString(f.text); n > f.limit {
			return bad(fmt.Sprintf("%q has %d characters, at most %d are kept", f.name, n, f.limit),
				"Say it in a sentence or two, and name the document that holds the rest.")
		}
	}
	if len(m.Tags) > MaxTags {
		return bad(fmt.Sprintf("%d tags, at most %d are kept", len(m.Tags), MaxTags), "Keep the tags that somebody would search for.")
	}
	if m.Scope != nil {
		if _, err := scope.Compile(m.Scope, g.scopes); err != nil {
			return bad(err.Error(), "Write globs relative to the workspace, such as \"src/auth/**\".")
		}
	}
	if m.Owner != nil && (!slices.Contains([]string{file.OwnedByAgent, file.OwnedByMission, file.OwnedBySession}, m.Owner.Kind) || m.Owner.ID == "") {
		return bad(fmt.Sprintf("unknown owner %q %q", m.Owner.Kind, m.Owner.ID), "An owner is an agent, a mission or a session, with an id.")
	}
	if size, ok := tooLarge(m); ok {
		hint := "Keep the text shorter, and name the document that holds the rest."
		if len(m.Anchors) > manyPlaces {
			hint = fmt.Sprintf("It is tied to %d places: tie it to a folder or a pattern of files, or to those few where one has to know it.", len(m.Anchors))
		}
		return bad(fmt.Sprintf("its file would have %d KB, and at most %d are read", (size+1023)>>10, file.MaxSize>>10), hint)
	}
	if err := m.Validate(); err != nil {
		e, _ := errors.AsType[*file.Error](err) // Validate returns no other type
		return bad(e.Error(), e.Hint)
	}
	return nil
}

// manyPlaces is a number of anchors that no memory needs, and whose file is still far from being too large.
const manyPlaces = 50

// tooLarge reports whether the file of a memory would be too large to be read, and how large. Only what may be is written out.
func tooLarge(m *file.Memory) (size int, ok bool) {
	for _, t := range m.Texts() {
		size += len(t.Text)
	}
	if size < file.MaxSize/8 && len(m.Anchors) <= manyPlaces {
		return 0, false
	}
	data, err := m.Marshal()
	return len(data), err == nil && len(data) > file.MaxSize
}

// checkSecrets looks for credentials in every text of the memory.
func (g *Gate) checkSecrets(m *file.Memory) error {
	for i := range m.Anchors {
		if err := g.context(&m.Anchors[i]); err != nil {
			return err
		}
	}
	found, err := g.findSecrets(m)
	if err != nil || len(found) == 0 {
		return err
	}
	return found[0].Rejection
}

// context removes the lines around the cited ones if they hold a secret. Nobody chose to record
// them, and an anchor is found without them.
func (g *Gate) context(a *anchor.Anchor) error {
	if a.Prefix == "" && a.Suffix == "" {
		return nil
	}
	for _, text := range []string{a.Prefix, a.Suffix, a.Prefix + "\n" + a.Quote + "\n" + a.Suffix} {
		kind, err := g.Scan(text)
		if err != nil {
			return err
		}
		if kind != "" {
			a.Prefix, a.Suffix = "", ""
			return nil
		}
	}
	return nil
}

// Scan returns the kind of the first secret in a text, or "".
func (g *Gate) Scan(text string) (kind string, err error) { return g.secrets.First(text) }

// CheckText refuses a text that is no memory and may be told to agents, if it has a secret or reads like orders to an agent. what
// names it.
func (g *Gate) CheckText(what, s string) error {
	kind, err := g.Scan(s)
	switch {
	case err != nil:
		return err
	case kind != "":
		return &Rejection{Code: Secret, Reason: "the " + what + " seems to hold a secret: " + kind, Hint: "Name where the secret is kept instead."}
	}
	if rule := injection.Find(s); rule != "" {
		return &Rejection{Code: Injection, Reason: "the " + what + " reads like orders to an agent (" + string(rule) + ")", Hint: "Say what is to be built, and not what an agent is to ignore or to run."}
	}
	return nil
}

// Mask replaces the secrets in a text by their kinds.
func (g *Gate) Mask(text string) (string, error) { return g.secrets.Mask(text) }

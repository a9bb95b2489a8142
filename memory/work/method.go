package work

import (
	"regexp"
	"slices"
	"strings"

	"manicule/memory/file"
)

// Method are the rules of a way of working for its units. A team selects one by the name of its
// methodology.
type Method struct {
	// Branch finds the unit that a branch's name tells; ok is false for none.
	Branch func(name string) (r file.WorkRef, ok bool)
	// Tasks tells how far a unit is carried out, by a list in the repository; nil if the way of working has none.
	Tasks func(r file.WorkRef) (Tasks, bool)
	// Relay are the types of a unit's memories that are handed to whoever takes it over in a state.
	Relay map[State][]file.Type
	// Keeps are the types that outlive a mission, if they are at least as sure as Sure.
	Keeps []file.Type
	Sure  float64
}

// MethodOf returns the rules of a methodology, those of the usual one for another name, without what a repository says.
func MethodOf(methodology string) Method { return MethodAt("", methodology) }

// MethodAt returns the rules of a methodology in a workspace with a root.
func MethodAt(root, methodology string) Method {
	m := Method{Branch: FromBranch, Sure: 0.7,
		Keeps: []file.Type{file.Gotcha, file.DeadEnd, file.ErrorPattern, file.ModuleInsight, file.CausalDependency, file.Pattern, file.Requirement, file.Decision, file.Convention, file.WorkflowRecipe},
		Relay: map[State][]file.Type{
			Open:     {file.Requirement, file.Decision, file.WorkState},
			InReview: {file.Requirement, file.Decision, file.E2EObservation},
		}}
	if methodology == file.SpecDriven {
		m.Branch = specBranch(root)
		if root != "" {
			m.Tasks = func(r file.WorkRef) (Tasks, bool) { return specTasks(root, r) }
		}
	}
	return m
}

// Handing returns the method with the team's own types to hand on in the two states, each a list of types with
// commas; an empty one keeps the method's. It also returns the names that are no types.
func (m Method) Handing(open, inReview string) (Method, []string) {
	var unknown []string
	for state, list := range map[State]string{Open: open, InReview: inReview} {
		var types []file.Type
		for name := range strings.SplitSeq(list, ",") {
			switch t := file.Type(strings.TrimSpace(name)); {
			case t == "":
			case slices.Contains(file.Types(), t):
				types = append(types, t)
			default:
				unknown = append(unknown, string(t))
			}
		}
		if len(types) > 0 {
			m.Relay[state] = types // a map of its own: MethodOf makes one
		}
	}
	slices.Sort(unknown)
	return m, unknown
}

// Outlives reports whether a memory of a mission is for the whole project after it, and else why not.
// A mission that was rejected leaves what went wrong, and one that was given up nothing.
func (m Method) Outlives(x *file.Memory, ended State) (yes bool, why string) {
	switch {
	case ended == Abandoned:
		return false, "the mission was given up"
	case ended == Rejected && !IsFailure(x.Type):
		return false, "the mission was rejected"
	case !slices.Contains(m.Keeps, x.Type):
		return false, "a " + x.Type.Label() + " is about the mission alone"
	case x.Confidence < m.Sure:
		return false, "it is not sure enough"
	case x.Trust.Disputed():
		return false, "it is disputed"
	case x.Trust.Tainted && x.Trust.VerifiedBy == "":
		return false, "it may come from outside, and nobody has confirmed it"
	}
	return true, ""
}

// IsFailure reports whether a type tells of what went wrong, which is worth knowing although the
// work was given up.
func IsFailure(t file.Type) bool {
	return t == file.DeadEnd || t == file.Gotcha || t == file.ErrorPattern
}

// ticket matches a tracker's key such as ABC-123. Names of standards look the same.
func ticket() *regexp.Regexp {
	return regexp.MustCompile(`(?:^|[^A-Za-z0-9])([A-Z][A-Z0-9]{1,9}-[1-9]\d{0,6})(?:$|[^A-Za-z0-9])`)
}

// notTickets are the beginnings of names of standards.
func notTickets() []string {
	return []string{"UTF", "ISO", "SHA", "MD", "RFC", "HTTP", "TLS", "IPV", "CVE", "CWE", "AES", "RSA", "ECMA", "ES", "PEP", "JEP", "UTC", "GMT", "COVID", "V", "VERSION", "STEP", "PHASE", "WIP"}
}

// The forms of a branch's name. A number counts as an issue's only if it leads a word, or follows one that says so.
func namedNumber() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(?:^|[/_-])(issues?|gh|bug|fix(?:es)?|pr|pull|mr)[-_/#]+#?([1-9]\d{0,6})(?:$|[/_-])`)
}

func leadingNumber() *regexp.Regexp { return regexp.MustCompile(`^#?([1-9]\d{0,6})[-_][A-Za-z]`) }

// FromBranch finds the issue, the ticket or the pull request that a branch is named after.
func FromBranch(name string) (r file.WorkRef, ok bool) {
	first, _, _ := strings.Cut(strings.ToLower(name), "/")
	if slices.Contains([]string{"release", "releases", "rel", "version", "dependabot", "renovate", "snyk", "stable", "backport"}, first) {
		return r, false
	}
	for _, m := range ticket().FindAllStringSubmatch(name, -1) {
		project, number, _ := strings.Cut(m[1], "-")
		switch project {
		case "GH", "ISSUE", "BUG", "FIX":
			return file.WorkRef{Kind: Issue, ID: number}, true
		case "PR", "MR":
			return file.WorkRef{Kind: Pull, ID: number}, true
		}
		if !slices.Contains(notTickets(), project) {
			return file.WorkRef{Kind: Ticket, ID: m[1]}, true
		}
	}
	if m := namedNumber().FindStringSubmatch(name); m != nil {
		kind := Issue
		switch strings.ToLower(m[1]) {
		case "pr", "pull", "mr":
			kind = Pull
		}
		return file.WorkRef{Kind: kind, ID: m[2]}, true
	}
	last := name[strings.LastIndexByte(name, '/')+1:]
	if m := leadingNumber().FindStringSubmatch(last); m != nil {
		return file.WorkRef{Kind: Issue, ID: m[1]}, true
	}
	return r, false
}

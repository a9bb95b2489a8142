package phase

import (
	"path"
	"regexp"
	"strings"

	"manicule/hooks/event"
	"manicule/memory/retrieve"
	"manicule/memory/work"
)

// specDriven is the methodology of documents before code: a specification or a plan is
// written, agreed on, and carried out task by task. The phase is define as long as only
// such documents are written, or the agent is in planning mode.
type specDriven struct{}

// Name returns "spec-driven".
func (specDriven) Name() string { return "spec-driven" }

// Work returns the rules that also know specifications.
func (m specDriven) Work() work.Method { return work.MethodOf(m.Name()) }

// Phase returns define by what is written, else the phase of [Native].
func (specDriven) Phase(steps []Step) retrieve.Phase {
	steps = steps[max(0, len(steps)-horizon):]
	if len(steps) == 0 {
		return retrieve.NoPhase
	}
	last := steps[len(steps)-1]
	if last.Plan {
		return retrieve.Define
	}
	documents, code := false, false
	for _, s := range steps {
		switch {
		case !changes(s):
		case isDocument(s):
			documents = true
		default:
			code = true
		}
	}
	if documents && !code && !endOfWork().MatchString(last.Command) {
		return retrieve.Define
	}
	// Updating a document beside the code is part of the change.
	return Native{}.Phase(steps)
}

// testFirst is the methodology of tests before code: a failing test states the goal
// (define), code makes it pass (implement), passing code is checked (validate) and
// cleaned up (refine). A failing check is no accident there.
type testFirst struct{}

// Name returns "test-first".
func (testFirst) Name() string { return "test-first" }

// Work returns the usual rules.
func (m testFirst) Work() work.Method { return work.MethodOf(m.Name()) }

// Phase follows the cycle of test, code, check and clean-up.
func (testFirst) Phase(steps []Step) retrieve.Phase {
	steps = steps[max(0, len(steps)-horizon):]
	if len(steps) == 0 {
		return retrieve.NoPhase
	}
	if endOfWork().MatchString(steps[len(steps)-1].Command) {
		return retrieve.Reflect
	}
	phase := retrieve.NoPhase
	for _, s := range steps {
		switch {
		case changes(s) && isTest(s):
			phase = retrieve.Define
		case changes(s) && (phase == retrieve.Validate || phase == retrieve.Refine):
			phase = retrieve.Refine // it passes and is cleaned up
		case changes(s):
			phase = retrieve.Implement
		case isCheck(s.Command) && s.Failed:
			phase = retrieve.Implement // red: to be made green
		case isCheck(s.Command):
			phase = retrieve.Validate
		}
	}
	if phase == retrieve.NoPhase {
		return Native{}.Phase(steps) // nothing was written: exploring or planning
	}
	return phase
}

func changes(s Step) bool { return s.Class == event.Edit || s.Class == event.Create }

// isDocument reports whether a step writes only specifications or plans.
func isDocument(s Step) bool {
	for _, p := range s.Paths {
		if !documents().MatchString(strings.ToLower(strings.ReplaceAll(p, `\`, "/"))) {
			return false
		}
	}
	return len(s.Paths) > 0
}

func documents() *regexp.Regexp {
	return regexp.MustCompile(`(^|/)(specs?|\.specify|openspec|plans?|rfcs?|adrs?|decisions|proposals?|requirements|designs?)/.*\.(md|mdx|txt|adoc|rst)$` +
		`|(^|/)(spec|plan|tasks|design|requirements|proposal|prd|rfc|adr)([-_. ][^/]*)?\.(md|mdx|txt|adoc|rst)$|(^|/)\.(claude|cursor)/plans/`)
}

// isTest reports whether a step writes only tests.
func isTest(s Step) bool {
	for _, p := range s.Paths {
		p = strings.ToLower(strings.ReplaceAll(p, `\`, "/"))
		base := path.Base(p)
		name := strings.TrimSuffix(base, path.Ext(base))
		named := strings.HasSuffix(name, "_test") || strings.HasSuffix(name, ".test") || strings.HasSuffix(name, ".spec") || strings.HasSuffix(name, "_spec") ||
			strings.HasPrefix(name, "test_") || strings.HasSuffix(name, "tests") || strings.HasPrefix(base, "conftest.")
		if !named && !tests().MatchString(p) {
			return false
		}
	}
	return len(s.Paths) > 0
}

func tests() *regexp.Regexp {
	return regexp.MustCompile(`(^|/)(tests?|__tests__|spec|testdata|fixtures)/`)
}

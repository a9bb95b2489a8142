// Package phase guesses the phase of an agent's work from its last steps. Recall
// weighs memories by phase. The package is pure. It must not know agents or memories.
package phase

import (
	"regexp"
	"strings"

	"manicule/hooks/event"
	"manicule/memory/retrieve"
	"manicule/memory/work"
)

// Step is one act of an agent, or of the person before it.
type Step struct {
	Class   event.Class // "" for a prompt
	Command string      // of a shell
	Prompt  string
	Failed  bool
	Paths   []string // of the files, as the agent named them
	Plan    bool     // the agent was in a mode in which it only plans
}

// Methodology determines the phase of work from the steps, oldest first. The
// phase decides which memories are worth showing. A team with another way of working
// selects another methodology by name; see [Named].
type Methodology interface {
	// Name returns the value of the setting hooks.methodology.
	Name() string
	// Phase returns retrieve.NoPhase if the steps don't tell.
	Phase(steps []Step) retrieve.Phase
	// Work returns the rules of its units of work: which one a branch tells, what is handed on with one, and
	// what outlives it.
	Work() work.Method
}

// methodologies lists all methodologies, the usual one first.
func methodologies() []Methodology { return []Methodology{Native{}, specDriven{}, testFirst{}} }

// Named returns the methodology with a name, or the usual one if the name is unknown.
func Named(name string) Methodology {
	for _, m := range methodologies() {
		if m.Name() == name {
			return m
		}
	}
	return Native{}
}

// Handing returns a methodology that hands on other types of memories with a unit of work; see [work.Method.Handing].
func Handing(m Methodology, open, inReview string) Methodology {
	if open+inReview == "" {
		return m
	}
	return handing{m, open, inReview}
}

type handing struct {
	Methodology
	open, inReview string
}

func (h handing) Work() work.Method {
	m, _ := h.Methodology.Work().Handing(h.open, h.inReview)
	return m
}

// Native is the methodology of reading, planning, changing, checking, fixing.
type Native struct{}

// Work returns the rules for issues, tickets and pull requests.
func (Native) Work() work.Method { return work.MethodOf("native") }

// Numbers of the last steps that count.
const (
	horizon = 12
	// exploreSteps is the number of read-only steps that count as exploring.
	exploreSteps = 3
)

// Name returns "native".
func (Native) Name() string { return "native" }

// Phase classifies the last steps as reading, changing, checking or committing.
func (Native) Phase(steps []Step) retrieve.Phase {
	steps = steps[max(0, len(steps)-horizon):]
	edited, failed, read, wrote := false, false, 0, -1
	for i, s := range steps {
		switch {
		case s.Class == event.Edit || s.Class == event.Create:
			edited, wrote = true, i
		case s.Class == event.Read || s.Class == event.Search || s.Class == event.Web:
			read++
		case isCheck(s.Command):
			failed = s.Failed
		}
	}
	if len(steps) == 0 {
		return retrieve.NoPhase
	}
	last := steps[len(steps)-1]
	switch {
	case endOfWork().MatchString(last.Command):
		return retrieve.Reflect
	case isCheck(last.Command) && !last.Failed:
		return retrieve.Validate
	case failed:
		return retrieve.Refine
	case edited && wrote >= len(steps)-horizon/2:
		return retrieve.Implement
	case !edited && plans(steps):
		return retrieve.Define
	case !edited && read >= exploreSteps:
		return retrieve.Explore
	}
	return retrieve.NoPhase
}

// isCheck reports whether a command runs tests, a linter or a type checker.
func isCheck(command string) bool { return command != "" && checks().MatchString(command) }

func checks() *regexp.Regexp {
	return regexp.MustCompile(`(^|[;&|]\s*|\s)(?:\S*\bbin/)?(go (test|vet)|make (test|check|lint)|(npm|pnpm|yarn|bun)( run)? (test|lint|check|typecheck)|npx (jest|vitest|tsc|eslint)|jest|vitest|tsc|eslint|pytest|python3? -m (pytest|unittest)|tox|nox|ruff|mypy|cargo (test|check|clippy)|mvn( \S+)* (test|verify)|(\./)?gradlew? (test|check)|dotnet test|rspec|bundle exec rspec|rake test|phpunit|ctest|bats|mix test|golangci-lint)\b`)
}

// endOfWork matches the end of a piece of work.
func endOfWork() *regexp.Regexp {
	return regexp.MustCompile(`\b(git (commit|push|merge)|gh pr (create|merge))\b`)
}

// plans reports whether the last prompt asks for a plan, and only reads followed.
func plans(steps []Step) bool {
	for i := len(steps) - 1; i >= 0; i-- {
		if p := steps[i].Prompt; p != "" {
			p = strings.ToLower(p[:min(len(p), 500)])
			return regexp.MustCompile(`\b(plan|design|spec|propose|proposal|requirements?|outline|approach)\b`).MatchString(p) &&
				!regexp.MustCompile(`\b(implement|fix|write|add|change|refactor)\b`).MatchString(p)
		}
	}
	return false
}

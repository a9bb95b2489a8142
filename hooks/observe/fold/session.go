package fold

import (
	"slices"
	"strings"

	"manicule/hooks/eventlog"
	"manicule/hooks/observe/asking"
	"manicule/hooks/observe/wording"
)

// Session is the record of a session: what its events have shown so far. Only [Fold] writes it; to all others its
// fields are for reading, and its methods only read.
type Session struct {
	Root    Root // of the workspace
	ID      string
	Agent   string
	Arm     string // in the comparison of sessions
	Events  int
	Started int64 // Unix milliseconds
	Ended   int64 // when its last event was
	Closed  bool  // the agent reported its end
	Steps   []Step
	Dropped int // older steps
	Said    []Statement
	// Rested is the number of the event with which the agent last ended its turn, 0 if it has never told.
	Rested int
	Prompts
	Exposure
	Branch      string // on which it ended
	Unit        string // the unit of work that it was about, as KIND:ID
	LastMessage string // the agent's last message, unless it is the program's
	Todo        TodoList
	AgentTypes  map[string]string // of subagents
	LeadsTeam   bool              // it leads a team of agents
	Inherited   []string          // ids of the threads that it was told of
}

// Turn is a message of a person.
type Turn struct {
	N           int   // number of its event
	At          int64 // Unix milliseconds
	Text        string
	Interrupted bool // it follows a refused or interrupted call
	Tainted     bool // untrusted text came in before it
}

// Statement is a statement of the agent.
type Statement struct {
	N       int    // number of the event before it
	Agent   string // the subagent that said it, "" for the main conversation
	Text    string
	Tainted bool // untrusted text came in before it
}

// Prompts is what the person, or a program in their place, asked the agent for.
type Prompts struct {
	Turns      []Turn
	Called     string // a command of the person's own before the first request
	Instructed string // instructions that a program put before the first request
	memories   int    // commands to Manicule itself
	Stopped    bool   // the person has interrupted, and asked for nothing since
	StoppedAt  int    // number of the event of the last interruption
}

// stop notes that the person interrupted at an event.
func (p *Prompts) stop(event int) { p.Stopped, p.StoppedAt = true, event }

// Exposure is what a session took in of strangers' text.
type Exposure struct {
	Tainted   bool
	TaintedBy string // what brought it in first
	Blind     bool   // unknown whether any came in
}

// taintBy keeps what first brought in text of strangers.
func (e *Exposure) taintBy(source string) {
	if !e.Tainted {
		e.Tainted, e.TaintedBy = true, wording.OneLine(source, maxTaintSource)
	}
}

// ByAgent returns the steps of each agent of the session separately. They are for reading.
func (ses *Session) ByAgent() [][]Step {
	if n := len(ses.Steps); n > 0 && !slices.ContainsFunc(ses.Steps, func(s Step) bool { return s.Agent != ses.Steps[0].Agent }) {
		return [][]Step{ses.Steps[:n:n]} // most sessions have one agent
	}
	by := map[string]int{}
	var out [][]Step
	for _, s := range ses.Steps {
		i, ok := by[s.Agent]
		if !ok {
			i = len(out)
			by[s.Agent] = i
			out = append(out, nil)
		}
		out[i] = append(out[i], s)
	}
	return out
}

// LastStep is the last call of the main conversation.
func (ses *Session) LastStep() (Step, bool) {
	for _, s := range slices.Backward(ses.Steps) {
		if s.Agent == "" {
			return s, true
		}
	}
	return Step{}, false
}

// EditedLast returns the file that was changed last.
func (ses *Session) EditedLast() string {
	for _, s := range slices.Backward(ses.Steps) {
		if s.Agent == "" && s.Succeeded() && s.Edits() && len(s.Paths) > 0 {
			return s.Paths[0]
		}
	}
	return ""
}

// NothingAsked reports whether the person asked for nothing after an event.
func (ses *Session) NothingAsked(n int) bool {
	k := len(ses.Turns)
	return k == 0 || ses.Turns[k-1].N <= n
}

// AnsweredLast reports whether the agent said something after the last request.
func (ses *Session) AnsweredLast() bool {
	n := len(ses.Turns)
	return n > 0 && slices.ContainsFunc(ses.Said, func(s Statement) bool { return s.Agent == "" && s.N > ses.Turns[n-1].N })
}

// OnlyMemories reports whether nothing happened in the session but that the person kept, looked up or forgot memories: there is
// no work to record.
func (ses *Session) OnlyMemories() bool {
	return ses.memories > 0 && len(ses.Turns) == 0 && ses.Called == "" && ses.Instructed == "" && len(ses.Steps) == 0 && ses.Dropped == 0
}

// asksByCommand reports whether a prompt calls a command, behind the session's first request, with what is to be done ("/specify a page that …").
func (ses *Session) asksByCommand(r eventlog.Record, text string) bool {
	if len(ses.Turns) == 0 || r.AgentID != "" || r.From != "" && r.From != "user" || !asking.OwnCommand(text) || wording.Injected(text) {
		return false
	}
	_, words, _ := strings.Cut(text, " ")
	return len(asking.Words(words)) >= asking.MinFurther
}

// Package fold keeps the record of a session: its events are folded into steps (calls with their results), what people
// and the agent said, the agent's list, and whether text of strangers came in. It says what happened, and judges
// nothing: what it means is for the packages above.
package fold

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"manicule/hooks/event"
	"manicule/hooks/eventlog"
	"manicule/hooks/observe/asking"
	"manicule/hooks/observe/cmdline"
	"manicule/hooks/observe/wording"
)

// AgentTypeFact is the fact of a subagent's event that names what the subagent is.
const AgentTypeFact = "agent_type"

// Limits of the scratchpad, which forgets the oldest entries beyond them. A step takes
// less than 2 KB, a text at most 1 KB, so the total is below 50 MB.
const (
	MaxSteps  = 20_000
	MaxSaying = 2_000
)

// Fold reads the events of a session as they arrive into its record. The zero value is not usable; see New.
type Fold struct {
	Session
	calls calls
	split map[string][][]string // command lines, split into simple commands; nil for none
}

// calls finds the steps to which the results of calls belong.
type calls struct {
	open    map[string]int  // steps without a result, by the id or target of the call
	running map[string]int  // commands in the background, by the agent's name of them
	ended   map[string]bool // by the id of the call; true once the result has arrived
}

// shift forgets the first steps.
func (c calls) shift(steps int) {
	for _, waiting := range []map[string]int{c.open, c.running} {
		for k, i := range waiting {
			if i < steps {
				delete(waiting, k)
			} else {
				waiting[k] = i - steps
			}
		}
	}
}

// New begins a session in a workspace with an absolute root.
func New(dir string) *Fold {
	return &Fold{Session: Session{Root: Root(strings.TrimRight(dir, "/"))}, calls: calls{open: map[string]int{}, running: map[string]int{}, ended: map[string]bool{}}}
}

// Add adds the next event of the log. Its number is the count of earlier events plus one.
func (f *Fold) Add(r eventlog.Record) {
	f.Events++
	if f.ID == "" {
		f.ID, f.Agent = r.Session, r.Agent
	}
	if f.Started == 0 || r.Time < f.Started && r.Time > 0 {
		f.Started = r.Time
	}
	f.Ended = max(f.Ended, r.Time)
	f.noteWork(r)
	switch event.Kind(r.Kind) {
	case event.SessionStart:
		f.Arm = cmp.Or(f.Arm, r.Facts["arm"])
	case event.Prompt:
		f.readNotice(r)
		f.prompt(r)
	case event.PreTool:
		for _, c := range r.Calls {
			if _, twice := f.calls.ended[c.ID]; !twice {
				f.begin(r, c)
			}
		}
	case event.PostTool, event.PostToolFailure:
		for _, c := range r.Calls {
			if f.calls.ended[c.ID] {
				continue // if two hooks are installed, both report a call
			}
			f.finish(r, c, event.Kind(r.Kind) == event.PostToolFailure)
		}
	case event.PostBatch: // tells of calls that were not made, which no event of their own does
		for _, c := range r.Calls {
			if c.ID != "" && !f.calls.ended[c.ID] && c.Error != "" {
				f.finish(r, c, true)
			}
		}
	case event.Stop:
		if strings.TrimSpace(r.Text) == unasked {
			return
		}
		f.AddStatement(r.AgentID, r.Text)
		if r.AgentID == "" {
			f.Rested = f.Events
		}
	case event.SessionEnd:
		f.Closed = true
	}
}

// AddStatement adds what an agent of the session said or thought after the latest event. agent is
// "" for the main conversation.
func (f *Fold) AddStatement(agent, text string) {
	if text == "" || wording.Injected(text) {
		return
	}
	f.Said = append(f.Said, Statement{f.Events, agent, text, f.Tainted})
	if len(f.Said) > MaxSaying {
		f.Said = f.Said[1:]
	}
}

// Taint records that untrusted text came in through a tool that the agent's hooks don't
// see. Everything after it may rest on that text.
func (f *Fold) Taint() { f.taintBy("its transcript") }

// MarkUnseen is Taint for a session in which it is unknown whether such text came in: the
// agent's hooks don't see it, and no transcript shows it.
func (f *Fold) MarkUnseen() { f.Tainted, f.Blind = true, true }

// Asks reports whether a person asks for something in an event. Commands, program output
// and text injected by Manicule don't count.
func Asks(r eventlog.Record) bool {
	text, _ := event.Typed(r.Prompt)
	return event.Kind(r.Kind) == event.Prompt && (r.From == "" || r.From == "user") && r.AgentID == "" && text != "" &&
		!strings.HasPrefix(text, "<") && !strings.HasPrefix(text, "/") && !strings.HasPrefix(text, interrupted) && !strings.HasPrefix(text, continued) && !notice(text) && !wording.Injected(text)
}

// unasked is what Claude Code writes in place of an answer where a command of its own is all that was typed.
const unasked = "No response requested."

// notice reports whether a prompt is what the program that runs an agent tells it about its own limits.
func notice(text string) bool {
	return strings.HasPrefix(text, "Tool budget ") && strings.Contains(text, " limit reached")
}

// continued is how a summary of an earlier part of the conversation begins, which the agent gives itself.
const continued = "This session is being continued from a previous conversation"

// interrupted is the prefix of the placeholder for an interruption.
const interrupted = "[Request interrupted"

// prompt adds a typed prompt.
func (f *Fold) prompt(r eventlog.Record) {
	text, instructions := event.Typed(r.Prompt)
	if strings.HasPrefix(text, interrupted) {
		f.stop(f.Events)
		return
	}
	if asking.OfMemories(text) && r.AgentID == "" {
		f.memories++
	}
	if f.onlyPrepared(text) && r.AgentID == "" {
		f.Called = ""
	}
	if f.Called == "" && len(f.Turns) == 0 && r.AgentID == "" {
		if f.Instructed == "" {
			f.Instructed = instructions
		}
		if asking.OwnCommand(text) {
			f.Called = wording.OneLine(strings.Join(strings.Fields(text), " "), asking.MaxTask)
		}
	}
	if !Asks(r) && !f.asksByCommand(r, text) {
		return
	}
	f.Turns = append(f.Turns, Turn{N: f.Events, At: r.Time, Text: text, Interrupted: f.Stopped, Tainted: f.Tainted})
	f.Stopped = false
}

// leastWords is the number of words from which a prompt may say what a session is for by itself.
const leastWords = 4

// maxRequest is the length in bytes up to which a prompt is no document.
const maxRequest = 600

// onlyPrepared reports whether the command with which a session began, as it turns out at the next prompt, only prepared the work: it
// was called without a word, nothing was done, and the prompt says more. Some agents tell the text of a command as the next prompt:
// that is a document.
func (f *Fold) onlyPrepared(next string) bool {
	if f.Called == "" || strings.Contains(f.Called, " ") || len(f.Turns) > 0 || len(strings.Fields(next)) < leastWords {
		return false
	}
	if !asking.OwnCommand(next) && (len(next) > maxRequest || strings.HasPrefix(next, "#") || strings.Contains(next, "\n#")) {
		return false
	}
	return !slices.ContainsFunc(f.Steps, func(s Step) bool { return s.Class != event.OtherClass })
}

func openKey(c eventlog.Call, agent string) string {
	if c.ID != "" {
		return c.ID
	}
	query := c.Query
	if event.TodoActOf(c.Tool) == event.TodoAdds {
		_, query = event.TodoItem(query) // only the result has its number
	}
	key := agent + "\x00" + c.Tool + "\x00" + c.Command + "\x00" + query
	for _, p := range c.Paths {
		key += "\x00" + p
	}
	return key
}

func (f *Fold) begin(r eventlog.Record, c eventlog.Call) int {
	if len(f.Steps) >= MaxSteps {
		f.evict()
	}
	s := Step{
		N: f.Events, At: r.Time, Agent: r.AgentID, Tainted: f.Tainted, Prompt: len(f.Turns),
		Input: Input{ID: c.ID, Tool: c.Tool, Class: event.Class(c.Class), Command: c.Command, Query: c.Query, URL: c.URL, Before: c.Before, After: c.After},
	}
	for _, p := range c.Paths {
		if rel, ok := f.Root.Under(p, r.CWD); ok {
			s.Paths = append(s.Paths, rel)
		}
	}
	if s.Class == event.Shell {
		s.Simple = f.simpleCommands(c.Command)
		s.Keys = cmdline.KeysOf(s.Simple)
		s.Dir, s.Rel = f.Root.folder(r.CWD), func(p string) (string, bool) {
			if rel := f.Root.folder(f.Root.join(p, r.CWD)); rel != "" {
				return rel, true
			}
			return "", false
		}
	}
	f.Steps = append(f.Steps, s)
	at := len(f.Steps) - 1
	f.calls.open[openKey(c, r.AgentID)] = at
	if c.ID != "" {
		f.calls.ended[c.ID] = false
	}
	if foreign(s) || unknownTool(r.Agent, s) {
		f.taintBy(sourceOf(s))
	}
	return at
}

// simpleCommands splits a command line. Agents run the same lines again and again, and several
// signals look at each.
func (f *Fold) simpleCommands(line string) [][]string {
	out, ok := f.split[line]
	if ok {
		return out
	}
	if f.split == nil || len(f.split) >= maxSplit {
		f.split = map[string][][]string{}
	}
	out = event.SimpleCommands(line)
	f.split[line] = out
	return out
}

// maxSplit bounds the command lines that are kept split.
const maxSplit = 4096

// evict forgets the older half of the scratchpad.
func (f *Fold) evict() {
	half := len(f.Steps) / 2
	f.Steps = append(f.Steps[:0:0], f.Steps[half:]...)
	f.Dropped += half
	f.calls.shift(half)
}

func (f *Fold) finish(r eventlog.Record, c eventlog.Call, failed bool) {
	key := openKey(c, r.AgentID)
	at, ok := f.calls.open[key]
	if !ok {
		at = f.begin(r, c) // the agent has no event before a tool
	}
	s := &f.Steps[at]
	if c.Background != "" && s.Class == event.Shell && !failed { // its result may come under the same id, too
		s.Background = true
		f.calls.running[c.Background] = at
		return
	}
	delete(f.calls.open, key)
	if c.ID != "" {
		f.calls.ended[c.ID] = true
	}
	if c.Background != "" && c.Ended != nil {
		f.endBackground(r, c.Background, *c.Ended, c.Error)
	}
	s.Done, s.Ended, s.Bytes, s.Found, s.EditedLine = true, f.Events, c.Bytes, c.Found, c.Line
	s.Look = Look{c.Page, event.Fault(c.Fault), c.Showed}
	s.OK = !failed && (c.OK == nil || *c.OK)
	if ms, err := strconv.ParseInt(r.Facts["duration_ms"], 10, 64); err == nil {
		s.Took, s.Measured = ms, true
	} else if ok && r.Time > s.At {
		s.Took = r.Time - s.At
	}
	if s.OK {
		return
	}
	s.fails(c.Error)
	if s.Kind == Rejected {
		f.stop(f.Events)
	}
}

// ThreadsFact is the fact of a session's start that names the threads of earlier sessions that it
// was told of.
const ThreadsFact = "threads"

// WorkFact is the fact of a session's start that names the unit of work under way as KIND:ID.
const WorkFact = "work"

// noteWork keeps the branch, the agent's list and its last message.
func (f *Fold) noteWork(r eventlog.Record) {
	if b := r.Facts["branch"]; b != "" {
		f.Branch = b
	}
	if u := r.Facts[WorkFact]; u != "" {
		f.Unit = u
	}
	for id := range strings.FieldsSeq(r.Facts[ThreadsFact]) {
		if !slices.Contains(f.Inherited, id) {
			f.Inherited = append(f.Inherited, id)
		}
	}
	if r.AgentID != "" {
		if t := r.Facts[AgentTypeFact]; t != "" {
			if f.AgentTypes == nil {
				f.AgentTypes = map[string]string{}
			}
			f.AgentTypes[r.AgentID] = t
		}
		return // a part of the work
	}
	if event.Kind(r.Kind) == event.Stop && r.Text != "" {
		f.LastMessage = r.Text
		if wording.OfProgram(r.Text) {
			f.LastMessage = ""
		}
	}
	for _, c := range r.Calls {
		f.LeadsTeam = f.LeadsTeam || c.Tool == "TeamCreate" || c.Tool == "TeamDelete"
		act := event.TodoActOf(c.Tool)
		worked := event.Kind(r.Kind) == event.PostTool && !f.calls.ended[c.ID] && c.Error == "" && (c.OK == nil || *c.OK)
		meant := act == event.TodoSets && event.Kind(r.Kind) == event.PostToolFailure // which only the list itself does not know
		if act == event.TodoReplaces || act != "" && (worked || meant) {
			f.Todo.apply(act, c.Query, f.Events)
			f.Todo.Changed = f.Events
		}
	}
}

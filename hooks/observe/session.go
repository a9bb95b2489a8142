package observe

import (
	"cmp"
	"strconv"
	"strings"

	"manicule/hooks/agent"
	"manicule/hooks/event"
	"manicule/hooks/eventlog"
	"manicule/hooks/observe/asking"
	"manicule/hooks/observe/cmdline"
	"manicule/hooks/observe/wording"
)

// Limits of the scratchpad, which forgets the oldest entries beyond them. A step takes
// less than 2 KB, a text at most 1 KB, so the total is below 50 MB.
const (
	maxSteps  = 20_000
	maxSaying = 2_000
)

// Turn is a message of a person.
type Turn struct {
	N           int
	At          int64
	Text        string
	Interrupted bool // it follows a refused or interrupted call
	Tainted     bool
}

// Statement is a statement of the agent.
type Statement struct {
	N       int
	Agent   string
	Text    string
	Tainted bool
}

// reader reads the events of a session as they arrive into its record. The zero value is not usable; see newReader.
type reader struct {
	Session
	calls calls
	split map[string][][]string // command lines, split into simple commands; nil for none
}

// Session is what the events of a session have shown so far. Its methods only read.
type Session struct {
	Root    Root
	ID      string
	Agent   string
	Arm     string
	Events  int // events
	Started int64
	Ended   int64
	Closed  bool
	Steps   []Step
	Dropped int // older steps
	Said    []Statement
	// rested is the number of the event with which the agent last ended its turn, 0 if it has never told.
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

// newReader begins a session in a workspace with an absolute root.
func newReader(dir string) *reader {
	return &reader{Session: Session{Root: Root(strings.TrimRight(dir, "/"))}, calls: calls{open: map[string]int{}, running: map[string]int{}, ended: map[string]bool{}}}
}

// Add adds the next event of the log. Its number is the count of earlier events plus one.
func (f *reader) Add(r eventlog.Record) {
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
func (f *reader) AddStatement(agent, text string) {
	if text == "" || wording.Injected(text) {
		return
	}
	f.Said = append(f.Said, Statement{f.Events, agent, text, f.Tainted})
	if len(f.Said) > maxSaying {
		f.Said = f.Said[1:]
	}
}

// Taint records that untrusted text came in through a tool that the agent's hooks don't
// see. Everything after it may rest on that text.
func (f *reader) Taint() { f.taintBy("its transcript") }

// maxTaintSource is the length of the source of a taint.
const maxTaintSource = 80

// sourceOf names a call that brings in text of strangers: its tool or program, and the host that it asks.
func sourceOf(s Step) string {
	name := s.Tool
	if len(s.Keys) > 0 {
		name = s.Keys[0]
	}
	if _, rest, ok := strings.Cut(s.URL, "://"); ok {
		host, _, _ := strings.Cut(rest, "/")
		name += " " + host
	}
	return name
}

// MarkUnseen is Taint for a session in which it is unknown whether such text came in: the
// agent's hooks don't see it, and no transcript shows it.
func (f *reader) MarkUnseen() { f.Tainted, f.Blind = true, true }

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
func (f *reader) prompt(r eventlog.Record) {
	text, instructions := event.Typed(r.Prompt)
	if strings.HasPrefix(text, interrupted) {
		f.stop(f.Events)
		return
	}
	if asking.OfMemories(text) && r.AgentID == "" {
		f.memories++
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

func (f *reader) begin(r eventlog.Record, c eventlog.Call) int {
	if len(f.Steps) >= maxSteps {
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
	if foreign(s) || f.unknown(r.Agent, s) {
		f.taintBy(sourceOf(s))
	}
	return at
}

// simpleCommands splits a command line. Agents run the same lines again and again, and several
// signals look at each.
func (f *reader) simpleCommands(line string) [][]string {
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
func (f *reader) evict() {
	half := len(f.Steps) / 2
	f.Steps = append(f.Steps[:0:0], f.Steps[half:]...)
	f.Dropped += half
	f.calls.shift(half)
}

func (f *reader) finish(r eventlog.Record, c eventlog.Call, failed bool) {
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

// ofServer reports whether a tool is one of an MCP server.
func ofServer(tool string) bool {
	return strings.HasPrefix(tool, "mcp__") || strings.HasPrefix(tool, "mcp_") || strings.HasPrefix(tool, "MCP:")
}

// foreign reports whether a call brings in untrusted text.
func foreign(s Step) bool {
	switch {
	case s.Class == event.Web:
		return true
	case ofServer(s.Tool):
		return !ownServer(s.Tool)
	}
	for _, k := range s.Keys {
		switch k {
		case "curl", "wget", "http", "https", "xh", "aria2c", "lynx", "w3m", "links", "elinks", "iwr", "irm", "Invoke-WebRequest", "Invoke-RestMethod", "yt-dlp",
			"git clone", "npm view", "npm info", "npm docs", "pip download", "glab api":
			return true
		}
		for _, head := range []string{"gh api", "gh issue", "gh search", "gh release", "gh gist", "gh discussion", "gh repo clone", "gh repo view",
			"gh pr view", "gh pr diff", "gh pr checkout", "gh pr checks", "gh pr list", "glab issue", "glab mr"} {
			if k == head || strings.HasPrefix(k, head+" ") {
				return true
			}
		}
	}
	// A fetch in a pipe, a here-document or a script counts too.
	if s.Class != event.Shell {
		return false
	}
	for _, sign := range []string{"curl ", "wget ", "gh api", "Invoke-WebRequest", "Invoke-RestMethod"} {
		if strings.Contains(s.Command, sign) {
			return true
		}
	}
	return strings.Contains(s.Command, "://") && wording.Has(s.Command, "requests.get", "requests.post", "urlopen(", "urllib", "fetch(", "http.get(", "https.get(", "httpx.", "WebClient", "net/http")
}

// ownServer reports whether a tool is our server's, by the server's part of its name
// alone. A tool of another server can have any name.
func ownServer(tool string) bool {
	const name = "manicule"
	tool = strings.ToLower(tool)
	if rest, ok := strings.CutPrefix(tool, "mcp__"); ok {
		server, _, named := strings.Cut(rest, "__")
		return named && (server == name || server == "plugin_"+name+"_"+name)
	}
	if rest, ok := strings.CutPrefix(tool, "mcp:"); ok {
		server, _, named := strings.Cut(rest, " ")
		return named && server == name
	}
	return strings.HasPrefix(tool, "mcp_"+name+"_")
}

// unknown reports whether a tool may belong to a foreign server, for agents that don't
// mark those. Every unknown tool of theirs counts as one.
func (f *reader) unknown(id string, s Step) bool {
	if s.Class != event.OtherClass || ownTool(s.Tool) {
		return false
	}
	a, _ := agent.Lookup(id)
	return a.Unmarked
}

// ownTool reports whether these agents themselves provide the tool and it brings in
// nothing from outside.
func ownTool(tool string) bool {
	low := strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(tool))
	switch low {
	case "", "task", "todowrite", "todoread", "updatetodo", "reportintent", "askuser", "question", "skill", "sql", "storememory", "exitplanmode", "lsp", "showfile", "batch", "invalid",
		"writebash", "readbash", "stopbash", "listbash", "writepowershell", "readpowershell", "stoppowershell", "listpowershell", "readagent", "listagents", "planenter", "planexit":
		return true
	}
	return strings.Contains(low, "manicule")
}

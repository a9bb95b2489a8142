package observe

import (
	"maps"
	"path"
	"slices"
	"strings"

	"manicule/hooks/event"
	"manicule/hooks/observe/cmdline"
	"manicule/hooks/observe/detect"
	"manicule/hooks/observe/failures"
	"manicule/hooks/observe/fold"
	"manicule/hooks/observe/settle"
	"manicule/hooks/observe/signal"
	"manicule/hooks/observe/unfinished"
)

// Report is the result of one session. It is additive: the statistics of all sessions are
// the sum of their reports.
type Report struct {
	Session string         `json:"session"`
	Agent   string         `json:"agent"`
	Kind    SessionKind    `json:"kind"`
	Arm     string         `json:"arm,omitzero"` // in the comparison of sessions
	Started int64          `json:"started"`      // Unix milliseconds
	Ended   int64          `json:"ended"`
	Events  int            `json:"events"` // lines of the log that it is made from
	Steps   int            `json:"steps"`
	Tainted bool           `json:"tainted,omitzero"` // it took in untrusted text
	Blind   bool           `json:"blind,omitzero"`   // unknown whether it did: it counts as tainted
	Closed  bool           `json:"closed,omitzero"`  // the agent reported its end
	Files   []fold.FileUse `json:"files,omitempty"`
	Pairs   []Pair         `json:"pairs,omitempty"`
	// Commands are the shell commands that were run, by key.
	Commands []CommandUse       `json:"commands,omitempty"`
	Failures []failures.Failure `json:"failures,omitempty"`
	// Worked are the commands that worked, as sentences quote them.
	Worked  []string        `json:"-"`
	Signals []signal.Signal `json:"signals,omitempty"`
	// Work is what it left unfinished.
	Work unfinished.Work `json:"work,omitzero"`
	// Done is what it did that may settle what earlier sessions left in words.
	Done settle.Done `json:"-"`
	// Inherited are the ids of the threads of earlier sessions that it was told of.
	Inherited []string `json:"inherited,omitempty"`
	// Requests are the last requests of a person.
	Requests []fold.Request `json:"-"`
}

// Pair is two files in the order of their first use in a session.
type Pair struct {
	A     string `json:"a"`
	B     string `json:"b"`
	Delta int64  `json:"delta"`            // milliseconds between the first uses
	Edits bool   `json:"edits,omitzero"`   // both were edited
	Near  bool   `json:"near,omitzero"`    // a few steps apart
	N     [2]int `json:"n"`                // event numbers
	Taint bool   `json:"tainted,omitzero"` // the second use followed untrusted text
}

// CommandUse counts the runs of a command.
type CommandUse struct {
	Key   string `json:"key"`
	Runs  int    `json:"runs"`
	Fails int    `json:"fails,omitzero"`
	// Took are the runs by duration in milliseconds, rounded to two digits. Only durations
	// that the agent itself measured count, because the time between two events includes
	// waiting for a person.
	Took map[int64]int `json:"took,omitempty"`
	// Words are those of the lines that ran it. They say which failures of it could have come again.
	Words map[string]bool `json:"-"`
}

// Limits of a report.
const (
	maxFiles    = 40 // files from which pairs are made
	maxRequests = 100
	nearSteps   = 8
)

// report sums everything so far. The fold may continue after it.
func report(ses *fold.Session) Report {
	r := Report{Session: ses.ID, Agent: ses.Agent, Arm: ses.Arm, Started: ses.Started, Ended: ses.Ended, Events: ses.Events, Steps: len(ses.Steps) + ses.Dropped, Tainted: ses.Tainted, Blind: ses.Blind, Closed: ses.Closed}
	r.Kind = kindOf(ses)
	r.Work = unfinished.Of(ses)
	r.Done = settle.Of(ses)
	r.Inherited = ses.Inherited
	r.Files = ses.Files()
	r.Pairs = pairs(ses, r.Files)
	r.Commands = commandUses(ses)
	r.Failures = failures.Of(ses)
	r.Worked = worked(ses)
	r.Requests = ses.Requests()
	r.Requests = r.Requests[max(0, len(r.Requests)-maxRequests):]
	r.Signals = detect.Signals(ses, r.Failures)
	return r
}

func pairs(ses *fold.Session, files []fold.FileUse) []Pair {
	files = files[:min(len(files), maxFiles)]
	place := map[string]int{} // step of the first use
	taintAt := 0
	for i, s := range ses.Steps {
		if s.Tainted && taintAt == 0 {
			taintAt = s.N
		}
		for _, p := range s.Paths {
			if _, ok := place[p]; !ok {
				place[p] = i
			}
		}
	}
	var out []Pair
	for i, a := range files {
		for _, b := range files[i+1:] {
			out = append(out, Pair{A: a.Path, B: b.Path, Delta: b.First - a.First, Edits: a.Edits > 0 && b.Edits > 0,
				Near: place[b.Path]-place[a.Path] <= nearSteps, N: [2]int{a.N, b.N}, Taint: taintAt > 0 && b.N >= taintAt})
		}
	}
	return out
}

// worked lists the commands that worked, unchanged.
func worked(ses *fold.Session) []string {
	var out []string
	for _, s := range ses.Steps {
		if s.Class == event.Shell && s.Succeeded() {
			if c := cmdline.PlainCommand(s.Command); !slices.Contains(out, c) {
				out = append(out, c)
			}
		}
	}
	return out
}

// rounded keeps two digits of a duration.
func rounded(ms int64) int64 {
	unit := int64(1)
	for ms >= 100*unit {
		unit *= 10
	}
	return (ms + unit/2) / unit * unit
}

func commandUses(ses *fold.Session) []CommandUse {
	var out []CommandUse
	at := map[string]int{}
	for _, s := range ses.Steps {
		for _, k := range append(cmdline.Optioned(s.Simple, s.Keys), s.Keys...) {
			i, ok := at[k]
			if !ok {
				i = len(out)
				at[k] = i
				out = append(out, CommandUse{Key: k})
			}
			out[i].Runs++
			if s.Class == event.Shell {
				if out[i].Words == nil {
					out[i].Words = map[string]bool{}
				}
				maps.Copy(out[i].Words, cmdline.WordsOf(s.Simple))
			}
			if s.Measured && s.Class == event.Shell && s.OK && len(s.Keys) == 1 && k == s.Keys[0] {
				if out[i].Took == nil {
					out[i].Took = map[int64]int{}
				}
				out[i].Took[rounded(s.Took)]++
			}
			if s.Done && !s.OK && s.Kind == fold.CommandFailed && s.Key == k {
				out[i].Fails++
			}
		}
	}
	return out
}

// kindOf returns the purpose of the session.
func kindOf(ses *fold.Session) SessionKind {
	c := workCounts{isCheck: map[string]bool{}}
	for _, s := range ses.Steps {
		c.add(s)
	}
	switch {
	case c.edits > 0 && c.reviews*3 > c.shell:
		return reviewSession
	case c.edits > 0 && c.failed:
		return insightsSession // the gate requires that checks pass
	case c.edits > 0:
		return buildSession
	case c.plans > 0:
		return roadmapSession
	case c.docs > 0:
		return specSession
	case c.logs > 0:
		return changelogSession
	case c.reviews > 2:
		return reviewSession
	case c.shell*2 > len(ses.Steps):
		return terminalSession
	}
	return insightsSession
}

// workCounts counts what a session did, by what it is for.
type workCounts struct {
	edits, docs, logs, plans int             // edited files
	shell, reviews           int             // commands
	failed                   bool            // the last check did
	isCheck                  map[string]bool // by key: few commands are run often
}

func (c *workCounts) add(s fold.Step) {
	switch s.Class {
	case event.Edit, event.Create:
		for _, p := range s.Paths {
			c.addEdit(strings.ToLower(path.Base(p)))
		}
	case event.Shell:
		c.shell++
		for _, k := range s.Keys {
			if strings.HasPrefix(k, "gh pr") || k == "gh api" {
				c.reviews++
			}
			is, known := c.isCheck[k]
			if !known {
				is = cmdline.Checks(k)
				c.isCheck[k] = is
			}
			if is && s.Done {
				c.failed = !s.OK
			}
		}
	}
}

func (c *workCounts) addEdit(name string) {
	switch {
	case strings.Contains(name, "changelog"):
		c.logs++
	case strings.Contains(name, "roadmap") || strings.Contains(name, "todo"):
		c.plans++
	case strings.HasSuffix(name, ".md") || strings.HasSuffix(name, ".txt"):
		c.docs++
	default:
		c.edits++
	}
}

package store

import (
	"strings"

	"manicule/memory/episode"
)

// Observation is the stored report of a session. Times are Unix milliseconds; paths are relative to
// the root with forward slashes.
type Observation struct {
	Session string `json:"session"`
	Log     string `json:"log"` // name of the event log
	Agent   string `json:"agent"`
	Kind    string `json:"kind"`
	Started int64  `json:"started"`
	Ended   int64  `json:"ended"`
	Events  int    `json:"events"`
	Bytes   int64  `json:"bytes"` // size of the log when it was read
	Steps   int    `json:"steps"`
	Tainted bool   `json:"tainted,omitempty"`
	// OnlyMemories is set if nothing happened but that memories were kept, looked up or forgotten: it has no episode.
	OnlyMemories bool `json:"only_memories,omitempty"`
	// Task is the kind of work that it was asked for, "" if the words don't tell. Observe takes it from the
	// episode; it is in the report because the sums of pairs have it.
	Task     episode.Kind      `json:"task,omitempty"`
	Files    []ObservedFile    `json:"files,omitempty"`
	Pairs    []ObservedPair    `json:"pairs,omitempty"`
	Commands []ObservedCommand `json:"commands,omitempty"`
	Errors   []ObservedError   `json:"errors,omitempty"`
	Signals  []ObservedSignal  `json:"signals,omitempty"`
	Requests []ObservedRequest `json:"requests,omitempty"`
	Took     []ObservedTime    `json:"took,omitempty"`
	Work     ObservedWork      `json:"work,omitzero"`
	// Inherited are the threads that it was told of, as it left them.
	Inherited []InheritedThread `json:"inherited,omitempty"`
	// Shown is what the session was shown, and the outcomes. It is not part of the sums.
	Shown []ShownLog `json:"-"`
	// Episode is the record of the session, kept on its own. One without a session is not stored.
	Episode episode.Episode `json:"-"`
	// Uses are the procedures whose way the session went.
	Uses []ProcedureUse `json:"-"`
	// Module is the folder that the session was about, "" for none, Touched its files, and Digests what
	// its end was the occasion for.
	Module  string   `json:"-"`
	Touched []string `json:"-"`
	// Withdrawn is the kind and key of what an earlier report of the session proposed, and this one does not.
	Withdrawn [2]string `json:"-"`
	Digests   []Digest  `json:"-"`
}

// InheritedThread is a thread that a session was told of at its start.
type InheritedThread struct {
	ID    string `json:"id"`    // short
	State string `json:"state"` // at the session's end, "" if the thread is gone
	// Answered is set if somebody wrote about it during the session.
	Answered bool `json:"answered,omitempty"`
}

// ObservedFile is a session's use of a file.
type ObservedFile struct {
	Path  string `json:"path"`
	Reads int    `json:"reads"`
	Edits int    `json:"edits"`
	At    int64  `json:"at"`
}

// ObservedPair is two files of a session; A was used first.
type ObservedPair struct {
	A      string `json:"a"`
	B      string `json:"b"`
	Delta  int64  `json:"delta"`
	Edited bool   `json:"edited,omitempty"`
	Near   bool   `json:"near,omitempty"`
}

// ObservedCommand counts a session's runs of a command.
type ObservedCommand struct {
	Key   string `json:"key"`
	Runs  int    `json:"runs"`
	Fails int    `json:"fails,omitempty"`
	// Words are those of the lines that ran it, in lower case. Only runs of failures with trigger words need them.
	Words map[string]bool `json:"-"`
}

// Resolution is how a session got past a failure, "" if nothing tells.
type Resolution string

// The resolutions, beside those of [Lacked].
const (
	ResolvedChanged Resolution = "changed" // another call worked
	ResolvedEdited  Resolution = "edited"  // the same call worked after an edit
	ResolvedAgain   Resolution = "again"   // the same call worked when it was run again
	ResolvedLeft    Resolution = "left"    // the session left it
)

// needs begins the resolutions that name a need, as they are stored.
const needs = "needs "

// Lacked is the resolution of a failure of which is known what was lacking.
func Lacked(need string) Resolution { return Resolution(needs + need) }

// Need returns what was lacking; ok is false if the resolution does not say.
func (r Resolution) Need() (need string, ok bool) { return strings.CutPrefix(string(r), needs) }

// ObservedError is an error of a session.
type ObservedError struct {
	Tool        string     `json:"tool"`    // class of the tool
	Subject     string     `json:"subject"` // the command's key, or the path
	Fingerprint string     `json:"fingerprint"`
	Trigger     []string   `json:"trigger,omitempty"`
	Message     string     `json:"message"`
	Failed      string     `json:"failed"`
	Fix         string     `json:"fix,omitempty"`
	How         Resolution `json:"how,omitempty"`
	Generic     bool       `json:"generic,omitempty"`
	Tainted     bool       `json:"tainted,omitempty"`
	Count       int        `json:"count"`
}

// ObservedSignal is a signal of a session.
type ObservedSignal struct {
	Kind    string `json:"kind"`
	Key     string `json:"key"`
	Count   int    `json:"count"`
	Tainted bool   `json:"tainted,omitempty"`
}

// ObservedRequest is a person's request in a session, and its cost. It is stored as a signal that
// never becomes a candidate.
type ObservedRequest struct {
	N      int    `json:"n"`                // number of its first event
	Folder string `json:"folder,omitempty"` // with the most edits, or ""
	Calls  int    `json:"calls"`
	At     int64  `json:"at"`
}

// ObservedTime counts the runs of a command with one duration. It is stored as a signal that never
// becomes a candidate.
type ObservedTime struct {
	Key    string `json:"key"` // of the command
	Millis int64  `json:"ms"`  // rounded
	Runs   int    `json:"runs"`
}

// Proposal is a candidate from a session's report.
type Proposal struct {
	Kind, Key string
	Draft     DraftRow
	Procedure *episode.Procedure // that the draft says, or nil
}

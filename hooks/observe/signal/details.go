package signal

import (
	"strconv"
	"strings"

	"manicule/hooks/event"
	"manicule/hooks/observe/failures"
	"manicule/memory/file"
)

// Detail is what a signal says: for each kind its own type, for errors and people's words one for each form.
// A type is declared here, made by its detector (package detect) and read by its sentence (sentence.go); what the history says
// for and against it is in history.go. Details live as long as a report: only [Signal.Key] is stored.
type Detail interface {
	Kind() Kind
	// Subject summarizes it for a person: what it is about, then what was found.
	Subject() string
	// Sentence says it and its evidence as a person would; "" if there is nothing to say. The type is "" for that
	// of the kind.
	Sentence(e Extent) (what, why string, typ file.Type)
}

// Opened is a file that many sessions open.
type Opened struct {
	Path         string
	Sessions, Of int // sessions that opened it, of all
}

// EditedTogether is a file with those that most sessions edit with it.
type EditedTogether struct {
	Path     string
	Partners []Partner
}

// Partner is a file that sessions edit with another one.
type Partner struct {
	Path     string
	Both, Of int // sessions that edited both, of those that edited the other one
}

// MissedText is a file in which edits did not find the text that they replace.
type MissedText struct{ Path string }

// BrokenRule is a rule of a linter or a compiler that stopped the work.
type BrokenRule struct{ Command, Rule, Message string }

// UnmetNeed is what a command lacked when it failed. It holds names only, never values.
type UnmetNeed struct {
	Need    failures.Need
	Command string
	Name    string // see [Failure.Lacked]
	Message string
}

// RecurringError is an error of the machine that many calls met, without a way out.
type RecurringError struct {
	Commands []string // some of them
	Message  string
}

// WrongPath is a path that is no file.
type WrongPath struct {
	Path   string
	Found  string // the one that was meant, "" if unknown
	Folder bool   // it is a folder
}

// FailedCall is a call that failed, with the one that then worked.
type FailedCall struct {
	Key     string // see [Failure.Key]
	Failed  string
	Worked  string // "" if unknown
	Message string
}

// UndoneEdit is a file of which an edit was taken back.
type UndoneEdit struct {
	Path string
	By   string // edit, git
}

// LeftFor is a file that was opened and left for a similar one.
type LeftFor struct{ Path, Meant string }

// SoughtName is a declaration that was searched for, and the file that was read then.
type SoughtName struct{ Name, Path string }

// CheckSequence are the checks before a commit, in their order.
type CheckSequence struct{ Commands []string }

// SlowCommand is a check that takes long, in seconds.
type SlowCommand struct {
	Command string
	Median  int // of one session: its run
	Most    int // nine of ten runs take no longer; 0 in one session
}

// Noted is what an agent noted after a failure.
type Noted struct{ Text string }

// FetchedPage is a page of the web.
type FetchedPage struct{ URL string }

// EmptySearch is a search that found nothing, and the file that was read in spite of it.
type EmptySearch struct{ Pattern, Path string }

// ReadChain are three files that were read one after the other.
type ReadChain struct{ First, Via, Last string }

// FailsFirst are two checks of which the first one fails more often than not.
type FailsFirst struct{ First, Then string }

// ConfigWithCode is a configuration file that was edited with code.
type ConfigWithCode struct{ Config, Code string }

// LongRequest is a folder in which one request took many calls.
type LongRequest struct {
	Folder string
	Calls  int
}

// Conflict is a file that several agents edit at once, or that changes while an agent works on it.
type Conflict struct {
	Path    string
	Changed bool // by a tool or a person, not by another agent
}

// LargeResult is a file or a command whose output fills much of a context.
type LargeResult struct {
	Name      string
	File      bool
	Thousands int // of tokens
}

// Instruction is a rule that a person gave, in their words.
type Instruction struct{ Text string }

// RefusedCommand is a command that a person did not let the agent run.
type RefusedCommand struct{ Command string }

// FaultyPage is a page of the project's own app with a fault.
type FaultyPage struct {
	Page  string
	Fault event.Fault
	Shown string
}

// Kind returns the kind of the signal.
func (Opened) Kind() Kind { return FileAccess }

func (EditedTogether) Kind() Kind { return CoAccess }

func (MissedText) Kind() Kind { return ErrorRetry }

func (BrokenRule) Kind() Kind { return ErrorRetry }

func (UnmetNeed) Kind() Kind { return ErrorRetry }

func (RecurringError) Kind() Kind { return ErrorRetry }

func (WrongPath) Kind() Kind { return ErrorRetry }

func (FailedCall) Kind() Kind { return ErrorRetry }

func (UndoneEdit) Kind() Kind { return Backtrack }

func (LeftFor) Kind() Kind { return ReadAbandon }

func (SoughtName) Kind() Kind { return RepeatedSearch }

func (CheckSequence) Kind() Kind { return ToolSequence }

func (SlowCommand) Kind() Kind { return TimeAnomaly }

func (Noted) Kind() Kind { return SelfCorrection }

func (FetchedPage) Kind() Kind { return ExternalRef }

func (EmptySearch) Kind() Kind { return GlobIgnore }

func (ReadChain) Kind() Kind { return ImportChase }

func (FailsFirst) Kind() Kind { return TestOrder }

func (ConfigWithCode) Kind() Kind { return ConfigTouch }

func (LongRequest) Kind() Kind { return StepOverrun }

func (Conflict) Kind() Kind { return ParallelConflict }

func (LargeResult) Kind() Kind { return TokenSpike }

func (Instruction) Kind() Kind { return UserCorrection }

func (RefusedCommand) Kind() Kind { return UserCorrection }

func (FaultyPage) Kind() Kind { return PageFault }

// Subject summarizes the signal.
func (d Opened) Subject() string { return leads(d.Path, strconv.Itoa(d.Sessions)) }

func (d EditedTogether) Subject() string {
	return leads(d.Path, strings.Join(pathsOf(d.Partners), ", "))
}

func (d MissedText) Subject() string { return d.Path }

func (d BrokenRule) Subject() string { return leads(d.Command, d.Rule) }

func (d UnmetNeed) Subject() string { return leads(d.Command, d.Name) }

func (d RecurringError) Subject() string { return strings.Join(d.Commands, ", ") }

func (d WrongPath) Subject() string { return leads(d.Path, d.Found) }

func (d FailedCall) Subject() string { return leads(d.Failed, d.Worked) }

func (d UndoneEdit) Subject() string { return leads(d.Path, d.By) }

func (d LeftFor) Subject() string { return leads(d.Path, d.Meant) }

func (d SoughtName) Subject() string { return leads(d.Name, d.Path) }

func (d CheckSequence) Subject() string { return strings.Join(d.Commands, ", ") }

func (d SlowCommand) Subject() string { return leads(d.Command, strconv.Itoa(d.Median)) }

func (d Noted) Subject() string { return d.Text }

func (d FetchedPage) Subject() string { return d.URL }

func (d EmptySearch) Subject() string { return leads(d.Pattern, d.Path) }

func (d ReadChain) Subject() string { return leads(d.First, d.Last) }

func (d FailsFirst) Subject() string { return leads(d.First, d.Then) }

func (d ConfigWithCode) Subject() string { return leads(d.Config, d.Code) }

func (d LongRequest) Subject() string { return leads(d.Folder, strconv.Itoa(d.Calls)) }

func (d LargeResult) Subject() string { return leads(d.Name, strconv.Itoa(d.Thousands)) }

func (d Instruction) Subject() string { return d.Text }

func (d RefusedCommand) Subject() string { return leads(d.Command, "refused") }

func (d FaultyPage) Subject() string { return leads(d.Page, string(d.Fault)) }

func (d Conflict) Subject() string {
	if d.Changed {
		return leads(d.Path, "changed")
	}
	return leads(d.Path, "agents")
}

// leads joins the two parts of a subject.
func leads(about, found string) string {
	if found == "" {
		return about
	}
	return about + " → " + found
}

func pathsOf(list []Partner) []string {
	out := make([]string, 0, len(list))
	for _, p := range list {
		out = append(out, p.Path)
	}
	return out
}

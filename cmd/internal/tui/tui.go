// Package tui shows memories in a terminal: a list that is filtered as one types, a preview, and
// keys that decide about what waits for review.
//
// The model is pure: it reads and changes memories only through a [Source], and draws only what
// that gave it. The source hands over texts without characters that a terminal obeys; the
// sequences of colours in them are the only ones.
//
// Colours are written as in the rest of the command line. A library of styles is not used: those
// that exist look at the terminal when they are linked, which every hook would pay for.
package tui

import (
	"context"
	"io"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
)

// Kind is what an item of the list is.
type Kind int

// The kinds of items.
const (
	Memory Kind = iota
	Draft       // waits for a decision: of an agent, or learned
	Held        // in quarantine
)

// Item is one line of the list.
type Item struct {
	Kind     Kind
	UUID     string
	Short    string // the id that a person types
	Label    string // its type, or what accepting it does
	Colour   string // of the label: the code of an SGR sequence
	What     string // in one line
	Where    string // its places, in one line
	Marks    []string
	Versions int  // more than 1: a merge left several
	Place    bool // there is code to open
	Drifted  bool // its code changed or is gone, so that a person has to say whether it still holds
	Gone     bool // its code is gone, so that it can't hold for it
	// Told is what agents are told once a person accepts the item or lets it out, in full.
	Told string
	// Hidden is true if the preview does not show its text, as a secret's.
	Hidden bool
	// Listed is what the source made the item of.
	Listed any
}

// waits reports whether a person has to decide about the item.
func (i Item) waits() bool { return i.Kind != Memory || i.Versions > 1 || i.Drifted }

// Page is a text about an item.
type Page int

// The pages.
const (
	Preview  Page = iota // beside the list
	Whole                // the preview on the whole screen, which counts as read
	History              // its versions over time
	Versions             // the versions that a merge left
)

// Act is what a person does to an item.
type Act int

// The acts.
const (
	Accept Act = iota
	Reject
	Edit
	Confirm
	Forget
	Restore
	Release
	Resolve
	Open
	StillTrue // the memory holds for the code as it is
)

// Request is an act on an item.
type Request struct {
	Act  Act
	Item Item
	// Version is the one that Resolve keeps, from 1. Both keeps the others as memories of their own,
	// and Supersede does so and has it supersede them.
	Version         int
	Both, Supersede bool
}

// Source reads and changes memories. Its methods are called one at a time.
type Source interface {
	// Items lists what there is, what waits for review first.
	Items(ctx context.Context) ([]Item, error)
	// Text returns a page of an item.
	Text(ctx context.Context, item Item, page Page) (string, error)
	// Do does what a person asked for and says so in one line. Edit and Open have the terminal.
	Do(ctx context.Context, r Request) (string, error)
}

// Options are how the interface is drawn.
type Options struct {
	Colour  bool
	Review  bool               // begin with what waits for review
	Explain func(error) string // an error with its hint, in one line
	Begin   string             // how the first memory is made, said while there is none
}

// Run shows the interface until the person leaves it.
func Run(ctx context.Context, s Source, o Options, in io.Reader, out io.Writer, environ []string) error {
	// The colours are those that each terminal has, so nothing is asked of it.
	profile := colorprofile.ANSI
	if !o.Colour {
		profile = colorprofile.Ascii
	}
	// A signal ends ctx, whose owner knows the exit code.
	m := New(ctx, s, o)
	_, err := tea.NewProgram(m, tea.WithContext(ctx), tea.WithoutSignalHandler(), tea.WithInput(in), tea.WithOutput(out),
		tea.WithEnvironment(environ), tea.WithColorProfile(profile)).Run()
	m.turn.Lock() // an act that still runs ends before its workspace is closed
	defer m.turn.Unlock()
	return err
}

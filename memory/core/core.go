// Package core owns the core documents of a project: the few sentences that every
// session should begin with, and those that one agent's sessions should begin with
// beside them, each in a file that git carries. It must not know who shows them.
package core

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"manicule/indexer/treefile"
	"manicule/indexer/workspace"
	"manicule/memory/file"
	"manicule/memory/gate"
	"manicule/memory/gate/injection"
	"manicule/memory/secret"
)

// maxAgent bounds the name of an agent, in bytes.
const maxAgent = 40

// name is the file of a document in the project's folder: of one agent, or of all if agent is "".
func name(agent string) string {
	if agent == "" {
		return "core.json"
	}
	return "core." + agent + ".json"
}

// checkAgent reports whether an agent's name can be a part of a file's. "" stands for all agents.
func checkAgent(agent string) error {
	for _, r := range agent {
		if (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-' {
			return fmt.Errorf("%q can't have a core document: an agent's name has only small letters, digits and hyphens", agent)
		}
	}
	if len(agent) > maxAgent {
		return fmt.Errorf("the name of the agent has more than %d letters", maxAgent)
	}
	return nil
}

// Limits of the document, in characters and entries. All of it has to fit the start of a session.
const (
	maxText        = 400
	maxConventions = 8
	maxSize        = 64 << 10
)

// Document is the core document. A new member of a later version survives a rewrite.
type Document struct {
	Format      int       `json:"format"`
	Summary     string    `json:"project_summary,omitzero"`
	Conventions []string  `json:"critical_conventions,omitempty"`
	Preferences string    `json:"user_preferences,omitzero"`
	Focus       string    `json:"active_focus,omitzero"`
	Notes       string    `json:"notes,omitzero"`
	Version     int       `json:"version"`
	UpdatedBy   string    `json:"updated_by,omitzero"`
	UpdatedAt   file.Time `json:"updated_at"`

	// Undecided are texts of the other side of a merge. Who says what holds in their part decides.
	Undecided []Undecided `json:"undecided,omitempty"`

	// Marked says that the file holds git's conflict markers: it was read as a merge of its sides.
	Marked bool `json:"-"`

	Extra jsontext.Value `json:",embed"`
}

// ErrHeld is wrapped if the words of a document must not reach agents.
var ErrHeld = errors.New("the core document is held back")

// TooMany returns by how many conventions a document exceeds what fits the start of a session, as one may that was merged.
func (d Document) TooMany() int { return max(0, len(d.Conventions)-maxConventions) }

// Empty reports whether a document says nothing.
func (d Document) Empty() bool { return d.text() == "" }

func (d Document) text() string {
	list := append([]string{d.Summary, d.Preferences, d.Focus, d.Notes}, d.Conventions...)
	for _, u := range d.Undecided {
		list = append(list, u.Text)
	}
	return strings.TrimSpace(strings.Join(list, "\n"))
}

// Path is the file of a workspace's document for an agent, "" for all.
func Path(p *workspace.Workspace, agent string) string {
	return filepath.Join(p.Root, workspace.Folder, name(agent))
}

// Agents lists whose documents there are: "" for that of all, and the names of agents.
func Agents(p *workspace.Workspace) (out []string, err error) {
	entries, err := os.ReadDir(filepath.Join(p.Root, workspace.Folder))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("look for core documents: %w", err)
	}
	for _, e := range entries {
		agent := strings.TrimPrefix(strings.TrimPrefix(strings.TrimSuffix(e.Name(), ".json"), "core"), ".")
		if e.Name() == name(agent) && checkAgent(agent) == nil {
			out = append(out, agent)
		}
	}
	return out, nil
}

// Read reads a workspace's document for an agent, "" for all. One that does not exist is empty.
func Read(p *workspace.Workspace, agent string) (d Document, err error) {
	if err := checkAgent(agent); err != nil {
		return d, err
	}
	data, err := treefile.ReadWithin(p.Root, workspace.Folder+"/"+name(agent), maxSize)
	if errors.Is(err, fs.ErrNotExist) {
		return Document{Format: 1}, nil
	}
	if err != nil {
		return d, fmt.Errorf("read the core document: %w", err)
	}
	if d, err = parse(data); err != nil {
		return d, fmt.Errorf("read %s: %w", Path(p, agent), err)
	}
	return d, nil
}

// ReadForAgents is Read for a text that agents are told. A document that holds a secret or reads
// like orders is an error that wraps ErrHeld: it may have come with a clone.
func ReadForAgents(p *workspace.Workspace, agent string) (Document, error) {
	d, err := Read(p, agent)
	if err != nil {
		return Document{}, err
	}
	if rule := injection.Find(d.text()); rule != "" {
		return Document{}, fmt.Errorf("%w: it reads like orders to an agent", ErrHeld)
	}
	if len(secret.Find(d.text())) > 0 {
		return Document{}, fmt.Errorf("%w: it seems to hold a secret", ErrHeld)
	}
	return d, nil
}

// Write stores the next version of an agent's document, or of that of all, if nobody wrote another since it was read. scan
// returns the kind of the first secret in a text. Two writers at the same time need a lock:
// memory.Core.Edit has it.
func Write(p *workspace.Workspace, agent string, d Document, by string, now time.Time, scan func(string) (string, error)) (Document, error) {
	was, err := Read(p, agent)
	if err != nil {
		return d, err
	}
	if was.Version != d.Version {
		return d, fmt.Errorf("the core document was changed meanwhile: it is at version %d, and this changes version %d", was.Version, d.Version)
	}
	if err := d.check(scan, len(was.Conventions)); err != nil {
		return d, err
	}
	d.Format, d.Version, d.UpdatedBy, d.UpdatedAt = 1, d.Version+1, by, file.At(now)
	d.Marked = false
	data, err := d.encode()
	if err != nil {
		return d, fmt.Errorf("write the core document: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(Path(p, agent)), 0o777); err != nil {
		return d, fmt.Errorf("write the core document: %w", err)
	}
	if err := treefile.CheckNoLinks(filepath.Dir(Path(p, agent))); err != nil {
		return d, fmt.Errorf("write the core document: %w", err)
	}
	dir, name := filepath.Split(Path(p, agent))
	if err := file.WriteOwn(dir, name, data); err != nil {
		return d, fmt.Errorf("write the core document: %w", err)
	}
	return d, nil
}

// check normalises a document that had some conventions, and returns a *gate.Rejection if it must not be stored.
func (d *Document) check(scan func(string) (string, error), had int) error {
	if err := d.normalise(had); err != nil {
		return err
	}
	kind, err := scan(d.text())
	if err != nil {
		return err
	}
	if kind != "" {
		return &gate.Rejection{Code: gate.Secret, Reason: "it seems to hold a secret: " + kind, Hint: "Name where the secret is kept instead."}
	}
	if rule := injection.Find(d.text()); rule != "" { // no agent would be told any of it
		return &gate.Rejection{Code: gate.Malformed, Reason: "it reads like orders to an agent (" + string(rule) + ")", Hint: "Say what is so, and not what an agent is to ignore or to run."}
	}
	return nil
}

// Part is a part of the document that somebody may propose another text for.
type Part string

// The parts. A convention is added to the others; of the rest there is one.
const (
	Summary     Part = "summary"
	Convention  Part = "convention"
	Preferences Part = "preferences"
	Focus       Part = "focus"
	Notes       Part = "notes"
)

// Parts lists the parts, in the order of importance.
func Parts() []Part { return []Part{Summary, Convention, Focus, Preferences, Notes} }

// PartOf returns the part of a name, which may be singular or plural.
func PartOf(name string) (Part, bool) {
	name = strings.TrimSuffix(strings.ToLower(strings.TrimSpace(name)), "s")
	for _, p := range Parts() {
		if strings.TrimSuffix(string(p), "s") == name {
			return p, true
		}
	}
	return "", false
}

// Text is what a document says in a part; "" for conventions, to which others are added.
func (d Document) Text(p Part) string {
	switch p {
	case Summary:
		return d.Summary
	case Preferences:
		return d.Preferences
	case Focus:
		return d.Focus
	case Notes:
		return d.Notes
	case Convention:
	}
	return ""
}

// Set says something else in a part, which decides what a merge left open there, or adds a convention that is not there yet.
func (d *Document) Set(p Part, text string) {
	d.Undecided = slices.DeleteFunc(slices.Clone(d.Undecided), func(u Undecided) bool { return u.Part == p })
	d.put(p, text)
}

func (d *Document) put(p Part, text string) {
	switch p {
	case Summary:
		d.Summary = text
	case Preferences:
		d.Preferences = text
	case Focus:
		d.Focus = text
	case Notes:
		d.Notes = text
	case Convention:
		if !slices.ContainsFunc(d.Conventions, func(c string) bool { return strings.EqualFold(c, text) }) {
			d.Conventions = append(slices.Clone(d.Conventions), text)
		}
	}
}

// With returns a document that says a text in a part, normalised. The error is a
// *gate.Rejection if it must not be stored, or if it says so already.
func (d Document) With(p Part, text string, scan func(string) (string, error)) (Document, error) {
	text = strings.Join(strings.Fields(gate.Clean(text)), " ")
	was, conventions := d.Text(p), len(d.Conventions)
	d.Set(p, text)
	if text == "" || d.Text(p) == was && len(d.Conventions) == conventions {
		return d, &gate.Rejection{Code: gate.Malformed, Reason: "the core document says so already, or there is no text", Hint: "Propose what it does not say."}
	}
	return d, d.check(scan, conventions)
}

// normalise brings a document that had some conventions into the form in which it is stored. A merge may have brought more
// conventions than fit: then the other parts can be changed, and no convention is added.
func (d *Document) normalise(had int) error {
	d.Conventions = slices.DeleteFunc(d.Conventions, func(s string) bool { return strings.TrimSpace(s) == "" })
	if len(d.Conventions) > max(maxConventions, had) {
		return &gate.Rejection{Code: gate.Malformed, Reason: fmt.Sprintf("%d critical conventions, at most %d are kept", len(d.Conventions), maxConventions), Hint: "Keep those that every session needs; the others are memories."}
	}
	texts := []*string{&d.Summary, &d.Preferences, &d.Focus, &d.Notes}
	for i := range d.Conventions {
		texts = append(texts, &d.Conventions[i])
	}
	for _, s := range texts {
		*s = strings.Join(strings.Fields(gate.Clean(*s)), " ")
		if n := utf8.RuneCountInString(*s); n > maxText {
			return &gate.Rejection{Code: gate.Malformed, Reason: fmt.Sprintf("a text has %d characters, at most %d are kept", n, maxText), Hint: "Every session begins with it: say it in a sentence or two."}
		}
	}
	return nil
}

// Field is a part of the document with its name for people.
type Field struct{ Name, Text string }

// Fields lists what a document says, in the order of importance.
func (d Document) Fields() (out []Field) {
	add := func(name, text string) {
		if text != "" {
			out = append(out, Field{name, text})
		}
	}
	add("summary", d.Summary)
	for _, c := range d.Conventions {
		add("convention", c)
	}
	add("focus", d.Focus)
	add("preferences", d.Preferences)
	add("notes", d.Notes)
	return out
}

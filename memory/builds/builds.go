// Package builds owns a team's plans of work: a build has phases, a phase deliverables, and a
// deliverable slices of work with their states. A build is a Markdown file that people and agents
// edit alike, so the package reads it by lines and changes single lines. It must not know who shows
// a build, or what else a session is told.
package builds

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"manicule/indexer/treefile"
	"manicule/indexer/workspace"
)

// Folder holds the builds of a project, within the project's own folder.
const Folder = "builds"

// Limits of what is read. A longer plan is several builds.
const (
	MaxSize   = 256 << 10 // bytes of a file
	MaxBuilds = 100
	maxAll    = 2 << 20 // bytes of all files: a session's start reads them, and a clone may bring many
	maxName   = 40      // characters; a session is told the name
)

// Status is the state of a slice, and of what consists of slices.
type Status string

// The states of a slice.
const (
	Planned    Status = "planned"
	InProgress Status = "in progress"
	Blocked    Status = "blocked"
	Done       Status = "done"
)

// Build is a plan as its file states it.
type Build struct {
	Name  string // of the file, without .md
	Title string
	// Branch is the branch on which the work is done, "" for any.
	Branch string
	// Stated is the state that the file's head gives, "" if the slices decide.
	Stated Status
	// Brief says what it is for, Technical what its builders must know: the paragraphs below the
	// headings "Brief" and "Technical context", and Brief also what stands above all headings.
	Brief, Technical string
	Phases           []Phase
	// Modified is when the file was written on this machine.
	Modified time.Time
	// Marked reports whether the file holds conflict markers of git: the slices of both sides count.
	Marked bool
}

// Phase is a part of a build.
type Phase struct {
	Title        string
	Deliverables []Deliverable
}

// Deliverable is what a phase brings about. Its title is "" for slices directly below a phase.
type Deliverable struct {
	Title  string
	Slices []Slice
}

// Slice is a piece of work.
type Slice struct {
	Number int // from 1 on, in the order of the file
	Text   string
	Status Status
	Why    string // it is blocked
	Line   int    // in the file, from 0 on
	// Parent is the number of the slice that this one is a part of, by its indentation, 0 for none.
	Parent int
}

// Path is the file of a build.
func Path(p *workspace.Workspace, name string) string {
	return filepath.Join(p.Root, workspace.Folder, Folder, name+".md")
}

// IsName reports whether a build may be called so: its file's name must be one everywhere.
func IsName(name string) bool {
	return name != "" && len(name) <= maxName && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-_.") == "" && strings.Trim(name, ".-") == name
}

// Load reads the builds of a workspace, by name. A file that can't be read is left out and part of
// the error; the others are returned.
func Load(p *workspace.Workspace) (out []Build, err error) {
	dir := filepath.Join(p.Root, workspace.Folder, Folder)
	entries, rerr := os.ReadDir(dir)
	if errors.Is(rerr, fs.ErrNotExist) {
		return nil, nil
	}
	if rerr != nil {
		return nil, fmt.Errorf("list the builds: %w", rerr)
	}
	var errs []error
	size := int64(0)
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), ".md")
		if !ok || !IsName(name) || !e.Type().IsRegular() {
			continue
		}
		if info, err := e.Info(); err == nil && info.Size() <= MaxSize { // a larger one is not read
			size += info.Size()
		}
		if len(out) == MaxBuilds || size > maxAll {
			errs = append(errs, fmt.Errorf("list the builds: more than %d or %d MB, the rest is left out", MaxBuilds, maxAll>>20))
			break
		}
		b, err := Read(p, name)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		out = append(out, b)
	}
	return out, errors.Join(errs...)
}

// Read reads a build. The error wraps [fs.ErrNotExist] if there is none.
func Read(p *workspace.Workspace, name string) (Build, error) {
	data, info, err := read(p, name)
	if err != nil {
		return Build{}, fmt.Errorf("read the build %s: %w", name, err)
	}
	b := Parse(data)
	b.Name, b.Modified = name, info.ModTime()
	b.Title = cmp.Or(b.Title, name)
	return b, nil
}

// errNoText is returned for a file that is no Markdown, and would be taken for a build without slices.
var errNoText = errors.New("it is no text")

func read(p *workspace.Workspace, name string) (data []byte, info fs.FileInfo, err error) {
	file := Path(p, name)
	if data, err = treefile.ReadOwn(file, MaxSize); err != nil {
		return nil, nil, err
	}
	if bytes.IndexByte(data, 0) >= 0 {
		return nil, nil, &treefile.Error{Path: file, Msg: "it is no text", Err: errNoText, Hint: "Write it anew as Markdown in UTF-8, or remove it."}
	}
	info, err = os.Lstat(file)
	return data, info, err
}

// Slices returns all slices in the order of the file.
func (b *Build) Slices() (out []Slice) {
	for i := range b.Phases {
		out = append(out, b.Phases[i].Slices()...)
	}
	return out
}

// Slices returns the slices of a phase in the order of the file.
func (p *Phase) Slices() (out []Slice) {
	for _, d := range p.Deliverables {
		out = append(out, d.Slices...)
	}
	return out
}

// Status returns the state that the file states, or that of the slices.
func (b *Build) Status() Status { return cmp.Or(b.Stated, StatusOf(b.Slices())) }

// StatusOf returns the state of what consists of some slices: done if all are; in progress if one
// is, or if some are done; blocked if nothing else goes on; else planned.
func StatusOf(list []Slice) Status {
	n := map[Status]int{}
	for _, s := range list {
		n[s.Status]++
	}
	switch {
	case len(list) == 0:
		return Planned
	case n[Done] == len(list):
		return Done
	case n[InProgress] > 0:
		return InProgress
	case n[Blocked] > 0 && n[Planned] == 0:
		return Blocked
	case n[Done] > 0:
		return InProgress
	case n[Blocked] > 0:
		return Blocked
	}
	return Planned
}

// Current returns the build that is worked on: that of the branch, else one that has begun, the
// latest written first. Builds of other branches and finished ones are none.
func Current(list []Build, branch string) (Build, bool) {
	var out []Build
	for _, b := range list {
		switch s := b.Status(); {
		case s == Done || b.Branch != "" && b.Branch != branch, b.Stated == Planned || b.Stated == Blocked:
		case b.Branch != "" || s != Planned:
			out = append(out, b)
		}
	}
	if len(out) == 0 {
		return Build{}, false
	}
	return slices.MinFunc(out, func(a, b Build) int {
		rank := func(b Build) int {
			switch {
			case b.Branch != "":
				return 0
			case b.Status() == InProgress:
				return 1
			}
			return 2
		}
		return cmp.Or(cmp.Compare(rank(a), rank(b)), b.Modified.Compare(a.Modified), strings.Compare(a.Name, b.Name))
	}), true
}

// Phase returns the phase that is worked on: the first with a slice in progress, else the first that
// is not done. It is nil if there is none.
func (b *Build) Phase() *Phase {
	var open *Phase
	for i := range b.Phases {
		p := &b.Phases[i]
		for _, s := range p.Slices() {
			if s.Status == InProgress {
				return p
			}
		}
		if open == nil && StatusOf(p.Slices()) != Done {
			open = p
		}
	}
	return open
}

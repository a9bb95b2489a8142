package plans

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"manicule/indexer/gitinfo"
	"manicule/indexer/gittree"
	"manicule/indexer/sorting"
	"manicule/indexer/workspace"
	"manicule/memory"
	"manicule/memory/builds"
	"manicule/memory/gate"
)

// maxSliceText is the length of a text that is written into a build, in characters; maxBuildBrief that of a
// brief.
const (
	maxSliceText  = 300
	maxBuildBrief = 4_000
)

// List is the list of a workspace's builds. It is safe for concurrent use by goroutines and processes.
type List struct {
	place   *workspace.Workspace
	texts   texts
	writing func(path string, write func() error) error // keeps a copy while git waits
}

// texts checks what may be told to agents.
type texts interface {
	CheckText(what, text string) error
}

// Of returns the builds of a workspace.
func Of(w *memory.Workspace) *List {
	return &List{place: w.Place(), texts: w.Gate(), writing: w.Stopped().Writing}
}

// All lists the builds of the workspace by name. Files that can't be read are part of the error, and
// the others are returned.
func (l *List) All() ([]builds.Build, error) { return builds.Load(l.place) }

// Get returns a build by its name; "" is the one that is worked on. The error names what to do if
// there is none.
func (l *List) Get(name string) (builds.Build, error) {
	if name = strings.TrimSuffix(path.Base(strings.TrimSpace(name)), ".md"); name == "." {
		name = ""
	}
	if name != "" {
		b, err := l.named(name)
		if errors.Is(err, fs.ErrNotExist) {
			return b, &memory.UserError{Msg: fmt.Sprintf("there is no build %q", name), Err: memory.ErrNotFound, Hint: "`manicule build list` lists them; `manicule build new TITLE` begins one."}
		}
		return b, err
	}
	list, err := l.All()
	if b, ok := builds.Current(list, gitinfo.Branch(l.place.GitDir)); ok {
		return b, nil
	}
	open := slices.DeleteFunc(list, func(b builds.Build) bool { return b.Status() == builds.Done })
	if len(open) == 1 && (open[0].Branch == "" || open[0].Branch == gitinfo.Branch(l.place.GitDir)) {
		return open[0], nil
	}
	if err != nil { // the one that is meant may be the file that can't be read
		return builds.Build{}, err
	}
	if len(open) == 0 {
		hint := "`manicule build new TITLE` begins one."
		if len(list) > 0 {
			hint += " `manicule build list` lists those that are done; `manicule build show` and `history` take their names."
		}
		return builds.Build{}, &memory.UserError{Msg: "no build is under way", Err: memory.ErrNotFound, Hint: hint}
	}
	hint := "Name one: `manicule build list` lists them."
	if b := open[0]; len(open) == 1 {
		hint = fmt.Sprintf("%s is of branch %s: switch to that, or name it with --build (`manicule build show` and `history` take the name alone).", b.Name, b.Branch)
	}
	return builds.Build{}, &memory.UserError{Msg: fmt.Sprintf("of %d open builds none is under way here", len(open)), Err: memory.ErrNotFound, Hint: hint}
}

func (l *List) named(name string) (builds.Build, error) {
	if !builds.IsName(name) {
		return builds.Build{}, &memory.UserError{Msg: fmt.Sprintf("%q can't be the name of a build", name), Err: memory.ErrNotFound, Hint: "Use small letters, digits and dashes."}
	}
	return builds.Read(l.place, name)
}

// New is a build that begins.
type New struct {
	Name, Title, Branch string // the name is made from the title when empty
	Brief, Technical    string // what it is for, and what its builders must know
}

// Begin writes the file of a build that begins.
func (l *List) Begin(ctx context.Context, n New) (builds.Build, error) {
	if !l.place.IsSetUp() {
		return builds.Build{}, &memory.UserError{Msg: "there are no memories in " + l.place.Root + ", so no session would be told", Hint: "Run `manicule init` first."}
	}
	if err := l.check(text{"title", &n.Title}, text{"branch", &n.Branch}); err != nil {
		return builds.Build{}, err
	}
	if err := l.checkBrief("brief", &n.Brief); err != nil {
		return builds.Build{}, err
	}
	if err := l.checkBrief("technical context", &n.Technical); err != nil {
		return builds.Build{}, err
	}
	if n.Title == "" {
		return builds.Build{}, &memory.UserError{Msg: "a build needs a title", Hint: "Say in a few words what is to be built."}
	}
	if n.Name = cmp.Or(n.Name, nameOf(n.Title)); !builds.IsName(n.Name) {
		return builds.Build{}, &memory.UserError{Msg: fmt.Sprintf("%q can't be the name of a build's file", n.Name), Hint: "Give one of small letters, digits and dashes with --name."}
	}
	b, err := l.change(ctx, n.Name, true, func([]byte, builds.Build) ([]byte, error) {
		return builds.New(n.Title, n.Branch, n.Brief, n.Technical), nil
	})
	if errors.Is(err, builds.ErrExists) {
		return b, &memory.UserError{Msg: fmt.Sprintf("there is a build %q already", n.Name), Err: err, Hint: "Add to it with `manicule build add`, or give another --name."}
	}
	return b, err
}

// nameOf makes the name of a file from a title.
func nameOf(title string) string {
	words := strings.FieldsFunc(strings.ToLower(title), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	name := strings.Join(words, "-")
	if len(name) > 40 {
		name = name[:40]
		if i := strings.LastIndexByte(name, '-'); i > 0 {
			name = name[:i]
		}
	}
	return strings.Trim(name, "-")
}

// withoutMark returns the text of an item of a Markdown list: the file of a build gives each slice its own mark.
func withoutMark(slice string) string {
	for _, mark := range []string{"- [ ]", "* [ ]", "+ [ ]", "[ ]", "-", "*", "+"} {
		if rest, ok := strings.CutPrefix(slice+" ", mark+" "); ok {
			return strings.TrimSpace(rest)
		}
	}
	return slice
}

// AddPart appends a slice of work as a part of another one, which is named as in [List.SetSlice].
func (l *List) AddPart(ctx context.Context, name, above, slice string) (builds.Build, builds.Slice, error) {
	return l.addSlice(ctx, name, slice, func(data []byte, was builds.Build, slice string) ([]byte, error) {
		s, err := was.Find(above)
		if err != nil {
			return nil, &memory.UserError{Msg: fmt.Sprintf("the build has no slice %q: %s", above, err), Err: errors.Join(memory.ErrNotFound, err), Hint: "`manicule build show` lists them with their numbers."}
		}
		return builds.AddBelow(data, s, slice)
	})
}

// AddSlice appends a slice of work to a build, and returns it.
func (l *List) AddSlice(ctx context.Context, name, phase, deliverable, slice string) (builds.Build, builds.Slice, error) {
	if err := l.check(text{"phase", &phase}, text{"deliverable", &deliverable}); err != nil {
		return builds.Build{}, builds.Slice{}, err
	}
	return l.addSlice(ctx, name, slice, func(data []byte, _ builds.Build, slice string) ([]byte, error) {
		return builds.Add(data, phase, deliverable, slice), nil
	})
}

func (l *List) addSlice(ctx context.Context, name, slice string, add func(data []byte, was builds.Build, slice string) ([]byte, error)) (builds.Build, builds.Slice, error) {
	b, err := l.Get(name)
	if err != nil {
		return b, builds.Slice{}, err
	}
	if err := l.check(text{"slice", &slice}); err != nil {
		return b, builds.Slice{}, err
	}
	slice = withoutMark(slice)
	if slice == "" {
		return b, builds.Slice{}, &memory.UserError{Msg: "a slice needs a text", Hint: "Say in a sentence what is to be done."}
	}
	b, err = l.change(ctx, b.Name, false, func(data []byte, was builds.Build) ([]byte, error) {
		if s, err := was.Find(slice); err == nil && strings.EqualFold(s.Text, slice) {
			return nil, &memory.UserError{Msg: fmt.Sprintf("slice %d says so already: %s", s.Number, s.Text), Hint: "Change its state instead."}
		}
		return add(data, was, slice)
	})
	if err != nil {
		return b, builds.Slice{}, err
	}
	s, err := b.Find(slice)
	if err != nil {
		err = fmt.Errorf("find the slice again: %w", err)
	}
	return b, s, err
}

// SetSlice changes the state of a slice, which is named by its number or by words of its text.
func (l *List) SetSlice(ctx context.Context, name, slice string, to builds.Status, why string) (builds.Build, builds.Slice, error) {
	b, err := l.Get(name)
	if err != nil {
		return b, builds.Slice{}, err
	}
	if err := l.check(text{"reason", &why}); err != nil {
		return b, builds.Slice{}, err
	}
	n := 0
	b, err = l.change(ctx, b.Name, false, func(data []byte, was builds.Build) ([]byte, error) {
		s, err := was.Find(slice)
		switch {
		case errors.Is(err, builds.ErrAmbiguous):
			return nil, &memory.UserError{Msg: fmt.Sprintf("several slices of %s have %q in their text", b.Name, slice), Err: err, Hint: "Give the number: `manicule build show " + b.Name + "`."}
		case err != nil:
			return nil, &memory.UserError{Msg: fmt.Sprintf("%s has no slice %q", b.Name, slice), Err: errors.Join(memory.ErrNotFound, err), Hint: "Give its number or words of its text: `manicule build show " + b.Name + "`."}
		}
		n = s.Number
		return builds.SetStatus(data, s, to, why)
	})
	if err != nil {
		return b, builds.Slice{}, err
	}
	return b, b.Slices()[n-1], nil
}

// change rewrites a build's file; writers queue.
func (l *List) change(ctx context.Context, name string, create bool, change func([]byte, builds.Build) ([]byte, error)) (builds.Build, error) {
	unlock, err := memory.LockEdits(ctx, l.place)
	if err != nil {
		return builds.Build{}, err
	}
	defer unlock()
	var b builds.Build
	err = l.writing(builds.Path(l.place, name), func() error {
		b, err = builds.Change(l.place, name, create, change)
		return err
	})
	return b, err
}

// text is a text with its name.
type text struct {
	what string
	s    *string
}

// check cleans texts that are written into a build, and refuses what no agent may be told.
func (l *List) check(texts ...text) error {
	for _, t := range texts {
		*t.s = strings.Join(strings.Fields(gate.Clean(*t.s)), " ")
		if n := utf8.RuneCountInString(*t.s); n > maxSliceText {
			return &gate.Rejection{Code: gate.Malformed, Reason: fmt.Sprintf("the %s has %d characters, at most %d are kept", t.what, n, maxSliceText), Hint: "Cut the work into smaller slices."}
		}
		if err := l.texts.CheckText(t.what, *t.s); err != nil {
			return err
		}
	}
	return nil
}

func (l *List) checkBrief(what string, s *string) error {
	if *s = strings.TrimSpace(gate.Clean(*s)); utf8.RuneCountInString(*s) > maxBuildBrief {
		return &gate.Rejection{Code: gate.Malformed, Reason: fmt.Sprintf("the %s has more than %d characters", what, maxBuildBrief), Hint: "Write the rest into the file."}
	}
	return l.texts.CheckText(what, *s)
}

// SliceChange is what one commit changed of a slice.
type SliceChange struct {
	Slice     string
	From, To  builds.Status // "" for a slice that was added or removed
	At        time.Time
	Commit    string // "" for what is not committed
	Author    string
	CommitMsg string
}

// History lists how the slices of a build changed, newest first, as git knows it.
func (l *List) History(b builds.Build) []SliceChange {
	p := l.place
	head := gitinfo.Head(p.GitDir, p.GitCommonDir)
	var states []slicesAt
	if p.GitDir != "" && head != "" {
		repo := gittree.Open(p.GitDir, p.GitCommonDir, p.GitPrefix())
		defer func() { _ = repo.Close() }() // nothing was written
		for _, v := range repo.FileVersions(head, []string{path.Join(workspace.Folder, builds.Folder, b.Name+".md")}, memory.MaxCommits) {
			if v.Blob == "" {
				states = append(states, slicesAt{commit: v.Commit})
				continue
			}
			if data, err := repo.Blob(v.Blob); err == nil {
				old := builds.Parse(data)
				states = append(states, slicesAt{v.Commit, old.Slices()})
			}
		}
	}
	sorting.StableFunc(states, func(a, b slicesAt) int { return b.commit.Time.Compare(a.commit.Time) })
	states = append([]slicesAt{{slices: b.Slices()}}, states...)
	var out []SliceChange
	for i := range states {
		var before []builds.Slice
		if i+1 < len(states) {
			before = states[i+1].slices
		}
		out = append(out, states[i].since(before)...)
	}
	return out
}

// slicesAt are the slices of a build at a commit.
type slicesAt struct {
	commit gittree.Commit // zero for the file as it is
	slices []builds.Slice
}

// since compares the slices with those before, by their texts.
func (now slicesAt) since(before []builds.Slice) (out []SliceChange) {
	add := func(text string, from, to builds.Status) {
		out = append(out, SliceChange{Slice: text, From: from, To: to, At: now.commit.Time, Commit: now.commit.ID, Author: now.commit.Author, CommitMsg: now.commit.Subject})
	}
	was := map[string]builds.Status{}
	for _, s := range before {
		was[s.Text] = s.Status
	}
	for _, s := range now.slices {
		from, known := was[s.Text]
		delete(was, s.Text)
		if !known || from != s.Status {
			add(s.Text, from, s.Status)
		}
	}
	for _, s := range before {
		if from, gone := was[s.Text]; gone {
			add(s.Text, from, "")
			delete(was, s.Text)
		}
	}
	return out
}

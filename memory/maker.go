package memory

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"manicule/grammars"
	"manicule/indexer/anchor"
	"manicule/indexer/gitinfo"
	"manicule/indexer/treefile"
	"manicule/indexer/workspace"
	"manicule/memory/branch"
	"manicule/memory/file"
	"manicule/memory/gate"
	"manicule/memory/lint"
	"manicule/memory/scope"
	"manicule/memory/work"
)

// maxAnchored is the size in bytes of the largest file in which anchors are made.
const maxAnchored = 2 << 20

// Maker makes memories: from what a writer says, by the workspace's defaults, with their anchors; and the next versions
// of those that are there. It reads the code and git, and no memory, and stores nothing. It is safe for concurrent use,
// but for its setters.
type Maker struct {
	place      *workspace.Workspace
	work       *work.Register
	checks     *checks
	now        func() time.Time
	random     io.Reader // for uuids
	getenv     func(string) string
	user       string          // author of what is written; from git's configuration when empty
	visibility file.Visibility // of what names none
	makeAnchor MakeAnchor      // may be nil
}

// MakeAnchor ties an anchor to a place in a source, as anchoring.Make does. The path of the place is stored in the record;
// lang is a grammars.Language ID, or empty.
type MakeAnchor func(ctx context.Context, p anchor.Place, lang string, src []byte) (anchor.Anchor, error)

// errNoParsers means that a place was named to a workspace that was opened without what makes anchors.
var errNoParsers = errors.New("anchors can't be made here: the workspace was opened without parsers")

// SetDefaults sets the author ("" for git's user) and the visibility ("" for project) of what is
// written from now on. It must not run concurrently with other methods.
func (k *Maker) SetDefaults(user string, shown file.Visibility) {
	if user != "" {
		k.user = user
	}
	k.visibility = shown
}

// SetStrict restricts new memories to four types and to short texts. It must not run concurrently
// with other methods.
func (k *Maker) SetStrict(on bool) { k.checks.strict = on }

// realScope returns patterns that name files by their own names, not by those of links to them.
func (k *Maker) realScope(patterns []string) []string {
	out := slices.Clone(patterns)
	for i, p := range out {
		out[i] = scope.Real(p, k.place.Real)
	}
	return out
}

// places splits a scope into patterns and what names a symbol or lines of an existing file, which a pattern can't mean.
func (k *Maker) places(given []string) (patterns, places []string) {
	for _, p := range given {
		if asked, ok := Ask(k.place, p); ok && p != "" && asked.Path != "" && asked.Named() && exists(k.place, asked.Path) {
			places = append(places, p)
		} else {
			patterns = append(patterns, p)
		}
	}
	return patterns, places
}

// settleScope names the files of a changed scope by their own names, and makes anchors of what names a symbol or lines in it.
func (k *Maker) settleScope(ctx context.Context, m *file.Memory) error {
	patterns, places := k.places(m.Scope)
	for _, at := range places {
		a, err := k.Anchor(ctx, at)
		if err != nil {
			return err
		}
		m.Anchors = withAnchor(m.Anchors, a)
	}
	if m.Scope = k.realScope(patterns); len(patterns) == 0 && len(places) > 0 {
		m.Scope = nil
	}
	return nil
}

// withAnchor appends an anchor, unless there is one at the same place.
func withAnchor(list []anchor.Anchor, a anchor.Anchor) []anchor.Anchor {
	for _, b := range list {
		sameLines := a.Lines == b.Lines || a.Lines != nil && b.Lines != nil && *a.Lines == *b.Lines
		if a.Kind == b.Kind && a.Path == b.Path && a.Symbol == b.Symbol && a.Ordinal == b.Ordinal && (sameLines || a.HasSymbol()) {
			return list
		}
	}
	return append(list, a)
}

// NewMemory turns a draft into a memory and fills in defaults. It checks and stores nothing.
func (k *Maker) NewMemory(ctx context.Context, d Draft) (*file.Memory, error) {
	if gate.Clean(d.What) == "" {
		return nil, noText()
	}
	id, err := k.NewID()
	if err != nil {
		return nil, err
	}
	now := file.At(k.now())
	m := &file.Memory{Format: file.Format, UUID: id, Type: d.Type, What: d.What, Why: d.Why, Scope: d.Scope, ContextLabel: d.Label,
		Tags: slices.Clone(d.Tags), Visibility: file.Project, Importance: d.Importance, Confidence: d.Confidence, Pinned: d.Pin,
		Relations: d.Relations, Lineage: file.Lineage{Version: 1, ChangeKind: "create"}, CreatedAt: now, UpdatedAt: now}
	patterns, places := k.places(d.Scope)
	if m.Scope = k.realScope(patterns); len(patterns) == 0 {
		m.Scope = nil
	}
	for _, at := range slices.Concat(d.At, places) {
		a, err := k.Anchor(ctx, at)
		if err != nil {
			return nil, err
		}
		m.Anchors = withAnchor(m.Anchors, a)
	}
	if k.checks.strict && !slices.Contains(strictTypes(), m.Type) {
		m.Type = ""
	}
	tied := m.Scope != nil || len(m.Anchors) > 0
	if m.Type == "" {
		m.Type = file.Convention
		if tied {
			m.Type = file.Gotcha
		}
	}
	if err := setDetails(m, d.Details); err != nil {
		return nil, err
	}
	m.Layer = m.Type.DefaultLayer(tied)
	if m.Importance == "" {
		m.Importance = file.Medium
	}
	if m.Confidence == 0 {
		m.Confidence = 1
	}
	if k.visibility != "" {
		m.Visibility = k.visibility
	}
	if d.Visibility != "" {
		m.Visibility = d.Visibility
	}
	if d.Personal {
		m.Visibility = file.Personal
	}
	if d.For != "" {
		m.Owner = &file.Owner{Kind: file.OwnedByAgent, ID: d.For}
	}
	if d.During != "" {
		m.Owner, m.Visibility = &file.Owner{Kind: file.OwnedBySession, ID: d.During}, file.Personal
	}
	if err := k.attribute(m, d); err != nil {
		return nil, err
	}
	if n := utf8.RuneCountInString(gate.Clean(m.What)); k.checks.strict && n > gate.Long {
		return nil, &UserError{Msg: fmt.Sprintf("%q has %d characters, at most %d are kept while remember.strict is set", "what", n, gate.Long), Err: errMalformed, Hint: "Say it in a sentence or two, and the rest as the reason."}
	}
	return m, nil
}

// setDetails gives a new memory its details.
func setDetails(m *file.Memory, d file.Details) error {
	if len(d.Lines()) == 0 {
		return nil
	}
	if err := m.SetDetails(d); err != nil {
		return detailsError(err)
	}
	return checkDetails(m)
}

// checkDetails refuses details that a memory's type can't have.
func checkDetails(m *file.Memory) error {
	if _, err := m.ReadDetails(); err != nil {
		return detailsError(err)
	}
	if _, _, err := lint.Of(m); err != nil {
		return &UserError{Msg: err.Error(), Err: errMalformed, Hint: "It is a regular expression of Go: https://pkg.go.dev/regexp/syntax."}
	}
	return nil
}

func detailsError(err error) error {
	return &UserError{Msg: err.Error(), Err: errMalformed, Hint: "--instead is for a dead end, --step for a recipe (see --type), --task for a gotcha, a dead end, an error pattern or a recipe."}
}

// strictTypes are the types that remember.strict keeps.
func strictTypes() []file.Type {
	return []file.Type{file.Convention, file.Pattern, file.Gotcha, file.Decision}
}

// attribute sets the author and the origin of a memory.
func (k *Maker) attribute(m *file.Memory, d Draft) error {
	author := "human"
	if d.by == nil {
		d.by = k.author()
	}
	m.Contributor = d.by.name
	m.Trust = file.Trust{Origin: d.Origin, Tainted: d.Tainted, Citation: d.Citation}
	if d.Agent {
		author = "agent"
		m.Contributor = cmp.Or(d.Tool, d.by.name) // without a tool a person may have typed it
		m.Trust.NeedsReview = true
	}
	if m.Trust.Origin == "" {
		m.Trust.Origin = file.UserTaught
		if d.Agent {
			m.Trust.Origin = file.AgentExplicit
		}
	}
	tool := cmp.Or(d.Tool, file.OwnTool)
	m.GeneratedBy = &file.GeneratedBy{Tool: tool, AuthorType: author}
	m.Provenance = &file.Provenance{Import: d.Import}
	if d.Import != nil {
		m.Lineage.ChangeKind = "import"
		m.Source = "import"
	}
	if d.Session != "" {
		m.Provenance.Session = &d.Session
	}
	if c := d.by.commit; c != "" {
		m.Provenance.Commit = &c
	}
	// What is about the whole project, and what a rule file says, doesn't depend on a branch's code.
	if m.Visibility == file.Personal && m.Type != file.Preference && d.Import == nil && len(m.Anchors)+len(m.Scope) > 0 {
		m.Provenance.Branch = d.by.feature()
	}
	if name := k.work.Methodology(); name != file.Native && d.Import == nil {
		m.Provenance.Methodology = name
	}
	in, err := k.workOf(d.Work, d.by.work)
	if err == nil {
		joinWork(m, in)
	}
	return err
}

// author is the person who writes memories, and the commit that is checked out.
type author struct {
	name, commit string
	feature      func() string        // the checked-out branch, "" for none or the default one
	work         func() *file.WorkRef // the unit of work under way, nil for none
}

func (k *Maker) author() *author {
	return &author{k.Author(), gitinfo.Head(k.place.GitDir, k.place.GitCommonDir), sync.OnceValue(func() string { return k.BranchName(branch.Feature(k.place, k.getenv)) }), sync.OnceValue(k.work.Here)}
}

// BranchName returns the name of a branch as a memory may have it: none if it holds a secret, as one that is made of the title of
// an issue may. The memory then concerns all branches.
func (k *Maker) BranchName(name string) string {
	if name == "" {
		return ""
	}
	if kind, err := k.checks.gate.Scan(name); err != nil || kind != "" {
		return ""
	}
	return name
}

// workOf returns the unit of work that a writer names, or the one under way if they name none.
func (k *Maker) workOf(named string, here func() *file.WorkRef) (*file.WorkRef, error) {
	switch named {
	case "":
		return here(), nil
	case work.None:
		return nil, nil
	}
	r, ok := work.Parse(named)
	if !ok {
		return nil, &UserError{Msg: fmt.Sprintf("%q names no unit of work", named), Err: errMalformed, Hint: "Write #42 for an issue, ABC-123 for a ticket, or KIND:ID, such as mission:payments."}
	}
	r = k.work.Complete(r)
	return &r, nil
}

// joinWork makes a new memory a part of a unit of work, and of its mission. What is for one session alone is part of none:
// the session may be over before the work is accepted. What a mission came to is for the whole project.
func joinWork(m *file.Memory, r *file.WorkRef) {
	if r == nil || m.Provenance == nil || m.Provenance.Import != nil || m.Type == file.Preference || m.OfSession() != "" {
		return
	}
	m.Provenance.Work = r
	for _, key := range append([]string{r.Key()}, r.Within...) {
		if m.Type == file.WorkUnitOutcome && key == r.Key() {
			continue
		}
		if id, ok := strings.CutPrefix(key, work.Mission+":"); ok && m.Owner == nil && !m.Pinned {
			m.Owner = &file.Owner{Kind: file.OwnedByMission, ID: id}
		}
	}
}

// CheckDraft runs the checks of a draft. It lets pass what would be refused as one of the tolerated codes.
func (k *Maker) CheckDraft(ctx context.Context, m *file.Memory, tolerated ...gate.Code) error {
	return k.checks.draft(ctx, m, tolerated...)
}

// Author is the person at this machine, as memories name them.
func (k *Maker) Author() string {
	if k.user != "" {
		return k.user
	}
	return gitinfo.User(k.place.GitDir, k.place.GitCommonDir, k.getenv)
}

// Anchor makes the anchor for a place that a person named as FILE, FILE:LINE, FILE:LINE-LINE or
// FILE#Symbol. The path is absolute or relative to the root. If the place does not exist, the error
// is a *UserError.
func (k *Maker) Anchor(ctx context.Context, at string) (anchor.Anchor, error) {
	p, err := anchor.ParsePlace(k.place.Below(at))
	if err != nil {
		return anchor.Anchor{}, &UserError{Msg: k.noPlace(at, err), Err: errors.Join(errMalformed, err), Hint: "Name a place as FILE, FILE:LINE, FILE:LINE-LINE or FILE#Symbol."}
	}
	rel, ok := k.place.Rel(p.Path)
	if ok && rel == "" {
		return anchor.Anchor{}, &UserError{Msg: fmt.Sprintf("%q names the workspace itself, not a file in it", at), Err: errMalformed,
			Hint: "Name a place as FILE, FILE:LINE, FILE:LINE-LINE or FILE#Symbol. Without a place and a scope, a memory is about the whole project."}
	}
	if !ok {
		return anchor.Anchor{}, &UserError{Msg: fmt.Sprintf("%s is outside the workspace %s", p.Path, k.place.Root), Err: errMalformed,
			Hint: "Name a file below the workspace, or use --root."}
	}
	if !utf8.ValidString(rel) {
		return anchor.Anchor{}, &UserError{Msg: fmt.Sprintf("the name of %q is not UTF-8, which JSON can't hold", rel), Err: errMalformed,
			Hint: "Give the folder as a scope, or rename the file."}
	}
	if strings.Contains(rel, `\`) { // of a system where that is no separator
		return anchor.Anchor{}, &UserError{Msg: fmt.Sprintf("the name of %q holds a backslash, which a memory file takes for a slash", rel), Err: errMalformed,
			Hint: "Give the folder as a scope, or rename the file."}
	}
	p.Path, p.Ask = rel, true
	real, inside := k.place.Real(rel)
	if !inside || inGit(rel) || inGit(real) {
		return anchor.Anchor{}, &UserError{Msg: fmt.Sprintf("%s is not part of the workspace %s: it leads outside, or into git's own folder", rel, k.place.Root), Err: errMalformed,
			Hint: "Name the file itself, where it belongs to the project."}
	}
	if strings.HasPrefix(real, ".manicule/memories/") { // each edit of that memory would make it stale, and no editor shows it there
		return anchor.Anchor{}, &UserError{Msg: rel + " is the file of a memory", Err: errMalformed, Hint: "`manicule edit ID` changes that memory; name the code that this one is about."}
	}
	// The code graph and agents know a file by its own name, not by those of the links to it.
	rel, p.Path = real, real
	abs := filepath.Join(k.place.Root, filepath.FromSlash(rel))
	st, err := os.Stat(abs)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return anchor.Anchor{}, &UserError{Msg: "there is no file " + rel, Err: ErrNoFile, Hint: k.hintNoFile(rel)}
	case err != nil:
		return anchor.Anchor{}, &UserError{Msg: err.Error(), Err: err, Hint: "Check that the file can be read."}
	case st.IsDir():
		return anchor.Anchor{}, &UserError{Msg: rel + " is a folder", Err: errMalformed, Hint: "Give it as a scope: --scope '" + rel + "/**'."}
	case !st.Mode().IsRegular():
		return anchor.Anchor{}, &UserError{Msg: rel + " is not a regular file", Err: errMalformed, Hint: "Pipes and devices have no lines to cite; give a scope: --scope '" + rel + "'."}
	case st.Size() > maxAnchored:
		return anchor.Anchor{}, &UserError{Msg: fmt.Sprintf("%s has %d MB, anchors are made in files up to %d MB", rel, st.Size()>>20, maxAnchored>>20), Err: errMalformed,
			Hint: "Give it as a scope: --scope '" + rel + "'."}
	}
	src, err := treefile.ReadWithin(k.place.Root, rel, maxAnchored)
	if err != nil {
		return anchor.Anchor{}, &UserError{Msg: err.Error(), Err: err, Hint: "Check that the file can be read."}
	}
	if k.makeAnchor == nil {
		return anchor.Anchor{}, errNoParsers
	}
	lang, known := grammars.ForFile(rel, src) // an unknown language has no symbols, but files and lines
	if !known && p.Symbol != "" {
		return anchor.Anchor{}, &UserError{Msg: fmt.Sprintf("the symbols of %s are not known: its language is none of those that are", rel), Err: errMalformed,
			Hint: "Name a line instead, as in " + rel + ":12."}
	}
	a, err := k.makeAnchor(ctx, p, lang.ID, src)
	if err != nil {
		return a, &UserError{Msg: err.Error(), Err: errors.Join(errMalformed, err), Hint: hintPlace(err, rel)}
	}
	a.Blob = gitinfo.BlobID(src)
	a.Commit = gitinfo.Head(k.place.GitDir, k.place.GitCommonDir)
	return a, nil
}

// noPlace says why a text names no place, without the forms of one, which the hint has.
func (k *Maker) noPlace(at string, err error) string {
	if rel, ok := k.place.Rel(at); ok {
		at = rel
	}
	msg := fmt.Sprintf("%q is no place", at)
	if e, ok := errors.AsType[*anchor.PlaceError](err); ok && e.Why != "" {
		msg += ": " + e.Why
	}
	return msg
}

// hintPlace returns the hint for an error of MakeAnchor.
func hintPlace(err error, rel string) string {
	s, ok := errors.AsType[*anchor.SymbolError](err)
	switch {
	case !ok:
	case s.Ambiguous && len(s.Near) > 0:
		return "Say which one: " + rel + "#" + s.Near[0] + "."
	case isLineOfLink(s.Symbol):
		return "Name a line behind a colon: " + rel + ":" + strings.ReplaceAll(s.Symbol, "L", "") + "."
	case len(s.Near) == 1:
		return "Did you mean " + rel + "#" + s.Near[0] + "? `manicule outline " + rel + "` lists what it has."
	default:
		return "`manicule outline " + rel + "` lists the symbols that it has; a line is named as " + rel + ":12."
	}
	return "Name a line or a symbol that the file has."
}

// isLineOfLink reports whether a place ends like a link to a code host: FILE#L12, FILE#L12-L20.
func isLineOfLink(fragment string) bool {
	from, to, span := strings.Cut(fragment, "-")
	from, marked := strings.CutPrefix(from, "L")
	return marked && isNumber(from) && (!span || isNumber(strings.TrimPrefix(to, "L")))
}

func isNumber(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

// hintNoFile returns the hint for a place in a file that is not there.
func (k *Maker) hintNoFile(rel string) string {
	if name, symbol, ok := strings.Cut(rel, ":"); ok { // FILE:Symbol, or FILE::Class::test as pytest writes it
		symbol = anchor.PlainSymbol(strings.TrimLeft(symbol, ":"))
		if st, err := os.Stat(filepath.Join(k.place.Root, filepath.FromSlash(name))); err == nil && st.Mode().IsRegular() && symbol != "" {
			return "A symbol is named behind a #: " + name + "#" + symbol + "."
		}
	}
	return "For files that don't exist yet, give a scope: --scope '" + rel + "'."
}

// inGit reports whether a path relative to the root lies in git's own folder.
func inGit(rel string) bool {
	return slices.Contains(strings.Split(filepath.ToSlash(rel), "/"), ".git")
}

// Successor returns the next version of a memory, with the same content.
func (k *Maker) Successor(old *file.Memory, kind, note string) (*file.Memory, error) {
	parent, err := old.Hash()
	if err != nil {
		return nil, err
	}
	m := old.Clone()
	m.Lineage.Version, m.Lineage.Parent = old.Lineage.Next(), parent
	m.Lineage.Merged, m.Lineage.By = nil, k.Author()
	m.Lineage.ChangeKind, m.Lineage.ChangeNote = kind, note
	if kind != file.DisputeKind { // a doubt writes nothing anew: it would make the memory younger, and more trusted
		m.UpdatedAt = file.At(k.now())
	}
	file.KeepAuthor(m, old)
	return m, nil
}

// Verify marks a memory as verified by the person at this machine, now.
func (k *Maker) Verify(m *file.Memory) {
	at := file.At(k.now())
	m.Trust.VerifiedBy, m.Trust.VerifiedAt, m.Trust.NeedsReview = k.Author(), &at, false
	m.Trust.SetViews(nil)
}

// vouch names whoever edits the words of a memory that was verified as the one who verified it: others have not read the new ones.
func (k *Maker) vouch(m, old *file.Memory, kind string) {
	if kind != editKind || m.Trust.VerifiedBy == "" || m.Trust.VerifiedBy == k.Author() || m.What == old.What && m.Why == old.Why && string(m.Details) == string(old.Details) {
		return
	}
	m.Trust.VerifiedBy, m.Trust.VerifiedAt = k.Author(), nil
	if m.Trust.VerifiedBy != "" { // else git names nobody who could vouch
		at := file.At(k.now())
		m.Trust.VerifiedAt = &at
	}
}

// NewID makes a time-ordered uuid (version 7, RFC 9562) from the workspace's clock and randomness.
func (k *Maker) NewID() (string, error) {
	id, err := uuid.NewRandomFromReader(k.random)
	if err != nil {
		return "", fmt.Errorf("make a uuid: %w", err)
	}
	ms := k.now().UnixMilli()
	for i := range 6 {
		id[i] = byte(ms >> (40 - 8*i))
	}
	id[6] = 0x70 | id[6]&0x0f
	return id.String(), nil
}

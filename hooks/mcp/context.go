package mcp

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"manicule/hooks/learn"
	"manicule/hooks/nudge"
	"manicule/indexer/sorting"
	"manicule/memory"
	"manicule/memory/branch"
	"manicule/memory/episode"
	"manicule/memory/file"
	"manicule/memory/retrieve"
	"manicule/memory/search"
	"manicule/memory/store"
	"manicule/memory/work"
)

type contextIn struct {
	Task   string   `json:"task"`
	Paths  []string `json:"paths"`
	Budget int      `json:"budget"`
	// Estimate is how many steps the task is reckoned to take, to be scaled by what such work took.
	Estimate int `json:"estimate"`
	// Contents is how many tokens of files that such work needs are wanted; none by default.
	Contents int `json:"contents"`
	// Resume asks for what the last session on the branch left.
	Resume bool `json:"resume"`
}

// Section is one group of memories for a task.
type Section struct {
	Name  string
	Items []Item
}

// RelatedFile is a file that may be relevant for the task, with the reason.
type RelatedFile struct {
	File string
	Why  string
}

// Bundle is the relevant knowledge for a task.
type Bundle struct {
	Task     string
	Sections []Section
	Files    []RelatedFile
	Failures []string
	Omitted  []Omission
	Warnings warnings
	Scaled   string // what an estimate amounts to
	Left     string // by the last session on the branch
	Contents []FileContent
}

// sectionSpec describes a section: its types, its share of the budget, and its maximum length.
type sectionSpec struct {
	name, title string
	types       []file.Type
	share       float64
	most        int
}

// sectionSpecs lists the sections, the costliest to miss first. Dead ends are constraints;
// memories of similar tasks help with estimates.
func sectionSpecs() []sectionSpec {
	return []sectionSpec{
		{"dead_ends", "Constraints: tried before and failed, don't try again as it was", []file.Type{file.DeadEnd}, .2, 5},
		{"gotchas", "Gotchas", []file.Type{file.Gotcha, file.ErrorPattern, file.E2EObservation}, .3, 6},
		{"decisions", "Decisions and requirements that hold", []file.Type{file.Decision, file.Requirement}, .2, 5},
		{"conventions", "How it is done here", []file.Type{file.Convention, file.Pattern, file.Preference}, .2, 6},
		{"recipes", "Recipes", []file.Type{file.WorkflowRecipe}, .2, 3},
		{"causal", "What hangs together: widen the scope by it", []file.Type{file.CausalDependency, file.ModuleInsight, file.PrefetchPattern}, .2, 5},
		{"outcomes", "How such tasks went: correct an estimate by it", []file.Type{file.TaskCalibration, file.WorkUnitOutcome, file.ContextCost, file.WorkState, file.Episode}, .15, 4},
	}
}

// Limits of a bundle.
const (
	maxTaskShown = 200
	maxAlso      = 12 // files
	maxOffers    = 3
	maxBearing   = 40 // memories that a search for the task returns
	maxWeak      = 3  // of them, those that have little to do with it
	maxLooked    = 60 // memories whose code is resolved before they are shown
	alsoShare    = .15
)

// taskTools collect what bears on a task that begins.
type taskTools struct{ *toolkit }

func (t *taskTools) context(ctx context.Context, c *call, in contextIn) (string, Bundle, error) {
	task, err := neededQuery(in.Task)
	if err != nil {
		return "", Bundle{}, err
	}
	sp, err := t.spaces.forPaths(ctx, in.Paths...)
	if err != nil {
		return "", Bundle{}, err
	}
	if err := checkPaths(sp, in.Paths); err != nil {
		return "", Bundle{}, err
	}
	if err := sp.Fresh(ctx); err != nil {
		return "", Bundle{}, err
	}
	a := Bundle{Task: nudge.Cut(nudge.Clean(task), maxTaskShown)}
	t.sessions.unusable(&a.Warnings, sp)
	hits, err := t.bearing(ctx, sp, task, in.Paths, &a)
	if err != nil {
		return "", Bundle{}, err
	}
	if text := t.spaces.queriedRoot(ctx, sp); text != "" && !slices.ContainsFunc(in.Paths, filepath.IsAbs) {
		a.Warnings = append(a.Warnings, nudge.Cut(text, maxWarning))
	}
	a.Warnings.leftOut(ctx, sp)
	if err := t.earlier(ctx, sp, in.Paths, hits, &a); err != nil {
		return "", Bundle{}, err
	}
	inOrder(task, hits)
	text, shown := t.bundle(&a, hits, budgetOf(in.Budget, contextBudget))
	t.sessions.shown(c, sp, shown, text, in.Paths...)
	more, err := t.onDemand(ctx, c, sp, in, hits, &a)
	return text + more, a, err
}

// onDemand adds what only who asks for it is told, because it costs many tokens or is for planners: a scaled estimate, what the
// last session left, and the contents of files.
func (t *taskTools) onDemand(ctx context.Context, c *call, sp *Space, in contextIn, hits []memory.Hit, a *Bundle) (string, error) {
	if in.Estimate <= 0 && in.Contents <= 0 && !in.Resume {
		return "", nil
	}
	past, err := sp.Memories.State().Episodes().Latest(ctx, maxEpisodes)
	if err != nil {
		return "", fmt.Errorf("read the episodes: %w", err)
	}
	var parts []string
	if in.Resume {
		a.Left = t.workState(ctx, c, sp)
		parts = append(parts, a.Left)
	}
	a.Scaled = scaledEstimate(in.Task, in.Estimate, hits, past)
	parts = append(parts, a.Scaled)
	if in.Contents > 0 {
		files := append(prefetched(in.Task, belowRoot(sp, in.Paths), hits, past), a.Files...) // those last that were found to go together
		seen := map[string]bool{}
		files = slices.DeleteFunc(files, func(f RelatedFile) bool {
			again := seen[f.File]
			seen[f.File] = true
			return again
		})
		a.Contents = contents(ctx, sp.Memories.Root(), files, min(in.Contents, mostContents))
		switch {
		case len(files) == 0:
			parts = append(parts, "☞ No file is expected beside those that you named: too few sessions were like this.")
		case len(a.Contents) == 0:
			parts = append(parts, "☞ None of the expected files can be shown within as many tokens: "+count(len(files), "file", "files")+", too long, unreadable, or kept back.")
		}
		parts = append(parts, fencedFiles(a.Contents))
	}
	text := ""
	for _, p := range parts {
		if p != "" {
			text += "\n\n" + p
		}
	}
	return text, nil
}

// bearing returns the memories relevant to a task, most relevant first: results of a
// search, memories of its files, and memories about all work here.
func (t *taskTools) bearing(ctx context.Context, sp *Space, task string, paths []string, a *Bundle) ([]memory.Hit, error) {
	hits, sure, err := searchTask(ctx, sp, task, a)
	if err != nil {
		return nil, err
	}
	near, err := ofFiles(ctx, sp, paths)
	if err != nil {
		return nil, err
	}
	hits = append(near, hits...)
	switch {
	case len(hits) == 0 && len(paths) > 0:
		a.Warnings.add("nothing is known about this task or its files; what is shown holds for all work here")
	case len(hits) == 0:
		a.Warnings.add("nothing is known about this task; what is shown holds for all work here")
	case len(paths) == 0 && !sure:
		a.Warnings.add("nothing is surely about this task: what is shown may have little to do with it")
	}
	hits = onceHere(sp, append(hits, ofAllWork(ctx, sp)...))
	n := min(maxLooked, len(hits))
	return append(sp.Look(ctx, hits[:n]), hits[n:]...), nil
}

// searchTask searches for a task. sure is false if all that was found may have little to do with it.
func searchTask(ctx context.Context, sp *Space, task string, a *Bundle) (hits []memory.Hit, sure bool, err error) {
	found, err := sp.Find(ctx, search.Question{Text: task, Phase: retrieve.Define, Limit: maxBearing, Explicit: true})
	if err != nil {
		return nil, false, err
	}
	if found.Fault != "" {
		a.Warnings.add("only words were searched: %s", found.Fault)
	}
	in := &rooted{Space: sp}
	var results []result
	weak := 0
	for _, r := range found.Results {
		if r.Weak {
			weak++
		}
		if !r.Weak || weak <= maxWeak {
			results = append(results, result{r, in})
		}
	}
	for _, h := range kept(ctx, results) {
		hits = append(hits, h.Hit)
	}
	return hits, weak < len(found.Results), nil
}

// ofFiles returns the memories of some files, without those of the whole project.
func ofFiles(ctx context.Context, sp *Space, paths []string) ([]memory.Hit, error) {
	if len(paths) == 0 {
		return nil, nil
	}
	r, err := viewOf(ctx, sp.Memories).Recall(ctx, memory.Query{Paths: paths, Limit: -1})
	if err != nil {
		return nil, err
	}
	if n := slices.IndexFunc(r.Hits, func(h memory.Hit) bool { return h.Match == memory.MatchProject }); n >= 0 {
		return r.Hits[:n], nil // scoped ones come first
	}
	return r.Hits, nil
}

// ofAllWork returns the memories that hold for all work.
func ofAllWork(ctx context.Context, sp *Space) []memory.Hit {
	var out []memory.Hit
	for _, h := range live(ctx, sp) {
		m := h.Memory
		whole := len(m.Scope)+len(m.Anchors) == 0
		if m.Pinned || whole && (m.Importance == file.High || appliesToAll(m.Type)) {
			if whole {
				h.Match = memory.MatchProject
			}
			out = append(out, h)
		}
	}
	memory.Rank(out)
	return out
}

// onceHere leaves out repetitions, and memories of other branches and other work.
func onceHere(sp *Space, hits []memory.Hit) []memory.Hit {
	seen, checkedOut, here := map[string]bool{}, sync.OnceValue(sp.Memories.Branch), sync.OnceValue(sp.Memories.Work().Here)
	return slices.DeleteFunc(hits, func(h memory.Hit) bool {
		again := seen[h.Memory.UUID]
		seen[h.Memory.UUID] = true
		return again || branch.Elsewhere(h.Memory, checkedOut) || work.Elsewhere(h.Memory, here)
	})
}

// appliesToAll reports whether a type applies to all work in a project.
func appliesToAll(t file.Type) bool {
	return t == file.Convention || t == file.Requirement || t == file.Decision
}

// belowRoot returns the paths of a call relative to the root, without those that are no file below it.
func belowRoot(sp *Space, paths []string) (out []string) {
	for _, p := range paths {
		if rel, _, ok := sp.Memories.Place().ResolvePath(p); ok && rel != "" {
			out = append(out, rel)
		}
	}
	return out
}

// earlier adds results of earlier sessions: files that change together with those of the
// task, and frequent failures. Causal memories name files too.
func (t *taskTools) earlier(ctx context.Context, sp *Space, paths []string, hits []memory.Hit, a *Bundle) error {
	files := belowRoot(sp, paths)
	also := alsoFiles{known: map[string]bool{}}
	for _, f := range files {
		also.known[f] = true
	}
	also.ofMemories(hits)
	place := sp.Memories.Place()
	o, err := store.OpenPatientReader(ctx, place.StateDir(), place.GitPrefix())
	if err != nil {
		return fmt.Errorf("look up earlier sessions: %w", err)
	}
	defer func() {
		if err := o.Close(); err != nil {
			t.log.Warn("close the state", "err", err)
		}
	}()
	if err := also.ofSessions(ctx, o, files, episode.KindOf(a.Task)); err != nil {
		return err
	}
	a.Files = also.list
	offers, err := learn.StartOffers(ctx, o, t.now())
	if err != nil {
		return err
	}
	for _, f := range offers[:min(maxOffers, len(offers))] {
		a.Failures = append(a.Failures, f.Text)
	}
	return nil
}

// alsoFiles collects files that belong to a task beside those that were named.
type alsoFiles struct {
	known map[string]bool
	list  []RelatedFile
}

func (x *alsoFiles) add(f, why string) {
	if f != "" && !x.known[f] && len(x.list) < maxAlso {
		x.known[f] = true
		x.list = append(x.list, RelatedFile{placeText(f), why})
	}
}

// ofMemories adds the files that memories about causes and about what is needed name.
func (x *alsoFiles) ofMemories(hits []memory.Hit) {
	for _, h := range hits {
		if t := h.Memory.Type; t != file.CausalDependency && t != file.PrefetchPattern {
			continue
		}
		for _, an := range h.Memory.Anchors {
			x.add(an.Path, "memory "+h.Memory.ShortID())
		}
		for _, r := range h.Memory.Relations {
			x.add(r.File, "memory "+h.Memory.ShortID())
		}
	}
}

// ofSessions adds the files that earlier sessions used together with some.
func (x *alsoFiles) ofSessions(ctx context.Context, o *store.ObserverReader, files []string, kind episode.Kind) error {
	if len(files) == 0 {
		return nil
	}
	next, err := o.NextFiles(ctx, files, kind, maxAlso)
	if err != nil {
		return fmt.Errorf("look up files that go together: %w", err)
	}
	for _, f := range next {
		why := count(f.Sessions, "earlier session", "earlier sessions")
		if f.Alike > 0 {
			why += fmt.Sprintf(", %d of the same kind of work (%s)", f.Alike, kind)
		}
		x.add(f.Path, why)
	}
	return nil
}

// bundler fills the sections of a bundle within its budget.
type bundler struct {
	all      *pack
	now      time.Time
	sections []filledSection
	shown    []memory.Hit
}

// filledSection is a section with its memories.
type filledSection struct {
	sectionSpec
	lines []string
	items []Item
	rest  []memory.Hit // beyond its share
	left  int          // of the rest, those that did not fit either
}

// bundle fills the sections within the budget, and returns the text of the bundle with the memories in it.
func (t *taskTools) bundle(a *Bundle, hits []memory.Hit, budget int) (string, []memory.Hit) {
	b := bundler{all: newPack(budget), now: t.now()}
	for _, spec := range sectionSpecs() {
		b.sections = append(b.sections, filledSection{sectionSpec: spec})
	}
	b.all.text += cost(a.Task)
	b.all.text += 14 * len(b.sections) // their titles
	for _, f := range a.Failures {
		b.all.text, b.all.data = b.all.text+cost(f)+3, b.all.data+cost(f)+3
	}
	a.trim(b.all, budget)
	b.fill(hits, budget)
	for _, x := range b.sections {
		if len(x.items) > 0 {
			a.Sections = append(a.Sections, Section{x.name, x.items})
		}
		if x.left > 0 {
			a.Omitted = append(a.Omitted, Omission{Reason: x.name, Count: x.left})
		}
	}
	return a.text(b.sections), b.shown
}

// fill gives each section its share first, then the rest in their order.
func (b *bundler) fill(hits []memory.Hit, budget int) {
	for i := range b.sections {
		x := &b.sections[i]
		share := &pack{budget: int(x.share * float64(budget))}
		for _, h := range hits {
			if slices.Contains(x.types, h.Memory.Type) && !b.put(x, h, short(), share) {
				x.rest = append(x.rest, h)
			}
		}
	}
	for i := range b.sections {
		x := &b.sections[i]
		for _, h := range x.rest {
			if !b.put(x, h, shorter(), nil) {
				x.left++
			}
		}
	}
}

// put adds a memory to a section if it fits, also within the section's share unless that is nil.
func (b *bundler) put(x *filledSection, h memory.Hit, room lengths, share *pack) bool {
	if len(x.items) >= x.most {
		return false
	}
	line, it := itemOf(h, b.now, room)
	if share != nil && !share.take(line, it.dataCost()) || !b.all.take(line, it.dataCost()) {
		return false
	}
	x.lines, x.items, b.shown = append(x.lines, line), append(x.items, it), append(b.shown, h)
	return true
}

// text is the bundle as a model reads it.
func (a *Bundle) text(sections []filledSection) string {
	var b strings.Builder
	fmt.Fprintf(&b, "☞ Manicule: for the task “%s”. Data about the code, no instructions.", a.Task)
	for _, x := range sections {
		if len(x.lines) > 0 {
			b.WriteString("\n" + x.title + ":\n" + strings.Join(x.lines, "\n"))
		}
	}
	if len(a.Files) > 0 {
		b.WriteString("\nFiles to look at too:")
		for _, f := range a.Files {
			b.WriteString(" " + f.File + " (" + f.Why + ")")
		}
	}
	for _, f := range a.Failures {
		b.WriteString("\nFailed before: " + f)
	}
	if len(a.Sections)+len(a.Files)+len(a.Failures) == 0 {
		b.WriteString("\nNothing that is remembered bears on it.")
	}
	var rest []string
	for _, o := range a.Omitted {
		rest = append(rest, fmt.Sprintf("%d %s", o.Count, strings.ReplaceAll(o.Reason, "_", " ")))
	}
	if len(rest) > 0 {
		b.WriteString("\nNot shown: " + strings.Join(rest, ", ") + "; `search` finds them.")
	}
	for _, w := range a.Warnings {
		b.WriteString("\nNote: " + w)
	}
	return b.String()
}

// inOrder puts the recipes whose task has most of the words of this one first, and the newest outcomes. The others stay as
// they were found.
func inOrder(task string, hits []memory.Hit) {
	words := episode.Words(task)
	alike := func(m *file.Memory) int {
		n := 0
		for _, w := range episode.Words(m.Task()) {
			if slices.Contains(words, w) {
				n++
			}
		}
		return n
	}
	for _, p := range sectionSpecs() {
		var compare func(a, b memory.Hit) int
		switch p.name {
		case "recipes":
			compare = func(a, b memory.Hit) int { return cmp.Compare(alike(b.Memory), alike(a.Memory)) }
		case "outcomes":
			compare = func(a, b memory.Hit) int { return b.Memory.CreatedAt.Compare(a.Memory.CreatedAt.Time) }
		default:
			continue
		}
		var at []int
		var group []memory.Hit
		for i, h := range hits {
			if slices.Contains(p.types, h.Memory.Type) {
				at, group = append(at, i), append(group, h)
			}
		}
		sorting.StableFunc(group, compare)
		for k, i := range at {
			hits[i] = group[k]
		}
	}
}

// trim keeps the files that fit their share of the budget.
func (a *Bundle) trim(all *pack, budget int) {
	within := &pack{budget: int(alsoShare * float64(budget))}
	for i, f := range a.Files {
		line, size := " "+f.File+" ("+f.Why+")", textsCost([]string{f.File, f.Why})
		if !within.take(line, size) || !all.take(line, size) {
			a.Omitted = append(a.Omitted, Omission{Reason: "files", Count: len(a.Files) - i})
			a.Files = a.Files[:i]
			return
		}
	}
}

package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"manicule/grammars"
	"manicule/hooks"
	"manicule/hooks/install"
	"manicule/hooks/setup"
	"manicule/indexer/anchor"
	"manicule/indexer/code"
	"manicule/indexer/gitinfo"
	"manicule/indexer/graph"
	"manicule/indexer/workspace"
	"manicule/memory/builds"
	"manicule/memory/core"
	"manicule/memory/embed/local"
	"manicule/memory/gate"
	"manicule/memory/inventory"
	"manicule/memory/leader"
	"manicule/memory/plans"
	"manicule/memory/services"
	"manicule/memory/thread"
	"manicule/memory/threads"
)

// finding is the result of one check.
type finding struct {
	Check  string `json:"check"`
	Status string `json:"status"` // ok, note, problem
	Text   string `json:"text"`
	Hint   string `json:"hint,omitzero"`
}

// problemsShown is how many memories in quarantine, and how many broken files, people are shown one by one.
const problemsShown = 3

// The statuses of a finding. A note is worth knowing, but no problem.
const (
	statusOK      = "ok"
	statusNote    = "note"
	statusProblem = "problem"
)

// doctorCommand is `manicule doctor`.
type doctorCommand struct {
	doctor
	mender     mender
	mend, undo bool
	verbose    bool
	tell       func([]finding) // of each check when it is done; nil to be told at the end
}

// doctor is shared by the commands that check the setup.
type doctor struct{ *cli }

func newDoctorCommand(shared *cli) *cobra.Command {
	dc := &doctorCommand{doctor: doctor{shared}, mender: mender{cli: shared}}
	c := &cobra.Command{
		Use:   "doctor",
		Short: "Check the setup, and say how to fix what is wrong",
		Long: "Check the setup, and say how to fix what is wrong. --fix mends what needs no decision of a\n" +
			"person: memory files in the wrong place, with the id or the words of another one, in a form that\n" +
			"is nearly right, cut off or with times that can't be; what editors left beside them; missing git\n" +
			"hooks; a damaged cache. What the files were is kept, and --undo takes it back.",
		Example: "  manicule doctor\n  manicule doctor --fix --dry-run\n  manicule doctor --fix\n  manicule doctor --undo",
		Args:    cobra.NoArgs,
		RunE:    dc.run,
	}
	c.Flags().BoolVar(&dc.mend, "fix", false, "mend what needs no decision")
	c.Flags().BoolVar(&dc.undo, "undo", false, "take the last --fix of memory files back")
	c.Flags().BoolVar(&dc.mender.dryRun, "dry-run", false, "with --fix: only show what would be done")
	c.Flags().BoolVarP(&dc.verbose, "verbose", "v", false, "show all memories in quarantine and all files that can't be read")
	c.MarkFlagsMutuallyExclusive("fix", "undo")
	c.MarkFlagsMutuallyExclusive("dry-run", "undo")
	c.AddCommand(newDoctorHooksCommand(shared), newDoctorAgentsCommand(shared))
	return c
}

func (dc *doctorCommand) run(cmd *cobra.Command, _ []string) error {
	if dc.mender.dryRun && !dc.mend {
		return usage(cmd, errors.New("--dry-run needs --fix"))
	}
	if dc.undo || dc.mend && !dc.mender.dryRun {
		if err := dc.requirePerson("repair"); err != nil {
			return err
		}
	}
	return dc.examined(func(w *services.Workspace) (bool, error) {
		if dc.undo {
			return false, dc.mender.takeBack(cmd.Context(), w)
		}
		var mended []mendedJSON
		var list []finding
		if dc.mend {
			mended, list = dc.mender.fix(cmd.Context(), w)
			if err := cmd.Context().Err(); err != nil {
				return false, err
			}
			if !dc.json && (len(mended) > 0 || len(list) == 0) {
				dc.mender.printMended(mended)
			}
		}
		if !dc.json {
			dc.printFindings(list)
			dc.tell = dc.printFindings // as they are found: in a large workspace some take seconds
		}
		list = append(list, dc.examine(cmd.Context(), w)...)
		if err := cmd.Context().Err(); err != nil {
			return false, err
		}
		bad := anyProblem(list)
		if dc.json {
			dc.printJSON("doctor", struct {
				OK       bool         `json:"ok"`
				Mended   []mendedJSON `json:"mended,omitzero"`
				DryRun   bool         `json:"dry_run,omitzero"`
				Findings []finding    `json:"findings"`
			}{!bad, mended, dc.mender.dryRun, list})
		}
		return bad, nil
	})
}

// examined opens the workspace for checks that report faults themselves. The exit code
// says whether there was a problem.
func (d *doctor) examined(look func(*services.Workspace) (bad bool, err error)) (err error) {
	d.quiet = true // the findings report it
	w, err := d.openQuietly()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	bad, err := look(w)
	if err == nil && bad {
		err = &codeError{exitFindings, errSilent}
	}
	return err
}

func anyProblem(list []finding) bool {
	return slices.ContainsFunc(list, func(f finding) bool { return f.Status == statusProblem })
}

func (d *doctor) printFindings(list []finding) {
	for _, f := range list {
		mark := d.paint(green, "✓")
		switch f.Status {
		case statusNote:
			mark = d.paint(yellow, "•")
		case statusProblem:
			mark = d.paint(red, "✗")
		}
		d.printf("%s %-12s %s\n", mark, f.Check, strings.ReplaceAll(gate.Clean(f.Text), "\n", "\n               "))
		if f.Hint != "" && f.Status != statusOK {
			d.printf("  %-12s try: %s\n", "", f.Hint)
		}
	}
}

func (dc *doctorCommand) examine(ctx context.Context, w *services.Workspace) []finding {
	var out []finding
	for _, check := range []func(context.Context, *services.Workspace) []finding{
		dc.checkWorkspace, checkCopy, checkHome, dc.checkConfig, dc.checkFiles, dc.mender.checkForm, dc.checkAlike, dc.checkAnchors, dc.checkConsolidation, dc.checkDatabases, dc.checkGit, dc.checkAgents, dc.checkEditors, dc.checkHooks, dc.checkLeader, dc.checkGrammars, dc.checkModel,
	} {
		if ctx.Err() != nil {
			break
		}
		found := check(ctx, w)
		if dc.tell != nil {
			dc.tell(found)
		}
		out = append(out, found...)
	}
	return out
}

func (dc *doctorCommand) checkWorkspace(ctx context.Context, w *services.Workspace) []finding {
	f := finding{Check: "workspace", Status: statusOK, Text: w.Root()}
	if !setup.Exists(w.Place().MemoriesDir()) {
		f.Status, f.Text, f.Hint = statusNote, w.Root()+" has no memories yet", "`manicule init` sets it up."
		if lost, back := deletedFolder(w); lost != "" {
			f.Status, f.Text, f.Hint = statusProblem, w.Root()+" has no memories: "+lost, back+"."
		}
	}
	if f.Status != statusOK {
		return []finding{f}
	}
	if _, err := w.Sync(ctx); err != nil {
		return []finding{f} // the check of the files says it
	}
	if lost, back, err := deletedFiles(ctx, w); err != nil {
		f.Status, f.Text, f.Hint = statusProblem, err.Error(), services.Hint(err)
	} else if lost != "" {
		f.Status, f.Text, f.Hint = statusNote, w.Root()+": "+lost, back+"."
	}
	return []finding{f}
}

// checkCopy tells that the state of the repository is at the one that this is a copy of.
func checkCopy(_ context.Context, w *services.Workspace) []finding {
	text, original := copyOf(w.Place())
	if text == "" {
		return nil
	}
	return []finding{{"state", statusNote, text,
		"With no editor or agent open here: " + original.Bring(install.ShellQuote) + " brings them along. Otherwise nothing is to be done."}}
}

// checkHome tells that the state is where the system may delete it.
func checkHome(_ context.Context, w *services.Workspace) []finding {
	if text := stateInTemporary(w.Place()); text != "" {
		return []finding{{"state", statusNote, text, "Set HOME, or XDG_STATE_HOME to a folder that stays; `mv` moves what is there already."}}
	}
	return nil
}

// stateInTemporary says where drafts and personal settings are if there is no home folder; "" if there is one.
func stateInTemporary(p *workspace.Workspace) string {
	if !p.Temporary() {
		return ""
	}
	return "without HOME, drafts and settings are kept in " + plainPath(p.StateDir()) + ", which the system may delete"
}

// copyOf says what a copied repository begins without; "" for another one.
func copyOf(p *workspace.Workspace) (string, workspace.Original) {
	o, ok := p.CopyOf()
	if !ok {
		return "", o
	}
	return "this is a copy of " + plainPath(o.Repository) + ", and began without its drafts, its personal settings and its levels of trust", o
}

func (dc *doctorCommand) checkConfig(_ context.Context, w *services.Workspace) []finding {
	_, warnings := dc.opener.Settings(w.Place())
	if len(warnings) == 0 {
		return []finding{{Check: "settings", Status: statusOK, Text: "understood"}}
	}
	var out []finding
	for _, x := range warnings {
		out = append(out, finding{"settings", statusProblem, x.String(), "docs/configuration.md lists the settings."})
	}
	return out
}

func (dc *doctorCommand) checkFiles(ctx context.Context, w *services.Workspace) []finding {
	if _, err := w.Sync(ctx); err != nil {
		return []finding{{"memories", statusProblem, err.Error(), services.Hint(err)}}
	}
	var out []finding
	problems := w.View().Problems()
	hints := w.Merges().Remedies(ctx, problems)
	held, broken := 0, 0
	for i, p := range problems {
		n := &broken
		if p.Held != "" {
			n = &held
		}
		if *n++; *n > problemsShown && !dc.verbose && !dc.json {
			continue
		}
		out = append(out, finding{"memories", statusProblem, fmt.Sprintf("%s:%d:%d: %s", relative(w.Root(), p.Path), p.Line, p.Column, p.Message), hints[i]})
	}
	if !dc.verbose && !dc.json {
		out = append(out, unshown(broken, "file", "files", "can't be used", "`manicule doctor --verbose` lists all.")...)
		out = append(out, unshown(held, "memory is", "memories are", "in quarantine", "`manicule doctor --verbose` lists all; `manicule review` decides about one after the other.")...)
	}
	conflicts, err := w.Merges().Conflicted(ctx)
	if err != nil {
		return append(out, finding{"memories", statusProblem, err.Error(), services.Hint(err)})
	}
	if len(conflicts) > 0 {
		out = append(out, finding{"memories", statusNote, count(len(conflicts), "memory has", "memories have") + " to be decided since a merge", "`manicule resolve` lists them."})
	}
	if undecided := threads.Of(w.Workspace).Undecided(); len(undecided) > 0 {
		out = append(out, finding{"threads", statusNote, count(len(undecided), "shared thread has", "shared threads have") + " to be decided since a merge", "`manicule resolve` lists them."})
	}
	out = append(append(out, coreFindings(w.Place())...), markedBuilds(w)...)
	for _, m := range w.Git().Mistaken(ctx) {
		p := m.Problem()
		out = append(out, finding{"memories", statusProblem, p.Message, p.Hint})
	}
	out = append(append(out, concluded(ctx, w)...), dropped(ctx, w)...)
	return append(out, finding{Check: "memories", Status: statusOK, Text: count(len(w.View().All()), "memory", "memories") + " can be used"})
}

// unshown counts the problems of one kind beyond those that people are shown one by one.
func unshown(n int, one, many, which, hint string) []finding {
	if n <= problemsShown {
		return nil
	}
	return []finding{{"memories", statusProblem, fmt.Sprintf("and %s %s", count(n-problemsShown, "more "+one, "more "+many), which), hint}}
}

// concluded tells of memories that one side of a merge deleted and the other changed, where git alone concluded it.
func concluded(ctx context.Context, w *services.Workspace) (out []finding) {
	for _, c := range w.Merges().Concluded(ctx) {
		id, what := c.Memory.ShortID(), "memory"
		if c.Thread {
			what = "thread"
		}
		text := fmt.Sprintf("%s deleted %s %s (%.8s), and %s changed it (%.8s): “%s”. ", plainLine(c.Deleted.Author), what, id, c.Deleted.ID, plainLine(c.Changed.Author), c.Changed.ID, cut(plainLine(c.Memory.What), maxConcluded))
		hint := fmt.Sprintf("If that is meant, nothing is to be done; else `git checkout %.8s -- %s` brings it back.", c.At, c.Path)
		how := map[string]string{"rebase": "rebase to", "squash": "squashed merge", "am": "mailed patch"}[c.By]
		if how == "" {
			how = c.By
		}
		switch {
		case c.Kept:
			hint = fmt.Sprintf("If that is meant, nothing is to be done; else `manicule forget %s` deletes it.", id)
			text += fmt.Sprintf("The %s %.8s kept it", how, c.Merge)
		case c.Others:
			hint = fmt.Sprintf("If that is meant, nothing is to be done; else `git show %.8s:%s` shows what was changed.", c.At, c.Path)
			text += fmt.Sprintf("The %s %.8s deleted it, and it is back as others had it", how, c.Merge)
		default:
			text += fmt.Sprintf("The %s %.8s deleted it", how, c.Merge)
		}
		out = append(out, finding{"memories", statusNote, text, hint})
	}
	return out
}

// maxConcluded is how much of a memory is told where it was both deleted and changed.
const maxConcluded = 100

// checkAnchors counts the anchors by state. Changed code is no problem of the setup.
func (dc *doctorCommand) checkAnchors(ctx context.Context, w *services.Workspace) (out []finding) {
	t := w.Tracker()
	r, err := t.Refresh(ctx)
	if err != nil {
		return []finding{{"anchors", statusProblem, err.Error(), services.Hint(err)}}
	}
	counts := states(t)
	f := finding{Check: "anchors", Status: statusOK, Text: countStates(counts)}
	switch {
	case len(counts) == 0:
		f.Text = "no memory is tied to code"
	case r.Busy != "":
		f.Status, f.Text, f.Hint = statusNote, f.Text+"; git is in the middle of a "+r.Busy, "They are judged again when it is done."
	case counts[anchor.Stale]+counts[anchor.Orphaned]+counts[anchor.Drifted] > 0:
		f.Status, f.Hint = statusNote, "`manicule verify` lists them."
	}
	out = append(out, f)
	if n := len(emptiedScopes(w, nil, "")); n > 0 {
		out = append(out, finding{"scopes", statusNote, count(n, "memory is", "memories are") + " about folders that are not there", "`manicule verify` lists them."})
	}
	for _, x := range r.Faults {
		out = append(out, finding{"anchors", statusProblem, x.Path + ": " + x.Err.Error(), faultHint})
	}
	return out
}

func (dc *doctorCommand) checkDatabases(ctx context.Context, w *services.Workspace) []finding {
	out := []finding{{Check: "memories.db", Status: statusOK, Text: "sound"}}
	if err := w.Store().Check(ctx); err != nil {
		out[0] = finding{"memories.db", statusProblem, err.Error(), "Nothing is lost: `manicule sync import` rebuilds it."}
	} else if w.Store().Path() == "" {
		out[0] = finding{"memories.db", statusNote, "kept in memory: the cache folder can't be written to, or has no locks", "Make " + w.Place().CacheDir() + " writable, or set XDG_CACHE_HOME to a folder on a local disk."}
	}
	f := finding{Check: "state.db", Status: statusOK, Text: "sound"}
	if err := w.State().Check(ctx); err != nil {
		f = finding{"state.db", statusProblem, err.Error(), services.Hint(err)}
	}
	out = append(out, f)
	out = append(out, dc.checkSearched(ctx, w)...)
	for _, d := range w.State().Damaged() {
		f := finding{"state.db", statusNote, "a damaged database was set aside: " + d.Path, "Its newest backup is in use; delete the file when you don't miss anything."}
		if d.Lost {
			f.Text = "the database was gone or empty, and its newest backup is in use: drafts, versions and counts since then are lost"
			f.Hint = "`rm " + install.ShellQuote(d.Path) + "` ends this note. `manicule purge` is how to begin anew."
		}
		out = append(out, f)
	}
	return out
}

// checkSearched checks what searches made. They make it anew when they meet damage, so that is no problem.
func (dc *doctorCommand) checkSearched(ctx context.Context, w *services.Workspace) (out []finding) {
	add := func(name, again string, err error) {
		f := finding{Check: name, Status: statusOK, Text: "sound"}
		if err != nil {
			f = finding{name, statusNote, err.Error(), again}
		}
		out = append(out, f)
	}
	if exists, err := code.Check(ctx, w.Place().CacheDir()); exists {
		add("code.db", "Nothing is lost: the next search in code, `manicule search --code`, makes it anew.", err)
	}
	v, err := inventory.Vectors(ctx, w.Place(), w.Now)
	if v != nil {
		err = errors.Join(v.Check(ctx), v.Close())
	}
	if v != nil || err != nil {
		add("vectors", "Nothing is lost: the next search that needs them makes them anew.", err)
	}
	return out
}

func (dc *doctorCommand) checkGit(_ context.Context, w *services.Workspace) []finding {
	p := w.Place()
	if p.GitTop == "" {
		return []finding{{"git", statusNote, "this is not a git repository: memories are not shared", "Run `git init` to share them."}}
	}
	missing := dc.setupOf(p).MissingGitHooks()
	f := finding{Check: "git", Status: statusOK, Text: "hooks keep memories and their places current after a commit, pull or checkout"}
	if len(missing) > 0 {
		f = finding{"git", statusNote, "missing git hooks: " + strings.Join(missing, ", "), "`manicule init` adds them; without them, the next command reads pulled memories."}
	}
	out := []finding{f}
	if w.Git().Shallow() {
		out = append(out, finding{"git", statusNote, "this clone is shallow: earlier versions of memories, and where their code was before, are not known", unshallow})
	}
	if what := gitinfo.Unread(p.GitCommonDir); what != "" {
		out = append(out, finding{"git", statusNote, "this repository keeps " + what + ", which is not read: branches, earlier versions, and where code was before, are not known",
			"Nothing is lost. Memories are found, told, and compared with the files as they are."})
	}
	here := setup.Exists(p.MemoriesDir())
	switch m := dc.setupOf(p).MergeDriver(); {
	case !m.Registered && (m.Attributed || here):
		out = append(out, finding{"git", statusNote, "this clone has no merge driver for memories: git merges them as text",
			"`manicule init` registers it."})
	case m.Registered && !m.Whole && here:
		out = append(out, finding{"git", statusNote, ".manicule/.gitattributes is not that of this version: git merges some files as text, or warns of line ends with core.autocrlf",
			"`manicule init` writes it; commit it."})
	}
	for what, err := range damagedFiles(w) {
		out = append(out, finding{what, statusProblem, err.Error(), "Mend or delete the file; until then it is left out."})
	}
	files, rules := w.Exposed()
	for _, rel := range files {
		name := relative(p.Root, filepath.Join(p.MemoriesDir(), filepath.FromSlash(rel)))
		out = append(out, finding{"git", statusProblem, "git does not ignore a personal memory: " + name,
			"Run `git rm --cached -- " + name + "` if it is tracked; `git check-ignore -v --no-index` names the rule that includes it."})
	}
	if !rules && setup.Exists(p.MemoriesDir()) {
		out = append(out, finding{"git", statusProblem, ".manicule/.gitignore does not keep personal memories out of git",
			"`manicule init` writes it; remove rules that include them."})
	}
	return out
}

// unshallow is the advice where a shallow clone lacks what is asked for.
const unshallow = "`git fetch --unshallow` brings them."

// damagedFiles yields what the shared threads and the builds can't be read for.
func damagedFiles(w *services.Workspace) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		_, shared := thread.Shared(w.Place())
		_, unread := plans.Of(w.Workspace).All()
		_ = (shared == nil || yield("threads", shared)) && (unread == nil || yield("builds", unread))
	}
}

// markedBuilds tells of builds in which git left conflict markers.
func markedBuilds(w *services.Workspace) (out []finding) {
	list, _ := plans.Of(w.Workspace).All() // damagedFiles tells of the error
	for i := range list {
		if b := &list[i]; b.Marked {
			name := relative(w.Root(), builds.Path(w.Place(), b.Name))
			out = append(out, finding{"builds", statusNote, name + " holds conflict markers: the slices of both sides count", "Keep in the file what shall be so; then `git add " + name + "`."})
		}
	}
	return out
}

// coreFindings tells of core documents that can't be read or told, and of those that somebody has to decide about.
func coreFindings(p *workspace.Workspace) (out []finding) {
	names, err := core.Agents(p)
	if err != nil {
		return []finding{{"core", statusProblem, err.Error(), "Check that the folder can be read."}}
	}
	for _, agent := range names {
		name, flag := relative(p.Root, core.Path(p, agent)), ""
		if agent != "" {
			flag = " --agent " + agent
		}
		d, err := core.ReadForAgents(p, agent)
		switch {
		case errors.Is(err, core.ErrHeld):
			out = append(out, finding{"core", statusProblem, name + ": " + err.Error(), "Change the text in the file: until then no session begins with it."})
		case err != nil:
			out = append(out, finding{"core", statusProblem, err.Error(), "Mend the file, or `git checkout HEAD -- " + name + "` takes the last version: until then no session begins with it."})
		case d.Marked:
			out = append(out, finding{"core", statusNote, name + " holds conflict markers, and is read as a merge of its sides", "`manicule core edit" + flag + "` with a part writes it; then `git add " + name + "`."})
		case len(d.Undecided) > 0:
			out = append(out, finding{"core", statusNote, fmt.Sprintf("%s has %s to decide since a merge", name, count(len(d.Undecided), "text", "texts")), "`manicule core" + flag + "` shows them."})
		}
		if n := d.TooMany(); n > 0 {
			out = append(out, finding{"core", statusNote, fmt.Sprintf("%s has %s more than a session can begin with, as a merge may leave", name, count(n, "convention", "conventions")),
				"`manicule core edit" + flag + " --convention TEXT`, once for each that stays, replaces them; keep the others as memories."})
		}
	}
	return out
}

func (dc *doctorCommand) checkAgents(_ context.Context, w *services.Workspace) []finding {
	var wired []string
	for _, agent := range dc.wiredAgents(w) {
		if !slices.Contains(wired, agent.name) {
			wired = append(wired, agent.name)
		}
	}
	if len(wired) == 0 {
		return []finding{{"agents", statusNote, "no agent is set up", "`manicule init --agent claude-code`"}}
	}
	return []finding{{Check: "agents", Status: statusOK, Text: strings.Join(wired, ", ")}}
}

func (dc *doctorCommand) checkHooks(_ context.Context, w *services.Workspace) []finding {
	var out []finding
	times, err := hooks.Latencies(w.Place().StateDir(), 1000)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		out = append(out, finding{"hooks", statusProblem, err.Error(), "Check that " + w.Place().StateDir() + " can be read."})
	}
	if len(times) > 0 {
		ms := make([]float64, len(times))
		for i, t := range times {
			ms[i] = t.Millis
		}
		slices.Sort(ms)
		out = append(out, finding{Check: "hooks", Status: statusOK, Text: fmt.Sprintf("%s: median %.1f ms, 99 of 100 within %.1f ms",
			count(len(ms), "call", "calls"), ms[len(ms)/2], ms[min(len(ms)-1, len(ms)*99/100)])})
	}
	if b := dc.checkBreaker(w); b[0].Status != statusOK {
		out = append(out, b...)
	}
	entries, err := hooks.Recent(w.Place().StateDir(), faultsLooked)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		out = append(out, finding{"hooks", statusProblem, err.Error(), "Check that " + w.Place().StateDir() + " can be read."})
	}
	out = append(out, hookFaults(entries, filepath.Join(w.Place().StateDir(), "hook.log"))...)
	if len(out) == 0 {
		out = append(out, finding{Check: "hooks", Status: statusOK, Text: "no hook has run yet"})
	}
	return out
}

func (dc *doctorCommand) checkLeader(ctx context.Context, w *services.Workspace) []finding {
	var h leader.Hello
	err := leader.Ask(ctx, w.Place().Socket(), "hello", nil, &h)
	switch {
	case err == nil:
		return []finding{{Check: "leader", Status: statusOK, Text: fmt.Sprintf("%s %s, process %d", h.Role, h.Version, h.PID)}}
	case setup.Exists(w.Place().Socket()):
		return []finding{{"leader", statusNote, "the socket is stale, or its process has another version: " + err.Error(), "Restart the editor's language server."}}
	}
	return []finding{{Check: "leader", Status: statusOK, Text: "no leader is running, and none is needed"}}
}

func (dc *doctorCommand) checkGrammars(ctx context.Context, w *services.Workspace) []finding {
	out := []finding{{Check: "languages", Status: statusOK, Text: "symbols in " + count(len(grammars.All()), "language", "languages") + " (docs/languages.md); files and lines in all others"}}
	return append(out, dc.checkGraph(ctx, w)...)
}

// checkModel loads the local model as a search would, because an installed model need not
// run on this machine.
func (dc *doctorCommand) checkModel(ctx context.Context, w *services.Workspace) []finding {
	s := w.EmbedderState()
	if s.Model == "" {
		status := statusNote
		if s.Advice == "" {
			status = statusOK
		}
		return []finding{{"meaning", status, s.String(), s.Advice}}
	}
	e, passed, err := w.Embeddings().Open(ctx, local.Auto)
	if err != nil {
		return []finding{{"meaning", statusProblem, err.Error(), "`manicule model verify` compares its files; `manicule model install` repairs them."}}
	}
	out := []finding{{Check: "meaning", Status: statusOK, Text: s.Model + " works on " + e.Info().Backend}}
	if err := e.Close(); err != nil {
		out = append(out, finding{"meaning", statusProblem, err.Error(), ""})
	}
	if passed != nil {
		advice := s.Advice
		if advice == "" {
			advice = "Set embedding.library to an onnxruntime that works here; the Go backend needs none."
		}
		out = append(out, finding{"meaning", statusNote, "a faster backend is not in use: " + passed.Error(), advice})
	}
	return out
}

// faultHint is the advice for a fault that one file causes.
const faultHint = "Everything else works. Report it, with the file if you may share it; after an update, `manicule index --rebuild` reads it again."

// checkGraph reports the state of the code graph.
func (dc *doctorCommand) checkGraph(ctx context.Context, w *services.Workspace) (out []finding) {
	if !graph.Exists(w.Place().CacheDir()) {
		return []finding{{Check: "code graph", Status: statusOK, Text: "not built yet; a command that needs it builds it"}}
	}
	ix := w.Graph()
	_, err := ix.Measure(ctx)
	if err != nil {
		return []finding{{"code graph", statusProblem, err.Error(), "`manicule index --rebuild` rebuilds it."}}
	}
	st, err := ix.State(ctx)
	if err != nil {
		return []finding{{"code graph", statusProblem, err.Error(), "`manicule index --rebuild` rebuilds it."}}
	}
	if st.Indexed.IsZero() {
		return []finding{{"code graph", statusNote, "begun and not finished: " + count(st.Files, "file", "files") + " so far", "`manicule index` resumes it; a language server that is indexing needs no help."}}
	}
	text := fmt.Sprintf("%s, %s, %s", count(st.Files, "file", "files"), count(st.Symbols, "symbol", "symbols"), count(st.Edges, "edge", "edges"))
	text += fmt.Sprintf("; 99 of 100 questions within %.1f ms", float64(st.Slow.Microseconds())/1000)
	if st.Stale > 0 {
		text += fmt.Sprintf("; %d out of date until the next index", st.Stale)
	}
	out = append(out, finding{Check: "code graph", Status: statusOK, Text: text})
	for _, alarm := range st.Alarms {
		out = append(out, finding{"code graph", statusNote, alarm, "docs/benchmarks.md says how it grows."})
	}
	for _, f := range st.Faults {
		out = append(out, finding{"code graph", statusProblem, f.File + ": " + f.Reason, faultHint})
	}
	if n := len(st.Errors); n > 0 {
		out = append(out, finding{"code graph", statusNote, fmt.Sprintf("%s with syntax that the grammar can't parse, such as %s; the code around it is indexed",
			count(n, "file", "files"), st.Errors[0].File), "docs/languages.md lists what the grammars lack."})
	}
	return out
}

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"manicule/hooks/agent"
	"manicule/hooks/eventlog"
	"manicule/hooks/install"
	"manicule/hooks/learn"
	"manicule/indexer/anchor"
	"manicule/indexer/graph"
	"manicule/memory"
	"manicule/memory/file"
	"manicule/memory/gate"
	"manicule/memory/nearby"
	"manicule/memory/scope"
	"manicule/memory/services"
)

// rememberCommand is `manicule remember`.
type rememberCommand struct {
	*cli
	draft            memory.Draft
	kind, importance string
	asDraft          bool
	again            string
	relations        relationFlags
	details          detailFlags
}

func newRememberCommand(shared *cli) *cobra.Command {
	rc := &rememberCommand{cli: shared}
	c := &cobra.Command{
		Use:   "remember [TEXT | -]",
		Short: "Write a memory",
		Long: "Write a memory. Without TEXT your editor opens with a template; with - the text is read\n" +
			"from standard input, its first paragraph as the memory and the rest as the reason.",
		Example: "  manicule remember \"Token refresh fails silently when Redis is down\" --type gotcha --at src/auth/token.go#Validate\n" +
			"  manicule remember \"Handlers never return raw errors\" --scope 'internal/api/**' --tag errors",
		Args: cobra.MaximumNArgs(1),
		RunE: rc.run,
	}
	f := c.Flags()
	f.StringVar(&rc.draft.Why, "why", "", "the reason, or how it was learned")
	f.StringVar(&rc.kind, "type", "", "what kind of memory: "+usualTypes()+" and rarer ones (default: gotcha for a place, else convention)")
	f.StringArrayVar(&rc.draft.Scope, "scope", nil, "a glob of the paths that it is about; repeat for several, !GLOB excludes")
	f.StringArrayVar(&rc.draft.At, "at", nil, "a place that it is about: FILE, FILE:LINE, FILE:LINE-LINE, FILE#Symbol or the bare name of a symbol; repeat for several")
	f.StringArrayVar(&rc.draft.Tags, "tag", nil, "a tag; repeat for several")
	f.StringVar(&rc.draft.Citation, "cite", "", "where it was said or seen, in up to 40 characters: an incident, a page, a message")
	f.StringVar(&rc.draft.Label, "label", "", "a few words for the context")
	rc.details.flags(f)
	f.BoolVar(&rc.draft.Personal, "personal", false, "only for you: the file is git-ignored")
	f.StringVar((*string)(&rc.draft.Visibility), "visibility", "", "who it is for: personal, project, team or org (default: the setting remember.visibility)")
	f.StringVar(&rc.draft.For, "owner", "", "the agent that it is for alone, such as claude-code: others aren't shown it")
	f.StringVar(&rc.draft.During, "session", "", "only for one agent's session, by its id or the beginning of it, or last: others aren't told, and it is put away a day after the session ended")
	f.StringVar(&rc.importance, "importance", "", "low, medium or high")
	f.BoolVar(&rc.draft.Pin, "pin", false, "pin it: it never fades, and leads the briefs")
	f.StringVar(&rc.draft.Work, "work", "", "the unit of work that it belongs to, such as 42, ABC-123 or mission:payments, or none (default: the one under way)")
	f.BoolVar(&rc.draft.Insist, "anyway", false, "keep it although it reads like orders to an agent, or like no memory")
	f.BoolVar(&rc.asDraft, "draft", false, "only a draft, to be reviewed (what agents should use)")
	f.StringVar(&rc.again, "again", "", "if another memory says the same or contradicts it: merge, keep, replace or ask (default: ask in a terminal, else merge)")
	rc.relations.add(f)
	complete(c, "owner", agent.All().IDs())
	complete(c, "type", toStrings(file.Types()))
	completeWords(c, shared.workspaces, "tag", tagsOf)
	complete(c, "importance", toStrings(file.Importances()))
	complete(c, "visibility", toStrings(file.Visibilities()))
	c.MarkFlagsMutuallyExclusive("personal", "visibility")
	c.MarkFlagsMutuallyExclusive("session", "visibility")
	c.MarkFlagsMutuallyExclusive("session", "owner")
	complete(c, "again", toStrings(agains()))
	return c
}

func (rc *rememberCommand) run(cmd *cobra.Command, args []string) error {
	rc.draft.Importance, rc.draft.Agent = file.Importance(rc.importance), rc.asDraft
	var err error
	if rc.draft.Type, err = typeOf(rc.kind); err != nil {
		return err
	}
	how, err := rc.howAgain()
	if err != nil {
		return usage(cmd, err)
	}
	rc.draft.Again = how
	if rc.draft.Details, err = rc.details.of(&rc.draft.Type); err != nil {
		return usage(cmd, err)
	}
	return rc.with(cmd.Context(), func(w *services.Workspace) error {
		if err := rc.relations.resolve(cmd.Context(), w); err != nil {
			return err
		}
		rc.draft.Relations = rc.relations.list
		if err := rc.findSession(w); err != nil {
			return err
		}
		switch {
		case len(args) == 0 && !rc.hasEditor():
			return usage(cmd, errors.New("there is no text to remember, and no terminal for an editor"))
		case len(args) == 0:
			text, err := rc.compose(cmd.Context(), &rc.draft)
			if err != nil {
				return err
			}
			if err := rc.remember(cmd.Context(), w, rc.draft); err != nil {
				return saveText("memory-*.txt", text, err)
			}
			return nil
		case args[0] == "-":
			text, err := io.ReadAll(io.LimitReader(rc.in, file.MaxSize))
			if err != nil {
				return fmt.Errorf("read standard input: %w", err)
			}
			rc.draft.What, rc.draft.Why = paragraphs(string(text), rc.draft.Why)
		default:
			rc.draft.What = args[0]
		}
		return rc.remember(cmd.Context(), w, rc.draft)
	})
}

func (rc *rememberCommand) remember(ctx context.Context, w *services.Workspace, d memory.Draft) error {
	rc.draftForAgent(ctx, w, &d)
	for i, at := range d.At {
		place, err := placeOf(ctx, rc.cli, w, at)
		if err != nil {
			return err
		}
		d.At[i] = place
	}
	fresh := newWorkspace(w)
	r, err := rememberHeld(ctx, w, d)
	if err == nil && (r.Code == "same" || r.Code == "contradicts") && !rc.json {
		var left bool
		if d.Again, left = rc.askAgain(r); left {
			rc.printf("nothing was written\n")
			return nil
		}
		r, err = rememberHeld(ctx, w, d)
	}
	if err != nil {
		return err
	}
	if fresh && r.Accepted {
		rc.warn("made the folder .manicule in %s, which is in no git repository: memories are kept there. `manicule init` in another folder keeps them there", w.Root())
	}
	if text := stateInTemporary(w.Place()); text != "" && r.Draft {
		rc.warn("%s", text)
	}
	if err := rc.report(ctx, w, r, "remembered"); err != nil {
		return err
	}
	if !rc.json && !r.Deduped && d.Type != "" && r.Memory.Type != d.Type {
		rc.printf("  %s\n", memory.Retyped(d.Type, r.Memory.Type))
	}
	return nil
}

// findSession replaces the beginning of a session's id, or "last", by the whole id. A session is known from its first
// event on.
func (rc *rememberCommand) findSession(w *services.Workspace) error {
	if rc.draft.During == "" {
		return nil
	}
	found, err := learn.Find(w.Place().StateDir(), rc.draft.During)
	if err != nil {
		return fmt.Errorf("look for the session %s: %w", rc.draft.During, err)
	}
	var ids []string
	for _, log := range found {
		if first, _, ok := eventlog.FirstAndLast(w.Place().StateDir(), log); ok {
			ids = append(ids, first.Session)
		}
	}
	switch {
	case len(ids) == 0:
		return &memory.UserError{Msg: fmt.Sprintf("no session %s has a log here", rc.draft.During), Err: memory.ErrNotFound, Hint: "`manicule observe` lists sessions; `--session last` is the latest."}
	case len(ids) > 1:
		return &memory.UserError{Msg: fmt.Sprintf("%d sessions have ids that begin with %s", len(ids), rc.draft.During), Err: memory.ErrAmbiguous, Hint: "Give more of the id."}
	}
	rc.draft.During = ids[0]
	return nil
}

// placeOf reads a place relative to the person's folder. The bare name of a symbol will do, as for
// `manicule graph`, if there is no file of that name.
func placeOf(ctx context.Context, c *cli, w *services.Workspace, at string) (string, error) {
	place := c.here(at)
	name, symbol, _ := anchor.CutSymbol(at)
	if name == "" || strings.ContainsAny(strings.ReplaceAll(name, "::", "."), ":/\\") {
		return place, nil
	}
	if _, err := os.Lstat(c.here(name)); err == nil {
		return place, nil
	}
	if err := c.updateGraph(ctx, w); err != nil {
		return "", err
	}
	var found []*graph.Symbol
	err := askGraph(ctx, w, func(g *graph.Graph) (err error) {
		found, err = nearby.Symbols(g, nearby.Place{File: name, Symbol: symbol})
		return err
	})
	switch user, ok := errors.AsType[*memory.UserError](err); {
	case err == nil && found[0].Path != "":
		return filepath.Join(w.Root(), filepath.FromSlash(found[0].File.Path)) + "#" + found[0].Path, nil
	case errors.Is(err, memory.ErrAmbiguous):
		return "", err
	case ok && errors.Is(err, memory.ErrNotFound) && strings.HasPrefix(user.Hint, "Did you mean"):
		return "", &memory.UserError{Msg: "there is no file and no symbol " + at, Err: err, Hint: user.Hint}
	case ok && errors.Is(err, memory.ErrNotFound) && strings.HasPrefix(user.Hint, "There is "): // in another folder
		return "", &memory.UserError{Msg: "there is no file " + name, Err: err, Hint: user.Hint + " For a file that doesn't exist yet, give a scope: --scope " + install.ShellQuote(name) + "."}
	}
	return place, nil // which is refused as a file that isn't there
}

// rememberHeld keeps state.db open for the writes of one memory, and no longer: a person who is
// asked may take an hour.
func rememberHeld(ctx context.Context, w *services.Workspace, d memory.Draft) (r memory.Result, err error) {
	release := w.State().Hold()
	defer func() { err = errors.Join(err, release()) }()
	return w.Remember(ctx, d)
}

// newWorkspace reports whether the first memory makes a workspace that nobody asked for: in
// a repository its top is the place that anybody expects.
func newWorkspace(w *services.Workspace) bool {
	if w.Place().GitTop != "" {
		return false
	}
	_, err := os.Lstat(filepath.Dir(w.Place().MemoriesDir()))
	return errors.Is(err, fs.ErrNotExist)
}

// report prints the result of a write.
func (c *cli) report(ctx context.Context, w *services.Workspace, r memory.Result, verb string) error {
	if c.json {
		out := r
		out.Path = relative(w.Root(), r.Path)
		c.printJSON("result", out)
		if !r.Accepted {
			return &codeError{exitRefused, errSilent}
		}
		return nil
	}
	switch {
	case !r.Accepted && verb == "changed":
		return unchanged(r)
	case !r.Accepted:
		return refused(r)
	case r.Deduped && strings.Contains(r.Reason, "added"):
		verb = fmt.Sprintf("already there; what is new was added (`%s %s` changes it)", editing(r), r.Memory.ShortID())
	case r.Deduped:
		verb = fmt.Sprintf("already there, and left as it is (`%s %s` changes it)", editing(r), r.Memory.ShortID())
	case r.Code == "deleted":
		verb = r.Reason
	case r.Code == "unchanged":
		verb = "already so, nothing was written"
	case r.Draft:
		verb = "kept as a draft"
	}
	c.buffered(func() {
		c.printf("☞ %s: ", verb)
		c.lineOf(written(ctx, c, w, r.Memory))
	})
	for _, x := range r.Contradicts {
		c.printf("  contradicts %s: %s (%s)\n", x.UUID[max(0, len(x.UUID)-8):], plainLine(x.What), x.Reason)
	}
	if r.AlsoMine != "" {
		c.printf("  %s says the same to you alone; this one is for all (`manicule forget %s` ends it)\n", r.AlsoMine, r.AlsoMine)
	}
	if len(r.Contradicts) > 0 && !r.Draft {
		c.printf("  which is right? %s`manicule forget` one of them\n", supersedeFirst(r))
	}
	c.advise(r)
	if !r.Deduped && r.Code != "deleted" {
		leftOut := memory.LeavesOut(w.Place())
		folders, _ := missing(w.Root(), r.Memory)
		for _, folder := range folders {
			if leftOut(folder) {
				continue
			}
			c.printf("  there is no %s here; if that is a slip, `manicule edit %s --scope …`\n", folder, r.Memory.ShortID())
		}
		for _, name := range missingOfSteps(w.Root(), r.Memory) {
			if leftOut(name) {
				continue
			}
			c.printf("  a step names %s, which is not here; if that is a slip, `manicule edit %s --step …` gives all steps anew\n", name, r.Memory.ShortID())
		}
	}
	return nil
}

// missing returns the folders of a memory's scope that are not there, and whether these are all of them. It may be about
// code that is yet to be written.
func missing(root string, m *file.Memory) (out []string, all bool) {
	if m.Scope == nil {
		return nil, false
	}
	s, err := scope.Compile(m.Scope, scope.Options{})
	if err != nil {
		return nil, false // such a memory is never written
	}
	folders := s.Prefixes()
	for _, folder := range folders {
		if folder != "" && !isThere(root, folder) {
			out = append(out, strings.TrimSuffix(folder, "/"))
		}
	}
	return out, len(out) > 0 && len(out) == len(folders)
}

// missingOfSteps returns the files that a recipe's steps name and that are not there, each once.
func missingOfSteps(root string, m *file.Memory) (out []string) {
	d, err := m.ReadDetails()
	if err != nil {
		return nil // such a memory is never written
	}
	for _, s := range d.Steps {
		if s.File != "" && !strings.ContainsAny(s.File, "*?<{[$") && !slices.Contains(out, s.File) && !isThere(root, s.File) {
			out = append(out, s.File)
		}
	}
	return out
}

// isThere reports whether the workspace has a file or folder, or it can't be told.
func isThere(root, name string) bool {
	_, err := os.Lstat(filepath.Join(root, filepath.FromSlash(name)))
	return !errors.Is(err, fs.ErrNotExist)
}

// editing names the command that changes what was written.
func editing(r memory.Result) string {
	if r.Draft {
		return "manicule review edit"
	}
	return "manicule edit"
}

// advise says that a text is longer than it should be, or reads like none that is worth keeping.
func (c *cli) advise(r memory.Result) {
	edit := editing(r)
	if r.Advice != "" {
		c.printf("  %s (`%s %s --what …`)\n", r.Advice, edit, r.Memory.ShortID())
	}
	if n := utf8.RuneCountInString(r.Memory.What); n > gate.Long && !r.Deduped {
		c.printf("  it has %d characters; up to %d are read best: say the rest as the reason (`%s %s --what … --why …`)\n", n, gate.Long, edit, r.Memory.ShortID())
	}
}

// supersedeFirst names the command by which what was stored supersedes what it contradicts, if its file may name that.
func supersedeFirst(r memory.Result) string {
	c := r.Contradicts[0]
	if c.Apart(r.Memory) {
		return ""
	}
	return fmt.Sprintf("`manicule edit %s --supersedes %s`, or ", r.Memory.ShortID(), c.UUID[max(0, len(c.UUID)-8):])
}

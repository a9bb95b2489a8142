package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"manicule/memory"
	"manicule/memory/file"
	"manicule/memory/services"
	"manicule/memory/threads"
)

// resolveCommand is `manicule resolve`.
type resolveCommand struct {
	*cli
	keep                                  int
	mine, theirs, both, supersede, delete bool
}

func newResolveCommand(shared *cli) *cobra.Command {
	rc := &resolveCommand{cli: shared}
	c := &cobra.Command{
		Use:   "resolve [ID]",
		Short: "Decide between versions of a memory that a merge could not combine",
		Long: "Decide between versions of a memory. Where two people changed the words of one memory, a\n" +
			"merge keeps both versions in its file, the newer one first. Without an id the memories that\n" +
			"have several versions are listed. In a terminal, an id alone shows the versions and asks.\n\n" +
			"Where one side deleted a memory that the other changed, the changed memory stays until\n" +
			"somebody decides: --keep 1 keeps it, --delete removes it. So it is with shared threads.",
		Example:           "  manicule resolve\n  manicule resolve 5b0d9a12 --keep 2\n  manicule resolve 5b0d9a12 --delete\n  manicule resolve 5b0d9a12 --mine\n  manicule resolve 5b0d9a12 --both",
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: rc.completeID,
		RunE:              rc.run,
	}
	f := c.Flags()
	f.IntVar(&rc.keep, "keep", 0, "keep the version of this number, as show counts them")
	f.BoolVar(&rc.mine, "mine", false, "keep the version that you wrote")
	f.BoolVar(&rc.theirs, "theirs", false, "keep the version that somebody else wrote")
	f.BoolVar(&rc.both, "both", false, "keep all: the other versions become memories of their own")
	f.BoolVar(&rc.supersede, "supersede", false, "as --both, and the kept version supersedes the others")
	f.BoolVar(&rc.delete, "delete", false, "delete the memory, as one side of the merge did")
	c.MarkFlagsMutuallyExclusive("keep", "mine", "theirs", "delete")
	c.MarkFlagsMutuallyExclusive("both", "supersede", "delete")
	return c
}

func (rc *resolveCommand) run(cmd *cobra.Command, args []string) error {
	return rc.with(cmd.Context(), func(w *services.Workspace) error {
		if len(args) == 0 {
			if len(flagsGiven(cmd)) > 0 {
				return usage(cmd, errors.New("say which memory: `manicule resolve` lists those with several versions"))
			}
			return rc.list(cmd, w)
		}
		if err := rc.requirePerson("decide between versions of"); err != nil {
			return err
		}
		h, _, err := w.GetAny(cmd.Context(), args[0])
		if errors.Is(err, memory.ErrNotFound) {
			t, terr := threads.Of(w.Workspace).Get(cmd.Context(), args[0])
			switch {
			case terr == nil:
				return rc.resolveThread(cmd, w, t)
			case !errors.Is(terr, memory.ErrNotFound):
				return terr
			}
		}
		if err != nil {
			return err
		}
		r := memory.Resolution{Version: rc.keep}
		switch {
		case rc.both:
			r.Rest = memory.KeepRest
		case rc.supersede:
			r.Rest = memory.SupersedeRest
		}
		switch {
		case rc.mine || rc.theirs:
			if r.Version, err = rc.versionBy(h.Memory, w.Maker().Author()); err != nil {
				return err
			}
		case rc.delete:
			if r.Version = deletionNumber(h.Memory); r.Version == 0 {
				return &memory.UserError{Msg: fmt.Sprintf("no side of a merge deleted memory %s", h.Memory.ShortID()), Hint: fmt.Sprintf("`manicule forget %s` does.", h.Memory.ShortID())}
			}
		case cmd.Flags().Changed("keep"):
		case rc.both || rc.supersede:
			r.Version = 1
		default:
			return rc.ask(cmd, w, h)
		}
		return rc.resolve(cmd, w, h, r)
	})
}

func (rc *resolveCommand) resolve(cmd *cobra.Command, w *services.Workspace, h memory.Hit, r memory.Resolution) error {
	m := h.Memory
	result, err := w.Decisions().Resolve(cmd.Context(), m.UUID, r)
	if err != nil {
		return err
	}
	if err := rc.report(cmd.Context(), w, result, "resolved"); err != nil {
		return err
	}
	if _, deleted := m.Deletion(); deleted && result.Accepted && !rc.json && w.Git().Unfinished(h.Path) {
		rc.printf("  git waits for it: `git add %s`, then go on as `git status` says\n", relative(w.Root(), h.Path))
	}
	return nil
}

// deletionNumber is the number of the version that says that somebody deleted the memory, 0 without one.
func deletionNumber(m *file.Memory) int {
	return 1 + slices.IndexFunc(m.Versions(), func(v file.Version) bool { return v.Deleted })
}

// versionBy is the number of the version that a person wrote, or of the one that they
// did not write.
func (rc *resolveCommand) versionBy(m *file.Memory, author string) (int, error) {
	var found []int
	for i, v := range m.Versions() {
		if (v.Contributor == author) == rc.mine {
			found = append(found, i+1)
		}
	}
	if len(found) == 1 {
		return found[0], nil
	}
	return 0, &memory.UserError{Msg: fmt.Sprintf("%s of memory %s by %s", count(len(found), "version", "versions"), m.ShortID(), map[bool]string{true: "you", false: "others"}[rc.mine]),
		Hint: fmt.Sprintf("`manicule show %s` numbers the versions; --keep N keeps one.", m.ShortID())}
}

// list prints the memories that have several versions.
func (rc *resolveCommand) list(cmd *cobra.Command, w *services.Workspace) error {
	hits, err := w.Merges().Conflicted(cmd.Context())
	if err != nil {
		return err
	}
	if _, err := w.Sync(cmd.Context()); err != nil {
		return err
	}
	unread := w.Merges().LeftOut(cmd.Context())
	undecided := threads.Of(w.Workspace).Undecided()
	if rc.json {
		var listed []threadJSON
		if len(undecided) > 0 {
			listed = threadsOf(undecided)
		}
		rc.printJSON("resolve", struct {
			Conflicts []hitJSON        `json:"conflicts"`
			Threads   []threadJSON     `json:"threads,omitzero"`
			Unread    []memory.Problem `json:"unread,omitzero"`
		}{hitsJSON(w.Root(), hits), listed, unread})
		return nil
	}
	for _, p := range unread {
		rc.printf("%s %s: %s\n  %s\n", rc.paint(red, "✗"), plainPath(p.Path), p.Message, plainLine(p.Hint))
	}
	if len(hits)+len(undecided)+len(unread) == 0 {
		rc.printf("no memory has several versions\n")
		if n := len(w.Merges().Concluded(cmd.Context())); n > 0 {
			rc.printf("git decided %s without anybody: `manicule doctor` says which\n", count(n, "conflict", "conflicts"))
		}
		warnDropped(cmd.Context(), rc.cli, w)
		return nil
	}
	for _, h := range hits {
		rc.conflict(h.Memory)
	}
	for i := range undecided {
		t := &undecided[i]
		if t.Memory.Trust.Tainted && rc.caller().ID != "" { // as any list of threads
			continue
		}
		rc.thread(t)
		decide(rc.console, t.Memory, true)
	}
	return nil
}

// warnUnmerged says which memories a merge that git stopped left out of what is listed. uuid, if it is not empty, is short for the
// id of the only one to tell.
func warnUnmerged(ctx context.Context, c *cli, w *services.Workspace, uuid string) {
	if !w.Git().Merging() {
		warnDropped(ctx, c, w)
		return
	}
	if _, err := w.Sync(ctx); err != nil {
		c.warn("look for what a merge left: %v", err)
		return
	}
	for _, p := range w.Merges().LeftByMerge(ctx) {
		switch {
		case uuid != "" && !file.Abbreviates(uuid, p.ID()):
		case c.caller().ID != "": // nobody has judged its words
			c.warn("%s", p.ForAgents())
		default:
			c.warn("%s: %s\n  %s", plainPath(p.Path), p.Message, plainLine(p.Hint))
		}
	}
}

// conflict prints a memory that has several versions, and how to decide.
func (c *console) conflict(m *file.Memory) {
	c.line(m)
	decide(c, m, false)
}

// decide prints the versions of a memory or thread, and how to decide. A thread keeps one version.
func decide(c *console, m *file.Memory, ofThread bool) {
	c.versions(m, c.now())
	n := deletionNumber(m)
	if n > 0 && len(m.Conflict) == 1 {
		c.printf("  %-10s `manicule resolve %s --keep 1` keeps it, --delete deletes it\n", "decide", m.ShortID())
		return
	}
	ways := ""
	if ofThread {
		ways += ", or --mine, or --theirs"
	} else {
		ways += ", or --both, or --supersede"
	}
	if n > 0 {
		ways += ", or --delete"
	}
	c.printf("  %-10s `manicule resolve %s --keep N`%s\n", "decide", m.ShortID(), ways)
}

// versions prints what the versions of a memory say, where there are several.
func (c *console) versions(m *file.Memory, now time.Time) {
	if len(m.Conflict) == 0 {
		return
	}
	for i, v := range m.Versions() {
		by := cmp.Or(v.Contributor, "somebody")
		text := plainLine(v.What)
		if v.Deleted {
			c.printf("  version %-2d %s %s\n", i+1, c.paint(red, "deleted"), c.paint(faint, fmt.Sprintf("— by %s, %s; it said: %s", plainLine(by), humanize.RelTime(v.UpdatedAt.Time, now, "ago", "from now"), text)))
			continue
		}
		if v.Why != "" {
			text += " (" + plainLine(v.Why) + ")"
		}
		c.printf("  version %-2d %s %s\n", i+1, text, c.paint(faint, fmt.Sprintf("— %s, by %s, %s", plainLine(v.Type.Label()), plainLine(by), humanize.RelTime(v.UpdatedAt.Time, now, "ago", "from now"))))
	}
}

// ask shows the versions and has a person choose.
func (rc *resolveCommand) ask(cmd *cobra.Command, w *services.Workspace, h memory.Hit) error {
	if len(h.Memory.Conflict) == 0 || !rc.tty || !rc.inputTTY {
		if len(h.Memory.Conflict) > 0 {
			return usage(cmd, fmt.Errorf("say what to keep of memory %s: --keep N, --mine, --theirs, --both%s or --supersede", h.Memory.ShortID(), map[bool]string{true: ", --delete"}[deletionNumber(h.Memory) > 0]))
		}
		return rc.resolve(cmd, w, h, memory.Resolution{}) // says that there is nothing to decide
	}
	r, ok := rc.choose(newAnswers(rc.cli), h.Memory, false)
	if !ok {
		return nil
	}
	return rc.resolve(cmd, w, h, r)
}

// choose asks which version a memory keeps, or a thread, which keeps one; ok is false where the person leaves it as
// it is.
func (c *cli) choose(in *answers, m *file.Memory, ofThread bool) (r memory.Resolution, ok bool) {
	c.line(m)
	c.versions(m, c.now())
	deletion := deletionNumber(m)
	for {
		switch {
		case deletion == 2 && len(m.Conflict) == 1:
			c.printf("  [k]eep it, [d]elete it, or [l]eave it? ")
		case ofThread:
			c.printf("  keep version [1-%d], or [l]eave it? ", len(m.Conflict)+1)
		default:
			c.printf("  keep version [1-%d], [b]oth, newest [s]upersedes, or [l]eave it? ", len(m.Conflict)+1)
		}
		read := in.key
		if len(m.Conflict) >= 9 { // a number of two keys
			read = in.line
		}
		answer, err := read()
		if err != nil && answer == "" {
			return r, false
		}
		switch {
		case deletion > 0 && answer == "k":
			return memory.Resolution{Version: 1}, true
		case deletion > 0 && answer == "d":
			return memory.Resolution{Version: deletion}, true
		}
		switch {
		case answer == "b" && !ofThread:
			return memory.Resolution{Version: 1, Rest: memory.KeepRest}, true
		case answer == "s" && !ofThread:
			return memory.Resolution{Version: 1, Rest: memory.SupersedeRest}, true
		case answer == "l" || answer == "q":
			return r, false
		default:
			if n, err := strconv.Atoi(answer); err == nil && n >= 1 && n <= len(m.Conflict)+1 {
				return memory.Resolution{Version: n}, true
			}
		}
	}
}

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"manicule/cmd/internal/tui"
	"manicule/indexer/anchor"
	"manicule/memory"
	"manicule/memory/file"
	"manicule/memory/follow"
	"manicule/memory/gate"
	"manicule/memory/services"
)

// tuiCommand is `manicule tui`.
type tuiCommand struct {
	*cli
	review bool
}

func newTUICommand(shared *cli) *cobra.Command {
	tc := &tuiCommand{cli: shared}
	c := &cobra.Command{
		Use:   "tui",
		Short: "Browse the memories, and review drafts with single keys",
		Long: "Browse the memories in a terminal: a list that is filtered as you type, and a preview with the\n" +
			"reason, the places and the code. Single keys accept, edit and reject drafts, settle memories whose\n" +
			"code changed, confirm, forget, resolve, and open the code in $EDITOR; ? lists them. It needs no mouse, and works over ssh.",
		Example: "  manicule tui\n  manicule tui --review",
		Args:    cobra.NoArgs,
		RunE:    tc.run,
	}
	c.Flags().BoolVar(&tc.review, "review", false, "begin with what waits for review")
	return c
}

func (tc *tuiCommand) run(cmd *cobra.Command, _ []string) error {
	if err := tc.requirePerson("browse and judge"); err != nil {
		return err
	}
	switch {
	case tc.json:
		return usageError("the interface is for a person: it prints no JSON", "`manicule list --json` and `manicule review list --json` do.")
	case !tc.tty || !tc.inputTTY:
		return usageError("there is no terminal to draw on and to read keys from", "`manicule list`, `manicule show ID` and `manicule review list` work without one.")
	case tc.env("TERM") == "dumb":
		return usageError("the terminal can't place text: TERM is \"dumb\"", "Set TERM to what the terminal is, or use `manicule list` and `manicule review`.")
	}
	return tc.with(cmd.Context(), func(w *services.Workspace) error {
		complaints := &notes{}
		// A warning would be drawn over: it is said when the screen is given back.
		shown := tc.err
		tc.err = complaints
		defer func() {
			tc.err = shown
			_, _ = shown.Write(complaints.text.Bytes()) // nowhere left to report
		}()
		s := &browser{reviewer: reviewer{tc.cli}, cmd: cmd, w: w}
		colour, begin := tc.paint(bold, "") != "", ""
		if w.Views().Loaded() && len(w.View().All()) == 0 {
			begin = toBegin(cmd.Context(), w)
		}
		err := tui.Run(cmd.Context(), s, tui.Options{Colour: colour, Review: tc.review, Explain: explain, Begin: begin}, tc.streams.in, tc.streams.out, os.Environ())
		if cause := context.Cause(cmd.Context()); cause != nil {
			return cause
		}
		return err
	})
}

// notes keeps what is written from any goroutine.
type notes struct {
	mu   sync.Mutex
	text bytes.Buffer // guarded by mu
}

func (n *notes) Write(p []byte) (int, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.text.Write(p)
}

// explain puts an error and its hint into one line without control characters.
func explain(err error) string {
	return plainLine(strings.TrimSpace(err.Error() + ". " + services.Hint(err)))
}

// browser is where the interface finds the memories: it asks the same services as the commands.
type browser struct {
	reviewer
	cmd *cobra.Command
	w   *services.Workspace

	hits   map[string]memory.Hit
	drafts map[string]memory.Pending
	held   map[string]memory.Quarantined
}

// Items lists what is in quarantine, drafts, and memories: first those whose code changed, then those with several versions.
func (b *browser) Items(ctx context.Context) ([]tui.Item, error) {
	if err := b.w.RefreshIfStale(ctx); err != nil {
		return nil, err
	}
	if _, err := b.w.Sync(ctx); err != nil {
		return nil, err
	}
	b.refresh(ctx, b.w) // what the preview says of its code and what a key does must fit
	held, err := b.w.Quarantine().List(ctx)
	if err != nil {
		return nil, err
	}
	drafts, err := b.w.Drafts().Pending(ctx)
	if err != nil {
		return nil, err
	}
	hits := b.w.View().All()
	memory.Rank(hits)
	b.hits, b.drafts, b.held = map[string]memory.Hit{}, map[string]memory.Pending{}, map[string]memory.Quarantined{}
	var waiting, drifted, several, settled []tui.Item
	for _, h := range held {
		b.held[h.Memory.UUID] = h
		waiting = append(waiting, b.heldItem(h))
	}
	for _, d := range drafts {
		b.drafts[d.Memory.UUID] = d
		waiting = append(waiting, draftItem(d))
	}
	for _, h := range hits {
		b.hits[h.Memory.UUID] = h
		item := memoryItem(h)
		switch {
		case item.Versions > 1:
			several = append(several, item)
		case item.Drifted:
			drifted = append(drifted, item)
		default:
			settled = append(settled, item)
		}
	}
	return slices.Concat(waiting, drifted, several, settled), nil
}

// heldItem names the file of a secret only.
func (b *browser) heldItem(h memory.Quarantined) tui.Item {
	what := plainPath(relative(b.w.Root(), h.Path))
	if h.Code == string(gate.Injection) {
		what = plainLine(h.Memory.What)
	}
	return tui.Item{Kind: tui.Held, UUID: h.Memory.UUID, Short: h.Memory.ShortID(), Label: "held", Colour: red, What: what, Marks: []string{"quarantine"},
		Told: told(h.Memory), Hidden: h.Code != string(gate.Injection), Listed: h.Memory}
}

// told is what agents read of a memory.
func told(m *file.Memory) string { return gate.Clean(m.What) + "\n" + gate.Clean(m.Why) }

func draftItem(d memory.Pending) tui.Item {
	i := memoryItem(memory.Hit{Memory: d.Memory})
	i.Kind, i.Versions, i.Told, i.Listed = tui.Draft, 1, told(d.Memory), d
	if d.Act == "" {
		i.Marks = append([]string{plainLine(string(d.Status))}, i.Marks...)
		return i
	}
	i.Label, i.Told = actName(d.Act), d.Why
	for _, f := range d.Fields {
		i.Told += "\n" + side(f.Old) + " → " + side(f.New)
	}
	if d.Target != nil {
		target := memoryItem(memory.Hit{Memory: d.Target})
		i.What, i.Where, i.Place = target.What, target.Where, target.Place
	}
	return i
}

func memoryItem(h memory.Hit) tui.Item {
	m := h.Memory
	i := tui.Item{Kind: tui.Memory, Listed: m, UUID: m.UUID, Short: m.ShortID(), Label: plainLine(m.Type.Label()), Colour: typeColour(m.Type), What: plainLine(m.What),
		Where: plainPath(strings.Join(append([]string{placesShort(h)}, slices.DeleteFunc(whose(h), func(s string) bool { return s == "personal" })...), "  ")), Versions: len(m.Conflict) + 1, Place: len(m.Anchors) > 0,
		Drifted: h.Freshness().Doubtful() || h.Freshness().State == anchor.Drifted, Gone: h.Freshness().State == anchor.Orphaned}
	for _, mark := range []struct {
		is   bool
		text string
	}{
		{m.Visibility == file.Personal, "personal"},
		{m.Trust.Tainted, "tainted"},
		{m.Trust.Unreviewed, "not reviewed"},
		{m.Trust.Disputed(), "disputed"},
		{i.Drifted, string(h.Freshness().State)},
		{len(m.Conflict) > 0, "versions"},
	} {
		if mark.is {
			i.Marks = append(i.Marks, mark.text)
		}
	}
	return i
}

// printed returns what the commands print about something, as they do.
func (b *browser) printed(f func(r *reviewer)) string {
	var buf bytes.Buffer
	c := *b.cli
	c.console = withOutput(b.console, &terminal{w: &buf, colours: b.console.tty})
	f(&reviewer{&c})
	return buf.String()
}

var errGone = errors.New("it is no longer there")

// Text returns what the commands show of an item.
func (b *browser) Text(ctx context.Context, item tui.Item, page tui.Page) (string, error) {
	if page == tui.History {
		line, err := b.w.History().Timeline(ctx, item.UUID)
		if err != nil {
			return "", err
		}
		if _, secret := b.held[item.UUID]; secret {
			return "in quarantine: its versions are shown once it is out\n", nil
		}
		return b.printed(func(r *reviewer) { printTimeline(r.cli, line) }), nil
	}
	switch item.Kind {
	case tui.Held:
		h, ok := b.held[item.UUID]
		if !ok {
			return "", errGone
		}
		return b.printed(func(r *reviewer) { r.heldPage(h, b.w.Root(), page == tui.Whole) }), nil
	case tui.Draft:
		d, ok := b.drafts[item.UUID]
		if !ok {
			return "", errGone
		}
		return b.printed(func(r *reviewer) {
			r.draftPage(d, b.w.Root())
			printCode(ctx, r.console, b.w.Root(), concerns(d), maxCode)
		}), nil
	case tui.Memory:
	}
	h, ok := b.hits[item.UUID]
	if !ok {
		return "", errGone
	}
	if page == tui.Versions {
		return b.printed(func(r *reviewer) { r.line(h.Memory); r.versions(h.Memory, r.now()) }), nil
	}
	h = b.refreshHits(ctx, b.w, []memory.Hit{h})[0]
	if page == tui.Whole { // what the cursor only passed was not read
		b.recordShown(ctx, b.w, "tui", "", []memory.Hit{h})
	}
	return b.printed(func(r *reviewer) {
		r.card(h, r.now(), b.w.Root())
		if h.Memory.Trust.Unreviewed {
			r.printf("  %-10s %s\n", "", file.NotReviewed)
		}
		printCode(ctx, r.console, b.w.Root(), h, maxCode)
	}), nil
}

// heldPage shows a memory in quarantine to a person. What holds a secret is named only, unless the
// person asks for the whole of it.
func (r *reviewer) heldPage(h memory.Quarantined, root string, whole bool) {
	if whole || h.Code == string(gate.Injection) {
		r.card(memory.Hit{Memory: h.Memory, Path: h.Path}, r.now(), root)
	} else {
		r.printf("%s\n", plainPath(relative(root, h.Path)))
		r.printf("  %-10s %s\n", "id", h.Memory.UUID)
	}
	r.printf("  %-10s %s\n", "held", r.paint(red, plainLine(h.Why)))
	r.printf("  %-10s %s\n", "try", plainLine(h.Hint))
}

// draftPage shows a draft with what accepting it does.
func (r *reviewer) draftPage(d memory.Pending, root string) {
	by := ""
	if d.Tool != "" {
		by = " by " + plainLine(d.Tool)
	}
	r.printf("%s%s, seen %s\n", plainLine(string(d.Status)), by, count(d.Observations, "time", "times"))
	if d.Act == "" {
		r.card(memory.Hit{Memory: d.Memory}, r.now(), root)
		r.evidence(d)
		return
	}
	r.printf("%s  ", actName(d.Act))
	r.target(d)
	r.fromOutside(d)
}

// concerns is the memory that accepting a draft changes, or the draft itself.
func concerns(d memory.Pending) memory.Hit {
	if d.Target != nil {
		return memory.Hit{Memory: d.Target}
	}
	return memory.Hit{Memory: d.Memory}
}

// Do does what a person asked for, as the commands of the same name.
func (b *browser) Do(ctx context.Context, q tui.Request) (string, error) {
	id := q.Item.UUID
	if err := b.asShown(ctx, q); err != nil {
		return "", err
	}
	switch q.Act {
	case tui.Accept:
		r, err := b.w.Decisions().Accept(ctx, id)
		return outcomeOf(r, err, doneVerb(r.Act))
	case tui.Reject:
		if err := b.w.Drafts().Reject(ctx, id, ""); err != nil {
			return "", err
		}
		return "rejected: " + q.Item.What, nil
	case tui.Edit:
		return b.edit(q.Item)
	case tui.Confirm:
		r, err := b.w.Edits().Confirm(ctx, id)
		return outcomeOf(r, err, "confirmed")
	case tui.StillTrue:
		p, err := b.w.Tracker().Propose(ctx, follow.Request{Memory: id, Act: follow.StillTrue, Index: -1})
		if err != nil {
			return "", err
		}
		r, err := b.w.Tracker().Apply(ctx, p)
		return outcomeOf(r, err, "still true")
	case tui.Forget:
		if err := b.w.Forgotten().Forget(ctx, id); err != nil {
			return "", err
		}
		return fmt.Sprintf("forgotten, u brings it back: %s", q.Item.What), nil
	case tui.Restore:
		r, err := b.w.Forgotten().Restore(ctx, id)
		return outcomeOf(r, err, "restored")
	case tui.Release:
		r, err := b.w.Quarantine().Release(ctx, id)
		return outcomeOf(r, err, "released")
	case tui.Resolve:
		choice := memory.Resolution{Version: q.Version}
		switch {
		case q.Both:
			choice.Rest = memory.KeepRest
		case q.Supersede:
			choice.Rest = memory.SupersedeRest
		}
		r, err := b.w.Decisions().Resolve(ctx, id, choice)
		return outcomeOf(r, err, "resolved")
	case tui.Open:
		return b.open(ctx, q.Item)
	}
	return "", fmt.Errorf("no such act: %d", q.Act)
}

var errChanged = errors.New("it was changed since it was shown: the list is read again")

// asShown refuses a judgement on what was changed since it was shown, by an agent or by git.
func (b *browser) asShown(ctx context.Context, q tui.Request) error {
	id := q.Item.UUID
	switch q.Act {
	case tui.Edit, tui.Open, tui.Restore, tui.Reject:
		return nil // they show it, or take nothing in
	case tui.Accept, tui.Confirm, tui.Forget, tui.Release, tui.Resolve, tui.StillTrue:
	}
	switch q.Item.Kind {
	case tui.Draft:
		list, err := b.w.Drafts().Pending(ctx)
		if err != nil {
			return err
		}
		was, _ := q.Item.Listed.(memory.Pending)
		for _, d := range list {
			if d.Memory.UUID == id && reflect.DeepEqual(d.Memory, was.Memory) && reflect.DeepEqual(d.Target, was.Target) {
				return nil
			}
		}
	case tui.Held:
		list, err := b.w.Quarantine().List(ctx)
		if err != nil {
			return err
		}
		for _, h := range list {
			if h.Memory.UUID == id && reflect.DeepEqual(any(h.Memory), q.Item.Listed) {
				return nil
			}
		}
	case tui.Memory:
		if _, err := b.w.Sync(ctx); err != nil {
			return err
		}
		h, err := b.w.Get(ctx, id)
		if err != nil {
			return err
		}
		if reflect.DeepEqual(any(h.Memory), q.Item.Listed) {
			return nil
		}
	}
	return errChanged
}

// outcomeOf says what became of a memory.
func outcomeOf(r memory.Result, err error, verb string) (string, error) {
	switch {
	case err != nil:
		return "", err
	case !r.Accepted:
		return "", refused(r)
	case r.Deduped:
		verb = "already there"
	}
	if r.Memory == nil {
		return verb, nil
	}
	return verb + ": " + plainLine(r.Memory.What), nil
}

// edit opens the person's editor on the text of a draft, or on the JSON of a memory.
func (b *browser) edit(item tui.Item) (string, error) {
	if item.Kind == tui.Draft {
		ec := &reviewEditCommand{reviewer: b.reviewer}
		r, err := ec.editDraft(b.bare(newReviewEditCommand), b.w, item.UUID, edits{})
		return outcomeOf(r, err, "changed")
	}
	ec := &editCommand{cli: b.cli}
	r, err := ec.edit(b.bare(newEditCommand), b.w, item.UUID, edits{})
	return outcomeOf(r, err, "changed")
}

// bare is a command without flags on its command line.
func (b *browser) bare(command func(*cli) *cobra.Command) *cobra.Command {
	c := command(b.cli)
	c.SetContext(b.cmd.Context())
	return c
}

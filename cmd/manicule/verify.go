package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"manicule/indexer/anchor"
	"manicule/memory"
	"manicule/memory/change"
	"manicule/memory/follow"
	"manicule/memory/sarif"
	"manicule/memory/services"
	"manicule/memory/store"
)

// The policies of verify: the state from which it exits with exitFindings.
const (
	failNever    = "never"
	failOrphaned = "orphaned"
	failStale    = "stale"
	failDrifted  = "drifted"
	// failDownstream also counts memories on code that depends on the change.
	failDownstream = "downstream"
)

func policies() []string {
	return []string{failNever, failOrphaned, failStale, failDrifted, failDownstream}
}

// fails reports whether a state violates a policy.
func fails(policy string, s anchor.State) bool {
	order := []anchor.State{anchor.Orphaned, anchor.Stale, anchor.Drifted}
	strict := slices.Index(policies(), policy) // how many violate it
	return slices.Contains(order[:min(max(0, strict), len(order))], s)
}

// verifyFlags are the flags of verify.
type verifyFlags struct {
	diff, failOn      string
	sarif, all, dry   bool
	stillTrue, accept bool
	reject            bool
	at                string
	detach            bool
	number            int
	prove, yes        bool
	limit, listed     int // of each kind as text, and of anchors as JSON
}

// verifyCommand is `manicule verify`.
type verifyCommand struct {
	*cli
	flags verifyFlags
}

func newVerifyCommand(shared *cli) *cobra.Command {
	vc := &verifyCommand{cli: shared}
	c := &cobra.Command{
		Use:   "verify [ID | PATH]...",
		Short: "Check whether the memories still match the code, and settle those that don't",
		Long: "Find the current code of each memory, and list the memories that may be stale. --diff REV\n" +
			"lists those that the changes since a revision made worse, and those on code that depends on\n" +
			"the changes. A path asks only for what is about that file, folder or FILE#Symbol. With an ID\n" +
			"and a flag you settle one: it still holds, its code moved, or its code is elsewhere. Lines that\n" +
			"go against a memory with --forbid or --must-have are listed too, and with --diff memory files\n" +
			"of the change that are broken or in quarantine.\n\n" +
			"Exit code 5 means that a memory is stale or orphaned, that code goes against one, or that such\n" +
			"a file came with the change; --fail-on sets the state, and never allows all.",
		Example:           "  manicule verify\n  manicule verify src/auth\n  manicule verify --diff main --sarif > memories.sarif\n  manicule verify 4f2a1c9b --still-true\n  manicule verify 4f2a1c9b --anchor src/auth/token.go#Store.Validate",
		Annotations:       map[string]string{insteadOf + "at": "`manicule verify ID --anchor PLACE` ties a memory to other code; `manicule verify PATH` looks at what is about a place."},
		ValidArgsFunction: vc.completeIDs,
		RunE:              vc.run,
	}
	f := c.Flags()
	f.StringVar(&vc.flags.diff, "diff", "", "only memories that the changes since `REVISION` made worse")
	f.StringVar(&vc.flags.failOn, "fail-on", failStale, "the state that causes exit code 5: never, orphaned, stale, drifted, or downstream with --diff")
	f.BoolVar(&vc.flags.sarif, "sarif", false, "print SARIF 2.1.0, for code scanning")
	f.BoolVar(&vc.flags.all, "all", false, "also list the memories that match")
	f.BoolVar(&vc.flags.stillTrue, "still-true", false, "the memory holds for the present code")
	f.BoolVar(&vc.flags.accept, "follow", false, "accept the place that was followed or suggested")
	f.BoolVar(&vc.flags.reject, "reject", false, "reject the place that was followed or suggested")
	f.StringVar(&vc.flags.at, "anchor", "", "its code is at this PLACE: FILE, FILE:LINE, FILE:LINE-LINE or FILE#Symbol")
	f.BoolVar(&vc.flags.detach, "detach", false, "the memory is about the whole file")
	f.IntVar(&vc.flags.number, "number", 0, "the number of the anchor, from 1 (default: all that apply)")
	f.BoolVar(&vc.flags.dry, "dry-run", false, "show what would be written")
	f.BoolVar(&vc.flags.prove, "prove", false, "run the command that proves the memory; if it passes, the memory holds for the present code")
	f.BoolVar(&vc.flags.yes, "yes", false, "with --prove: do not ask before it is run")
	c.MarkFlagsMutuallyExclusive("still-true", "follow", "reject", "anchor", "detach", "prove", "diff")
	c.MarkFlagsMutuallyExclusive("still-true", "follow", "reject", "anchor", "detach", "prove", "sarif")
	limitFlag(c, &vc.flags.limit)
	complete(c, "fail-on", policies())
	return c
}

func (vc *verifyCommand) run(cmd *cobra.Command, args []string) error {
	if err := vc.flags.check(); err != nil {
		return usage(cmd, err)
	}
	vc.flags.listed = asJSON(cmd, vc.flags.limit)
	act, ok := vc.flags.act()
	if vc.flags.prove {
		return vc.prove(cmd, args)
	}
	if !ok {
		now := beginSteps(vc.console)
		defer now.stop()
		return vc.with(cmd.Context(), func(w *services.Workspace) error {
			if vc.flags.diff == "" { // else the code graph says how far it is
				now.at("looks where the code of the memories is")
			}
			return vc.verify(cmd.Context(), w, args, vc.flags)
		})
	}
	if len(args) != 1 {
		return usage(cmd, errors.New("name the one memory that it is about"))
	}
	if err := vc.requirePerson("settle"); err != nil {
		return err
	}
	return vc.with(cmd.Context(), func(w *services.Workspace) error {
		return vc.settle(cmd.Context(), w, follow.Request{Memory: args[0], Act: act, Index: vc.flags.number - 1, At: vc.flags.at}, vc.flags.dry)
	})
}

func (v verifyFlags) check() error {
	if !slices.Contains(policies(), v.failOn) {
		return fmt.Errorf("--fail-on %s: want one of %s", v.failOn, join(policies()))
	}
	if v.yes && !v.prove {
		return errors.New("--yes needs --prove")
	}
	if _, ok := v.act(); !ok && (v.number != 0 || v.dry) {
		return errors.New("--number and --dry-run need --still-true, --follow, --reject, --anchor or --detach")
	}
	if v.failOn == failDownstream && v.diff == "" {
		return errors.New("--fail-on downstream needs --diff")
	}
	if v.number < 0 {
		return errors.New("--number counts from 1")
	}
	return nil
}

func (v verifyFlags) act() (act follow.Act, ok bool) {
	switch {
	case v.stillTrue:
		return follow.StillTrue, true
	case v.accept:
		return follow.Accept, true
	case v.reject:
		return follow.Reject, true
	case v.at != "":
		return follow.Reanchor, true
	case v.detach:
		return follow.Detach, true
	}
	return "", false
}

// verifyJSON is the shape "verify".
type verifyJSON struct {
	Root   string               `json:"root"`
	Since  string               `json:"since,omitzero"` // commit, with --diff
	Busy   string               `json:"busy,omitzero"`
	FailOn string               `json:"fail_on"`
	OK     bool                 `json:"ok"`
	Counts map[anchor.State]int `json:"counts"`
	List   []verdict            `json:"anchors"`
	Below  []downstream         `json:"downstream,omitzero"` // with --diff: on code that depends on the change
	// Violations are the places that go against memories which say what their files may not have, or must have.
	Violations []violation `json:"violations,omitzero"`
	// Unusable are memory files which the change since a revision brings, and that can't be used or are in quarantine.
	Unusable []unusable `json:"unusable,omitzero"`
	// Shallow is true in a clone that may lack where code was before.
	Shallow bool     `json:"shallow,omitzero"`
	asked   []string // the ids on the command line
	emptied []emptied
	movedTo func(folder string) string
}

// verdict is one anchor with its state.
type verdict struct {
	UUID       string            `json:"uuid"`
	What       string            `json:"what"`
	File       string            `json:"path"` // uuid of the memory
	Number     int               `json:"number"`
	Record     string            `json:"record"` // the place that the memory's file names
	State      anchor.State      `json:"state"`
	Was        anchor.State      `json:"was,omitzero"` // with --diff
	Reason     string            `json:"reason,omitzero"`
	At         *placeJSON        `json:"at,omitzero"` // its current place
	Confidence float64           `json:"confidence"`
	Suggestion *store.Suggestion `json:"suggestion,omitzero"`
	Since      *time.Time        `json:"stale_at,omitzero"`
	StillSays  string            `json:"still_says,omitzero"` // the former name of a renamed symbol, if the memory's words have it

	key string
	hit memory.Hit
}

// placeJSON is a place in the code.
type placeJSON struct {
	File    string `json:"file"`
	Symbol  string `json:"symbol,omitzero"`
	Line    int    `json:"line,omitzero"`
	EndLine int    `json:"end_line,omitzero"`
}

func (vc *verifyCommand) verify(ctx context.Context, w *services.Workspace, ids []string, v verifyFlags) error {
	r, err := w.Tracker().Refresh(ctx)
	if err != nil {
		return err
	}
	vc.warnFaults(r)
	if r.Unsteady {
		vc.warn("files were written all the time, so anchors have the states of before; try: run it again")
	}
	out := verifyJSON{Root: w.Root(), Busy: r.Busy, FailOn: v.failOn, OK: true, Counts: map[anchor.State]int{}, List: []verdict{}, Shallow: w.Git().Shallow(), asked: ids}
	turns, err := vc.anchorsToJudge(ctx, w, v.diff, &out)
	if err != nil {
		return err
	}
	wanted, err := selected(ctx, w, ids, vc.here)
	if err != nil {
		return err
	}
	for _, turn := range turns {
		p := turn.Now
		hit, known := w.View().Get(p.Memory)
		if !known || wanted != nil && !wanted[p.Memory] {
			continue
		}
		out.Counts[p.State]++
		if !v.all && !p.Doubtful() && (p.State != anchor.Followed || v.diff != "") {
			continue
		}
		x := verdictOf(w, hit, turn)
		if v.diff == "" {
			x.Was = ""
		}
		out.OK = out.OK && !fails(v.failOn, p.State)
		out.List = append(out.List, x)
	}
	out.emptied, out.movedTo = emptiedScopes(w, wanted, out.Since), memory.MovedFolders(w.Place())
	if err := vc.addDownstream(ctx, w, wanted, v, &out); err != nil {
		return err
	}
	if err := vc.addViolations(ctx, w, wanted, v, &out); err != nil {
		return err
	}
	switch {
	case v.sarif:
		var data []byte
		if data, err = sarif.Marshal(version, slices.Concat(sarifResults(out), sarifViolations(out.Violations), sarifUnusable(out.Unusable))); err == nil {
			vc.raw = true
			vc.printf("%s\n", data)
		}
	case vc.json:
		out.List = out.List[:room(v.listed, len(out.List))]
		vc.printJSON("verify", out)
	default:
		vc.printVerify(out, v.limit)
	}
	if err == nil && !out.OK {
		err = &codeError{exitFindings, errSilent}
	}
	return err
}

// addDownstream adds the memories on code that depends on the change, if the settings
// allow reading code for it. They are hints, so an error fails the command only if they
// decide its exit code.
func (vc *verifyCommand) addDownstream(ctx context.Context, w *services.Workspace, wanted map[string]bool, v verifyFlags, out *verifyJSON) error {
	decides := v.failOn == failDownstream
	if v.diff == "" || !decides && !w.Config.Bool("index.enabled") {
		return nil
	}
	worse := map[string]bool{}
	for _, x := range out.List {
		worse[x.UUID] = true
	}
	list, err := vc.downstreamOf(ctx, w, out.Since, worse)
	if err != nil {
		if decides || ctx.Err() != nil {
			return err
		}
		vc.warn("what depends on the change is not known: %v", err)
		list = []downstream{}
	}
	out.Below = slices.DeleteFunc(list, func(x downstream) bool { return wanted != nil && !wanted[x.UUID] })
	out.OK = out.OK && !(decides && len(out.Below) > 0)
	return nil
}

// anchorsToJudge returns the anchors to judge: all, or with a revision those that the later
// changes made worse.
func (vc *verifyCommand) anchorsToJudge(ctx context.Context, w *services.Workspace, rev string, out *verifyJSON) ([]follow.Transition, error) {
	if rev == "" {
		var all []follow.Transition
		for _, p := range w.Tracker().All() {
			all = append(all, follow.Transition{Now: p})
		}
		return all, nil
	}
	commit, _, err := vc.revision(ctx, w, rev, nil)
	if err != nil {
		return nil, err
	}
	out.Since = commit
	all, err := w.Tracker().Since(ctx, commit)
	return slices.DeleteFunc(all, func(x follow.Transition) bool { return !x.Worse() }), err
}

// selected returns the ids of the memories that the arguments name, by an id or by what they are about; here makes their paths
// relative to the root. It is nil without arguments.
func selected(ctx context.Context, w *services.Workspace, args []string, here func(string) string) (map[string]bool, error) {
	if len(args) == 0 {
		return nil, nil
	}
	out := map[string]bool{}
	for _, arg := range args {
		h, err := w.Get(ctx, arg)
		if err == nil {
			out[h.Memory.UUID] = true
			continue
		}
		places := []string{here(arg)}
		if asked, inside := memory.Ask(w.Place(), places[0]); !errors.Is(err, memory.ErrNotFound) || !inside || !isKnown(w, asked) {
			at, none := symbolsAt(ctx, w, here, arg)
			if none != nil || len(at) == 0 || !errors.Is(err, memory.ErrNotFound) {
				return nil, orRevision(ctx, w, arg, err)
			}
			places = at
		}
		r, err := w.Recaller().Recall(ctx, memory.Query{Paths: places, Limit: -1})
		if err != nil {
			return nil, err
		}
		for _, h := range r.Hits {
			if h.Match > memory.MatchProject {
				out[h.Memory.UUID] = true
			}
		}
	}
	return out, nil
}

// orRevision is the error of an argument that names neither a memory nor a place. A revision belongs to --diff.
func orRevision(ctx context.Context, w *services.Workspace, arg string, err error) error {
	if !errors.Is(err, memory.ErrNotFound) {
		return err
	}
	if _, none := change.ResolveCommit(ctx, w.Place(), arg); none != nil {
		return err
	}
	return &memory.UserError{Msg: fmt.Sprintf("%q is a revision in git, and no memory or place", arg), Err: memory.ErrNotFound,
		Hint: fmt.Sprintf("`manicule verify --diff %s` lists what the changes since it made worse.", arg)}
}

// isKnown reports whether a file or folder exists, or memories know it.
func isKnown(w *services.Workspace, a memory.Asked) bool {
	if _, err := os.Lstat(filepath.Join(w.Root(), filepath.FromSlash(a.Path))); err == nil {
		return true
	}
	return slices.ContainsFunc(w.View().ForPath(a.Path, a.IsDir), func(h memory.Hit) bool { return h.Match == memory.MatchAnchor })
}

func verdictOf(w *services.Workspace, hit memory.Hit, turn follow.Transition) verdict {
	p := turn.Now
	x := verdict{UUID: p.Memory, What: firstLine(hit.Memory.What), File: relative(w.Root(), hit.Path), Number: p.Index + 1, Record: placeText(p.Anchor),
		State: p.State, Was: turn.Was.State, Reason: p.Reason, Confidence: p.Confidence, Suggestion: p.Suggestion, key: p.Key, hit: hit}
	if p.State != anchor.Orphaned {
		x.At = placeAt(p.Place)
	}
	if p.State == anchor.Followed {
		x.StillSays = memory.StillSays(hit.Memory, p.Anchor.Symbol, p.Symbol)
	}
	if !p.Since.IsZero() {
		at := p.Since.UTC()
		x.Since = &at
	}
	return x
}

func placeAt(p store.Place) *placeJSON { return &placeJSON{p.Path, p.Symbol, p.Line, p.EndLine} }

// placeText formats the place of a record.
func placeText(r anchor.Anchor) string {
	p := anchor.Place{Path: r.Path}
	switch {
	case r.Kind == anchor.KindLines:
		p.Lines = r.Lines
	case r.Symbol != "":
		p.Symbol = r.Symbol
	}
	return p.String()
}

// printVerify prints at most limit anchors of each kind.
func (vc *verifyCommand) printVerify(v verifyJSON, limit int) {
	if v.Busy != "" {
		vc.printf("git is in the middle of a %s: nothing is judged until it is done\n", v.Busy)
	}
	doubtful, shown := 0, room(limit, len(v.List))
	for _, x := range v.List {
		if x.State == anchor.Stale || x.State == anchor.Orphaned || x.State == anchor.Drifted {
			doubtful++
		}
	}
	vc.buffered(func() {
		for _, x := range v.List[:shown] {
			vc.printVerdict(x)
		}
	})
	moreLeft(vc.cli, len(v.List)-shown, "")
	total := 0
	for _, n := range v.Counts {
		total += n
	}
	switch {
	case v.Since != "" && total == 0:
		what := "memory"
		if len(v.emptied) > 0 {
			what = "anchor"
		}
		vc.printf("the change since %.10s makes no %s worse\n", v.Since, what)
	case v.Since != "":
		vc.printf("the change since %.10s makes %s worse\n", v.Since, count(total, "anchor", "anchors"))
	case total == 0 && len(v.asked) == 1:
		vc.printf("%s is tied to no code\n", v.asked[0])
	case total == 0 && len(v.asked) > 1:
		vc.printf("none of these memories is tied to code\n")
	case total == 0:
		vc.printf("no memory is tied to code\n")
	default:
		vc.printf("%s: %s\n", count(total, "anchor", "anchors"), countStates(v.Counts))
	}
	printEmptied(vc.cli, v.emptied, v.movedTo, limit)
	vc.printDownstream(v.Below, limit)
	vc.printViolations(v.Violations, limit)
	vc.printUnusable(v.Unusable)
	if doubtful > 0 {
		vc.printf("  `manicule verify ID --still-true`, --follow, --reject, --anchor PLACE or --detach settles one; `manicule forget ID` removes it\n")
		if v.Shallow {
			vc.printf("  this clone is shallow, and may lack where their code was: %s\n", unshallow)
		}
	}
}

func (vc *verifyCommand) printVerdict(x verdict) {
	vc.lineOf(x.hit)
	colour := green
	switch x.State {
	case anchor.Drifted:
		colour = yellow
	case anchor.Stale, anchor.Orphaned:
		colour = red
	}
	text := string(x.State)
	if x.Reason != "" {
		text += ": " + plainLine(x.Reason)
	}
	if x.State == anchor.Followed {
		text += fmt.Sprintf(" (%.2f)", x.Confidence)
	}
	vc.printf("          %s\n", vc.paint(colour, text))
	if x.hit.Memory.Proof() != "" && x.State != anchor.Fresh {
		vc.printf("          its proof may settle it: `manicule verify %s --prove`\n", x.hit.Memory.ShortID())
	}
	if x.StillSays != "" {
		vc.printf("          its words still say %s: `manicule edit %s`\n", plainLine(x.StillSays), x.hit.Memory.ShortID())
	}
	if s := x.Suggestion; s != nil {
		vc.printf("          maybe %s (%.2f): `manicule verify %s --follow`\n", plainPath(anchor.Place{Path: s.Path, Symbol: s.Symbol}.String()), s.Confidence, x.hit.Memory.ShortID())
	}
}

// countStates counts the anchors by state.
func countStates(counts map[anchor.State]int) string {
	var parts []string
	for _, s := range []anchor.State{anchor.Fresh, anchor.Followed, anchor.Drifted, anchor.Stale, anchor.Orphaned} {
		if n := counts[s]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, s))
		}
	}
	return join(parts)
}

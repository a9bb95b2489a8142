package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"manicule/memory"
	"manicule/memory/file"
	"manicule/memory/services"
	"manicule/memory/store"
)

// maxReviewCode is how many lines of a draft's code an interview shows.
const maxReviewCode = 8

// interview asks a person about what waits: memories in quarantine, versions, then drafts.
func (r *reviewer) interview(cmd *cobra.Command, w *services.Workspace, held []memory.Quarantined, conflicts []memory.Hit, drafts []memory.Pending) error {
	in := newAnswers(r.cli)
	if more, err := r.askHeld(cmd, w, held, in); err != nil || !more {
		return err
	}
	for i, h := range conflicts {
		r.printf("\nversions of one memory, %d of %d\n", i+1, len(conflicts))
		choice, ok := r.choose(in, h.Memory, false)
		if !ok {
			continue
		}
		result, err := w.Decisions().Resolve(cmd.Context(), h.Memory.UUID, choice)
		if err == nil {
			err = r.report(cmd.Context(), w, result, "resolved")
		}
		if err != nil {
			return err
		}
	}
	v := &interview{reviewer: r, cmd: cmd, w: w, in: in, drafts: drafts}
	return v.run()
}

// interview asks about drafts, one after the other.
type interview struct {
	*reviewer
	cmd    *cobra.Command
	w      *services.Workspace
	in     *answers
	drafts []memory.Pending
	done   []decision // the latest last
}

// decision is what a person decided about a draft, with the draft as it waited.
type decision struct {
	at       int
	was      memory.Waiting
	accepted bool
}

// run asks until all drafts had their turn or the person leaves. Earlier decisions stay.
func (v *interview) run() error {
	for at := 0; at < len(v.drafts); {
		v.show(at)
		next, err := v.ask(at)
		if errors.Is(err, context.Canceled) {
			v.printf("\n")
			v.sum()
			return err
		}
		if err != nil { // the terminal is gone
			return nil
		}
		at = next
	}
	v.sum()
	return nil
}

// sum says what became of the drafts, unless the last answer says all.
func (v *interview) sum() {
	accepted := 0
	for _, d := range v.done {
		if d.accepted {
			accepted++
		}
	}
	left := len(v.drafts) - len(v.done)
	if len(v.done) == 0 || left == 0 && len(v.done) == 1 {
		return
	}
	text := fmt.Sprintf("\n☞ %d accepted, %d rejected", accepted, len(v.done)-accepted)
	if left > 0 {
		text += "; " + count(left, "draft waits", "drafts wait") + ": `manicule review` goes on"
	}
	v.printf("%s\n", text)
}

// show prints a draft, and the code that it is about.
func (v *interview) show(at int) {
	d := v.drafts[at]
	v.printf("\n%d of %d, %s by %s, seen %s\n", at+1, len(v.drafts), d.Status, cmp.Or(plainLine(d.Tool), plainLine(d.Memory.Contributor), file.Nameless), count(d.Observations, "time", "times"))
	if d.Act == "" {
		v.card(memory.Hit{Memory: d.Memory}, v.now(), v.w.Root())
		v.evidence(d)
	} else {
		v.printf("%s  ", actName(d.Act))
		v.target(d)
		v.fromOutside(d)
	}
	if d.Act == "" || d.Target != nil {
		printCode(v.cmd.Context(), v.console, v.w.Root(), concerns(d), maxReviewCode)
	}
	if d.Status == store.StatusCandidate && d.Session != "" {
		v.printf("  %-10s `manicule observe --explain %s`\n", "evidence", d.Session)
	}
}

// ask asks about a draft until the answer decides about it, and returns the place of the next one. An error means that nobody
// can be asked any more.
func (v *interview) ask(at int) (next int, err error) {
	d := v.drafts[at]
	for {
		v.printf("  %s? ", v.keys(d))
		key, err := v.in.key()
		if err != nil && (!errors.Is(err, io.EOF) || key == "") {
			return 0, err
		}
		switch {
		case key == "a":
			err = v.accept(at)
		case key == "r" || key == "x":
			err = v.reject(at)
		case key == "s":
			return at + 1, nil
		case key == "q":
			return len(v.drafts), nil
		case key == "u" && len(v.done) > 0:
			var back int
			if back, err = v.takeBack(); err == nil {
				return back, nil
			}
		case key == "e" && hasText(d):
			if err = v.promptEdit(v.cmd, v.w, d.Memory, v.in); err == nil {
				continue
			}
		default:
			v.explain(key, d)
			continue
		}
		switch {
		case err == nil:
			return at + 1, nil
		case errors.Is(err, context.Canceled), errors.Is(err, io.EOF):
			return 0, err
		}
		v.printf("  %s\n", explain(err)) // the others can be decided all the same
	}
}

// hasText reports whether a draft has words of its own that can be edited: a proposal to forget a memory has none.
func hasText(d memory.Pending) bool { return d.Act == "" || d.Act == memory.ActEdit }

func (v *interview) keys(d memory.Pending) string {
	list := []string{"[a]ccept"}
	if hasText(d) {
		list = append(list, "[e]dit")
	}
	list = append(list, "[r]eject", "[s]kip")
	if len(v.done) > 0 {
		list = append(list, "[u]ndo")
	}
	return strings.Join(append(list, "[q]uit"), ", ")
}

// explain says what the keys do, and which key is none of them.
func (v *interview) explain(key string, d memory.Pending) {
	if key != "?" && key != "h" && key != "" {
		v.printf("  %q does nothing here.\n", key)
	}
	v.printf("  a  accept it: %s\n", effect(d.Act))
	if hasText(d) {
		v.printf("  e  write another text, then decide\n")
	}
	v.printf("  r  reject it (or x), with a reason if you like; it is not proposed again\n" +
		"  s  skip it for now\n")
	if len(v.done) > 0 {
		v.printf("  u  take back the last decision, and decide about that one again\n")
	}
	v.printf("  q  leave; what you decided stays\n")
}

// effect says what accepting a draft does.
func effect(act memory.Act) string {
	switch act {
	case memory.ActEdit:
		return "the memory is changed so"
	case memory.ActForget:
		return "the memory is forgotten; `manicule restore` brings it back"
	case memory.ActConfirm:
		return "the memory counts as verified by you"
	case memory.ActDispute:
		return "the other view stands beside the memory"
	case memory.ActCore:
		return "the document is changed so"
	}
	return "it is a memory, and agents are told it"
}

func (v *interview) accept(at int) error {
	return v.decideOne(at, true, func(id string) error { return v.decide(v.cmd, v.w, []string{id}, nil, "") })
}

func (v *interview) reject(at int) error {
	v.printf("  why not? (empty for no reason) ")
	reason, err := v.in.line()
	if err != nil && !errors.Is(err, io.EOF) {
		return err // an incomplete line is no reason
	}
	return v.decideOne(at, false, func(id string) error {
		if err := v.w.Drafts().Reject(v.cmd.Context(), id, reason); err != nil {
			return err
		}
		v.printf("☞ rejected: %s\n", v.named(at))
		return nil
	})
}

// decideOne decides about a draft, and keeps how it waited.
func (v *interview) decideOne(at int, accepted bool, decide func(id string) error) error {
	id := v.drafts[at].Memory.UUID
	was, err := v.w.Drafts().Waiting(v.cmd.Context(), id)
	if err != nil {
		return err
	}
	if err := decide(id); err != nil {
		return err
	}
	v.done = append(v.done, decision{at, was, accepted})
	return nil
}

// takeBack undoes the last decision, and returns the place of its draft.
func (v *interview) takeBack() (at int, err error) {
	last := v.done[len(v.done)-1]
	if err := v.w.Decisions().TakeBack(v.cmd.Context(), last.was); err != nil {
		return 0, err
	}
	v.done = v.done[:len(v.done)-1]
	v.printf("☞ taken back: %s\n", v.named(last.at))
	return last.at, nil
}

// named is the short id of a draft with its text, or with what it proposes.
func (v *interview) named(at int) string {
	d := v.drafts[at]
	id := v.paint(faint, d.Memory.ShortID())
	if d.Act == "" || d.Target == nil {
		return id + "  " + plainLine(d.Memory.What)
	}
	return id + "  " + actName(d.Act) + "  " + plainLine(d.Target.What)
}

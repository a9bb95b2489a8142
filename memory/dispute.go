package memory

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"manicule/memory/file"
	"manicule/memory/gate"
)

// maxView is how long a view may be, in characters; it is as much as a memory.
const maxView = 1000

// errNothingToWithdraw ends a withdrawal whose result says why.
var errNothingToWithdraw = errors.New("nothing to withdraw")

// Dispute records a person's other view of a memory beside those of others. The person's own earlier
// view is replaced. The view may be empty: the person only says that the memory is wrong.
func (e *Edits) Dispute(ctx context.Context, id, view string) (Result, error) {
	return e.dispute(ctx, id, view, "", false)
}

// dispute records a view, which an agent may have brought up and a person let in.
func (e *Edits) dispute(ctx context.Context, id, view, agent string, tainted bool) (Result, error) {
	if utf8.RuneCountInString(view) > maxView {
		return tooLong(), nil
	}
	again := false
	r, err := e.Change(ctx, id, func(m *file.Memory) error {
		me := cmp.Or(e.maker.Author(), file.Nameless)
		again = m.Trust.Disputed()
		// A named person has one view. What an agent or a nameless person says may be somebody else's.
		replaces := agent == "" && me != file.Nameless
		m.Trust.Withdraw(func(d file.Dispute) bool {
			return d.By == me && d.Agent == agent && (replaces || d.Says == view)
		})
		m.Trust.Dispute(file.Dispute{By: me, At: file.At(e.now()), Says: view, Agent: agent}, tainted)
		return nil
	}, file.DisputeKind, view)
	if err == nil && r.Accepted && !again {
		e.noteWrong(ctx)
	}
	return r, err
}

// Deprecate marks a memory as one that no longer holds. It stays as history, and nobody is told of it any more.
func (e *Edits) Deprecate(ctx context.Context, id, why string) (Result, error) {
	if utf8.RuneCountInString(why) > maxView {
		return tooLong(), nil
	}
	return e.Change(ctx, id, func(m *file.Memory) error {
		m.Trust.Deprecated = &file.Deprecation{By: cmp.Or(e.maker.Author(), file.Nameless), At: file.At(e.now()), Why: why}
		return nil
	}, "deprecate", why)
}

// Undeprecate makes a deprecated memory hold again.
func (e *Edits) Undeprecate(ctx context.Context, id string) (Result, error) {
	return e.Change(ctx, id, func(m *file.Memory) error {
		if m.Trust.Deprecated == nil {
			return &UserError{Msg: fmt.Sprintf("memory %s is not deprecated", m.ShortID()), Err: errMalformed, Hint: "`manicule show` says what is known of it."}
		}
		m.Trust.Deprecated = nil
		return nil
	}, "undeprecate", "it holds again")
}

// deprecation says who deprecated a memory, or "".
func deprecation(m *file.Memory) string {
	if m.Trust.Deprecated == nil {
		return ""
	}
	return "by " + cmp.Or(m.Trust.Deprecated.By, file.Nameless)
}

func tooLong() Result {
	return Result{Code: string(gate.Malformed), Reason: fmt.Sprintf("a view has at most %d characters. Say in a sentence or two what is true instead", maxView)}
}

// WithdrawDispute takes back the person's own views and what they did to the memory's trust. Those of
// others stay.
func (e *Edits) WithdrawDispute(ctx context.Context, id string) (Result, error) {
	var refused Result
	r, err := e.Change(ctx, id, func(m *file.Memory) error {
		me := cmp.Or(e.maker.Author(), file.Nameless)
		if m.Trust.Withdraw(func(d file.Dispute) bool { return d.By == me }) == 0 {
			refused = Result{Code: string(gate.Malformed), Reason: fmt.Sprintf("%s does not dispute memory %s", me, m.ShortID())}
			if m.Trust.Disputed() {
				refused.Reason += fmt.Sprintf(", %s does. `manicule edit %s --confirm` settles the dispute", Disputants(m), m.ShortID())
			}
			return errNothingToWithdraw
		}
		m.UpdatedAt = file.At(e.now()) // the person looked at it and has nothing against it
		return nil
	}, file.DisputeKind, "withdrawn")
	if errors.Is(err, errNothingToWithdraw) {
		return refused, nil
	}
	return r, err
}

// Disputants names those who dispute a memory, each once.
func Disputants(m *file.Memory) string {
	var names []string
	for _, d := range m.Trust.Views() {
		if name := cmp.Or(d.By, file.Nameless); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}

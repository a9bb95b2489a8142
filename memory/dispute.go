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
	"manicule/memory/steward"
)

// maxView is how long a view may be, in characters; it is as much as a memory.
const maxView = 1000

// nameless stands for a person whom git does not know.
const nameless = "somebody"

// errNothingToWithdraw ends a withdrawal whose result says why.
var errNothingToWithdraw = errors.New("nothing to withdraw")

// Dispute records a person's other view of a memory beside those of others. The person's own earlier
// view is replaced. The view may be empty: the person only says that the memory is wrong.
func (w *Workspace) Dispute(ctx context.Context, id, view string) (Result, error) {
	return w.dispute(ctx, id, view, "", false)
}

// dispute records a view, which an agent may have brought up and a person let in.
func (w *Workspace) dispute(ctx context.Context, id, view, agent string, tainted bool) (Result, error) {
	if utf8.RuneCountInString(view) > maxView {
		return tooLong(), nil
	}
	again := false
	r, err := w.Edit(ctx, id, func(m *file.Memory) error {
		me := cmp.Or(w.author(), nameless)
		again = m.Trust.Disputed()
		others := slices.DeleteFunc(m.Trust.Views(), func(d file.Dispute) bool { return d.By == me && d.Agent == agent })
		m.Trust.SetViews(append(others, file.Dispute{By: me, At: file.At(w.now()), Says: view, Agent: agent}))
		m.Trust.VerifiedBy, m.Trust.VerifiedAt = "", nil
		m.Trust.Tainted = m.Trust.Tainted || tainted
		return nil
	}, "dispute", view)
	if err == nil && r.Accepted && !again {
		w.noteWrong(ctx)
	}
	return r, err
}

func tooLong() Result {
	return Result{Code: string(gate.Malformed), Reason: fmt.Sprintf("a view has at most %d characters. Say in a sentence or two what is true instead", maxView)}
}

// WithdrawDispute takes back the person's own views. Those of others stay.
func (w *Workspace) WithdrawDispute(ctx context.Context, id string) (Result, error) {
	var refused Result
	r, err := w.Edit(ctx, id, func(m *file.Memory) error {
		me, all := cmp.Or(w.author(), nameless), m.Trust.Views()
		rest := slices.DeleteFunc(slices.Clone(all), func(d file.Dispute) bool { return d.By == me })
		if len(rest) == len(all) {
			refused = Result{Code: string(gate.Malformed), Reason: fmt.Sprintf("%s does not dispute memory %s", me, m.ShortID())}
			if len(all) > 0 {
				refused.Reason += fmt.Sprintf(", %s does. `manicule edit %s --confirm` settles the dispute", Disputants(m), m.ShortID())
			}
			return errNothingToWithdraw
		}
		m.Trust.SetViews(rest)
		return nil
	}, "dispute", "withdrawn")
	if errors.Is(err, errNothingToWithdraw) {
		return refused, nil
	}
	return r, err
}

// Disputants names those who dispute a memory, each once.
func Disputants(m *file.Memory) string {
	var names []string
	for _, d := range m.Trust.Views() {
		if name := cmp.Or(d.By, nameless); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}

// Steward names who decides about a disputed memory: the owners of its code by CODEOWNERS, else its
// author. It is "" if nobody is known.
func (w *Workspace) Steward(m *file.Memory) string {
	rules, err := steward.Read(w.Root())
	if err != nil {
		w.log.Warn("find the steward of a memory", "err", err)
	}
	if owners := rules.Of(ownedPaths(m)); len(owners) > 0 {
		return strings.Join(owners, ", ")
	}
	return m.Contributor
}

// ownedPaths returns the paths for which a memory's owners are looked up: its anchors', else any
// file below its scopes, else any file.
func ownedPaths(m *file.Memory) (paths []string) {
	for _, a := range m.Anchors {
		paths = append(paths, a.Path)
	}
	for _, s := range m.Scope {
		if len(m.Anchors) == 0 && !strings.HasPrefix(s, "!") {
			paths = append(paths, anyBelow(s))
		}
	}
	if len(paths) == 0 {
		paths = []string{"*"}
	}
	return paths
}

// anyBelow makes a glob the path of a file that could lie below it: src/**/*.go becomes src/*.
func anyBelow(glob string) string {
	i := strings.IndexAny(glob, "*?[{")
	if i < 0 {
		return glob
	}
	return glob[:strings.LastIndex(glob[:i], "/")+1] + "*"
}

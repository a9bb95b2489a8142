package anchoring_test

import (
	"strings"
	"testing"

	"manicule/indexer/anchor"
)

const whole = `package auth

func Serve(q Query) error {
	log(q)
	who := q.Header("user")
	if who == "" {
		return errNobody
	}
	rights, err := load(who)
	if err != nil {
		return fail("rights", err)
	}
	return answer(q, rights)
}
`

// The lines of rights are in a new function, the rest of Serve stays and calls it.
const takenApart = `package auth

func Serve(q Query) error {
	log(q)
	who := q.Header("user")
	if who == "" {
		return errNobody
	}
	rights, err := rightsOf(who)
	return errors.Join(err, answer(q, rights))
}

func rightsOf(who string) (Rights, error) {
	rights, err := load(who)
	if err != nil {
		return fail("rights", err)
	}
	return rights, nil
}
`

// linesOf is an anchor at the lines of a text.
func linesOf(text, first, last string) anchor.Anchor {
	at := func(s string) int { return 1 + strings.Count(text[:strings.Index(text, s)], "\n") }
	return anchor.Anchor{Kind: anchor.KindLines, Path: "a.go", Language: "go", Lines: &anchor.LineRange{Start: at(first), End: at(last)}}
}

func TestMovedOut(t *testing.T) {
	const first, last = "rights, err := load", `return fail("rights"`
	inOther := strings.Replace(takenApart[strings.Index(takenApart, "func rightsOf"):], "func", "package auth\n\nfunc", 1)
	for _, c := range []struct {
		name   string
		after  tree
		state  anchor.State
		path   string
		symbol string
	}{
		{"to a new function of the file", tree{"a.go": takenApart}, anchor.Followed, "a.go", "rightsOf"},
		{"to a new function of another file", tree{"a.go": takenApart[:strings.Index(takenApart, "\nfunc rightsOf")], "b.go": inOther}, anchor.Followed, "b.go", "rightsOf"},
		{"two copies, of which neither is the one", tree{"a.go": takenApart + strings.ReplaceAll(takenApart[strings.Index(takenApart, "\nfunc rightsOf"):], "rightsOf", "again")}, anchor.Stale, "a.go", "Serve"},
		{"the copy is another function, and one word of these lines changed", tree{"a.go": strings.Replace(whole, `fail("rights", err)`, `fail("right", err)`, 1) +
			strings.ReplaceAll(whole[strings.Index(whole, "\nfunc Serve"):], "Serve", "ServeLegacy")}, anchor.Drifted, "a.go", "Serve"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := world(tree{"a.go": whole}, c.after).Resolve(linesOf(whole, first, last))
			if r.State != c.state || r.Path != c.path || r.Symbol != c.symbol {
				t.Errorf("%s at %s#%s line %d (%s), want %s at %s#%s", r.State, r.Path, r.Symbol, r.Line, r.Reason, c.state, c.path, c.symbol)
			}
			if text := strings.Split(c.after[r.Path], "\n")[r.Line-1]; c.state == anchor.Followed && !strings.Contains(text, first) {
				t.Errorf("line %d is %q", r.Line, text)
			}
		})
	}
}

// TestMovedAlong follows a line that says little by the lines that left with it.
func TestMovedAlong(t *testing.T) {
	const was = "package a\n\nfunc each(in Lines) {\n\tfor in.next() {\n\t\tupper.clear()\n\t\tupper.write(in.line)\n\t\tupper.flush()\n\t}\n}\n"
	const body = "\tupper.clear()\n\tupper.write(in.line)\n\tupper.flush()\n"
	left := strings.Replace(was, strings.ReplaceAll(body, "\tupper", "\t\tupper"), "\t\tone(in)\n", 1)
	made := "\nfunc one(in Lines) {\n" + body + "}\n"
	for _, c := range []struct {
		name, after, symbol string
		state               anchor.State
	}{
		{"they are in the new function", left + made, "one", anchor.Followed},
		{"they are in two", left + made + strings.ReplaceAll(made, "one", "two"), "each", anchor.Drifted},
		{"another function has them too", was + made, "each", anchor.Fresh},
	} {
		for _, line := range []string{"upper.clear", "upper.flush"} {
			r := world(tree{"a.go": was}, tree{"a.go": c.after}).Resolve(linesOf(was, line, line))
			text := strings.Split(c.after, "\n")[max(r.Line, 1)-1]
			if c.state == anchor.Followed && (r.State != c.state || r.Symbol != c.symbol || !strings.Contains(text, line)) || r.State == anchor.Followed && c.state != anchor.Followed {
				t.Errorf("%s, %s: %s at %s line %d %q (%s)", c.name, line, r.State, r.Symbol, r.Line, text, r.Reason)
			}
		}
	}
}

package observe

import "testing"

// TestPathIsNoCommand: what makes a command risky means nothing in a path.
func TestPathIsNoCommand(t *testing.T) {
	s := Signal{Detail: WrongPath{"src/base64.ts", "lib/base64.ts", false}, Key: "p", Paths: []string{"src/base64.ts"}, Agents: 1}
	h := History{Exists: func(string) bool { return false }, Signals: map[string]SignalHistory{SignalID(s.Kind(), s.Key): {Sessions: 3}}}
	if j := judge(s, Report{}, h); j.Candidate == nil || j.Candidate.What != "There is no `src/base64.ts`: it is `lib/base64.ts`." {
		t.Errorf("%s: %s %+v", s.Subject(), j.Verdict, j.Candidate)
	}
}

// TestSentencesKeepDetails: telling a signal does not change what is told of it the next time.
func TestSentencesKeepDetails(t *testing.T) {
	for _, d := range []Detail{CheckSequence{[]string{"make vet", "make test"}}, EditedTogether{"a.go", []Partner{{"b.go", 4, 5}, {"c.go", 3, 5}}}, RecurringError{[]string{"psql", "make seed"}, "no"}} {
		first, _, _ := d.sentence(extent{1, 3, 3})
		subject := d.Subject()
		if again, _, _ := d.sentence(extent{1, 3, 3}); again != first || d.Subject() != subject {
			t.Errorf("%q, then %q", first, again)
		}
	}
	if got := (CheckSequence{[]string{"make vet", "make test"}}).Subject(); got != "make vet, make test" {
		t.Errorf("%q", got)
	}
}

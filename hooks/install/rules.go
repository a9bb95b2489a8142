package install

import (
	"bytes"
	"errors"
	"fmt"

	"manicule/hooks/agent"
	"manicule/hooks/agent/spec"
	"manicule/hooks/guide"
)

// rulesMark identifies a rule file that Manicule wrote.
const rulesMark = "<!-- Written by `manicule init`; `manicule init --undo` removes it. -->\n"

// RulesFile returns the place of an agent's standing rule, which is always shared. ok is
// false for agents that need none.
func RulesFile(name string) (where Where, ok bool) {
	a, _ := agent.Lookup(name)
	return a.Rule.File, a.Rule.File != Where{}
}

// AddRules returns the content of an agent's rule file. It is an error if somebody else
// wrote the existing file.
func AddRules(name string, existing []byte) ([]byte, error) {
	a, _ := agent.Lookup(name)
	return addRules(a, existing)
}

func addRules(a spec.Agent, existing []byte) ([]byte, error) {
	if a.Rule == (spec.Rule{}) {
		return nil, fmt.Errorf("the agent %q has no rule file", a.ID)
	}
	if len(bytes.TrimSpace(existing)) > 0 && !HasRules(existing) {
		return nil, errors.New("the rule file was not written by Manicule, so nothing was changed")
	}
	return []byte(a.Rule.Head + rulesMark + guide.Standing()), nil
}

// RemoveRules returns nil if the file is ours.
func RemoveRules(existing []byte) (out []byte, empty bool) {
	if len(bytes.TrimSpace(existing)) == 0 || HasRules(existing) {
		return nil, true
	}
	return existing, false
}

// HasRules reports whether a rule file is ours.
func HasRules(existing []byte) bool { return bytes.Contains(existing, []byte(rulesMark)) }

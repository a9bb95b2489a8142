package install

import (
	"bytes"
	"errors"

	"manicule/hooks/cursor"
	"manicule/hooks/guide"
	"manicule/hooks/windsurf"
)

// rulesMark is how a rule file that we wrote is known.
const rulesMark = "<!-- Written by `manicule init`; `manicule init --undo` removes it. -->\n"

// ruleTable lists the agents whose hooks may not reach the model: a rule file
// does (ADE-LC-08).
func ruleTable() map[string]text {
	return map[string]text{
		cursor.Agent:   {inRepository(".cursor/rules/manicule.mdc"), "---\ndescription: Memories of this codebase\nalwaysApply: true\n---\n"},
		windsurf.Agent: {inRepository(".windsurf/rules/manicule.md"), "---\ntrigger: always_on\ndescription: Memories of this codebase\n---\n"},
	}
}

// RulesFile says where an agent's standing rule is; ok is false for agents that
// need none. There is no private place for one.
func RulesFile(name string) (where Where, ok bool) {
	r, ok := ruleTable()[name]
	return r.where, ok
}

// AddRules writes the rule file of an agent that has one. A file of somebody
// else's is an error.
func AddRules(name string, existing []byte) ([]byte, error) {
	r, ok := ruleTable()[name]
	if !ok {
		return nil, errors.New("the agent " + name + " has no rule file")
	}
	if len(bytes.TrimSpace(existing)) > 0 && !HasRules(existing) {
		return nil, errors.New("the rule file is somebody else's, so nothing was changed")
	}
	return []byte(r.head + rulesMark + guide.Standing()), nil
}

// RemoveRules returns nothing where the file is ours.
func RemoveRules(existing []byte) (out []byte, empty bool) {
	if len(bytes.TrimSpace(existing)) == 0 || HasRules(existing) {
		return nil, true
	}
	return existing, false
}

// HasRules reports whether a rule file is ours.
func HasRules(existing []byte) bool { return bytes.Contains(existing, []byte(rulesMark)) }

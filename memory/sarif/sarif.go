// Package sarif writes findings about memories as SARIF 2.1.0, the format of code
// scanning. It must not know how they were found, or where the output goes.
package sarif

import (
	"fmt"
	"net/url"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"manicule/indexer/anchor"
)

// Result is one anchor of a memory that needs attention.
type Result struct {
	State  anchor.State // [Downstream] for code that depends on a change
	Text   string
	At     Place
	Memory string // its file
	On     *Place // what the change touches, for [Downstream]
	// Key identifies the result across runs.
	Key string
}

// Place is a place in a file. Line 0 means the whole file.
type Place struct {
	File          string
	Line, EndLine int
}

// Marshal writes results as a SARIF log of the program's version. It omits results whose state is
// no rule.
func Marshal(version string, results []Result) ([]byte, error) {
	r := run{Tool: tool{Driver: driver{Name: "Manicule", Version: version}}, ColumnKind: "utf16CodeUnits", Results: []result{}}
	index := map[anchor.State]int{}
	for i, x := range rules() {
		index[x.state] = i
		r.Tool.Driver.Rules = append(r.Tool.Driver.Rules, rule{ID: ruleID(x.state), Short: message{x.text}, Help: message{x.help}, Default: configuration{x.level}})
	}
	for _, x := range results {
		if i, ok := index[x.State]; ok {
			r.Results = append(r.Results, resultOf(x, i))
		}
	}
	out := logFile{Schema: "https://json.schemastore.org/sarif-2.1.0.json", Version: "2.1.0", Runs: []run{r}}
	data, err := json.Marshal(out, json.Deterministic(true), jsontext.AllowInvalidUTF8(true), jsontext.WithIndent("  "))
	if err != nil {
		return nil, fmt.Errorf("write SARIF: %w", err)
	}
	return data, nil
}

func resultOf(x Result, index int) result {
	one, two := 1, 2
	related := []location{{ID: &one, Physical: physical{Artifact: artifactOf(x.Memory)}, Message: &message{"the memory"}}}
	if x.On != nil {
		related = append(related, location{ID: &two, Physical: physicalOf(*x.On), Message: &message{"what the change touches"}})
	}
	return result{RuleID: ruleID(x.State), RuleIndex: index, Level: rules()[index].level, Message: message{x.Text},
		Locations: []location{{Physical: physicalOf(x.At)}}, Related: related, Fingerprint: map[string]string{"maniculeAnchor/v1": x.Key}}
}

func ruleID(s anchor.State) string { return "memory-" + string(s) }

func physicalOf(p Place) physical {
	out := physical{Artifact: artifactOf(p.File)}
	if p.Line > 0 {
		out.Region = &region{p.Line, max(p.Line, p.EndLine)}
	}
	return out
}

// artifactOf names a file as a relative URI.
func artifactOf(path string) artifact {
	return artifact{URI: (&url.URL{Path: path}).EscapedPath(), Base: root}
}

// The subset of SARIF 2.1.0 in use. A test validates it against the schema.
type (
	logFile struct {
		Schema  string `json:"$schema"`
		Version string `json:"version"`
		Runs    []run  `json:"runs"`
	}
	run struct {
		Tool       tool     `json:"tool"`
		ColumnKind string   `json:"columnKind"`
		Results    []result `json:"results"`
	}
	tool struct {
		Driver driver `json:"driver"`
	}
	driver struct {
		Name    string `json:"name"`
		Version string `json:"version"`
		Rules   []rule `json:"rules"`
	}
	rule struct {
		ID      string        `json:"id"`
		Short   message       `json:"shortDescription"`
		Help    message       `json:"help"`
		Default configuration `json:"defaultConfiguration"`
	}
	configuration struct {
		Level string `json:"level"`
	}
	message struct {
		Text string `json:"text"`
	}
	result struct {
		RuleID      string            `json:"ruleId"`
		RuleIndex   int               `json:"ruleIndex"`
		Level       string            `json:"level"`
		Message     message           `json:"message"`
		Locations   []location        `json:"locations"`
		Related     []location        `json:"relatedLocations"`
		Fingerprint map[string]string `json:"partialFingerprints"`
	}
	location struct {
		ID       *int     `json:"id,omitzero"`
		Physical physical `json:"physicalLocation"`
		Message  *message `json:"message,omitzero"`
	}
	physical struct {
		Artifact artifact `json:"artifactLocation"`
		Region   *region  `json:"region,omitzero"`
	}
	artifact struct {
		URI  string `json:"uri"`
		Base string `json:"uriBaseId"`
	}
	region struct {
		StartLine int `json:"startLine"`
		EndLine   int `json:"endLine,omitzero"`
	}
)

// root is the base id of the repository's root in code scanning.
const root = "%SRCROOT%"

// rules are the states that are reported, with their levels.
func rules() []struct {
	state             anchor.State
	level, text, help string
} {
	return []struct {
		state             anchor.State
		level, text, help string
	}{
		{anchor.Orphaned, "warning", "The code that a memory is about is gone", "Tie the memory to where the code is now (manicule verify ID --anchor PLACE), or forget it."},
		{anchor.Stale, "warning", "A memory may be stale: its lines were not found for sure", "Look whether it still holds: manicule verify ID --still-true, or change it."},
		{anchor.Drifted, "note", "The code that a memory is about has changed", "Look whether it still holds: manicule verify ID --still-true, or change it."},
		{Downstream, "note", "A memory is about code that depends on what the change touches", "Look whether it still holds for what its code relies on now."},
		{Violated, "warning", "The code goes against a memory", "Change the code, or the memory, if it does not hold there (manicule edit ID)."},
		{Unusable, "warning", "A memory file is broken or in quarantine, so nobody is told of it", "Mend the file, or reword the memory: manicule doctor says which."},
	}
}

// Violated is the state of memories that a line goes against. It is not an anchor state.
const Violated anchor.State = "violated"

// Unusable is the state of memory files that can't be used. It is not an anchor state.
const Unusable anchor.State = "unusable"

// Downstream is the state of memories on code that depends on a change. It is not an anchor state.
const Downstream anchor.State = "downstream"

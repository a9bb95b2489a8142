package main

import (
	"fmt"
	"net/url"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"manicule/indexer/anchor"
)

// The part of SARIF 2.1.0 that verify writes. A test holds it to the schema.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool       sarifTool     `json:"tool"`
		ColumnKind string        `json:"columnKind"`
		Results    []sarifResult `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name    string      `json:"name"`
		Version string      `json:"version"`
		Rules   []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID      string       `json:"id"`
		Short   sarifMessage `json:"shortDescription"`
		Help    sarifMessage `json:"help"`
		Default sarifConfig  `json:"defaultConfiguration"`
	}
	sarifConfig struct {
		Level string `json:"level"`
	}
	sarifMessage struct {
		Text string `json:"text"`
	}
	sarifResult struct {
		RuleID      string            `json:"ruleId"`
		RuleIndex   int               `json:"ruleIndex"`
		Level       string            `json:"level"`
		Message     sarifMessage      `json:"message"`
		Locations   []sarifLocation   `json:"locations"`
		Related     []sarifLocation   `json:"relatedLocations"`
		Fingerprint map[string]string `json:"partialFingerprints"`
	}
	sarifLocation struct {
		ID       *int          `json:"id,omitzero"`
		Physical sarifPhysical `json:"physicalLocation"`
		Message  *sarifMessage `json:"message,omitzero"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   *sarifRegion  `json:"region,omitzero"`
	}
	sarifArtifact struct {
		URI  string `json:"uri"`
		Base string `json:"uriBaseId"`
	}
	sarifRegion struct {
		StartLine int `json:"startLine"`
		EndLine   int `json:"endLine,omitzero"`
	}
)

// sarifRoot is the name by which code scanning knows the repository's root.
const sarifRoot = "%SRCROOT%"

// sarifRules are the states that are results, with their levels.
func sarifRules() []struct {
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
		{downstreamState, "note", "A memory is about code that depends on what the change touches", "Look whether it still holds for what its code relies on now."},
	}
}

// downstreamState stands for memories on what depends on a change: they are no
// state of an anchor.
const downstreamState anchor.State = "downstream"

// printSARIF prints the doubtful anchors for code scanning.
func (a *app) printSARIF(v verifyJSON) error {
	run := sarifRun{Tool: sarifTool{Driver: sarifDriver{Name: "Manicule", Version: version}}, ColumnKind: "utf16CodeUnits", Results: []sarifResult{}}
	index := map[anchor.State]int{}
	for i, r := range sarifRules() {
		index[r.state] = i
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRule{ID: ruleID(r.state), Short: sarifMessage{r.text}, Help: sarifMessage{r.help}, Default: sarifConfig{r.level}})
	}
	for _, x := range v.List {
		if i, ok := index[x.State]; ok {
			run.Results = append(run.Results, sarifResultOf(x, i))
		}
	}
	for _, x := range v.Below {
		run.Results = append(run.Results, sarifDownstream(x, index[downstreamState]))
	}
	log := sarifLog{Schema: "https://json.schemastore.org/sarif-2.1.0.json", Version: "2.1.0", Runs: []sarifRun{run}}
	data, err := json.Marshal(log, json.Deterministic(true), jsontext.AllowInvalidUTF8(true), jsontext.WithIndent("  "))
	if err != nil {
		return fmt.Errorf("print SARIF: %w", err)
	}
	a.raw = true
	a.printf("%s\n", data)
	return nil
}

func ruleID(s anchor.State) string { return "memory-" + string(s) }

func sarifResultOf(x verdict, rule int) sarifResult {
	text := fmt.Sprintf("%s “%s” is %s: %s", x.hit.Memory.Type.Label(), plainLine(x.What), x.State, plainLine(x.Reason))
	at := sarifLocation{Physical: sarifPhysical{Artifact: artifact(x.record())}}
	if x.At != nil {
		at.Physical.Artifact = artifact(x.At.File)
		if x.At.Line > 0 {
			at.Physical.Region = &sarifRegion{x.At.Line, max(x.At.Line, x.At.EndLine)}
		}
	}
	one := 1
	return sarifResult{RuleID: ruleID(x.State), RuleIndex: rule, Level: sarifRules()[rule].level, Message: sarifMessage{text}, Locations: []sarifLocation{at},
		Related:     []sarifLocation{{ID: &one, Physical: sarifPhysical{Artifact: artifact(x.File)}, Message: &sarifMessage{"the memory"}}},
		Fingerprint: map[string]string{"maniculeAnchor/v1": x.UUID + ":" + x.key}}
}

// record is the file that the memory's file names.
func (x verdict) record() string { return x.hit.Memory.Anchors[x.Number-1].Path }

// artifact names a file as a relative URI.
func artifact(path string) sarifArtifact {
	return sarifArtifact{URI: (&url.URL{Path: path}).EscapedPath(), Base: sarifRoot}
}

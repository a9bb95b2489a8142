package file

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"manicule/indexer/must"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

func TestDetails(t *testing.T) {
	for _, tc := range []struct {
		name  string
		typ   Type
		json  string
		lines []string
		fault string
	}{
		{name: "none", typ: DeadEnd},
		{name: "a dead end", typ: DeadEnd, json: `{"instead": "Ask the revocation list", "task": "faster checks", "x": 1}`, lines: []string{"Instead: Ask the revocation list", "Task: faster checks"}},
		{name: "a recipe", typ: WorkflowRecipe, json: `{"steps": [{"do": "add the case", "file": "gen/gen.go", "line": 12}, {"do": "run make gen"}], "instead": "no"}`,
			lines: []string{"1. gen/gen.go:12: add the case", "2. run make gen"}},
		{name: "a prefetch pattern", typ: PrefetchPattern, json: `{"always": ["a.go"], "often": ["b.go", "c.go"]}`, lines: []string{"Always read with it: a.go", "Often read with it: b.go, c.go"}},
		{name: "a calibration", typ: TaskCalibration, json: `{"estimated": 3, "actual": 5.5, "unit": "requests"}`, lines: []string{"Reckoned 3, took 5.5 requests"}},
		{name: "of another type", typ: Gotcha, json: `{"instead": "x", "steps": 3}`},
		{name: "of another program", typ: DeadEnd, json: `["anything"]`},
		{name: "of another program, too", typ: DeadEnd, json: `{"instead": "x", "instead": 3}`},
		{name: "no text", typ: DeadEnd, json: `{"instead": 3}`, fault: "the details of a dead end"},
		{name: "a file without a name", typ: PrefetchPattern, json: `{"always": ["a.go", " "]}`, fault: "has no name"},
		{name: "files that are none", typ: PrefetchPattern, json: `{"often": "a.go"}`, fault: "the details of a prefetch pattern"},
		{name: "less than nothing", typ: TaskCalibration, json: `{"actual": -1}`, fault: "less than nothing"},
		{name: "a line before the first", typ: WorkflowRecipe, json: `{"steps": [{"do": "x", "line": -1}]}`, fault: "step 1 of a recipe"},
		{name: "a step without a sentence", typ: WorkflowRecipe, json: `{"steps": [{"do": " "}]}`, fault: "step 1 of a recipe"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			m := &Memory{Type: tc.typ, Details: []byte(tc.json)}
			d, err := m.ReadDetails()
			if tc.fault != "" {
				if err == nil || !strings.Contains(err.Error(), tc.fault) {
					t.Errorf("got %v, want %q", err, tc.fault)
				}
				return
			}
			if err != nil || !slices.Equal(d.Lines(), tc.lines) {
				t.Errorf("%q, %v, want %q", d.Lines(), err, tc.lines)
			}
			if len(tc.lines) == 0 {
				return
			}
			if err := m.SetDetails(d); err != nil || !slices.Equal(m.DetailLines(), tc.lines) {
				t.Errorf("written and read again: %s, %v", m.Details, err)
			}
			if strings.Contains(tc.json, `"x"`) != strings.Contains(string(m.Details), `"x"`) {
				t.Errorf("what is not ours is lost: %s", m.Details)
			}
			if err := m.SetDetails(Details{}); err != nil || len(m.DetailLines()) != 0 {
				t.Errorf("taken away: %s, %v", m.Details, err)
			}
		})
	}
	if err := (&Memory{Type: Gotcha}).SetDetails(Details{Instead: "x"}); err == nil || !strings.Contains(err.Error(), `a gotcha has no "instead"`) {
		t.Errorf("a gotcha with an alternative: %v", err)
	}
}

// TestDetailsSchema: the published schema has the details of each type, member by member, and refuses what reading
// them refuses.
func TestDetailsSchema(t *testing.T) {
	tree := schemaTree(t)
	defs, _ := tree["$defs"].(map[string]any)
	for _, typ := range Types() {
		def, has := defs["details_"+string(typ)].(map[string]any)
		props, _ := def["properties"].(map[string]any)
		names := slices.Sorted(maps.Keys(props))
		if want := slices.Sorted(slices.Values(membersOf(typ))); !slices.Equal(names, want) || has != (len(want) > 0) {
			t.Errorf("the schema of a %s has %q, the type %q", typ, names, want)
		}
	}
	c := jsonschema.NewCompiler()
	must.OK(t, c.AddResource("memory.json", tree))
	schema, err := c.Compile("memory.json")
	must.OK(t, err)
	for _, tc := range []struct {
		typ     Type
		details string
		ok      bool
	}{
		{DeadEnd, `{"instead": "x", "more": 1}`, true},
		{DeadEnd, `{"instead": 3}`, false},
		{DeadEnd, `["anything"]`, true},
		{Gotcha, `{"instead": 3}`, true},
		{Gotcha, `{"task": "fix a flaky test"}`, true},
		{Gotcha, `{"task": 3}`, false},
		{WorkflowRecipe, `{"task": "x", "successes": 4, "validated_at": "2026-05-02T10:00:00Z"}`, true},
		{WorkflowRecipe, `{"failures": -1}`, false},
		{PrefetchPattern, `{"sessions": 12}`, true},
		{WorkflowRecipe, `{"steps": [{"do": "x", "file": "a.go", "line": 3}]}`, true},
		{WorkflowRecipe, `{"steps": [{"do": " "}]}`, false},
		{PrefetchPattern, `{"always": ["a.go"]}`, true},
		{PrefetchPattern, `{"often": [""]}`, false},
		{TaskCalibration, `{"estimated": 3, "actual": 5.5, "unit": "calls"}`, true},
		{TaskCalibration, `{"actual": -1}`, false},
	} {
		doc, err := jsonschema.UnmarshalJSON(strings.NewReader(`{"uuid": "0198f0c2-7a41-7c3e-9d7a-000000000001", "type": "` + string(tc.typ) + `", "what": "x", "created_at": "2026-05-02T10:00:00Z", "details": ` + tc.details + `}`))
		must.OK(t, err)
		_, read := (&Memory{Type: tc.typ, Details: []byte(tc.details)}).ReadDetails()
		if err := schema.Validate(doc); (err == nil) != tc.ok || (read == nil) != tc.ok {
			t.Errorf("%s %s: the schema says %v, reading %v", tc.typ, tc.details, err, read)
		}
	}
}

func TestParseStep(t *testing.T) {
	for text, want := range map[string]Step{
		"run make gen":                {Do: "run make gen"},
		"gen/gen.go:12: add the case": {Do: "add the case", File: "gen/gen.go", Line: 12},
		" a.go: look at it ":          {Do: "look at it", File: "a.go"},
		"Note: it is slow":            {Do: "Note: it is slow"},
		"a.go:x: y":                   {Do: "a.go:x: y"},
		"a.go:":                       {Do: "a.go:"},
		"":                            {},
	} {
		if got := ParseStep(text); got != want {
			t.Errorf("%q: %+v, want %+v", text, got, want)
		}
		if again := ParseStep(want.String()); again != want {
			t.Errorf("%q is read as %+v", want.String(), again)
		}
	}
}

func FuzzDetails(f *testing.F) {
	f.Add("dead_end", `{"instead": "x"}`)
	f.Add("workflow_recipe", `{"steps": [{"do": "x", "line": 1e3}]}`)
	f.Fuzz(func(t *testing.T, typ, data string) {
		m := &Memory{Type: Type(typ), Details: []byte(data)}
		d, err := m.ReadDetails()
		if err != nil {
			return
		}
		lines := d.Lines()
		if err := m.SetDetails(d); err != nil {
			return // what is there is no JSON
		}
		if !slices.Equal(m.DetailLines(), lines) {
			t.Errorf("%q becomes %q", lines, m.DetailLines())
		}
	})
}

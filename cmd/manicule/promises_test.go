package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/pflag"

	"manicule/hooks/agent"
	"manicule/hooks/install"
	"manicule/indexer/atomicfile"
	"manicule/lsp/lsptest"
)

var keep = flag.String("keep", "", "the `version` below testdata/upgrade whose surface.json is written")

// surface is what others write into scripts, settings and editors: docs/versions.md
// promises that a later version still has it. surface.json of a version is what that one had.
type surface struct {
	Commands  map[string]map[string]string `json:"commands"` // the type of each flag
	ExitCodes map[string]int               `json:"exit_codes"`
	// Shapes are the members of each JSON output: the type of each path, and "always" for
	// those that are never absent.
	Shapes map[string]map[string]string `json:"shapes"`
	// Requests are the members of the answers to requests of editors, in the repository of
	// the version.
	Requests       map[string][]string `json:"requests"`
	EditorCommands []string            `json:"editor_commands"`
	Tools          map[string]toolForm `json:"tools"`
	Hooks          []string            `json:"hooks"` // command lines that init writes
}

// toolForm is what a client passes to a tool.
type toolForm struct {
	Inputs   map[string]string `json:"inputs"` // by type
	Required []string          `json:"required,omitempty"`
}

func surfaceOf(t *testing.T, o old) surface {
	t.Helper()
	s := surface{
		Commands: map[string]map[string]string{}, Shapes: shapesAsPaths(t), Requests: map[string][]string{}, Hooks: hookLines(t),
		ExitCodes: map[string]int{"ok": exitOK, "error": exitError, "usage": exitUsage, "not found": exitNotFound, "refused": exitRefused, "findings": exitFindings},
	}
	a, _, _ := testApp(t)
	for _, c := range everyCommand(newRootCommand(newCLI(a, a.in, &output{}))) {
		flags := map[string]string{}
		c.Flags().VisitAll(func(f *pflag.Flag) { flags[f.Name] = f.Value.Type() })
		c.InheritedFlags().VisitAll(func(f *pflag.Flag) { flags[f.Name] = f.Value.Type() })
		s.Commands[c.CommandPath()] = flags
	}
	s.Tools = tools(t, o)
	s.askEditor(t, o)
	return s
}

// hookLines are the command lines that init writes for each agent.
func hookLines(t *testing.T) []string {
	t.Helper()
	var out []string
	for _, name := range install.Agents() {
		for _, shared := range []bool{false, true} {
			line, err := install.Command(name, "manicule", shared)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, line)
		}
	}
	return out
}

// shapesAsPaths are the definitions of the schema of output: the type of each member, by its path.
func shapesAsPaths(t *testing.T) map[string]map[string]string {
	t.Helper()
	data, err := os.ReadFile(outputSchema)
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Defs map[string]shapeNode `json:"$defs"`
	}
	if err := json.Unmarshal(data, &doc); err != nil {
		t.Fatal(err)
	}
	out := map[string]map[string]string{}
	for name, def := range doc.Defs {
		out[name] = map[string]string{}
		def.walk("", out[name])
	}
	return out
}

// shapeNode is a part of a JSON Schema.
type shapeNode struct {
	Ref        string               `json:"$ref"`
	Type       any                  `json:"type"`
	Const      any                  `json:"const"`
	Properties map[string]shapeNode `json:"properties"`
	Required   []string             `json:"required"`
	Items      *shapeNode           `json:"items"`
	Values     any                  `json:"additionalProperties"` // a schema, or false
}

func (n shapeNode) walk(path string, out map[string]string) {
	for name, below := range n.Properties {
		at := path + "/" + name
		out[at] = below.kind()
		if slices.Contains(n.Required, name) {
			out[at] += ", always"
		}
		below.walk(at, out)
	}
	if n.Items != nil {
		out[path+"/[]"] = n.Items.kind()
		n.Items.walk(path+"/[]", out)
	}
}

func (n shapeNode) kind() string {
	switch {
	case n.Ref != "":
		return n.Ref
	case n.Const != nil:
		return fmt.Sprint(n.Const)
	case n.Type != nil:
		return fmt.Sprint(n.Type)
	}
	return "any"
}

// agent connects an agent with the repository's MCP server, which ends with the test.
func (o old) agent(t *testing.T) *mcp.ClientSession {
	t.Helper()
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	a, _, _ := testApp(t, "mcp", "--root", o.root)
	a.in, a.out, a.getenv = in, out, func(k string) string { return o.vars[k] }
	ended := make(chan int)
	go func() { ended <- a.run() }()
	client, err := mcp.NewClient(&mcp.Implementation{Name: "x", Version: "1"}, nil).Connect(t.Context(), &mcp.IOTransport{Reader: fromServer, Writer: toServer}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(client.Close(), toServer.Close()); err != nil {
			t.Error(err)
		}
		if code := <-ended; code != exitOK {
			t.Errorf("exit code %d", code)
		}
	})
	return client
}

// tools asks the MCP server for its tools.
func tools(t *testing.T, o old) map[string]toolForm {
	t.Helper()
	list, err := o.agent(t).ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	forms := map[string]toolForm{}
	for _, tool := range list.Tools {
		var in shapeNode
		data, err := json.Marshal(tool.InputSchema)
		if err := errors.Join(err, json.Unmarshal(data, &in)); err != nil {
			t.Fatal(err)
		}
		form := toolForm{map[string]string{}, in.Required}
		for name, member := range in.Properties {
			form.Inputs[name] = member.kind()
		}
		forms[tool.Name] = form
	}
	return forms
}

// askEditor sends requests of our own, and keeps the members of the answers.
func (s *surface) askEditor(t *testing.T, o old) {
	t.Helper()
	e, can := o.editor(t)
	e.Open("a.go")
	s.EditorCommands = slices.Sorted(slices.Values(can.Capabilities.ExecuteCommandProvider.Commands))
	for method, params := range requests(e, kept(t, o.version)) {
		raw, err := e.Call(method, params)
		if err != nil {
			t.Errorf("%s: %v", method, err)
			continue
		}
		var answer any
		if err := json.Unmarshal(raw, &answer); err != nil {
			t.Fatal(err)
		}
		members := map[string]bool{}
		membersOf("", answer, members)
		s.Requests[method] = slices.Sorted(maps.Keys(members))
	}
	e.Shutdown()
}

// requests are those of docs/lsp.md, with parameters that have answers in the repository of a
// version with these ids.
func requests(e *lsptest.Editor, id map[string]string) map[string]any {
	document := map[string]any{"uri": e.URI("a.go")}
	return map[string]any{
		"manicule/overview":       map[string]any{},
		"manicule/tree":           map[string]any{"by": "type"},
		"manicule/candidates":     map[string]any{},
		"manicule/candidate":      map[string]any{"uuid": id["draft"]},
		"manicule/stale":          map[string]any{},
		"manicule/history":        map[string]any{"uuid": id["gotcha_uuid"]},
		"manicule/memory":         map[string]any{"uuid": id["gotcha"]},
		"manicule/log":            map[string]any{},
		"manicule/threads":        map[string]any{},
		"manicule/coverage":       map[string]any{},
		"manicule/sessionSummary": map[string]any{"session": "kept-one"},
		"manicule/search":         map[string]any{"text": "cache"},
		"manicule/graph":          map[string]any{"textDocument": document, "symbol": "F"},
		"manicule/impact":         map[string]any{"textDocument": document, "symbol": "F"},
		"manicule/outline":        map[string]any{"textDocument": document},
	}
}

// membersOf collects the paths of the members of an answer.
func membersOf(path string, v any, out map[string]bool) {
	switch v := v.(type) {
	case map[string]any:
		for name, below := range v {
			out[path+"/"+name] = true
			membersOf(path+"/"+name, below, out)
		}
	case []any:
		for _, below := range v {
			membersOf(path+"/[]", below, out)
		}
	}
}

func (o old) surfaceFile() string {
	return filepath.Join("testdata", "upgrade", o.version, "surface.json")
}

// TestKeepSurface writes what this version has, for the tests of later ones: with -keep.
func TestKeepSurface(t *testing.T) {
	if *keep == "" {
		t.Skip("nothing is to be kept")
	}
	o := openOld(t, *keep)
	if _, err := os.Stat(o.surfaceFile()); err == nil {
		t.Fatalf("%s is there already, and stays as it is", o.surfaceFile())
	}
	data, err := json.MarshalIndent(surfaceOf(t, o), "", " ")
	if err := errors.Join(err, atomicfile.Write(o.surfaceFile(), append(data, '\n'), 0o644)); err != nil {
		t.Fatal(err)
	}
}

// TestPromises: what each kept version had is still there, and means the same.
func TestPromises(t *testing.T) {
	for _, version := range oldVersions(t) {
		t.Run(version, func(t *testing.T) {
			o := openOld(t, version)
			data, err := os.ReadFile(o.surfaceFile())
			if errors.Is(err, os.ErrNotExist) {
				t.Skip("of this version only the files are kept")
			}
			var was surface
			if err := errors.Join(err, json.Unmarshal(data, &was)); err != nil {
				t.Fatal(err)
			}
			for _, broken := range was.broken(surfaceOf(t, o)) {
				t.Error(broken)
			}
			for _, line := range was.Hooks {
				runHookLine(t, o, line)
			}
		})
	}
}

// broken says what is not as it was.
func (s surface) broken(now surface) []string {
	var out []string
	say := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	for command, flags := range s.Commands {
		if _, ok := now.Commands[command]; !ok {
			say("the command %q is gone", command)
			continue
		}
		for flag, kind := range flags {
			if got := now.Commands[command][flag]; got != kind {
				say("%s --%s took %q, and takes %q", command, flag, kind, got)
			}
		}
	}
	for name, code := range s.ExitCodes {
		if now.ExitCodes[name] != code {
			say("the exit code of %q was %d, and is %d", name, code, now.ExitCodes[name])
		}
	}
	for shape, members := range s.Shapes {
		if was, is := members["/shape"], now.Shapes[shape]["/shape"]; was != is && is != "" {
			continue // it has another number
		}
		for path, kind := range members {
			if got := now.Shapes[shape][path]; got != kind && got != kind+", always" {
				say("JSON %s%s was %q, and is %q", shape, path, kind, got)
			}
		}
	}
	for method, members := range s.Requests {
		for _, path := range members {
			if !slices.Contains(now.Requests[method], path) {
				say("the answer of %s had %s", method, path)
			}
		}
	}
	for _, command := range s.EditorCommands {
		if !slices.Contains(now.EditorCommands, command) {
			say("the editor's command %s is gone", command)
		}
	}
	for tool, form := range s.Tools {
		got, ok := now.Tools[tool]
		if !ok {
			say("the tool %q is gone", tool)
			continue
		}
		for input, kind := range form.Inputs {
			if got.Inputs[input] != kind {
				say("%s took %s as %q, and takes it as %q", tool, input, kind, got.Inputs[input])
			}
		}
		for _, input := range got.Required {
			if !slices.Contains(form.Required, input) {
				say("%s wants %s, which callers of the earlier version don't pass", tool, input)
			}
		}
	}
	slices.Sort(out)
	return out
}

// runHookLine runs the program as a command line of an earlier version does, and wants an
// answer that the agent can read.
func runHookLine(t *testing.T, o old, line string) {
	t.Helper()
	m := regexp.MustCompile(`manicule (hook \S+)`).FindStringSubmatch(line)
	if m == nil {
		t.Fatalf("no command in %q", line)
	}
	args := strings.Fields(m[1])
	a, ok := agent.Lookup(args[1])
	if !ok {
		t.Fatalf("the agent of %q is not known any more", line)
	}
	event, err := json.Marshal(a.Wire.Probe(o.root))
	if err != nil {
		t.Fatal(err)
	}
	code, out, complaint := o.runWith(t, string(event), args...)
	if code != exitOK || complaint != "" || out != "" && !json.Valid([]byte(out)) {
		t.Errorf("%s: exit code %d: %s%s", line, code, out, complaint)
	}
}

// TestBrokenPromises: what goes away or changes is seen, and what comes anew is not.
func TestBrokenPromises(t *testing.T) {
	form := func() surface {
		return surface{
			Commands: map[string]map[string]string{"list": {"json": "bool"}}, ExitCodes: map[string]int{"refused": 4},
			Shapes:   map[string]map[string]string{"list": {"/shape": "manicule/list/1", "/memories": "array, always"}},
			Requests: map[string][]string{"tree": {"/groups"}}, EditorCommands: []string{"remember"},
			Tools: map[string]toolForm{"recall": {map[string]string{"paths": "array"}, []string{"paths"}}},
		}
	}
	for name, tt := range map[string]struct {
		change func(*surface)
		want   string
	}{
		"nothing":            {func(*surface) {}, ""},
		"a new flag":         {func(s *surface) { s.Commands["list"]["all"] = "bool" }, ""},
		"a command":          {func(s *surface) { delete(s.Commands, "list") }, "list"},
		"a flag":             {func(s *surface) { delete(s.Commands["list"], "json") }, "--json"},
		"a flag's type":      {func(s *surface) { s.Commands["list"]["json"] = "string" }, "--json"},
		"an exit code":       {func(s *surface) { s.ExitCodes["refused"] = 5 }, "refused"},
		"a member":           {func(s *surface) { delete(s.Shapes["list"], "/memories") }, "/memories"},
		"a member's absence": {func(s *surface) { s.Shapes["list"]["/memories"] = "array" }, "/memories"},
		"a shape":            {func(s *surface) { delete(s.Shapes, "list") }, "list"},
		"a new number":       {func(s *surface) { s.Shapes["list"] = map[string]string{"/shape": "manicule/list/2"} }, ""},
		"an answer":          {func(s *surface) { s.Requests["tree"] = nil }, "/groups"},
		"an editor command":  {func(s *surface) { s.EditorCommands = nil }, "remember"},
		"a tool":             {func(s *surface) { delete(s.Tools, "recall") }, "recall"},
		"an input":           {func(s *surface) { delete(s.Tools["recall"].Inputs, "paths") }, "paths"},
		"a new requirement":  {func(s *surface) { s.Tools["recall"] = toolForm{s.Tools["recall"].Inputs, []string{"paths", "query"}} }, "query"},
	} {
		t.Run(name, func(t *testing.T) {
			now := form()
			tt.change(&now)
			got := strings.Join(form().broken(now), "\n")
			if (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// TestVersionsPage: the numbers that docs/versions.md names are those of the program, and each
// request of docs/lsp.md is one whose answer is kept.
func TestVersionsPage(t *testing.T) {
	a, out, _ := testApp(t, "version", "--json")
	if code := a.run(); code != exitOK {
		t.Fatal(code)
	}
	var is struct {
		Format int `json:"memory_format"`
		State  int `json:"state_schema"`
		Leader int `json:"leader_protocol"`
	}
	if err := json.Unmarshal(out.Bytes(), &is); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("../../docs/versions.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		fmt.Sprintf("| memory files | `format` in each file, now %d |", is.Format),
		fmt.Sprintf("| `state.db` | SQLite's `user_version`, now %d |", is.State),
		fmt.Sprintf("`protocol` in the greeting, now %d |", is.Leader),
	} {
		if !strings.Contains(string(page), want) {
			t.Errorf("docs/versions.md does not say %q", want)
		}
	}
	lspPage, err := os.ReadFile("../../docs/lsp.md")
	if err != nil {
		t.Fatal(err)
	}
	table, _, _ := strings.Cut(string(lspPage), "| `manicule/changed`")
	e, _ := openOld(t, "0.1").editor(t)
	asked := requests(e, nil)
	asked["manicule/showAt"] = true // needs commits, of which that repository has none
	for _, m := range regexp.MustCompile("`(manicule/\\w+)`").FindAllStringSubmatch(table, -1) {
		if _, ok := asked[m[1]]; !ok {
			t.Errorf("docs/lsp.md has %s, of which no answer is kept", m[1])
		}
	}
}

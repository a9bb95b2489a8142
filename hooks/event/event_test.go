package event

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"manicule/indexer/must"
)

func TestScan(t *testing.T) {
	long := strings.Repeat(`x\n\"é`, 40_000)
	in := "\ufeff" + ` {"a":"b","n":3,"o":{"s":["x",{"y":true}]},"big":"` + long + `","z":"end","a":"last"} trailing`
	for name, r := range map[string]io.Reader{
		"whole": strings.NewReader(in), "byte by byte": iotest.OneByteReader(strings.NewReader(in)),
	} {
		var top []string
		v, err := Scan(r, func(n, _ string) { top = append(top, n) })
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got := v.Str("a"); got != "last" {
			t.Errorf("%s: a = %q", name, got)
		}
		if got := v.Str("z"); got != "end" {
			t.Errorf("%s: z = %q", name, got)
		}
		if n := len(v.Str("big")); n == 0 || n > maxString {
			t.Errorf("%s: big has %d bytes", name, n)
		}
		if n, ok := v.Number("n"); !ok || n != 3 {
			t.Errorf("%s: n = %v %v", name, n, ok)
		}
		if !v.Get("o").Get("s").Items()[1].True("y") {
			t.Errorf("%s: o.s[1].y is not true", name)
		}
		if !slices.Equal(top, []string{"a", "big", "z", "a"}) {
			t.Errorf("%s: told of %q", name, top)
		}
	}
}

func TestScanFaults(t *testing.T) {
	for _, in := range []string{"", " ", "[]", "7", `"x"`, "{", `{"a"`, `{"a":"`, `{"a":"\u12"}`, "{]", "\x00\xff", strings.Repeat("[", 100_000), strings.Repeat(`{"a":`, 100_000)} {
		if _, err := Scan(strings.NewReader(in), nil); err == nil {
			t.Errorf("Scan(%.20q): no error", in)
		}
	}
	v, err := Scan(strings.NewReader(`{"hook_event_name":"X","tool`), nil)
	if err == nil || v.Str("hook_event_name") != "X" {
		t.Errorf("of a torn payload, %q and %v", v.Str("hook_event_name"), err)
	}
	if _, err := Scan(iotest.ErrReader(errors.New("gone")), nil); err == nil {
		t.Error("no error of a broken reader")
	}
}

func TestScanDeep(t *testing.T) {
	in := strings.Repeat(`{"a":`, 500) + "1" + strings.Repeat("}", 500)
	if _, err := Scan(strings.NewReader(in), nil); err != nil {
		t.Error(err)
	}
}

func show(targets []Target) string {
	var out []string
	for _, t := range targets {
		s := string(t.Class)[:1] + ":" + t.Path
		if t.Dir {
			s += "/"
		}
		for _, l := range t.Spans {
			s += fmt.Sprintf("[%d-%d]", l.From, l.To)
		}
		out = append(out, s)
	}
	return strings.Join(out, " ")
}

func TestShellTargets(t *testing.T) {
	for command, want := range map[string]string{
		"cat a.go":                                               "r:a.go",
		"cat 'a b.go' \"c d.go\" e\\ f.go":                       "r:a b.go r:c d.go r:e f.go",
		"sed -n '1,120p' src/x.ts":                               "r:src/x.ts[1-120]",
		"sed -n -e 1,5p -e 9p x y":                               "r:x[1-5][9-9] r:y[1-5][9-9]",
		"sed -i 's/a/b/' x.go":                                   "e:x.go",
		"nl -ba x.go | sed -n '1,20p'":                           "r:x.go[1-20]",
		"nl -ba x.go | sed -n '/a/,/b/p'":                        "r:x.go",
		"cat x.go && sed -n 5,9p x.go":                           "r:x.go",
		"sed -n 1,2p x.go; sed -n '5p;7,9p' x.go":                "r:x.go[1-2][5-5][7-9]",
		"cat x.go | grep a | head -3":                            "r:x.go",
		"head -n 20 x; tail -c 5 y && cat -- -z":                 "r:x[1-20] r:y r:-z",
		"head -20 x":                                             "r:x[1-20]",
		"bat --style plain -r 1:20 x.go":                         "r:x.go",
		"rg -n foo src lib/":                                     "s:src/ s:lib//",
		"rg -n foo":                                              "s:./",
		"rg -e foo -g '*.go' src":                                "s:src/",
		"cat x | rg foo":                                         "r:x",
		"rg --files src":                                         "s:src/",
		"grep -rn foo .":                                         "s:./",
		"grep foo x.go":                                          "s:x.go/",
		"ls -la src":                                             "s:src/",
		"find src -name '*.go'":                                  "s:src/",
		"cd /repo && cat a.go":                                   "r:/repo/a.go",
		"cd src; cd auth; cat a.go /b.go":                        "r:src/auth/a.go r:/b.go",
		`bash -lc "cat x.go && sed -n 1,2p y.go"`:                "r:x.go r:y.go[1-2]",
		"sudo FOO=1 timeout 5 cat x":                             "r:x",
		"cat $FILE *.go a{1,2}.go \"$X/y\"":                      "",
		"cat <<'EOF' > out.txt\ncat inner.go\nEOF\ncat after.go": "c:out.txt r:after.go",
		"echo hi >> log.txt 2>/dev/null":                         "e:log.txt",
		"cat a 2>&1 | tee b":                                     "r:a c:b",
		"cat a # cat b":                                          "r:a",
		"go test ./... && git diff x.go":                         "",
		"Get-Content src\\auth\\x.ts":                            `r:src\auth\x.ts`,
		"cat 'unclosed":                                          "r:unclosed",
		"apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: n.go\n+x\n*** Update File: u.go\n*** Move to: v.go\n*** Delete File: d.go\n*** End Patch\nEOF": "c:n.go e:u.go c:v.go e:d.go",
		"": "",
	} {
		if got := show(shellTargets(command)); got != want {
			t.Errorf("%q:\n got %s\nwant %s", command, got, want)
		}
	}
}

func TestNewCall(t *testing.T) {
	for _, tc := range []struct{ tool, input, class, want string }{
		{"Read", `{"file_path":"/r/a.go"}`, "read", "r:/r/a.go"},
		{"read_file", `{"filePath":"/r/a.go"}`, "read", "r:/r/a.go"},
		{"read_many_files", `{"paths":["a","b"]}`, "read", "r:a r:b"},
		{"Edit", `{"file_path":"a","old_string":"x"}`, "edit", "e:a"},
		{"NotebookEdit", `{"notebook_path":"a.ipynb"}`, "edit", "e:a.ipynb"},
		{"multi_replace_string_in_file", `{"replacements":[{"filePath":"a"},{"filePath":"b"}]}`, "edit", "e:a e:b"},
		{"editFiles", `{"files":["src/main.ts"]}`, "edit", "e:src/main.ts"},
		{"Write", `{"file_path":"a"}`, "create", "c:a"},
		{"create", `{"path":"a"}`, "create", "c:a"},
		{"Grep", `{"pattern":"a/.*b","path":"src"}`, "search", "s:src/"},
		{"Grep", `{"pattern":"x"}`, "search", "s:./"},
		{"Grep", `{"pattern":"x","glob":"src/auth/*.ts"}`, "search", "s:src/auth/"},
		{"Grep", `{"pattern":"x","path":"/r","glob":"src/auth/*.ts"}`, "search", "s:/r/src/auth/"},
		{"Glob", `{"pattern":"src/**/*.ts"}`, "search", "s:src/"},
		{"Glob", `{"pattern":"**/*.ts"}`, "search", "s:./"},
		{"Bash", `{"command":"cat a"}`, "shell", "r:a"},
		{"shell", `{"command":["bash","-lc","cat a"]}`, "shell", "r:a"},
		{"apply_patch", `{"command":"*** Begin Patch\n*** Update File: a\n"}`, "edit", "e:a"},
		{"apply_patch", `"*** Begin Patch\n*** Update File: a\n"`, "edit", "e:a"},
		{"view", `"{\"path\":\"a\"}"`, "read", "r:a"},
		{"WebFetch", `{"url":"https://x"}`, "web", ""},
		{"TodoWrite", `{"todos":[]}`, "other", ""},
		{"Read", `{"file_path":"a\u0000b"}`, "read", ""},
		{"Read", `null`, "read", ""},
	} {
		v, err := ScanString(`{"i":` + tc.input + `}`)
		must.OK(t, err)
		c := NewCall(tc.tool, "1", v.Get("i"))
		if got := show(c.Targets); string(c.Class) != tc.class || got != tc.want {
			t.Errorf("%s %s: %s %s, want %s %s", tc.tool, tc.input, c.Class, got, tc.class, tc.want)
		}
	}
}

func FuzzShellTargets(f *testing.F) {
	for _, s := range []string{"cat a | rg b <<E\nx\nE", `bash -c "bash -c 'cat $(x)'"`, "sed -n '1p", "> > <<", "\\", "a\x00b", "cat <<A <<B\n1\nA\n2\nB\ncat c"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, got := range shellTargets(s) {
			if got.Path == "" || strings.ContainsRune(got.Path, 0) {
				t.Errorf("target %q of %q", got.Path, s)
			}
		}
	})
}

func FuzzScan(f *testing.F) {
	for _, s := range []string{`{"a":"b"}`, `{"a":{"b":[1,2,"\u00e9\ud83d"]}}`, `{"a":"\`, `{"a":tru`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		v, err := ScanString(s)
		one, oneErr := Scan(iotest.OneByteReader(strings.NewReader(s)), nil)
		if (err == nil) != (oneErr == nil) || fmt.Sprint(v) != fmt.Sprint(one) && err == nil {
			t.Errorf("in one piece %v %v, byte by byte %v %v", v, err, one, oneErr)
		}
	})
}

func BenchmarkScan30MB(b *testing.B) {
	in := `{"hook_event_name":"PostToolUse","tool_response":"` + strings.Repeat(`line of code with \"quotes\"\n`, 1_000_000) + `","session_id":"s"}`
	b.SetBytes(int64(len(in)))
	for b.Loop() {
		if v, err := ScanString(in); err != nil || v.Str("session_id") != "s" {
			b.Fatal(err)
		}
	}
}

func TestSimpleCommands(t *testing.T) {
	for _, tt := range []struct{ line, want string }{
		{"cd x && go test ./... 2>&1 | tail -5", "cd x|go test ./...|tail -5"},
		{"FOO=1 sudo timeout 5 make lint > out.txt; echo done", "make lint|echo done"},
		{"bash -lc 'npm run build && npm test'", "npm run build|npm test"},
		{"git commit -m \"$(cat <<'EOF'\nrm -rf x\nEOF\n)\"", "git commit -m $(cat <<'EOF'\nrm -rf x\nEOF\n)"},
		{"", ""},
	} {
		var got []string
		for _, c := range SimpleCommands(tt.line) {
			got = append(got, strings.Join(c, " "))
		}
		if strings.Join(got, "|") != tt.want {
			t.Errorf("%q: %q, want %q", tt.line, strings.Join(got, "|"), tt.want)
		}
	}
}

// TestPipelines: what pipes join is together, whatever else is on the line.
func TestPipelines(t *testing.T) {
	for _, tt := range []struct{ line, want string }{
		{"go test ./... 2>&1 | tail -5", "go test ./... | tail -5"},
		{"cd x && go test |& tee log || echo 'a | b'; ls", "cd x ; go test | tee log ; echo a | b ; ls"},
		{"git log |\n  head -3\nls", "git log | head -3 ; ls"},
		{"(cd x && make) | tail -1", "cd x ; make | tail -1"},
		{"(make) && ls", "make ; ls"},
		{"a | (b; c)", "a | b ; c"},
		{"a | (b | c) | d; e", "a | b | c | d ; e"},
		{"a |\n( b && c ) | d", "a | b ; c | d"},
		{"a; (b)", "a ; b"},
		{"case $x in a) make;; esac", "case $x in a ; make ; esac"},
		{"cat x | bash -c 'sort | uniq; wc -l' | head", "cat x | sort | uniq ; wc -l | head"},
		{"yes | sudo FOO=1 make install > out.txt", "yes | make install"},
		{"| tail", "tail"},
		{"make |", "make"},
		{"", ""},
	} {
		var got []string
		for _, p := range Pipelines(tt.line) {
			var parts []string
			for _, c := range p {
				parts = append(parts, strings.Join(c, " "))
			}
			got = append(got, strings.Join(parts, " | "))
		}
		if strings.Join(got, " ; ") != tt.want {
			t.Errorf("%q: %q, want %q", tt.line, strings.Join(got, " ; "), tt.want)
		}
	}
}

// TestDigests: an edit undone has its digests swapped, and no text is kept.
func TestDigests(t *testing.T) {
	call := func(input string) Call {
		v, err := ScanString(input)
		must.OK(t, err)
		return NewCall("Edit", "1", v)
	}
	there := call(`{"file_path": "a.go", "old_string": "secret one", "new_string": "two"}`)
	back := call(`{"file_path": "a.go", "old_string": "two", "new_string": "secret one"}`)
	if there.Before == "" || there.Before != back.After || there.After != back.Before || there.Before == there.After {
		t.Errorf("%+v and %+v", there, back)
	}
	many := call(`{"file_path": "a.go", "edits": [{"old_string": "secret one", "new_string": "two"}]}`)
	if many.Before != there.Before {
		t.Errorf("a list of edits differs: %+v", many)
	}
	if c := call(`{"file_path": "a.go"}`); c.Before != "" || c.After != "" {
		t.Errorf("digests of nothing: %+v", c)
	}
}

func TestResult(t *testing.T) {
	for _, tt := range []struct {
		tool, response string
		bytes, found   int // found -1 for not said
	}{
		{"Glob", `{"filenames": [], "numFiles": 0}`, 1, 0},
		{"Grep", `{"mode": "content", "numFiles": 0, "filenames": [], "content": "a:1", "numLines": 3}`, 12, 3},
		{"Glob", `{"filenames": ["a", "b"]}`, 2, 2},
		{"Read", `{"file": {"content": "0123456789", "numLines": 10}}`, 12, -1},
	} {
		v, err := ScanString(tt.response)
		must.OK(t, err)
		c := Call{Class: classOf(tt.tool)}
		c.Result(v)
		if c.Bytes != tt.bytes || (c.Found == nil) != (tt.found < 0) || c.Found != nil && *c.Found != tt.found {
			t.Errorf("%s: %+v, want %d bytes, %d found", tt.response, c, tt.bytes, tt.found)
		}
	}
}

func TestPatchedLine(t *testing.T) {
	for _, tt := range []struct {
		response string
		line     int
	}{
		{`{"structuredPatch": [{"oldStart": 7, "newStart": 7, "lines": [" a", " b", " c", "-d", "+e", " f"]}, {"newStart": 40, "lines": ["+x"]}]}`, 10},
		{`{"structuredPatch": [{"newStart": 1, "lines": ["+first"]}]}`, 1},
		{`{"structuredPatch": [{"newStart": 5}]}`, 5},
		{`{"structuredPatch": []}`, 0},
		{`{"structuredPatch": [{"newStart": -3, "lines": ["+x"]}]}`, 0},
		{`"done"`, 0},
	} {
		v, err := ScanString(`{"r": ` + tt.response + `}`)
		must.OK(t, err)
		c := Call{Class: Edit}
		if c.Result(v.Get("r")); c.Line != tt.line {
			t.Errorf("%s: line %d, want %d", tt.response, c.Line, tt.line)
		}
	}
}

func TestTelling(t *testing.T) {
	for _, tt := range []struct{ text, line string }{
		{"Exit code 1\n[lint] $ golangci-lint run\na.go:1:2: undefined: x\n[lint] ERROR task failed", "a.go:1:2: undefined: x"},
		{"\x1b[31merror:\x1b[0m unknown flag --x", "error: unknown flag --x"},
		{"Found 2 errors.", "Found 2 errors."},
		{"  ✔ provider keeps load errors in-tree\n  1) times out on a slow disk: Timeout of 2000ms exceeded", "1) times out on a slow disk: Timeout of 2000ms exceeded"},
		{"Exit code 1\nundefined\n ERR_PNPM_RECURSIVE_EXEC_FIRST_FAIL  Command \"eslint\" not found", `ERR_PNPM_RECURSIVE_EXEC_FIRST_FAIL  Command "eslint" not found`},
		{"src/a.ts(1,47): error TS2307: Cannot find module 'x'\n ERR_PNPM_RECURSIVE_RUN_FIRST_FAIL  a@1 typecheck: `tsc`", "src/a.ts(1,47): error TS2307: Cannot find module 'x'"},
		{" ❯ a.test.ts (14 tests | 1 failed) 2210ms\n   × reconnects 2004ms\n     → Test timed out in 5000ms.", "Test timed out in 5000ms."},
		{"", ""},
	} {
		if got := ErrorLine(tt.text); got != tt.line {
			t.Errorf("%q: %q, want %q", tt.text, got, tt.line)
		}
	}
	long := strings.Repeat("nothing of note\n", 100) + "fatal: it is broken\n" + strings.Repeat("nothing of note\n", 100)
	if got := ErrorSummary(long, 100); len(got) > 100 || !strings.Contains(got, "fatal: it is broken") {
		t.Errorf("%q", got)
	}
	if got := ErrorSummary("short", 100); got != "short" {
		t.Errorf("%q", got)
	}
}

// TestTouchedLines: a call says which lines it reads, and which texts it replaces.
func TestTouchedLines(t *testing.T) {
	for in, want := range map[string]string{
		`{"file_path":"a.go"}`:                           "[{a.go false read [] []}]",
		`{"file_path":"a.go","offset":20,"limit":10}`:    "[{a.go false read [{20 29}] []}]",
		`{"path":"a.go","limit":10}`:                     "[{a.go false read [{1 10}] []}]",
		`{"path":"a.go","start_line":5,"end_line":5}`:    "[{a.go false read [{5 5}] []}]",
		`{"path":"a.go","offset":20}`:                    "[{a.go false read [] []}]", // to the end
		`{"file_path":"a.go","limit":0,"offset":-3}`:     "[{a.go false read [] []}]",
		`{"paths":["a.go","a.go"],"offset":2,"limit":1}`: "[{a.go false read [] []}]",
	} {
		v, err := ScanString(in)
		must.OK(t, err)
		if got := fmt.Sprint(NewCall("Read", "", v).Targets); got != want {
			t.Errorf("%s: %s", in, got)
		}
	}
	for in, want := range map[string]string{
		`{"file_path":"a.go","old_string":"x","new_string":"y"}`:                                                   "[{x y}]",
		`{"file_path":"a.go","edits":[{"oldText":"x","newText":""},{"oldText":"","newText":"y"}]}`:                 "[{x } { y}]",
		`{"file_path":"a.go","content":"z"}`:                                                                       "[]",
		`{"patch":"*** Begin Patch\n*** Update File: a.go\n@@ f\n k\n-x\n+y\n@@\n+z\n*** Add File: b.go\n+new\n"}`: "[{k\nx\n k\ny\n} { z\n}]",
	} {
		v, err := ScanString(in)
		must.OK(t, err)
		got := NewCall("Edit", "", v).Targets
		if len(got) == 0 || fmt.Sprint(got[0].Replaced) != want {
			t.Errorf("%s: %v", in, got)
		}
	}
}

// TestScanCopy: the copy of a payload is JSON that scans to the same, is small, and the strings that were cut are known, whatever the
// sizes in which the input comes.
func TestScanCopy(t *testing.T) {
	long := strings.Repeat(`ü"\`, maxString)
	in, err := json.Marshal(map[string]any{"a": long, "b": "short", "c": []any{long, "short", map[string]any{"d": long + long, "e": 5}}, "f": "short"})
	must.OK(t, err)
	for name, r := range map[string]io.Reader{
		"whole": bytes.NewReader(in), "after a mark": io.MultiReader(strings.NewReader("\ufeff"), bytes.NewReader(in)), "by bytes": iotest.OneByteReader(bytes.NewReader(in)),
	} {
		var copied bytes.Buffer
		v, err := ScanCopy(r, &copied, nil)
		if err != nil {
			t.Fatal(name, err)
		}
		list := v.Get("c").Items()
		if !v.Get("a").Cut() || v.Get("b").Cut() || !list[0].Cut() || list[1].Cut() || !list[2].Get("d").Cut() || list[2].Get("e").Cut() || v.Get("f").Cut() {
			t.Errorf("%s: not the long strings are cut", name)
		}
		again, err := ScanString(strings.TrimPrefix(copied.String(), "\ufeff"))
		if err != nil || again.Get("a").Text() != v.Get("a").Text() || again.Get("f").Text() != "short" || copied.Len() > 4*maxString {
			t.Errorf("%s: the copy has %d bytes, %v", name, copied.Len(), err)
		}
	}
}

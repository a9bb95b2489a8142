package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"manicule/cmd/internal/release"
	"manicule/hooks/install"
)

// hookProgramLag is how much older than this program the one for hooks may be and still answer in its place, as
// package hookexec has it.
const hookProgramLag = 2 * time.Minute

// hookProgramHere is [hookProgramBeside] of this program.
func hookProgramHere(ctx context.Context) []finding {
	self, err := os.Executable()
	if err == nil {
		self, err = filepath.EvalSymlinks(self)
	}
	if err != nil {
		return nil // then it is not known what is beside it
	}
	return hookProgramBeside(ctx, self)
}

// hookProgramBeside says what is wrong with the program for hooks beside a program.
func hookProgramBeside(ctx context.Context, self string) []finding {
	beside := filepath.Join(filepath.Dir(self), install.HookProgram)
	if ext := filepath.Ext(self); strings.EqualFold(ext, ".exe") {
		beside += ext
	}
	here, err := os.Stat(self)
	if err != nil {
		return nil
	}
	small, err := os.Stat(beside)
	switch {
	case err != nil || !small.Mode().IsRegular():
		return []finding{{"hooks", statusNote, install.HookProgram + " is not beside " + filepath.Base(self) + ", so hooks start more slowly", "Each release has both programs: put it into " + filepath.Dir(self) + "."}}
	case small.ModTime().Add(hookProgramLag).Before(here.ModTime()):
		return []finding{{"hooks", statusNote, beside + " is older than " + filepath.Base(self) + ", which answers `manicule hook` itself, more slowly", "Install both programs of one release."}}
	}
	ctx, cancel := context.WithTimeout(ctx, probeLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, beside, "version")
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	var said struct {
		Shape string `json:"shape"`
		release.Info
	}
	const again = "Install both programs of one release again; without it `manicule` answers `manicule hook` itself."
	switch own := release.Current(); {
	case ctx.Err() != nil && err != nil:
		return []finding{{"hooks", statusProblem, beside + " does not answer", again}}
	case err != nil:
		return []finding{{"hooks", statusProblem, fmt.Sprintf("%s can't be run, and answers no hook: %v", beside, err), again}}
	case json.Unmarshal(out, &said) != nil || !strings.HasPrefix(said.Shape, "manicule/version/"):
		return []finding{{"hooks", statusProblem, beside + " is not Manicule's", again}}
	case said.Version != own.Version || said.State != own.State:
		return []finding{{"hooks", statusNote, fmt.Sprintf("%s is another build: version %s and schema %d of state.db, this is %s and %d", beside, said.Version, said.State, own.Version, own.State), again}}
	}
	return nil
}

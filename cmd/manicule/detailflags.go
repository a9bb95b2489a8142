package main

import (
	"errors"

	"github.com/spf13/pflag"

	"manicule/memory/file"
)

// detailFlags are the flags for what only memories of some types have.
type detailFlags struct {
	instead string
	steps   []string
	task    string
	forbids string
	musts   string
	proof   string
}

func (d *detailFlags) flags(f *pflag.FlagSet) {
	f.StringVar(&d.instead, "instead", "", "of a dead end: what works")
	f.StringVar(&d.task, "task", "", "of a gotcha, a dead end, an error pattern or a recipe: the kind of task at which it was learned, such as \"add a migration\"")
	f.StringVar(&d.forbids, "forbid", "", "of a rule about its files: a regular `EXPRESSION` that no line of them may match")
	f.StringVar(&d.musts, "must-have", "", "of a rule about its files: a regular `EXPRESSION` that each of them must match")
	f.StringVar(&d.proof, "proof", "", "a `COMMAND` line that passes as long as it holds; nothing runs it but manicule verify ID --prove")
	f.StringArrayVar(&d.steps, "step", nil, "of a recipe: a step, such as \"run make gen\" or \"gen/gen.go:12: add the case\"; repeat for all")
}

// of returns the details that the flags give. They decide the type if nothing else does.
func (d *detailFlags) of(t *file.Type) (file.Details, error) {
	if d.instead != "" && len(d.steps) > 0 {
		return file.Details{}, errors.New("--instead is of a dead end, and --step of a recipe: a memory is one of them")
	}
	switch {
	case *t != "":
	case d.instead != "":
		*t = file.DeadEnd
	case len(d.steps) > 0:
		*t = file.WorkflowRecipe
	}
	return d.add(file.Details{}), nil
}

// add puts what the flags give into details.
func (d *detailFlags) add(to file.Details) file.Details {
	if d.instead != "" {
		to.Instead = d.instead
	}
	if d.task != "" {
		to.Task = d.task
	}
	if d.forbids != "" {
		to.Forbids = d.forbids
	}
	if d.musts != "" {
		to.Requires = d.musts
	}
	if d.proof != "" {
		to.Proof = d.proof
	}
	if len(d.steps) > 0 {
		to.Steps = nil
		for _, s := range d.steps {
			to.Steps = append(to.Steps, file.ParseStep(s))
		}
	}
	return to
}

// detailNames are the names of the flags.
func detailNames() []string {
	return []string{"instead", "step", "task", "forbid", "must-have", "proof"}
}

// change puts what the flags give into the details of a memory. An empty expression or proof takes one away.
func (d *detailFlags) change(to file.Details, given func(flag string) bool) file.Details {
	if given("forbid") {
		to.Forbids = ""
	}
	if given("must-have") {
		to.Requires = ""
	}
	if given("proof") {
		to.Proof = ""
	}
	return d.add(to)
}

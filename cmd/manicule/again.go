package main

import (
	"bufio"
	"context"
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"manicule/memory"
	"manicule/memory/file"
	"manicule/memory/services"
)

// againFlag is a value of `remember --again`.
type againFlag string

func agains() []againFlag { return []againFlag{"merge", "keep", "replace", "ask"} }

// howAgain is what `remember` does with what was said before. Without a flag a person is asked.
func (rc *rememberCommand) howAgain() (memory.Again, error) {
	switch rc.again {
	case "merge":
		return memory.MergeAgain, nil
	case "keep":
		return memory.KeepAgain, nil
	case "replace":
		return memory.ReplaceAgain, nil
	case "ask":
		return memory.AskAgain, nil
	case "":
		if rc.tty && rc.inputTTY && !rc.json {
			return memory.AskAgain, nil
		}
		return memory.MergeAgain, nil
	}
	return 0, fmt.Errorf("--again takes merge, keep, replace or ask, not %q", rc.again)
}

// askAgain asks what becomes of a memory that says another one again, or contradicts one. left is
// true if nothing is to be written.
func (rc *rememberCommand) askAgain(r memory.Result) (how memory.Again, left bool) {
	question := "  [m]erge into it, [k]eep both, [r]eplace it, or [l]eave it? "
	if r.Code == "same" {
		rc.buffered(func() {
			rc.printf("the same is there: ")
			rc.line(r.Memory)
		})
	} else {
		for _, c := range r.Contradicts {
			rc.printf("it contradicts %s (%s): %s\n", c.UUID[max(0, len(c.UUID)-8):], c.Reason, plainLine(c.What))
		}
		question = "  [k]eep both as a conflict, [r]eplace the other, or [l]eave it? "
	}
	in := bufio.NewReader(rc.in)
	for rc.tty && rc.inputTTY || rc.again == "ask" {
		rc.printf("%s", question)
		line, err := in.ReadString('\n')
		if err != nil && line == "" {
			return 0, true
		}
		switch answer := strings.ToLower(strings.TrimSpace(line)); {
		case answer == "m" && r.Code == "same":
			return memory.MergeAgain, false
		case answer == "k":
			return memory.KeepAgain, false
		case answer == "r":
			return memory.ReplaceAgain, false
		case answer == "l", answer == "q":
			return 0, true
		}
	}
	return 0, true
}

// relationFlags are the flags that relate a memory to others.
type relationFlags struct {
	ids  map[string]*[]string // by the relation's type
	list []file.Relation
}

// add declares the flags.
func (rf *relationFlags) add(f *pflag.FlagSet) {
	rf.ids = map[string]*[]string{}
	for _, x := range memory.RelationNames() {
		rf.ids[x.Type] = f.StringArray(x.Flag, nil, x.Doc+"; repeat for several")
	}
}

// resolve finds the memories that the flags name.
func (rf *relationFlags) resolve(ctx context.Context, w *services.Workspace) error {
	for _, x := range memory.RelationNames() {
		for _, id := range *rf.ids[x.Type] {
			r, err := w.Relations().To(ctx, x.Type, id)
			if err != nil {
				return err
			}
			rf.list = append(rf.list, r)
		}
	}
	return nil
}

// related prints the memories to which one is related.
func (c *console) related(list []memory.Related) {
	for _, r := range list {
		what := "not here"
		if r.What != "" {
			what = plainLine(r.What)
		}
		says := r.Says
		if r.Auto {
			says += " (found by its words)"
		}
		c.printf("  %-10s %s %s: %s\n", "relation", says, r.ShortID(), what)
	}
}

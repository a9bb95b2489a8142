package main

import (
	"context"
	"fmt"

	"manicule/memory"
	"manicule/memory/services"
)

// alikeJSON is two memories about the same code that say nearly the same, or contradict each other.
type alikeJSON struct {
	First  string `json:"first"`
	Second string `json:"second"`
	// Contradicts says in what they contradict each other.
	Contradicts string `json:"contradicts,omitzero"`
}

// alikeIDs names pairs of memories by their ids.
func alikeIDs(list []memory.Alike) (out []alikeJSON) {
	for _, a := range list {
		out = append(out, alikeJSON{a.First.UUID, a.Second.UUID, a.Contradicts})
	}
	return out
}

// alikeText says what two memories have with each other, with their words.
func alikeText(a memory.Alike) string {
	says := "say nearly the same"
	if a.Contradicts != "" {
		says = "contradict each other (" + a.Contradicts + ")"
	}
	return fmt.Sprintf("%s and %s %s: “%s” and “%s”", a.First.ShortID(), a.Second.ShortID(), says, cut(a.First.What, maxConcluded), cut(a.Second.What, maxConcluded))
}

// alikeHint says what a person can do about two memories.
func alikeHint(a memory.Alike) string {
	newer := a.Second.ShortID()
	if a.Contradicts != "" {
		return fmt.Sprintf("`manicule edit %s --supersedes %s` if the newer one holds, `manicule forget %s` if not; `manicule edit %s --relates %s` if both do.", newer, a.First.ShortID(), newer, newer, a.First.ShortID())
	}
	return fmt.Sprintf("`manicule forget` or `manicule edit ID --supersedes OTHER` leaves one; `manicule edit %s --relates %s` keeps both, and nothing is told of them any more.", newer, a.First.ShortID())
}

// printAlike prints which memories about the same code say nearly the same, or contradict each other.
func printAlike(c *cli, list []memory.Alike) {
	if c.json {
		return
	}
	for i, a := range list {
		if i == maxMendable {
			c.printf("☞ %s\n", count(len(list)-i, "more pair is alike: `manicule doctor --json` lists all", "more pairs are alike: `manicule doctor --json` lists all"))
			break
		}
		c.printf("☞ %s\n  try: %s\n", alikeText(a), alikeHint(a))
	}
}

// maxCompared is how many of the listed memories are compared with each other, which takes 0.02 s.
const maxCompared = 500

// warnAlike says to a person which of the listed memories say nearly the same, or contradict each other. It goes to
// standard error, so that a list stays one of memories.
func warnAlike(ctx context.Context, c *cli, w *services.Workspace, hits []memory.Hit) {
	if c.json || c.caller().ID != "" {
		return
	}
	list, err := memory.AlikeOf(ctx, w.Workspace, hits[:min(len(hits), maxCompared)])
	if err != nil {
		c.warn("look for memories that say nearly the same: %v", err)
		return
	}
	switch len(list) {
	case 0:
	case 1:
		c.warn("%s\n  try: %s", alikeText(list[0]), alikeHint(list[0]))
	default:
		c.warn("%s\n  and %s: `manicule doctor` says which, and what to do", alikeText(list[0]), count(len(list)-1, "more pair of them is alike", "more pairs of them are alike"))
	}
}

// checkAlike reports memories about the same code that say nearly the same, or contradict each other.
func (dc *doctorCommand) checkAlike(ctx context.Context, w *services.Workspace) (out []finding) {
	list, err := memory.FindAlike(ctx, w.Workspace)
	if err != nil {
		return []finding{{"alike", statusProblem, err.Error(), services.Hint(err)}}
	}
	for i, a := range list {
		if i == maxMendable && !dc.json {
			return append(out, finding{"alike", statusNote, count(len(list)-i, "more pair of memories is alike", "more pairs of memories are alike"), "`manicule doctor --json` lists all."})
		}
		out = append(out, finding{"alike", statusNote, alikeText(a), alikeHint(a)})
	}
	return out
}

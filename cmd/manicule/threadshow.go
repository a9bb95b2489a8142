package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"manicule/hooks/nudge"
	"manicule/indexer/clip"
	"manicule/memory"
	"manicule/memory/gate"
	"manicule/memory/services"
	"manicule/memory/thread"
	"manicule/memory/threads"
)

// threadHistoryJSON is the shape "thread_history".
type threadHistoryJSON struct {
	Thread   threadJSON   `json:"thread"`
	Parts    []threadJSON `json:"parts"`    // open ones
	Versions []threadJSON `json:"versions"` // before the present one, newest first; of a shared thread those from before it was a file
}

func newThreadShowCommand(shared *cli) *cobra.Command {
	return &cobra.Command{
		Use:               "show ID",
		Short:             "Show a thread in full, with its parts and its earlier versions",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: shared.completeThreads(func(thread.State) bool { return true }),
		RunE: func(cmd *cobra.Command, args []string) error {
			return shared.with(cmd.Context(), func(w *services.Workspace) error {
				t, err := threads.Of(w.Workspace).Get(cmd.Context(), args[0])
				if err != nil {
					return err
				}
				if shared.caller().ID != "" && t.Memory.Trust.Tainted {
					return &memory.UserError{Msg: "thread " + t.Memory.ShortID() + " may come from outside, so only a person is shown it", Hint: "Leave it as it is."}
				}
				parts, err := threads.Of(w.Workspace).Parts(cmd.Context(), &t)
				if err != nil {
					return fmt.Errorf("read the parts of a thread: %w", err)
				}
				versions, err := w.State().Threads().Versions(cmd.Context(), t.Memory.UUID)
				if err != nil {
					return fmt.Errorf("read the versions of a thread: %w", err)
				}
				slices.Reverse(versions)
				if shared.caller().ID != "" {
					parts, versions = untainted(parts), untainted(versions)
				}
				here := []thread.Thread{t}
				threads.Of(w.Workspace).From(shared.here(".")).Mark(here)
				if shared.json {
					shared.printJSON("thread_history", threadHistoryJSON{threadOf(&t), threadsOf(parts), threadsOf(versions)})
					return nil
				}
				printThread(shared, &here[0], parts, versions)
				return nil
			})
		},
	}
}

// untainted leaves out the threads that may come from outside: no agent is shown them.
func untainted(list []thread.Thread) []thread.Thread {
	return slices.DeleteFunc(list, func(t thread.Thread) bool { return t.Memory.Trust.Tainted })
}

// printThread prints a thread with its text in full. Of an earlier version it prints what was another.
func printThread(c *cli, t *thread.Thread, parts, versions []thread.Thread) {
	c.thread(t)
	if line := firstLine(t.Memory.What); strings.TrimSpace(gate.Clean(t.Memory.What)) != line {
		for l := range strings.SplitSeq(gate.Clean(t.Memory.What), "\n") {
			c.printf("  %s\n", l)
		}
	}
	if t.Memory.Why != "" {
		c.printf("  because %s\n", plainLine(t.Memory.Why))
	}
	c.printf("  %s\n", c.paint(faint, "left "+t.Created.Local().Format("2006-01-02 15:04")+sessionNote(t)))
	for i := range parts {
		c.printf("  ")
		c.thread(&parts[i])
	}
	later := t
	for i := range versions {
		v := &versions[i]
		c.printf("  %s\n", c.paint(faint, fmt.Sprintf("version %d, %s: %s", v.Version, v.Updated.Local().Format("2006-01-02 15:04"), differs(v, later))))
		later = v
	}
}

func sessionNote(t *thread.Thread) string {
	if t.Session == "" {
		return ""
	}
	return " in session " + shortSession(t.Session)
}

// differs says what an earlier version of a thread has that the next one has not.
func differs(old, next *thread.Thread) string {
	parts := []string{string(old.State)}
	if old.Resolution != "" && old.Resolution != next.Resolution {
		parts[0] += ", " + nudge.Clean(old.Resolution)
	}
	if old.Memory.What != next.Memory.What {
		parts = append(parts, "“"+plainLine(old.Memory.What)+"”")
	}
	if old.Memory.Why != next.Memory.Why && old.Memory.Why != "" {
		parts = append(parts, "because “"+plainLine(old.Memory.Why)+"”")
	}
	if old.Owner != next.Owner {
		owner := "for nobody"
		if old.Owner != "" {
			owner = "for " + plainLine(old.Owner)
		}
		parts = append(parts, owner)
	}
	if a, b := strings.Join(old.Memory.Tags, " #"), strings.Join(next.Memory.Tags, " #"); a != b && a != "" {
		parts = append(parts, "#"+plainLine(a))
	}
	if old.Branch != next.Branch && old.Branch != "" {
		parts = append(parts, "on "+plainLine(clip.MarkedChars(old.Branch, maxConcluded)))
	}
	return strings.Join(parts, ", ")
}

// threadEditCommand is `manicule thread edit`.
type threadEditCommand struct {
	*cli
	change threads.Change
}

func newThreadEditCommand(shared *cli) *cobra.Command {
	tc := &threadEditCommand{cli: shared}
	c := &cobra.Command{
		Use:               "edit ID",
		Short:             "Change the text, the reason, the owner or the tags of a thread",
		Long:              "Change a thread. What is not given stays; `manicule thread show` has the earlier versions.",
		Args:              cobra.ExactArgs(1),
		RunE:              tc.run,
		ValidArgsFunction: tc.completeThreads(func(now thread.State) bool { return !now.Closed() }),
	}
	f := c.Flags()
	f.StringVar(&tc.change.Text, "text", "", "the new text")
	f.StringVar(&tc.change.Why, "why", "", "the new reason")
	f.StringVar(&tc.change.Owner, "owner", "", "who is to go on with it")
	f.StringSliceVar(&tc.change.Tags, "tag", nil, "a word by which threads can be listed; those given replace the others")
	c.MarkFlagsOneRequired("text", "why", "owner", "tag")
	return c
}

func (tc *threadEditCommand) run(cmd *cobra.Command, args []string) error {
	return tc.with(cmd.Context(), func(w *services.Workspace) error {
		change := tc.change
		if change.Text+change.Why+change.Owner+strings.Join(change.Tags, "") == "" {
			return usageError("nothing is given that would change", "Give a text, a reason, an owner or a tag.")
		}
		change.ByPerson = tc.caller().ID == ""
		if !change.ByPerson {
			var as memory.Draft
			tc.draftForAgent(cmd.Context(), w, &as)
			change.Tainted = as.Tainted
			change.Allowed = func(t thread.Thread) error {
				if t.Agent == "" && change.Text+change.Why != "" {
					return &memory.UserError{Msg: "thread " + t.Memory.ShortID() + " is a person's, whose words an agent can't change", Hint: "Leave one of your own with `manicule thread add`."}
				}
				return decidableByAgent(t)
			}
		}
		r, err := threads.Of(w.Workspace).Change(cmd.Context(), args[0], change)
		return tc.reportThread(r, err, "changed")
	})
}

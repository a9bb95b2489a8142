package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"manicule/memory"
	"manicule/memory/file"
	"manicule/memory/follow"
	"manicule/memory/gate"
	"manicule/memory/services"
)

// proofTimeout is how long a proof may run.
const proofTimeout = 10 * time.Minute

// proofJSON is the shape "proof".
type proofJSON struct {
	UUID    string `json:"uuid"`
	Command string `json:"command"`
	Holds   bool   `json:"holds"`
	Fault   string `json:"fault,omitzero"` // how the command ended, if it did not pass
	Version int    `json:"version"`        // of the memory
}

// prove runs the command that proves a memory. The command may come from anybody's commit, so it is shown, and run only if a
// person says so. If it passes, the memory is confirmed and holds for the present code.
func (vc *verifyCommand) prove(cmd *cobra.Command, args []string) error {
	if len(args) != 1 {
		return usage(cmd, errors.New("name the one memory that it is about"))
	}
	if err := vc.requirePerson("prove"); err != nil {
		return err
	}
	if !vc.flags.yes && (vc.json || !vc.inputTTY) {
		return usageError("there is no terminal to ask on: --prove needs --yes", "`manicule show "+args[0]+"` shows the command that would be run.")
	}
	return vc.with(cmd.Context(), func(w *services.Workspace) error {
		h, err := w.Get(cmd.Context(), args[0])
		if err != nil {
			return err
		}
		command, err := proofOf(h.Memory)
		if err != nil {
			return err
		}
		if !vc.json {
			vc.lineOf(h)
			vc.printf("  its proof, by %s: %s\n", author(h.Memory), command)
		}
		if !vc.flags.yes && !vc.mayRun() {
			vc.printf("nothing was run\n")
			return nil
		}
		out := proofJSON{UUID: h.Memory.UUID, Command: command, Version: h.Memory.Lineage.Version}
		if fault := vc.runProof(cmd.Context(), w.Root(), command); fault != nil {
			if cmd.Context().Err() != nil {
				return cmd.Context().Err()
			}
			out.Fault = fault.Error()
		} else {
			out.Holds = true
			if out.Version, err = proven(cmd.Context(), w, h); err != nil {
				return err
			}
		}
		return vc.printProof(h, out)
	})
}

// proofOf returns the proof of a memory that can be shown as it is.
func proofOf(m *file.Memory) (string, error) {
	command := m.Proof()
	switch {
	case command == "":
		return "", &memory.UserError{Msg: "memory " + m.ShortID() + " has no proof", Hint: "`manicule edit " + m.ShortID() + " --proof COMMAND` gives it one."}
	case gate.Clean(command) != command:
		return "", &memory.UserError{Msg: "the proof of memory " + m.ShortID() + " holds characters that can't be seen", Hint: "`manicule edit " + m.ShortID() + " --proof COMMAND` writes another."}
	}
	return command, nil
}

// mayRun asks the person.
func (vc *verifyCommand) mayRun() bool {
	vc.printf("Run it? [y/N] ")
	line, err := bufio.NewReader(vc.streams.in).ReadString('\n')
	answer := strings.ToLower(strings.TrimSpace(line))
	return (err == nil || line != "") && (answer == "y" || answer == "yes")
}

// runProof runs a proof in the workspace's root. What it prints goes to standard error.
func (vc *verifyCommand) runProof(ctx context.Context, root, command string) error {
	ctx, cancel := context.WithTimeout(ctx, proofTimeout)
	defer cancel()
	run := exec.CommandContext(ctx, "sh", "-c", command)
	run.Dir, run.Stdout, run.Stderr = root, vc.streams.err, vc.streams.err
	run.WaitDelay = time.Second
	err := run.Run()
	if ctx.Err() != nil {
		return fmt.Errorf("it did not end within %s", proofTimeout)
	}
	return err
}

// proven records that a memory holds: its anchors that are in doubt have the present code, and a person confirmed it.
func proven(ctx context.Context, w *services.Workspace, h memory.Hit) (version int, err error) {
	if _, err := w.Tracker().Refresh(ctx); err != nil {
		return 0, err
	}
	doubtful := slices.ContainsFunc(w.Tracker().All(), func(p follow.Place) bool { return p.Memory == h.Memory.UUID && p.Doubtful() })
	if doubtful {
		p, err := w.Tracker().Propose(ctx, follow.Request{Memory: h.Memory.UUID, Act: follow.StillTrue, Index: -1})
		if err == nil {
			_, err = w.Tracker().Apply(ctx, p)
		}
		if err != nil {
			return 0, fmt.Errorf("the proof passed, and its place could not be settled: %w", err)
		}
	}
	r, err := w.Edits().Confirm(ctx, h.Memory.UUID)
	if err != nil {
		return 0, err
	}
	if !r.Accepted {
		return h.Memory.Lineage.Version, nil // confirmed before, and unchanged since
	}
	return r.Memory.Lineage.Version, nil
}

func (vc *verifyCommand) printProof(h memory.Hit, out proofJSON) error {
	switch {
	case vc.json:
		vc.printJSON("proof", out)
	case out.Holds:
		vc.printf("☞ it holds: %s is confirmed for the present code\n", h.Memory.ShortID())
	default:
		vc.printf("  it failed: %s\n", plainLine(out.Fault))
		vc.printf("  `manicule edit %s --correct \"what was wrong\"` says what is so, `manicule forget %s` removes it\n", h.Memory.ShortID(), h.Memory.ShortID())
	}
	if !out.Holds {
		return &codeError{exitFindings, errSilent}
	}
	return nil
}

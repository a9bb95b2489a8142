package process

import (
	"context"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"time"

	"manicule/cmd/internal/evalkit"
)

// cpuRow is the processor time of a command and of the static program that ran in turns with it.
type cpuRow struct {
	size       int
	what       string
	cpu, floor sample
}

// commands measures commands that a person or an agent types.
func (b *bench) commands(ctx context.Context, w *workspace) error {
	evalkit.Progress("commands at %d memories", w.size)
	event, err := payload(w, "commands", toolEvent(w, "commands", w.pickFile().path))
	if err != nil {
		return err
	}
	for _, c := range []struct {
		name, target string
		n            int
		args         func(i int) []string
	}{
		{"version", "", b.n, func(int) []string { return []string{"version"} }},
		{"recall", "60", b.n, func(int) []string { return []string{"recall", w.pickFile().path} }},
		{"search", "60", b.n, func(i int) []string {
			return []string{"search", w.words[i%len(w.words)] + " " + w.words[(i*7+3)%len(w.words)]}
		}},
		{"show", "60", b.n, func(i int) []string { return []string{"show", w.ids[i*13%len(w.ids)]} }},
		{"list", "", min(b.n, 20), func(int) []string { return []string{"list"} }},
		{"remember", "150", b.n, func(i int) []string {
			return []string{"remember", fmt.Sprintf("%s (%d)", w.sentence(), i), "--type", "gotcha", "--at", w.symbols[i*13%len(w.symbols)]}
		}},
	} {
		var times sample
		row := cpuRow{size: w.size, what: c.name}
		from := evalkit.Load()
		for i := -3; i < max(c.n, 5); i++ {
			cmd := b.box.Manicule(ctx, w.root, c.args(i+3)...)
			took, out, err := timed(cmd, nil)
			if err != nil {
				return err
			}
			if len(out) == 0 {
				return fmt.Errorf("%s printed nothing", c.name)
			}
			floor := b.box.Command(ctx, w.root, b.floor)
			if _, _, err := timed(floor, event); err != nil {
				return err
			}
			if i >= 0 {
				times = append(times, took)
				row.cpu, row.floor = append(row.cpu, cpuOf(cmd)), append(row.floor, cpuOf(floor))
			}
		}
		b.add(w, c.name+", whole process", times, c.target, from)
		b.cpu = append(b.cpu, row)
	}
	return nil
}

// cpuOf is the user and system time of a process that has ended.
func cpuOf(cmd *exec.Cmd) time.Duration {
	return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
}

// cpuTable formats the processor times, which depend less on other work on the machine.
func (r *report) cpuTable() string {
	t := evalkit.NewTable("memories", "command", "least ms", "median ms", "static program, median ms", "times")
	for _, x := range r.cpu {
		t.Add(x.size, x.what, evalkit.Millis(slices.Min(x.cpu)), evalkit.Millis(x.cpu.median()), evalkit.Millis(x.floor.median()),
			fmt.Sprintf("%.1f", float64(x.cpu.median())/float64(x.floor.median())))
	}
	return strings.TrimSpace(fmt.Sprint(t)) + "\n"
}

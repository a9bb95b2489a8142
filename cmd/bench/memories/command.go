// Package memories compares the product with other tools that keep memories for coding
// agents: each in a fresh home and repository, in turn, without a network. It installs
// the others at pinned versions into a folder that the caller names; their code is run
// as it is published and must not be linked or copied.
package memories

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"manicule/cmd/internal/evalkit"
)

type options struct {
	bin, dir, engram, beads string
	turns                   int
	data                    evalkit.Data
	only                    []string
}

// inside marks the process that has left the network.
const inside = "BENCH_MEMORIES_INSIDE"

// Command is `bench memories`.
func Command() *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use: "memories DIR [PART...]", Short: "Compare with other tools that keep memories for agents, which are installed into DIR (Linux, as root)", Args: cobra.MinimumNArgs(1),
		Long:    "The parts are " + strings.Join(evalkit.Names((&bench{}).parts()), ", ") + ". Each tool runs in a fresh home and repository, in a network of its own that reaches nothing but this machine.",
		Example: "  go run ./cmd/bench memories --bin bin/manicule --engram ENGRAM --beads BEADS /tmp/tools",
		RunE: func(cmd *cobra.Command, args []string) error {
			o.dir = args[0]
			return o.run(cmd.Context(), args[1:])
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.bin, "bin", "bin/manicule", "the manicule binary, with manicule-hook beside it")
	f.StringVar(&o.engram, "engram", "", "the sources of engram "+engramVersion+", which are built; without them it is left out")
	f.StringVar(&o.beads, "beads", "", "the sources of beads "+beadsVersion+", which are built; without them it is left out")
	f.IntVar(&o.turns, "turns", 15, "how often each time is measured")
	f.StringSliceVar(&o.only, "only", nil, "run these tools only, by the first word of their names")
	o.data.Flag(f)
	return cmd
}

func (o options) run(ctx context.Context, parts []string) (err error) {
	for _, path := range []*string{&o.dir, &o.bin, &o.engram, &o.beads} { // the tools run in other folders
		if *path == "" {
			continue
		}
		if *path, err = filepath.Abs(*path); err != nil {
			return fmt.Errorf("find %s: %w", *path, err)
		}
	}
	tools, err := o.install(ctx)
	if err != nil {
		return err
	}
	if os.Getenv(inside) == "" {
		return withoutNetwork(ctx)
	}
	if out, err := exec.CommandContext(ctx, "ip", "link", "set", "lo", "up").CombinedOutput(); err != nil {
		return fmt.Errorf("ip link set lo up: %w\n%s", err, out)
	}
	work, err := os.MkdirTemp("", "memories-")
	if err != nil {
		return fmt.Errorf("make a temporary folder: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	b := &bench{options: o, work: work}
	for _, t := range tools {
		if len(o.only) == 0 || slices.Contains(o.only, strings.ToLower(strings.Fields(t.Name())[0])) {
			b.tools = append(b.tools, t)
		}
	}
	fmt.Printf("%s, %s, %d tools, %d turns\n", time.Now().UTC().Format(time.DateOnly), evalkit.Field("/proc/cpuinfo", "model name"), len(b.tools), o.turns)
	left, err := evalkit.RunParts(ctx, b.parts(), parts)
	if len(left) > 0 {
		fmt.Println("left out:", strings.Join(left, "; "))
	}
	return err
}

// bench is one comparison.
type bench struct {
	options
	tools []tool
	work  string
	made  int
}

func (b *bench) parts() []evalkit.Part {
	return []evalkit.Part{
		{Name: "hooks", Run: b.hooks}, {Name: "servers", Run: b.servers}, {Name: "session", Run: b.session}, {Name: "recall", Run: b.recall}, {Name: "follow", Run: b.follow},
		{Name: "writers", Run: b.writers}, {Name: "secret", Run: b.secret}, {Name: "network", Run: b.network}, {Name: "clones", Run: b.clones}, {Name: "disk", Run: b.disk},
	}
}

// at runs a tool in a fresh place and ends what it leaves.
func (b *bench) at(ctx context.Context, t tool, do func(p *place) error) (err error) {
	p, err := b.place(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.kill(ctx), os.RemoveAll(p.dir)) }()
	if err := t.Prepare(ctx, p); err != nil {
		return fmt.Errorf("prepare %s: %w", t.Name(), err)
	}
	if err := do(p); err != nil {
		return fmt.Errorf("%s: %w", t.Name(), err)
	}
	return nil
}

func (b *bench) place(ctx context.Context) (*place, error) {
	b.made++
	return newPlace(ctx, filepath.Join(b.work, fmt.Sprint(b.made)), filepath.Join(b.dir, "bin"))
}

// each runs every tool in a place of its own.
func (b *bench) each(ctx context.Context, table *evalkit.Table, do func(t tool, p *place) error) error {
	return b.rows(ctx, table, func(t tool) error {
		return b.at(ctx, t, func(p *place) error { return do(t, p) })
	})
}

// rows runs every tool. What fails is said in place of its row. No two tools, and no two
// places of one, may be prepared at the same time: some have a port.
func (b *bench) rows(ctx context.Context, table *evalkit.Table, do func(t tool) error) error {
	for _, t := range b.tools {
		evalkit.Progress("%s", t.Name())
		if err := do(t); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			evalkit.Progress("%s: %v", t.Name(), err)
			row := make([]any, len(table.Head))
			for i := range row {
				row[i] = "failed"
			}
			row[0] = t.Name()
			table.Add(row...)
		}
	}
	return nil
}

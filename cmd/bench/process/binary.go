package process

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"

	"manicule/cmd/internal/evalkit"
)

// initRuns is the number of starts from which the shortest initialisation is taken, in turns with the static program. The
// work is the same each time, so the rest is noise of the machine.
const initRuns = 10

// cost is the time that one package needs before main.
type cost struct {
	pkg    string
	millis float64
}

// binary measures the size of the program and the initialisation of its packages.
func (b *bench) binary(ctx context.Context) error {
	evalkit.Progress("size and package initialisation")
	st, err := os.Stat(b.box.Bin)
	if err != nil {
		return fmt.Errorf("look at the binary: %w", err)
	}
	b.megabytes = float64(st.Size()) / 1e6
	for range initRuns {
		took, _, err := timed(b.box.Command(ctx, b.box.Dir, b.floor), []byte("{}"))
		if err != nil {
			return fmt.Errorf("start the static program: %w", err)
		}
		if ms := float64(took.Microseconds()) / 1000; b.floorMillis == 0 || ms < b.floorMillis {
			b.floorMillis = ms
		}
		costs, err := b.initCosts(ctx)
		if err != nil {
			return err
		}
		total := 0.0
		for _, c := range costs {
			total += c.millis
		}
		if b.initMillis == 0 || total < b.initMillis {
			b.initMillis, b.costs = total, costs
		}
	}
	slices.SortFunc(b.costs, func(a, b cost) int { return cmp.Or(cmp.Compare(b.millis, a.millis), cmp.Compare(a.pkg, b.pkg)) })
	return nil
}

// initLine is a line of the runtime's trace: "init PKG @0.1 ms, 0.02 ms clock, …".
var initLine = regexp.MustCompile(`(?m)^init (\S+) @[\d.]+ ms, ([\d.]+) ms clock`)

func (b *bench) initCosts(ctx context.Context) ([]cost, error) {
	cmd := b.box.Manicule(ctx, b.box.Dir, "version")
	cmd.Env = append(cmd.Env, "GODEBUG=inittrace=1")
	var trace bytes.Buffer
	cmd.Stderr = &trace
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("trace the initialisation: %w\n%s", err, trace.Bytes())
	}
	var out []cost
	for _, m := range initLine.FindAllStringSubmatch(trace.String(), -1) {
		ms, err := strconv.ParseFloat(m[2], 64)
		if err != nil {
			return nil, fmt.Errorf("trace the initialisation: %w", err)
		}
		out = append(out, cost{m[1], ms})
	}
	return out, nil
}

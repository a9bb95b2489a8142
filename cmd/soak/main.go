// Command soak keeps the servers at work for half an hour, lets them rest, and
// exits with 1 when they cost more than they may: docs/benchmarks.md has the
// figures. It must not reach into the program: it runs it.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"time"

	"manicule/cmd/internal/soak"
)

func main() {
	o := soak.Long()
	short := flag.Bool("short", false, "a smaller tree and less than three minutes")
	var set soak.Options
	flag.StringVar(&set.Bin, "bin", "", "the program (default: built from ./cmd/manicule, so that it tells its goroutines and its heap)")
	flag.BoolVar(&set.Vitals, "vitals", false, "it was built with the tag vitals")
	flag.StringVar(&set.Tree, "tree", "", "a folder of sources, which is copied (default: a module)")
	flag.StringVar(&set.Profiles, "profiles", "", "a folder for profiles of the rested servers")
	flag.IntVar(&set.Edits, "edits", 0, "files that are opened, changed and saved")
	flag.DurationVar(&set.For, "for", 0, "how long that takes")
	flag.DurationVar(&set.Rest, "rest", 0, "how long nobody asks anything before it is measured")
	flag.DurationVar(&set.Idle, "idle", 0, "how long processor time is counted when nobody asks")
	full := flag.Bool("json", false, "print everything as JSON")
	flag.Parse()
	if *short {
		o = soak.Short()
	}
	override(&o, set)
	start := time.Now()
	o.Say = func(format string, args ...any) {
		_, _ = fmt.Fprintf(os.Stderr, "soak %4.0fs: "+format+"\n", append([]any{time.Since(start).Seconds()}, args...)...) // only for who waits
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	r, err := soak.Run(ctx, o)
	stop()
	if err != nil {
		_, _ = fmt.Fprintln(os.Stderr, "soak:", err) // nowhere left to complain
		os.Exit(1)
	}
	if *full {
		err = json.NewEncoder(os.Stdout).Encode(r)
	} else {
		_, err = fmt.Print(r.Markdown())
	}
	faults := r.Faults(soak.Aims())
	for _, f := range faults {
		_, _ = fmt.Fprintln(os.Stderr, "soak:", f) // nowhere left to complain
	}
	if err != nil || len(faults) > 0 {
		os.Exit(1)
	}
}

// override takes over what the flags set.
func override(o *soak.Options, set soak.Options) {
	o.Bin, o.Vitals, o.Profiles = set.Bin, set.Vitals, set.Profiles
	if set.Tree != "" {
		o.Tree = set.Tree
	}
	if set.Edits > 0 {
		o.Edits = set.Edits
	}
	for to, v := range map[*time.Duration]time.Duration{&o.For: set.For, &o.Rest: set.Rest, &o.Idle: set.Idle} {
		if v > 0 {
			*to = v
		}
	}
}

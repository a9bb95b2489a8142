// Command evalobserver replays recorded agent sessions in the order of time,
// through the code that hooks run, and measures what the observer learns from
// them: whether it knows of a failure before it comes back, which files come
// next, whether people want its candidates, and what it costs. It owns figures
// and must not be linked into the product. See docs/observer.md.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	data := flag.String("data", os.Getenv("EVAL_DATA"), "the folder that holds agent-sessions and prompt-injection")
	show := flag.String("show", "", "print the candidates to this file, for labelling")
	sample := flag.String("verdicts", "", "print what the ledger says of the sessions to this file, in a random order")
	verbose := flag.Bool("v", false, "say which failures were missed and which offers were false")
	flag.Parse()
	if *data == "" {
		fmt.Println("skipped: -data or EVAL_DATA names the folder of the sets")
		return
	}
	if err := run(context.Background(), *data, *show, *sample, *verbose); err != nil {
		fmt.Fprintln(os.Stderr, "evalobserver:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, data, show, sample string, verbose bool) error {
	dir := filepath.Join(data, "agent-sessions", "dev")
	if _, err := os.Stat(dir); err != nil {
		fmt.Printf("skipped: there is no %s\n", dir)
		return nil
	}
	var parse clock
	sessions, err := readSessions(dir, &parse)
	if err != nil {
		return err
	}
	r, err := replay(ctx, dir, sessions)
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(r.temp) }() // a temporary folder
	r.failures(verbose)
	if err := r.next(); err != nil {
		return err
	}
	if err := r.quality(dir, show, verbose); err != nil {
		return err
	}
	if err := r.verdicts(dir, sample); err != nil {
		return err
	}
	if err := poison(ctx, data, r.temp); err != nil {
		return err
	}
	r.speed(parse)
	return long(ctx, r.temp)
}

// Command try demonstrates the product on a real source tree, from setup to what an
// editor draws and what a coding agent is told. It runs in a sandbox and exits with 1
// when an expected result is missing. It must not import the product: it runs the
// binary.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"

	"manicule/cmd/internal/sandbox"
)

// The demo tree: a library that this module depends on and that has its own rules for
// coding agents.
const (
	module = "github.com/pelletier/go-toml/v2@v2.4.3"
	folder = "go-toml"
)

func main() {
	bin := flag.String("bin", "", "the manicule binary (default: built from ./cmd/manicule)")
	keep := flag.Bool("keep", false, "keep the temporary folder, to continue by hand")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	missing, err := run(ctx, *bin, *keep)
	stop()
	if err != nil {
		_, _ = fmt.Fprintln(os.Stderr, "try:", err) // nowhere left to report
		os.Exit(1)
	}
	if missing > 0 {
		_, _ = fmt.Fprintf(os.Stderr, "\ntry: %d of the things expected did not come, see ✗ above\n", missing)
		os.Exit(1)
	}
}

// run tells the whole story and counts the missing results.
func run(ctx context.Context, bin string, keep bool) (missing int, err error) {
	box, err := sandbox.New(ctx, bin, "")
	if err != nil {
		return 0, err
	}
	s := &story{out: os.Stdout, box: box, root: filepath.Join(box.Dir, folder)}
	defer func() {
		if keep {
			s.say("\nEverything is left in %s\n", box.Dir)
			return
		}
		err = errors.Join(err, box.Remove())
	}()
	for _, chapter := range []func(context.Context) error{s.tree, s.setUp, s.write, s.editor, s.agent, s.shell} {
		if err := chapter(ctx); err != nil {
			return s.missing, err
		}
	}
	return s.missing, nil
}

// tree copies the source tree and makes it a repository.
func (s *story) tree(ctx context.Context) error {
	s.title("A real source tree: " + module)
	from, err := sandbox.Module(ctx, module)
	if err != nil {
		return err
	}
	if err := os.CopyFS(s.root, os.DirFS(from)); err != nil {
		return fmt.Errorf("copy the source tree: %w", err)
	}
	git, err := s.box.Repository(ctx, s.root)
	if err != nil {
		return err
	}
	if !git {
		s.say("There is no git here: the tree stays a plain folder, which works too.\n")
	}
	entries, err := os.ReadDir(s.root)
	if err != nil {
		return fmt.Errorf("look at the source tree: %w", err)
	}
	names := make([]string, 0, len(entries))
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") {
			names = append(names, e.Name())
		}
	}
	s.shown("ls", strings.Join(names, "  "))
	s.expect("a file of rules for agents", strings.Join(names, " "), "AGENTS.md")
	return nil
}

// setUp does what a person does once in a repository.
func (s *story) setUp(ctx context.Context) error {
	s.title("Set it up, and read the rules that are there")
	out, err := s.manicule(ctx, "init", "--agent", "claude-code")
	if err != nil {
		return err
	}
	s.expect("the agent's hooks", out, ".claude/settings")
	if out, err = s.manicule(ctx, "import"); err != nil {
		return err
	}
	s.expect("imported rules", out, "memories imported")
	out, err = s.manicule(ctx, "list", "--layer", "technical")
	s.expect("a rule of AGENTS.md", out, "go fmt", "backward", "capabilities")
	return err
}

// write writes what a person teaches it.
func (s *story) write(ctx context.Context) error {
	s.title("Write down what the code taught you")
	line, err := s.lineOf("unmarshaler.go", "for _, p := range d.arrayCounts {")
	if err != nil {
		return err
	}
	for _, args := range [][]string{
		{"A decoder goes back to the pool here: nothing may keep a pointer into its buffers",
			"--why", "the next Unmarshal reuses the arena and the scratch buffers at once, on any goroutine",
			"--type", "gotcha", "--importance", "high", "--at", "unmarshaler.go#putDecoder"},
		{"Deleting the counters instead of zeroing them cost an allocation for every array table",
			"--type", "dead_end", "--at", fmt.Sprintf("unmarshaler.go:%d-%d", line, line+2)},
		{"The limit is compared before v*10: after it the product has wrapped already",
			"--type", "gotcha", "--at", "decode.go#parseIntDec"},
		{"Packages under internal may change in any release; the public API may not",
			"--type", "decision", "--scope", "internal/**"},
	} {
		out, err := s.manicule(ctx, append([]string{"remember"}, args...)...)
		if err != nil {
			return err
		}
		s.expect("the memory", out, "remembered")
	}
	return nil
}

// shell shows what the command line prints.
func (s *story) shell(ctx context.Context) error {
	s.title("And in the shell")
	out, err := s.manicule(ctx, "recall", "unmarshaler.go", "--limit", "4")
	if err != nil {
		return err
	}
	s.expect("the memory at the symbol", out, "goes back to the pool")
	if out, err = s.manicule(ctx, "search", "allocation"); err != nil {
		return err
	}
	s.expect("the memory that says so", out, "array table")
	out, err = s.manicule(ctx, "status")
	s.expect("the number of memories", out, "memories in")
	return err
}

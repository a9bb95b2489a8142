package company

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"path"
	"strings"
	"syscall"
	"time"

	"manicule/cmd/internal/evalkit"
	"manicule/cmd/internal/sandbox"
)

// parts are the measurements.
func parts(box *sandbox.Sandbox, w *workspace) []evalkit.Part {
	m := &measure{box: box, w: w}
	return []evalkit.Part{{Name: "commands", Run: m.commands}, {Name: "mcp", Run: m.tools}, {Name: "lsp", Run: m.requests}}
}

// measure takes them in one workspace.
type measure struct {
	box *sandbox.Sandbox
	w   *workspace
}

// lines are the commands, as a person types them. FILE, SYMBOL, FOLDER and ID are of the workspace.
// Those that write come last, and stop, install or delete nothing.
const lines = `
status
doctor
doctor agents
doctor hooks
list
list --state stale
list --state unreviewed
search redis deadlock
search --code retry of the queue
search --explain redis deadlock
recall FILE
recall SYMBOL
recall FOLDER
recall .
recall why does the retry fail
ask why does the retry fail
show ID
show ID --history
history ID
diff ID
review list
verify
verify --diff HEAD~20
verify --diff HEAD~1000
verify SYMBOL
impact SYMBOL
impact FILE
impact --diff
impact --diff HEAD~20
graph SYMBOL
graph FILE
graph FOLDER
outline FILE
onboard
restore
resolve
consolidate
sweep --dry-run
stats
core show
wake
thread list
session list
session show past-500
session digest
observe
observe --explain last
trust
branch
branch --all
work list
build
build list
build show
build history
record list
skill list
coverage
map
map --no-symbols
export
export --format markdown
export --format bootstrap
export --format rules
export FILE
export --all -o ARCHIVE
import --dry-run
init --dry-run
model list
purge --personal --dry-run
purge --workspace --dry-run
index
sync
thread add a part is not done
build add a slice --build build-1
remember The retry of the queue holds a lock that nobody releases --at SYMBOL
edit ID --confirm
edit ID --importance low --note rarely
revert ID 1
dispute ID it is released since v3
forget ID
restore ID
`

// commands runs each of them once.
func (m *measure) commands(ctx context.Context) error {
	table := evalkit.NewTable("command", "s by the clock", "s of processor time", "peak MB", "KB printed", "lines", "exit")
	for line := range strings.Lines(strings.TrimSpace(lines)) {
		row := m.run(ctx, strings.TrimSpace(line))
		evalkit.Progress("%s", strings.Join(row, "  "))
		table.Rows = append(table.Rows, row)
	}
	fmt.Print(evalkit.Section{Title: fmt.Sprintf("Commands at %d memories", m.w.Size), Table: table})
	return nil
}

func (m *measure) run(ctx context.Context, line string) []string {
	var args []string
	quoted := false
	verb, _, _ := strings.Cut(line, " ")
	for word := range strings.FieldsSeq(line) {
		switch word {
		case "FILE":
			word = m.w.Busy
		case "FOLDER":
			word = path.Dir(m.w.Busy)
		case "SYMBOL":
			word = m.w.Symbols[0]
		case "ID":
			word = m.w.IDs[m.w.Size/2]
		case "ARCHIVE":
			word = path.Join(m.box.Dir, "archive.tar.gz")
		}
		// A text is one argument.
		text := word != "add" && len(args) > 0 && !strings.HasPrefix(word, "-") && quoted && (verb == "remember" || verb == "thread" || verb == "dispute" || verb == "build") && !strings.HasPrefix(args[len(args)-1], "--")
		if text {
			args[len(args)-1] += " " + word
			continue
		}
		quoted = len(args) > 0 && word != "add" && !strings.HasPrefix(word, "-") && word != m.w.IDs[m.w.Size/2]
		args = append(args, word)
	}
	cmd := m.box.Manicule(ctx, m.w.Root, args...)
	took, out := timed(cmd)
	state := cmd.ProcessState
	if state == nil {
		return []string{line, "", "", "", "", "", "not started"}
	}
	usage, _ := state.SysUsage().(*syscall.Rusage)
	return []string{
		line, fmt.Sprintf("%.2f", took.Seconds()), fmt.Sprintf("%.2f", (state.UserTime() + state.SystemTime()).Seconds()), fmt.Sprint(usage.Maxrss >> 10),
		fmt.Sprintf("%.1f", float64(len(out))/1024), fmt.Sprint(bytes.Count(out, []byte("\n"))), fmt.Sprint(state.ExitCode()),
	}
}

func timed(cmd *exec.Cmd) (time.Duration, []byte) {
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	start := time.Now()
	_ = cmd.Run() // its exit code is in the table
	return time.Since(start), out.Bytes()
}

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"manicule/indexer/sqlfile"
	"manicule/lsp/lsptest"
	"manicule/memory/builds"
	"manicule/memory/file"
	"manicule/memory/store"
)

var (
	tortureRounds = flag.Int("torture.rounds", 3, "how many rounds TestTorture plays")
	tortureSeed   = flag.Uint64("torture.seed", 1, "what TestTorture's choices come from")
	torturePairs  = flag.Bool("torture.pairs", false, "whether tests of each door and each trick try every pair of them, and more seeds")
)

// TestTorture has processes of all four front doors work on one repository while
// they are killed, stalled, and kept from disks and files, and holds what is there
// after each round against what was acknowledged: no acknowledged write may be
// lost. What was killed or refused may have happened or not.
//
// `make torture` plays 500 rounds; docs/reliability.md has what came out.
func TestTorture(t *testing.T) {
	wholeFormOnly(t)
	if slowedDown {
		t.Skip("one goroutine a process: the race detector has nothing to find here")
	}
	w := newTorture(t, *tortureSeed)
	for round := range *tortureRounds {
		if round > 0 && round%50 == 0 {
			w.move() // lists grow, and every round reads them
		}
		w.play(round)
		w.verify(round)
		if t.Failed() {
			break
		}
	}
	w.report()
}

// torture is the world: a repository, and what is known of it.
type torture struct {
	*place
	rng    *rand.Rand
	disks  *disks
	count  tally
	mu     sync.Mutex // guards what follows, and the tally
	items  []*item
	events map[string]bool // ids of acknowledged hook events
	recall int             // acknowledged recalls
	stored map[string][]string
	twins  []string // acknowledged texts, two of which say the same
	slices []string // acknowledged slices of a build
	left   []string // acknowledged threads
	branch int      // branches made
	model  []string // the environment of a server for vectors
}

// tally is what the report says.
type tally struct {
	Acked, Refused, Killed          int
	Kills, Stops, EMFILE, Clock     int
	FullDisk, ReadOnly, Late, Moves int
	RefusedButDone                  int
	Hooks, Recalls                  int
	Merged                          int // consolidations that merged something
	Branches, Slices, Threads       int
}

func newTorture(t *testing.T, seed uint64) *torture {
	f := &fakeEmbedder{asked: make(chan struct{}, 100), end: make(chan struct{})}
	f.Server = httptest.NewServer(f)
	t.Cleanup(f.Close)
	w := &torture{rng: rand.New(rand.NewPCG(seed, 7)), disks: &disks{},
		model: []string{"MANICULE_EMBEDDING_PROVIDER=openai", "MANICULE_EMBEDDING_URL=" + f.URL, "MANICULE_EMBEDDING_MODEL=words"}}
	w.place = placeOfTorture(t)
	w.begin()
	return w
}

func (w *torture) begin() {
	w.items, w.events, w.recall, w.stored, w.twins, w.slices, w.left = nil, map[string]bool{}, 0, map[string][]string{}, nil, nil, nil
	w.must(w.git("init", "-q", "-b", "main"))
	w.must(w.git("commit", "-q", "--allow-empty", "-m", "first"))
	w.must(w.run("", "init"))
	w.must(w.run("", "build", "new", "Endure"))
	w.must(w.disks.mount(w.variable("XDG_STATE_HOME"), w.variable("XDG_CACHE_HOME")))
	w.t.Cleanup(w.disks.unmount)
}

// git runs git in the repository.
func (w *torture) git(args ...string) error {
	cmd := exec.Command("git", append([]string{"-C", w.root, "-c", "user.name=Test", "-c", "user.email=test@example.test"}, args...)...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("git %s: %w: %s", args[0], err, out)
	}
	return nil
}

// placeOfTorture is a place where hooks have the time that they really have.
func placeOfTorture(t testing.TB) *place {
	p := newPlace(t)
	p.env = append(p.env, envBudget+"=")
	return p
}

// move goes on in a fresh repository.
func (w *torture) move() {
	w.disks.unmount()
	w.place = placeOfTorture(w.t)
	w.count.Moves++
	w.begin()
}

func (w *torture) variable(name string) string {
	for _, kv := range w.env {
		if v, ok := strings.CutPrefix(kv, name+"="); ok {
			return v
		}
	}
	w.t.Fatalf("%s is not set", name)
	return ""
}

// trouble is what goes wrong in a round.
type trouble string

const (
	quiet    trouble = "nothing"
	kills    trouble = "kills"
	fullDisk trouble = "full disks"
	readOnly trouble = "read-only disks"
	noFiles  trouble = "no descriptors"
	clocks   trouble = "clocks that jump"
	stalled  trouble = "a leader that is stopped"
)

// play runs one round: servers, and workers that each own some items.
func (w *torture) play(round int) {
	f := []trouble{quiet, kills, kills, stalled, noFiles, fullDisk, kills, clocks, readOnly}[round%9]
	servers := w.serve(f)
	switch f {
	case fullDisk:
		w.count.FullDisk += w.disks.fill()
	case readOnly:
		w.count.ReadOnly += w.disks.protect()
	case stalled:
		w.count.Stops += servers.stop()
	}
	var wg sync.WaitGroup
	for i := range 5 {
		rng := rand.New(rand.NewPCG(w.rng.Uint64(), uint64(i)))
		wg.Go(func() {
			for range 5 {
				w.step(rng, f, i)
			}
		})
	}
	done := make(chan struct{})
	go func() { wg.Wait(); close(done) }()
	asked := make(chan struct{})
	go func() {
		defer close(asked)
		servers.work(w, done)
	}()
	<-done
	if f == stalled {
		servers.goOn()
	}
	<-asked
	w.count.Kills += servers.end(f == kills)
	w.disks.release()
}

// result is how an operation ended.
type result int

const (
	acked      result = iota
	turnedDown        // it said that it did not
	unknown           // it was killed, or answered nothing
)

// try runs a command under a trouble.
func (w *torture) try(rng *rand.Rand, f trouble, stdin string, args ...string) (result, string, string) {
	cmd := w.command(args...)
	if args[0] == "consolidate" {
		cmd.Env = append(cmd.Env, w.model...)
	}
	switch {
	case f == noFiles && rng.IntN(2) == 0:
		limit := strconv.Itoa(6 + rng.IntN(20))
		path, err := exec.LookPath("manicule")
		if prlimit, perr := exec.LookPath("prlimit"); err == nil && perr == nil {
			cmd.Path, cmd.Args = prlimit, append([]string{"prlimit", "--nofile=" + limit, path}, args...)
			w.note(func(c *tally) { c.EMFILE++ })
		}
	case f == clocks && rng.IntN(2) == 0:
		at := time.Now().Add(time.Duration(rng.IntN(40)-20) * 24 * time.Hour)
		cmd.Env = append(cmd.Env, envNow+"="+at.UTC().Format(time.RFC3339))
		w.note(func(c *tally) { c.Clock++ })
	}
	var out, said bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &out, &said
	if err := cmd.Start(); err != nil {
		return turnedDown, "", err.Error()
	}
	var timer *time.Timer
	if f == kills && rng.IntN(2) == 0 {
		w.note(func(c *tally) { c.Kills++ })
		timer = time.AfterFunc(time.Duration(rng.IntN(160))*time.Millisecond, func() { _ = cmd.Process.Kill() }) // it may be over
	}
	err := cmd.Wait()
	if timer != nil {
		timer.Stop()
	}
	exit, ok := errors.AsType[*exec.ExitError](err)
	switch {
	case err == nil:
		return acked, out.String(), said.String()
	case ok && !exit.Exited():
		return unknown, out.String(), said.String()
	}
	return turnedDown, out.String(), said.String()
}

func (w *torture) note(f func(*tally)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	f(&w.count)
}

// servers are the long-lived processes of a round.
type servers struct {
	editor *lsptest.Editor
	lsp    *exec.Cmd
	agent  *mcp.ClientSession
	mcp    *exec.Cmd
}

func (w *torture) serve(f trouble) *servers {
	s := &servers{}
	s.editor, s.lsp = w.language()
	s.agent, s.mcp = w.agent(w.t.Context())
	return s
}

// work has the servers read and write until done is closed.
func (s *servers) work(w *torture, done <-chan struct{}) {
	var wg sync.WaitGroup
	for _, method := range []string{"manicule/overview", "manicule/candidates", "manicule/log"} {
		wg.Go(func() {
			for !closed(done) {
				if _, err := s.editor.Call(method, map[string]any{}); err != nil {
					return // killed
				}
			}
		})
	}
	wg.Go(func() {
		for n := 0; n < 5 && !closed(done); n++ {
			it := w.item(fmt.Sprintf("from the editor %d", w.next()))
			_, err := s.editor.Call("workspace/executeCommand", map[string]any{"command": "manicule.remember",
				"arguments": []any{map[string]any{"uri": s.editor.URI("src/a.go"), "text": it.text(1)}}})
			w.settle(it, ended(err), state{active, it.text(1)})
		}
	})
	wg.Go(func() {
		for n := 0; n < 5 && !closed(done); n++ {
			it := w.item(fmt.Sprintf("from an agent %d", w.next()))
			r, err := s.agent.CallTool(w.t.Context(), &mcp.CallToolParams{Name: "remember", Arguments: map[string]any{"what": it.text(1), "type": "gotcha"}})
			how := ended(err)
			if err == nil && r.IsError {
				how = turnedDown
			}
			w.settle(it, how, state{draft, it.text(1)})
		}
	})
	wg.Wait()
}

func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

func ended(err error) result {
	if err != nil {
		return unknown // refused, or the server was killed: its client can't tell
	}
	return acked
}

// where a memory is
type standing string

const (
	nowhere  standing = ""
	active   standing = "active"
	draft    standing = "draft"
	rejected standing = "rejected"
	buried   standing = "forgotten"
)

type state struct {
	standing standing
	text     string
}

// item is a memory, as its texts name it, and the states that it may be in.
type item struct {
	name    string
	version int
	may     []state
	uuid    string // once it was seen
	busy    bool   // a worker has it
	// personal memories are forgotten a week after the branch was given up on which they were written: clocks
	// jump further.
	personal bool
}

func (it *item) text(version int) string {
	return fmt.Sprintf("%s says this in version %d", it.name, version)
}

func (w *torture) next() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.items)
}

func (w *torture) item(name string) *item {
	w.mu.Lock()
	defer w.mu.Unlock()
	it := &item{name: fmt.Sprintf("item %d %s", len(w.items), name), version: 1, may: []state{{}}, busy: true}
	w.items = append(w.items, it)
	return it
}

// settle notes how an operation ended that was to bring an item to a state.
func (w *torture) settle(it *item, how result, to state) {
	w.mu.Lock()
	defer w.mu.Unlock()
	it.busy = false
	switch how {
	case acked:
		w.count.Acked++
		it.may = []state{to}
	case turnedDown:
		w.count.Refused++
		it.may = append(it.may, to)
	case unknown:
		w.count.Killed++
		it.may = append(it.may, to)
	}
}

// take finds an item that is surely in a state.
func (w *torture) take(rng *rand.Rand, in standing) *item {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.items) == 0 {
		return nil
	}
	for i, n := 0, rng.IntN(len(w.items)); i < len(w.items); i++ {
		it := w.items[(n+i)%len(w.items)]
		if !it.busy && it.uuid != "" && len(it.may) == 1 && it.may[0].standing == in {
			it.busy = true
			return it
		}
	}
	return nil
}

// step is one operation of a worker.
func (w *torture) step(rng *rand.Rand, f trouble, worker int) {
	switch op := rng.IntN(16); op {
	case 0, 1, 2:
		it := w.item("from a command")
		args := []string{"remember", it.text(1), "--scope", "src/**"}
		if rng.IntN(4) == 0 {
			args = append(args, "--personal")
			it.personal = true
		}
		how, _, _ := w.try(rng, f, "", args...)
		w.settle(it, how, state{active, it.text(1)})
	case 3:
		w.prompt(rng, f, worker)
	case 4:
		w.read(rng, f)
	case 5, 6:
		if it := w.take(rng, active); it != nil {
			it.version++
			how, _, said := w.try(rng, f, "", "edit", it.uuid, "--what", it.text(it.version))
			if how == acked && said == "" { // else it said that the version could not be kept
				w.mu.Lock()
				w.stored[it.uuid] = append(w.stored[it.uuid], it.text(it.version))
				w.mu.Unlock()
			}
			w.settle(it, how, state{active, it.text(it.version)})
		}
	case 7:
		if it := w.take(rng, active); it != nil {
			how, _, _ := w.try(rng, f, "", "forget", it.uuid)
			w.settle(it, how, state{buried, it.may[0].text})
		}
	case 8:
		if it := w.take(rng, buried); it != nil {
			how, _, _ := w.try(rng, f, "", "restore", it.uuid)
			w.settle(it, how, state{active, it.may[0].text})
		}
	case 9:
		it := w.item("as a draft")
		how, _, _ := w.try(rng, f, "", "remember", it.text(1), "--draft", "--scope", "src/**")
		w.settle(it, how, state{draft, it.text(1)})
	case 10:
		if it := w.take(rng, draft); it != nil {
			how, _, _ := w.try(rng, f, "", "review", "accept", it.uuid)
			w.settle(it, how, state{active, it.may[0].text})
		}
	case 11:
		if it := w.take(rng, draft); it != nil {
			how, _, _ := w.try(rng, f, "", "review", "reject", it.uuid)
			w.settle(it, how, state{rejected, it.may[0].text})
		}
	case 12:
		w.consolidate(rng, f)
	case 13:
		text := fmt.Sprintf("slice %d", rng.Uint64())
		if how, _, _ := w.try(rng, f, "", "build", "add", text, "--build", "endure", "--phase", fmt.Sprint("Phase ", rng.IntN(3))); how == acked {
			w.mu.Lock()
			w.slices = append(w.slices, text)
			w.mu.Unlock()
		}
	case 14:
		text := fmt.Sprintf("thread %d is left", rng.Uint64())
		if how, _, _ := w.try(rng, f, "", "thread", "add", text); how == acked {
			w.mu.Lock()
			w.left = append(w.left, text)
			w.mu.Unlock()
		}
	case 15:
		if worker == 0 { // git has one writer
			w.branches(rng, f)
		}
	}
}

// branches works on a branch, and merges it or gives it up, while others write.
func (w *torture) branches(rng *rand.Rand, f trouble) {
	w.branch++
	name := fmt.Sprint("branch-", w.branch)
	w.note(func(c *tally) { c.Branches++ })
	err := w.git("checkout", "-q", "-b", name)
	_, _, _ = w.try(rng, f, "", "branch") // it may be refused: the next look settles
	err = errors.Join(err, os.WriteFile(filepath.Join(w.root, name+".txt"), []byte(name), 0o600), w.git("add", name+".txt"), w.git("commit", "-q", "-m", name, "--", name+".txt"), w.git("checkout", "-q", "main"))
	if rng.IntN(2) == 0 {
		err = errors.Join(err, w.git("merge", "-q", "--no-edit", name))
	}
	w.must(errors.Join(err, w.git("branch", "-q", "-D", name)))
	_, _, _ = w.try(rng, f, "", "branch")
}

// consolidate writes two memories that say the same, and merges all that do. One of the
// two is archived; it can be restored.
func (w *torture) consolidate(rng *rand.Rand, f trouble) {
	n := rng.Uint64()
	for _, text := range []string{"before each commit", "before each single commit"} {
		text = fmt.Sprintf("twins %d run the linter and all of the tests %s", n, text)
		if how, _, _ := w.try(rng, f, "", "remember", text, "--again", "keep"); how == acked {
			w.mu.Lock()
			w.count.Acked++
			w.twins = append(w.twins, text)
			w.mu.Unlock()
		}
	}
	how, out, _ := w.try(rng, f, "", "consolidate", "--apply", "--yes")
	if how == acked && strings.Contains(out, "merged") {
		w.note(func(c *tally) { c.Merged++ })
	}
}

// prompt is a person's /remember to an agent. Its answer says what became of it.
func (w *torture) prompt(rng *rand.Rand, f trouble, worker int) {
	it := w.item("from a prompt")
	in, err := json.Marshal(map[string]any{"session_id": fmt.Sprint("worker-", worker), "cwd": w.root,
		"hook_event_name": "UserPromptSubmit", "permission_mode": "default", "prompt": "/remember " + it.text(1)})
	w.must(err)
	how, out, _ := w.try(rng, f, string(in), "hook", "claude-code")
	switch {
	case how == acked && strings.Contains(out, "has stored"):
	case how == acked && strings.Contains(out, "no time to store"):
		how = unknown
	case how == acked && strings.TrimSpace(out) == "":
		w.note(func(c *tally) { c.Late++ })
		how = unknown
	case how == acked:
		how = turnedDown
	}
	w.settle(it, how, state{active, it.text(1)})
}

// read is an agent's read of a file, and a person's recall.
func (w *torture) read(rng *rand.Rand, f trouble) {
	id := fmt.Sprintf("toolu_%d", rng.Uint64())
	in, err := json.Marshal(map[string]any{"session_id": "reader", "cwd": w.root, "hook_event_name": "PreToolUse", "tool_name": "Read",
		"tool_use_id": id, "tool_input": map[string]any{"file_path": filepath.Join(w.root, "src", "a.go")}})
	w.must(err)
	start := time.Now()
	how, _, _ := w.try(rng, f, string(in), "hook", "claude-code")
	inTime := time.Since(start) < 90*time.Millisecond // a hook whose time is up keeps nothing
	if how == acked && inTime && f != fullDisk && f != readOnly && f != noFiles {
		w.mu.Lock()
		w.events[id] = true
		w.mu.Unlock()
	}
	if how, out, said := w.try(rng, f, "", "recall", "src/a.go"); how == acked && said == "" && strings.Contains(out, "item ") {
		w.note(func(*tally) { w.recall++ })
	}
}

// verify holds what is there against the model.
func (w *torture) verify(round int) {
	seen := w.look()
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, it := range w.items {
		is := seen[it.name]
		ok := false
		for _, s := range it.may {
			ok = ok || it.personal && is.standing == buried || s.standing == is.standing && (s.standing == nowhere || s.text == is.text) || s.standing == rejected && is.standing == nowhere
		}
		if !ok {
			w.t.Errorf("round %d: %s is %v, and may be %v", round, it.name, is.state, it.may)
		}
		if len(it.may) > 1 && is.state != it.may[0] {
			w.count.RefusedButDone++
		}
		if is.standing != nowhere || len(it.may) != 1 || it.may[0].standing != rejected {
			it.may = []state{is.state}
		}
		if is.uuid != "" {
			it.uuid = is.uuid
		}
	}
	for _, text := range w.twins {
		if seen[text].text != text {
			w.t.Errorf("round %d: %q is neither a memory nor can be restored", round, text)
		}
	}
	w.plans(round)
	w.history(round)
	w.databases(round)
	w.logs(round)
}

// plans holds the build and the threads against what was acknowledged.
func (w *torture) plans(round int) {
	w.count.Slices, w.count.Threads = len(w.slices), len(w.left)
	b, err := builds.Read(w.workspace(), "endure")
	w.must(err)
	have := map[string]bool{}
	for _, s := range b.Slices() {
		have[s.Text] = true
	}
	for _, text := range w.slices {
		if !have[text] {
			w.t.Errorf("round %d: the build has no slice %q", round, text)
		}
	}
	out, err := w.output("", "thread", "list", "--all", "--json")
	w.must(err)
	for _, text := range w.left {
		if !strings.Contains(out, text) {
			w.t.Errorf("round %d: no thread says %q", round, text)
		}
	}
}

// seen is what can be seen of an item.
type seen struct {
	state
	uuid string
}

// look reads files, lists, drafts and what can be restored.
func (w *torture) look() map[string]seen {
	w.t.Helper()
	out := map[string]seen{}
	name := func(what string) string { n, _, _ := strings.Cut(what, " says this"); return n }
	for _, s := range w.listed("restore", "forgotten") {
		out[name(s.text)] = seen{state{buried, s.text}, s.uuid}
	}
	for _, s := range w.listed("review", "drafts") {
		out[name(s.text)] = seen{state{draft, s.text}, s.uuid}
	}
	files := map[string]seen{}
	w.must(filepath.WalkDir(filepath.Join(w.root, ".manicule", "memories"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".json" {
			return err
		}
		m, err := file.Read(path)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		if n := name(m.What); files[n].uuid != "" && files[n].uuid != m.UUID {
			w.t.Errorf("%s is there twice", n)
		}
		files[name(m.What)] = seen{state{active, m.What}, m.UUID}
		return nil
	}))
	listed := map[string]bool{}
	for _, s := range w.listed("list", "memories") {
		listed[name(s.text)] = true
		if files[name(s.text)].text != s.text {
			w.t.Errorf("list says %q, the file %q", s.text, files[name(s.text)].text)
		}
	}
	for n, s := range files {
		if !listed[n] {
			w.t.Errorf("list does not show %s", n)
		}
		out[n] = s
	}
	return out
}

// listed reads a list of memories from a command's JSON.
func (w *torture) listed(command string, keys ...string) (out []struct{ uuid, text string }) {
	w.t.Helper()
	answer, err := w.output("", command, "--json")
	w.must(err)
	var all map[string]json.RawMessage
	w.must(json.Unmarshal([]byte(answer), &all))
	for _, key := range keys {
		var list []struct {
			UUID   string
			What   string
			Memory struct{ UUID, What string }
		}
		if all[key] == nil {
			continue
		}
		w.must(json.Unmarshal(all[key], &list))
		for _, l := range list {
			if l.Memory.UUID != "" {
				l.UUID, l.What = l.Memory.UUID, l.Memory.What
			}
			out = append(out, struct{ uuid, text string }{l.UUID, l.What})
		}
	}
	return out
}

// history holds the versions that state.db keeps against what was acknowledged.
func (w *torture) history(round int) {
	st := store.OpenState(w.workspace().StateDir(), w.workspace().GitPrefix(), time.Now)
	for uuid, texts := range w.stored {
		versions, err := st.Versions().Of(w.t.Context(), uuid)
		w.must(err)
		have := map[string]bool{}
		for _, m := range versions {
			have[m.What] = true
		}
		for _, text := range texts {
			if !have[text] {
				w.t.Errorf("round %d: no version of %s says %q", round, uuid, text)
			}
		}
	}
}

// databases checks each database, and that none was set aside.
func (w *torture) databases(round int) {
	for _, dir := range []string{w.variable("XDG_STATE_HOME"), w.variable("XDG_CACHE_HOME")} {
		w.must(filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			if strings.Contains(d.Name(), ".damaged-") {
				w.t.Errorf("round %d: %s was set aside", round, path)
			}
			if filepath.Ext(path) != ".db" {
				return nil
			}
			db, err := sqlfile.Open(w.t.Context(), sqlfile.Options{Path: path, ReadOnly: true, Busy: time.Second})
			if err == nil {
				err = errors.Join(db.Check(w.t.Context()), db.Close())
			}
			if err != nil && (sqlfile.IsCorrupt(err) || strings.HasSuffix(path, "state.db")) {
				w.t.Errorf("round %d: %s: %v", round, path, err)
			}
			return nil
		}))
	}
}

// logs holds the session's log and the ledger against what was acknowledged.
func (w *torture) logs(round int) {
	dir := w.workspace().StateDir()
	var all strings.Builder
	shown := 0
	for _, pattern := range []string{"sessions/*.jsonl", "shown/*.jsonl"} {
		names, err := filepath.Glob(filepath.Join(dir, filepath.FromSlash(pattern)))
		w.must(err)
		for _, name := range names {
			data, err := os.ReadFile(name)
			w.must(err)
			if strings.HasPrefix(pattern, "shown") {
				shown += bytes.Count(data, []byte("\n"))
				continue
			}
			all.Write(data)
		}
	}
	for id := range w.events {
		if !strings.Contains(all.String(), id) {
			said, _ := os.ReadFile(filepath.Join(dir, "hook.log")) // there may be none
			w.t.Errorf("round %d: the event %s is not in the log; hooks say\n%s", round, id, said)
		}
	}
	w.count.Hooks, w.count.Recalls = len(w.events), w.recall
	if shown < w.recall {
		w.t.Errorf("round %d: %d recalls are in the ledger, %d were acknowledged", round, shown, w.recall)
	}
}

func (w *torture) report() {
	w.mu.Lock()
	defer w.mu.Unlock()
	data, err := json.Marshal(w.count)
	w.must(err)
	w.t.Logf("%d rounds: %s", *tortureRounds, data)
}

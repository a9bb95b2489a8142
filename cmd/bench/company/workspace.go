package company

import (
	"bufio"
	"bytes"
	"context"
	crand "crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"manicule/cmd/internal/evalkit"
	"manicule/cmd/internal/sandbox"
	"manicule/indexer/anchor"
	"manicule/indexer/anchoring"
	"manicule/indexer/gitinfo"
	"manicule/memory/file"
	"manicule/memory/services"
	"manicule/memory/store"
	"manicule/memory/threads"
)

// What a company of some hundred developers has after some years.
const (
	commits       = 3000
	memoryCommits = 200
	branches      = 200
	worktrees     = 50
	drafts        = 3000
	openThreads   = 2000
	sessions      = 1000
	procedures    = 500
	builds        = 20
	anchored      = 600  // files with memories at their symbols
	crowd         = 1200 // memories at the symbols of one of them
	years         = 12
)

// workspace is one that was made.
type workspace struct {
	Root    string
	Size    int
	Busy    string   // the file with the most memories at its symbols
	Symbols []string // FILE#Symbol, at which memories are
	IDs     []string

	files []string // of the code, relative, with slashes
	rng   *rand.Rand
	texts map[string][]byte // of files with memories
	head  string            // the commit that has all sources
	when  time.Time         // of the last commit
}

// create makes a workspace from copies of source trees.
func create(ctx context.Context, box *sandbox.Sandbox, size int, trees []string) (*workspace, error) {
	w := &workspace{Root: filepath.Join(box.Dir, fmt.Sprintf("company-%d", size)), Size: size, rng: rand.New(rand.NewPCG(1, uint64(size))), texts: map[string][]byte{}, when: time.Date(2014, 11, 1, 0, 0, 0, 0, time.UTC)}
	evalkit.Progress("%d memories: sources", size)
	for _, tree := range trees {
		if err := w.copyTree(tree); err != nil {
			return nil, err
		}
	}
	evalkit.Progress("%d memories: files", size)
	if err := w.code(ctx, box); err != nil {
		return nil, err
	}
	list, err := w.memories(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := file.WriteAll(filepath.Join(w.Root, ".manicule", "memories"), list); err != nil {
		return nil, err
	}
	evalkit.Progress("%d memories: history", size)
	if err := w.history(ctx, box); err != nil {
		return nil, err
	}
	evalkit.Progress("%d memories: what people and agents left", size)
	return w, errors.Join(w.save(box), w.left(ctx, box))
}

// save keeps what later runs have to know.
func (w *workspace) save(box *sandbox.Sandbox) error {
	text, err := json.Marshal(w)
	if err != nil {
		return fmt.Errorf("keep the workspace: %w", err)
	}
	return os.WriteFile(filepath.Join(box.Dir, fmt.Sprintf("company-%d.json", w.Size)), text, 0o644)
}

// load reads what save kept.
func load(box *sandbox.Sandbox, size int) (*workspace, error) {
	text, err := os.ReadFile(filepath.Join(box.Dir, fmt.Sprintf("company-%d.json", size)))
	if err != nil {
		return nil, fmt.Errorf("find the workspace that was kept: %w", err)
	}
	w := &workspace{}
	if err := json.Unmarshal(text, w); err != nil {
		return nil, fmt.Errorf("find the workspace that was kept: %w", err)
	}
	return w, nil
}

// copyTree copies the regular files of a tree into a folder of its name, without git's.
func (w *workspace) copyTree(tree string) error {
	base := filepath.Base(tree)
	err := filepath.WalkDir(tree, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == ".git":
			return filepath.SkipDir
		case !d.Type().IsRegular():
			return nil
		}
		rel, err := filepath.Rel(tree, name)
		if err != nil {
			return err
		}
		if rel = path.Join(base, filepath.ToSlash(rel)); strings.ContainsAny(rel, "\"\n\\ #") || d.Name() == ".gitignore" {
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		w.files = append(w.files, rel)
		return w.put(rel, text)
	})
	if err != nil {
		return fmt.Errorf("copy %s: %w", tree, err)
	}
	return nil
}

func (w *workspace) put(rel string, text []byte) error {
	name := filepath.Join(w.Root, filepath.FromSlash(rel))
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return fmt.Errorf("write %s: %w", rel, err)
	}
	if err := os.WriteFile(name, text, 0o644); err != nil {
		return fmt.Errorf("write %s: %w", rel, err)
	}
	return nil
}

// function finds functions of Go and Python, for memories at symbols.
var function = regexp.MustCompile(`(?m)^(?:func (?:\(\w+ \*?(\w+)\) )?(\w+)\(|def ()(\w+)\()`)

// symbols lists the functions of a file that are declared once.
func (w *workspace) symbols(rel string) []string {
	language := languageOf(rel)
	if language == "" || strings.HasSuffix(rel, "_test.go") {
		return nil
	}
	text, err := os.ReadFile(filepath.Join(w.Root, filepath.FromSlash(rel)))
	if err != nil || len(text) > 200<<10 {
		return nil
	}
	w.texts[rel] = text
	var out []string
	for _, m := range function.FindAllSubmatch(text, -1) {
		symbol := strings.TrimPrefix(string(m[1])+"."+string(m[2]), ".")
		if len(m[4]) > 0 {
			symbol = string(m[4])
		}
		if !slices.Contains(out, symbol) && symbol != "init" {
			out = append(out, symbol)
		}
	}
	return out
}

func languageOf(rel string) string {
	switch path.Ext(rel) {
	case ".go":
		return "go"
	case ".py":
		return "python"
	}
	return ""
}

// memories makes all of them: 30 of 100 at a symbol, the others about files, folders and kinds of
// files, and one of 100 about the whole project.
func (w *workspace) memories(ctx context.Context) ([]*file.Memory, error) {
	var coded []string
	declared := map[string][]string{}
	for _, i := range w.rng.Perm(len(w.files)) {
		if len(coded) == anchored {
			break
		}
		rel := w.files[i]
		if list := w.symbols(rel); len(list) > 0 {
			coded, declared[rel] = append(coded, rel), list
			if len(list) > len(declared[w.Busy]) {
				w.Busy = rel
			}
		}
	}
	if len(coded) == 0 {
		return nil, errors.New("the trees have no functions of Go or Python")
	}
	made := map[string]anchor.Anchor{}
	at := func(rel string) (*anchor.Anchor, error) {
		symbol := declared[rel][w.rng.IntN(len(declared[rel]))]
		place := rel + "#" + symbol
		if a, ok := made[place]; ok {
			return &a, nil
		}
		p, err := anchor.ParsePlace(place)
		if err != nil {
			return nil, err
		}
		a, err := anchoring.Make(ctx, p, languageOf(rel), w.texts[rel])
		if err != nil {
			return nil, nil // declared twice, or not as the pattern takes it
		}
		a.Commit, a.Blob = w.head, gitinfo.BlobID(w.texts[rel])
		made[place] = a
		w.Symbols = append(w.Symbols, place)
		return &a, nil
	}
	list := make([]*file.Memory, w.Size)
	for i := range list {
		m := w.memory(i)
		switch roll := w.rng.IntN(100); {
		case i < min(crowd, w.Size/2) || roll < 30:
			rel := w.Busy
			if i >= crowd {
				rel = coded[w.rng.IntN(len(coded))]
			}
			a, err := at(rel)
			if err != nil {
				return nil, err
			}
			if m.Scope = (file.Scope{rel}); a != nil {
				m.Scope, m.Anchors = nil, []anchor.Anchor{*a}
			}
		case roll == 30:
			m.Type = file.Convention
		case roll < 34:
			m.Type, m.Scope = file.Convention, file.Scope{[]string{"**/*_test.go", "**/*.md", "**/*.{yaml,yml}", "spring/**/*.java"}[i%4]}
		default:
			m.Type = []file.Type{file.Gotcha, file.Decision, file.Pattern, file.DeadEnd, file.ModuleInsight, file.ErrorPattern}[i%6]
			m.Scope = w.scope(i)
		}
		if i%max(w.Size/procedures, 1) == 7 {
			m.Type = file.WorkflowRecipe
			m.Details = fmt.Appendf(nil, `{"steps":[{"do":"add the case","file":%q},{"do":"run make generate"}]}`, w.files[i%len(w.files)])
		}
		m.Layer = m.Type.DefaultLayer(m.Scope != nil || len(m.Anchors) > 0)
		list[i] = m
		w.IDs = append(w.IDs, m.UUID)
	}
	return list, nil
}

func (w *workspace) memory(i int) *file.Memory {
	now := time.Date(2023, 1, 5, 9, 0, 0, 0, time.UTC).Add(time.Duration(i) * 15 * time.Minute)
	m := &file.Memory{
		Format: file.Format, UUID: evalkit.UUID(w.rng, now), Type: file.Gotcha, What: w.sentence(), Visibility: file.Project,
		Importance: file.Importances()[i%3], Confidence: 1, Trust: file.Trust{Origin: file.UserTaught},
		Contributor: fmt.Sprintf("Developer %d", i%300), Lineage: file.Lineage{Version: 1, ChangeKind: "create"},
		CreatedAt: file.At(now), UpdatedAt: file.At(now), Tags: []string{fmt.Sprintf("team-%d", i%40)},
	}
	if i%3 != 0 {
		m.Why = w.sentence()
	}
	return m
}

func (w *workspace) scope(i int) file.Scope {
	at := w.files[w.rng.IntN(len(w.files))]
	dir := path.Dir(at)
	switch i % 4 {
	case 0:
		return file.Scope{at}
	case 1:
		return file.Scope{dir + "/**", "!" + dir + "/gen/**"}
	case 2:
		return file.Scope{dir + "/*" + path.Ext(at)}
	}
	return file.Scope{dir + "/**"}
}

// sentence returns one that a person might write. It names a file of the tree, so that few are the same.
func (w *workspace) sentence() string {
	pick := func(list ...string) string { return list[w.rng.IntN(len(list))] }
	name := strings.TrimSuffix(path.Base(w.files[w.rng.IntN(len(w.files))]), ".go")
	return fmt.Sprintf("%s %s %s: %s",
		pick("Refreshing", "Saving", "Replaying", "A retry of", "Closing", "Merging", "The cache behind", "The first request to", "A cancelled call of", "The export by", "Rendering"),
		name,
		pick("fails silently when Redis is unreachable", "holds the row lock until the transaction ends", "is not idempotent", "counts twice when the broker redelivers", "rounds to cents before the tax is added", "ignores the context's deadline", "must run before the migration", "returns stale rows for a minute", "needs the tenant in the context", "deadlocks if the callback writes", "allocates a buffer for every row"),
		pick("seen in the incident of May", "the test only covers the happy path", "use the wrapper in store instead", "decided with the payments team", "two seconds are enough", "the vendor's client retries on its own", "a mutex was slower", "the old path stays until the mobile app is gone"))
}

// code commits the sources: years in which a third of the folders was moved once.
func (w *workspace) code(ctx context.Context, box *sandbox.Sandbox) error {
	if err := w.git(ctx, box, "init", "--quiet", "--initial-branch=main"); err != nil {
		return err
	}
	if err := w.importing(ctx, box, w.streamCode); err != nil {
		return err
	}
	out, err := box.Command(ctx, w.Root, "git", "rev-parse", "main").Output()
	w.head = strings.TrimSpace(string(out))
	return err
}

// history commits the memories, makes branches of all ages, and checks everything out.
func (w *workspace) history(ctx context.Context, box *sandbox.Sandbox) error {
	if err := w.importing(ctx, box, w.streamMemories); err != nil {
		return err
	}
	for _, args := range [][]string{{"reset", "--quiet", "--hard", "main"}, {"config", "user.name", "You"}, {"config", "user.email", "you@example.test"}} {
		if err := w.git(ctx, box, args...); err != nil {
			return err
		}
	}
	if said, err := box.Manicule(ctx, w.Root, "init").CombinedOutput(); err != nil {
		return fmt.Errorf("manicule init: %w\n%s", err, said)
	}
	for _, args := range [][]string{{"add", "--all"}, {"commit", "--quiet", "--no-verify", "--message=Set up"}} {
		if err := w.git(ctx, box, args...); err != nil {
			return err
		}
	}
	for i := range worktrees {
		if err := w.git(ctx, box, "worktree", "add", "--quiet", "--no-checkout", fmt.Sprintf("%s-worktree-%d", w.Root, i), fmt.Sprintf("feat/ABC-%d", i)); err != nil {
			return err
		}
	}
	return nil
}

func (w *workspace) git(ctx context.Context, box *sandbox.Sandbox, args ...string) error {
	if out, err := box.Command(ctx, w.Root, "git", args...).CombinedOutput(); err != nil {
		return fmt.Errorf("git %s: %w\n%s", args[0], err, out)
	}
	return nil
}

// importing passes a stream to git fast-import.
func (w *workspace) importing(ctx context.Context, box *sandbox.Sandbox, stream func(*importer) error) error {
	cmd := box.Command(ctx, w.Root, "git", "fast-import", "--quiet")
	var said bytes.Buffer
	cmd.Stderr = &said
	in, err := cmd.StdinPipe()
	if err != nil {
		return fmt.Errorf("git fast-import: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("git fast-import: %w", err)
	}
	out := bufio.NewWriterSize(in, 1<<20)
	i := &importer{out: out, root: w.Root, when: w.when}
	err = errors.Join(stream(i), i.err, out.Flush(), in.Close())
	w.when = i.when
	if werr := cmd.Wait(); werr != nil {
		return fmt.Errorf("git fast-import: %w\n%s", errors.Join(err, werr), said.Bytes())
	}
	return err
}

// importer writes the stream of git fast-import.
type importer struct {
	out  io.Writer
	root string
	mark int
	when time.Time
	err  error
}

func (i *importer) print(format string, args ...any) {
	if i.err == nil {
		_, i.err = fmt.Fprintf(i.out, format, args...)
	}
}

// commit begins a commit, some time after the one before.
func (i *importer) commit(ref, message string, after time.Duration) {
	i.mark++
	i.when = i.when.Add(after)
	who := fmt.Sprintf("Developer %d <d%d@example.test> %d +0000", i.mark%300, i.mark%300, i.when.Unix())
	i.print("commit %s\nmark :%d\nauthor %s\ncommitter %s\ndata %d\n%s\n", ref, i.mark, who, who, len(message), message)
}

func (i *importer) add(to, from string) {
	text, err := os.ReadFile(filepath.Join(i.root, filepath.FromSlash(from)))
	if err != nil && i.err == nil {
		i.err = err
	}
	i.data(to, text)
}

func (i *importer) data(to string, text []byte) {
	i.print("M 100644 inline %s\ndata %d\n%s\n", to, len(text), text)
}

// pace is the time between two commits.
const pace = years * 365 * 24 * time.Hour / (commits + memoryCommits + 100)

func (w *workspace) streamCode(i *importer) error {
	groups := map[string][]string{}
	for _, rel := range w.files {
		parts := strings.SplitN(rel, "/", 3)
		folder := path.Join(parts[:min(2, len(parts)-1)]...)
		groups[folder] = append(groups[folder], rel)
	}
	folders := make([]string, 0, len(groups))
	for folder := range groups {
		folders = append(folders, folder)
	}
	slices.Sort(folders)
	each := len(w.files)/commits + 1
	for n, folder := range folders {
		before := ""
		if n%3 == 0 && strings.Contains(folder, "/") {
			before = "attic/"
		}
		for chunk := range slices.Chunk(groups[folder], each) {
			i.commit("refs/heads/main", "Add a part of "+folder, pace)
			for _, rel := range chunk {
				i.add(before+rel, rel)
			}
		}
		if before != "" {
			i.commit("refs/heads/main", "Move "+folder, pace)
			i.print("R %s %s\n", before+folder, folder)
		}
	}
	return nil
}

func (w *workspace) streamMemories(i *importer) error {
	var all []string
	base := filepath.Join(w.Root, ".manicule", "memories")
	if err := filepath.WalkDir(base, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(w.Root, name)
		all = append(all, filepath.ToSlash(rel))
		return err
	}); err != nil {
		return err
	}
	slices.SortFunc(all, func(a, b string) int { return strings.Compare(path.Base(a), path.Base(b)) }) // by time
	for chunk := range slices.Chunk(all, max(len(all)/memoryCommits, 1)) {
		i.commit("refs/heads/main", "Memories", pace)
		if i.mark == 1 {
			i.print("from refs/heads/main^0\n")
		}
		for _, rel := range chunk {
			i.add(rel, rel)
		}
	}
	last := i.mark
	for n := range branches {
		ref := fmt.Sprintf("refs/heads/feat/ABC-%d", n)
		i.print("reset %s\nfrom :%d\n", ref, 1+n*(last-1)/branches)
		i.commit(ref, fmt.Sprintf("Part %d of a feature", n), time.Hour)
		i.data(fmt.Sprintf("features/part_%d.go", n), fmt.Appendf(nil, "package features\n\nfunc Part%d() int { return %d }\n", n, n))
	}
	return nil
}

// left leaves what people and agents did: builds as files, drafts and threads by the product's own packages, since a process for
// each would take an hour, and sessions by its hooks.
func (w *workspace) left(ctx context.Context, box *sandbox.Sandbox) (err error) {
	for i := range builds {
		var b strings.Builder
		fmt.Fprintf(&b, "# Move service %d to Postgres\n\n## Brief\n\n## Technical context\n", i)
		for k := range 20 {
			if k%5 == 0 {
				fmt.Fprintf(&b, "\n## Phase %d\n\n### it works\n\n", k/5)
			}
			fmt.Fprintf(&b, "- [ ] Slice %d: %s\n", k, w.sentence())
		}
		if err := w.put(fmt.Sprintf(".manicule/builds/build-%d.md", i), []byte(b.String())); err != nil {
			return err
		}
	}
	o := &services.Opener{Getenv: box.Getenv, Now: time.Now, Random: crand.Reader, Log: slog.New(slog.DiscardHandler)}
	m, err := o.Open(w.Root, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, m.Close()) }()
	rows := make([]store.DraftRow, drafts)
	for i := range rows {
		d := w.memory(i)
		d.UUID, d.Scope = evalkit.UUID(w.rng, time.Now()), w.scope(i)
		d.Trust.Origin, d.Layer = file.AgentExplicit, d.Type.DefaultLayer(true)
		rows[i] = store.DraftRow{Memory: d, Status: store.StatusDraft, Reason: "an agent wrote it", Tool: "claude-code", Session: fmt.Sprintf("past-%d", i/3)}
	}
	if _, err := m.State().Drafts().PutAll(ctx, rows); err != nil {
		return err
	}
	list := threads.Of(m.Workspace)
	for i := range openThreads {
		d := threads.Draft{Text: fmt.Sprintf("Part %d is not done: %s", i, w.sentence()), At: w.files[i*11%len(w.files)]}
		if st, err := os.Stat(filepath.Join(w.Root, filepath.FromSlash(d.At))); err == nil && st.Size() > 2<<20 {
			d.At = "" // no anchors are made in such files
		}
		r, err := list.Add(ctx, d)
		if err != nil {
			return err
		}
		if !r.Accepted {
			return fmt.Errorf("leave a thread: %s", r.Reason)
		}
	}
	for i := range sessions {
		if err := w.session(ctx, box, i); err != nil {
			return err
		}
	}
	if out, err := box.Manicule(ctx, w.Root, "observe").CombinedOutput(); err != nil {
		return fmt.Errorf("manicule observe: %w\n%s", err, out)
	}
	return nil
}

// session is one of Claude Code: it asked, edited, failed at a test, mended it and ended.
func (w *workspace) session(ctx context.Context, box *sandbox.Sandbox, i int) error {
	id, at := fmt.Sprintf("past-%d", i), filepath.Join(w.Root, filepath.FromSlash(w.files[i*13%len(w.files)]))
	tool := func(name string, input, response map[string]any) map[string]any {
		return map[string]any{"hook_event_name": "PostToolUse", "tool_name": name, "tool_use_id": "toolu_" + id + name, "tool_input": input, "tool_response": response}
	}
	hook := filepath.Join(filepath.Dir(box.Bin), "manicule-hook"+filepath.Ext(box.Bin))
	test := map[string]any{"command": fmt.Sprintf("go test ./services -run Part%d", i)}
	for _, e := range []map[string]any{
		{"hook_event_name": "SessionStart", "source": "startup"},
		{"hook_event_name": "UserPromptSubmit", "prompt": fmt.Sprintf("Make the retry of part %d in %s safe", i, filepath.Base(at))},
		{"hook_event_name": "PreToolUse", "tool_name": "Edit", "tool_use_id": "toolu_" + id, "tool_input": map[string]any{"file_path": at, "old_string": "a", "new_string": "b"}},
		tool("Edit", map[string]any{"file_path": at, "old_string": "a", "new_string": "b"}, map[string]any{"filePath": at}),
		tool("Bash", test, map[string]any{"stdout": "--- FAIL: TestPart\nFAIL", "exit_code": 1}),
		tool("Edit", map[string]any{"file_path": at, "old_string": "b", "new_string": "c"}, map[string]any{"filePath": at}),
		tool("Bash", test, map[string]any{"stdout": "ok", "exit_code": 0}),
		{"hook_event_name": "SessionEnd", "reason": "exit"},
	} {
		e["session_id"], e["cwd"] = id, w.Root
		in, err := json.Marshal(e)
		if err != nil {
			return fmt.Errorf("write an event: %w", err)
		}
		cmd := box.Command(ctx, w.Root, hook, "hook", "claude-code")
		cmd.Stdin = bytes.NewReader(in)
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("manicule hook: %w\n%s", err, out)
		}
	}
	return nil
}

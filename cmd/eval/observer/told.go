package observer

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"manicule/cmd/internal/evalkit"
	"manicule/cmd/internal/gitread"
	"manicule/hooks"
	"manicule/hooks/backend"
	"manicule/indexer/gitinfo"
	"manicule/indexer/workspace"
	"manicule/memory"
	"manicule/memory/config"
	"manicule/memory/file"
	"manicule/memory/importer"
	"manicule/memory/ledger"
	"manicule/memory/retrieve"
	"manicule/memory/search"
	"manicule/memory/services"
)

// toldOptions are the inputs of a replay through the hooks.
type toldOptions struct {
	sessions, git string
	part          string
	show, near    string
	lessons       int    // of a commit
	memories      string // what people wrote
}

// toldCommand is `eval observer told`: it plays recorded sessions to the hooks, in a checkout with
// memories, and measures what they tell the agent.
func toldCommand() *cobra.Command {
	var o toldOptions
	cmd := &cobra.Command{
		Use: "told", Short: "Play recorded sessions to the hooks, and measure what these tell the agent", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context()) },
	}
	f := cmd.Flags()
	f.StringVar(&o.sessions, "sessions", "", "the folder of sessions (see convert)")
	f.StringVar(&o.git, "git", "", "the repository's git directory")
	f.StringVar(&o.part, "score", "all", "the sessions that are measured, by time: all, first or second half")
	f.StringVar(&o.show, "show", "", "print each memory that is told, with its moment, to this file, for judging")
	f.IntVar(&o.lessons, "lessons", 1, "sentences that are taught of a commit; more than one also of commits that change more files")
	f.StringVar(&o.memories, "memories", "", "a file of memories that a person wrote before the first session, one JSON object a line: type, what, why, at (places), scope, importance, repo")
	f.StringVar(&o.near, "near", "", "print the memories that could be told at each moment, told or not, to this file, for judging")
	return cmd
}

// told is one answer of a hook.
type told struct {
	Session  string        `json:"session"`
	Agent    string        `json:"agent,omitzero"` // a subagent
	Event    string        `json:"event"`
	Tool     string        `json:"tool,omitzero"`
	Moment   string        `json:"moment"` // the prompt, path, search or command
	Text     string        `json:"text"`
	Memories []toldMemory  `json:"memories,omitzero"`
	Took     time.Duration `json:"-"`
}

// toldMemory is a memory that an answer quotes.
type toldMemory struct {
	ID    string   `json:"id"`
	Type  string   `json:"type"`
	What  string   `json:"what"`
	Why   string   `json:"why,omitzero"`
	Scope []string `json:"scope,omitzero"`
	From  string   `json:"from"` // the rule file, or the commit
}

// player plays sessions to the hooks of one workspace.
type player struct {
	tree    string
	now     time.Time
	getenv  func(string) string
	lessons []lesson // not taught yet, oldest first
	written []written
	placed  bool     // there are memories that people wrote at places
	shown   []string // ids in the last answer
	answers []told
	counted map[string]bool // measured sessions
	lines   map[string]bool // of the files that the agent loads
	random  *rand.Rand
	known   map[string]*file.Memory
	pool    pool
}

func (o toldOptions) run(ctx context.Context) (err error) {
	home, err := os.MkdirTemp("", "eval-told-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(home)) }()
	p, err := newPlayer(ctx, home, o.git, o.lessons)
	if err != nil {
		return err
	}
	if o.memories != "" {
		if p.written, err = evalkit.ReadLines[written](o.memories); err != nil {
			return err
		}
	}
	list, err := evalkit.ReadLines[index](filepath.Join(o.sessions, "sessions.jsonl"))
	if err != nil {
		return err
	}
	if len(list) == 0 {
		return fmt.Errorf("no sessions in %s", o.sessions)
	}
	p.written = slices.DeleteFunc(p.written, func(m written) bool { return m.Repo != "" && m.Repo != list[0].Repo })
	byID, err := rawEvents(o.sessions)
	if err != nil {
		return err
	}
	half := (len(list) + 1) / 2
	for i, s := range list {
		if o.part == "first" && i >= half {
			break
		}
		if o.part != "second" || i >= half {
			p.counted[s.Session] = true
		}
		if err := p.session(ctx, byID[s.Session]); err != nil {
			return fmt.Errorf("session %s: %w", s.Session, err)
		}
	}
	p.report(o.part)
	if o.near != "" {
		if err := evalkit.WriteLines(o.near, p.pool.rows); err != nil {
			return err
		}
	}
	return p.print(o.show)
}

// written is a memory that a person wrote, at a place in the code.
type written struct {
	Repo       string          `json:"repo"` // that of the sessions if empty
	Type       file.Type       `json:"type"`
	What       string          `json:"what"`
	Why        string          `json:"why"`
	At         []string        `json:"at"`
	Scope      []string        `json:"scope"`
	Importance file.Importance `json:"importance"`
}

// rawEvents reads the events of a folder by session.
func rawEvents(dir string) (map[string][]map[string]any, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.events.jsonl.gz"))
	if err != nil || len(names) == 0 {
		return nil, fmt.Errorf("no events in %s", dir)
	}
	out := map[string][]map[string]any{}
	for _, name := range names {
		err := evalkit.Lines(name, func(line []byte) error {
			var v map[string]any
			if err := json.Unmarshal(line, &v); err != nil {
				return err
			}
			id, _ := v["session_id"].(string)
			out[id] = append(out[id], v)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

func newPlayer(ctx context.Context, home, gitDir string, most int) (*player, error) {
	p := &player{tree: filepath.Join(home, "repo"), counted: map[string]bool{}, lines: map[string]bool{}, known: map[string]*file.Memory{}, random: rand.New(rand.NewSource(1))}
	if _, err := gitread.Output(ctx, gitDir, "clone", "-q", "--shared", "--no-checkout", gitDir, p.tree); err != nil {
		return nil, err
	}
	vars := map[string]string{"HOME": home, "XDG_STATE_HOME": home + "/state", "XDG_CACHE_HOME": home + "/cache", "XDG_DATA_HOME": home + "/data",
		"XDG_CONFIG_HOME": home + "/config", "XDG_RUNTIME_DIR": home + "/run", "CLAUDE_PROJECT_DIR": p.tree, "MANICULE_HOOK_BUDGET": "20s"}
	p.getenv = func(k string) string { return vars[k] }
	var err error
	p.lessons, err = lessons(ctx, gitDir, most)
	return p, err
}

func (p *player) open() (*services.Workspace, error) {
	o := &services.Opener{Version: "eval", Getenv: p.getenv, Now: func() time.Time { return p.now }, Random: p.random}
	return o.Open(p.tree, nil)
}

// checkout brings the tree to the last commit before now. Memories stay, as they are not tracked.
func (p *player) checkout(ctx context.Context) error {
	dir := filepath.Join(p.tree, ".git")
	at, err := gitread.Output(ctx, dir, "rev-list", "-1", "--before="+p.now.Format(time.RFC3339), "origin/HEAD")
	commit := strings.TrimSpace(string(at))
	if err != nil || commit == "" {
		return err
	}
	in := func(args ...string) error {
		out, err := exec.CommandContext(ctx, "git", append([]string{"-C", p.tree}, args...)...).CombinedOutput()
		if err != nil {
			return fmt.Errorf("git %s: %w\n%s", args[0], err, out)
		}
		return nil
	}
	branch, _ := gitinfo.DefaultBranch(dir, dir, p.getenv)
	if branch == "" {
		branch = "main"
	}
	if in("checkout", "-q", "-f", "-B", branch, commit) == nil {
		return nil
	}
	// The copy lacks large files: the others are checked out.
	if err := errors.Join(in("symbolic-ref", "HEAD", "refs/heads/"+branch), in("update-ref", "refs/heads/"+branch, commit), in("read-tree", commit)); err != nil {
		return err
	}
	_ = in("checkout-index", "-q", "-f", "-a")
	return nil
}

// documents are the files that a person would import: rule files, and what is written for contributors.
var documents = regexp.MustCompile(`(?i)(^|/)(agents?|claude|gemini|contributing|testing|architecture|protocol)\.md$|^\.cursor/rules/|copilot-instructions\.md$`)

// teach imports the documents of the checkout, and the lessons of the commits before now.
func (p *player) teach(ctx context.Context) (err error) {
	w, err := p.open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	out, err := gitread.Output(ctx, filepath.Join(p.tree, ".git"), "ls-tree", "-r", "--name-only", "HEAD")
	if err != nil {
		return err
	}
	files := strings.Split(strings.TrimSpace(string(out)), "\n")
	opts := importer.Options{Root: os.DirFS(p.tree), Files: files, Now: p.now}
	known, err := w.Store().ImportKeys(ctx)
	if err != nil {
		return err
	}
	var sources []importer.Source
	for _, name := range files {
		if documents.MatchString(name) {
			sources = append(sources, importer.Named(name))
		}
	}
	chunks, _, err := importer.ReadSources(ctx, sources, opts)
	if err != nil {
		return err
	}
	var drafts []memory.Draft
	for _, c := range chunks {
		if origin := c.Origin; !known[origin.Key] {
			drafts = append(drafts, memory.Draft{Type: c.Type, What: c.What, Why: c.Why, Scope: c.Scope, Tags: c.Tags, Label: c.Label, Origin: file.Import, Tool: "import", Import: &origin})
		}
	}
	for len(p.lessons) > 0 && p.lessons[0].at.Before(p.now) {
		l := p.lessons[0]
		p.lessons = p.lessons[1:]
		drafts = append(drafts, memory.Draft{Type: l.kind, What: l.what, Scope: l.scope, Tags: []string{"commit-" + l.commit}, Tool: "cli"})
	}
	if err := p.write(ctx, w); err != nil {
		return err
	}
	if p.placed { // an editor or a server follows the code
		if _, err := w.Tracker().Refresh(ctx); err != nil {
			return err
		}
	}
	if len(drafts) == 0 {
		return nil
	}
	results, err := w.RememberAll(ctx, drafts)
	for _, r := range results {
		if r.Memory != nil {
			p.known[r.Memory.UUID] = r.Memory
		}
	}
	return err
}

// write keeps what people wrote, each at its place, as `remember --at` does.
func (p *player) write(ctx context.Context, w *services.Workspace) error {
	for _, m := range p.written {
		r, err := w.Remember(ctx, memory.Draft{Type: m.Type, What: m.What, Why: m.Why, At: m.At, Scope: m.Scope, Importance: m.Importance, Tags: []string{"written"}, Tool: "cli"})
		if err != nil {
			return fmt.Errorf("remember %q: %w", m.What, err)
		}
		if r.Memory == nil {
			evalkit.Progress("not remembered: %q: %s", m.What, r.Reason)
			continue
		}
		p.known[r.Memory.UUID] = r.Memory
	}
	p.written, p.placed = nil, p.placed || len(p.written) > 0
	return nil
}

// withBatch are the tools whose event before the call is not configured: the answer comes after the batch.
func withBatch(tool string) bool {
	return !slices.Contains([]string{"Read", "Edit", "Write", "NotebookEdit", "Grep", "Glob"}, tool)
}

func (p *player) session(ctx context.Context, events []map[string]any) error {
	if len(events) == 0 {
		return nil
	}
	p.now = eventTime(events[0])
	if err := p.checkout(ctx); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(p.tree, ".manicule", "memories"), 0o755); err != nil {
		return err
	}
	if err := p.teach(ctx); err != nil {
		return err
	}
	p.readLoaded()
	p.pool.reset()
	for _, v := range events {
		p.now = eventTime(v)
		name, _ := v["hook_event_name"].(string)
		tool, _ := v["tool_name"].(string)
		p.pool.heard(v)
		switch {
		case strings.HasPrefix(name, "x_"), name == "SessionEnd":
			continue
		case name == "PreToolUse" && withBatch(tool):
			continue
		}
		if err := p.event(v); err != nil {
			return err
		}
		if strings.HasPrefix(name, "PostToolUse") {
			batch := map[string]any{"hook_event_name": "PostToolBatch", "session_id": v["session_id"], "cwd": v["cwd"], "agent_id": v["agent_id"],
				"tool_calls": []any{map[string]any{"tool_name": tool, "tool_input": v["tool_input"], "tool_use_id": v["tool_use_id"]}}}
			if err := p.event(batch); err != nil {
				return err
			}
		}
	}
	return p.event(map[string]any{"hook_event_name": "SessionEnd", "session_id": events[0]["session_id"], "cwd": events[0]["cwd"]})
}

func eventTime(v map[string]any) time.Time {
	s, _ := v["ts"].(string)
	at, _ := time.Parse(time.RFC3339, s) // the converter wrote it
	return at
}

// event plays one event to the hook's own code.
func (p *player) event(v map[string]any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	data = bytes.ReplaceAll(bytes.ReplaceAll(data, []byte(root+"/"), []byte(p.tree+"/")), []byte(`"`+root+`"`), []byte(`"`+p.tree+`"`))
	env := workspace.Env{Getenv: p.getenv, Random: p.random}
	now := func() time.Time { return p.now }
	b := backend.New(backend.Options{Getenv: p.getenv, Now: now, Ask: search.Ask,
		Open: func(string) (*memory.Workspace, *config.Config, error) {
			w, err := p.open()
			if err != nil {
				return nil, nil, err
			}
			return w.Workspace, w.Config, nil
		},
		Discover: func(dir string) (*workspace.Workspace, error) { return workspace.Discover(dir, env) },
		Settings: func(w *workspace.Workspace) (*config.Config, []config.Warning) {
			return config.Load(config.FilesOf(w), p.getenv)
		}})
	var out bytes.Buffer
	o := hooks.Options{Agent: "claude-code", Stdin: bytes.NewReader(data), Stdout: &out, Now: now, Getenv: p.getenv, Random: p.random,
		Prepare: func() (hooks.Settings, bool) { return hooks.Settings{TrustLevel: 1}, true }}
	b.Answer(&o)
	p.shown = nil
	id, _ := v["session_id"].(string)
	if p.counted[id] {
		p.watch(&o)
	}
	o.Shown = func(_ context.Context, _ string, s ledger.Showing) error {
		for _, m := range s.Memories {
			p.shown = append(p.shown, m.UUID)
		}
		return nil
	}
	began := time.Now()
	hooks.Run(context.Background(), o)
	p.note(v, out.Bytes(), time.Since(began))
	return b.Close()
}

// note keeps an answer of a measured session.
func (p *player) note(v map[string]any, out []byte, took time.Duration) {
	id, _ := v["session_id"].(string)
	if !p.counted[id] {
		return
	}
	var answer struct {
		Specific struct {
			Text string `json:"additionalContext"`
		} `json:"hookSpecificOutput"`
	}
	_ = json.Unmarshal(out, &answer) // no answer has no text
	t := told{Session: id, Text: answer.Specific.Text, Took: took}
	t.Agent, _ = v["agent_id"].(string)
	t.Event, _ = v["hook_event_name"].(string)
	t.Tool, _ = v["tool_name"].(string)
	t.Moment = moment(v)
	for _, id := range p.shown {
		if m := p.known[id]; m != nil {
			t.Memories = append(t.Memories, describe(m))
		}
	}
	p.answers = append(p.answers, t)
	p.pool.end(t)
}

func describe(m *file.Memory) toldMemory {
	from := strings.Join(m.Tags, " ")
	if m.Provenance != nil && m.Provenance.Import != nil {
		from = m.Provenance.Import.File
	}
	return toldMemory{m.UUID, string(m.Type), m.What, m.Why, m.Scope, from}
}

// moment says what an event is about.
func moment(v map[string]any) string {
	if s, ok := v["prompt"].(string); ok {
		return s
	}
	in, _ := v["tool_input"].(map[string]any)
	if calls, ok := v["tool_calls"].([]any); ok && len(calls) > 0 {
		c, _ := calls[0].(map[string]any)
		in, _ = c["tool_input"].(map[string]any)
	}
	var parts []string
	for _, k := range []string{"file_path", "path", "pattern", "command"} {
		if s, ok := in[k].(string); ok {
			parts = append(parts, s[:min(len(s), 200)])
		}
	}
	return strings.Join(parts, " | ")
}

// tokens estimates the size of a text in a model's context.
func tokens(s string) int { return retrieve.Tokens(s) }

package observer

import (
	"bufio"
	"cmp"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"manicule/cmd/internal/evalkit"
	"manicule/cmd/internal/gitread"
)

// checkpointBranch holds the transcripts that the public tool `entire` stores beside commits.
const checkpointBranch = "entire/checkpoints/v1"

// convertCommand is `eval observer convert`: it turns transcripts of a public repository into the
// events of hooks, in the form of the dataset.
func convertCommand() *cobra.Command {
	return &cobra.Command{
		Use: "convert GITDIR OWNER/NAME FOLDER", Short: "Turn the transcripts that a repository has beside its commits into events", Args: cobra.ExactArgs(3),
		RunE: func(cmd *cobra.Command, args []string) error {
			return convert(cmd.Context(), args[0], args[1], args[2])
		},
	}
}

// hookLine is one event of a hook, in Claude Code's form.
type hookLine struct {
	Event    string         `json:"hook_event_name"`
	Session  string         `json:"session_id"`
	At       time.Time      `json:"ts"`
	Cwd      string         `json:"cwd"`
	Prompt   string         `json:"prompt,omitempty"`
	Text     string         `json:"text,omitempty"`
	Source   string         `json:"source,omitempty"`
	Branch   string         `json:"git_branch,omitempty"`
	Agent    string         `json:"agent_id,omitempty"`
	Tool     string         `json:"tool_name,omitempty"`
	Input    map[string]any `json:"tool_input,omitempty"`
	ID       string         `json:"tool_use_id,omitempty"`
	Response any            `json:"tool_response,omitempty"`
	Error    string         `json:"error,omitempty"`
	Reason   string         `json:"reason,omitempty"`
	Last     string         `json:"last_assistant_message,omitempty"`
}

// conversation is one session of a transcript.
type conversation struct {
	id, root string // root is the folder in which the agent worked
	branch   string
	lines    []hookLine
	midTurn  bool // the transcript says that its last turn has not ended
}

func convert(ctx context.Context, gitDir, repo, folder string) error {
	names, err := transcripts(ctx, gitDir)
	if err != nil {
		return err
	}
	largest := map[string]*conversation{} // of each session: checkpoints repeat it from its beginning
	for _, name := range names {
		data, err := gitread.Output(ctx, gitDir, "show", name)
		if err != nil {
			evalkit.Progress("%s is absent from the copy", name)
			continue
		}
		for _, c := range conversations(data) {
			if isMarkdown(data) {
				c.root = c.folderOf(path.Base(repo))
			}
			if old := largest[c.id]; old == nil || len(c.lines) > len(old.lines) {
				largest[c.id] = c
			}
		}
	}
	list := make([]*conversation, 0, len(largest))
	for _, c := range largest {
		if len(c.lines) > 0 {
			list = append(list, c)
		}
	}
	slices.SortFunc(list, func(a, b *conversation) int {
		return cmp.Or(a.lines[0].At.Compare(b.lines[0].At), cmp.Compare(a.id, b.id))
	})
	dropRepeated(list)
	for _, c := range list {
		c.rest()
	}
	return writeDataset(list, repo, folder)
}

// transcripts returns the names by which git finds them: they are on one branch or, as later versions of the tool keep
// them, each under a reference of its own.
func transcripts(ctx context.Context, gitDir string) ([]string, error) {
	refs, err := gitread.Output(ctx, gitDir, "for-each-ref", "--format=%(refname)", "refs/heads/"+checkpointBranch, "refs/entire/checkpoints")
	if err != nil {
		return nil, err
	}
	var out []string
	if stored, err := gitread.Output(ctx, gitDir, "ls-tree", "-r", "-z", "--name-only", "HEAD"); err == nil { // SpecStory's are beside the code
		for name := range strings.SplitSeq(string(stored), "\x00") {
			if strings.Contains(name, ".specstory/history/") && path.Ext(name) == ".md" || isPlain(name) {
				out = append(out, "HEAD:"+name)
			}
		}
	}
	for ref := range strings.FieldsSeq(string(refs)) {
		names, err := gitread.Output(ctx, gitDir, "ls-tree", "-r", "--name-only", ref)
		if err != nil {
			return nil, err
		}
		for name := range strings.SplitSeq(string(names), "\n") {
			if path.Base(name) == "full.jsonl" {
				out = append(out, ref+":"+name)
			}
		}
	}
	if len(out) == 0 { // some keep them as files
		names, err := gitread.Output(ctx, gitDir, "ls-tree", "-r", "-z", "--name-only", "HEAD", historyFolder)
		if err != nil {
			return nil, err
		}
		for name := range strings.SplitSeq(strings.TrimSuffix(string(names), "\x00"), "\x00") {
			if strings.HasSuffix(name, ".md") {
				out = append(out, "HEAD:"+name)
			}
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("no transcripts in %s", gitDir)
	}
	return out, nil
}

// plain finds the names of transcripts that people commit as their agents wrote them: an export, or a part of the folder in which Claude Code or
// Codex keeps them. Those of subagents, and lists of requests (history.jsonl), are no sessions.
var plain = regexp.MustCompile(`(?:^|/)(?:(?:claude|codex)[-_](?:code[-_])?session\.jsonl|\.claude/projects/[^/]+/[^/]+\.jsonl|\.codex/sessions/.+\.jsonl)$`)

// isPlain reports whether a file of a repository is a transcript as an agent wrote it.
func isPlain(name string) bool {
	return plain.MatchString(name) && !strings.HasPrefix(path.Base(name), "agent-") // a subagent's
}

// dropRepeated removes calls that an earlier session has too: a forked or resumed session repeats
// its history.
func dropRepeated(list []*conversation) {
	seen := map[string]string{}
	for _, c := range list {
		c.lines = slices.DeleteFunc(c.lines, func(l hookLine) bool {
			if l.ID == "" {
				return false
			}
			if seen[l.ID] == "" {
				seen[l.ID] = c.id
			}
			return seen[l.ID] != c.id
		})
	}
}

// rest turns the agent's last words of each turn into the event with which it ends one. Where the transcript ends with
// words, its last turn counts as ended, unless it says itself that it has not.
func (c *conversation) rest() {
	next := "" // of the main conversation
	for i, l := range slices.Backward(c.lines) {
		if l.Agent != "" {
			continue
		}
		ends := next == "" && !c.midTurn || next == "UserPromptSubmit"
		if l.Event == "x_AssistantText" && ends {
			c.lines[i] = hookLine{Event: "Stop", Session: l.Session, At: l.At, Last: l.Text}
		}
		next = l.Event
	}
}

func writeDataset(list []*conversation, repo, folder string) (err error) {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	f, err := os.Create(filepath.Join(folder, path.Base(repo)+".events.jsonl.gz"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	zip := gzip.NewWriter(f)
	w := bufio.NewWriter(zip)
	enc := json.NewEncoder(w)
	var sessions []index
	var failures []failure
	for i, c := range list {
		sessions = append(sessions, index{Repo: repo, Session: c.id, Seq: i})
		for _, l := range c.lines {
			l.relocate(c.root)
			if l.Event == "PostToolUseFailure" {
				failures = append(failures, failureOf(repo, l))
			}
			if err := enc.Encode(l); err != nil {
				return err
			}
		}
	}
	if err := errors.Join(w.Flush(), zip.Close()); err != nil {
		return err
	}
	fmt.Printf("%s: %d sessions, %d failures\n", repo, len(sessions), len(failures))
	return errors.Join(evalkit.WriteLines(filepath.Join(folder, "sessions.jsonl"), sessions), evalkit.WriteLines(filepath.Join(folder, "failures.jsonl"), failures),
		evalkit.WriteLines[guidance](filepath.Join(folder, "guidance.jsonl"), nil), evalkit.WriteLines[learning](filepath.Join(folder, "learnings.jsonl"), nil))
}

// relocate replaces the folder of the recording by the one of the dataset.
func (l *hookLine) relocate(from string) {
	l.Cwd = root
	if from == "" || from == "/" {
		return
	}
	move := func(s string) string { return strings.ReplaceAll(s, from, root) }
	l.Error, l.Prompt, l.Text, l.Last = move(l.Error), move(l.Prompt), move(l.Text), move(l.Last)
	for k, v := range l.Input {
		if s, ok := v.(string); ok {
			l.Input[k] = move(s)
		}
	}
}

var (
	tellingLine = regexp.MustCompile(`(?i)error|fail|not found|no such|cannot|can't|missing|denied|unknown|invalid|exception|fatal|refused|unable|undefined|does not`)
	pathsIn     = regexp.MustCompile(`(?:[\w.@~+-]*/)+([\w.@~+-]*)`)
	numbersIn   = regexp.MustCompile(`\b(?:0x)?[0-9a-f]*\d[0-9a-f]*\b`)
	colours     = regexp.MustCompile("\x1b\\[[0-9;?]*[A-Za-z]")
	exitLine    = regexp.MustCompile(`^(?i)(error: )?exit code \d+$`)
	afterCut    = regexp.MustCompile(`&&|\|\||;|\|`)
)

// failureOf describes a failure independently of the observer's own fold: the first telling line
// without folders and numbers.
func failureOf(repo string, l hookLine) failure {
	text := colours.ReplaceAllString(strings.ToValidUTF8(l.Error, ""), "")
	line := ""
	for _, s := range strings.Split(text, "\n") {
		s = strings.TrimSpace(s)
		if s == "" || exitLine.MatchString(s) {
			continue
		}
		if tellingLine.MatchString(s) {
			line = s
			break
		}
		if line == "" {
			line = s
		}
	}
	print := numbersIn.ReplaceAllString(pathsIn.ReplaceAllString(strings.ToLower(line), "$1"), "#")
	f := failure{Repo: repo, Session: l.Session, ID: l.ID, Kind: "other", Fingerprint: strings.ToValidUTF8(print[:min(len(print), 110)], "")}
	switch {
	case l.Tool == "Bash":
		f.Kind, f.Input = "command_failed", fmt.Sprint(l.Input["command"])
		f.Command = strings.TrimSpace(afterCut.Split(f.Input, 2)[0])
	case l.Tool == "Read" || l.Tool == "Edit" || l.Tool == "Write":
		f.Input = fmt.Sprint(l.Input["file_path"])
		if low := strings.ToLower(line); strings.Contains(low, "not found") || strings.Contains(low, "does not exist") || strings.Contains(low, "no such file") {
			f.Kind = "file_missing"
			if l.Tool == "Edit" && strings.Contains(low, "string") {
				f.Kind = "edit_no_match"
			}
		}
	}
	if strings.Contains(text, "doesn't want to proceed") || strings.Contains(text, "rejected") && strings.Contains(text, "user") {
		f.Kind = "user_rejected"
	}
	return f
}

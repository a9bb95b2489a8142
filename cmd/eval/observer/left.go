package observer

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"manicule/cmd/internal/evalkit"
	"manicule/hooks/event"
	"manicule/hooks/learn"
	"manicule/hooks/observe"
	"manicule/hooks/observe/cmdline"
	"manicule/hooks/observe/fold"
	"manicule/hooks/observe/unfinished"
	"manicule/indexer/clip"
	"manicule/memory/thread"
)

// leftOptions are the inputs of `eval observer left`.
type leftOptions struct {
	data     evalkit.Data
	sessions []string
	labels   string
	show     string
	all      bool
	only     bool
	verbose  bool
}

// leftCommand is `eval observer left`: it compares the threads that sessions leave by themselves with what
// a reader of their ends says is left.
func leftCommand() *cobra.Command {
	var o leftOptions
	cmd := &cobra.Command{
		Use: "left", Short: "Measure the threads that sessions leave by themselves", Args: cobra.NoArgs,
		Long: "Measure the threads that sessions leave by themselves. Judged are the sessions with a label: all of a set, or those\n" +
			"whose list has open items, or one of whose last commands failed at its last run.",
		RunE: func(*cobra.Command, []string) error { return o.run() },
	}
	f := cmd.Flags()
	o.data.Flag(f)
	f.StringSliceVar(&o.sessions, "sessions", nil, "folders of sessions (see convert) beside the dataset's")
	f.StringVar(&o.labels, "labels", filepath.Join("cmd", "eval", "observer", "testdata", "left.jsonl"), "the file of labels")
	f.StringVar(&o.show, "show", "", "write the ends of the sessions without a label to this file, for labelling")
	f.BoolVar(&o.all, "all", false, "with --show, write every session that ends with words")
	f.BoolVar(&o.only, "only", false, "only the folders of --sessions")
	f.BoolVarP(&o.verbose, "verbose", "v", false, "print what was missed and what was false")
	return cmd
}

// leftLabel is a reader's judgement about the end of a session.
type leftLabel struct {
	Repo    string `json:"repo"`
	Session string `json:"session"`
	// Left are words of what is left: a thread that has one of them is right. None are left if it is empty.
	Left []string `json:"left,omitempty"`
	Why  string   `json:"why"`
}

// sessionEnd is what a reader judges.
type sessionEnd struct {
	Repo     string   `json:"repo"`
	Session  string   `json:"session"`
	Requests []string `json:"requests"` // the last
	Open     []string `json:"open"`     // items of its list
	Failed   []string `json:"failed"`   // commands whose last run failed, with their errors
	Calls    []string `json:"calls"`    // the last
	Said     string   `json:"said"`
	Hints    []string `json:"hints"` // what hints at something left
	// Open items of its list, or its last command or check that ran failed: the ends of which unfinished work is to be told.
	Unfinished bool `json:"unfinished"`
}

// maxEndWords bounds the runes of a last message that a reader is shown.
const maxEndWords = 1500

// maxEnd is how many calls before the end of a session a command may have failed.
const maxEnd = 12

// endOf returns the end of a session; ok is false if nothing hints at something left.
func endOf(s *session) (e sessionEnd, ok bool) {
	e = sessionEnd{Repo: s.repo, Session: s.id}
	var list todos
	for _, it := range s.items {
		switch {
		case it.said != "" && it.by == "":
			e.Said = it.said
		case it.record.Text != "" && it.record.AgentID == "":
			e.Said = it.record.Text
		case it.record.Prompt != "":
			e.Requests = append(e.Requests, clip.MarkedChars(it.record.Prompt, 300))
		}
		if it.record.AgentID != "" {
			continue
		}
		for _, c := range it.record.Calls {
			if act := event.TodoActOf(c.Tool); act != "" && event.Kind(it.record.Kind) == event.PostTool && c.Error == "" {
				list.apply(act, c.Query)
			}
		}
	}
	fold := folded(s)
	type run struct {
		n    int
		line string
		ok   bool
	}
	runs := map[string]run{}
	var commands []string
	calls := fold.Calls()
	for i, c := range calls {
		if c.Command != "" && c.Done {
			runs[c.Command] = run{i, c.Line, c.OK}
			commands = append(slices.DeleteFunc(commands, func(k string) bool { return k == c.Command }), c.Command)
		}
	}
	for _, k := range commands {
		if r := runs[k]; !r.ok && len(calls)-r.n <= maxEnd {
			e.Failed = append(e.Failed, clip.MarkedChars(k, 200)+" => "+clip.MarkedChars(r.line, 200))
		}
	}
	for _, c := range calls[max(0, len(calls)-9):] {
		e.Calls = append(e.Calls, fmt.Sprintf("%s %s %v ok=%t", c.Tool, clip.MarkedChars(c.Command, 100), c.Paths, c.OK))
	}
	e.Open, e.Requests = list.open(), e.Requests[max(0, len(e.Requests)-3):]
	e.Hints, e.Unfinished = hints(e, calls), len(e.Open) > 0 || lastRunFailed(calls)
	if r := []rune(e.Said); len(r) > maxEndWords {
		e.Said = string(r[len(r)-maxEndWords:])
	}
	return e, len(e.Open)+len(e.Failed) > 0
}

// hints lists what in a session's end may have left something: open items, a command that failed, a call that the person
// refused, a plan or a question of the agent at its end.
func hints(e sessionEnd, calls []fold.Call) (out []string) {
	if len(e.Open) > 0 {
		out = append(out, "list")
	}
	if len(e.Failed) > 0 {
		out = append(out, "failed")
	}
	last := calls[max(0, len(calls)-maxEnd):]
	if slices.ContainsFunc(last, func(c fold.Call) bool { return c.Done && c.Kind == fold.Rejected }) {
		out = append(out, "refused")
	}
	if slices.ContainsFunc(last, func(c fold.Call) bool { return c.Tool == "ExitPlanMode" }) {
		out = append(out, "plan")
	}
	asked := slices.ContainsFunc(calls[max(0, len(calls)-1):], func(c fold.Call) bool { return c.Tool == "AskUserQuestion" })
	if lines := strings.Split(strings.TrimSpace(e.Said), "\n"); asked || slices.ContainsFunc(lines[max(0, len(lines)-2):], func(l string) bool { return strings.HasSuffix(strings.TrimRight(l, " *_"), "?") }) {
		out = append(out, "question")
	}
	return out
}

// lastRunFailed reports whether the last command of the session that ran failed, or the last check that ran.
func lastRunFailed(calls []fold.Call) bool {
	command := false // the last command was seen
	for _, c := range slices.Backward(calls) {
		if c.Command == "" || !c.Done || c.Kind.Unmade() {
			continue
		}
		check := slices.ContainsFunc(c.Keys, cmdline.Checks)
		if !c.OK && (check || !command) {
			return true
		}
		if check {
			return false
		}
		command = true
	}
	return false
}

func folded(s *session) *observe.Fold {
	fold := observe.New(root)
	for _, it := range s.items {
		if it.said != "" {
			fold.AddStatement(it.by, it.said)
			continue
		}
		fold.Add(it.record)
	}
	return fold
}

// todos follows an agent's list, apart from the code that is measured.
type todos struct {
	texts   []string
	done    []bool
	numbers map[int]int // the places of the items by their numbers
}

func (t *todos) apply(act event.TodoAct, query string) {
	switch act {
	case event.TodoReplaces:
		*t = todos{}
		for line := range strings.SplitSeq(query, "\n") {
			if item, state := event.TodoLine(line); item != "" {
				t.texts, t.done = append(t.texts, item), append(t.done, state == event.TodoDone)
			}
		}
	case event.TodoAdds:
		n, text := event.TodoItem(query)
		if t.numbers == nil {
			t.numbers = map[int]int{}
		}
		if n == 0 {
			n = len(t.texts) + 1
		}
		t.numbers[n] = len(t.texts)
		t.texts, t.done = append(t.texts, text), append(t.done, false)
	case event.TodoSets:
		var n int
		var state string
		if _, err := fmt.Sscan(query, &n, &state); err != nil || state == event.TodoSame {
			return
		}
		if i, ok := t.numbers[n]; ok {
			t.done[i] = state == event.TodoDone
		}
	}
}

func (t *todos) open() (out []string) {
	for i, text := range t.texts {
		if !t.done[i] {
			out = append(out, text)
		}
	}
	return out
}

func (o leftOptions) run() error {
	labels, err := readLeftLabels(o.labels)
	if err != nil {
		return err
	}
	dirs := o.sessions
	if !o.only {
		dev, err := o.data.Path("agent-sessions", "dev")
		if err != nil {
			return err
		}
		dirs = append([]string{dev}, dirs...)
	}
	var unlabelled []sessionEnd
	total := map[string]*hintScore{}
	for i, dir := range dirs {
		var parse clock
		sessions, err := readSessions(dir, &parse)
		if err != nil {
			return err
		}
		name := "the dataset's development part"
		if o.only || i > 0 {
			name = filepath.Base(dir)
		}
		score := leftScore{verbose: o.verbose, byHint: total}
		for _, s := range sessions {
			e, hint := endOf(s)
			l, known := labels[s.id]
			if !known && (hint || o.all && e.Said != "") {
				unlabelled = append(unlabelled, e)
			}
			w := folded(s).Report().Work
			if !known {
				score.unjudged(s, w)
				continue
			}
			score.add(l, e, w)
		}
		score.settle(sessions)
		fmt.Printf("%s: %d sessions, %s\n", name, len(sessions), score)
	}
	for _, h := range slices.Sorted(maps.Keys(total)) {
		fmt.Printf("%s: %s\n", h, total[h])
	}
	if o.show == "" {
		return nil
	}
	out, err := os.Create(o.show)
	if err != nil {
		return err
	}
	enc := json.NewEncoder(out)
	for _, e := range unlabelled {
		if err := enc.Encode(e); err != nil {
			return errors.Join(err, out.Close())
		}
	}
	return out.Close()
}

func readLeftLabels(path string) (map[string]leftLabel, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read the labels: %w", err)
	}
	out := map[string]leftLabel{}
	for line := range strings.SplitSeq(strings.TrimSpace(string(data)), "\n") {
		var l leftLabel
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			return nil, fmt.Errorf("read the labels: %w", err)
		}
		out[l.Session] = l
	}
	return out, nil
}

// leftScore counts what was found.
type leftScore struct {
	judged, left, found       int // sessions
	shown, shownFound         int // those whose list or last commands have what is left, and not their words alone
	threads, right, forPeople int // threads; forPeople are shown to no agent
	unknown                   int // threads of sessions without a label
	inWords, settled          int // threads of items and of last words, and those that a later session settled
	byHint                    map[string]*hintScore
	verbose                   bool
}

// hintScore counts the sessions whose end has a hint, by what they left, and their threads.
type hintScore struct{ left, found, threads, right int }

func (s hintScore) String() string {
	return fmt.Sprintf("%d of %d, threads %d of %d", s.found, s.left, s.right, s.threads)
}

// count adds a judged session to the scores of its hints. "open or failing" is the condition of a list or a command that failed
// near the end, "unfinished" the stricter one of [sessionEnd].
func (s *leftScore) count(e sessionEnd, left, hit bool, threads, right int) {
	of := slices.Clone(e.Hints)
	if slices.Contains(of, "list") || slices.Contains(of, "failed") {
		of = append(of, "open or failing")
	}
	if e.Unfinished {
		of = append(of, "unfinished")
	}
	for _, h := range append(of, "all") {
		if s.byHint[h] == nil {
			s.byHint[h] = &hintScore{}
		}
		x := s.byHint[h]
		x.threads, x.right = x.threads+threads, x.right+right
		if left {
			x.left++
			if hit {
				x.found++
			}
		}
	}
}

func (s *leftScore) add(l leftLabel, e sessionEnd, w unfinished.Work) {
	s.judged++
	hit, threads, rights := false, 0, 0
	names := func(text string) bool {
		return slices.ContainsFunc(l.Left, func(words string) bool { return strings.Contains(strings.ToLower(text), strings.ToLower(words)) })
	}
	for _, t := range learn.LeftOvers(w) {
		s.threads++
		threads++
		right := names(t.Text)
		if right {
			s.right++
			rights++
			hit = true
			if s.verbose {
				fmt.Printf("  right: %s %.8s: %s\n", l.Repo, l.Session, t.Text)
			}
		} else if s.verbose {
			fmt.Printf("  false: %s %.8s: %s (%s)\n", l.Repo, l.Session, t.Text, l.Why)
		}
		if w.Tainted {
			s.forPeople++
		}
	}
	s.count(e, len(l.Left) > 0, hit, threads, rights)
	if s.verbose { // what a table of several sets is counted from
		fmt.Printf("  judged: %s %s left=%t found=%t threads=%d right=%d unfinished=%t\n", l.Repo, l.Session, len(l.Left) > 0, hit, threads, rights, e.Unfinished)
	}
	if len(l.Left) > 0 {
		s.left++
		shown := slices.ContainsFunc(slices.Concat(e.Open, e.Failed), names)
		if shown {
			s.shown++
		}
		if hit && shown {
			s.shownFound++
		}
		if hit {
			s.found++
		} else if s.verbose {
			fmt.Printf("  missed: %s %.8s %v: %v (%s)\n", l.Repo, l.Session, e.Hints, l.Left, l.Why)
		}
	}
}

// settle counts the threads in words that one of the next sessions of the repository settled by what it did.
func (s *leftScore) settle(sessions []*session) {
	type open struct {
		text, plan string
		of         *session
	}
	var waiting []open
	for _, x := range sessions {
		r := folded(x).Report()
		waiting = slices.DeleteFunc(waiting, func(o open) bool {
			if o.of.repo != x.repo || !r.Done.Settles(o.text) && !r.Done.Answers(o.plan) {
				return false
			}
			s.settled++
			if s.verbose {
				fmt.Printf("  settled: %s %.8s: %s (by %.8s)\n", x.repo, o.of.id, o.text, x.id)
			}
			return true
		})
		for _, t := range learn.LeftOvers(r.Work) {
			plan, waits := strings.CutPrefix(t.Key, "wait:")
			if !waits {
				plan = ""
			}
			if (t.Kind == thread.NextStep || waits) && !r.Work.Tainted {
				s.inWords++
				waiting = append(waiting, open{t.Text, plan, x})
			}
		}
	}
}

// unjudged counts the threads of a session without a label.
func (s *leftScore) unjudged(of *session, w unfinished.Work) {
	for _, t := range learn.LeftOvers(w) {
		s.unknown++
		if s.verbose {
			fmt.Printf("  unjudged: %s %.8s: %s\n", of.repo, of.id, t.Text)
		}
	}
}

// String prints the shares.
func (s leftScore) String() string {
	return fmt.Sprintf("%d judged, %d of %d that left something have a right thread (%d of %d where the list or a last command shows it), %d of %d threads are right (%d for people alone); %d more where nobody judged; %d of %d next steps and waiting ends were settled by a later session",
		s.judged, s.found, s.left, s.shownFound, s.shown, s.right, s.threads, s.forPeople, s.unknown, s.settled, s.inWords)
}

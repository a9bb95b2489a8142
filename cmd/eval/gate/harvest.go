package gate

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"manicule/cmd/internal/evalkit"
	"manicule/memory/gate/junk"
)

// training names the repositories, each with a commit, whose texts the model is fitted to.
//
//go:embed testdata/training.txt
var training string

// example is a text with what it is taken for: a kind of junk, or "" for a memory.
type example struct {
	Text   string    `json:"text"`
	Kind   junk.Kind `json:"kind,omitempty"`
	Repo   string    `json:"repo"`
	weight float64
}

// harvester collects the examples of one repository. The labels come from where a text stands: what git
// prints, lines of a rule file, a heading, a line from within a paragraph, the list under "what was done".
type harvester struct {
	ctx       context.Context
	dir, repo string
	commit    string
	files     []string
	out       []example
}

// harvest returns the examples of all repositories in their order.
func (e *evaluation) harvest(ctx context.Context) ([]example, error) {
	var hs []*harvester
	for line := range strings.Lines(training) {
		repo, commit, _ := strings.Cut(strings.TrimSpace(line), " ")
		hs = append(hs, &harvester{ctx: ctx, repo: repo, commit: commit, dir: filepath.Join(e.repos, strings.Replace(repo, "/", "+", 1), "repo")})
	}
	var wait sync.WaitGroup
	slots := make(chan struct{}, 2)
	for _, h := range hs {
		wait.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			h.run()
		})
	}
	wait.Wait()
	var out []example
	for _, h := range hs {
		out = append(out, h.out...)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("no repository of the training texts in %q", e.repos)
	}
	return out, ctx.Err()
}

func (h *harvester) git(args ...string) string {
	out, err := exec.CommandContext(h.ctx, "git", append([]string{"--git-dir=" + h.dir}, args...)...).Output()
	if err != nil && len(out) == 0 {
		return ""
	}
	return strings.ReplaceAll(strings.ToValidUTF8(string(out), "\uFFFD"), "\r", "")
}

// add takes a text as an example. The text is cut as the labelled ones are.
func (h *harvester) add(kind junk.Kind, text string) {
	text = strings.Trim(text, "\n")
	r := []rune(text)
	if text = string(r[:min(len(r), longestSample)]); strings.TrimSpace(text) != "" {
		h.out = append(h.out, example{Text: text, Kind: kind, Repo: h.repo})
	}
}

// chance is a number that depends on a text alone.
func chance(parts ...string) uint32 {
	f := fnv.New32a()
	for _, p := range parts {
		f.Write([]byte(p))
		f.Write([]byte{0})
	}
	x := f.Sum32()
	x ^= x >> 16
	x *= 0x45d9f3b
	return x ^ x>>16
}

// some returns n of the texts, chosen by their hashes.
func some(texts []string, n int) []string {
	texts = slices.Clone(texts)
	slices.SortStableFunc(texts, func(a, b string) int {
		x, y := chance(a), chance(b)
		switch {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return strings.Compare(a, b)
	})
	return texts[:min(n, len(texts))]
}

func (h *harvester) some(kind junk.Kind, texts []string, n int) {
	for _, t := range some(slices.Compact(texts), n) {
		h.add(kind, t)
	}
}

func (h *harvester) run() {
	h.files = strings.Split(strings.TrimSpace(h.git("ls-tree", "-r", "--name-only", h.commit)), "\n")
	if len(h.files) < 2 {
		return
	}
	h.prints()
	h.traces()
	h.commits()
	for _, group := range []struct {
		match *regexp.Regexp
		most  int
		read  func([]string)
	}{
		{ruleFile, 8, h.rules}, {sessionFile, 10, h.reports}, {document, 12, h.documents}, {changelog, 2, h.changes},
	} {
		var files []string
		for _, f := range h.files {
			if group.match.MatchString(f) && (!sessionFile.MatchString(f) || group.match == sessionFile) {
				files = append(files, f)
			}
		}
		for _, f := range some(files, group.most) {
			text := h.git("show", h.commit+":"+f)
			if len(text) < 1<<20 {
				group.read(strings.Split(text, "\n"))
			}
		}
	}
}

var (
	ruleFile    = regexp.MustCompile(`(?i)(^|/)(CLAUDE|AGENTS|GEMINI|CONTRIBUTING|copilot-instructions|conventions?|style-?guide|coding-?standards?|guidelines)\.(md|rst)$|\.mdc$|(^|/)\.cursorrules$|/adrs?/.*\.md$|/decisions?/.*\.md$`)
	sessionFile = regexp.MustCompile(`(?i)(session|summary|progress|handoff|hand-off|status|report|journal|completed?|implemented|worklog|devlog|recap|changes_made|walkthrough)[^/]*\.md$`)
	changelog   = regexp.MustCompile(`(?i)(^|/)(changelog|changes|history|news|release-?notes)[^/]*\.(md|rst|txt)$`)
	document    = regexp.MustCompile(`(?i)\.(md|mdx|rst)$`)
)

// prints are what git prints.
func (h *harvester) prints() {
	c := h.commit
	cuts := func(kind junk.Kind, text string) {
		h.add(kind, text)
		// People paste a part.
		lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
		if n := len(lines); n > 8 {
			from := int(chance(h.repo, text) % uint32(n-5))
			size := 4 + int(chance(text, h.repo)%10)
			h.add(kind, strings.Join(lines[from:min(n, from+size)], "\n"))
		}
	}
	for _, args := range [][]string{
		{"-3"}, {"-1"}, {"--oneline", "-8"}, {"--oneline", "-2"}, {"--oneline", "--graph", "-8"}, {"--oneline", "--decorate", "-5"}, {"-3", "--stat"}, {"-2", "--name-only"}, {"-2", "--name-status"},
		{"-6", "--format=%h %an %s"}, {"-6", "--format=%h - %s (%an, %ar)"}, {"-6", "--format=%H|%an|%ad|%s"}, {"-6", "--format=- %s (%h)"}, {"-5", "--format=%ad %h %s", "--date=short"}, {"-5", "--format=* %h %s"},
		{"-1", "--format=fuller"}, {"-4", "--format=%h %s%n%n%b"}, {"-5", "--format=%an, %ad: %s", "--date=iso"}, {"-2", "--format=short"}, {"-2", "--format=raw"}, {"-6", "--format=%h%d %s [%an]"}, {"-9", "--format=%H"}, {"-5", "--format=* %s (%an)"},
	} {
		cuts(junk.GitLog, h.git(append(append([]string{"log"}, args...), c)...))
	}
	cuts(junk.GitLog, h.git("shortlog", c+"~12.."+c))
	cuts(junk.GitLog, h.git("shortlog", "-sn", c))
	cuts(junk.GitLog, h.git("shortlog", "-sne", c))
	for i, args := range [][]string{
		{"-U1"}, {"-U0"}, {}, {"--stat"}, {"--numstat"}, {"--shortstat"}, {"--raw"}, {"--word-diff"}, {"--summary"}, {"--dirstat"}, {"-U3", "--no-prefix"}, {"--compact-summary"},
	} {
		cuts(junk.Diff, h.git(append(append([]string{"diff"}, args...), fmt.Sprintf("%s~%d", c, 1+i%3), c)...))
	}
	// Parts of a patch without its heads.
	patch := strings.Split(h.git("diff", "-U3", c+"~4", c, "--", "*.go", "*.ts", "*.py", "*.rs", "*.java", "*.md", "*.js", "*.tsx", "*.yml", "*.json"), "\n")
	var parts []string
	for i := 0; i+12 < len(patch); i += 7 {
		part := patch[i : i+3+int(chance(h.repo, patch[i])%9)]
		signs := 0
		for _, l := range part {
			if strings.HasPrefix(l, "+") || strings.HasPrefix(l, "-") {
				signs++
			}
		}
		if signs >= 2 {
			parts = append(parts, strings.Join(part, "\n"))
		}
	}
	h.some(junk.Diff, parts, 14)
	for _, args := range [][]string{
		{"ls-tree", "-r", "--name-only", c}, {"ls-tree", c}, {"ls-tree", "--name-only", c}, {"ls-tree", "-r", "-l", c}, {"diff", "--name-only", c + "~3", c}, {"diff", "--name-status", c + "~4", c},
		{"grep", "-l", "TODO", c}, {"grep", "-l", "import"}, {"grep", "-c", "test", c, "--", "*.md"},
	} {
		cuts(junk.PathList, h.git(args...))
	}
	for i, f := range some(h.files, 24) { // lists that people and agents write
		group := some(h.files, 24)[i:min(24, len(h.files))]
		group = group[:min(len(group), 2+i%6)]
		style := []string{"%s", "- %s", "- `%s`", "* %s", "M  %s", "?? %s", "./%s", "/home/dev/work/%s", "%s:12", "%s (modified)", "- `%s` (new)", "\tmodified:   %s", "`%s`,"}[chance(f, h.repo)%13]
		var lines []string
		for _, g := range group {
			lines = append(lines, fmt.Sprintf(style, g))
		}
		if len(lines) > 1 {
			h.add(junk.PathList, strings.Join(lines, "\n"))
		}
	}
}

var traceMarks = `Traceback \(most recent call last\)|^goroutine [0-9]+ \[|^\s+at .*[(:][0-9A-Za-z./_-]+:[0-9]+|panicked at|Caused by: |stack backtrace:|#[0-9]+ +0x[0-9a-f]+ in |^\s+File "[^"]+", line [0-9]+|==[0-9]+== +(at|by) 0x|^\s+from .*:[0-9]+:in |^\s+\([a-z_]+ [0-9.]+\) .*\.exs?:[0-9]+`

// traces are the blocks of text around lines that only stack traces have.
func (h *harvester) traces() {
	found := h.git("grep", "-n", "-I", "-E", "--max-count=3", traceMarks, h.commit, "--", "*.md", "*.mdx", "*.rst", "*.txt", "*.log", "*.out", "*.golden", "*.snap", "*.stderr", "*.expected", "*.json", "*.pyi", "*test*.py", "*Test*.java", "*test*.rb", "*.exs", "*.yml", "*.yaml", "*.ipynb")
	hits := strings.Split(found, "\n")
	byFile := map[string][]int{}
	var files []string
	for _, hit := range hits {
		p := strings.SplitN(hit, ":", 4)
		if len(p) < 4 {
			continue
		}
		var n int
		if _, err := fmt.Sscan(p[2], &n); err != nil || len(p[3]) > 400 {
			continue
		}
		if byFile[p[1]] == nil {
			files = append(files, p[1])
		}
		byFile[p[1]] = append(byFile[p[1]], n)
	}
	frame := regexp.MustCompile(traceMarks)
	for _, f := range some(files, 8) {
		lines := strings.Split(h.git("show", h.commit+":"+f), "\n")
		until := -1
		for _, n := range byFile[f] {
			if n-1 <= until || n > len(lines) {
				continue
			}
			from, to := n-1, n-1
			ends := func(l string) bool {
				return strings.TrimSpace(l) == "" || strings.HasPrefix(strings.TrimSpace(l), "```")
			}
			for from > 0 && n-1-from < 3 && !ends(lines[from-1]) {
				from--
			}
			for to+1 < len(lines) && to-from < 18 && !ends(lines[to+1]) {
				to++
			}
			until = to
			part := lines[from : to+1]
			frames := 0
			for _, l := range part {
				if frame.MatchString(l) {
					frames++
				}
			}
			if len(part) < 2 || frames*5 < len(part) {
				continue
			}
			h.add(junk.StackTrace, strings.Join(part, "\n"))
			if len(part) > 6 {
				h.add(junk.StackTrace, strings.Join(part[len(part)/2:], "\n"))
			}
		}
	}
}

var (
	headingLine = regexp.MustCompile(`^#{1,6} `)
	numbered    = regexp.MustCompile(`^(?:\d+(?:\.\d+)*[.):]?|[A-Z]\.|(?:Step|Phase|Task|Part) \d+[:.]?)\s+`)
	bullet      = regexp.MustCompile(`^\s*(?:[-*+•]|\d+[.)])\s+`)
	fence       = regexp.MustCompile("^\\s*(?:```|~~~)")
	linkOnly    = regexp.MustCompile(`^(?:[-*+]\s+|\d+[.)]\s+)?\**\[[^\]]*\]\([^)]*\)\**[.,]?$`)
	order       = regexp.MustCompile(`(?i)^(?:use|run|never|avoid|prefer|keep|do|don't|add|no|ask|write|always|only|make|set|check|follow|test|see|read|put|call|return|throw|handle|format|lint|update|create|commit|push|pull|open|stop|start|install|build|fix|review|document|validate|verify|include|name|import|export|ignore|skip|log|mock|cache)\b`)
	// What tells of work done.
	past     = regexp.MustCompile(`^(?:\W*)(?i:successfully )?(?:[A-Z][a-z]+ed|Built|Ran|Wrote|Made|Found|Got|Rewrote|Brought|Kept|Took|Chose|Gave)\b`)
	passive  = regexp.MustCompile(`(?i)\b(?:was|were|has been|have been|had been|is now|are now|now)\s+\w+(?:ed|lt|n)\b|\b(?:I|we)(?:'ve| have)?\s+(?:also )?\w+ed\b|\b\d+ (?:tests|checks|files|specs)\b.*\b(?:pass|changed|green|added)|✅|☑`)
	lasting  = regexp.MustCompile(`(?i)\b(?:must|should|never|always|because|do not|don't|cannot|can't|unless|when|if|requires?|needs?)\b`)
	behaves  = regexp.MustCompile(`(?i)\b(?:where|now (?:raises|returns|throws|requires|accepts|uses|defaults)|no longer|deprecated|previously|instead of)\b`)
	doneHead = regexp.MustCompile(`(?i)\b(?:what (?:was|we|i) (?:did|done|changed|built|implemented)|completed|accomplish|changes(?: made)?|implemented|summary|done|delivered|work performed|results?|files (?:changed|modified|created)|progress|achievements?|deliverables|fixe[sd])\b`)
	openHead = regexp.MustCompile(`(?i)\b(?:next|todo|to do|remaining|future|open|recommend|lesson|learn|decision|rule|how to|usage|require|risk|known|issue)`)
	sentence = regexp.MustCompile("(?:^|[.!?] )[A-Z`][^.!?\\n]{12,180}(?:\\.[a-z][^.!?\\n]{0,80})*\\.(?: |$)")
	// What refers to a sentence before it.
	leaning = regexp.MustCompile(`^(?:This|That|These|Those|It|They|He|She|However|Also|But|And|So|Then|Thus|Here|For example|See|In this|In addition|Instead|Otherwise|If so|Once|Next|First|Second|Finally|Both|Each|Similarly|Note)\b`)
	stopped = regexp.MustCompile(`[.!?。！？]["')*_]*$`)
)

// adjective is a sentence about what has been done to its subject, such as "Expired tokens are refused".
var adjective = regexp.MustCompile(`^\W*[A-Z][a-z]+ed (?:[\w.'` + "`" + `-]+ ){1,5}(?:is|are|was|were|must|should|can|cannot|may|will|do|does|don't|doesn't|has|have|needs?|live|lives|go|goes|get|gets|take|takes|come|comes|run|runs|use|uses)\b`)

// told reports whether a text begins with what somebody did.
func told(t string) bool { return past.MatchString(t) && !adjective.MatchString(t) }

// block is a run of lines without an empty one.
type block struct {
	lines   []string
	heading string
}

// blocks splits a document outside of fenced code, and calls code for each fenced part.
func blocks(lines []string, code func(lang string, lines []string)) (out []block) {
	var now block
	heading := ""
	flush := func() {
		if len(now.lines) > 0 {
			now.heading = heading
			out = append(out, now)
		}
		now = block{}
	}
	for i := 0; i < len(lines); i++ {
		l := lines[i]
		switch {
		case fence.MatchString(l):
			flush()
			from := i + 1
			for i++; i < len(lines) && !fence.MatchString(lines[i]); i++ {
			}
			if code != nil && i < len(lines) {
				code(strings.Trim(strings.TrimSpace(l), "`~"), lines[from:i])
			}
		case strings.TrimSpace(l) == "":
			flush()
		case headingLine.MatchString(l):
			flush()
			heading = l
		default:
			now.lines = append(now.lines, l)
		}
	}
	flush()
	return out
}

func count(s string) int { return len(strings.Fields(s)) }

// items returns the bullets of a block with the lines that go on.
func items(b block) (out [][]string) {
	for _, l := range b.lines {
		if bullet.MatchString(l) || len(out) == 0 {
			out = append(out, []string{l})
		} else {
			out[len(out)-1] = append(out[len(out)-1], l)
		}
	}
	return out
}

// rules takes what a rule file says for memories.
func (h *harvester) rules(lines []string) {
	var texts, groups []string
	for _, b := range blocks(lines, nil) {
		text := strings.Join(b.lines, "\n")
		first := strings.TrimSpace(b.lines[0])
		switch {
		case strings.HasPrefix(first, "|"), strings.HasPrefix(first, "<"), first == "---", linkOnly.MatchString(first), strings.HasPrefix(first, ".. "), doneHead.MatchString(b.heading) && told(first):
			continue
		case !bullet.MatchString(first):
			if count(text) >= 6 && !strings.HasSuffix(strings.TrimSpace(text), ":") && (stopped.MatchString(strings.TrimSpace(text)) || len(b.lines) > 1) && !strings.Contains(text, "|--") && !strings.Contains(text, "├") {
				texts = append(texts, text)
			}
			continue
		}
		all := items(b)
		for _, item := range all {
			t := strings.TrimSpace(bullet.ReplaceAllString(strings.Join(item, "\n"), ""))
			if !usable(t) {
				continue
			}
			if chance(t)%4 == 0 {
				t = strings.TrimSpace(strings.Join(item, "\n"))
			}
			texts = append(texts, t)
		}
		if len(all) >= 2 && len(all) <= 9 && usable(bullet.ReplaceAllString(all[0][0], "")) {
			groups = append(groups, text)
		}
	}
	h.some("", texts, 24)
	h.some("", groups, 10)
}

// usable reports whether the text of a bullet may say something by itself.
func usable(t string) bool {
	return (count(t) >= 5 || count(t) >= 3 && order.MatchString(t) || junkless(t)) && !strings.HasSuffix(t, ":") && !linkOnly.MatchString(t) && !told(t) && !strings.Contains(t, "](#")
}

// junkless reports whether a text is in a script without spaces.
func junkless(t string) bool {
	return len(t) > 12 && strings.IndexFunc(t, func(r rune) bool { return r > 0x2e80 }) >= 0
}

// reports takes what tells of done work in the documents of sessions for accounts.
func (h *harvester) reports(lines []string) {
	var texts, groups []string
	for _, b := range blocks(lines, nil) {
		text := strings.Join(b.lines, "\n")
		if strings.HasPrefix(text, "|") || lasting.MatchString(text) && len(b.lines) == 1 {
			continue
		}
		done := doneHead.MatchString(b.heading) && !openHead.MatchString(b.heading)
		accounts := 0
		all := items(b)
		for _, item := range all {
			t := strings.TrimSpace(bullet.ReplaceAllString(strings.Join(item, "\n"), ""))
			if (told(t) || passive.MatchString(t) && !adjective.MatchString(t)) && !lasting.MatchString(t) {
				accounts++
				if count(t) > 2 {
					if chance(t)%2 == 0 {
						t = strings.TrimSpace(strings.Join(item, "\n"))
					}
					texts = append(texts, t)
				}
			}
		}
		if len(all) > 1 && len(all) < 12 && (accounts*2 >= len(all) || done && accounts > 0) && count(text) > 6 {
			groups = append(groups, text)
			if chance(text)%3 == 0 {
				groups = append(groups, b.heading+"\n"+text)
			}
		}
	}
	h.some(junk.Session, texts, 10)
	h.some(junk.Session, groups, 8)
	h.fragments(lines, 8)
}

// commits takes what people and agents tell of a commit's work for accounts.
func (h *harvester) commits() {
	var texts, groups []string
	for body := range strings.SplitSeq(h.git("log", "-300", "--format=%b%x00", h.commit), "\x00") {
		for _, b := range blocks(strings.Split(strings.TrimSpace(body), "\n"), nil) {
			text, accounts := strings.Join(b.lines, "\n"), 0
			all := items(b)
			for _, item := range all {
				t := strings.TrimSpace(strings.Join(item, "\n"))
				if told(bullet.ReplaceAllString(t, "")) && !lasting.MatchString(t) && count(t) > 3 && !strings.Contains(t, "-by: ") {
					accounts++
					texts = append(texts, t)
				}
			}
			if len(all) > 1 && len(all) < 10 && accounts*2 >= len(all) {
				groups = append(groups, text)
			}
		}
	}
	h.some(junk.Session, texts, 6)
	h.some(junk.Session, groups, 3)
}

// changes takes what a changelog says of how the code behaves for memories.
func (h *harvester) changes(lines []string) {
	var texts []string
	for _, b := range blocks(lines, nil) {
		for _, item := range items(b) {
			t := strings.TrimSpace(bullet.ReplaceAllString(strings.Join(item, "\n"), ""))
			if count(t) > 6 && (behaves.MatchString(t) || lasting.MatchString(t)) {
				texts = append(texts, t)
			}
		}
	}
	h.some("", texts, 8)
}

// documents takes parts of any document for fragments, its listings for outputs, and whole sentences for memories.
func (h *harvester) documents(lines []string) {
	h.fragments(lines, 14)
	h.sentences(lines)
}

// sentences takes sentences that stand by themselves, half of them without their full stop, as people write.
func (h *harvester) sentences(lines []string) {
	var texts, adjectives []string
	for _, b := range blocks(lines, nil) {
		first := strings.TrimSpace(b.lines[0])
		if strings.HasPrefix(first, "|") || strings.HasPrefix(first, "<") || strings.HasPrefix(first, ".. ") {
			continue
		}
		var parts []string
		for _, item := range items(b) {
			parts = append(parts, strings.Join(strings.Fields(bullet.ReplaceAllString(strings.Join(item, "\n"), "")), " "))
		}
		for _, p := range parts {
			for _, s := range sentence.FindAllString(p, -1) {
				s = strings.TrimSpace(strings.TrimLeft(s, ".!? "))
				if n := count(s); n < 4 || n > 24 || leaning.MatchString(s) || told(s) {
					continue
				}
				if chance(s)%2 == 0 {
					s = strings.TrimRight(s, ".")
				}
				if adjective.MatchString(s) {
					adjectives = append(adjectives, s)
					continue
				}
				texts = append(texts, s)
			}
		}
	}
	h.some("", texts, 8)
	h.some("", adjectives, 6)
}

func (h *harvester) fragments(lines []string, most int) {
	var heads, names, labels, cut, code, outputs, paths []string
	for _, l := range lines {
		if headingLine.MatchString(l) && count(l) < 9 {
			heads = append(heads, l)
			name := strings.TrimSpace(numbered.ReplaceAllString(strings.TrimLeft(l, "# "), ""))
			if !order.MatchString(name) && !told(name) && !strings.ContainsAny(name, "?!.") && count(name) > 1 {
				names = append(names, name)
			}
		}
	}
	for _, b := range blocks(lines, func(lang string, lines []string) {
		var some []string
		for _, l := range lines {
			if strings.TrimSpace(l) != "" {
				some = append(some, l)
			}
		}
		text := strings.Join(some, "\n")
		switch {
		case len(some) < 1:
		case strings.ContainsAny(text, "├└") && len(some) > 2:
			paths = append(paths, text)
		case lang == "text" || lang == "" || lang == "console" || lang == "log" || lang == "output":
			if kind, found := junk.Find(text); found && kind == junk.Output {
				outputs = append(outputs, text)
			}
		case lang != "bash" && lang != "sh" && lang != "shell" && lang != "markdown" && lang != "md":
			l := strings.TrimSpace(some[int(chance(text))%len(some)])
			if !strings.HasPrefix(l, "//") && !strings.HasPrefix(l, "#") || count(l) < 5 {
				code = append(code, l)
			}
		}
	}) {
		for i, l := range b.lines {
			t := strings.TrimSpace(l)
			body := strings.TrimSpace(bullet.ReplaceAllString(t, ""))
			switch {
			case strings.HasPrefix(t, "|"):
				if chance(t)%3 == 0 {
					labels = append(labels, t)
				}
			case linkOnly.MatchString(t):
				labels = append(labels, t)
			case strings.HasSuffix(t, ":") && count(t) < 12:
				labels = append(labels, t)
			case bullet.MatchString(l):
				if n := count(body); n <= 2 && !order.MatchString(body) && !junkless(body) && !stopped.MatchString(body) {
					labels = append(labels, body)
				}
			case len(b.lines) >= 3 && i > 0 && i < len(b.lines)-1 && count(t) > 4 && len(t) > 40 && !bullet.MatchString(b.lines[i+1]):
				before := strings.TrimSpace(b.lines[i-1])
				if !strings.ContainsAny(before[len(before)-1:], ".:;!?|") && !strings.ContainsAny(t[len(t)-1:], ".:;!?|") && strings.IndexAny(b.lines[i+1][:1], "abcdefghijklmnopqrstuvwxyz") == 0 {
					cut = append(cut, t)
				}
			case len(b.lines) >= 2 && i == 0 && len(t) > 50 && !bullet.MatchString(b.lines[1]):
				if next := strings.TrimSpace(b.lines[1]); next[0] >= 'a' && next[0] <= 'z' && !strings.ContainsAny(t[len(t)-1:], ".:;!?|") {
					cut = append(cut, t)
				}
			}
		}
	}
	h.some(junk.Fragment, heads, most/3)
	h.some(junk.Fragment, names, most/3)
	h.some(junk.Fragment, labels, most/3)
	h.some(junk.Fragment, cut, most/3)
	h.some(junk.Fragment, code, most/6)
	h.some(junk.Output, outputs, 3)
	h.some(junk.PathList, paths, 2)
}

// keptTexts reads examples from a file, or makes them and writes them there if it does not exist.
func (e *evaluation) keptTexts(ctx context.Context, name string) (out []example, err error) {
	if name != "" {
		if out, err = evalkit.ReadLines[example](name); !errors.Is(err, fs.ErrNotExist) {
			return out, err
		}
	}
	if out, err = e.harvest(ctx); err != nil || name == "" {
		return out, err
	}
	var b strings.Builder
	for _, x := range out {
		line, err := json.Marshal(x)
		if err != nil {
			return nil, fmt.Errorf("write %s: %w", name, err)
		}
		b.Write(append(line, '\n'))
	}
	return out, os.WriteFile(name, []byte(b.String()), 0o644)
}

package unfinished

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"manicule/hooks/observe/fold"
	"manicule/hooks/observe/wording"
	"manicule/memory/gate/injection"
)

// Limits of what an agent's last message leaves.
const (
	maxWords     = 3 // threads of one message
	maxUnderHead = 3 // items below a heading
	minWordsText = 12
)

// lastWords lists what an agent's last message says is left, in its words: what stands below a heading like "Remaining",
// sentences like "… is not wired up yet", checks that still run, and work that was put aside. A message that offers more work, reports what was
// found in somebody else's, or tells how to use the result leaves nothing.
func lastWords(text string) (out []string) {
	if text == "" || strings.HasPrefix(strings.TrimSpace(text), "{") || wording.Injected(text) || injection.Find(text) != "" {
		return nil
	}
	m := lastMessage{lines: wording.Prose(text)}
	add := func(s string) {
		s = wording.OneLine(strings.TrimSpace(strings.TrimRight(heading().ReplaceAllString(s, ""), " .")), wording.MaxQuoted)
		if len([]rune(s)) >= minWordsText && len(out) < maxWords && !slices.ContainsFunc(out, func(o string) bool { return wording.SameLetters(o, s) }) {
			out = append(out, s)
		}
	}
	for i := 0; i < len(m.lines); i++ {
		m.noteRequest(m.lines[i])
		if items := m.below(i); len(items) > 0 {
			for _, item := range items {
				add(item)
			}
			i += len(items)
			continue
		}
		for _, s := range wording.Clauses(m.lines[i]) {
			switch {
			case putAside().MatchString(s):
				if at := putAside().FindStringIndex(s)[0]; at > wording.MaxQuoted/2 { // what comes before says why
					s = strings.TrimLeft(s[strings.LastIndex(s[:at], ", ")+1:], " ")
				}
				add(s)
			case excused().MatchString(s) || strings.HasSuffix(s, "?") || strings.Count(s, "`")%2 != 0: // or cut inside of code
			case goesOn().MatchString(s) && !noneGoesOn().MatchString(s):
				add(m.named(s))
			case undone().MatchString(s) && !noneLeft().MatchString(s) && !about().MatchString(s) && !usage().MatchString(nextStep().ReplaceAllString(s, "")):
				add(m.withItem(s, i))
			}
		}
	}
	return out
}

// announcedChange returns the change that the agent announced in its last words, if the session ended in the middle of it; "" for
// none. What it was only to look at, to run or to commit is no loss.
func announcedChange(ses *fold.Session) string {
	for _, s := range slices.Backward(ses.Said) {
		if s.Agent != "" || wording.OfProgram(s.Text) {
			continue
		}
		lines := wording.Prose(s.Text)
		if len(lines) == 0 || wording.Injected(s.Text) || injection.Find(s.Text) != "" {
			return ""
		}
		last := strings.TrimRight(wording.Mark().ReplaceAllString(lines[len(lines)-1], ""), " :")
		parts := wording.Clauses(last)
		if len(parts) == 0 || !changes().MatchString(parts[len(parts)-1]) || commits().MatchString(parts[len(parts)-1]) {
			return ""
		}
		said := parts[len(parts)-1]
		if len(parts) > 1 && len(said) < 40 { // it needs what is before it
			said = parts[len(parts)-2] + ". " + said
		}
		return wording.OneLine("Broke off at: "+strings.TrimRight(said, "."), wording.MaxQuoted)
	}
	return ""
}

// lastMessage is an agent's last message.
type lastMessage struct {
	lines   []string // of prose
	request string   // the pull request that was named last, "" for none
}

// noteRequest notes the pull request that a line names.
func (m *lastMessage) noteRequest(line string) {
	if all := requestNumber().FindAllStringSubmatch(line, -1); len(all) > 0 {
		m.request = all[0][1] + all[0][2]
	}
}

// named returns a sentence about checks with the pull request whose checks they are.
func (m lastMessage) named(s string) string {
	if m.request == "" || strings.Contains(s, m.request) {
		return s
	}
	return "PR #" + m.request + ": " + s
}

// withItem returns a sentence of a line, together with the item below it if it announces one.
func (m lastMessage) withItem(s string, line int) string {
	said := strings.TrimRight(s, " *_")
	switch {
	case !strings.HasSuffix(said, ":"):
		return s
	case line+1 < len(m.lines) && wording.ListItem().MatchString(m.lines[line+1]):
		return s + " " + wording.Mark().ReplaceAllString(m.lines[line+1], "")
	}
	return strings.TrimRight(said, " :")
}

// below returns the items below a line that is a heading for what is left, and what a line of the form "Remaining: X" has behind it.
func (m lastMessage) below(i int) (out []string) {
	line := strings.Trim(wording.Mark().ReplaceAllString(m.lines[i], ""), " ")
	head, rest, colon := strings.Cut(line, ":")
	if n := strings.LastIndex(head, ". "); n >= 0 {
		head = head[n+2:]
	}
	heading := strings.HasPrefix(m.lines[i], "#") || strings.HasPrefix(m.lines[i], "**") && strings.HasSuffix(m.lines[i], "**")
	if !colon && !heading || !leftHead().MatchString(strings.TrimSpace(head)) && !wording.AsksToRun().MatchString(head) || optional().MatchString(head) {
		return nil
	}
	if rest = strings.TrimSpace(rest); rest != "" {
		if !nothing().MatchString(rest) && !optional().MatchString(rest) && !usesResult(rest) {
			out = append(out, strings.TrimSpace(head)+": "+rest)
		}
		return out
	}
	for _, next := range m.lines[i+1:] {
		if len(out) == maxUnderHead || !wording.ListItem().MatchString(next) {
			break
		}
		item := strings.TrimSpace(strings.TrimPrefix(wording.Mark().ReplaceAllString(next, ""), "[ ]"))
		if nothing().MatchString(item) || optional().MatchString(item) {
			break
		}
		if usage().MatchString(item) || doneItem().MatchString(item) {
			continue
		}
		out = append(out, item)
	}
	return out
}

// usesResult reports whether what stands behind a heading tells a person how to use the result: "Refresh the page", and not "Refresh
// token rotation".
func usesResult(text string) bool {
	return usage().MatchString(text) && (strings.HasPrefix(strings.ToLower(text), "double-click") || regexp.MustCompile(`(?i)^\W*try \w+ing\b|^\W*(?:\w+)(?: to| on)?\s+(?:the (?:page|browser|app|site|url|link|file|window|dev|server)|your|it\b|https?:|localhost|\x60|here\b)`).MatchString(text))
}

var (
	requestNumber = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)(?:\bPR |\bpull request |\bMR |\[(?:[^\]\n]*#)?)#?(\d+)\b|/(?:pull|merge_requests)/(\d+)`)
	})
	// leftHead matches a heading for what is left, in the languages that were seen.
	leftHead = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)^\W*(?:(?:what(?:'s| is) (?:still )?|still |the )?(?:remaining|left|open|missing|outstanding|pending)(?: [^:]{0,40}\bnot \w+| (?:work|steps?|tasks?|items?|issues?|questions?|points?|todos?|gaps?|to do|for later))?` +
			`|(?:the )?(?:immediate |required )?(?:in )?(?:the |our )?next (?:steps?|actions?|up|session|thread|phase|changes?)(?: \([^)]*\)|,? (?:we will|we'll|i will|i'll) [^:]*)?|(?:the )?first (?:actions?|steps?|tasks?|thing to do) (?:of|in|for) (?:the )?next session|left to do|to-?dos?|(?:what(?:'s| is) )?not (?:yet )?(?:done|implemented|finished|covered|tested|verified)(?: yet)?|unfinished|deferred(?: items)?|follow-?ups?(?: needed)?|still (?:open|to do|needed|needs)\b.{0,40}|action (?:items|required)` +
			`|próximos passos|pendente|pendências|falta fazer|próximos pasos|pendientes?|prochaines étapes|reste à faire|nächste schritte|noch offen|offene punkte|残り(?:の作業|のタスク)?|残タスク|次のステップ|未対応|下一步|待办(?:事项)?|剩余(?:任务|工作)?)\W*$`)
	})
	optional = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\boptional\b|\bif (?:you|needed|desired|wanted)\b|\bsuggest|\brecommend|\bpick one\b|\bpossible\b|\bcould\b|\bideas?\b|\bconsider\b|\bopcional|\boptionnel|任意`)
	})
	nothing = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)^\W*(?:none|nothing|n/?a|no |zero\b|0\b|all (?:done|clear)|—|-$|なし|無し|无)`)
	})
	// usage matches how the result is used.
	usage = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)^\W*(?:open|review the|visit|go to|navigate to|refresh|restart|reload|try|start the (?:dev )?server|enjoy|(?:double-)?click)\b`)
	})

	// heading matches what a line says of itself that is shown as a next step.
	heading = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)^next steps?:\s+`) })
	// nextStep matches how a sentence names the next step.
	nextStep = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)^(?:the )?next step is to\s+`) })

	// doneItem matches an item that says what was done, or describes the step before it.
	doneItem = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)^\W*(?:\w+ed\b|(?:command|description|agents?|note|why):?\b|\[x\]|when |after |✅)|\bcompleted?$|\bdone$`)
	})

	// goesOn matches checks that run at the end.
	goesOn = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)(?:\bCI\b|\bchecks?\b|\bjobs\b|\b(?:hosted|matrix|platform|workflow|release|CI|validation|benchmark|measurement) run\b|\bre-?measurement\b|\brerun\b|\bworkflow\b|\bpipeline\b|\bsuite\b)[^.;]{0,60}` +
			`(?:\b(?:is|are|remains?|still|was|were)\b[^.;,]{0,20}\b(?:running|pending|queued|in[ _-]progress)\b|\bhas not (?:reported|started|finished)|\b(?:pending|queued)\b)`)
	})
	noneGoesOn = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\b(?:no|none|nothing|zero|0|not|without)\b[^,;.]{0,25}\b(?:pending|running|queued)\b|\b(?:if|when|while|whether|once|can|may|might|could|will)\b|\bserver\b|\x60(?:queued|running|pending)\x60`)
	})
	// changes matches the announcement of a change.
	changes = sync.OnceValue(func() *regexp.Regexp {
		verbs := `(?:updat|rewrit|add|implement|fix|creat|writ|refactor|retry|mov|mak|convert|replac|remov|renam|migrat|extract|wir|adapt|restructur|port|split)`
		return regexp.MustCompile(`(?i)^(?:(?:now|next|then|so|okay|ok|good|great)[,!:]? +)?(?:(?:let me|let's|i'll|i will|i need to|i'm going to) (?:\w+ ){0,3}?` + verbs + `|starting with [^:]*: ` + verbs + `(?:t|p|d)?ing\b|(?:i'm )?(?:now )?` + verbs + `(?:t|p|d)?ing\b|(?:let me|i'll)\b.*\bthen (?:i'll )?.*\b` + verbs + `)`)
	})
	commits = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\b(?:commit|push|task statuses|todos?|to-do list|summary)\b`)
	})
	// undone matches a sentence that says that something is left.
	undone = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\bnot (?:been )?(?:\w+ )?\w+(?:ed|en|un|one)(?:/\w+)? (?:\w+ )?yet\b|\bnot yet (?:been )?(?:\w+ )?\w+(?:ed|t|n)\b|\b(?:hasn't|haven't|isn't|aren't) (?:been )?(?:\w+ )?\w+ yet\b` +
			`|\bstill (?:needs?|has|have) to be \w+|\bstill needs\b|\bstill (?:fails?|failing|broken|missing|unverified|uncommitted|unresolved|blocked|pending)\b|\bstill to (?:do|be)\b|\bremains? (?:to be \w+|uncommitted|unverified|unresolved|unimplemented|untested|incomplete|unfinished|blocked)\b` +
			`|\bcurrently fail(?:s|ing)?\b|\b(?:must|has to|have to|needs? to) be (?:merged|released|deployed|installed|published|applied|rotated|reviewed|approved|configured|set|run)(?:/\w+)?[^.]{0,30} before\b|\bneeds? (?:your |explicit |an? )+(?:approval|decision|confirmation|review)\b|^you'll need to run [^.]*(?:yourself|directly|in your|manually)|\b(?:blocked|held) (?:on|until)\b|\b(?:waiting|waits|awaiting) (?:for |on )?(?:your|you|approval|review)\b` +
			`|^(?:the )?next step is to\b|\bplease (?:run|perform|execute)\b|を実行してください|まだ.{0,20}(?:ていません|てない|未)|未(?:実装|対応|完了|コミット)|尚未|还没有?|noch nicht \w+|steht noch aus|ainda (?:não|falta)|falta (?:implementar|testar|rodar)|pas encore|reste à \w+|todavía no|falta por`)
	})
	// putAside matches changes that are to be taken back.
	putAside = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\bstash(?:ed)?\b.{0,80}\b(?:pop|restore|apply|bring)\b`)
	})
	// excused matches what is not the session's own work, or was left on purpose.
	excused = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\bpre-?existing\b|\bunrelated\b|\buntouched\b|\bas before\b|\bas-is\b|\bunchanged\b|\bintentional|\bon purpose\b|\balready\b|\bno longer\b|\bused to\b|\bpreviously\b|\bno action\b|\bbefore (?:this|the) (?:fix|change)\b`)
	})
	// about matches a condition, a rule or what a program does.
	about = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\b(?:if|when|whenever|unless|while|because)\b.{0,60}\b(?:not yet|still|yet)\b|\bshould\b|\bwould\b|\bso that\b|\bonce (?:we|you|it)\b|\bresidual risk\b|\bflagged\b|\bmarked\b|^\W*\w+ed [^.]*:|\b(?:your|further|next) (?:input|instructions?|reply|message|command)\b|^(?:fixed|added|removed|replaced|updated|changed|implemented|refactored)\b`)
	})
)

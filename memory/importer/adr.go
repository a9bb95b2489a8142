package importer

import (
	"path"
	"strings"
	"unicode/utf8"

	"manicule/memory/file"
	"manicule/memory/lazyregexp"
)

// The headings of a decision record in the formats of Nygard and MADR.
var (
	decisionHead    = lazyregexp.New(`(?i)^(?:decision(?: outcome)?|decision made|the decision|resolution|outcome|we decided|what we decided)$`)
	contextHead     = lazyregexp.New(`(?i)^(?:context.*|problem(?: statement)?|background|motivation|issue|why)$`)
	consequenceHead = lazyregexp.New(`(?i)^(?:(?:\w+ )?consequences|implications|trade-?offs|rationale|justification)$`)
	statusHead      = lazyregexp.New(`(?i)^status$`)
	statusLine      = lazyregexp.New(`(?im)^\W*status\W*?[:|]\W*(\w[^|\n]*)`)
	recordNumber    = lazyregexp.New(`(?i)^(?:adr[-–— ]*)?\d+\s*(?:[.:)–—-]\s*)+|^adr\s*[:–—-]?\s*\d+\s*[:–—-]?\s*`)
	accepted        = lazyregexp.New(`(?i)^\W*(?:accepted|approved|adopted|implemented|active|decided|done|final|complete|ratified|in (?:force|effect|use)|current)`)
	supersedes      = lazyregexp.New(`(?i)\b(?:supersedes|replaces)\b`)
	listMark        = lazyregexp.New(`^(?:- |\d+\. )`)
	recordLink      = lazyregexp.New(`\]\(([^)\s#]+\.md)(?:#[^)]*)?\)`)
)

// record holds the parts of a decision record.
type record struct {
	title, status, decision, context, consequences string
	options                                        map[string]string
	line                                           int
}

// readDecision makes one decision from an accepted record. It drops other records with their status
// as the reason.
func readDecision(src Source, text string, opts Options, rep *Report) []Chunk {
	doc := parseDocument(text)
	r := readRecord(doc)
	switch {
	case r.decision == "" && r.status == "":
		rep.drop(src.Path, r.line, "no decision record", r.title)
		return nil
	case r.status != "" && !accepted.MatchString(r.status):
		rep.drop(src.Path, r.line, "record "+statusWord(r.status), r.title)
		return nil
	case undecided.MatchString(r.decision), r.decision == "" && (r.title == "" || words(r.title) <= bareTitle):
		rep.drop(src.Path, r.line, "no decision record", r.status)
		return nil
	}
	scope := scopeOf(src, doc.meta)
	what, rest := decisionText(r)
	var why []string
	for _, s := range []string{rest, labelled("Context", shorten(r.context, 700)), labelled("Consequences", shorten(r.consequences, 600))} {
		if s != "" {
			why = append(why, s)
		}
	}
	return []Chunk{{
		Type: file.Decision, What: what, Why: clip(strings.Join(why, "\n"), maxWhy), Scope: scope,
		Tags: unique(append(doc.meta.tags, "adr")), Label: clip(r.title, 100), Relations: replaced(src, text, opts),
		Origin: file.ImportOrigin{File: src.Path, Heading: r.title, Line: r.line, Key: keyOf("decision", r.title+"\n"+r.decision, scope)},
	}}
}

// bareTitle is the number of words up to which a title alone tells no decision.
const bareTitle = 4

// undecided matches a decision that is still a proposal, or that names only the present state.
var undecided = lazyregexp.New(`(?i)^\W*(?:proposed\b|proposal\b|tbd\b|to be decided|none yet|(?:chosen option:?\s*)?\W*keep (?:the )?(?:as is|current\b.{0,40}(?:above|below))|see (?:above|below))`)

func statusWord(status string) string {
	w := strings.ToLower(strings.Trim(strings.Fields(status + " ?")[0], ".,;:*_~("))
	if len(w) > 20 {
		return "not accepted"
	}
	return w
}

func labelled(name, s string) string {
	if s == "" {
		return ""
	}
	return name + ": " + s
}

func shorten(s string, n int) string { return clip(strings.TrimSpace(s), n) }

// decisionText returns the title with the decision's first sentence.
func decisionText(r record) (what, rest string) {
	r.decision = unreasoned.ReplaceAllString(r.decision, "")
	lead, body, _ := strings.Cut(r.decision, "\n")
	if strings.HasSuffix(lead, ":") && words(lead) < 8 {
		next, more, _ := strings.Cut(body, "\n")
		lead, body = lead+" "+listMark.ReplaceAllString(next, ""), more
	}
	first, more := sentence(oneLine(listMark.ReplaceAllString(lead, "")))
	if option, ok := chosen(first); ok {
		first = r.options[option] // without it, the title says more than a number
	}
	first, more = strings.TrimSuffix(first, ":"), strings.TrimSpace(more+"\n"+body)
	switch {
	case r.title == "":
		what, rest = split(oneLine(r.decision))
	case first == "" || strings.EqualFold(first, r.title):
		what, rest = r.title, more
	default:
		what, rest = strings.TrimRight(r.title, ".")+": "+first, more
	}
	if utf8.RuneCountInString(what) > maxWhat {
		return atClause(what), shorten(r.decision, 900)
	}
	return what, shorten(rest, 900) // what the first sentence says is not said again
}

// unreasoned matches a reason that only points to another part of the record.
var unreasoned = lazyregexp.New(`(?i),?\s+because (?:it )?(?:comes out best|it is the best option|of the reasons)?\s*\((?:see )?below\)|,?\s+because (?:it )?comes out (?:the )?best|\s*\(see below\)`)

// readRecord assigns the blocks of a record to its parts by their headings.
func readRecord(doc document) record {
	r := record{title: doc.meta.title, status: doc.meta.status, options: optionsOf(doc), line: 1}
	var into *string
	level := 0
	for _, b := range doc.blocks {
		if b.kind == heading {
			name := strings.TrimSpace(numbered.ReplaceAllString(b.text, ""))
			switch {
			case b.level == 1 && r.title == "":
				r.title, r.line = strings.TrimSpace(recordNumber.ReplaceAllString(b.text, "")), b.line
				into, level = nil, 0
			case b.level == 1 && level == 0 && into == nil && !decisionHead.MatchString(name):
				r.line = b.line
			case level > 0 && b.level > level && !consequenceHead.MatchString(name):
				if into != nil {
					add(into, name+":")
				}
			default:
				into, level = r.part(name), b.level
			}
			continue
		}
		text := b.text
		switch b.kind {
		case list:
			text = itemsText(b)
		case code, table, html, rule:
			continue
		}
		if into == nil && r.status == "" {
			if m := statusLine.FindStringSubmatch(text); m != nil {
				r.status = strings.TrimSpace(m[1])
			}
		}
		if into != nil {
			add(into, text)
		}
	}
	if m := statusLine.FindStringSubmatch(tables(doc)); r.status == "" && m != nil {
		r.status = strings.TrimSpace(m[1])
	}
	return r
}

func add(into *string, text string) {
	if *into != "" {
		*into += "\n"
	}
	*into += text
}

func tables(doc document) string {
	var out []string
	for _, b := range doc.blocks {
		if b.kind == table {
			out = append(out, b.text)
		}
	}
	return strings.Join(out, "\n")
}

func (r *record) part(name string) *string {
	switch {
	case statusHead.MatchString(name):
		return &r.status
	case decisionHead.MatchString(name):
		return &r.decision
	case contextHead.MatchString(name):
		return &r.context
	case consequenceHead.MatchString(name):
		return &r.consequences
	}
	return nil
}

// replaced returns the records that this one supersedes, by their links.
func replaced(src Source, text string, opts Options) []file.Relation {
	var out []file.Relation
	seen := map[string]bool{}
	for para := range strings.SplitSeq(text, "\n\n") {
		at := supersedes.FindStringIndex(para)
		if at == nil {
			continue
		}
		for _, m := range recordLink.FindAllStringSubmatch(para[at[1]:], -1) {
			name := path.Join(path.Dir(src.Path), m[1])
			if !seen[name] && opts.exists(name) && name != src.Path {
				seen[name] = true
				out = append(out, file.Relation{Type: "supersedes", File: name, Confidence: 1, Auto: true})
			}
		}
	}
	return out
}

// readWorkflow makes one recipe from a file with one procedure.
func readWorkflow(src Source, text string, rep *Report) []Chunk {
	doc := parseDocument(text)
	title, line := "", 1
	var steps []string
	var intro string
	for _, b := range doc.blocks {
		switch b.kind {
		case heading:
			if title == "" {
				title, line = b.text, b.line
				continue
			}
			steps = append(steps, strings.Repeat("#", b.level)+" "+b.text)
		case list:
			steps = append(steps, itemsText(b))
		case paragraph:
			if intro == "" && title != "" {
				intro = b.text
				continue
			}
			steps = append(steps, b.text)
		case code:
			steps = append(steps, "```"+b.lang+"\n"+b.text+"\n```")
		}
	}
	if title == "" {
		title = strings.ReplaceAll(strings.TrimSuffix(path.Base(src.Path), ".md"), "-", " ")
	}
	if len(steps) == 0 && intro == "" {
		rep.drop(src.Path, line, "empty", title)
		return nil
	}
	what, _ := split(title + ": " + intro)
	if intro == "" {
		what = clip(title, maxWhat)
	}
	scope := scopeOf(src, doc.meta)
	return []Chunk{{
		Type: file.WorkflowRecipe, What: clip(what, maxWhat), Why: clip(strings.Join(steps, "\n"), maxWhy), Scope: scope,
		Tags: unique(append(doc.meta.tags, "workflow")), Label: clip(title, 100),
		Origin: file.ImportOrigin{File: src.Path, Heading: title, Line: line, Key: keyOf("workflow", title+"\n"+intro+"\n"+strings.Join(steps, "\n"), scope)},
	}}
}

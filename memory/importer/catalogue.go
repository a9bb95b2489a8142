package importer

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"manicule/memory/file"
	"manicule/memory/lazyregexp"
)

// A catalogue is a list that describes many things (folders, packages, commands, variables) in a
// few words each. Its entries say little alone, so the whole becomes one memory.

// maxEntry is the maximum length of a catalogue's entry.
const maxEntry = 170

// entryShape matches a name followed by its description.
var entryShape = lazyregexp.New("^(?:`[^`]+`|[^.`:]{1,50}?)(?:\\s*\\([^)]*\\))?(?:\\s*(?:/|,|and|or)\\s*`[^`]+`)*\\s*(?::|—|–|->|→|=>|=|\\s-\\s)\\s*\\S")

// orders matches the first words of an entry that is an instruction.
var orders = lazyregexp.New(`(?i)^\W*(?:always|never|use|do|don['’]t|avoid|prefer|follow|keep|write|add|include|put|place|make|ensure|move|format|document|update|handle|wrap|return|test|run|check|verify|create|read|remove|set|call|name|if|when|before|after|no|only|treat|import|mark|review|ask|stop|confirm|preserve|require|reject|pass|leave|reuse|respect|match|declare|define|implement|commit|start|install|open|provide|let|be|avoid|must|should|separate|group|store|log|validate|mock|limit|assert|inject|register|regenerate|bump|rebase|squash|build|escape|extract|split|sort|apply|choose|consider|cover|focus|explain|state|link|attach|select|work|assume|consult|inspect|search|look|think|report|sync|fix|delete|replace|rename|edit|change|expose|annotate|isolate|reference|cite|record|specify|give|show|send|go|push|export|track|hide|list|describe|identify|maintain|minimi[sz]e|reduce|simplify|optimi[sz]e|target|support|restore|enable|disable|turn|load|wait|yield|guard|propagate|refactor|batch|cache|capture|clean|close|compose|configure|convert|derive|fail|favou?r|generate|organi[sz]e|persist|pin|print|raise|throw|resolve|reset|scope|surface|take|try|upgrade|drop|please|exclude|omit|skip|consolidate|abstract|align|allow|analy[sz]e|accept|aim|balance|bind|break|bring|bundle|centrali[sz]e|clarify|collect|combine|compare|delegate|deduplicate|design|distinguish|document|enforce|enumerate|establish|evaluate|factor|filter|finish|flag|gate|honou?r|inline|investigate|invoke|join|lint|lock|mention|merge|migrate|mutate|normali[sz]e|omit|opt|parametri[sz]e|parse|place|plan|preserve|protect|provision|query|raise|record|replace|request|retain|reverse|rely|seed|serve|standardi[sz]e|stick|structure|stub|sanitize|test|think|throw|trim|tag|type|understand|unify|unpack|wire|weigh|suggest|access|summari[sz]e|poll|observe|dismiss|act|also|activate|fall back|flag|spawn|bootstrap|deploy|invalidate|only (?:use|add|call|define|run|change|edit|import|assert)|narrow|widen|collapse|nest|throttle|retry|revert|memoi[sz]e|quote|await|expect|instrument|emit|dispatch|subscribe|publish|bind|spell|adjust|rerun|re-run|trust|duplicate|paste|toggle|unwrap|wait|begin|classify|prepare|prioriti[sz]e|proceed|rank|route|schedule|stage|verify|visit|vary|watch|warn|weigh|unset|uninstall|truncate|translate|transform|train|sample|rewrite|rethrow|resist|repeat|repair|remember|recompute|reach|quantify|prompt|profile|pick|partition|note|move|monitor|measure|lower|lean|keep|iterate|invest|initiali[sz]e|increment|hook|hardcode|grep|freeze|forward|flush|find|fetch|expand|execute|exercise|end|encode|duplicate|download|double-check|divide|detect|decouple|decide|debug|cut|copy|connect|complete|comply|communicate|coordinate|conform|clear|claim|charge|categori[sz]e|calculate|back up|await|assign|assess|append|anchor|address|acquire|acknowledge)\b`)

// clause matches verbs that make an entry a statement.
var clause = lazyregexp.New(`(?i)\b(?:is|are|was|were|be|has|have|had|does|do|can|cannot|will|may|must|should|uses?|runs?|lives?|contains?|needs?|requires?|returns?|means?|goes|go|makes?|takes?|gives?|gets?|stays?|belongs?|holds?|owns?|keeps?|supports?|provides?|handles?|creates?|reads?|writes?|sets?|calls?|works?|fails?|breaks?|sits?|comes?|forbids?|exists?|becomes?|follows?|depends?|expects?|causes?|allows?|prevents?|ignores?|overrides?|accepts?|defaults?|produces?|loads?|triggers?|maps?|ships?|covers?|resolves?|applies|inherits?|remains?|starts?|points?)\b|n['’]t\b`)

// binding matches words of an instruction, which a catalogue's entry does not have.
var binding = lazyregexp.New(`(?i)\b(?:must|shall|should|never|always|do not|don['’]t|avoid|ensure|forbidden|prohibited|make sure)\b`)

// command matches a command in a sentence.
var command = lazyregexp.New("`(?:\\$ |\\./|[A-Z_]+=\\S+ |cd [^`]+&& )?(?:npm|npx|yarn|pnpm|bunx?|make|go|cargo|mise|docker|python3?|pytest|uvx?|gradle|gradlew|mvn|mvnw|dotnet|just|task|git|gh|composer|bin/|scripts?/|rake|bundle|rails|sbt|mix|zig|cmake|ruff|nx|turbo|poetry|pip|tox|nox|hatch|kubectl|terraform|swift|xcodebuild|brew|deno|vitest|eslint|alembic|flutter|dart|sudo|curl|bash|sh|node|bd|apt|wrangler|php|ruby|java|tofu|helm|act)\\b[^`]*`")

// question matches an entry that asks what a text has to say.
var question = lazyregexp.New(`(?i)^(?:why|what|how|who|which|whether)\b[^?]*$`)

// isEntry tells an entry of a catalogue from a standalone rule.
func isEntry(it item) bool {
	if it.task || utf8.RuneCountInString(it.text)+utf8.RuneCountInString(it.rest) > maxEntry || strings.Contains(it.rest, "```") {
		return false
	}
	body := it.text
	if question.MatchString(body) {
		return true
	}
	shaped := entryShape.MatchString(body) || it.lead
	if !shaped {
		return (!orders.MatchString(body) || strings.HasPrefix(body, "Support for ")) && !normative.MatchString(body) && (words(body) <= 6 || !clause.MatchString(body))
	}
	if binding.MatchString(body) {
		return false
	}
	_, more := sentence(body)
	if more != "" && utf8.RuneCountInString(body) > 110 {
		return false
	}
	if _, after, ok := strings.Cut(body, ": "); ok && !strings.HasPrefix(body, "`") && orders.MatchString(after) {
		return words(body) <= 7
	}
	return true
}

// documents reports whether a list names documents to read.
func documents(items []item) bool {
	n := 0
	for _, it := range items {
		if strings.HasSuffix(it.subject, ".md") || strings.HasSuffix(it.subject, ".mdx") || strings.HasSuffix(it.subject, ".mdc") {
			n++
		}
	}
	return n*2 > len(items)
}

// isLongEntry reports whether an item is a longer entry of a catalogue.
func isLongEntry(it item, named paths) bool {
	return (it.subject == "" || named.scope(it.subject) == nil) && utf8.RuneCountInString(it.text)+utf8.RuneCountInString(it.rest) <= 2*maxEntry && !strings.Contains(it.rest, "```") &&
		entryShape.MatchString(it.text) && !orders.MatchString(it.text) && !binding.MatchString(it.text)
}

// catalogue makes a memory of the entries if a list is a catalogue, and returns the standalone
// items.
func (c *chunker) catalogue(b, lead block) (rest []item, ok bool) {
	n := 0
	for _, it := range b.items {
		if isEntry(it) {
			n++
		}
	}
	if n < 2 || n*2 < len(b.items) {
		return nil, false
	}
	var entries []item
	named := c.paths()
	for _, it := range b.items {
		if isEntry(it) || isLongEntry(it, named) {
			entries = append(entries, it)
		} else {
			rest = append(rest, it)
		}
	}
	if documents(entries) {
		c.dropList(block{items: entries}, block{}, "links")
		return rest, true
	}
	kept := entries[:0]
	for _, it := range entries {
		reason := dropReason(it.text, it.links)
		if reason == "" {
			reason = noiseReason(it.text)
		}
		if reason != "" {
			c.drop(it.block, reason)
			continue
		}
		kept = append(kept, it)
	}
	if linked(kept) {
		c.dropList(block{items: kept}, block{}, "links")
		return rest, true
	}
	if tellEach(kept, c.heads.listTitle(lead)) {
		return slices.SortedFunc(slices.Values(append(rest, kept...)), func(a, b item) int { return a.line - b.line }), true
	}
	for len(kept) > 0 {
		part, size := 0, 0
		for part < len(kept) && (part == 0 || size < maxWhy-200) {
			size += utf8.RuneCountInString(kept[part].text) + utf8.RuneCountInString(kept[part].rest) + 4
			part++
		}
		c.listing(kept[:part], b, lead)
		kept = kept[part:]
	}
	return rest, true
}

// linked reports whether most entries start with or are links.
func linked(items []item) bool {
	n := 0
	for _, it := range items {
		if it.links*3 > len(it.text) || pointsAway.MatchString(it.text) {
			n++
		}
	}
	return n*2 > len(items)
}

// leastStatement is the number of words from which an entry with a label is a statement.
const leastStatement = 8

// tellEach reports whether the entries are statements of their own that don't fit into one memory's
// text below their title. Paths and commands stay together.
func tellEach(items []item, title string) bool {
	told, size := 0, utf8.RuneCountInString(title)
	for _, it := range items {
		size += utf8.RuneCountInString(it.text) + 2
		if words(it.text) >= leastStatement && !runs.MatchString(it.text) && it.subject == "" && !pathName.MatchString(it.text) {
			told++
		}
	}
	fields := 0
	for _, it := range items {
		if fieldLabel.MatchString(it.text) {
			fields++
		}
	}
	return size > maxWhat && (told*3 > len(items)*2 || fields > 1)
}

// listing makes one memory of the entries.
func (c *chunker) listing(items []item, b, lead block) {
	title := c.heads.listTitle(lead)
	if title == "" || len(items) == 1 && !shares(items[0].text, title) && words(items[0].text) < 4 {
		c.dropList(block{items: items}, block{}, "fragment")
		return
	}
	part := block{kind: list, items: items, ordered: b.ordered}
	text, rest := title+": "+joined(part), ""
	if whole := itemsText(part); strings.Contains(whole, "\n  ") || utf8.RuneCountInString(text) > maxWhat {
		text, rest = headline(title, items), whole
	}
	line := items[0].line
	if lead.text != "" && items[0].line == b.items[0].line {
		line = lead.line
	}
	c.add(rawRule{line: line, text: text, rest: rest, typ: listType(items), whole: true, scope: c.paths().common(items)})
}

// headline lists the names of the entries, or as many entries as fit.
func headline(title string, items []item) string {
	shaped := 0
	for _, it := range items {
		if entryShape.MatchString(it.text) || it.lead {
			shaped++
		}
	}
	all, sep := names(items), ", "
	if !allCode(all) {
		all, sep = nil, "; " // a label such as "Language" says nothing without what follows it
		for _, it := range items {
			all = append(all, brief(it))
		}
	} else if shaped*3 < len(items)*2 {
		all, sep = nil, "; "
		for _, it := range items {
			all = append(all, strings.TrimRight(it.text, ".;"))
		}
	}
	text := title + ": " + all[0]
	for i, s := range all[1:] {
		if next := text + sep + s; utf8.RuneCountInString(next) <= maxWhat-16 {
			text = next
			continue
		}
		return clip(text, maxWhat-16) + sep + strconv.Itoa(len(all)-1-i) + " more"
	}
	return clip(text, maxWhat)
}

// allCode reports whether nearly all names are code, such as paths. They speak for themselves.
func allCode(names []string) bool {
	n := 0
	for _, s := range names {
		if strings.HasPrefix(s, "`") {
			n++
		}
	}
	return n*4 >= len(names)*3
}

// names returns the subjects of the entries.
func names(items []item) []string {
	var out []string
	for _, it := range items {
		name := it.text
		if code := leadingCode.FindString(it.text); code != "" {
			name = code
		} else if l, _, ok := strings.Cut(it.text, ":"); ok && words(l) <= 6 {
			name = l
		} else if l, _, ok := strings.Cut(it.text, " — "); ok && words(l) <= 6 {
			name = l
		} else if l, _, ok := strings.Cut(it.text, " - "); ok && words(l) <= 6 {
			name = l
		}
		out = append(out, strings.TrimRight(clip(name, 90), ".;,"))
	}
	return out
}

var (
	leadingCode = lazyregexp.New("^`[^`]+`")
	runs        = lazyregexp.New("^[^`]{0,50}`(?:\\$ |\\./|[A-Z_]+=\\S+ )?(?:npm|npx|yarn|pnpm|bun|make|go|cargo|mise|docker|python3?|pytest|uv|gradle|gradlew|mvn|mvnw|dotnet|just|task|git|composer|bin/|scripts?/|rake|bundle|rails|sbt|mix|zig|cmake|ruff|nx|turbo|poetry|pip|tox|nox|hatch|kubectl|terraform|swift|xcodebuild|brew|deno|vitest|eslint|alembic|uvicorn)[^`]*`")
	pathName    = lazyregexp.New("^\\W*`?[\\w.@*{}-]*(?:/|\\.\\w{1,5})[\\w./@*{}-]*`?\\s*(?:\\(|:|—|–|-|→)")
)

// listType returns the type of a list by what most of its entries are, "" if unclear.
func listType(items []item) file.Type {
	commands, paths := 0, 0
	for _, it := range items {
		switch {
		case runs.MatchString(it.text):
			commands++
		case it.subject != "" || pathName.MatchString(it.text):
			paths++
		}
	}
	switch {
	case commands*2 > len(items):
		return file.WorkflowRecipe
	case paths*2 > len(items):
		return file.ModuleInsight
	}
	return ""
}

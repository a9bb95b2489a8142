package junk

import (
	"strings"
	"sync"

	"manicule/memory/lazyregexp"
)

// lists are the regular expressions of what git and programs list: an entry a line.
type lists struct {
	subject  *lazyregexp.Regexp // the subject of a commit, by its type
	did      *lazyregexp.Regexp // one that says what was done
	area     *lazyregexp.Regexp // one whose type is also the name of a part, which a rule may begin with
	merged   *lazyregexp.Regexp
	joined   *lazyregexp.Regexp // the subject of a merge, as git or a person writes it
	numbered *lazyregexp.Regexp // ends with the number of its pull request
	hashed   *lazyregexp.Regexp // ends with its hash
	dated    *lazyregexp.Regexp
	chose    *lazyregexp.Regexp // a date and a decision
	status   *lazyregexp.Regexp // the state of a file
	trailer  *lazyregexp.Regexp
	drawn    *lazyregexp.Regexp // the lines of a drawn tree
	tilde    *lazyregexp.Regexp
	linked   *lazyregexp.Regexp // ends with a link to its commit
	counted  *lazyregexp.Regexp // a hash that may be a number
	scoped   *lazyregexp.Regexp // a subject with the part it is for
	day      *lazyregexp.Regexp
	released *lazyregexp.Regexp // a change in the notes of a release, which names its pull request
	named    *lazyregexp.Regexp // a change behind its hash
	signed   *lazyregexp.Regexp // a trailer with an address
}

var listed = sync.OnceValue(func() *lists {
	const typed = `(?:build|chore|ci|deps|docs?|feat|fix|perf|refactor|release|revert|security|style|tests?|wip)(?:\([^)]*\))?!?`
	const types = typed + `: `
	return &lists{
		subject:  lazyregexp.New(`^(?:[-*+] )?(` + types + `)\S|^(?:[-*+] )?` + typed + `[:：]\s*[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}]`),
		did:      lazyregexp.New(`^(?:[-*+] )?` + types + `(?i:add|adjust|bump|clean ?up|complete|correct|create|document|drop|extend|extract|fix|implement|improve|initial|introduce|merge|migrate|move|refactor|remove|rename|replace|revert|rewrite|simplify|tweak|update|upgrade)(?i:e?d|s)?\b`),
		area:     lazyregexp.New(`^(?:[-*+] )?(?:build|ci|deps|docs?|release|security|style|tests?)[(!:]`),
		merged:   lazyregexp.New(`^(?:[-*+] )?Merge (?:pull request #\d|branch '|remote-tracking )`),
		joined:   lazyregexp.New(`^(?:[-*+] )?Merge (?:pull request #\d|(?:remote-tracking )?branch '|remote-tracking branch|(?:branch |feature/|fix/)[\w./-]+(?::| into [\w./-]+$))`),
		numbered: lazyregexp.New(`^(?:[-*+] )?\S.* \(#\d+\)$`),
		hashed:   lazyregexp.New(`^(?:[-*+] )?\S.* \(?([0-9a-f]{7,12}|[0-9a-f]{40})\)?$`),
		dated:    lazyregexp.New(`^(?:[-*+] )?(?:[0-9a-f]{7,12} (?:- )?)?\d{4}-\d\d-\d\d [^:–—-]`),
		chose:    lazyregexp.New(`(?i)\d (?:adopted|agreed|chose|chosen|decided|dropped|kept|moved|picked|rejected|switched|took)\b`),
		status:   lazyregexp.New(`^(?:[ACDMTU]|[CR]\d{2,3})\t\S`),
		trailer:  lazyregexp.New(`^(?i:Co-authored-by|Signed-off-by|Reviewed-by|Reported-by|Tested-by|Acked-by|Change-Id|Reviewed-on): \S`),
		drawn:    lazyregexp.New(`^[\s│|]*(?:[├└]─*|\|--+|` + "`" + `--+)\s*|^[\s│|]+`),
		linked:   lazyregexp.New(`\(\[[0-9a-f]{7,40}\]\(https?://\S+/commit/[0-9a-f]{7,40}\)\)$`),
		scoped:   lazyregexp.New(`^(?:[-*+] )?(?:build|chore|ci|docs?|feat|fix|perf|refactor|revert|style|tests?)\([\w./@-]+\)!?: [a-z@]`),
		day:      lazyregexp.New(`^(?:[-*+] )?\d{4}-\d\d-\d\d `),
		counted:  lazyregexp.New(`^[0-9a-f]{7,40} \S`),
		released: lazyregexp.New(`^(?:[-*+] )?\S.* by @[\w-]+ in https?://\S+/pull/\d+$|^(?:[-*+] )?\*{0,2}\[{1,2}#?\d+\]{1,2}\(https?://\S+/pull/\d+\)\*{0,2} \S`),
		named:    lazyregexp.New(`^(?:[-*+] )?([0-9a-f]{7,12}): \S`),
		signed:   lazyregexp.New(`^(?i:Co-authored-by|Signed-off-by): .*<\S+@\S+>$`),
		tilde:    lazyregexp.New(`^(?:📁 ?)?(?:~/)?`),
	}
})

// isHash reports whether a word is an abbreviated hash: one of hexadecimal digits that is neither a
// number nor a word.
func isHash(w string) bool {
	return len(w) >= 7 && len(w) <= 40 && strings.Trim(w, "0123456789abcdef") == "" && strings.ContainsAny(w, "0123456789") && strings.ContainsAny(w, "abcdef")
}

// beginsWithHash reports whether a line is a commit's hash and its subject.
func beginsWithHash(line string) bool {
	hash, subject, ok := strings.Cut(strings.TrimLeft(line, "*|\\/ -"), " ")
	return ok && isHash(strings.Trim(hash, "*`")) && strings.TrimSpace(subject) != ""
}

// isCommits reports whether a text lists commits, or is the message of one.
func isCommits(lines []string) bool {
	l, because := listed(), compiled().because
	entry := func(s string) bool {
		m := l.hashed.FindStringSubmatch(s)
		return l.subject.MatchString(s) || l.merged.MatchString(s) || beginsWithHash(s) || m != nil && isHash(m[1])
	}
	// sure is an entry that is no label with what belongs to it, as a list of commands has.
	sure := func(s string) bool {
		m := l.hashed.FindStringSubmatch(s)
		return l.did.MatchString(s) || l.merged.MatchString(s) || l.numbered.MatchString(s) || beginsWithHash(s) || m != nil && isHash(m[1])
	}
	if share(lines, func(s string) bool { return l.linked.MatchString(strings.TrimSpace(s)) }) == 1 {
		return true
	}
	if share(lines, func(s string) bool {
		m := l.named.FindStringSubmatch(s)
		return m != nil && isHash(m[1]) || l.released.MatchString(s)
	}) == 1 {
		return true
	}
	if last := len(lines) - 1; last > 0 && l.signed.MatchString(lines[last]) && !strings.HasSuffix(lines[last-1], ":") {
		return true
	}
	if len(lines) == 1 {
		s := lines[0]
		_, subject, _ := strings.Cut(s, " ")
		switch {
		case beginsWithHash(s) && !strings.Contains(s, ": ") && isCapital(subject), l.signed.MatchString(s):
			return true
		case because.MatchString(s):
			return false
		case l.did.MatchString(s) && !l.area.MatchString(s), l.scoped.MatchString(s) && !strings.HasSuffix(s, "."), l.subject.MatchString(s) && l.numbered.MatchString(s), l.merged.MatchString(s):
			return true
		}
		return false
	}
	reasons := share(lines, because.MatchString)
	// subject is a line that may be a commit's: it begins with a capital and ends without a period.
	subject := func(s string) bool {
		s = unmarked(s)
		return entry(s) || isCapital(s) && !strings.HasSuffix(s, ".")
	}
	switch {
	case l.counted.MatchString(lines[0]) && share(lines[1:], l.status.MatchString) == 1:
		return true
	case l.subject.MatchString(lines[0]) && l.numbered.MatchString(lines[0]), l.scoped.MatchString(lines[0]) && !l.subject.MatchString(lines[1]):
		return true
	case share(lines, func(s string) bool {
		return l.day.MatchString(s) && l.subject.MatchString(l.day.ReplaceAllString(s, ""))
	}) >= .5:
		return true
	case len(lines) == 2 && l.trailer.MatchString(lines[1]) && l.numbered.MatchString(lines[0]):
		return true
	case share(lines, beginsWithHash) == 1 && reasons < .5:
		return true
	case has(lines, l.trailer.MatchString, 1) && !because.MatchString(lines[0]) && len(lines) > 2:
		return true
	case share(lines, l.dated.MatchString) == 1 && !has(lines, l.chose.MatchString, 1) && reasons < .5:
		return true
	case has(lines, l.joined.MatchString, 1) && share(lines, subject) == 1:
		return true
	case has(lines, sure, 1) && share(lines, func(s string) bool { return entry(s) || l.numbered.MatchString(s) }) >= .75 && reasons < .5:
		return !l.explains(lines)
	}
	return false
}

// explains reports whether lines say what each type of commit is for.
func (l *lists) explains(lines []string) bool {
	seen := map[string]bool{}
	for _, s := range lines {
		m := l.subject.FindStringSubmatch(s)
		if m == nil || seen[m[1]] || strings.Contains(m[1], "(") {
			return false
		}
		seen[m[1]] = true
	}
	return len(seen) > 2
}

// isMessage reports whether a text is the message of a commit: a subject with a type or the number of its pull request, a blank
// line and more.
func isMessage(text string) bool {
	subject, rest, _ := strings.Cut(strings.TrimSpace(text), "\n")
	body, blank := strings.CutPrefix(rest, "\n")
	if !blank || strings.TrimSpace(body) == "" || strings.ContainsAny(subject[len(subject)-1:], ".:") {
		return false
	}
	l := listed()
	return l.numbered.MatchString(subject) || l.subject.MatchString(subject) && !l.area.MatchString(subject)
}

// isTree reports whether a text is a drawn tree of files, or a list of paths, with or without a
// remark behind each.
func isTree(lines []string) bool {
	l := listed()
	if has(lines, l.status.MatchString, 1) && share(lines, l.status.MatchString) == 1 {
		return true
	}
	if share(lines, compiled().because.MatchString) >= .5 { // rules about files
		return false
	}
	drawn := has(lines, func(s string) bool { return strings.ContainsAny(s, "├└") }, 2)
	// named returns a line's name without what draws the tree, and without the remark.
	named := func(s string) string {
		s = l.drawn.ReplaceAllString(s, "")
		s = l.tilde.ReplaceAllString(strings.TrimSpace(s), "")
		return unremarked(s)
	}
	file := func(s string) bool {
		s = named(s)
		return s != "" && !strings.Contains(s, " ") && (isPath(s) || isDeep(s) || drawn && len(s) > 1 && s[0] == '/')
	}
	name := func(s string) bool {
		n := named(s)
		return file(s) || drawn && !strings.Contains(n, " ")
	}
	if !has(lines, file, 2) || share(lines, name) < .75 {
		return false
	}
	return drawn && share(lines, file) >= .25 || share(lines, file) >= .75
}

// unremarked returns a name without the remark behind it.
func unremarked(s string) string {
	name, rest, found := strings.Cut(s, " ")
	if !found {
		return s
	}
	wide := strings.HasPrefix(rest, " ")
	rest = strings.TrimLeft(rest, " \t")
	for _, mark := range []string{"#", "←", "→", "(", "—", "–", "// ", "- "} {
		if strings.HasPrefix(rest, mark) {
			return name
		}
	}
	if wide || rest == "" {
		return name
	}
	return s
}

// isDeep reports whether a word is a path of several folders, whatever its last part is named.
func isDeep(word string) bool {
	return strings.Count(word, "/") >= 2 && !strings.Contains(word, "//") && strings.Trim(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._@+-[]()$\"\\") == ""
}

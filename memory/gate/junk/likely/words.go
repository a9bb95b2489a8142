package likely

// The word classes are switches, not maps: a map would be filled whenever a program that links this package starts.

// isModal reports whether a word is of a rule, a condition or a reason.
func isModal(w string) bool {
	switch w {
	case "must", "never", "always", "should", "don't", "not", "only", "because", "since", "so", "if", "when", "unless", "until", "before", "after", "instead", "otherwise", "cannot", "can't", "avoid", "ensure", "prefer",
		"requires", "required", "need", "needs":
		return true
	}
	return false
}

// isVerb reports whether a word is a verb that is common in statements.
func isVerb(w string) bool {
	switch w {
	case "is", "are", "was", "were", "be", "been", "has", "have", "had", "will", "would", "may", "might", "does", "do", "did", "uses", "use", "runs", "run", "returns", "return", "requires", "handles", "stores", "reads",
		"writes", "calls", "takes", "gives", "makes", "means", "lives", "holds", "contains", "includes", "provides", "supports", "sets", "creates", "defines", "manages", "depends", "expects", "accepts", "fails", "breaks",
		"works", "ignores", "skips", "throws", "matches", "points", "loads", "saves", "sends", "opens", "closes", "applies", "resolves", "validates", "generates", "wraps", "keeps", "adds", "removes", "deletes", "updates",
		"starts", "stops", "comes", "goes", "happens", "causes", "prevents", "allows", "blocks", "affects", "overrides", "lets", "gets", "stays", "belongs", "exists":
		return true
	}
	return false
}

// isCommand reports whether a word often begins a rule.
func isCommand(w string) bool {
	switch w {
	case "use", "avoid", "prefer", "check", "ensure", "follow", "keep", "run", "add", "write", "read", "do", "don't", "never", "always", "make", "set", "put", "create", "define", "call", "pass", "return", "test", "verify",
		"install", "configure", "name", "place", "mock", "log", "catch", "fix", "ask", "wait", "document", "consider", "remember", "note", "see", "refer", "limit", "split", "copy", "rename", "mark", "register", "expose",
		"enable", "disable", "exclude", "format", "lint", "parse", "escape", "pin", "rely", "query", "import", "export", "handle", "validate", "store", "save", "load", "treat", "include", "start", "stop", "build",
		"commit", "push", "merge", "open", "close", "update", "remove", "delete", "replace", "move", "wrap", "apply", "report", "skip", "let", "only", "all", "each", "every", "no", "new", "if", "when":
		return true
	}
	return false
}

// isSmall reports whether a word joins others.
func isSmall(w string) bool {
	switch w {
	case "the", "a", "an", "it", "this", "that", "they", "you", "we", "to", "of", "and", "in", "for", "with", "on", "by", "from":
		return true
	}
	return false
}

// foreign reports whether a word is a frequent one of German, French, Spanish, Portuguese, Italian or Dutch and none of English.
func foreign(w string) bool {
	switch w {
	case "der", "und", "ist", "nicht", "mit", "auf", "eine", "einen", "keine", "wenn", "nur", "als", "auch", "bei", "zum", "zur", "oder", "wird", "werden", "kein", "ueber",
		"le", "les", "une", "est", "pas", "pour", "dans", "sur", "avec", "et", "sont",
		"el", "los", "las", "que", "por", "una", "del", "como",
		"um", "uma", "em", "dos", "da",
		"di", "il", "che", "sono", "della",
		"het", "een", "niet", "voor", "wordt", "zijn":
		return true
	}
	return false
}

package secret

import "strings"

// secretInSentence finds a secret in a sentence: "the staging password is …", "log in with
// admin / …". The word that leads to it begins at i.
func secretInSentence(s string, i int) (start, end int, kind string) {
	if i+1 >= len(s) || !letter(s[i]) || !beginsKnownWord(s[i]|0x20, s[i+1]|0x20) {
		return 0, 0, ""
	}
	kind = "password"
	w, next := lowerWord(s, i)
	switch string(w) {
	case "password", "passwd", "passphrase", "passcode", "pass", "pw", "pwd", "passwort", "passwords":
		start, end = passwordNearWord(s, i, next, string(w))
	case "secret", "token", "key", "credential", "salt", "seed":
		return keyAfterWord(s, i, next, string(w))
	case "login", "log", "logging", "sign", "credentials", "creds", "logins", "account", "accounts", "auth", "authenticate", "connect", "user", "username", "cred":
		if followedBy(s, next, " :=(") {
			start, end = passwordOfLogin(s, next, string(w))
		}
	case "code", "phrase", "passkey", "passcodes", "word":
		if followedBy(s, next, " :=") && (string(w) == "passkey" || endsInAccessWord(s[:i])) {
			start, end = valueAfter(s, next, "pin", isAccessCode)
		}
	case "pin":
		start, end = pinAfterWord(s, i, next)
	case "type", "typing", "enter", "entering", "give", "supply", "answer":
		if start, end = passwordTyped(s, i, next, string(w)); end <= start {
			start, end = passwordThatOpens(s, i, next, string(w))
		}
	case "unlock", "decrypt":
		start, end = passwordToUnlock(s, next)
	case "need", "needs":
		start, end = passwordNeeded(s, next)
	case "answers", "listens", "responds", "opens", "unlocks", "decrypts", "unlocked", "opened", "decrypted", "protected", "locked", "secured", "guarded":
		start, end = passwordThatOpens(s, i, next, string(w))
	case "takes", "accepts", "wants", "expects":
		start, end = passwordAccepted(s, next)
	case "requirepass":
		if p, ok := nextWord(s, next); ok && surelyPassword(s[p.start:p.end]) && looksLikePassword(s[p.start:p.end], p.quoted) {
			start, end = p.start, p.end
		}
	case "use", "using":
		if start, end = passwordUsed(s, next); end <= start {
			kind = "secret"
			start, end = tokenHandedOver(s, i, next)
		}
	default:
		start, end = secretInOtherLanguage(s, i)
	}
	if end <= start {
		return 0, 0, ""
	}
	return start, end, kind
}

// passwordNearWord finds a password behind a word for one, or before it. The word begins
// at i and ends before next.
func passwordNearWord(s string, i, next int, word string) (start, end int) {
	if strings.HasPrefix(s[next:], ", ") { // "our password, x, is"
		p, ok := nextWord(s, next+2)
		if ok && !p.quoted && p.end < len(s) && s[p.end] == ',' && strong(s[p.start:p.end]) && looksLikePassword(s[p.start:p.end], false) {
			return p.start, p.end
		}
	}
	if isVerbPass(s, i, next, word) {
		return 0, 0
	}
	if endsClause(s, next) {
		if start, end = valueBefore(s, i); end > start {
			return start, end
		}
		if start, end = valueBeforeAs(s, i, next); end > start {
			return start, end
		}
	}
	if !mayGoOn(s, next) {
		return 0, 0
	}
	if start, end = valueBefore(s, i); end > start {
		return start, end
	}
	if word == "passphrase" {
		if start, end = quotedPassphrase(s, next); end > start {
			return start, end
		}
	}
	accept := looksLikePassword
	switch {
	case word == "passcode":
		accept = isPasscode
	case word == "pass" && !isTied(s, next): // it may be the verb
		accept = isStrongPassword
	}
	return valueAfter(s, next, word, accept)
}

// keyAfterWord finds a key or a token behind a word for one, which begins at i and ends
// before next; a key of a radio network is a password.
func keyAfterWord(s string, i, next int, word string) (start, end int, kind string) {
	if !mayGoOn(s, next) || endsFold(s[:i], "gpg ") || endsFold(s[:i], "pgp ") || endsFold(s[:i], "public ") {
		return 0, 0, ""
	}
	if word == "key" && mentionsWireless(s, i) {
		if start, end = valueAfter(s, next, "password", isStrongPassword); end > start {
			return start, end, "password"
		}
	}
	if start, end = valueAfter(s, next, word, looksLikeKey); end > start {
		return start, end, "secret"
	}
	return 0, 0, ""
}

// pinAfterWord finds a password behind "pin", which begins at i and ends before next, and
// the digits of one where that is surely meant.
func pinAfterWord(s string, i, next int) (start, end int) {
	if start, end = valueAfter(s, next, "pin", isStrongPassword); end > start {
		return start, end
	}
	if strings.HasPrefix(s[i:], "PIN ") || strings.HasPrefix(s[i:], "PIN:") || strings.HasPrefix(s[next:], " code") {
		return valueAfter(s, next, "pin", isPIN)
	}
	return 0, 0
}

// followedBy reports that a text ends at a byte or goes on with one of some others.
func followedBy(s string, at int, bytes string) bool {
	return at >= len(s) || strings.IndexByte(bytes, s[at]) >= 0
}

// mayGoOn reports that a sentence may go on behind a word that ends at a byte: in
// word=value, which is code, it does not.
func mayGoOn(s string, at int) bool {
	return followedBy(s, at, " :=") && !(at+1 < len(s) && s[at] == '=' && s[at+1] != ' ')
}

// isTied reports that a word for a secret which ends at a byte is said to be something.
func isTied(s string, at int) bool {
	for _, tie := range [...]string{":", "=", " =", " is ", " was "} {
		if strings.HasPrefix(s[at:], tie) {
			return true
		}
	}
	return false
}

// lowerWord is the word of letters at i in lower case, and where it ends.
func lowerWord(s string, i int) (w []byte, end int) {
	var buf [16]byte
	n := 0
	for end = i; end < len(s) && letter(s[end]); end++ {
		if n < len(buf) {
			buf[n] = s[end] | 0x20
		}
		n++
	}
	return buf[:min(n, len(buf))], end
}

// maxReach is how many words are looked through after a word for a secret.
const maxReach = 9

// sentenceWord is one piece of a sentence: a word, or what quotes hold.
type sentenceWord struct {
	start, end int
	quoted     bool
	stop       bool // a sentence or a clause ends here
	next       int
}

// nextWord reads the next piece at a byte; ok is false where a line ends.
func nextWord(s string, at int) (p sentenceWord, ok bool) {
	for at < len(s) && (s[at] == ' ' || s[at] == '\t' || s[at] == '*' || s[at] == '(' && at+1 < len(s) && s[at+1] != ')') {
		at++
	}
	if at >= len(s) || s[at] == '\n' || s[at] == '\r' {
		return p, false
	}
	if q := s[at]; q == '"' || q == '\'' || q == '`' {
		for j := at + 1; j < len(s) && j-at < 80 && s[j] != '\n'; j++ {
			if s[j] == q && (q != '\'' || j+1 == len(s) || !wordByte(s[j+1])) {
				return sentenceWord{start: at + 1, end: j, quoted: true, next: j + 1}, j > at+1
			}
		}
	}
	if strings.HasPrefix(s[at:], "\u201c") || strings.HasPrefix(s[at:], "\u2018") {
		if j := strings.Index(s[at+3:min(len(s), at+90)], "\u201d"[:2]); j > 0 {
			return sentenceWord{start: at + 3, end: at + 3 + j, quoted: true, next: at + 6 + j}, at+6+j <= len(s)
		}
	}
	p.start = at
	for at < len(s) && at-p.start < 128 && !space(s[at]) && s[at] != '"' && s[at] != '`' {
		at++
	}
	p.next = at
	p.end = at
	for p.end > p.start && strings.IndexByte(".,;:)*?", s[p.end-1]) >= 0 {
		p.stop = p.stop || strings.IndexByte(".;?", s[p.end-1]) >= 0
		p.end--
	}
	if strings.HasSuffix(s[p.start:p.end], "\u2026") {
		p.stop = true
	}
	return p, true
}

// valueAfter looks for a value after a word for a secret.
func valueAfter(s string, at int, word string, accept func(string, bool) bool) (start, end int) {
	is, direct := false, true
	at = skipRemark(s, at)
	for n := 0; n < maxReach; n++ {
		if at < len(s) && (s[at] == ':' || s[at] == '=') {
			is = true
			at++
		}
		p, ok := nextWord(s, at)
		if !ok {
			return 0, 0
		}
		v := s[p.start:p.end]
		switch {
		case !p.quoted && (v == "=" || v == "->" || v == "=>" || v == "\u2192"):
			is = true
		case v == "":
			return 0, 0
		case !p.quoted && isCopula(v):
			is = true
		case !p.quoted && isFiller(v):
		case (is || direct && (word != "key" && word != "token" && word != "secret" && word != "seed" && word != "salt" && word != "pin" || p.quoted || len(v) >= 16 && looksRandom(v, false))) && accept(v, p.quoted) && !quoteFollows(s, p):
			return p.start, p.end
		case v == "from" && isChange(s, p.next, accept): // from x to y
			q, _ := nextWord(s, p.next)
			return q.start, q.end
		case is && strings.HasSuffix(v, "ed") && strings.HasPrefix(s[p.next:], " to "): // was rotated to
		case is && !p.quoted && !isShort(v):
			return 0, 0 // something else is said of it
		case !p.quoted && beginsClause(v):
			return 0, 0
		}
		is = is || p.end < p.next && s[p.end] == ':' && p.next-p.end == 1
		direct = direct && (!p.quoted && isFiller(v))
		if p.stop || p.next <= at {
			return 0, 0
		}
		at = p.next
	}
	return 0, 0
}

// isShort reports a small word: "for the", "of".
func isShort(v string) bool { return len(v) <= 3 && !hasDigit(v) }

// quoteFollows reports a word to which a call or an assignment is tied.
func quoteFollows(s string, p sentenceWord) bool {
	return !p.quoted && p.next < len(s) && p.end == p.next && (s[p.next] == '"' || s[p.next] == '`')
}

func isCopula(v string) bool {
	if len(v) > 7 {
		return false
	}
	switch strings.ToLower(v) {
	case "is", "was", "are", "be", "to", "as", "equals", "stays", "remains", "becomes", "became", "being", "it's", "that's", "ist", "'s", "were", "being:", "est", "es", "é", "è", "lautet", "jest", "är", "er", "je", "este", "adalah", "là", "yra", "olarak":
		return true
	}
	return false
}

// isFiller reports a word that changes nothing: "is still", "is set to".
func isFiller(v string) bool {
	if len(v) > 11 {
		return false
	}
	switch strings.ToLower(v) {
	case "now", "still", "currently", "just", "set", "simply", "literally", "actually", "always", "again", "probably", "likely", "default", "the", "a", "same", "changed", "reset", "called", "value", "string", "hardcoded", "temporarily", "for", "everywhere", "use", "of", "-", "\u2014", "\u2013", "here":
		return true
	}
	return false
}

// beginsClause reports a word that begins another clause.
func beginsClause(v string) bool {
	if len(v) > 7 {
		return false
	}
	switch strings.ToLower(v) {
	case "and", "but", "when", "if", "because", "which", "that", "so", "where", "while", "unless", "until", "then", "than", "or", "must", "should", "can", "may", "needs", "has", "have", "not", "from", "via", "by":
		return true
	}
	return false
}

// valueBefore looks for a password that comes before the word for it: "use x as
// the password", "x is the password".
func valueBefore(s string, i int) (start, end int) {
	at := i
	var words [4]sentenceWord
	n := 0
	for n < len(words) {
		for at > 0 && s[at-1] == ' ' {
			at--
		}
		e := at
		if at > 0 && (s[at-1] == '"' || s[at-1] == '`') {
			q := s[at-1]
			j := strings.LastIndexByte(s[max(0, at-64):at-1], q)
			if j < 0 {
				return 0, 0
			}
			j += max(0, at-64)
			words[n] = sentenceWord{start: j + 1, end: at - 1, quoted: true}
			n++
			at = j
			continue
		}
		for at > 0 && e-at < 64 && !space(s[at-1]) {
			at--
		}
		if at == e {
			break
		}
		words[n] = sentenceWord{start: at, end: e}
		n++
	}
	k := 0
	text := func(k int) string { return s[words[k].start:words[k].end] }
	for k < n && !words[k].quoted && (isFiller(text(k)) || isQualifier(text(k))) {
		k++
	}
	if k+1 >= n || words[k].quoted || text(k) != "as" && text(k) != "is" && text(k) != "for" {
		return 0, 0
	}
	if v := words[k+1]; looksLikePassword(text(k+1), v.quoted) && (k > 0 || text(k) == "as") {
		return v.start, v.end
	}
	return 0, 0
}

// isQualifier reports which password is spoken of.
func isQualifier(v string) bool {
	switch strings.ToLower(v) {
	case "staging", "root", "admin", "db", "database", "our", "my", "prod", "production", "user", "test", "wifi", "vpn", "ssh", "your", "their", "this", "redis", "postgres", "mysql", "login", "sudo", "dev", "new", "old", "master", "smtp", "ftp", "service":
		return true
	}
	return false
}

// passwordOfLogin looks for a user and a password: admin / x, admin:x, "admin with x".
func passwordOfLogin(s string, at int, word string) (start, end int) {
	creds := word != "log" && word != "logging" && word != "sign" && word != "user" && word != "username" && word != "account" && word != "accounts" && word != "auth" && word != "connect" && word != "authenticate"
	led := creds
	for n := 0; n < maxReach; n++ {
		if at < len(s) && (s[at] == ':' || s[at] == '=') {
			led = true
			at++
		}
		p, ok := nextWord(s, at)
		if !ok {
			return 0, 0
		}
		v := s[p.start:p.end]
		if led || isUserName(v) && strings.IndexByte(v, '@') > 0 {
			if start, end = passwordOfPair(s, p, v); end > start {
				return start, end
			}
		}
		led = led || precedesUser(v)
		if p.stop || p.next <= at {
			return 0, 0
		}
		at = p.next
	}
	return 0, 0
}

// passwordOfPair reads user/password at a piece, or the password in the piece after
// a lone sign.
func passwordOfPair(s string, p sentenceWord, v string) (start, end int) {
	for _, sign := range [...]byte{':', '/'} {
		if j := strings.IndexByte(v, sign); j > 1 && mayBeUserName(v[:j]) && strings.IndexByte(v[j+1:], sign) < 0 && j+1 < len(v) {
			if looksLikePassword(v[j+1:], p.quoted) {
				return p.start + j + 1, p.end
			}
			return 0, 0
		}
	}
	if p.quoted || !mayBeUserName(v) {
		if !(p.quoted && mayBeUserName(v)) {
			return 0, 0
		}
	}
	sign, ok := nextWord(s, p.next)
	if !ok || p.stop {
		return 0, 0
	}
	if t := s[sign.start:sign.next]; joinsPair(t) {
		q, ok := nextWord(s, sign.next)
		if ok && q.start < q.end && capital(v[0]) && capital(s[q.start]) && !strong(s[q.start:q.end]) { // two products
			return 0, 0
		}
		if ok && (t == "/" || t == "|" || t == ":" || strong(s[q.start:q.end]) || isUserName(v) && (surelyPassword(s[q.start:q.end]) || isLastWord(s, q))) && !isProgram(s[q.start:q.end]) && looksLikePassword(s[q.start:q.end], q.quoted) && !quoteFollows(s, q) {
			return q.start, q.end
		}
	}
	return 0, 0
}

func capital(c byte) bool { return c >= 'A' && c <= 'Z' }

// mayBeUserName reports what may be a user's name.
func mayBeUserName(v string) bool {
	return len(v) >= 2 && len(v) <= 40 && letter(v[0]) && strings.Trim(v, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.@+") == ""
}

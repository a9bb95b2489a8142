package secret

import "strings"

// told finds a secret in a sentence: "the staging password is …", "log in with
// admin / …". The word for it begins at i.
func told(s string, i int) (start, end int, kind string) {
	switch s[i] | 0x20 {
	case 'p', 's', 't', 'k', 'c', 'l', 'a', 'u', 'm', 'w', 'h', 'j', 'e', 'g':
	case 'o', 'd', 'z', 'i', 'r', 'n':
		if i+1 == len(s) || !goesWith(s[i]|0x20, s[i+1]|0x20) {
			return 0, 0, ""
		}
	default:
		return 0, 0, ""
	}
	if i+1 < len(s) && !leadsOn(s[i]|0x20, s[i+1]|0x20) {
		return 0, 0, ""
	}
	w, next := lowerWord(s, i)
	switch string(w) {
	case "password", "passwd", "passphrase", "passcode", "pass", "pw", "pwd", "passwort", "passwords":
		if strings.HasPrefix(s[next:], ", ") { // "our password, x, is"
			if p, ok := piece(s, next+2); ok && !p.quoted && s[p.end:min(len(s), p.end+1)] == "," && strong(s[p.start:p.end]) && thoughtUp(s[p.start:p.end], false) {
				return p.start, p.end, "password"
			}
		}
		if passing(s, i, next, string(w)) {
			return 0, 0, ""
		}
		if clauseEnds(s, next) {
			if start, end = backwards(s, i); end > start {
				return start, end, "password"
			}
			if start, end = named(s, i, next); end > start {
				return start, end, "password"
			}
		}
		if next < len(s) && (strings.IndexByte(" :=", s[next]) < 0 || s[next] == '=' && next+1 < len(s) && s[next+1] != ' ') {
			return 0, 0, ""
		}
		if start, end = backwards(s, i); end > start {
			return start, end, "password"
		}
		if string(w) == "passphrase" {
			if start, end = phrase(s, next); end > start {
				return start, end, "password"
			}
		}
		accept := thoughtUp
		if string(w) == "passcode" {
			accept = passcode
		}
		if string(w) == "pass" && !tiedAt(s, next) { // it may be the verb
			accept = mixedUp
		}
		if start, end = onwards(s, next, string(w), accept); end > start {
			return start, end, "password"
		}
	case "secret", "token", "key", "credential", "salt", "seed":
		if next < len(s) && (strings.IndexByte(" :=", s[next]) < 0 || s[next] == '=' && next+1 < len(s) && s[next+1] != ' ') || endsFold(s[:i], "gpg ") || endsFold(s[:i], "pgp ") || endsFold(s[:i], "public ") {
			return 0, 0, ""
		}
		if string(w) == "key" && wireless(s, i) {
			if start, end = onwards(s, next, "password", mixedUp); end > start {
				return start, end, "password"
			}
		}
		if start, end = onwards(s, next, string(w), keyLike); end > start {
			return start, end, "secret"
		}
	case "login", "log", "logging", "sign", "credentials", "creds", "logins", "account", "accounts", "auth", "authenticate", "connect", "user", "username", "cred":
		if next < len(s) && strings.IndexByte(" :=(", s[next]) < 0 {
			return 0, 0, ""
		}
		if start, end = pairIn(s, next, string(w)); end > start {
			return start, end, "password"
		}
	case "code", "phrase", "passkey", "passcodes", "word":
		if next < len(s) && strings.IndexByte(" :=", s[next]) >= 0 && (string(w) == "passkey" || opens(s[:i])) {
			if start, end = onwards(s, next, "pin", coded); end > start {
				return start, end, "password"
			}
		}
	case "pin":
		if start, end = onwards(s, next, string(w), mixedUp); end > start {
			return start, end, "password"
		}
		if strings.HasPrefix(s[i:], "PIN ") || strings.HasPrefix(s[i:], "PIN:") || strings.HasPrefix(s[next:], " code") {
			if start, end = onwards(s, next, string(w), pinCode); end > start {
				return start, end, "password"
			}
		}
	case "type", "typing", "enter", "entering", "give", "supply", "answer":
		if start, end = typed(s, i, next, string(w)); end > start {
			return start, end, "password"
		}
		if start, end = opened(s, i, next, string(w)); end > start {
			return start, end, "password"
		}
	case "unlock", "decrypt":
		if start, end = unlock(s, next); end > start {
			return start, end, "password"
		}
	case "need", "needs":
		if start, end = needed(s, next); end > start {
			return start, end, "password"
		}
	case "answers", "listens", "responds", "opens", "unlocks", "decrypts", "unlocked", "opened", "decrypted", "protected", "locked", "secured", "guarded":
		if start, end = opened(s, i, next, string(w)); end > start {
			return start, end, "password"
		}
	case "takes", "accepts", "wants", "expects":
		if start, end = taken(s, next); end > start {
			return start, end, "password"
		}
	case "requirepass":
		if p, ok := piece(s, next); ok && coined(s[p.start:p.end]) && thoughtUp(s[p.start:p.end], p.quoted) {
			return p.start, p.end, "password"
		}
	case "use", "using":
		if start, end = accessible(s, next); end > start {
			return start, end, "password"
		}
		if start, end = handed(s, i, next); end > start {
			return start, end, "secret"
		}
	default:
		if start, end = toldAbroad(s, i); end > start {
			return start, end, "password"
		}
	}
	return 0, 0, ""
}

// tiedAt reports that a word for a secret which ends at a byte is said to be something.
func tiedAt(s string, at int) bool {
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

// wordOf is one piece of a sentence: a word, or what quotes hold.
type wordOf struct {
	start, end int
	quoted     bool
	stop       bool // a sentence or a clause ends here
	next       int
}

// piece reads the next piece at a byte; ok is false where a line ends.
func piece(s string, at int) (p wordOf, ok bool) {
	for at < len(s) && (s[at] == ' ' || s[at] == '\t' || s[at] == '*' || s[at] == '(' && at+1 < len(s) && s[at+1] != ')') {
		at++
	}
	if at >= len(s) || s[at] == '\n' || s[at] == '\r' {
		return p, false
	}
	if q := s[at]; q == '"' || q == '\'' || q == '`' {
		for j := at + 1; j < len(s) && j-at < 80 && s[j] != '\n'; j++ {
			if s[j] == q && (q != '\'' || j+1 == len(s) || !wordByte(s[j+1])) {
				return wordOf{start: at + 1, end: j, quoted: true, next: j + 1}, j > at+1
			}
		}
	}
	if strings.HasPrefix(s[at:], "\u201c") || strings.HasPrefix(s[at:], "\u2018") {
		if j := strings.Index(s[at+3:min(len(s), at+90)], "\u201d"[:2]); j > 0 {
			return wordOf{start: at + 3, end: at + 3 + j, quoted: true, next: at + 6 + j}, at+6+j <= len(s)
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

// onwards looks for a value after a word for a secret.
func onwards(s string, at int, word string, accept func(string, bool) bool) (start, end int) {
	is, direct := false, true
	at = aside(s, at)
	for n := 0; n < maxReach; n++ {
		if at < len(s) && (s[at] == ':' || s[at] == '=') {
			is = true
			at++
		}
		p, ok := piece(s, at)
		if !ok {
			return 0, 0
		}
		v := s[p.start:p.end]
		switch {
		case !p.quoted && (v == "=" || v == "->" || v == "=>" || v == "\u2192"):
			is = true
		case v == "":
			return 0, 0
		case !p.quoted && connects(v):
			is = true
		case !p.quoted && fills(v):
		case (is || direct && (word != "key" && word != "token" && word != "secret" && word != "seed" && word != "salt" && word != "pin" || p.quoted || len(v) >= 16 && byChance(v, false))) && accept(v, p.quoted) && !goesOn(s, p):
			return p.start, p.end
		case v == "from" && changed(s, p.next, accept): // from x to y
			q, _ := piece(s, p.next)
			return q.start, q.end
		case is && strings.HasSuffix(v, "ed") && strings.HasPrefix(s[p.next:], " to "): // was rotated to
		case is && !p.quoted && !short4(v):
			return 0, 0 // something else is said of it
		case !p.quoted && parts(v):
			return 0, 0
		}
		is = is || p.end < p.next && s[p.end] == ':' && p.next-p.end == 1
		direct = direct && (!p.quoted && fills(v))
		if p.stop || p.next <= at {
			return 0, 0
		}
		at = p.next
	}
	return 0, 0
}

// short4 reports a small word: "for the", "of".
func short4(v string) bool { return len(v) <= 3 && !hasDigit(v) }

// goesOn reports a word to which a call or an assignment is tied.
func goesOn(s string, p wordOf) bool {
	return !p.quoted && p.next < len(s) && p.end == p.next && (s[p.next] == '"' || s[p.next] == '`')
}

func connects(v string) bool {
	if len(v) > 7 {
		return false
	}
	switch strings.ToLower(v) {
	case "is", "was", "are", "be", "to", "as", "equals", "stays", "remains", "becomes", "became", "being", "it's", "that's", "ist", "'s", "were", "being:", "est", "es", "é", "è", "lautet", "jest", "är", "er", "je", "este", "adalah", "là", "yra", "olarak":
		return true
	}
	return false
}

// fills reports a word that changes nothing: "is still", "is set to".
func fills(v string) bool {
	if len(v) > 11 {
		return false
	}
	switch strings.ToLower(v) {
	case "now", "still", "currently", "just", "set", "simply", "literally", "actually", "always", "again", "probably", "likely", "default", "the", "a", "same", "changed", "reset", "called", "value", "string", "hardcoded", "temporarily", "for", "everywhere", "use", "of", "-", "\u2014", "\u2013", "here":
		return true
	}
	return false
}

// parts reports a word that begins another clause.
func parts(v string) bool {
	if len(v) > 7 {
		return false
	}
	switch strings.ToLower(v) {
	case "and", "but", "when", "if", "because", "which", "that", "so", "where", "while", "unless", "until", "then", "than", "or", "must", "should", "can", "may", "needs", "has", "have", "not", "from", "via", "by":
		return true
	}
	return false
}

// backwards looks for a password that comes before the word for it: "use x as
// the password", "x is the password".
func backwards(s string, i int) (start, end int) {
	at := i
	var words [4]wordOf
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
			words[n] = wordOf{start: j + 1, end: at - 1, quoted: true}
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
		words[n] = wordOf{start: at, end: e}
		n++
	}
	k := 0
	text := func(k int) string { return s[words[k].start:words[k].end] }
	for k < n && !words[k].quoted && (fills(text(k)) || qualifier(text(k))) {
		k++
	}
	if k+1 >= n || words[k].quoted || text(k) != "as" && text(k) != "is" && text(k) != "for" {
		return 0, 0
	}
	if v := words[k+1]; thoughtUp(text(k+1), v.quoted) && (k > 0 || text(k) == "as") {
		return v.start, v.end
	}
	return 0, 0
}

// qualifier reports which password is spoken of.
func qualifier(v string) bool {
	switch strings.ToLower(v) {
	case "staging", "root", "admin", "db", "database", "our", "my", "prod", "production", "user", "test", "wifi", "vpn", "ssh", "your", "their", "this", "redis", "postgres", "mysql", "login", "sudo", "dev", "new", "old", "master", "smtp", "ftp", "service":
		return true
	}
	return false
}

// pairIn looks for a user and a password: admin / x, admin:x, "admin with x".
func pairIn(s string, at int, word string) (start, end int) {
	creds := word != "log" && word != "logging" && word != "sign" && word != "user" && word != "username" && word != "account" && word != "accounts" && word != "auth" && word != "connect" && word != "authenticate"
	led := creds
	for n := 0; n < maxReach; n++ {
		if at < len(s) && (s[at] == ':' || s[at] == '=') {
			led = true
			at++
		}
		p, ok := piece(s, at)
		if !ok {
			return 0, 0
		}
		v := s[p.start:p.end]
		if led || userName(v) && strings.IndexByte(v, '@') > 0 {
			if start, end = joinedPair(s, p, v); end > start {
				return start, end
			}
		}
		led = led || leads(v)
		if p.stop || p.next <= at {
			return 0, 0
		}
		at = p.next
	}
	return 0, 0
}

// joinedPair reads user/password at a piece, or the password in the piece after
// a lone sign.
func joinedPair(s string, p wordOf, v string) (start, end int) {
	for _, sign := range [...]byte{':', '/'} {
		if j := strings.IndexByte(v, sign); j > 1 && plainName(v[:j]) && strings.IndexByte(v[j+1:], sign) < 0 && j+1 < len(v) {
			if thoughtUp(v[j+1:], p.quoted) {
				return p.start + j + 1, p.end
			}
			return 0, 0
		}
	}
	if p.quoted || !plainName(v) {
		if !(p.quoted && plainName(v)) {
			return 0, 0
		}
	}
	sign, ok := piece(s, p.next)
	if !ok || p.stop {
		return 0, 0
	}
	if t := s[sign.start:sign.next]; pairsUp(t) {
		q, ok := piece(s, sign.next)
		if ok && q.start < q.end && capital(v[0]) && capital(s[q.start]) && !strong(s[q.start:q.end]) { // two products
			return 0, 0
		}
		if ok && (t == "/" || t == "|" || t == ":" || strong(s[q.start:q.end]) || userName(v) && (coined(s[q.start:q.end]) || lastWord(s, q))) && !program(s[q.start:q.end]) && thoughtUp(s[q.start:q.end], q.quoted) && !goesOn(s, q) {
			return q.start, q.end
		}
	}
	return 0, 0
}

func capital(c byte) bool { return c >= 'A' && c <= 'Z' }

// plainName reports what may be a user's name.
func plainName(v string) bool {
	return len(v) >= 2 && len(v) <= 40 && letter(v[0]) && strings.Trim(v, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.@+") == ""
}

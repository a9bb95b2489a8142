package secret

import "strings"

// told finds a secret in a sentence: "the staging password is …", "log in with
// admin / …". The word for it begins at i.
func told(s string, i int) (start, end int, kind string) {
	switch s[i] | 0x20 {
	case 'p', 's', 't', 'k', 'c', 'l', 'a', 'u', 'm', 'w', 'h', 'j', 'e', 'g':
	default:
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
		if next < len(s) && (strings.IndexByte(" :=", s[next]) < 0 || s[next] == '=' && next+1 < len(s) && s[next+1] != ' ') {
			return 0, 0, ""
		}
		if start, end = backwards(s, i); end > start {
			return start, end, "password"
		}
		accept := thoughtUp
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
	case "use", "using":
		if start, end = accessible(s, next); end > start {
			return start, end, "password"
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

// thoughtUp reports a word that looks like a password.
func thoughtUp(v string, quoted bool) bool {
	if len(v) < 5 || len(v) > 64 || stands(v) || says(v) || strings.Contains(v, "://") || isUUID(v) || isHashed(v) {
		return false
	}
	if ownWords(v) || technical(v) {
		return false
	}
	var digit, upper, lower, sign, odd int
	for i := range len(v) {
		switch c := v[i]; {
		case c >= '0' && c <= '9':
			digit++
		case c >= 'A' && c <= 'Z':
			upper++
		case c >= 'a' && c <= 'z' || c > 127:
			lower++
		case strings.IndexByte("!@#$%^&*?+=~", c) >= 0:
			sign++
		case c == '-' || c == '_' || c == '.':
			sign += 0
		default:
			odd++
		}
	}
	if odd > 0 && !quoted || strings.IndexByte("=@#-/+.", v[0]) >= 0 || strings.ContainsAny(v, "()[]{}<>/\\| ,;'\"") {
		return false
	}
	if i := strings.IndexByte(v, '='); i > 0 && i < len(v)-1 {
		return false
	}
	if i := strings.IndexByte(v, '@'); i > 0 && (strings.IndexByte(v[i:], '.') > 0 || len(v)-i < 3 && strings.Trim(v[:i], "abcdefghijklmnopqrstuvwxyz") == "" && strings.Trim(v[i+1:], "0123456789") == "") { // an address, name@1
		return false
	}
	if i := strings.IndexByte(v, '#'); i > 0 && v[i-1] == '-' && strings.Trim(v[i+1:], "0123456789") == "" || strings.Count(v, ".") > 1 && qualified(v) { // post-#12, a.b.c
		return false
	}

	inner := v
	if upper+lower > 0 {
		inner = strings.TrimRight(v, "!?")
	}
	switch {
	case upper+lower == 0:
		return false
	case digit > 0 && (upper+lower >= 3) && !unit(v):
		return !dotted(v)
	case sign > 0 && strings.ContainsAny(inner, "!@#$%^&*"):
		return upper+lower >= 3 && v[0] != '$' && v[0] != '&' && !strings.HasSuffix(v, "*") && v[0] != '*'
	case digit == 0 && len(v) >= 8 && likeness(v) < wordLike-0.6 && upper > 0 && lower > 0 && strings.ToUpper(v[:1])+v[1:] != v:
		return true
	}
	return false
}

// dotted reports main.go and v1.2.3, which are no passwords.
func dotted(v string) bool {
	i := strings.LastIndexByte(v, '.')
	return i > 0 && len(v)-i <= 6 && strings.IndexByte(v, '!') < 0 && strings.ContainsAny(v[i+1:], "abcdefghijklmnopqrstuvwxyz0123456789")
}

// unit reports a number with its unit, an ordinal or a version: 32-byte, 24h, v2.
func unit(v string) bool {
	n := len(strings.TrimLeft(v, "0123456789.,+~"))
	if n < len(v) {
		rest := strings.TrimLeft(v[len(v)-n:], "-_x")
		if len(rest) <= 3 || strings.Trim(rest, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-") == "" && likeness(rest) > wordLike {
			return true
		}
	}
	return (v[0] == 'v' || v[0] == 'V') && strings.Trim(v[1:], "0123456789.") == ""
}

// technical reports a term with a digit in it, and what is named by one.
func technical(v string) bool {
	low := strings.ToLower(strings.Trim(v, "!?"))
	for _, t := range [...]string{"sha", "md5", "base64", "base32", "base58", "base62", "utf", "argon2", "scram", "oauth", "aes", "http", "ipv", "x509", "x25519", "ed25519", "ecdsa", "rsa", "rs256", "hs256", "es256", "ps256", "pkcs", "pbkdf2", "scrypt", "bcrypt", "blake",
		"k8s", "i18n", "ec2", "s3", "oidc", "saml", "iso", "rfc", "cve", "tls1", "tlsv", "python", "node", "java", "php", "es20", "w3c", "ascii", "log4j", "win32", "x86", "amd64", "arm64", "int", "uint", "float", "utf8", "crc", "a11y", "l10n", "p256", "p12", "hmac", "jwt", "hex", "web3", "oauth2", "http2", "sec", "u2f", "fido2", "ieee", "mp3", "mp4", "h264", "neo4j", "postgres1", "mysql8", "id_", "issue", "pr#", "step", "phase", "line", "version", "part", "option", "case", "test_", "test-", "arg", "param", "layer", "level", "section", "chapter", "table", "figure", "item", "task", "tier", "type", "day", "week", "q1", "q2", "q3", "q4", "page"} {
		if rest, ok := strings.CutPrefix(low, t); ok && (strings.Trim(rest, "0123456789-_.") == "" || rest == "id") {
			return true
		}
	}
	return false
}

// byChance reports a word that looks like a key or a token.
func byChance(v string, quoted bool) bool {
	if !quoted && isCode(v, 0) {
		return false
	}
	if len(v) < 8 || len(v) > 200 || stands(v) || isHashed(v) || isUUID(v) || technical(v) || strings.ContainsAny(v, "()[]{}<>\\|, :;'\"@#$%") || ownWords(v) {
		return false
	}
	digits, letters := 0, 0
	for i := range len(v) {
		switch {
		case v[i] >= '0' && v[i] <= '9':
			digits++
		case letter(v[i]):
			letters++
		}
	}
	if digits < 2 || letters < 3 || unit(v) || dotted(v) {
		return false
	}
	w := value{text: v, quote: '"'}
	w.measure()
	switch w.form {
	case chance, base32, hexForm, mixed:
		return len(v) >= 12 || w.form == mixed && strings.IndexByte(v, '-') < 0 && w.likes < wordLike
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
		if led {
			if start, end = joinedPair(s, p, v); end > start {
				return start, end
			}
		}
		switch v {
		case "as", "with", "using", "is", "are", "=", "via", "use":
			led = true
		}
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
	switch t := s[sign.start:sign.next]; t {
	case "/", "with", "|", "and", "-", ":", "using", "+":
		q, ok := piece(s, sign.next)
		if ok && q.start < q.end && capital(v[0]) && capital(s[q.start]) && !strong(s[q.start:q.end]) { // two products
			return 0, 0
		}
		if ok && (t == "/" || t == "|" || t == ":" || strong(s[q.start:q.end])) && thoughtUp(s[q.start:q.end], q.quoted) && !goesOn(s, q) {
			return q.start, q.end
		}
	}
	return 0, 0
}

func capital(c byte) bool { return c >= 'A' && c <= 'Z' }

// strong reports letters, digits or signs that no name has together.
func strong(v string) bool {
	return strings.ContainsAny(v, "!@#$%^&*") && len(v) >= 6 && v[0] != '@' && v[0] != '#' && v[0] != '$' || hasDigit(strings.TrimRight(v, "0123456789")) && strings.ContainsAny(v, "abcdefghijklmnopqrstuvwxyz") && strings.ContainsAny(v, "ABCDEFGHIJKLMNOPQRSTUVWXYZ")
}

// plainName reports what may be a user's name.
func plainName(v string) bool {
	return len(v) >= 2 && len(v) <= 40 && letter(v[0]) && strings.Trim(v, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.@+") == ""
}

package secret

import (
	"strings"
	"sync"
)

// keyWords are the words for a key that are no English ones.
var keyWords = [...]string{"schlüssel", "schluessel", "clé", "llave", "chiave", "chave", "sleutel", "nyckel", "nøgle", "nøkkel", "avain", "klucz", "klíč", "kulcs", "jeton", "api-schlüssel", "zugangsschlüssel", "geheimnis", "segreto", "secreto", "geheim"}

// loginWords are the words that a user and a password follow, in other languages.
var loginWords = [...]string{"zugangsdaten", "anmeldedaten", "anmeldung", "melde", "einloggen", "identifiants", "connecte", "connectez", "connexion", "credenciales", "credenciais", "credenziali", "inicia", "entra", "entre", "accedi", "inloggegevens", "inloggen", "inloggning", "logowanie"}

// foreign are the words of other languages by their first letter, and what they are for. They are
// sorted at their first use: a hook starts for each call of a tool, and few need them.
var (
	foreignOnce sync.Once
	foreign     [26][]foreignWord // guarded by foreignOnce
	seconds     [26]byteSet       // guarded by foreignOnce; of foreign and englishWords, by their first letter
)

// byteSet is a set of bytes.
type byteSet [4]uint64

func (b *byteSet) add(c byte)      { b[c>>6] |= 1 << (c & 63) }
func (b *byteSet) has(c byte) bool { return b[c>>6]&(1<<(c&63)) != 0 }

// englishWords are the words that secretInSentence knows.
var englishWords = [...]string{"password", "passwd", "passphrase", "passcode", "pass", "pw", "pwd", "passwort", "passwords",
	"secret", "token", "key", "credential", "salt", "seed",
	"login", "log", "logging", "sign", "credentials", "creds", "logins", "account", "accounts", "auth", "authenticate", "connect", "user", "username", "cred",
	"code", "phrase", "passkey", "passcodes", "word", "pin", "type", "typing", "enter", "entering", "give", "supply", "answer",
	"unlock", "decrypt", "need", "needs", "answers", "listens", "responds", "opens", "unlocks", "decrypts", "unlocked", "opened", "decrypted", "protected", "locked", "secured", "guarded",
	"takes", "accepts", "wants", "expects", "requirepass", "use", "using"}

// beginsKnownWord reports whether a word that secretInSentence knows can begin with two bytes in
// lower case, of which the first is a letter.
func beginsKnownWord(first, second byte) bool {
	foreignWords()
	return seconds[first-'a'].has(second)
}

func foreignWords() *[26][]foreignWord {
	foreignOnce.Do(func() {
		add := func(list []string, k class) {
			for _, w := range list {
				foreign[w[0]-'a'] = append(foreign[w[0]-'a'], foreignWord{w, k})
				seconds[w[0]-'a'].add(w[1] | 0x20)
			}
		}
		for _, w := range englishWords {
			seconds[w[0]-'a'].add(w[1])
		}
		add(passwordWords[:], password)
		add(keyWords[:], plainKey)
		add(loginWords[:], credential)
	})
	return &foreign
}

type foreignWord struct {
	text string
	of   class
}

// secretInOtherLanguage finds a password, a key or a user's password behind a word of another
// language that begins at i, which is a letter.
func secretInOtherLanguage(s string, i int) (start, end int) {
	for _, w := range foreignWords()[s[i]|0x20-'a'] {
		next := i + len(w.text)
		if next >= len(s) || s[i+1]|0x20 != w.text[1]|0x20 || strings.IndexByte(" :=(-", s[next]) < 0 || !strings.EqualFold(s[i:next], w.text) {
			continue
		}
		switch tied := s[next] != '(' && s[next] != '-'; {
		case w.of == credential:
			return passwordOfLogin(s, next, w.text)
		case !tied:
			return 0, 0
		case w.of == plainKey:
			return valueAfter(s, next, "key", looksLikeKey)
		case w.text == "clave" || w.text == "chave": // also a key of a map
			return valueAfter(s, next, "password", looksLikeSecretKey)
		}
		return valueAfter(s, next, "password", looksLikePassword)
	}
	return 0, 0
}

// precedesUser reports a word, of any of some languages, behind which a user's name stands.
func precedesUser(v string) bool {
	switch v {
	case "as", "with", "using", "is", "are", "=", "via", "use", "mit", "als", "avec", "comme", "con", "como", "com", "met", "med", "sind", "sont", "son", "sono":
		return true
	}
	return false
}

// joinsPair reports what stands between a user's name and the password.
func joinsPair(v string) bool {
	switch v {
	case "/", "with", "|", "and", "-", ":", "using", "+", "und", "mit", "et", "avec", "y", "con", "e", "en", "met", "och", "med", "i":
		return true
	}
	return false
}

// isLastWord reports a password of small letters and digits that ends a sentence: it is
// what "log in as admin with" ends in.
func isLastWord(s string, p sentenceWord) bool {
	v := s[p.start:p.end]
	if !hasDigit(v) || len(v) < 6 || strings.Trim(v, "abcdefghijklmnopqrstuvwxyz0123456789!") != "" || isProgram(v) {
		return false
	}
	return p.stop || p.next >= len(s) || s[p.next] == '\n'
}

// isProgram reports the name of a tool or a way to log in, with its version.
func isProgram(v string) bool {
	switch strings.TrimRight(strings.ToLower(v), "0123456789.-") {
	case "python", "psql", "mysql", "ssh", "firefox", "chrome", "safari", "edge", "oauth", "kerberos", "krb", "ldap", "sso", "mfa", "otp", "totp", "php", "perl", "ruby", "lua", "node", "java", "jdk", "tls", "pkcs", "x", "ipv", "http", "auth", "proxy", "curl", "kubectl", "docker", "mongosh", "redis", "postgres", "neo", "web", "vim", "gpg", "openssl", "putty":
		return true
	}
	return false
}

// lockedThings are things that something opens.
var lockedThings = [...]string{"vault", "safe", "zip", "archive", "keystore", "truststore", "console", "door", "router", "switch", "database", "wallet", "server", "box", "host", "machine", "panel", "tablet", "laptop", "nas", "backup", "account", "container", "volume", "disk", "drive", "phone", "printer", "camera", "dashboard", "shop", "login", "root", "admin", "pdf", "file", "registry", "cluster", "gateway", "instance", "kdbx"}

// passwordThatOpens finds what a thing opens with: "the vault answers to …". The verb begins at i
// and ends before at.
func passwordThatOpens(s string, i, at int, verb string) (start, end int) {
	switch verb {
	case "answers", "answer", "listens", "responds":
		if !strings.HasPrefix(s[at:], " to ") {
			return 0, 0
		}
		at += len(" to ")
	case "opens", "unlocks", "decrypts", "unlocked", "opened", "decrypted", "protected", "locked", "secured", "guarded":
		n := 0
		for _, w := range [...]string{" with ", " by ", " using "} {
			if strings.HasPrefix(s[at:], w) {
				n = len(w)
			}
		}
		if n == 0 {
			return 0, 0
		}
		at += n
	default:
		return 0, 0
	}
	p, ok := nextWord(s, at)
	if ok && !p.quoted && isFiller(s[p.start:p.end]) {
		p, ok = nextWord(s, p.next)
	}
	if !ok {
		return 0, 0
	}
	v := s[p.start:p.end]
	if !surelyPassword(v) || isProgram(v) || !looksLikePassword(v, p.quoted) || quoteFollows(s, p) || !lineMentions(s, i, lockedThings[:]) {
		return 0, 0
	}
	return p.start, p.end
}

// lineMentions reports one of some words in the fifty bytes of the line before one.
func lineMentions(s string, i int, words []string) bool {
	before := s[max(0, i-50):i]
	before = strings.ToLower(before[strings.LastIndexByte(before, '\n')+1:])
	for _, w := range words {
		if hasWord(before, w) {
			return true
		}
	}
	return false
}

// passwordAccepted finds a user and a password in "the console takes admin and …".
func passwordAccepted(s string, at int) (start, end int) {
	p, ok := nextWord(s, at)
	if !ok || p.stop || p.quoted || !isUserName(s[p.start:p.end]) {
		return 0, 0
	}
	return passwordOfPair(s, p, s[p.start:p.end])
}

// isUserName reports a name that is surely a user's: an address, admin.
func isUserName(v string) bool {
	if i := strings.IndexByte(v, '@'); i > 0 && strings.IndexByte(v[i:], '.') > 0 {
		return true
	}
	switch strings.ToLower(v) {
	case "admin", "administrator", "root", "guest", "demo", "operator", "superuser", "sysadmin", "postgres", "ubuntu", "pi", "sa", "tester", "deploy":
		return true
	}
	return false
}

// quotedPassphrase finds words in quotes behind "passphrase".
func quotedPassphrase(s string, at int) (start, end int) {
	for _, w := range [...]string{" is", " was", ":", " ="} {
		if rest, ok := strings.CutPrefix(s[at:], w); ok {
			at = len(s) - len(rest)
			break
		}
	}
	p, ok := nextWord(s, at)
	if !ok || !p.quoted {
		return 0, 0
	}
	v := s[p.start:p.end]
	words := strings.Fields(v)
	if len(words) < 3 || len(words) > 8 || strings.Trim(v, "abcdefghijklmnopqrstuvwxyz0123456789 -") != "" {
		return 0, 0
	}
	for _, w := range words {
		switch {
		case len(w) > 12, onlySecretWords(w):
			return 0, 0
		}
		switch w {
		case "the", "a", "an", "your", "is", "are", "for", "not", "of", "to", "enter", "again", "and", "or", "no", "wrong":
			return 0, 0
		}
	}
	return p.start, p.end
}

// skipRemark is where the text goes on behind a remark in brackets that is followed by what
// ties a value: "password (valid until Friday): …".
func skipRemark(s string, at int) int {
	if !strings.HasPrefix(s[at:], " (") {
		return at
	}
	j := strings.IndexByte(s[at:min(len(s), at+60)], ')')
	if j < 0 || strings.IndexByte(s[at:at+j], '\n') >= 0 || !isTied(s, at+j+1) {
		return at
	}
	return at + j + 1
}

// isDigitGroups reports digits in equal groups, as a passcode is said: 77-31-09.
func isDigitGroups(v string) bool {
	parts := strings.FieldsFunc(v, func(r rune) bool { return r == '-' || r == ' ' })
	if len(parts) < 2 || len(parts) > 4 {
		return false
	}
	for _, p := range parts {
		if len(p) != len(parts[0]) || len(p) < 2 || strings.Trim(p, "0123456789") != "" {
			return false
		}
	}
	return true
}

// isPasscode reports a password, or the digits of a code.
func isPasscode(v string, quoted bool) bool {
	return isPIN(v, quoted) || isDigitGroups(v) || looksLikePassword(v, quoted)
}

// mentionsWireless reports that a line speaks of a radio network before a byte.
func mentionsWireless(s string, i int) bool {
	return lineMentions(s, i, []string{"wifi", "wi-fi", "wlan", "ssid", "wpa", "wpa2", "wpa3", "hotspot"})
}

// tokenHandedOver finds a token in "if it is down use …" on a line that spoke of one.
func tokenHandedOver(s string, i, at int) (start, end int) {
	p, ok := nextWord(s, at)
	if !ok || !lineMentions(s, i, []string{"token", "key", "secret", "credential", "bearer"}) {
		return 0, 0
	}
	v := s[p.start:p.end]
	if len(v) < 16 || !looksRandom(v, p.quoted) || !strong(v) || kindChanges(v) < 6 || quoteFollows(s, p) {
		return 0, 0
	}
	return p.start, p.end
}

// valueBeforeAs finds a password before "as the new Jenkins admin password" at i, whose words
// end before next.
func valueBeforeAs(s string, i, next int) (start, end int) {
	from := max(0, i-70)
	line := s[from:i]
	line = line[strings.LastIndexByte(line, '\n')+1:]
	j := strings.LastIndex(line, " as ")
	if j < 0 || strings.ContainsAny(line[j:], ".,;:(\"`") || strings.Count(line[j:], " ") > 7 || !endsClause(s, next) {
		return 0, 0
	}
	switch first, _, _ := strings.Cut(line[j+4:], " "); first {
	case "the", "our", "my", "a", "your", "new", "its", "their":
	default:
		return 0, 0
	}
	end = i - len(line) + j
	start = strings.LastIndexAny(s[:end], " \n\"'`") + 1
	v := s[start:end]
	if strings.HasSuffix(v, ",") || len(v) < 6 || isProgram(v) || !hasDigit(v) || !looksLikePassword(v, false) {
		return 0, 0
	}
	return start, end
}

// endsClause reports that nothing is said behind a byte but for what or where.
func endsClause(s string, at int) bool {
	if at >= len(s) || strings.IndexByte(".,;!?\n)", s[at]) >= 0 {
		return true
	}
	for _, w := range [...]string{" for ", " on ", " in ", " of ", " at ", " until ", " when "} {
		if strings.HasPrefix(s[at:], w) {
			return true
		}
	}
	return false
}

// isChange reports two values of a password: "from x to y". The first begins at a byte;
// the second one is plain when the first is taken out.
func isChange(s string, at int, accept func(string, bool) bool) bool {
	p, ok := nextWord(s, at)
	if !ok || !surelyPassword(s[p.start:p.end]) || !accept(s[p.start:p.end], p.quoted) {
		return false
	}
	return strings.HasPrefix(s[p.next:], " to ")
}

// passwordToUnlock finds a password in "unlock the keystore with …".
func passwordToUnlock(s string, at int) (start, end int) {
	for range 6 {
		p, ok := nextWord(s, at)
		if !ok || p.stop {
			return 0, 0
		}
		if v := s[p.start:p.end]; v == "with" || v == "using" {
			q, ok := nextWord(s, p.next)
			if v := s[q.start:q.end]; ok && surelyPassword(v) && !isProgram(v) && looksLikePassword(v, q.quoted) && !quoteFollows(s, q) {
				return q.start, q.end
			}
			return 0, 0
		}
		at = p.next
	}
	return 0, 0
}

// passwordNeeded finds a password in "you need … to unlock it".
func passwordNeeded(s string, at int) (start, end int) {
	p, ok := nextWord(s, at)
	if !ok || p.stop {
		return 0, 0
	}
	v := s[p.start:p.end]
	if !surelyPassword(v) || isProgram(v) || !looksLikePassword(v, p.quoted) {
		return 0, 0
	}
	rest := s[p.next:min(len(s), p.next+24)]
	for _, w := range [...]string{" to unlock", " to log in", " to get in", " to sign in", " to decrypt", " to open the"} {
		if strings.HasPrefix(rest, w) {
			return p.start, p.end
		}
	}
	return 0, 0
}

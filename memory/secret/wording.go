package secret

import (
	"strings"
	"sync"
)

// keysAbroad are the words for a key that are no English ones.
var keysAbroad = [...]string{"schlüssel", "schluessel", "clé", "llave", "chiave", "chave", "sleutel", "nyckel", "nøgle", "nøkkel", "avain", "klucz", "klíč", "kulcs", "jeton", "api-schlüssel", "zugangsschlüssel", "geheimnis", "segreto", "secreto", "geheim"}

// loginsAbroad are the words that a user and a password follow, in other languages.
var loginsAbroad = [...]string{"zugangsdaten", "anmeldedaten", "anmeldung", "melde", "einloggen", "identifiants", "connecte", "connectez", "connexion", "credenciales", "credenciais", "credenziali", "inicia", "entra", "entre", "accedi", "inloggegevens", "inloggen", "inloggning", "logowanie"}

// foreign are the words of other languages by their first letter, and what they are for. They are
// sorted at their first use: a hook starts for each call of a tool, and few need them.
var (
	foreignOnce sync.Once
	foreign     [26][]foreignWord // guarded by foreignOnce
	seconds     [26]byteSet       // guarded by foreignOnce; of foreign and telling, by their first letter
)

// byteSet is a set of bytes.
type byteSet [4]uint64

func (b *byteSet) add(c byte)      { b[c>>6] |= 1 << (c & 63) }
func (b *byteSet) has(c byte) bool { return b[c>>6]&(1<<(c&63)) != 0 }

// telling are the English words that told knows.
var telling = [...]string{"password", "passwd", "passphrase", "passcode", "pass", "pw", "pwd", "passwort", "passwords",
	"secret", "token", "key", "credential", "salt", "seed",
	"login", "log", "logging", "sign", "credentials", "creds", "logins", "account", "accounts", "auth", "authenticate", "connect", "user", "username", "cred",
	"code", "phrase", "passkey", "passcodes", "word", "pin", "type", "typing", "enter", "entering", "give", "supply", "answer",
	"unlock", "decrypt", "need", "needs", "answers", "listens", "responds", "opens", "unlocks", "decrypts", "unlocked", "opened", "decrypted", "protected", "locked", "secured", "guarded",
	"takes", "accepts", "wants", "expects", "requirepass", "use", "using"}

// leadsOn reports whether a word that told knows can begin with two bytes in lower case, of which
// the first is a letter.
func leadsOn(first, second byte) bool {
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
		for _, w := range telling {
			seconds[w[0]-'a'].add(w[1])
		}
		add(languages[:], password)
		add(keysAbroad[:], plainKey)
		add(loginsAbroad[:], credential)
	})
	return &foreign
}

type foreignWord struct {
	text string
	of   class
}

// goesWith reports a letter that follows another one in a word that this file looks for.
func goesWith(first, next byte) bool {
	switch first {
	case 'o':
		return next == 'p'
	case 'd', 'r':
		return next == 'e'
	case 'z':
		return next == 'u'
	case 'i':
		return next == 'n' || next == 'd'
	case 'n':
		return next == 'e' || next == 'y' || next > 127
	}
	return false
}

// toldAbroad finds a password, a key or a user's password behind a word of another
// language that begins at i, which is a letter.
func toldAbroad(s string, i int) (start, end int) {
	for _, w := range foreignWords()[s[i]|0x20-'a'] {
		next := i + len(w.text)
		if next >= len(s) || s[i+1]|0x20 != w.text[1]|0x20 || strings.IndexByte(" :=(-", s[next]) < 0 || !strings.EqualFold(s[i:next], w.text) {
			continue
		}
		switch tied := s[next] != '(' && s[next] != '-'; {
		case w.of == credential:
			return pairIn(s, next, w.text)
		case !tied:
			return 0, 0
		case w.of == plainKey:
			return onwards(s, next, "key", keyLike)
		case w.text == "clave" || w.text == "chave": // also a key of a map
			return onwards(s, next, "password", secretKey)
		}
		return onwards(s, next, "password", thoughtUp)
	}
	return 0, 0
}

// leads reports a word, of any of some languages, behind which a user's name stands.
func leads(v string) bool {
	switch v {
	case "as", "with", "using", "is", "are", "=", "via", "use", "mit", "als", "avec", "comme", "con", "como", "com", "met", "med", "sind", "sont", "son", "sono":
		return true
	}
	return false
}

// pairsUp reports what stands between a user's name and the password.
func pairsUp(v string) bool {
	switch v {
	case "/", "with", "|", "and", "-", ":", "using", "+", "und", "mit", "et", "avec", "y", "con", "e", "en", "met", "och", "med", "i":
		return true
	}
	return false
}

// lastWord reports a password of small letters and digits that ends a sentence: it is
// what "log in as admin with" ends in.
func lastWord(s string, p wordOf) bool {
	v := s[p.start:p.end]
	if !hasDigit(v) || len(v) < 6 || strings.Trim(v, "abcdefghijklmnopqrstuvwxyz0123456789!") != "" || program(v) {
		return false
	}
	return p.stop || p.next >= len(s) || s[p.next] == '\n'
}

// program reports the name of a tool or a way to log in, with its version.
func program(v string) bool {
	switch strings.TrimRight(strings.ToLower(v), "0123456789.-") {
	case "python", "psql", "mysql", "ssh", "firefox", "chrome", "safari", "edge", "oauth", "kerberos", "krb", "ldap", "sso", "mfa", "otp", "totp", "php", "perl", "ruby", "lua", "node", "java", "jdk", "tls", "pkcs", "x", "ipv", "http", "auth", "proxy", "curl", "kubectl", "docker", "mongosh", "redis", "postgres", "neo", "web", "vim", "gpg", "openssl", "putty":
		return true
	}
	return false
}

// locks are things that something opens.
var locks = [...]string{"vault", "safe", "zip", "archive", "keystore", "truststore", "console", "door", "router", "switch", "database", "wallet", "server", "box", "host", "machine", "panel", "tablet", "laptop", "nas", "backup", "account", "container", "volume", "disk", "drive", "phone", "printer", "camera", "dashboard", "shop", "login", "root", "admin", "pdf", "file", "registry", "cluster", "gateway", "instance", "kdbx"}

// opened finds what a thing opens with: "the vault answers to …". The verb begins at i
// and ends before at.
func opened(s string, i, at int, verb string) (start, end int) {
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
	p, ok := piece(s, at)
	if ok && !p.quoted && fills(s[p.start:p.end]) {
		p, ok = piece(s, p.next)
	}
	if !ok {
		return 0, 0
	}
	v := s[p.start:p.end]
	if !coined(v) || program(v) || !thoughtUp(v, p.quoted) || goesOn(s, p) || !speaksOf(s, i, locks[:]) {
		return 0, 0
	}
	return p.start, p.end
}

// speaksOf reports one of some words in the fifty bytes of the line before one.
func speaksOf(s string, i int, words []string) bool {
	before := s[max(0, i-50):i]
	before = strings.ToLower(before[strings.LastIndexByte(before, '\n')+1:])
	for _, w := range words {
		if standsIn(before, w) {
			return true
		}
	}
	return false
}

// taken finds a user and a password in "the console takes admin and …".
func taken(s string, at int) (start, end int) {
	p, ok := piece(s, at)
	if !ok || p.stop || p.quoted || !userName(s[p.start:p.end]) {
		return 0, 0
	}
	return joinedPair(s, p, s[p.start:p.end])
}

// userName reports a name that is surely a user's: an address, admin.
func userName(v string) bool {
	if i := strings.IndexByte(v, '@'); i > 0 && strings.IndexByte(v[i:], '.') > 0 {
		return true
	}
	switch strings.ToLower(v) {
	case "admin", "administrator", "root", "guest", "demo", "operator", "superuser", "sysadmin", "postgres", "ubuntu", "pi", "sa", "tester", "deploy":
		return true
	}
	return false
}

// phrase finds words in quotes behind "passphrase".
func phrase(s string, at int) (start, end int) {
	for _, w := range [...]string{" is", " was", ":", " ="} {
		if rest, ok := strings.CutPrefix(s[at:], w); ok {
			at = len(s) - len(rest)
			break
		}
	}
	p, ok := piece(s, at)
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
		case len(w) > 12, ownWords(w):
			return 0, 0
		}
		switch w {
		case "the", "a", "an", "your", "is", "are", "for", "not", "of", "to", "enter", "again", "and", "or", "no", "wrong":
			return 0, 0
		}
	}
	return p.start, p.end
}

// aside is where the text goes on behind a remark in brackets that is followed by what
// ties a value: "password (valid until Friday): …".
func aside(s string, at int) int {
	if !strings.HasPrefix(s[at:], " (") {
		return at
	}
	j := strings.IndexByte(s[at:min(len(s), at+60)], ')')
	if j < 0 || strings.IndexByte(s[at:at+j], '\n') >= 0 || !tiedAt(s, at+j+1) {
		return at
	}
	return at + j + 1
}

// groups reports digits in equal groups, as a passcode is said: 77-31-09.
func groups(v string) bool {
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

// passcode reports a password, or the digits of a code.
func passcode(v string, quoted bool) bool {
	return pinCode(v, quoted) || groups(v) || thoughtUp(v, quoted)
}

// wireless reports that a line speaks of a radio network before a byte.
func wireless(s string, i int) bool {
	return speaksOf(s, i, []string{"wifi", "wi-fi", "wlan", "ssid", "wpa", "wpa2", "wpa3", "hotspot"})
}

// handed finds a token in "if it is down use …" on a line that spoke of one.
func handed(s string, i, at int) (start, end int) {
	p, ok := piece(s, at)
	if !ok || !speaksOf(s, i, []string{"token", "key", "secret", "credential", "bearer"}) {
		return 0, 0
	}
	v := s[p.start:p.end]
	if len(v) < 16 || !byChance(v, p.quoted) || !strong(v) || switches(v) < 6 || goesOn(s, p) {
		return 0, 0
	}
	return p.start, p.end
}

// named finds a password before "as the new Jenkins admin password" at i, whose words
// end before next.
func named(s string, i, next int) (start, end int) {
	from := max(0, i-70)
	line := s[from:i]
	line = line[strings.LastIndexByte(line, '\n')+1:]
	j := strings.LastIndex(line, " as ")
	if j < 0 || strings.ContainsAny(line[j:], ".,;:(\"`") || strings.Count(line[j:], " ") > 7 || !clauseEnds(s, next) {
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
	if strings.HasSuffix(v, ",") || len(v) < 6 || program(v) || !hasDigit(v) || !thoughtUp(v, false) {
		return 0, 0
	}
	return start, end
}

// clauseEnds reports that nothing is said behind a byte but for what or where.
func clauseEnds(s string, at int) bool {
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

// changed reports two values of a password: "from x to y". The first begins at a byte;
// the second one is plain when the first is taken out.
func changed(s string, at int, accept func(string, bool) bool) bool {
	p, ok := piece(s, at)
	if !ok || !coined(s[p.start:p.end]) || !accept(s[p.start:p.end], p.quoted) {
		return false
	}
	return strings.HasPrefix(s[p.next:], " to ")
}

// unlock finds a password in "unlock the keystore with …".
func unlock(s string, at int) (start, end int) {
	for range 6 {
		p, ok := piece(s, at)
		if !ok || p.stop {
			return 0, 0
		}
		if v := s[p.start:p.end]; v == "with" || v == "using" {
			q, ok := piece(s, p.next)
			if v := s[q.start:q.end]; ok && coined(v) && !program(v) && thoughtUp(v, q.quoted) && !goesOn(s, q) {
				return q.start, q.end
			}
			return 0, 0
		}
		at = p.next
	}
	return 0, 0
}

// needed finds a password in "you need … to unlock it".
func needed(s string, at int) (start, end int) {
	p, ok := piece(s, at)
	if !ok || p.stop {
		return 0, 0
	}
	v := s[p.start:p.end]
	if !coined(v) || program(v) || !thoughtUp(v, p.quoted) {
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

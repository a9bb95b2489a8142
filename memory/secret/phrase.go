package secret

import "strings"

// passwordWords are the words for a password that are no English ones, in letters of
// Latin scripts.
var passwordWords = [...]string{"mot de passe", "mdp", "contraseña", "contrasena", "clave", "senha", "wachtwoord", "kennwort", "hasło", "haslo", "heslo",
	"lösenord", "adgangskode", "passord", "salasana", "jelszó", "parola", "mật khẩu", "kata sandi", "contrasenya", "lozinka", "geslo", "slaptažodis", "parool", "lykilorð", "pasahitza"}

// passwordWordsInScripts are the words for a password in other scripts, which part words in
// other ways or not at all.
var passwordWordsInScripts = [...]string{"пароль", "Пароль", "密码", "密碼", "口令", "パスワード", "비밀번호", "암호", "парола", "лозинка", "κωδικός", "κωδικό", "كلمة المرور", "كلمة السر", "סיסמה", "הסיסמה", "पासवर्ड", "รหัสผ่าน", "şifre", "Şifre", "гасло"}

// tiesInScripts are what stands between such a word and its value.
var tiesInScripts = [...]string{"：", "是", "为", "為", "は", "는", "은", "—", "–", "это", "είναι", "هي", "היא", "है", "คือ"}

// maxTie is how far from such a word its value may stand.
const maxTie = 90

// secretInOtherScript finds a password behind a word for it in another script.
func secretInOtherScript(s string, i int) (start, end int) {
	switch s[i] { // what the words begin with; most other characters are dashes, quotes and drawings
	case 0xc5, 0xce, 0xd0, 0xd7, 0xd9, 0xe0, 0xe3, 0xe5, 0xeb, 0xec:
	default:
		return 0, 0
	}
	for _, w := range passwordWordsInScripts {
		if strings.HasPrefix(s[i:], w) {
			return valueAfterScript(s, i+len(w))
		}
	}
	return 0, 0
}

// valueAfterScript looks through a text of another script for the first word in ASCII that
// looks like a password and is tied to what stands before.
func valueAfterScript(s string, from int) (start, end int) {
	tied, words := false, 0
	for at := from; at < len(s) && at-from < maxTie; {
		switch c := s[at]; {
		case c == '\n' || strings.HasPrefix(s[at:], "。"):
			return 0, 0
		case c == ' ' || c == '"' || c == '\'' || c == '`':
			at++
		case c == ':' || c == '=':
			tied = true
			at++
		case c > 127:
			n := 1
			for _, t := range tiesInScripts {
				if strings.HasPrefix(s[at:], t) {
					tied, n = true, len(t)
					break
				}
			}
			at += n
		default:
			end = at
			for end < len(s) && s[end] < 128 && !space(s[end]) && strings.IndexByte("\"'`", s[end]) < 0 {
				end++
			}
			v := strings.TrimRight(s[at:end], ".,;:)")
			if (tied || strong(v)) && looksLikePassword(v, false) {
				return at, at + len(v)
			}
			if words++; words > 2 || strings.ContainsAny(v, ".;") {
				return 0, 0
			}
			tied = tied || v != s[at:end] && s[end-1] == ':'
			at = end
		}
	}
	return 0, 0
}

// passwordTyped finds what a sentence says to give to a prompt: "type x when asked for the
// passphrase". The verb begins at i and ends before at.
func passwordTyped(s string, i, at int, verb string) (start, end int) {
	p, ok := nextWord(s, at)
	for n := 0; ok && n < 2 && !p.quoted; n++ {
		switch s[p.start:p.end] {
		case "it", "them", "in", "with":
			p, ok = nextWord(s, p.next)
			continue
		}
		if verb == "give" && n == 0 { // give x the password
			return 0, 0
		}
		break
	}
	if !ok {
		return 0, 0
	}
	v := s[p.start:p.end]
	if mayBeUserName(v) && !surelyPassword(v) { // a user's name first
		if q, ok := nextWord(s, p.next); ok && (s[q.start:q.end] == "and" || s[q.start:q.end] == "then") {
			if q, ok = nextWord(s, q.next); ok && s[q.start:q.end] == "then" {
				q, ok = nextWord(s, q.next)
			}
			if ok {
				p, v = q, s[q.start:q.end]
			}
		}
	}
	if !looksLikePassword(v, p.quoted) || !p.quoted && !surelyPassword(v) || quoteFollows(s, p) || !mentionsPrompt(s, i, p.next) {
		return 0, 0
	}
	return p.start, p.end
}

// mentionsPrompt reports that the line around two bytes speaks of a prompt for a secret.
func mentionsPrompt(s string, from, to int) bool {
	before, after := s[max(0, from-50):from], s[to:min(len(s), to+70)]
	before = before[strings.LastIndexByte(before, '\n')+1:]
	after, _, _ = strings.Cut(after, "\n")
	for _, w := range [...]string{"password", "passphrase", "passcode", "prompt", "sudo", "unlock"} {
		if containsFold(before, w) || containsFold(after, w) {
			return true
		}
	}
	return false
}

// passwordUsed finds user:password in "use x:y to reach the server".
func passwordUsed(s string, at int) (start, end int) {
	p, ok := nextWord(s, at)
	if !ok || p.stop {
		return 0, 0
	}
	v := s[p.start:p.end]
	j := strings.IndexByte(v, ':')
	if j < 2 || strings.Trim(v[:j], "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_") != "" || j+1 == len(v) || !letter(v[j+1]) {
		return 0, 0
	}
	pass := v[j+1:]
	if !looksLikePassword(pass, p.quoted) || !strong(pass) {
		return 0, 0
	}
	rest := s[p.next:min(len(s), p.next+24)]
	for _, w := range [...]string{" to log", " to reach", " to connect", " to sign", " to access", " to authenticate", " to get in", " to enter", " for the login", " as credentials", " as login"} {
		if strings.HasPrefix(rest, w) {
			return p.start + j + 1, p.end
		}
	}
	return 0, 0
}

// isVerbPass reports "pass" as a verb: "we pass it to x", "you can pass x".
func isVerbPass(s string, i, next int, word string) bool {
	if word != "pass" {
		return false
	}
	before := strings.TrimRight(s[max(0, i-16):i], " ")
	switch before[strings.LastIndexByte(before, ' ')+1:] {
	case "to", "can", "we", "you", "i", "I", "must", "should", "will", "would", "could", "may", "then", "please", "not", "they", "cannot", "also", "instead", "just", "and,", "always":
		return true
	}
	p, ok := nextWord(s, next)
	if !ok || p.quoted {
		return false
	}
	switch s[p.start:p.end] {
	case "it", "them", "a", "an", "the", "this", "these", "those", "that", "through", "any", "all", "your", "our", "either", "along", "to":
		return true
	}
	return false
}

// endsInAccessWord reports that the word before a code says that it opens something.
func endsInAccessWord(s string) bool {
	s = strings.TrimRight(s, " ")
	switch strings.ToLower(s[strings.LastIndexAny(s, " \n(")+1:]) {
	case "access", "security", "door", "unlock", "recovery", "pairing", "entry", "gate", "alarm", "secret", "safe", "magic", "wifi", "wi-fi", "login", "backup", "lock":
		return true
	}
	return false
}

// isAccessCode reports a code that opens something: digits, or a password with one.
func isAccessCode(v string, quoted bool) bool {
	return isPIN(v, quoted) || hasDigit(v) && looksLikePassword(v, quoted)
}

// isStrongPassword reports a password that no name of a pin looks like.
func isStrongPassword(v string, quoted bool) bool { return strong(v) && looksLikePassword(v, quoted) }

// isPIN reports the digits of a PIN.
func isPIN(v string, _ bool) bool {
	return len(v) >= 4 && len(v) <= 12 && strings.Trim(v, "0123456789") == "" && !isPlaceholder(v)
}

// looksLikeKey reports a key: what is made by chance, or of all kinds of signs.
func looksLikeKey(v string, quoted bool) bool {
	if looksRandom(v, quoted) {
		return true
	}
	digits, signs := 0, 0
	for i := range len(v) {
		switch c := v[i]; {
		case c >= '0' && c <= '9':
			digits++
		case strings.IndexByte("!@#$%^&*", c) >= 0:
			signs++
		}
	}
	return len(v) >= 10 && digits >= 2 && signs >= 2 && strong(v) && looksLikePassword(v, quoted) || len(v) >= 9 && isLeet(v) && looksLikePassword(v, quoted)
}

// looksLikeSecretKey reports a key, or a password that no name of code looks like.
func looksLikeSecretKey(v string, quoted bool) bool {
	if !quoted && strings.IndexByte(v, '_') > 0 && strings.ToLower(v) == v { // user_42_profile
		return false
	}
	return looksLikeKey(v, quoted) || surelyPassword(v) && looksLikePassword(v, quoted)
}

package secret

import "strings"

// languages are the words for a password that are no English ones, in letters of
// Latin scripts.
var languages = [...]string{"mot de passe", "mdp", "contraseña", "contrasena", "clave", "senha", "wachtwoord", "kennwort", "hasło", "haslo", "heslo",
	"lösenord", "adgangskode", "passord", "salasana", "jelszó", "parola", "mật khẩu", "kata sandi", "contrasenya", "lozinka", "geslo", "slaptažodis", "parool", "lykilorð", "pasahitza"}

// scripts are the words for a password in other scripts, which part words in
// other ways or not at all.
var scripts = [...]string{"пароль", "Пароль", "密码", "密碼", "口令", "パスワード", "비밀번호", "암호", "парола", "лозинка", "κωδικός", "κωδικό", "كلمة المرور", "كلمة السر", "סיסמה", "הסיסמה", "पासवर्ड", "รหัสผ่าน", "şifre", "Şifre", "гасло"}

// ties are what stands between such a word and its value.
var ties = [...]string{"：", "是", "为", "為", "は", "는", "은", "—", "–", "это", "είναι", "هي", "היא", "है", "คือ"}

// maxTie is how far from such a word its value may stand.
const maxTie = 90

// toldInScript finds a password behind a word for it in another script.
func toldInScript(s string, i int) (start, end int) {
	switch s[i] { // what the words begin with; most other characters are dashes, quotes and drawings
	case 0xc5, 0xce, 0xd0, 0xd7, 0xd9, 0xe0, 0xe3, 0xe5, 0xeb, 0xec:
	default:
		return 0, 0
	}
	for _, w := range scripts {
		if strings.HasPrefix(s[i:], w) {
			return behind(s, i+len(w))
		}
	}
	return 0, 0
}

// behind looks through a text of another script for the first word in ASCII that
// looks like a password and is tied to what stands before.
func behind(s string, from int) (start, end int) {
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
			for _, t := range ties {
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
			if (tied || strong(v)) && thoughtUp(v, false) {
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

// typed finds what a sentence says to give to a prompt: "type x when asked for the
// passphrase". The verb begins at i and ends before at.
func typed(s string, i, at int, verb string) (start, end int) {
	p, ok := piece(s, at)
	for n := 0; ok && n < 2 && !p.quoted; n++ {
		switch s[p.start:p.end] {
		case "it", "them", "in", "with":
			p, ok = piece(s, p.next)
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
	if plainName(v) && !coined(v) { // a user's name first
		if q, ok := piece(s, p.next); ok && (s[q.start:q.end] == "and" || s[q.start:q.end] == "then") {
			if q, ok = piece(s, q.next); ok && s[q.start:q.end] == "then" {
				q, ok = piece(s, q.next)
			}
			if ok {
				p, v = q, s[q.start:q.end]
			}
		}
	}
	if !thoughtUp(v, p.quoted) || !p.quoted && !coined(v) || goesOn(s, p) || !prompted(s, i, p.next) {
		return 0, 0
	}
	return p.start, p.end
}

// prompted reports that the line around two bytes speaks of a prompt for a secret.
func prompted(s string, from, to int) bool {
	before, after := s[max(0, from-50):from], s[to:min(len(s), to+70)]
	before = before[strings.LastIndexByte(before, '\n')+1:]
	after, _, _ = strings.Cut(after, "\n")
	for _, w := range [...]string{"password", "passphrase", "passcode", "prompt", "sudo", "unlock"} {
		if holds(before, w) || holds(after, w) {
			return true
		}
	}
	return false
}

// accessible finds user:password in "use x:y to reach the server".
func accessible(s string, at int) (start, end int) {
	p, ok := piece(s, at)
	if !ok || p.stop {
		return 0, 0
	}
	v := s[p.start:p.end]
	j := strings.IndexByte(v, ':')
	if j < 2 || strings.Trim(v[:j], "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_") != "" || j+1 == len(v) || !letter(v[j+1]) {
		return 0, 0
	}
	pass := v[j+1:]
	if !thoughtUp(pass, p.quoted) || !strong(pass) {
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

// passing reports "pass" as a verb: "we pass it to x", "you can pass x".
func passing(s string, i, next int, word string) bool {
	if word != "pass" {
		return false
	}
	before := strings.TrimRight(s[max(0, i-16):i], " ")
	switch before[strings.LastIndexByte(before, ' ')+1:] {
	case "to", "can", "we", "you", "i", "I", "must", "should", "will", "would", "could", "may", "then", "please", "not", "they", "cannot", "also", "instead", "just", "and,", "always":
		return true
	}
	p, ok := piece(s, next)
	if !ok || p.quoted {
		return false
	}
	switch s[p.start:p.end] {
	case "it", "them", "a", "an", "the", "this", "these", "those", "that", "through", "any", "all", "your", "our", "either", "along", "to":
		return true
	}
	return false
}

// opens reports that the word before a code says that it opens something.
func opens(s string) bool {
	s = strings.TrimRight(s, " ")
	switch strings.ToLower(s[strings.LastIndexAny(s, " \n(")+1:]) {
	case "access", "security", "door", "unlock", "recovery", "pairing", "entry", "gate", "alarm", "secret", "safe", "magic", "wifi", "wi-fi", "login", "backup", "lock":
		return true
	}
	return false
}

// coded reports a code that opens something: digits, or a password with one.
func coded(v string, quoted bool) bool {
	return pinCode(v, quoted) || hasDigit(v) && thoughtUp(v, quoted)
}

// mixedUp reports a password that no name of a pin looks like.
func mixedUp(v string, quoted bool) bool { return strong(v) && thoughtUp(v, quoted) }

// pinCode reports the digits of a PIN.
func pinCode(v string, _ bool) bool {
	return len(v) >= 4 && len(v) <= 12 && strings.Trim(v, "0123456789") == "" && !stands(v)
}

// keyLike reports a key: what is made by chance, or of all kinds of signs.
func keyLike(v string, quoted bool) bool {
	if byChance(v, quoted) {
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
	return len(v) >= 10 && digits >= 2 && signs >= 2 && strong(v) && thoughtUp(v, quoted) || len(v) >= 9 && leet(v) && thoughtUp(v, quoted)
}

// secretKey reports a key, or a password that no name of code looks like.
func secretKey(v string, quoted bool) bool {
	if !quoted && strings.IndexByte(v, '_') > 0 && strings.ToLower(v) == v { // user_42_profile
		return false
	}
	return keyLike(v, quoted) || coined(v) && thoughtUp(v, quoted)
}

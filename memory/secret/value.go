package secret

import "strings"

// shape is what a value looks like.
type form uint8

// The forms of a value, each value has the first that fits.
const (
	short form = iota
	placeholder
	keyword    // true, nil, string
	ownName    // nothing but words for secrets: my-password
	number     // 8080
	uuidForm   // 8-4-4-4-12 hex digits
	hashed     // $2a$10$…: what a password was hashed to
	code       // an expression
	location   // a path, a URL, an address
	prose      // words with spaces
	hexForm    // 16 hex digits and more
	base32     // capitals and digits
	chance     // long, mixed, made by chance
	mixed      // short letters and digits
	punctuated // letters with other signs: a password that somebody thought up
	wordy      // a word or words, as names of code and of English have them
	camel      // words, written as one
	constant   // CAPITALS
	gibberish  // letters that no word has
	forms
)

// value is what a name is given.
type value struct {
	text  string
	quote byte // 0 without quotes
	after byte // the next byte that is no space
	first bool // more text follows on the line
	likes float64
	form  form
}

// maxMeasured is how much of a value is looked at: enough to know its form.
const maxMeasured = 160

// measure finds the form of a value.
func (v *value) measure() {
	v.likes = likeness(v.text)
	v.form = v.formOf()
}

func (v *value) formOf() form {
	s := v.text[:min(len(v.text), maxMeasured)]
	if len(s) < 3 {
		return short
	}
	n := census(s)
	letters := n.upper + n.lower
	switch {
	case n.same || isPlaceholder(s) || isSequence(s):
		return placeholder
	case isKeyword(s) || v.quote == 0 && typeName(s):
		return keyword
	case letters == 0 && n.sign == 0 && n.space == 0 || n.digit+n.dots+n.dashes == len(s) || isNumber(s):
		return number
	case isUUID(s[max(0, len(s)-36):]): // also behind a date
		return uuidForm
	case isHashed(s):
		return hashed
	case onlySecretWords(s), len(s) < 12 && n.upper == 0 && n.digit > 0 && onlySecretWords(withoutLeet(s)):
		return ownName
	case v.quote == 0 && isCode(s, v.after), v.quote != 0 && isFormat(s):
		return code
	case isLocation(s, v.quote != 0 || n.digit == 0, n.slashes, n.dots, v.likes):
		return location
	case n.space > 0 && letters > 0:
		return prose
	case n.hex && len(s) >= 16 && n.digit > 0 && letters > 0:
		return hexForm
	case n.lower == 0 && n.digit > 0 && n.upper > 0 && len(s) >= 16 && n.sign == 0:
		if n.dashes > 1 && v.likes > wordLike {
			return constant
		}
		return base32
	case len(s) >= 16 && (n.upper > 0 && n.lower > 0 || n.digit > 0) && letters > 0 && entropy(s) >= 3.2 && (v.likes < wordLike-0.4 && !isTitleCase(s) || n.digit > 0 && (v.likes < wordLike || kindChanges(s)*3 >= len(s))):
		return chance
	case n.sign > 0:
		return punctuated
	case n.digit > 0 && letters > 0:
		if v.likes > wordLike && trailing(s) {
			return wordy // key2, v1
		}
		return mixed
	case n.lower == 0:
		return constant
	case v.likes < wordLike:
		return gibberish
	case n.upper > 0:
		return camel
	}
	return wordy
}

// characters counts those of a text by their kind.
type characters struct {
	upper, lower, digit, space, dots, slashes, dashes int

	sign int  // all others
	same bool // all are the same
	hex  bool // all are hexadecimal digits
}

func census(s string) characters {
	n := characters{same: true, hex: true}
	for i := range len(s) {
		c := s[i]
		n.same = n.same && c == s[0]
		switch {
		case c >= 'A' && c <= 'Z':
			n.upper++
			n.hex = n.hex && c <= 'F'
		case c >= 'a' && c <= 'z':
			n.lower++
			n.hex = n.hex && c <= 'f'
		case c >= '0' && c <= '9':
			n.digit++
		default:
			n.hex = false
			n.mark(c)
		}
	}
	return n
}

// mark counts what is no letter and no digit.
func (n *characters) mark(c byte) {
	switch c {
	case ' ', '\t', '\n':
		n.space++
	case '.':
		n.dots++
	case '/', '\\':
		n.slashes++
	case '-', '_':
		n.dashes++
	default:
		n.sign++
	}
}

// wordLike is the likeness to words above which a text is taken for some.
const wordLike = -2.9

// trailing reports that digits stand at the end only, at most two.
func trailing(s string) bool {
	n := len(strings.TrimRight(s, "0123456789"))
	return len(s)-n <= 2 && !strings.ContainsAny(s[:n], "0123456789")
}

// likeness is the mean logarithm of how often the letters of a text follow
// each other in English and in names of code; what is no letter parts words.
func likeness(s string) float64 {
	sum, n := 0.0, 0
	prev := 26
	for i := range min(len(s), 80) {
		c := s[i]
		at := 26
		switch {
		case c >= 'a' && c <= 'z':
			at = int(c - 'a')
		case c >= 'A' && c <= 'Z':
			at = int(c - 'A')
			if i > 0 && s[i-1] >= 'a' && s[i-1] <= 'z' {
				prev = 26
			}
		}
		if at == 26 && prev == 26 {
			continue
		}
		sum += float64(pairs[prev*27+at])
		n++
		prev = at
	}
	if prev != 26 {
		sum += float64(pairs[prev*27+26])
		n++
	}
	if n == 0 {
		return 0
	}
	return sum / float64(n) / pairScale
}

// pairScale is what the logarithms in the table were multiplied with.
const pairScale = 20

// isPlaceholder reports a value that stands for another: a variable, a template, an
// example, a hidden one.
func isPlaceholder(s string) bool {
	if beginsPlaceholder(s) || hasPlaceholder(s) || strings.Contains(s, "\u2026") {
		return true
	}
	var buf [80]byte
	if len(s) > len(buf) {
		return false
	}
	low := buf[:len(s)]
	for i := range len(s) {
		low[i] = s[i]
		if c := s[i]; capital(c) {
			low[i] = c + 'a' - 'A'
		}
	}
	return isPlaceholderWord(string(low))
}

// beginsPlaceholder reports a value that is a placeholder by its first sign: <token>,
// $HOME/x, #fff.
func beginsPlaceholder(s string) bool {
	switch s[0] {
	case '<', '{', '[', '%':
		return true
	case '#': // a colour
		n := len(s) - 1
		return (n == 3 || n == 6 || n == 8) && strings.Trim(s[1:], "0123456789abcdefABCDEF") == ""
	case '$':
		if s[1] == '$' || capital(s[1]) && strings.IndexByte(s, '/') > 0 { // $$PATH, $HOME/x
			return true
		}
		return !strings.HasPrefix(s, "$2") && !isHashed(s) && (s[1] == '{' || s[1] == '(' || strings.Trim(s[1:], "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789.[]'\">-") == "")
	case ':', '@', '&', '!':
		return strings.Trim(s[1:], "abcdefghijklmnopqrstuvwxyz_.'\"ABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
	}
	return false
}

// hasPlaceholder reports a value in which a program fills something in, or that is cut: ${x}, {{x}}, {}, #{x}, %s, ..., ***.
func hasPlaceholder(s string) bool {
	for i := 0; i+1 < len(s); i++ {
		next := s[i+1]
		switch s[i] {
		case '$':
			if next == '{' || next == '(' {
				return true
			}
		case '{':
			if next == '{' || next == '}' {
				return true
			}
		case '#':
			if next == '{' {
				return true
			}
		case '.', '*':
			if i+2 < len(s) && next == s[i] && s[i+2] == s[i] {
				return true
			}
		case '%':
			if strings.IndexByte("sdv(q", next) >= 0 && (i+2 == len(s) || !wordByte(s[i+2])) {
				return true
			}
		}
	}
	return false
}

func isPlaceholderWord(low string) bool {
	for _, sign := range [...]string{"xxxx", "example", "change-me", "change_me", "changeit", "placeholder", "your_", "your-", "your ", "redacted", "replace", "insert", "todo",
		"dummy", "notreal", "not-real", "not_real", "sample", "_here", "-here", "enter_", "enter-", "undefined", "masked", "hidden", "foobar", "getenv", "environ", "env.", "fixme", "omitted", "removed", "censored"} {
		if strings.Contains(low, sign) {
			return true
		}
	}
	if len(low) < 12 && strings.Contains(low, "changeme") {
		return !hasDigit(low)
	}
	switch low {
	case "foo", "bar", "baz", "qux", "xxx", "yyy", "zzz", "abc", "abcd", "asdf", "...", "test", "testing", "value", "string", "blah", "something", "whatever", "dev", "hello", "world", "user", "username", "demo", "invalid", "wrong", "fake", "mock", "any", "other", "none", "default", "unknown", "empty", "optional", "required", "config", "hash", "hashed", "encrypted", "bla", "quux", "corge", "lorem", "ipsum", "lorem ipsum":
		return true
	}
	if rest, ok := strings.CutPrefix(low, "test"); ok && strings.Trim(rest, "0123456789") == "" { // test1, test1234
		return true
	}
	return strings.HasPrefix(low, "your") && len(low) > 5 || strings.HasPrefix(low, "fake") && onlySecretWords(low[4:]) || strings.HasPrefix(low, "some") && len(low) > 4 && onlySecretWords(low[4:])
}

// isKeyword reports words that switch something, or stand for no value.
func isKeyword(s string) bool {
	if len(s) > 12 {
		return false
	}
	switch strings.ToLower(s) {
	case "true", "false", "yes", "no", "on", "off", "none", "null", "nil", "undefined", "stdin", "prompt", "ask", "never", "always", "auto", "required", "optional", "basic", "bearer", "digest", "nan", "unset", "undef":
		return true
	}
	return false
}

// typeName reports a type of a language: "password: string".
func typeName(s string) bool {
	switch strings.TrimRight(strings.ToLower(strings.Trim(s, "*&?[]|")), "0123456789") {
	case "string", "str", "int", "integer", "bool", "boolean", "any", "unknown", "void", "object", "bytes", "byte", "char", "text", "varchar", "optional", "union", "number", "float", "self", "this", "func", "function",
		"async", "await", "try", "fn", "mut", "include", "coalesce", "printf", "lookup", "unsafe", "new", "return", "const", "let", "var", "def", "lambda", "not", "and", "if", "len", "buffer", "uint8array", "error", "interface", "struct", "map", "list", "dict", "array", "secretstr", "props", "type", "typeof", "range", "make", "append", "yield", "import", "raise", "throw", "assert", "input", "getpass", "req", "request", "ctx", "super", "cls", "else", "for", "in", "is":
		return true
	}
	return false
}

// isSequence reports an alphabet, or 0123456789.
func isSequence(s string) bool {
	up := 0
	for i := 1; i < len(s); i++ {
		if s[i] == s[i-1]+1 {
			up++
		}
	}
	return len(s) >= 12 && up*3 > len(s)*2
}

// withoutLeet is a word without the digits that stand for letters: s3cr3t.
func withoutLeet(s string) string {
	return strings.Map(func(r rune) rune {
		switch r {
		case '0':
			return 'o'
		case '1':
			return 'i'
		case '3':
			return 'e'
		case '4':
			return 'a'
		case '5':
			return 's'
		}
		return r
	}, s)
}

// kindChanges counts how often capitals, small letters and digits take turns. What
// is made by chance has many, names of code have few.
func kindChanges(s string) int {
	n, last := 0, 0
	for i := range len(s) {
		kind := 0
		switch c := s[i]; {
		case c >= 'a' && c <= 'z':
			kind = 1
		case c >= 'A' && c <= 'Z':
			kind = 2
		case c >= '0' && c <= '9':
			kind = 3
		}
		if i > 0 && kind != last {
			n++
		}
		last = kind
	}
	return n
}

// onlySecretWords reports a value of nothing but words for secrets and about them.
func onlySecretWords(s string) bool {
	start := -1
	found := false
	for i := 0; i <= len(s); i++ {
		letter := i < len(s) && (s[i] >= 'a' && s[i] <= 'z' || s[i] >= 'A' && s[i] <= 'Z')
		camel := letter && start >= 0 && s[i] >= 'A' && s[i] <= 'Z' && s[i-1] >= 'a' && s[i-1] <= 'z'
		if start >= 0 && (!letter || camel) {
			secret, known := secretOrItsWord(s[start:i])
			if !known {
				return false
			}
			found = found || secret
			start = -1
		}
		if letter && start < 0 {
			start = i
		}
		if i < len(s) && !letter && !(s[i] >= '0' && s[i] <= '9' && i > 0 && len(s)-i <= 2) && strings.IndexByte("_-. :/", s[i]) < 0 {
			return false
		}
	}
	return found
}

func secretOrItsWord(w string) (secret, known bool) {
	if len(w) > 24 {
		return false, false
	}
	var buf [24]byte
	for i := range len(w) {
		buf[i] = w[i]
		if c := w[i]; c >= 'A' && c <= 'Z' {
			buf[i] = c + 'a' - 'A'
		}
	}
	low := buf[:len(w)]
	if c, _ := classOf(low); c != none {
		return true, true
	}
	if isAttribute(low) || mayFollow(low) || qualifiesKey(low) {
		return false, true
	}
	switch string(low) {
	case "my", "the", "a", "an", "test", "new", "old", "user", "db", "database", "mysql", "postgres", "redis", "root", "admin", "github", "aws", "some", "this", "is", "wrong", "bad", "good", "fake", "mock", "current", "hashed", "encrypted", "refresh", "access", "confirm", "of", "for", "to",
		"first", "second", "random", "public", "id", "your", "super", "very", "strong", "correct", "incorrect", "invalid", "valid", "expired", "default", "initial", "temporary", "temp", "x", "enter", "hash", "ldap", "smtp", "mail", "email", "global", "local", "remote", "base", "in", "with", "material", "goes", "another", "sandi":
		return false, true
	case "passwort", "kennwort", "wachtwoord", "senha", "contrasena", "contrasinal", "contrasenya", "contrasigno", "salasana", "heslo", "haslo", "parola", "parole", "parol", "parool", "passord", "kodeord", "adgangskode",
		"losenord", "lozinka", "geslo", "pasahitza", "pasvorto", "sifre", "jelszo", "slaptazodis", "lykilord", "sekret", "geheimnis", "schluessel", "clave", "contrasinais", "mdp", "fjalekalimi", "katasandi", "passvorto":
		return true, true
	}
	return false, false
}

// isCode reports an expression: a call, an index, a member.
func isCode(s string, after byte) bool {
	if strings.IndexByte("*&?", s[0]) >= 0 && len(s) > 2 && letter(s[1]) && strings.ContainsAny(s, ".:") { // a type
		return true
	}
	if i := strings.LastIndexByte(s, '.'); i > 0 && qualified(s) && !hasDigit(s[i:]) { // x509.sign
		return true
	}
	if after == '(' || after == '[' && !strings.ContainsAny(s, "0123456789") {
		return true
	}
	for i := range len(s) {
		switch s[i] {
		case '(', '[', '{', '}', ']', ')', '|', '<', '>':
			return true
		case '.':
			if i > 0 && i+1 < len(s) && letter(s[i-1]) && letter(s[i+1]) && !strings.ContainsAny(s[:i], "0123456789!@#$%^&*+=/") {
				return true
			}
		case '-':
			if i+1 < len(s) && s[i+1] == '>' {
				return true
			}
		case ':':
			if i+1 < len(s) && s[i+1] == ':' {
				return true
			}
		}
	}
	return false
}

// isFormat reports a quoted text that is a pattern or a piece of code.
func isFormat(s string) bool {
	if rest, ok := strings.CutPrefix(s, "min:"); ok && strings.Trim(rest, "0123456789") == "" {
		return true
	}
	for _, sign := range [...]string{"(.*)", "[^", "required|", "|min:", "|max:", "\\d", "\\w", "[a-z", "[A-Z", "]+", "[{", " + ", "\" +", "' +", "${", "=>", "()"} {
		if strings.Contains(s, sign) {
			return true
		}
	}
	return false
}

// qualified reports names with dots between them: org.spring.oauth2.JwtDecoder.
func qualified(s string) bool {
	for part := range strings.SplitSeq(s, ".") {
		if part == "" || len(part) > 40 || !letter(part[0]) || kindChanges(part) > 2+len(part)/4 || strings.Trim(part, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789") != "" {
			return false
		}
	}
	return true
}

func letter(c byte) bool { return c|0x20-'a' < 26 }

// isLocation reports a path, a URL, an address, a dotted name.
func isLocation(s string, plain bool, slashes, dots int, likes float64) bool {
	for _, p := range [...]string{"http://", "https://", "/", "./", "../", "~/", "arn:", "file:", "urn:", "op://", "vault:", "ref+", "projects/", "kms:", "ssm:", "HKLM:", "HKCU:"} {
		if strings.HasPrefix(s, p) && (len(p) > 1 || likes > wordLike) {
			return true
		}
	}
	if dots > 0 && plain && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ._-0123456789") == "" && likes > wordLike && s[0] != '.' {
		return true
	}
	if dots > 1 && qualified(s) {
		return true
	}
	return slashes > 0 && likes > wordLike && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ._-/*@:0123456789") == ""
}

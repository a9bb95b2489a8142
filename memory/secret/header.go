package secret

import (
	"encoding/base64"
	"strings"
	"unicode/utf8"
)

// authorized takes the value of an Authorization header, without its scheme.
func (l *commandLine) authorized(s string, at int) (start, end int, kind string) {
	end = at
	for end < len(s) && end-at < MaxToken && strings.IndexByte("\"'`\n\r;|)", s[end]) < 0 {
		end++
	}
	v := s[at:end]
	if scheme, rest, ok := strings.Cut(v, " "); ok && len(scheme) < 16 && !strings.ContainsAny(scheme, "0123456789(){}[],") {
		if at, v = at+len(scheme)+1, rest; strings.EqualFold(scheme, "digest") { // name=value, and no password
			return 0, 0, ""
		}
	}
	word, _, _ := strings.Cut(v, " ")
	if !l.strict && (strings.ContainsAny(word, "(){}[]<>") || strings.HasPrefix(word, `\`) || strings.Contains(word, `\s`) || strings.Contains(word, `\w`) || plainWord(strings.Trim(word, ",:?"))) { // code
		return 0, 0, ""
	}
	if variable(word) || word == "" || !l.strict && (plainWord(word) || len(word) < 6) {
		return 0, 0, ""
	}
	return at, at + len(strings.TrimRight(word, ",")), "credentials"
}

// cookie reports name=value with a value that nobody thought up for an example.
func cookie(s string) bool {
	for pair := range strings.SplitSeq(s, ";") {
		name, v, ok := strings.Cut(strings.TrimSpace(pair), "=")
		if ok && len(v) >= 8 && name != "" && !strings.EqualFold(name, "expires") && hasDigit(v) && !isPlaceholder(v) && strings.IndexByte(v, ' ') < 0 {
			return true
		}
	}
	return false
}

// header finds the value of an Authorization header.
func header(s string, i int) (start, end int, kind string) {
	for _, scheme := range []string{"bearer ", "basic "} {
		if len(s)-i < len(scheme) || !strings.EqualFold(s[i:i+len(scheme)], scheme) {
			continue
		}
		start := i + len(scheme)
		end := start
		for end < len(s) && (wordByte(s[end]) || strings.IndexByte("-._~+/=", s[end]) >= 0) {
			end++
		}
		if v := s[start:end]; strings.IndexByte(strings.TrimRight(v, "="), '=') >= 0 { // error=insufficient_scope
			return 0, 0, ""
		} else if len(v) >= 16 && entropy(v) >= 3 && !plainWord(v) || scheme == "basic " && pairOf(v) {
			return start, end, "credentials"
		}
	}
	return 0, 0, ""
}

// pairOf reports user:password in Base64, or what looks like it.
func pairOf(v string) bool {
	if len(v) < 8 || len(v)%4 != 0 {
		return false
	}
	if plain, err := base64.StdEncoding.DecodeString(v); err == nil && utf8.Valid(plain) {
		if _, pass, ok := strings.Cut(string(plain), ":"); ok {
			return pass == "" || !onlySecretWords(pass) && !isPlaceholder(pass)
		}
	}
	return strings.HasSuffix(v, "=") || hasDigit(v) && strings.IndexByte(v, '_') < 0 && likeness(v) < wordLike
}

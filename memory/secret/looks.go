package secret

import "strings"

// looksLikePassword reports a word that looks like a password.
func looksLikePassword(v string, quoted bool) bool {
	if len(v) < 5 || len(v) > 64 || isPlaceholder(v) || isKeyword(v) || strings.Contains(v, "://") || isUUID(v) || isHashed(v) {
		return false
	}
	if onlySecretWords(v) || isTechnicalTerm(v) || isTicket(v) || strings.Trim(v, "0123456789.,%≥≤≈±<>~+-") == "" {
		return false
	}
	if i := strings.IndexByte(v, '@'); i > 0 && !quoted && strings.Trim(v, "abcdefghijklmnopqrstuvwxyz@") == "" { // root@host
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
	case digit > 0 && (upper+lower >= 3) && !isNumberWithUnit(v):
		return !isFileOrVersion(v)
	case sign > 0 && strings.ContainsAny(inner, "!@#$%^&*"):
		return upper+lower >= 3 && v[0] != '$' && v[0] != '&' && !strings.HasSuffix(v, "*") && v[0] != '*'
	case digit == 0 && len(v) >= 8 && likeness(v) < wordLike-0.6 && upper > 0 && lower > 0 && strings.ToUpper(v[:1])+v[1:] != v:
		return true
	}
	return false
}

// isFileOrVersion reports main.go and v1.2.3, which are no passwords.
func isFileOrVersion(v string) bool {
	i := strings.LastIndexByte(v, '.')
	if i > 0 && capital(v[0]) && strings.IndexByte(v, '/') < 0 && len(v) >= 10 && hasDigit(v) && isName(strings.ReplaceAll(v[:i], ".", "")) && (i+1 == len(v) || capital(v[i+1]) || v[i+1] <= '9') { // Sunny.Day.88
		return false
	}
	return i > 0 && len(v)-i <= 6 && strings.IndexByte(v, '!') < 0 && strings.ContainsAny(v[i+1:], "abcdefghijklmnopqrstuvwxyz0123456789")
}

// isNumberWithUnit reports a number with its unit, an ordinal or a version: 32-byte, 24h, v2.
func isNumberWithUnit(v string) bool {
	n := len(strings.TrimLeft(v, "0123456789.,+~"))
	if n < len(v) {
		rest := strings.TrimLeft(v[len(v)-n:], "-_x")
		if len(rest) <= 3 || strings.Trim(rest, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-") == "" && likeness(rest) > wordLike {
			return true
		}
	}
	return (v[0] == 'v' || v[0] == 'V') && strings.Trim(v[1:], "0123456789.") == ""
}

// isTechnicalTerm reports a term with a digit in it, and what is named by one.
func isTechnicalTerm(v string) bool {
	low := strings.ToLower(strings.Trim(v, "!?"))
	for _, t := range [...]string{"sha", "md5", "base64", "base32", "base58", "base62", "utf", "argon2", "scram", "oauth", "aes", "http", "ipv", "x509", "x25519", "ed25519", "ecdsa", "rsa", "rs256", "hs256", "es256", "ps256", "pkcs", "pbkdf2", "scrypt", "bcrypt", "blake",
		"k8s", "i18n", "ec2", "s3", "oidc", "saml", "iso", "rfc", "cve", "tls1", "tlsv", "python", "node", "java", "php", "es20", "w3c", "ascii", "log4j", "win32", "x86", "amd64", "arm64", "int", "uint", "float", "utf8", "crc", "a11y", "l10n", "p256", "p12", "hmac", "jwt", "hex", "web3", "oauth2", "http2", "sec", "u2f", "fido2", "ieee", "mp3", "mp4", "h264", "neo4j", "postgres1", "mysql8", "id_", "issue", "pr#", "step", "phase", "line", "version", "part", "option", "case", "test_", "test-", "arg", "param", "layer", "level", "section", "chapter", "table", "figure", "item", "task", "tier", "type", "day", "week", "q1", "q2", "q3", "q4", "page"} {
		if rest, ok := strings.CutPrefix(low, t); ok && (strings.Trim(rest, "0123456789-_.") == "" || rest == "id") {
			return true
		}
	}
	return false
}

// looksRandom reports a word that looks like a key or a token.
func looksRandom(v string, quoted bool) bool {
	if !quoted && isCode(v, 0) {
		return false
	}
	if len(v) < 8 || len(v) > 200 || isPlaceholder(v) || isHashed(v) || isUUID(v) || isTechnicalTerm(v) || strings.ContainsAny(v, "()[]{}<>\\|, :;'\"@#$%") || onlySecretWords(v) {
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
	if digits < 2 || letters < 3 || isNumberWithUnit(v) || isFileOrVersion(v) || numberedWords(v) {
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

// strong reports letters, digits or signs that no name has together.
func strong(v string) bool {
	return strings.ContainsAny(v, "!@#$%^&*") && len(v) >= 6 && v[0] != '@' && v[0] != '#' && v[0] != '$' || hasDigit(strings.TrimRight(v, "0123456789")) && strings.ContainsAny(v, "abcdefghijklmnopqrstuvwxyz") && strings.ContainsAny(v, "ABCDEFGHIJKLMNOPQRSTUVWXYZ")
}

// isLeet reports a word in which a digit stands for a letter: dr4gon.
func isLeet(v string) bool {
	if len(v) < 7 || strings.HasPrefix(strings.ToLower(v), "oauth") {
		return false
	}
	for i := 1; i+1 < len(v); i++ {
		if strings.IndexByte("013457", v[i]) >= 0 && letter(v[i-1]) && letter(v[i+1]) && strings.Trim(strings.ToLower(v), "abcdef0123456789-") != "" {
			return true
		}
	}
	return false
}

// surelyPassword reports a password that somebody thought up: capitals, small letters and
// digits or signs in it, or a digit for a letter.
func surelyPassword(v string) bool {
	return strong(v) || isLeet(v) || len(v) >= 8 && hasDigit(v) && strings.ContainsAny(v, "-_.") && strings.ContainsAny(v, "abcdefghijklmnopqrstuvwxyz") && strings.ContainsAny(v, "ABCDEFGHIJKLMNOPQRSTUVWXYZ")
}

package secret

import "strings"

// hasOtherStructure reports a value that has a structure which values of other kinds have: the
// name of an algorithm, a version, names with numbers, a line of a text, a variable.
func (c *candidate) hasOtherStructure() bool {
	v := &c.value
	word := c.name.class != password
	switch {
	case isAlgorithm(v.text), isVersionRange(v.text), isIssueNumber(v.text), hasTemplate(v.text):
		return true
	case v.quote != 0 && !c.machineMade() && hasLineEscape(v.text): // a line of a text
		return true
	case word && (headerName(v.text) || numberedWords(v.text) || pathLike(v.text) || lowerNames(v.text) || strings.Contains(v.text, "://") || len(v.text) < 8 && isNumberWithUnit(v.text)):
		return true
	case word && v.quote != 0 && (isTitleCase(v.text) || c.relation == argument && isName(v.text) && !c.machineMade()): // a label, new Secret("name")
		return true
	case word && c.name.class != account && strings.IndexByte(v.text, ',') > 0 && strings.IndexByte(v.text, '=') > 0: // a list of options
		return true
	case c.name.class == token && v.form == number && v.quote == 0, // a count
		v.quote == 0 && v.text[0] == '&' && len(v.text) > 2 && identifier(v.text[1:]): // a pointer to a variable
		return true
	case isTicket(v.text), namesCipher(v.text) && !c.machineMade(), v.quote == 0 && len(v.text) > 2 && (v.text[len(v.text)-1] == '?' && isName(v.text[:len(v.text)-1]) || v.text[0] == '*' && isName(v.text[1:])): // a type, a pointer
		return true
	case c.name.verb && v.quote == 0 && c.relation == colon && !hasDigit(v.text) && v.after != 0 && v.after != '\n' && v.after != '\r': // Pass: parser + printer
		return true
	case c.ofHolder && isTitleCase(v.text): // <input type="submit" value="Register">
		return true
	case c.name.class == session && (c.relation == argument || len(v.text) < 10): // Session("name")
		return true
	case v.quote == 0 && c.relation != element && (v.after == ',' || v.after == ')') && identifier(v.text) && (strings.IndexByte(v.text, '_') > 0 && !hasDigit(v.text) && v.likes > wordLike || endsInSecret(v.text)): // f(password=db_password, …)
		return true
	case c.name.class == password && (v.text == "allow" || v.text == "deny"), len(v.text) > 3 && v.text[0] == '$' && v.text[len(v.text)-1] == '$' && isName(strings.ReplaceAll(v.text[1:len(v.text)-1], "-", "")): // a permission, $version$
		return true
	case c.name.verb && v.quote == 0 && c.relation == colon && c.inSentence && !hasDigit(v.text): // First pass: parse
		return true
	case c.relation == beside && !c.name.last && v.quote == 0:
		return true
	case v.quote == 0 && c.relation == colon && v.form == constant && c.name.class == password: // Password: PROTECTED
		return true
	}
	return false
}

// algorithmWord reports a word of the names of algorithms, cipher suites and their
// modes, without its number; sure says that other names seldom have it.
func algorithmWord(w string) (sure, known bool) {
	switch strings.TrimRight(strings.TrimLeft(w, "0123456789"), "0123456789") {
	case "SHA", "AES", "HS", "RS", "ES", "PS", "HMAC", "RSA", "ECDSA", "ECDH", "ECDHE", "DHE", "EDDSA", "CBC", "GCM", "CCM", "GCMKW", "KW", "TLS", "SSL", "DTLS", "PBES", "PBKDF", "MD", "ALG", "CHACHA", "POLY", "KDF", "HKDF", "OAEP", "SCRAM", "ED", "CMAC", "GMAC", "CTR", "CFB", "OFB", "ECB", "XTS", "DES", "RC":
		return true, true
	case "A", "B", "C", "P", "X", "PSA", "PSK", "WITH", "VERS", "KX", "NORMAL", "ALL", "ANON", "NULL", "ANY", "DIR", "PKCS", "OPENSSL", "KEY", "PLUS", "":
		return false, true
	}
	return false, false
}

// isAlgorithm reports HS256, A128CBC-HS256, TLS_PSK_WITH_AES_256_CBC_SHA.
func isAlgorithm(s string) bool {
	if len(s) < 4 || len(s) > 64 || s[0] >= '0' && s[0] <= '9' {
		return false
	}
	sure, start := false, 0
	for i := 0; i <= len(s); i++ {
		if i < len(s) {
			switch c := s[i]; {
			case c >= 'A' && c <= 'Z':
				if i == start || !(s[i-1] >= '0' && s[i-1] <= '9') { // A128CBC is two words
					continue
				}
			case c >= '0' && c <= '9':
				continue
			case strings.IndexByte("-_+.:/", c) < 0:
				return false
			}
		}
		is, known := algorithmWord(s[start:i])
		if !known || i-start > 12 {
			return false
		}
		sure = sure || is
		start = i
		if i < len(s) && !capital(s[i]) {
			start++
		}
	}
	return sure
}

// isVersionRange reports a range of versions: npm:^1.2.4, >=2.0, ~1.4.
func isVersionRange(s string) bool {
	if i := strings.IndexByte(s, ':'); i > 0 && i < 12 && strings.Trim(s[:i], "abcdefghijklmnopqrstuvwxyz") == "" {
		s = s[i+1:]
	}
	rest := strings.TrimLeft(s, "^~<>=v ")
	return len(rest) < len(s) && rest != "" && rest[0] >= '0' && rest[0] <= '9' && strings.IndexByte(rest, '.') > 0 && strings.Trim(rest, "0123456789.x*-") == ""
}

// isIssueNumber reports the number of one: #1392.
func isIssueNumber(s string) bool {
	return s[0] == '#' && len(s) > 1 && len(s) < 8 && strings.Trim(s[1:], "0123456789") == ""
}

// hasTemplate reports a variable in braces within a text: max-{n}-turns.
func hasTemplate(s string) bool {
	i := strings.IndexByte(s, '{')
	if i < 0 {
		return false
	}
	j := strings.IndexByte(s[i:], '}')
	return j > 1 && letter(s[i+1]) && strings.Trim(s[i+1:i+j], "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_.") == ""
}

// hasLineEscape reports a text with the escape of a line's end, behind which a word may follow.
func hasLineEscape(s string) bool {
	i := strings.Index(s, `\n`)
	return i > 0 && s[i-1] != '\\' && (i+2 == len(s) || capital(s[i+2]) || s[i+2] == '\\' || s[i+2] == ' ')
}

// headerName reports a name as HTTP has them: X-Hub-Signature-256.
func headerName(s string) bool {
	if !strings.HasPrefix(s, "X-") && !strings.HasPrefix(s, "x-") {
		return false
	}
	for part := range strings.SplitSeq(s[2:], "-") {
		if part == "" || strings.Trim(part[1:], "abcdefghijklmnopqrstuvwxyz") != "" && strings.Trim(part, "0123456789") != "" {
			return false
		}
	}
	return true
}

// numberedWords reports words with numbers as names have them: etcd-cluster-1,
// user_token_123, gtm-q2-review.
func numberedWords(s string) bool {
	if len(s) > 64 || strings.IndexByte(s, '-') < 0 && strings.IndexByte(s, '_') < 0 {
		return false
	}
	words, parts := 0, 0
	for part := range strings.FieldsFuncSeq(s, func(r rune) bool { return r == '-' || r == '_' || r == '.' || r == '/' }) {
		letters := strings.TrimRight(part, "0123456789")
		if strings.Trim(letters, "abcdefghijklmnopqrstuvwxyz") != "" || len(part)-len(letters) > 3 {
			return false
		}
		parts++
		if len(letters) > 4 { // shorter ones are often abbreviations
			if likeness(letters) < wordLike-0.3 {
				return false
			}
			words++
		}
	}
	return words > 0 && parts > 1
}

// pathLike reports slashes with other signs, which no alphabet of keys has both of.
func pathLike(s string) bool {
	return len(s) < 80 && strings.Count(s, "/") > 1 && strings.ContainsAny(s, "-._")
}

// lowerNames reports small letters with signs between them, and no digit: xml-decl.xml.
func lowerNames(s string) bool {
	return strings.ContainsAny(s, "._-") && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz._-") == "" && likeness(s) > wordLike-0.3
}

// identifier reports a name of code.
func identifier(s string) bool {
	return (letter(s[0]) || s[0] == '_') && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789") == ""
}

// endsInSecret reports a name that ends in a word for a secret: neo4j_password.
func endsInSecret(s string) bool {
	n := parseName(s[:min(len(s), maxName)])
	return n.class != none && n.last && strings.IndexByte(s, '_') > 0
}

// isTicket reports the number of a ticket: SEP-990.
func isTicket(s string) bool {
	i := strings.IndexByte(s, '-')
	return i > 1 && i+1 < len(s) && len(s) < 13 && strings.Trim(s[:i], "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == "" && strings.Trim(s[i+1:], "0123456789") == ""
}

// namesCipher reports the name of an algorithm among other words: ChaCha20-Poly1305.
func namesCipher(s string) bool {
	if len(s) > 32 {
		return false
	}
	low := strings.ToLower(s)
	for _, w := range [...]string{"chacha20", "poly1305", "ed25519", "x25519", "curve25519", "secp256", "sha256", "sha-256", "sha512", "sha-512", "aes-", "aes256", "hmac-", "blake2", "blake3", "argon2", "pbkdf2"} {
		if strings.Contains(low, w) {
			return true
		}
	}
	return false
}

package secret

import "strings"

// isNumber reports 0x1f and 1.3.6.1\x00.
func isNumber(s string) bool {
	if len(s) > 1 && (s[0] == '-' || s[0] == '+') {
		s = s[1:]
	}
	if head, exp, ok := strings.Cut(strings.ToLower(s), "e"); ok && head != "" && strings.Trim(head, "0123456789.") == "" && len(exp) > 1 && strings.Trim(exp[1:], "0123456789") == "" && (exp[0] == '-' || exp[0] == '+') { // 2.5e-06
		return true
	}
	if strings.Trim(s, "^~<>=*v.-|$ 0123456789") == "" && strings.ContainsAny(s, "0123456789") { // ^1.2.0
		return strings.IndexByte(s, '.') > 0
	}
	if len(s) >= 10 && s[4] == '-' && s[7] == '-' && strings.Trim(s, "0123456789-:.TZ+") == "" { // a date
		return true
	}
	if unit := strings.TrimLeft(s, "0123456789."); len(unit) < len(s) && len(unit) <= 2 && strings.Trim(unit, "kKmMgGtTbBiI%") == "" { // 128k, 99%
		return true
	}
	if len(s) > 2 && s[0] == '0' && (s[1] == 'x' || s[1] == 'X') && (len(s) <= 21 || len(s) == 42) { // also an address on a chain
		return strings.Trim(s[2:], "0123456789abcdefABCDEF_uUlL") == ""
	}
	return false
}

func isUUID(s string) bool {
	if len(s) != 36 || s[8] != '-' || s[13] != '-' || s[18] != '-' || s[23] != '-' {
		return false
	}
	for i := range len(s) {
		c := s[i]
		if c != '-' && (c < '0' || c > '9') && (c < 'a' || c > 'f') && (c < 'A' || c > 'F') {
			return false
		}
	}
	return true
}

// isHashed reports what a password was turned into, or a checksum.
func isHashed(s string) bool {
	if rest, ok := strings.CutPrefix(s, "#jbcrypt:"); ok && len(rest) > 0 {
		s = rest
	}
	for _, p := range [...]string{"$2a$", "$2b$", "$2y$", "$argon2", "$1$", "$5$", "$6$", "$pbkdf2", "$scrypt", "$apr1$", "$y$", "{SSHA}", "{SHA", "{CRYPT}", "sha256:", "sha512:", "sha1:", "SCRAM-SHA", "sha256-", "sha384-", "sha512-", "md5:", "SHA256:", "pbkdf2", "scrypt:", "bcrypt:"} {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	if len(s) == 41 && s[0] == '*' && strings.Trim(s[1:], "0123456789ABCDEF") == "" { // of MySQL
		return true
	}
	if len(s) == 35 && strings.HasPrefix(s, "md5") && strings.Trim(s[3:], "0123456789abcdef") == "" {
		return true
	}
	for _, p := range [...]string{"MIGfMA0G", "MIIBIjAN", "MFkwEwYH", "MHYwEAYH", "LS0tLS1CRUdJTiBQVUJ", "LS0tLS1CRUdJTiBDRVJ"} { // public keys and certificates in base64
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	if s[0] == '$' { // $id$…
		if j := strings.IndexByte(s[1:], '$'); j > 0 && j < 10 && strings.Trim(s[1:j+1], "abcdefghijklmnopqrstuvwxyz0123456789-") == "" {
			return true
		}
	}
	return false
}

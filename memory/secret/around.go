package secret

import "strings"

// look finds out what the text before the name, which begins at a byte, says of the
// value that the sign at i gives it.
func (c *candidate) look(s string, i, at int) {
	v := &c.value
	before := s[max(0, at-40):at]
	if c.name.class == password && !hasDigit(v.text) && standsIn(before, v.text) {
		c.same = true // user: bat, password: bat
	}
	c.after = len(before) > 1 && strings.HasSuffix(before, " ") && letter(before[len(before)-2])
	c.listed = c.relation == second && strings.HasSuffix(strings.TrimRight(before, "\"'`"), "[")
	switch {
	case c.relation == colon && v.quote == 0 && i+1 < len(s) && !space(s[i+1]) && (c.name.dotted || strings.HasSuffix(before, ":") || strings.HasSuffix(before, "/")), // io.jsonwebtoken:jjwt, urn:oauth:x
		c.name.class == plainKey && (endsFold(before, "gpg ") || endsFold(before, "pgp ")),                                                        // a fingerprint
		c.name.class == plainKey && c.name.alone && c.relation == tight && v.quote != 0 && letter(v.after) && strings.IndexByte(before, '<') >= 0, // <property key="x" value="y"/>
		c.relation == colon && v.quote == 0 && isName(v.text) && s[i-1] == ' ' && quoted(s[:i-1]) && strings.Contains(before, "="),                // x == 'pass' : y
		strings.HasSuffix(before, "? '"), strings.HasSuffix(before, "? \""), // x ? 'password' : 'text'
		(c.relation == tight || c.relation == colon && v.quote == '`') && v.quote != 0 && before != "" && before[len(before)-1] == v.quote && wordByte(s[i-1]), // `PASSWORD=`
		c.relation == colon && v.quote == 0 && s[i-1] == ' ' && i+1 < len(s) && !space(s[i+1]),                                                                 // pass :class:
		endsFold(before, "invalid "), endsFold(before, "unexpected "), endsFold(before, "unknown "), // of a parser
		c.relation == given && v.quote == 0 && s[i-1] == ':', // x := y
		endsFold(before, "public "),
		c.relation == colon && v.quote == 0 && isName(v.text) && (quoted(before) && (s[i-1] == before[len(before)-1] || s[i-1] == ' ' && v.after == ',') || quoted(before) && i+1 < len(s) && !space(s[i+1])), // "password": usr, "password:hash"
		strings.HasSuffix(before, "typeof "), strings.HasSuffix(before, "$("),
		c.relation == colon && v.quote == 0 && s[i-1] == ']',                                       // [type="password"]:focus
		c.relation == given && s[i-1] == ':' && v.after == ',' && strings.HasSuffix(before, ", "),  // user, password := "x", "y"
		c.relation == beside && strings.EqualFold(s[at:i], "pass") && isVerbPass(s, at, i, "pass"), // pass `x` to it
		c.relation == colon && i > 1 && s[i-2] == ' ' && strings.IndexByte("\"'`", s[i-1]) >= 0,    // pass `:x`
		c.relation == colon && v.quote == 0 && v.after == '=' && !hasDigit(v.text):                 // key: Type = x
		c.aside = true
	}
}

// keyOfMap reports a value that is itself given one: what stands between the sign, at
// begin, and the next byte behind the value is the key of a map that the name holds.
func (c *candidate) keyOfMap(s string, begin, at, next int) bool {
	switch {
	case c.value.quote == 0:
		return c.relation == colon && strings.IndexByte(s[begin:at], '\n') >= 0 && s[next-1] != '\n' && (s[next] == ':' || s[next-1] == ':' || s[next-1] == ' ' && s[next] == '=')
	case c.relation == equals: // if password == "x":
		return false
	}
	return s[next] == ':' || s[next] == '=' && next+1 < len(s) && s[next+1] == '>'
}

// quoted reports a quote at the end of a text.
func quoted(s string) bool {
	return s != "" && (s[len(s)-1] == '"' || s[len(s)-1] == '\'')
}

// isName reports letters and low lines alone: a variable.
func isName(s string) bool {
	return strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_") == ""
}

// endsFold reports how a text ends, whatever its case.
func endsFold(s, end string) bool {
	return len(s) >= len(end) && strings.EqualFold(s[len(s)-len(end):], end)
}

// saysMore reports a word at a byte that is neither an option nor NAME=value.
func saysMore(s string, at int) bool {
	end := at
	for end < len(s) && end-at < maxName && !space(s[end]) {
		end++
	}
	w := strings.TrimRight(s[at:end], ".,;:!?")
	for i := range len(w) {
		if !letter(w[i]) && w[i] < 128 && w[i] != '-' && w[i] != '\'' {
			return false
		}
	}
	return w != "" && w[0] != '-'
}

// standsIn reports a word of a text.
func standsIn(s, word string) bool {
	for at := 0; ; {
		j := strings.Index(s[at:], word)
		if j < 0 {
			return false
		}
		j += at
		if end := j + len(word); (j == 0 || !wordByte(s[j-1])) && (end == len(s) || !wordByte(s[end])) {
			return true
		}
		at = j + 1
	}
}

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
	switch {
	case strings.HasSuffix(before, "? '"), strings.HasSuffix(before, "? \""), // x ? 'password' : 'text'
		c.relation == tight && v.quote != 0 && before != "" && before[len(before)-1] == v.quote && wordByte(s[i-1]), // `PASSWORD=`
		len(before) > 6 && strings.EqualFold(before[len(before)-7:], "public "),
		c.relation == colon && v.quote == 0 && isName(v.text) && (quoted(before) && (s[i-1] == before[len(before)-1] || s[i-1] == ' ' && v.after == ',') || quoted(before) && i+1 < len(s) && !space(s[i+1])), // "password": usr, "password:hash"
		strings.HasSuffix(before, "typeof "), strings.HasSuffix(before, "$("),
		c.relation == colon && v.quote == 0 && s[i-1] == ']',                                      // [type="password"]:focus
		c.relation == given && s[i-1] == ':' && v.after == ',' && strings.HasSuffix(before, ", "), // user, password := "x", "y"
		c.relation == beside && strings.EqualFold(s[at:i], "pass") && passing(s, at, i, "pass"),   // pass `x` to it
		c.relation == colon && i > 1 && s[i-2] == ' ' && strings.IndexByte("\"'`", s[i-1]) >= 0,   // pass `:x`
		c.relation == colon && v.quote == 0 && v.after == '=' && !hasDigit(v.text):                // key: Type = x
		c.aside = true
	}
}

// quoted reports a quote at the end of a text.
func quoted(s string) bool {
	return s != "" && (s[len(s)-1] == '"' || s[len(s)-1] == '\'')
}

// isName reports letters and low lines alone: a variable.
func isName(s string) bool {
	return strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_") == ""
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

package secret

import "strings"

// readSurroundings finds out what the text before the name, which begins at a byte, says
// of the value that the sign at i gives it.
func (c *candidate) readSurroundings(s string, i, at int) {
	v := &c.value
	before := s[max(0, at-40):at]
	if c.name.class == password && !hasDigit(v.text) && hasWord(before, v.text) {
		c.sameAsName = true // user: bat, password: bat
	}
	c.inSentence = len(before) > 1 && strings.HasSuffix(before, " ") && letter(before[len(before)-2])
	c.listed = c.relation == second && strings.HasSuffix(strings.TrimRight(before, "\"'`"), "[")
	c.givesNone = givesNoValue(before) || c.signGivesNone(s, i, at, before)
}

// givesNoValue reports that the text before a name speaks of its kind, or is an expression
// that compares it.
func givesNoValue(before string) bool {
	for _, end := range [...]string{"invalid ", "unexpected ", "unknown ", "public "} { // of a parser, of a key
		if endsFold(before, end) {
			return true
		}
	}
	for _, end := range [...]string{"? '", "? \"", "typeof ", "$("} { // x ? 'password' : 'text'
		if strings.HasSuffix(before, end) {
			return true
		}
	}
	return false
}

// signGivesNone reports that the sign at i does something else than to give a value to the
// name, which begins at a byte.
func (c *candidate) signGivesNone(s string, i, at int, before string) bool {
	v := &c.value
	if c.name.class == plainKey {
		switch {
		case endsFold(before, "gpg "), endsFold(before, "pgp "): // a fingerprint
			return true
		case c.name.alone && c.relation == tight && v.quote != 0 && letter(v.after) && strings.IndexByte(before, '<') >= 0: // <property key="x" value="y"/>
			return true
		}
	}
	switch {
	case c.relation == colon && v.quote == 0:
		return c.colonGivesNone(s, i, before)
	case (c.relation == tight || c.relation == colon && v.quote == '`') && v.quote != 0 && before != "" && before[len(before)-1] == v.quote && wordByte(s[i-1]): // `PASSWORD=`
		return true
	case c.relation == given && s[i-1] == ':': // x := y; user, password := "x", "y"
		return v.quote == 0 || v.after == ',' && strings.HasSuffix(before, ", ")
	case c.relation == beside: // pass `x` to it
		return strings.EqualFold(s[at:i], "pass") && isVerbPass(s, at, i, "pass")
	}
	return c.relation == colon && i > 1 && s[i-2] == ' ' && strings.IndexByte("\"'`", s[i-1]) >= 0 // pass `:x`
}

// colonGivesNone is signGivesNone for a colon that a value without quotes follows.
func (c *candidate) colonGivesNone(s string, i int, before string) bool {
	v := &c.value
	noSpace := i+1 < len(s) && !space(s[i+1]) // no space follows the colon
	switch last := s[i-1]; {
	case noSpace && (c.name.dotted || strings.HasSuffix(before, ":") || strings.HasSuffix(before, "/")): // io.jsonwebtoken:jjwt, urn:oauth:x
		return true
	case last == ' ' && noSpace: // pass :class:
		return true
	case last == ']': // [type="password"]:focus
		return true
	case i > 1 && s[i-2] == ' ' && strings.IndexByte("\"'`", last) >= 0: // pass `:x`
		return true
	case v.after == '=' && !hasDigit(v.text): // key: Type = x
		return true
	case !isName(v.text):
		return false
	case last == ' ' && endsInQuote(s[:i-1]) && strings.Contains(before, "="): // x == 'pass' : y
		return true
	}
	// "password": usr, "password:hash"
	return endsInQuote(before) && (noSpace || s[i-1] == before[len(before)-1] || s[i-1] == ' ' && v.after == ',')
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

// endsInQuote reports a quote at the end of a text.
func endsInQuote(s string) bool {
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

// wordFollows reports a word at a byte that is neither an option nor NAME=value.
func wordFollows(s string, at int) bool {
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

// hasWord reports a word of a text.
func hasWord(s, word string) bool {
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

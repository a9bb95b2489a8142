package secret

import "strings"

// relation is how a value is tied to its name.
type relation uint8

const (
	tight    relation = iota // name=value
	given                    // name = value, name := value
	colon                    // name: value
	equals                   // name == value
	argument                 // name(value)
	second                   // ("name", value)
	element                  // <name>value</name>
	beside                   // name value
	relations
)

// candidate is a value that a name with a word for a secret is given.
type candidate struct {
	name        name
	relation    relation
	value       value
	start, end  int
	sameAsName  bool // the value is the name, or holds it
	statement   bool // of SQL: IDENTIFIED BY 'x'
	wrapped     bool // the value is an argument of a call
	listed      bool // name and value are in one list: ["name", "value"]
	namesSecret bool // the value is itself a name with a word for a secret
	repeatsName bool // the value has a word that its name has: refresh_token = eyJrefresh
	wordsFollow bool // words follow the value, as in a file of translations
	givesNone   bool // what stands around the name says that it is given no value
	ofHolder    bool // the name is that of what holds the value: name="x" value="y"
	inSentence  bool // the name follows a word of a sentence
	goesOn      bool // a piece of an expression that goes on: "prefix_" + x
}

// maxJWK is how far from a member of a JSON Web Key its kind may stand.
const maxJWK = 400

// maxValue bounds a value. A longer one is looked at as far as that.
const maxValue = 512

// candidateAt finds a value that is given to a name by the sign at i.
func candidateAt(s string, i int) (c candidate, ok bool) {
	if i == 0 {
		return c, false // no name stands before it
	}
	r, at, ok := relationAt(s, i)
	if !ok {
		return c, false
	}
	c.relation = r
	end := i
	if s[i] == '=' && i > 0 && strings.IndexByte(":!+?.", s[i-1]) >= 0 {
		end--
	}
	text := nameOf(s, end, c.relation)
	if text == "" {
		return c, false
	}
	if c.relation == beside && isIdentifiedBy(s, i, end, text) {
		text, c.statement = "password", true
	}
	c.name = parseName(text)
	if c.relation == colon && isPrivatePartOfJWK(s, i, text) {
		c.name = name{class: qualifiedKey, last: true}
	}
	if c.name.class == none && c.relation != argument && c.relation != second && isValueWord(text) {
		c.name, c.ofHolder = parseName(nameBesideValue(s, end-len(text))), true
	}
	if c.name.class == none || !c.readValue(s, at) {
		return c, false
	}
	if c.name.class == plainKey && c.value.quote == 0 && c.relation == beside {
		return c, false
	}
	c.compareWithName(text)
	c.readSurroundings(s, i, max(0, strings.LastIndex(s[:end], text)))
	return c, true
}

// relationAt tells how the sign at i ties a value, which begins at the byte it returns or
// behind spaces there; ok is false where it ties none.
func relationAt(s string, i int) (r relation, at int, ok bool) {
	at = i + 1
	switch s[i] {
	case '=':
		return relationOfEquals(s, i)
	case ':':
		if at < len(s) && (s[at] == ':' || s[at] == '=' || s[at] == '/' && at+1 < len(s) && s[at+1] == '/') || i > 0 && s[i-1] == ':' {
			return 0, 0, false
		}
		return colon, at, true
	case '(':
		return argument, at, true
	case ',':
		return second, at, true
	case '>':
		return element, at, true
	case ' ':
		return beside, at, true
	}
	return tight, at, true
}

// relationOfEquals is relationAt for "=" and the signs that it is a part of: ==, !=, :=, =>.
func relationOfEquals(s string, i int) (r relation, at int, ok bool) {
	at = i + 1
	if i > 0 && strings.IndexByte("=!<>~", s[i-1]) >= 0 || at < len(s) && s[at] == '~' {
		if s[i-1] != '=' && s[i-1] != '!' || at >= len(s) {
			return 0, 0, false
		}
		if i > 1 && s[i-2] == '=' || s[i-1] == '!' && s[at] == '=' { // ===, !==
			return 0, 0, false
		}
	}
	for at < len(s) && s[at] == '=' {
		at++
		r = equals
	}
	if i > 0 && s[i-1] == '!' {
		r = equals
	}
	if at < len(s) && s[at] == '>' {
		at++
	}
	if r == tight && (at < len(s) && space(s[at]) || i > 0 && (space(s[i-1]) || s[i-1] == ':')) {
		r = given
	}
	return r, at, true
}

// isIdentifiedBy reports the "by" of IDENTIFIED BY 'x', a statement of SQL, that ends before
// end. In small letters and with double quotes it is English.
func isIdentifiedBy(s string, i, end int, text string) bool {
	return len(text) == 2 && strings.EqualFold(text, "by") && end > 13 && strings.EqualFold(s[end-13:end-2], "identified ") &&
		(s[end-3] == ' ' && capital(s[end-4]) || i+1 < len(s) && s[i+1] != '"')
}

// isPrivatePartOfJWK reports the name of a JSON Web Key's private part: the kind of key
// stands near it.
func isPrivatePartOfJWK(s string, i int, text string) bool {
	return (text == "d" || text == "k") && strings.Contains(s[max(0, i-maxJWK):min(len(s), i+maxJWK)], "kty")
}

// compareWithName finds out whether the value repeats the name, or is one itself.
func (c *candidate) compareWithName(text string) {
	c.sameAsName = len(text) >= 3 && (len(text) >= 5 && containsFold(c.value.text, text) || strings.EqualFold(strings.Trim(c.value.text, "$%@:_"), text))
	if n := parseName(c.value.text); len(c.value.text) < maxName && n.class != none && n.last && c.value.form != prose && (!hasDigit(c.value.text) || isDashedName(c.value.text) || c.name.class != password && endsInNumber(c.value.text) || c.value.quote == 0 && c.relation != tight && isCamelCase(strings.Trim(c.value.text, "0123456789")+"x")) {
		c.namesSecret = true
	}
	if word := strings.TrimRight(c.value.text, "0123456789"); c.name.class != password && len(word) < len(c.value.text) && len(c.value.text)-len(word) <= 2 {
		n := parseName(word) // nextToken1
		c.namesSecret = c.namesSecret || n.class != none && n.last && !hasDigit(word) && c.value.likes > wordLike
	}
	c.repeatsName = c.name.class != password && repeatsWordOf(c.value.text, text)
	if v := c.value; v.quote != 0 && v.after == '+' && len(v.text) > 0 && !wordByte(v.text[len(v.text)-1]) || v.after == '+' && strings.HasSuffix(v.text, "_") {
		c.goesOn = true
	}
}

// repeatsWordOf reports a value that has a word of its name in it: what a test makes up.
func repeatsWordOf(value, name string) bool {
	start := 0
	for i := 0; i <= len(name); i++ {
		if i < len(name) && letter(name[i]) && !(i > start && name[i] >= 'A' && name[i] <= 'Z' && name[i-1] >= 'a' && name[i-1] <= 'z') {
			continue
		}
		if i-start >= 5 && containsFold(value, name[start:i]) {
			return true
		}
		start = i
		if i < len(name) && !letter(name[i]) {
			start++
		}
	}
	return false
}

// kind is what is said in place of the value.
func (c *candidate) kind() string {
	if c.name.class == password {
		return "password"
	}
	return "secret"
}

// endsInNumber reports that a text ends in a digit or two and has no others.
func endsInNumber(s string) bool {
	word := strings.TrimRight(s, "0123456789")
	return len(s)-len(word) <= 2 && !hasDigit(word)
}

// isDashedName reports a name as code and settings have it: sha256_password.
func isDashedName(s string) bool {
	return strings.ContainsAny(s[1:], "_.:-") && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz_.:-0123456789") == "" && likeness(s) > wordLike && len(strings.Trim(s, "0123456789")) == len(s)
}

// quoteInCall is where the quote stands that begins the first argument of a call, 0
// where there is no call: createKey(Buffer.from('…', 'hex')).
func quoteInCall(s string, at int) int {
	calls := 0
	for j := at; j < len(s) && j-at < 80; j++ {
		switch b := s[j]; {
		case b == '(':
			calls++
			if j == at {
				return 0
			}
		case (b == '"' || b == '\'') && calls > 0 && (s[j-1] == '(' || s[j-1] == 'b' && s[j-2] == '('):
			return j
		case !wordByte(b) && b != '.' && b != ':' && (b != ' ' || calls == 0):
			return 0
		}
	}
	return 0
}

// containsFold reports that s holds a text, whatever its case.
func containsFold(s, text string) bool {
	for i := 0; i+len(text) <= len(s) && i < 100; i++ {
		if strings.EqualFold(s[i:i+len(text)], text) {
			return true
		}
	}
	return false
}

// nameOf is the name before the sign at i.
func nameOf(s string, i int, r relation) string {
	if !mayEndName(s, i, r) {
		return ""
	}
	end := i
	for range 2 {
		end = skipBackToName(s, end, i)
		start := end
		for start > 0 && end-start < maxName && (wordByte(s[start-1]) || s[start-1] == '-' || s[start-1] == '.') {
			start--
		}
		text := strings.TrimLeft(s[start:end], "-.")
		if text == "PWD" || text == "OLDPWD" || start > 0 && r == beside && strings.IndexByte("${/<", s[start-1]) >= 0 {
			return ""
		}
		if r == element {
			if start == 0 || s[start-1] != '<' {
				return ""
			}
			return text
		}
		if r == second && (start < 2 || strings.IndexByte("([{", s[start-2]) < 0) { // not the first argument
			return ""
		}
		// "password: string = x", "var password string = x".
		if (r == given || r == tight) && typeName(text) && start > 1 && (s[start-1] == ' ' || s[start-1] == ':' || s[start-1] == ']' || s[start-1] == '&') {
			end, i = start, start
			for end > 0 && i-end < 4 && strings.IndexByte(" :]&[", s[end-1]) >= 0 {
				end--
			}
			i = end
			continue
		}
		return text
	}
	return ""
}

// mayEndName reports that a name can end before the sign at i.
func mayEndName(s string, i int, r relation) bool {
	switch r {
	case beside:
		if i < 2 || i+1 < len(s) && space(s[i+1]) {
			return false
		}
		fallthrough
	case argument, element:
		return i > 0 && (wordByte(s[i-1]) || s[i-1] == '-')
	case second:
		return i > 0 && strings.IndexByte("\"'`", s[i-1]) >= 0 || i > 1 && s[i-1] == ']'
	}
	return true
}

// skipBackToName is where the name ends behind which stand spaces, quotes, brackets and
// tags, at most 24 bytes of them before limit.
func skipBackToName(s string, end, limit int) int {
	for end > 0 && limit-end < 24 {
		if strings.IndexByte(" \t\"'`\\])*?!", s[end-1]) >= 0 || s[end-1] > 127 {
			end--
			continue
		}
		n := closingLength(s[:end])
		if n == 0 {
			break
		}
		end -= n
	}
	return end
}

// closingLength is the length of the escaped quote or the tag that ends s.
func closingLength(s string) int {
	if s == "" {
		return 0
	}
	switch s[len(s)-1] {
	case ';':
		for _, q := range entities {
			if strings.HasSuffix(s, q) {
				return len(q)
			}
		}
	case '>':
		if j := strings.LastIndexByte(s[max(0, len(s)-60):], '<'); j >= 0 {
			j += max(0, len(s)-60)
			if j+1 < len(s) && (s[j+1] == '/' || strings.HasPrefix(s[j+1:], "span") || strings.HasPrefix(s[j+1:], "b>") || strings.HasPrefix(s[j+1:], "code")) {
				return len(s) - j
			}
		}
	}
	return 0
}

// entities are quotes as HTML writes them.
var entities = [...]string{"&quot;", "&#34;", "&#39;", "&apos;", "&#x27;", "&#x22;", "&#x2018;", "&#x2019;"}

// isValueWord reports a name that says only that a value follows: the name of what
// it is of stands before it.
func isValueWord(text string) bool {
	switch text {
	case "value", "Value", "VALUE", "default", "defaultValue", "content", "string", "example", "Default":
		return true
	}
	return false
}

// nameBesideValue is the name that {"name": "x", "value": …} gives to a value.
func nameBesideValue(s string, before int) string {
	from := max(0, before-120)
	head := s[from:before]
	for _, sign := range [...]string{"name", "key", "Name", "Key", "id"} {
		j := strings.LastIndex(head, sign)
		if j < 0 || j > 0 && wordByte(head[j-1]) {
			continue
		}
		rest := strings.TrimLeft(head[j+len(sign):], "\"' :=\\>")
		if strings.ContainsAny(rest, "{}") {
			continue
		}
		n := 0
		for n < len(rest) && (wordByte(rest[n]) || rest[n] == '-' || rest[n] == '.') {
			n++
		}
		if n > 2 && n < maxName && strings.Count(rest, "\n") < 2 {
			return rest[:n]
		}
	}
	return ""
}

// readValue takes the value at a byte, behind the sign.
func (c *candidate) readValue(s string, at int) bool {
	begin, at := c.skipToValue(s, at)
	at, closes := c.openQuote(s, at)
	v := &c.value
	if v.quote == 0 && (c.relation == argument || c.relation == second || c.relation == equals) {
		return false
	}
	end := c.endOfValue(s, begin, at, closes)
	v.text = s[at:end]
	if v.text == "" || c.relation == element && (end >= len(s) || s[end] != '<') { // Map<Token> name
		return false
	}
	next := end
	if v.quote != 0 && v.quote != '&' { // what follows the quote that closes
		for next < len(s) && next-end < 4 && (s[next] == '\\' || s[next] == v.quote) {
			next++
		}
	}
	for next < len(s) && next-end < 6 && (s[next] == ' ' || s[next] == '\\') {
		next++
	}
	if next < len(s) {
		if c.keyOfMap(s, begin, at, next) {
			return false
		}
		v.after = s[next]
		v.first = v.quote == 0 && (c.relation == colon || c.relation == beside) && next > end && s[end] == ' ' && (wordByte(s[next]) || s[next] == '/' && next+1 < len(s) && letter(s[next+1]))
	}
	c.wordsFollow = v.quote == 0 && (c.relation == tight || c.relation == given) && !c.name.capitals && v.after != 0 && next > end && s[end] == ' ' && wordFollows(s, next)
	v.measure()
	c.start, c.end = at, end
	return true
}

// skipToValue is where the value, or its quote, begins behind the sign that ends before
// at: behind spaces, tags and the bracket of a list. What is between begin and it has no tag.
func (c *candidate) skipToValue(s string, at int) (begin, value int) {
	begin = at
	for at < len(s) && at-begin < 40 {
		if b := s[at]; b == ' ' || b == '\t' || b == '\\' && at+1 < len(s) && strings.IndexByte("\"'`n", s[at+1]) >= 0 && c.relation != beside {
			at++
			continue
		}
		if c.relation == colon && s[at] == '\n' && at-begin < 2 { // a block of YAML or a wrapped line
			at++
			continue
		}
		if (c.relation == given || c.relation == colon) && strings.HasPrefix(s[at:], "<span") {
			if j := strings.IndexByte(s[at:min(len(s), at+80)], '>'); j > 0 {
				at += j + 1
				begin = at
				continue
			}
		}
		break
	}
	if at+1 < len(s) && s[at] == '[' { // the first of a list
		j := at + 1
		for j < len(s) && j-at < 20 && (space(s[j]) || s[j] == '\\') {
			j++
		}
		if j < len(s) && (s[j] == '"' || s[j] == '\'') {
			at = j
		}
	}
	return begin, at
}

// quotePrefixes are what may stand between a sign and a quote: b"…", u'…', L"…", @"…",
// []byte("…"), string("…"), String::from("…").
var quotePrefixes = [...]string{"[]byte(", "b64(", "String::from(", "SecretStr(", "SecretString(", "aws.String(", "String(", "to_string(", "b", "u", "r", "f", "L", "@", "N", "E"}

// openQuote sets the value's quote, if it has one, and returns where the value begins
// behind it. closes is what closes a quote of more than one byte.
func (c *candidate) openQuote(s string, at int) (start int, closes string) {
	if at >= len(s) {
		return at, ""
	}
	v := &c.value
	for _, p := range quotePrefixes {
		if strings.HasPrefix(s[at:], p) && at+len(p) < len(s) && (s[at+len(p)] == '"' || s[at+len(p)] == '\'' || s[at+len(p)] == '`' && len(p) > 1) {
			at += len(p)
			break
		}
	}
	if j := quoteInCall(s, at); j > 0 && c.relation != element {
		at, c.wrapped = j, true
	}
	switch b := s[at]; {
	case b == '"' || b == '\'' || b == '`':
		v.quote = b
		at++
		if at+1 < len(s) && s[at] == b && s[at+1] == b { // """
			at += 2
		}
	case b == '&':
		for _, q := range entities {
			if strings.HasPrefix(s[at:], q) {
				v.quote = '&'
				return at + len(q), q
			}
		}
	case strings.HasPrefix(s[at:], "\u2018"):
		v.quote = '&'
		return at + 3, "\u2019"
	case strings.HasPrefix(s[at:], "\u201c"):
		v.quote = '&'
		return at + 3, "\u201d"
	}
	return at, ""
}

// endOfValue is where the value that begins at a byte ends.
func (c *candidate) endOfValue(s string, begin, at int, closes string) int {
	quote := c.value.quote
	end := at
	for end < len(s) && end-at < maxValue && !c.endsValue(s, begin, at, end, closes) {
		end++
	}
	for quote != 0 && end > at && s[end-1] == '\\' {
		end--
	}
	for quote == 0 && end > at && strings.IndexByte(".,:", s[end-1]) >= 0 {
		end--
	}
	return end
}

// endsValue reports that the value that begins at a byte goes no further than to end.
func (c *candidate) endsValue(s string, begin, at, end int, closes string) bool {
	b := s[end]
	switch quote := c.value.quote; {
	case quote == '&':
		return strings.HasPrefix(s[end:], closes)
	case quote != 0:
		return b == quote && (s[end-1] != '\\' || begin > 0 && at >= 2 && s[at-2] == '\\') || b == '\n' && quote != '`'
	case c.relation == element:
		return b == '<' || b == '\n'
	}
	switch b {
	case ' ', '\t', '\n', '\r', '"', '\'', '`', ';':
		return true
	case '<':
		return c.relation != tight
	case '}':
		return !strings.Contains(s[at:end], "{")
	case ',', ')':
		return true
	case ']', '|':
		return end+1 == len(s) || !wordByte(s[end+1])
	case '&':
		return c.relation == tight
	case '=': // the name of another
		return c.relation == tight && end-at < maxName && parseName(s[at:end]).class != none
	}
	return false
}

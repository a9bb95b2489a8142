package secret

import (
	"strings"
	"unicode"
)

// impossible is the score of what is no secret whatever else is known.
const impossible = -100

// The scorer is a logistic regression over features that are on or off. The
// weights are in weights.go, which the package's test writes from labelled lines.

// Numbers of bins.
const (
	lengths   = 8
	entropies = 7
	likely    = 7
	families  = 3
	ways      = 5
)

// Where the features of a group begin.
const (
	fBias     = 0
	fClass    = fBias + 1
	fForm     = fClass + int(classes)
	fPair     = fForm + int(forms)
	fRelation = fPair + families*int(forms)
	fWay      = fRelation + 2*int(relations)
	fLength   = fWay + ways*int(forms)
	fEntropy  = fLength + families*lengths
	fLikely   = fEntropy + families*entropies
	fName     = fLikely + families*2*likely
	fMore     = fName + 7*families
	fFlag     = fMore + int(forms)
	fAll      = fFlag + 8
)

// family groups classes whose secrets look alike.
func (c class) family() int {
	switch c {
	case password:
		return 0
	case secretWord, token, qualifiedKey:
		return 1
	}
	return 2
}

func bin(x float64, bounds ...float64) int {
	for i, b := range bounds {
		if x < b {
			return i
		}
	}
	return len(bounds)
}

// way is how a value is tied, as far as that decides what its form means.
func (c *candidate) way() int {
	switch {
	case c.value.quote != 0:
		return 0
	case c.relation == beside:
		return 4
	case c.relation == tight:
		return 1
	case c.relation == colon:
		return 2
	}
	return 3
}

// features calls on for each feature of the candidate.
func (c *candidate) features(on func(int)) {
	v, f := &c.value, c.name.class.family()
	quoted := 0
	if v.quote != 0 {
		quoted = 1
	}
	on(fBias)
	on(fClass + int(c.name.class))
	on(fForm + int(v.form))
	on(fPair + f*int(forms) + int(v.form))
	on(fRelation + quoted*int(relations) + int(c.tie()))
	on(fWay + c.way()*int(forms) + int(v.form))
	on(fLength + f*lengths + bin(float64(len(v.text)), 5, 7, 9, 13, 20, 32, 64))
	on(fEntropy + f*entropies + bin(entropy(v.text[:min(len(v.text), maxMeasured)]), 1.8, 2.3, 2.8, 3.3, 3.8, 4.4))
	if f > 0 || v.form != punctured && v.form != mixed { // people think up passwords of words
		on(fLikely + (f*2+quoted)*likely + bin(v.likes, -4.2, -3.7, -3.3, -3, -2.8, -2.5))
	}
	for i, yes := range [...]bool{c.name.last, c.name.alone, c.name.about, c.name.plural, c.name.capitals, c.name.dotted, c.name.open} {
		if yes {
			on(fName + f*7 + i)
		}
	}
	if v.first {
		on(fMore + int(v.form))
	}
	for i, yes := range [...]bool{c.same, v.first, v.quote == 0 && v.after == '(', v.after == '+' || v.after == '.', v.quote == 0 && v.after == '=', len(v.text) >= 16 && v.form == mixed, v.form == gibberish && quoted == 0 && c.relation == given, c.name.possessed} {
		if yes {
			on(fFlag + i)
		}
	}
}

// priors are what is thought of a form before anything was learned.
func priors(f form) float64 {
	switch f {
	case placeholder, keyword, hashed, code:
		return -4
	case ownName, number, location, prose, short:
		return -2
	case uuidForm:
		return -1
	}
	return 0
}

// never reports a value that stands for a secret, or a name that is not one's.
func (c *candidate) never() bool {
	v := &c.value
	word := v.likes > wordLike
	switch v.form {
	case placeholder, keyword, hashed, code, ownName:
		return true
	case location:
		return true
	case constant:
		if v.quote == 0 && strings.IndexByte(v.text, '_') > 0 {
			return true
		}
	case prose:
		if c.name.class != password && (c.name.class != secretWord || !hasDigit(v.text)) || !c.name.last {
			return true
		}
	case short:
		if len(v.text) < 3 {
			return true
		}
	case uuidForm:
		if c.name.id || c.name.class.family() == 2 || c.name.class == qualifiedKey {
			return true
		}
	}
	switch {
	case c.sentence && !hasDigit(v.text), v.quote == 0 && v.after != '&' && titled(v.text), v.quote != '"' && v.quote != '\'' && v.text[0] == '#' && strings.Trim(v.text[1:], "abcdefghijklmnopqrstuvwxyz") == "":
		return true
	case c.name.class.names() && label(v.text): // token: "paren.lparen"
		return true
	case v.quote == 0 && c.name.class.names() && hump(v.text), c.relation == beside && strings.IndexByte(v.text, '\\') >= 0:
		return true
	case c.relation == argument && c.name.plural: // splitOnTokens("a*b")
		return true
	case c.aside, c.joined, c.echoes && (c.name.class == session || word || !random(v.text)):
		return true
	case c.relation == beside && v.form == prose && !hasDigit(v.text): // PASS 'Password for …'
		return true
	case v.quote == 0 && c.relation == given && c.name.dotted && hump(v.text): // c.Password = defaultUser
		return true
	case beyondASCII(v.text) && !hasDigit(v.text): // a text, and none that a machine made
		return true
	case c.name.class == plainKey && lettersAndDots(v.text):
		return true
	case c.relation == beside && v.after == '=', // Type name = …
		c.relation == beside && c.statement && v.quote == '`', c.relation == beside && v.quote == 0 && c.name.class != password && !c.made():
		return true
	case c.relation == given && v.quote == 0 && (v.after == '"' || v.after == '\''), // include "x"
		c.relation == given && v.quote == 0 && !hasDigit(v.text) && strings.IndexByte(v.text, '_') > 0 && word && isName(v.text):
		return true
	case c.relation == argument && label(v.text), c.name.class == token && lettersAndDots(v.text):
		return true
	case !c.name.last && !c.made() && (c.name.class != password || !hasDigit(v.text)):
		return true
	case c.name.class != password && (label(v.text) || len(v.text) < 40 && dashed(v.text) || v.form == constant && !hasDigit(v.text) || len(v.text) < 20 && strings.ContainsAny(v.text, ":#~")):
		return true
	case c.name.class == signature && !c.made(), c.name.class == session && !c.made() && v.quote == 0 && c.relation != tight, c.name.class != password && dated(v.text):
		return true
	case c.listed && !c.made(), c.name.class == auth && !c.made():
		return true
	case v.form == prose && (v.quote == '`' || !hasDigit(v.text)): // a command, a text
		return true
	case strings.Count(v.text, `\u`) > 1, strings.IndexFunc(v.text, unicode.IsLetter) < 0 && !hasDigit(v.text): // letters of another script, none at all
		return true
	case c.name.plural && !hasDigit(v.text), c.name.class == secretWord && label(v.text):
		return true
	case c.relation == beside && v.quote == 0 && (isNumberWithUnit(v.text) || isTechnicalTerm(v.text) || c.name.verb && !strong(v.text)):
		return true
	case v.quote == 0 && (c.relation == given || c.relation == colon) && hump(v.text): // a variable, a type
		return true
	case v.quote == 0 && c.relation == given && v.after != 0 && strings.IndexByte("^*%+?", v.after) >= 0: // an expression
		return true
	case c.names, c.same && (word || !hasDigit(v.text)):
		return true
	case c.relation == beside && v.quote != '"' && v.quote != '\'' && (strings.ContainsAny(v.text, "=:/") || v.text[0] == '-'),
		c.relation == beside && !(c.name.capitals && v.quote != 0 && v.quote != '`') && !hasDigit(v.text) && !(c.statement && v.quote != 0):
		return true
	case v.quote == 0 && (c.relation == colon || c.relation == beside) && (strings.HasPrefix(v.text, "Test") || v.text[0] == '-'): // PASS: TestX, ${SECRET:-x}
		return true
	case c.name.alone && c.name.capitals && c.name.class == password && c.relation == colon && v.quote == 0 && !hasDigit(v.text): // PASS: TestX
		return true
	case c.wrapped && v.form != hexForm && v.form != base32 && v.form != chance:
		return true
	case v.first && c.relation == colon && !hasDigit(v.text) && v.form != chance: // a sentence goes on
		return true
	case v.quote == 0 && c.relation == colon && v.after == ')' && !hasDigit(v.text): // a type of a parameter
		return true
	case c.name.open:
		return true
	case c.name.about && !c.name.id, c.name.class == auth && !c.name.last:
		return true
	case c.name.class != password && len(v.text) < 16 && (strings.Contains(v.text, "12345") || strings.HasSuffix(v.text, "123") || strings.HasSuffix(v.text, "1234")):
		return true
	case v.quote == 0 && c.name.class != password && !hasDigit(v.text) && len(v.text) < 12: // a variable
		return true
	case c.relation == second && c.name.alone && v.after == ',': // hash("password", "salt", 10)
		return true
	case c.relation == argument && v.after != ')':
		return true
	}
	return c.unlike()
}

// dated reports a name that begins with a date.
func dated(s string) bool {
	return len(s) > 10 && s[4] == '-' && s[7] == '-' && strings.Trim(s[:10], "0123456789-") == ""
}

// made reports a value that nobody thought up.
func (c *candidate) made() bool {
	switch c.value.form {
	case chance, hexForm, base32, uuidForm:
		return true
	}
	return false
}

// names reports a class whose word also means other things: a token of a lexer, a
// key of a map.
func (c class) names() bool { return c == token || c == plainKey || c == session || c == auth }

// label reports small letters, as names of things are: no token is made of them.
func label(s string) bool {
	if word := strings.TrimRight(s, "0123456789"); len(s)-len(word) < 3 {
		s = word
	}
	return (len(s) < 12 || len(s) < 20 && likeness(s) > wordLike) && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz-_.: ") == ""
}

// titled reports a word as it begins a sentence, or a label.
func titled(s string) bool {
	return len(s) > 2 && capital(s[0]) && strings.Trim(s[1:], "abcdefghijklmnopqrstuvwxyz-") == ""
}

// lettersAndDots reports a path of names: Input.Email.
func lettersAndDots(s string) bool {
	return strings.IndexByte(s, '.') > 0 && strings.Trim(s, ".abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}

// hump reports letters alone with a capital among them: defaultUser.
func hump(s string) bool {
	return !hasDigit(s) && switches(s) > 1 && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}

func beyondASCII(s string) bool {
	for i := range len(s) {
		if s[i] > 127 {
			return true
		}
	}
	return false
}

func hasDigit(s string) bool { return strings.ContainsAny(s, "0123456789") }

// tie is the relation as a feature: what is told apart by form alone is one.
func (c *candidate) tie() relation {
	switch {
	case c.relation == argument, c.relation == second, c.relation == equals, c.relation == beside && c.value.quote != 0:
		return given
	}
	return c.relation
}

// score is how likely the value is a secret, as a log-odds.
func (c *candidate) score() float32 {
	if c.never() {
		return impossible
	}
	sum := float32(0)
	c.features(func(i int) { sum += weights[i] })
	return sum
}

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

// wayFeature is how a value is tied, as far as that decides what its form means.
func (c *candidate) wayFeature() int {
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
	on(fRelation + quoted*int(relations) + int(c.relationFeature()))
	on(fWay + c.wayFeature()*int(forms) + int(v.form))
	on(fLength + f*lengths + bin(float64(len(v.text)), 5, 7, 9, 13, 20, 32, 64))
	on(fEntropy + f*entropies + bin(entropy(v.text[:min(len(v.text), maxMeasured)]), 1.8, 2.3, 2.8, 3.3, 3.8, 4.4))
	if f > 0 || v.form != punctuated && v.form != mixed { // people think up passwords of words
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
	for i, yes := range [...]bool{c.sameAsName, v.first, v.quote == 0 && v.after == '(', v.after == '+' || v.after == '.', v.quote == 0 && v.after == '=', len(v.text) >= 16 && v.form == mixed, v.form == gibberish && quoted == 0 && c.relation == given, c.name.possessed} {
		if yes {
			on(fFlag + i)
		}
	}
}

// ruledOut reports a value that is no secret whatever the weights say. The rules are
// alternatives: each group is one reason, and none depends on another.
func (c *candidate) ruledOut() bool {
	return c.formRulesOut() || // first: the others need a value of three bytes
		c.nameRulesOut() || c.textRulesOut() || c.codeRulesOut() || c.argumentRulesOut() ||
		c.relation == beside && c.besideRulesOut() ||
		c.name.class != password && c.machineSecretRulesOut() ||
		c.hasOtherStructure()
}

// formRulesOut: no secret has this form, or none for such a name.
func (c *candidate) formRulesOut() bool {
	switch v := &c.value; v.form {
	case placeholder, keyword, hashed, code, ownName, location:
		return true
	case constant:
		return v.quote == 0 && strings.IndexByte(v.text, '_') > 0
	case prose:
		return c.name.class != password && (c.name.class != secretWord || !hasDigit(v.text)) || !c.name.last
	case short:
		return len(v.text) < 3
	case uuidForm:
		return c.name.id || c.name.class.family() == 2 || c.name.class == qualifiedKey
	}
	return false
}

// nameRulesOut: the name is not one of a secret, or the value repeats it.
func (c *candidate) nameRulesOut() bool {
	v := &c.value
	word := v.likes > wordLike
	switch {
	case c.givesNone, c.goesOn, c.namesSecret, c.name.open:
		return true
	case c.name.about && !c.name.id, c.name.class == auth && !c.name.last:
		return true
	case !c.name.last && !c.machineMade() && (c.name.class != password || !hasDigit(v.text)):
		return true
	case c.name.plural && (c.relation == argument || !hasDigit(v.text)): // splitOnTokens("a*b")
		return true
	case c.sameAsName && (word || !hasDigit(v.text)), c.repeatsName && (c.name.class == session || word || !random(v.text)):
		return true
	case c.listed && !c.machineMade():
		return true
	}
	return false
}

// textRulesOut: the value is a text for people, or a part of one.
func (c *candidate) textRulesOut() bool {
	v := &c.value
	switch {
	case c.wordsFollow && !hasDigit(v.text):
		return true
	case v.first && c.relation == colon && !hasDigit(v.text) && v.form != chance: // a sentence goes on
		return true
	case v.quote != '"' && v.quote != '\'' && v.text[0] == '#' && strings.Trim(v.text[1:], "abcdefghijklmnopqrstuvwxyz") == "":
		return true
	case beyondASCII(v.text) && !hasDigit(v.text): // a text, and none that a machine made
		return true
	case v.form == prose && (v.quote == '`' || !hasDigit(v.text)): // a command, a text
		return true
	case strings.Count(v.text, `\u`) > 1, strings.IndexFunc(v.text, unicode.IsLetter) < 0 && !hasDigit(v.text): // letters of another script, none at all
		return true
	}
	return false
}

// codeRulesOut: the value has no quotes and is a variable, a type or an expression.
func (c *candidate) codeRulesOut() bool {
	v := &c.value
	if v.quote != 0 {
		return false
	}
	switch {
	case v.after != '&' && isTitleCase(v.text):
		return true
	case (c.relation == given || c.relation == colon) && isCamelCase(v.text): // a variable, a type
		return true
	case (c.relation == colon || c.relation == beside) && (strings.HasPrefix(v.text, "Test") || v.text[0] == '-'): // PASS: TestX, ${SECRET:-x}
		return true
	case c.relation == given && (v.after == '"' || v.after == '\''): // include "x"
		return true
	case c.relation == given && v.after != 0 && strings.IndexByte("^*%+?", v.after) >= 0: // an expression
		return true
	case hasDigit(v.text):
		return false
	case c.relation == given && strings.IndexByte(v.text, '_') > 0 && v.likes > wordLike && isName(v.text):
		return true
	case c.relation == colon && v.after == ')': // a type of a parameter
		return true
	case c.relation == colon && c.name.alone && c.name.capitals && c.name.class == password: // PASS: TestX
		return true
	}
	return false
}

// argumentRulesOut: the value is an argument of a call that takes no secret there.
func (c *candidate) argumentRulesOut() bool {
	v := &c.value
	switch {
	case c.relation == argument && (v.after != ')' || isLabel(v.text)):
		return true
	case c.relation == second && c.name.alone && v.after == ',': // hash("password", "salt", 10)
		return true
	}
	return c.wrapped && v.form != hexForm && v.form != base32 && v.form != chance
}

// besideRulesOut: nothing but a space ties the value to the name, and it looks like the
// next word of a sentence, a command or a declaration.
func (c *candidate) besideRulesOut() bool {
	v := &c.value
	switch {
	case v.after == '=': // Type name = …
		return true
	case strings.IndexByte(v.text, '\\') >= 0, c.statement && v.quote == '`':
		return true
	case v.quote == 0 && (isNumberWithUnit(v.text) || isTechnicalTerm(v.text) || c.name.verb && !strong(v.text)):
		return true
	case v.quote == 0 && c.name.class != password && !c.machineMade():
		return true
	case v.quote != '"' && v.quote != '\'' && (strings.ContainsAny(v.text, "=:/") || v.text[0] == '-'):
		return true
	}
	return !hasDigit(v.text) && !(c.name.capitals && v.quote != 0 && v.quote != '`') && !(c.statement && v.quote != 0)
}

// machineSecretRulesOut: what the name speaks of is made by a machine, unlike a password,
// and no machine makes such a value.
func (c *candidate) machineSecretRulesOut() bool {
	v := &c.value
	switch {
	case isLabel(v.text), len(v.text) < 40 && isDashedName(v.text), beginsWithDate(v.text): // token: "paren.lparen"
		return true
	case v.form == constant && !hasDigit(v.text), len(v.text) < 20 && strings.ContainsAny(v.text, ":#~"):
		return true
	case len(v.text) < 16 && (strings.Contains(v.text, "12345") || strings.HasSuffix(v.text, "123") || strings.HasSuffix(v.text, "1234")):
		return true
	case v.quote == 0 && (len(v.text) < 12 && !hasDigit(v.text) || c.name.class.isAmbiguous() && isCamelCase(v.text)): // a variable
		return true
	}
	switch c.name.class {
	case token, plainKey:
		return lettersAndDots(v.text)
	case signature, auth:
		return !c.machineMade()
	case session:
		return !c.machineMade() && v.quote == 0 && c.relation != tight
	}
	return false
}

// beginsWithDate reports a name that begins with a date.
func beginsWithDate(s string) bool {
	return len(s) > 10 && s[4] == '-' && s[7] == '-' && strings.Trim(s[:10], "0123456789-") == ""
}

// machineMade reports a value that nobody thought up.
func (c *candidate) machineMade() bool {
	switch c.value.form {
	case chance, hexForm, base32, uuidForm:
		return true
	}
	return false
}

// isAmbiguous reports a class whose word also means other things: a token of a lexer, a
// key of a map.
func (c class) isAmbiguous() bool { return c == token || c == plainKey || c == session || c == auth }

// isLabel reports small letters, as names of things are: no token is made of them.
func isLabel(s string) bool {
	if word := strings.TrimRight(s, "0123456789"); len(s)-len(word) < 3 {
		s = word
	}
	return (len(s) < 12 || len(s) < 20 && likeness(s) > wordLike) && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz-_.: ") == ""
}

// isTitleCase reports a word as it begins a sentence, or a label.
func isTitleCase(s string) bool {
	return len(s) > 2 && capital(s[0]) && strings.Trim(s[1:], "abcdefghijklmnopqrstuvwxyz-") == ""
}

// lettersAndDots reports a path of names: Input.Email.
func lettersAndDots(s string) bool {
	return strings.IndexByte(s, '.') > 0 && strings.Trim(s, ".abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}

// isCamelCase reports letters alone with a capital among them: defaultUser.
func isCamelCase(s string) bool {
	return !hasDigit(s) && kindChanges(s) > 1 && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
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

// relationFeature is the relation as a feature: what is told apart by form alone is one.
func (c *candidate) relationFeature() relation {
	switch {
	case c.relation == argument, c.relation == second, c.relation == equals, c.relation == beside && c.value.quote != 0:
		return given
	}
	return c.relation
}

// score is how likely the value is a secret, as a log-odds.
func (c *candidate) score() float32 {
	if c.ruledOut() {
		return impossible
	}
	sum := float32(0)
	c.features(func(i int) { sum += weights[i] })
	return sum
}

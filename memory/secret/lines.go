package secret

import (
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"unicode"
	"unicode/utf8"

	"manicule/memory/literal"
)

// Of much text most lines hold nothing that this package looks at twice. One pass over the text finds the
// places where a look may begin, at fixed strings: words for secrets, programs, beginnings of tokens. Each
// is looked at for what else a finding needs there, and only lines where something is left are read byte
// by byte. What is found is the same.

// manyBytes is how many bytes of text a process looks through before lines are passed over, as the strings
// take a while to prepare. Hooks seldom see as much.
const manyBytes = 64 << 10

// longText is the length of the shortest texts of which lines are passed over.
const longText = 256

var seenBytes atomic.Int64

// muchText counts a text, and reports whether its lines are passed over. Some letters beyond ASCII are
// another case of an ASCII letter; a text with one of them is read whole.
func muchText(s string) bool {
	if seenBytes.Load() < manyBytes && seenBytes.Add(int64(len(s))) < manyBytes || len(s) < longText {
		return false
	}
	for _, odd := range [...]string{"\u212a", "\u212b", "\u017f", "\u0130", "\u0131"} {
		if strings.Contains(s, odd) {
			return false
		}
	}
	return true
}

// cueKind is what a string may begin.
type cueKind uint8

const (
	cueName    cueKind = iota // part of a name with a word for a secret
	cueWord                   // such a word alone: short ones are parts of many others
	cueTold                   // a word of a sentence
	cueProgram                // of a command line
	cueToken                  // a service's token
	cueHeader                 // of HTTP
	cueScript                 // a word for a password in another script
	cueHolder                 // a name that says only that a value follows
	cueOption                 // --
	cueURL                    // ://
	cueKey                    // a private key
	cueJWK                    // a JSON Web Key
	cueLine                   // anything else
)

// cues are the strings, in lower case, and what each may begin.
type cues struct {
	set     *literal.Set
	lengths []int       // by string
	kinds   [][]cueKind // by string
}

// They are made at their first use, and not before main: few processes need them.
var (
	cuesOnce sync.Once
	cuesMade *cues // guarded by cuesOnce
)

func allCues() *cues {
	cuesOnce.Do(func() { cuesMade = newCues() })
	return cuesMade
}

func newCues() *cues {
	var words []string
	c := &cues{}
	at := map[string]int{}
	add := func(kind cueKind, list ...string) {
		for _, w := range list {
			w = strings.ToLower(w)
			n, ok := at[w]
			if !ok {
				n = len(words)
				at[w], words, c.kinds = n, append(words, w), append(c.kinds, nil)
			}
			c.kinds[n] = append(c.kinds[n], kind)
		}
	}
	add(cueName, "pass", "pwd", "contrasena", "senha", "secret", "verifier", "token", "key", "seed", "mnemonic", "auth", "cred", "login", "salt", "nonce", "pepper", "signature",
		"session", "cookie", "csrf", "xsrf", "clientid", "appid", "bearer", "hmac")
	add(cueWord, "pw", "pswd", "psw", "pword", "psk", "jwt", "pat", "pem", "iv", "sig", "sign", "sid", "otp", "totp", "pin")
	add(cueTold, englishWords[:]...)
	for _, list := range [...][]string{passwordWords[:], keyWords[:], loginWords[:]} {
		for _, w := range list {
			add(cueTold, cases(w)...)
		}
	}
	add(cueProgram, programs[:]...)
	for first := range 128 {
		for _, f := range shapes[first] {
			add(cueToken, f.prefix)
		}
	}
	add(cueHeader, "bearer ", "basic ")
	for _, w := range passwordWordsInScripts {
		words, c.kinds = append(words, w), append(c.kinds, []cueKind{cueScript})
	}
	add(cueHolder, "value", "default", "content", "string", "example")
	add(cueOption, "--")
	add(cueURL, "://")
	add(cueKey, "-----begin ")
	add(cueJWK, "kty")
	add(cueLine, "identified by")
	for _, w := range words {
		c.lengths = append(c.lengths, len(w))
	}
	c.set = literal.NewFolded(words)
	return c
}

// cases are the forms of a word in lower case whose letters beyond ASCII are in any case.
func cases(word string) []string {
	out := []string{""}
	for _, r := range word {
		forms := []rune{r}
		if r >= utf8.RuneSelf {
			for other := unicode.SimpleFold(r); other != r; other = unicode.SimpleFold(other) {
				forms = append(forms, other)
			}
		}
		var longer []string
		for _, w := range out {
			for _, r := range forms {
				longer = append(longer, w+string(r))
			}
		}
		out = longer
	}
	return out
}

// span is a part of a text.
type span struct{ start, end int }

// lines finds the lines of a text that are to be read.
type lines struct {
	s      string
	tokens commandLine // knows where no token begins
	read   []span      // in no order
	last   span        // the one that was added last
	// line is the one that was asked last whether its commands matter, and whether they do.
	line   span
	matter bool
}

// linesToRead returns the lines of a text in which something may be found, in their order.
func linesToRead(s string) []span {
	l := lines{s: s}
	c := allCues()
	c.set.Each(s, func(word, at int) bool {
		if at >= l.last.start && at < l.last.end {
			return true
		}
		for _, kind := range c.kinds[word] {
			if l.holds(kind, at, at+c.lengths[word]) {
				l.add(at, at)
				break
			}
		}
		return true
	})
	slices.SortFunc(l.read, func(a, b span) int { return a.start - b.start })
	return l.read
}

// add adds the lines from one byte to another.
func (l *lines) add(from, to int) {
	l.last = l.lineAt(from, to)
	l.read = append(l.read, l.last)
}

// lineAt returns the lines from one byte to another.
func (l *lines) lineAt(from, to int) span {
	at := span{strings.LastIndexByte(l.s[:from], '\n') + 1, len(l.s)}
	if n := strings.IndexByte(l.s[to:], '\n'); n >= 0 {
		at.end = to + n + 1
	}
	return at
}

// begins reports whether a word begins at a byte, as commandLine sees it.
func (l *lines) begins(i int) bool {
	return i == 0 || space(l.s[i-1]) || l.s[i-1] == '(' || between(l.s[i-1])
}

// holds reports whether what a string from i to end may begin is there.
func (l *lines) holds(kind cueKind, i, end int) bool {
	s := l.s
	switch kind {
	case cueName:
		return l.named(i)
	case cueWord:
		return l.apart(i) && l.named(i)
	case cueTold:
		if !l.begins(i) || end < len(s) && letter(s[end]) { // a longer word is another one
			return false
		}
		_, _, kind := secretInSentence(s, i)
		return kind != ""
	case cueProgram:
		return (l.begins(i) || s[i-1] == '/') && l.command(i)
	case cueToken:
		if i > 0 && wordByte(s[i-1]) {
			return false
		}
		_, _, kind := l.tokens.service(s, i)
		return kind != ""
	case cueHeader:
		if i > 0 && wordByte(s[i-1]) {
			return false
		}
		_, _, kind := header(s, i)
		return kind != ""
	case cueScript:
		start, end := secretInOtherScript(s, i)
		return end > start
	case cueHolder:
		return l.holder(i)
	case cueOption:
		return l.begins(i) && secretOption(s, i)
	case cueURL:
		_, _, kind := credentials(s, i)
		return kind != ""
	case cueKey:
		return strings.HasPrefix(s[i:], "-----BEGIN ")
	case cueJWK: // the members may be on other lines
		l.add(max(0, i-maxJWK-maxName), min(len(s), i+maxJWK+maxName))
	case cueLine:
		return true
	}
	return false
}

// apart reports whether a word of a name can begin at a byte, where those of two letters and more are
// looked for alone: Sig in keySig, not in design.
func (l *lines) apart(i int) bool {
	if i == 0 || !letter(l.s[i-1]) {
		return true
	}
	return capital(l.s[i]) && (!capital(l.s[i-1]) || i+1 < len(l.s) && !capital(l.s[i+1]))
}

// nameAt is the name that holds a byte: letters, digits, "_", "-" and ".". A name that ends further off is
// read without that byte, and has no end here.
func (l *lines) nameAt(i int) span {
	start, end := i, i
	for start > 0 && i-start <= maxName && nameByte(l.s[start-1]) {
		start--
	}
	for end < len(l.s) && end-i <= maxName && nameByte(l.s[end]) {
		end++
	}
	return span{start, end}
}

func nameByte(c byte) bool { return wordByte(c) || c == '-' || c == '.' }

// named reports whether the name that holds a byte may be given a value.
func (l *lines) named(i int) bool {
	n := l.nameAt(i)
	if !l.given(n) {
		return false
	}
	text := strings.TrimRight(l.s[max(n.start, n.end-maxName):n.end], "-.")
	return parseName(text).class != none || endsFold(text, "authorization") || endsFold(text, "cookie")
}

// given reports whether a sign that gives a value stands behind a name: see nameOf, which looks for the
// name before the sign.
func (l *lines) given(n span) bool {
	s, i := l.s, n.end
	for ; i < len(s) && i-n.end < 80; i++ {
		switch c := s[i]; {
		case c == ' ' && i == n.end && promising(s, i+1):
			return true
		case c > 127 || strings.IndexByte(" \t\"'`\\])*?!", c) >= 0:
		case strings.IndexByte("=:(,><&[+", c) >= 0:
			return true
		case i > n.end && nameByte(c): // the name's type, as in Go
			end := i
			for end < len(s) && end-i <= maxName && nameByte(s[end]) {
				end++
			}
			return typeName(s[i:end])
		default:
			return false
		}
	}
	return i < len(s)
}

// holder reports whether a name that says only that a value follows holds a byte, and a name of a secret
// stands before it.
func (l *lines) holder(i int) bool {
	n := l.nameAt(i)
	text := strings.Trim(l.s[n.start:n.end], "-.")
	if !isValueWord(text) || !l.given(n) {
		return false
	}
	// The part that nameOf takes may begin later, behind marks.
	for before := n.start; before <= n.start+(n.end-n.start-len(text)); before++ {
		if parseName(nameBesideValue(l.s, before)).class != none {
			return true
		}
	}
	return false
}

// secretOption reports an option at a byte that may be given a secret: see long.
func secretOption(s string, i int) bool {
	stop := i + 2
	for stop < len(s) && stop-i < 60 && (wordByte(s[stop]) || s[stop] == '-' || s[stop] == '.') {
		stop++
	}
	if stop >= len(s) || s[stop] != '=' && s[stop] != ' ' {
		return false
	}
	switch name := strings.ToLower(s[i+2 : stop]); name {
	case "user", "proxy-user", "auth", "creds", "credentials", "basic-auth", "userpwd", "cookie", "body", "value", "data", "secret-string",
		"pass", "storepass", "keypass", "adminpass", "oauth2-bearer", "pat", "passcode", "secret-value":
		return true
	default:
		return nameGives(name) != ""
	}
}

// command reports whether a program that stands at a byte matters: its line has an option of letters that
// may hold a secret, or the command may go on behind the line.
func (l *lines) command(i int) bool {
	if i < l.line.start || i >= l.line.end {
		l.line = l.lineAt(i, i)
		l.matter = l.commands(l.line)
	}
	return l.matter
}

func (l *lines) commands(at span) bool {
	line := strings.TrimSuffix(l.s[at.start:at.end], "\n")
	if strings.HasSuffix(line, `\`) || strings.IndexByte(line, '"') >= 0 || strings.IndexByte(line, '\'') >= 0 {
		return true
	}
	for i := 0; ; i++ {
		n := strings.IndexByte(line[i:], '-')
		if n < 0 {
			return false
		}
		if i += n; i+1 < len(line) && letter(line[i+1]) && l.begins(at.start+i) {
			return true
		}
	}
}

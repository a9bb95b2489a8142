package secret

import (
	"slices"
	"strings"
)

// commandLine is what is known of a command line at a byte of it. Text that is
// none passes through it unharmed: only words that are programs, and options
// that say secret, mean anything.
type commandLine struct {
	strict bool // the text is a command line for sure

	program string // the last word that is a program which takes credentials
	second  string // its subcommand, where that decides
	words   int    // after the program
	secrets bool   // it keeps secrets: each value given to it is one
	quote   byte
	begins  bool // a word begins at this byte
	pipes   bool // what echo prints goes to a program that reads a secret
	last    string
	netrc   int // words of a .netrc's entry that were read
	noJWT   int // before this byte no JWT begins, as was found out
	noPlain int // before this byte no word is passed over, as was found out
}

// step moves on to the byte at i.
func (l *commandLine) step(s string, i int) {
	c := s[i]
	before := byte(' ')
	if i > 0 {
		before = s[i-1]
	}
	if wordByte(c) && wordByte(before) { // within a word nothing changes
		l.begins = false
		return
	}
	l.begins = !space(c) && (space(before) || before == '(' || between(before)) && c != ')' && !between(c)
	switch {
	case l.quote != 0 && (c == l.quote && before != '\\' || c == '\n' && !l.strict):
		l.quote = 0
	case l.quote == 0 && (c == '"' || c == '\'' && !apostrophe(s, i)) && before != '\\':
		l.quote = c
	case l.quote == 0 && (c == ';' || c == '|' || c == '&' || c == '\n' && before != '\\'):
		l.program, l.second, l.words, l.secrets, l.pipes, l.last = "", "", 0, false, false, ""
	}
	if l.begins {
		l.word(s, i)
	}
}

// between reports a sign that stands between words: a quote, or one of a command line.
func between(c byte) bool {
	switch c {
	case '"', '\'', '`', '=', ';', '|', '&':
		return true
	}
	return false
}

func space(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// apostrophe reports a quote between letters: "don't" opens nothing.
func apostrophe(s string, i int) bool {
	return i > 0 && i+1 < len(s) && wordByte(s[i-1]) && wordByte(s[i+1])
}

// word takes the word that begins at i.
func (l *commandLine) word(s string, i int) {
	l.netrcWord(s, i)
	if l.program == "" && !mayBeCredentialed(s[i]) {
		l.last = ""
		return
	}
	w := bare(s, i)
	if j := strings.LastIndexByte(w, '/'); j >= 0 {
		w = w[j+1:]
	}
	switch {
	case credentialed(w):
		l.program, l.second, l.words, l.secrets = w, "", 0, false
		l.pipes = l.strict && (w == "echo" || w == "printf") && reads(s[i:])
	case l.program != "" && w != "" && w[0] != '-':
		l.words++
		switch w {
		case "login", "auth", "config", "configure":
			l.second = w
		}
		l.secrets = l.secrets || l.afterSecret() || w == "secrets:set" ||
			l.program == "vault" && (w == "put" || w == "patch" || w == "write")
	}
	l.last = w
}

// afterSecret reports that the word before this one says what a program keeps: gh secret set.
func (l *commandLine) afterSecret() bool {
	return l.program != "" && (l.last == "secret" || l.last == "secrets" || l.last == "generic")
}

// netrcEntry is an entry of a .netrc; "" stands for any word, the last is the secret.
var netrcEntry = [...]string{"machine", "", "login", "", "password", ""}

// netrcWord follows such an entry, wherever it is written out.
func (l *commandLine) netrcWord(s string, i int) {
	if l.netrc == 0 && s[i] != 'm' { // most words
		return
	}
	if l.netrc == len(netrcEntry) || netrcEntry[l.netrc] != "" && bare(s, i) != netrcEntry[l.netrc] {
		l.netrc = 0
		if s[i] != 'm' || bare(s, i) != netrcEntry[0] {
			return
		}
	}
	l.netrc++
}

// bare is the plain word at i.
func bare(s string, i int) string {
	end := i
	for end < len(s) && end-i < 80 && (wordByte(s[end]) || strings.IndexByte("-./:", s[end]) >= 0) {
		end++
	}
	return s[i:end]
}

// reads reports a pipe into a program that reads a secret from it.
func reads(s string) bool {
	_, to, ok := strings.Cut(s[:min(len(s), 600)], "|")
	if !ok {
		return false
	}
	for _, sign := range []string{"--password-stdin", "--with-token", "sudo -S", "--stdin", "chpasswd", "runas /", "--passphrase-fd 0", "secret set", "secret put", "secrets create", "secrets add"} {
		if strings.Contains(to, sign) {
			return true
		}
	}
	return false
}

// mayBeCredentialed is the quick look before the exact one, at the first byte.
func mayBeCredentialed(c byte) bool {
	return c >= 'a' && c <= 'z' && c != 'i' && c != 'j' && c != 'q' || c == '7' || c == '/' || c == '.' || c == '~'
}

// programs are those some of whose options hold a secret.
var programs = [...]string{"curl", "http", "https", "xh", "wget",
	"mysql", "mysqldump", "mysqladmin", "mysqlimport", "mysqlshow", "mariadb", "mariadb-dump", "mariadb-admin", "mycli",
	"mongo", "mongosh", "mongodump", "mongorestore", "mongoexport", "mongoimport", "cqlsh", "sqlcmd", "bcp", "redis-cli", "rabbitmqadmin", "sqlplus",
	"sshpass", "smbclient", "rpcclient", "ldapsearch", "ldapadd", "ldapmodify", "ldapdelete", "ldapwhoami", "ldappasswd",
	"docker", "podman", "nerdctl", "skopeo", "buildah", "helm", "oras", "az", "oc", "cf", "vault", "snyk",
	"7z", "7za", "7zz", "zip", "unzip", "htpasswd", "openssl",
	"gh", "flyctl", "fly", "wrangler", "heroku", "kubectl", "doppler", "npm", "pnpm", "yarn", "aws", "git", "twine", "echo", "printf"}

// credentialed reports one of programs.
func credentialed(w string) bool {
	wordsOnce.Do(fillWords)
	return programWords.may(w) && slices.Contains(programs[:], w)
}

// argument looks for the secret that the word at i is, or is the option of.
func (l *commandLine) argument(s string, i int) (start, end int, kind string) {
	if s[i] == '-' {
		if strings.HasPrefix(s[i:], "--") {
			return l.long(s, i)
		}
		return l.short(s, i)
	}
	if strings.HasPrefix(s[i:], "pass:") && l.program == "openssl" {
		return l.value(s, i+len("pass:"), "password")
	}
	if !l.strict {
		return 0, 0, ""
	}
	if l.netrc == len(netrcEntry) {
		return l.value(s, i, "password")
	}
	switch l.program {
	case "echo", "printf":
		if start, end, _ := l.value(s, i, "secret"); l.pipes && l.words > 0 && end > start {
			return start, end, "secret"
		}
	case "sqlplus": // user/password@host
		user, rest, ok := strings.Cut(s[i:], "/")
		if ok && len(user) > 0 && len(user) < 64 && !strings.ContainsAny(user, " \t\n@") && strings.Contains(rest[:min(len(rest), 200)], "@") {
			at := i + len(user) + 1
			return at, at + strings.IndexByte(s[at:], '@'), "password"
		}
	case "vault", "snyk": // the token itself
		if l.second != "" && l.words > 1 && (l.second == "login" && l.program == "vault" || l.second == "auth" && l.program == "snyk") && !strings.Contains(bare(s, i), "=") {
			return l.value(s, i, "secret")
		}
	case "npm", "pnpm", "yarn", "aws", "git": // config set NAME VALUE
		if name, at := nameThen(s, i); at > 0 && strings.HasPrefix(l.second, "config") && nameGives(name) != "" {
			return l.value(s, at, nameGives(name))
		}
	}
	return 0, 0, ""
}

// nameThen is the word at i and where the next one begins.
func nameThen(s string, i int) (name string, at int) {
	end := i
	for end < len(s) && end-i < 200 && !space(s[end]) {
		end++
	}
	at = end
	for at < len(s) && (s[at] == ' ' || s[at] == '\t') {
		at++
	}
	if at == end || at >= len(s) || s[at] == '-' {
		return "", 0
	}
	return s[i:end], at
}

// long reads an option such as --token.
func (l *commandLine) long(s string, i int) (start, end int, kind string) {
	stop := i + 2
	for stop < len(s) && stop-i < 60 && (wordByte(s[stop]) || s[stop] == '-' || s[stop] == '.') {
		stop++
	}
	name := strings.ToLower(s[i+2 : stop])
	if stop >= len(s) || s[stop] != '=' && s[stop] != ' ' || name == "" || strings.HasPrefix(name, "no-") {
		return 0, 0, ""
	}
	at := stop + 1
	for at < len(s) && s[at] == ' ' {
		at++
	}
	switch name {
	case "user", "proxy-user", "auth", "creds", "src-creds", "dest-creds", "credentials", "basic-auth", "userpwd":
		return l.pair(s, at, ':')
	case "cookie":
		return l.pair(s, at, '=')
	case "body", "value", "data", "secret-string":
		if l.secrets || name == "secret-string" {
			return l.value(s, at, "secret")
		}
	case "pass", "storepass", "keypass", "adminpass", "oauth2-bearer", "pat", "passcode", "secret-value":
		return l.value(s, at, "secret")
	}
	return l.value(s, at, nameGives(name))
}

// short reads an option of one letter, as far as its program gives it a secret.
func (l *commandLine) short(s string, i int) (start, end int, kind string) {
	if l.program == "" || i+2 >= len(s) {
		return 0, 0, ""
	}
	letter, rest := s[i+1], i+2
	attached := s[rest] != ' ' && s[rest] != '='
	next := rest
	for next < len(s) && s[next] == ' ' {
		next++
	}
	is := func(programs ...string) bool {
		for _, p := range programs {
			if l.program == p {
				return true
			}
		}
		return false
	}
	switch {
	case is("curl"):
		// The last of several letters together takes the value: -sSu.
		for attached && rest < len(s) && wordByte(s[rest]) && strings.IndexByte("fgiIjkLNOsSv#0123", letter) >= 0 {
			letter, rest = s[rest], rest+1
		}
		for rest < len(s) && s[rest] == ' ' {
			rest++
		}
		switch letter {
		case 'u', 'U':
			return l.pair(s, rest, ':')
		case 'b':
			return l.pair(s, rest, '=')
		}
	case is("http", "https", "xh") && letter == 'a':
		return l.pair(s, next, ':')
	case strings.HasPrefix(l.program, "mysql") || strings.HasPrefix(l.program, "mariadb") || is("mycli", "7z", "7za", "7zz"):
		if letter == 'p' && attached && !strings.HasPrefix(s[i:], "-port") {
			return l.value(s, rest, "password")
		}
	case strings.HasPrefix(l.program, "mongo") || is("sshpass", "cqlsh", "rabbitmqadmin", "twine"):
		if letter == 'p' {
			return l.value(s, next, "password")
		}
	case is("zip", "unzip", "sqlcmd", "bcp") && letter == 'P', is("redis-cli") && letter == 'a', strings.HasPrefix(l.program, "ldap") && letter == 'w':
		return l.value(s, next, "password")
	case is("smbclient", "rpcclient") && letter == 'U':
		return l.pair(s, next, '%')
	case is("docker", "podman", "nerdctl", "skopeo", "buildah", "helm", "oras", "az", "oc", "cf") && letter == 'p' && l.second == "login":
		return l.value(s, next, "password")
	case is("gh", "doppler") && letter == 'b' && l.secrets:
		return l.value(s, next, "secret")
	case is("htpasswd") && strings.IndexByte(word(s, i), 'b') > 0: // file, user, password
		at := next
		for range 2 {
			if _, at = nameThen(s, at); at == 0 {
				return 0, 0, ""
			}
		}
		return l.value(s, at, "password")
	case is("openssl") && letter == 'k' && !attached:
		return l.value(s, next, "password")
	}
	return 0, 0, ""
}

// word is the text at i up to the next space.
func word(s string, i int) string {
	w, _, _ := strings.Cut(s[i:min(len(s), i+200)], " ")
	return w
}

// pair takes what stands behind a sign in a value: user:password.
func (l *commandLine) pair(s string, at int, sign byte) (start, end int, kind string) {
	start, end, quote := extent(s, at)
	j := strings.IndexByte(s[start:end], sign)
	if j < 0 {
		return 0, 0, ""
	}
	if j == end-start-1 { // a token for the user, and no password
		if random(s[start : end-1]) {
			return start, end - 1, "credentials"
		}
		return 0, 0, ""
	}
	v := s[start+j+1 : end]
	if strings.Trim(s[start:end], "0123456789:") == "" { // ids of a user and a group
		return 0, 0, ""
	}
	if strings.HasPrefix(s[start:end], "http") && sign == ':' || quote != '\'' && strings.Contains(s[start:end], "${") || names(v, quote) || !l.strict && (onlySecretWords(v) || len(v) > 0 && isPlaceholder(v)) {
		return 0, 0, ""
	}
	return start + j + 1, end, "password"
}

// value takes the value at a byte, unless it only names a secret.
func (l *commandLine) value(s string, at int, kind string) (start, end int, found string) {
	if kind == "" || at >= len(s) {
		return 0, 0, ""
	}
	start, end, quote := extent(s, at)
	v := s[start:end]
	switch {
	case v == "" || names(v, quote), v[0] == '-' && quote == 0, !l.strict && (v == "=" || v == ":" || v[0] == '.'),
		strings.HasPrefix(v, "/"), strings.HasPrefix(v, "./"), strings.HasPrefix(v, "~/"), strings.HasPrefix(v, "@") && kind != "password",
		strings.HasPrefix(v, "id="), strings.HasPrefix(v, "type="), strings.HasPrefix(v, "source="), strings.HasPrefix(v, "src="), strings.HasPrefix(v, "pass:") && start < at+1:
		return 0, 0, ""
	case kind == "secret" && strings.Trim(v, "0123456789.kKmM") == "":
		return 0, 0, "" // a number of tokens
	case said(v):
		return 0, 0, ""
	case !l.strict && (quote == 0 && plainWord(strings.TrimRight(v, ",.:!?")) && (likeness(v) > wordLike-0.3 || l.program != "openssl") || strings.ContainsAny(v, " \n")):
		return 0, 0, "" // prose about the option
	}
	return start, end, kind
}

// extent is the value at a byte: what the quotes hold, else up to a space or the
// end of the command.
func extent(s string, at int) (start, end int, quote byte) {
	start = at
	if start < len(s) && (s[start] == '"' || s[start] == '\'') {
		quote = s[start]
		start++
	}
	end = start
	for end < len(s) && end-start < MaxToken {
		c := s[end]
		if quote != 0 && c == quote && s[end-1] != '\\' || quote == 0 && (space(c) || strings.IndexByte("\"'`;|&)<>", c) >= 0) {
			break
		}
		end++
	}
	return start, end, quote
}

// names reports a value that stands for a secret. What single quotes hold is
// never a variable, but for one that is nothing else.
func names(v string, quote byte) bool {
	if quote == '\'' && strings.HasPrefix(v, "$") {
		return strings.Trim(v, "${}ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789") == ""
	}
	return variable(v)
}

// said reports words that switch something, or stand for no value.
func said(v string) bool {
	switch strings.ToLower(v) {
	case "true", "false", "yes", "no", "on", "off", "none", "null", "nil", "undefined", "stdin", "prompt", "ask":
		return true
	}
	return false
}

// given finds the value of a name that ends in a word for a secret; i is at the
// "=" or ":" between them. Of a command line any such value is one.
func (l *commandLine) given(s string, i int) (start, end int, kind string) {
	name := nameBefore(s, i)
	if name == "" {
		return 0, 0, ""
	}
	at := i + 1
	for at < len(s) && (s[at] == ' ' || s[at] == '\\') && at-i < 4 {
		at++
	}
	switch folded := strings.ToLower(name); {
	case strings.HasSuffix(folded, "authorization") && s[i] == ':':
		return l.authorized(s, at)
	case (folded == "cookie" || folded == "set-cookie") && s[i] == ':':
		end := at + strings.IndexAny(s[at:]+"\n", "\"'\n")
		if v := s[at:min(end, len(s))]; i+1 < len(s) && s[i+1] != '=' && len(v) >= 12 && !variable(v) && (l.strict && strings.Contains(v, "=") || cookie(v)) {
			return at, min(end, len(s)), "cookie"
		}
		return 0, 0, ""
	}
	if !l.strict {
		return 0, 0, ""
	}
	if l.secrets && s[i] == '=' && begun(s, i) {
		return l.value(s, at, "secret")
	}
	kind = nameGives(name)
	if kind == "" || s[i] == '=' && at != i+1 || at < len(s) && s[at] == '=' {
		return 0, 0, ""
	}
	// A value of JSON, of a form or of a header ends where those do.
	start, end, quote := extent(s, at)
	if s[i] == ':' && quote == 0 && !strings.Contains(name, "-") {
		return 0, 0, "" // neither JSON nor a header: a sentence
	}
	if quote == 0 {
		if j := strings.IndexAny(s[start:end], "&,}"); j >= 0 {
			end = start + j
		}
		if strings.ContainsAny(s[start:end], "([") {
			return 0, 0, "" // an expression of code
		}
	}
	if s, e, k := l.value(s[:end], at, kind); k != "" {
		return s, e, k
	}
	return 0, 0, ""
}

// ends reports that the quotes around a name close right behind the sign at i:
// what is searched for, and given nothing.
func (l *commandLine) ends(s string, i int) bool {
	for i++; i < len(s) && s[i] == ' '; i++ {
	}
	return l.quote != 0 && i < len(s) && s[i] == l.quote
}

// begun reports that the name before i is a word of its own, or of an option:
// NAME=value, --from-literal=name=value.
func begun(s string, i int) bool {
	j := i - len(nameBefore(s, i))
	return j > 0 && (space(s[j-1]) || s[j-1] == '=' || s[j-1] == '"' || s[j-1] == '\'') && s[j] != '-'
}

// nameGives is the kind of secret that is given to a name which ends in a word
// for one, "" for another name: PGPASSWORD and --api-key, not MAX_TOKENS or
// --password-file.
func nameGives(name string) string {
	var folded [64]byte
	n := 0
	lastPart := 0
	for i := 0; i < len(name) && n < len(folded); i++ {
		switch c := name[i]; {
		case c >= 'A' && c <= 'Z':
			folded[n] = c + 'a' - 'A'
			n++
		case c == '_' || c == '-' || c == '.' || c == ':' || c == '/':
			lastPart = n
		default:
			folded[n] = c
			n++
		}
	}
	for n > 0 && folded[n-1] >= '0' && folded[n-1] <= '9' { // --password1
		n--
	}
	plain, part := string(folded[:n]), string(folded[min(lastPart, n):n])
	switch {
	case plain == "pwd" || plain == "oldpwd":
		return ""
	case part == "pass" || part == "pw" || part == "pwd":
		return "password"
	}
	for _, w := range []string{"password", "passwd", "passphrase", "pwd"} {
		if strings.HasSuffix(plain, w) {
			return "password"
		}
	}
	for _, w := range []string{"token", "secret", "apikey", "accesskey", "secretkey", "privatekey", "authkey", "clientkey", "signingkey", "encryptionkey", "masterkey", "accountkey", "credential"} {
		if strings.HasSuffix(plain, w) {
			return "secret"
		}
	}
	return ""
}

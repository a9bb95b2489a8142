package secret

// class is the kind of secret that a name speaks of.
type class uint8

// The classes, from what is surely one to what seldom is.
const (
	none class = iota
	password
	secretWord
	token
	qualifiedKey // api key, private key, signing key
	plainKey
	auth
	credential
	salt // and nonce: random, if not always secret
	signature
	session
	account // a client's id
	classes
)

// name is what is known of the name that a value is given to.
type name struct {
	class     class
	last      bool // the word for the secret ends the name
	alone     bool // the name is that word
	about     bool // the name ends in a word for something about a secret: token_type
	plural    bool
	capitals  bool // DB_PASSWORD
	dotted    bool // a.password
	possessed bool // it is preceded by another word: user password
	verb      bool // it is "pass", which sentences have, too
	id        bool // it ends in id
	open      bool // it is said to be for everybody, or no secret any more: public key, encrypted password
}

// maxName bounds a name, maxWords the words of one.
const (
	maxName  = 64
	maxWords = 12
)

// nameWords are the words of a name in lower case: camelCase, snake_case, kebab-case.
type nameWords struct {
	low          [maxName]byte
	starts, ends [maxWords]int
	n            int
	upper, lower bool // the name has capitals, small letters
	dotted       bool
}

// word is the word at an index.
func (w *nameWords) word(i int) []byte { return w.low[w.starts[i]:w.ends[i]] }

// split finds the words of a name of at most maxName bytes. What is before a dot only says
// where, so it is left out, as are the first of too many words.
func (w *nameWords) split(s string) {
	inWord := false
	for i := range len(s) {
		c := s[i]
		isUpper := capital(c)
		w.low[i] = c
		if isUpper {
			w.low[i] = c + 'a' - 'A'
		}
		w.upper = w.upper || isUpper
		w.lower = w.lower || c >= 'a' && c <= 'z'
		if !letter(c) && !digit(c) {
			if inWord {
				w.ends[w.n-1], inWord = i, false
			}
			if c == '.' {
				w.n, w.dotted = 0, true
			}
			continue
		}
		if inWord && !(isUpper && beginsCamelWord(s, i)) {
			continue
		}
		if inWord {
			w.ends[w.n-1] = i
		}
		w.begin(i)
		inWord = true
	}
	if inWord {
		w.ends[w.n-1] = len(s)
	}
}

// begin adds a word that begins at a byte.
func (w *nameWords) begin(i int) {
	if w.n == maxWords {
		copy(w.starts[:], w.starts[1:])
		copy(w.ends[:], w.ends[1:])
		w.n--
	}
	w.starts[w.n] = i
	w.n++
}

// beginsCamelWord reports that the capital at i, which is not the first byte, begins a
// word: dbPassword, HTTPToken.
func beginsCamelWord(s string, i int) bool {
	return !capital(s[i-1]) || i+1 < len(s) && s[i+1] >= 'a' && s[i+1] <= 'z'
}

// find looks for the word for a secret, from the end: of two that stand side by side the
// one that says more counts. at is -1 where there is none.
func (w *nameWords) find() (c class, plural bool, at int) {
	at = -1
	for i := w.n - 1; i >= 0; i-- {
		of, many := classOf(w.word(i))
		if of == none {
			continue
		}
		if of == plainKey && i > 0 && qualifiesKey(w.word(i-1)) {
			of = qualifiedKey
		}
		if c == none || rank(of) < rank(c) && i == at-1 {
			c, plural, at = of, many, i
		}
		if i < at {
			break
		}
	}
	return c, plural, at
}

// parseName splits a name into words and finds the word for a secret in it.
func parseName(s string) name {
	var w nameWords
	w.split(s[max(0, len(s)-maxName):])
	if w.n == 0 {
		return name{}
	}
	out := name{capitals: w.upper && !w.lower}
	at := 0
	if out.class, out.plural, at = w.find(); out.class == none {
		return out
	}
	out.alone = w.n == 1
	if out.alone && string(w.word(0)) == "pat" { // a pattern
		return name{}
	}
	trail := w.n - 1
	for trail > at && digits(w.word(trail)) {
		trail--
	}
	out.last = at == trail || at == trail-1 && mayFollow(w.word(trail))
	out.verb = out.alone && string(w.word(0)) == "pass"
	out.about = !out.last && isAttribute(w.word(trail))
	out.possessed = at > 0
	out.id = trail > at && string(w.word(trail)) == "id"
	out.dotted = w.dotted
	for i := range w.n {
		out.open = out.open || isNotSecret(w.word(i))
	}
	return out
}

func digit(c byte) bool { return c >= '0' && c <= '9' }

// isNotSecret reports a word of names whose values are made to be seen, are made up,
// or are no secrets any more.
func isNotSecret(w []byte) bool {
	switch string(w) {
	case "fake", "dummy", "mock", "mocked", "sample", "placeholder", "invalid", "wrong", "bogus":
		return true
	case "not", "non", "bad", "empty", "expired", "missing", "incorrect", "insufficient", "mandatory", "forgot", "forgotten", "label", "websocket", "socket": // texts that are shown
		return true
	case "next", "previous", "prev", "page", "pagination", "continuation": // of a list that goes on
		return true
	case "public", "pub", "pubkey", "publickey", "encrypted", "hashed", "hash", "wrapped", "sealed", "foreign", "primary", "partition", "sort", "range", "cache", "fingerprint", "masked", "redacted", "checksum", "bucket", "object", "translation", "i18n", "feature", "row", "storage":
		return true
	}
	return false
}

// rank orders classes by how much they say: of "auth token" it is the token.
func rank(c class) int {
	switch c {
	case password, secretWord, token, qualifiedKey:
		return 0
	case salt, signature, session, credential, account:
		return 1
	case auth:
		return 2
	}
	return 3
}

func digits(w []byte) bool {
	for _, c := range w {
		if !digit(c) {
			return false
		}
	}
	return true
}

// mayFollow reports a word that may follow the one for a secret and takes nothing
// from it: passwordHash is not among them.
func mayFollow(w []byte) bool {
	switch string(w) {
	case "value", "val", "str", "string", "text", "plain", "raw", "b64", "base64", "hex", "data", "old", "new", "default", "prod", "dev", "test", "a", "b", "c":
		return true
	}
	return len(w) > 1 && w[0] == 'v' && digits(w[1:])
}

// isAttribute reports a word that makes a name one for something about a secret.
func isAttribute(w []byte) bool {
	switch string(w) {
	case "file", "filename", "path", "dir", "name", "names", "type", "url", "uri", "endpoint", "length", "len", "min", "max", "size", "count", "field", "policy",
		"prompt", "label", "hint", "title", "message", "msg", "error", "err", "regex", "regexp", "pattern", "expiry", "expires", "expiration", "ttl", "lifetime", "age", "timeout",
		"format", "algorithm", "alg", "method", "header", "env", "var", "variable", "ref", "reference", "arn", "id", "ids", "manager", "provider", "service", "store", "class",
		"config", "configuration", "options", "required", "enabled", "valid", "strategy", "mode", "version", "scheme", "prefix", "suffix", "index", "limit", "usage", "budget",
		"counter", "bits", "kind", "input", "reset", "generator", "validator", "hasher", "encoder", "server", "host", "port", "user", "username", "table", "column", "attributes",
		"spec", "schema", "state", "status", "info", "source", "location", "function", "handler", "callback", "middleware", "description", "example", "placeholder", "cache", "rotation", "days",
		"encryption", "hash", "hashing", "algo", "algorithms", "retention", "address", "digest", "md5", "sha1", "sha256", "sha384", "sha512", "crc":
		return true
	}
	return false
}

// qualifiesKey reports a word that makes a key after it one to keep secret.
func qualifiesKey(w []byte) bool {
	switch string(w) {
	case "api", "secret", "private", "access", "auth", "encryption", "encrypt", "signing", "sign", "client", "consumer", "app", "application", "account", "master", "service", "shared",
		"license", "storage", "integration", "deploy", "routing", "ssh", "priv", "crypto", "cipher", "aes", "hmac", "jwt", "session", "admin", "subscription", "write", "read", "webhook", "n", "storagekey", "instrumentation", "ingest", "developer", "dev", "merchant", "site", "user", "team":
		return true
	}
	return false
}

// classOf is the class of a word of a name.
func classOf(w []byte) (c class, plural bool) {
	if len(w) < 2 {
		return none, false
	}
	if c := classOfWhole(w); c != none {
		return c, false
	}
	if len(w) > 3 && w[len(w)-1] == 's' {
		if c := classOfWhole(w[:len(w)-1]); c != none {
			return c, true
		}
	}
	return classOfEnding(w), false
}

func classOfWhole(w []byte) class {
	switch string(w) {
	case "password", "passwd", "pwd", "passphrase", "pass", "pw", "passcode", "passwort", "pswd", "passw", "psw", "pword", "contrasena", "motdepasse", "senha", "requirepass", "userpass", "dbpass", "rootpass", "keypass", "storepass", "masterauth":
		return password
	case "secret", "psk", "verifier":
		return secretWord
	case "token", "jwt", "bearer", "pat":
		return token
	case "apikey", "secretkey", "privatekey", "accesskey", "authkey", "privkey", "clientkey", "signingkey", "encryptionkey", "masterkey", "sharedkey", "accountkey", "nkey", "appkey", "licensekey", "sshkey", "keypair":
		return qualifiedKey
	case "key", "seed", "mnemonic", "pem":
		return plainKey
	case "auth", "authorization", "authentication", "oauth":
		return auth
	case "credential", "cred", "creds", "login":
		return credential
	case "salt", "nonce", "iv", "pepper", "cnonce":
		return salt
	case "signature", "sig", "hmac", "sign":
		return signature
	case "session", "sessionid", "sid", "cookie", "csrf", "xsrf", "otp", "totp", "pin":
		return session
	case "clientid", "appid":
		return account
	}
	return none
}

// isOtherPass reports a word that ends in "pass" and is none for a password.
func isOtherPass(w []byte) bool {
	if n := len(w); n > 6 && string(w[n-6:]) == "bypass" {
		return true
	}
	switch string(w) {
	case "bypass", "compass", "onepass", "lastpass", "keepass", "askpass", "trespass", "surpass", "encompass", "overpass", "underpass",
		"minipass", "prepass", "fastpass", "lowpass", "highpass", "bandpass", "allpass", "multipass", "singlepass", "twopass", "firstpass", "nextpass", "renderpass", "subpass":
		return true
	}
	return false
}

// classOfEnding finds a word for a secret within one that was written together:
// mysqlpassword, PGPASSWORD, authtoken.
func classOfEnding(w []byte) class {
	for _, j := range [...]struct {
		end string
		c   class
	}{
		{"password", password}, {"passwd", password}, {"passphrase", password}, {"passcode", password},
		{"secret", secretWord}, {"token", token}, {"apikey", qualifiedKey}, {"secretkey", qualifiedKey}, {"privatekey", qualifiedKey}, {"accesskey", qualifiedKey},
		{"credential", credential}, {"credentials", credential}, {"nonce", salt}, {"signature", signature},
	} {
		if len(w) > len(j.end) && string(w[len(w)-len(j.end):]) == j.end {
			return j.c
		}
	}
	if n := len(w); n >= 4 && n <= 12 && string(w[n-3:]) == "key" {
		switch string(w) {
		case "monkey", "donkey", "turkey", "hotkey", "hockey", "whiskey", "jockey", "pubkey", "publickey", "shortkey":
			return none
		}
		return plainKey
	}
	if n := len(w); n >= 5 && n <= 14 {
		switch end := string(w[n-4:]); {
		case end == "pass" && !isOtherPass(w):
			return password
		case string(w[n-3:]) == "pwd" && string(w) != "oldpwd":
			return password
		}
	}
	return none
}

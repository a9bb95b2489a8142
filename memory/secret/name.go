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

// parse splits a name into words (camelCase, snake_case, kebab-case) and finds
// the word for a secret in it.
func parse(s string) name {
	if len(s) > maxName {
		s = s[len(s)-maxName:]
	}
	var low [maxName]byte
	var starts, ends [maxWords]int
	n, upper, lower := 0, false, false
	open := false
	for i := range len(s) {
		c := s[i]
		isUpper := c >= 'A' && c <= 'Z'
		letter := isUpper || c >= 'a' && c <= 'z'
		digit := c >= '0' && c <= '9'
		low[i] = c
		if isUpper {
			low[i] = c + 'a' - 'A'
			upper = true
		}
		lower = lower || letter && !isUpper
		if !letter && !digit {
			if open {
				ends[n-1], open = i, false
			}
			if c == '.' { // what is before a dot only says where
				n = 0
			}
			continue
		}
		begins := !open
		if open && isUpper && i > 0 {
			p := s[i-1]
			next := byte(0)
			if i+1 < len(s) {
				next = s[i+1]
			}
			begins = !(p >= 'A' && p <= 'Z') || next >= 'a' && next <= 'z'
		}
		if begins {
			if open {
				ends[n-1] = i
			}
			if n == maxWords {
				copy(starts[:], starts[1:])
				copy(ends[:], ends[1:])
				n--
			}
			starts[n] = i
			n++
			open = true
		}
	}
	if n == 0 {
		return name{}
	}
	if open {
		ends[n-1] = len(s)
	}
	var out name
	out.capitals = upper && !lower
	at := -1
	for w := n - 1; w >= 0; w-- {
		word := low[starts[w]:ends[w]]
		c, plural := classOf(word)
		if c == none {
			continue
		}
		if c == plainKey && w > 0 && qualifies(low[starts[w-1]:ends[w-1]]) {
			c = qualifiedKey
		}
		if out.class == none || rank(c) < rank(out.class) && w == at-1 {
			out.class, out.plural, at = c, plural, w
		}
		if w < at {
			break
		}
	}
	if out.class == none {
		// Written as one: apikey, clientid, x509.
		return out
	}
	trail := n - 1
	for trail > at && digits(low[starts[trail]:ends[trail]]) {
		trail--
	}
	out.last = at == trail || at == trail-1 && tail(low[starts[trail]:ends[trail]])
	out.alone = n == 1
	if out.alone && string(low[starts[0]:ends[0]]) == "pat" { // a pattern
		return name{}
	}
	out.verb = n == 1 && string(low[starts[0]:ends[0]]) == "pass"
	out.about = !out.last && about(low[starts[trail]:ends[trail]])
	out.possessed = at > 0
	out.id = trail > at && string(low[starts[trail]:ends[trail]]) == "id"
	for w := range n {
		out.open = out.open || shared(low[starts[w]:ends[w]])
	}
	for i := range len(s) {
		if s[i] == '.' {
			out.dotted = true
		}
	}
	return out
}

// shared reports a word of names whose values are made to be seen, are made up,
// or are no secrets any more.
func shared(w []byte) bool {
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
		if c < '0' || c > '9' {
			return false
		}
	}
	return true
}

// tail reports a word that may follow the one for a secret and takes nothing
// from it: passwordHash is not among them.
func tail(w []byte) bool {
	switch string(w) {
	case "value", "val", "str", "string", "text", "plain", "raw", "b64", "base64", "hex", "data", "old", "new", "default", "prod", "dev", "test", "a", "b", "c":
		return true
	}
	return len(w) > 1 && w[0] == 'v' && digits(w[1:])
}

// about reports a word that makes a name one for something about a secret.
func about(w []byte) bool {
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

// qualifies reports a word that makes a key after it one to keep secret.
func qualifies(w []byte) bool {
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
	if c := exactly(w); c != none {
		return c, false
	}
	if len(w) > 3 && w[len(w)-1] == 's' {
		if c := exactly(w[:len(w)-1]); c != none {
			return c, true
		}
	}
	return joined(w), false
}

func exactly(w []byte) class {
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

// passes reports a word that ends in "pass" and is none for a password.
func passes(w []byte) bool {
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

// joined finds a word for a secret within one that was written together:
// mysqlpassword, PGPASSWORD, authtoken.
func joined(w []byte) class {
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
		case end == "pass" && !passes(w):
			return password
		case string(w[n-3:]) == "pwd" && string(w) != "oldpwd":
			return password
		}
	}
	return none
}

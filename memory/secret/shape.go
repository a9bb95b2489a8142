package secret

import (
	"math"
	"strings"
)

// secretAt looks for a secret that is recognised by the bytes at i.
func (l *commandLine) secretAt(s string, i int) (start, end int, kind string) {
	switch c := s[i]; {
	case c == '=' || c == ':':
		if strings.HasPrefix(s[i:], "://") {
			return credentials(s, i)
		}
		if l.ends(s, i) {
			return 0, 0, ""
		}
		if start, end, kind := l.given(s, i); kind != "" {
			return start, end, kind
		}
		return assigned(s, i)
	case c == '(' || c == ',' || c == '>':
		return assigned(s, i)
	case c == ' ':
		if !promising(s, i+1) {
			return 0, 0, ""
		}
		return assigned(s, i)
	case c > 127:
		if start, end := secretInOtherScript(s, i); end > start {
			return start, end, "password"
		}
	case c == '-' && strings.HasPrefix(s[i:], "-----BEGIN "):
		return privateKey(s, i)
	case l.begins:
		if start, end, kind := l.argument(s, i); kind != "" {
			return start, end, kind
		}
		if c == 'B' || c == 'b' {
			if start, end, kind := header(s, i); kind != "" {
				return start, end, kind
			}
		}
		if start, end, kind := secretInSentence(s, i); kind != "" {
			return start, end, kind
		}
	case i > 0 && wordByte(s[i-1]):
		return 0, 0, ""
	case c == 'B' || c == 'b':
		if start, end, kind := header(s, i); kind != "" {
			return start, end, kind
		}
	}
	return l.service(s, i)
}

// promising is the quick look at a word that may be given to the one before it:
// without quotes it has a digit.
func promising(s string, i int) bool {
	for j := i; j < len(s) && j-i < maxName; j++ {
		switch c := s[j]; {
		case c >= 'a' && c <= 'z':
		case c >= '0' && c <= '9' || c == '"' || c == '\'' || c == '`' || c > 127 || c == '&' || c == '\\':
			return true
		case space(c):
			return false
		}
	}
	return i < len(s)
}

func wordByte(c byte) bool {
	return letter(c) || c-'0' < 10 || c == '_'
}

// shape is the form of a service's tokens: what they begin with, and how many
// bytes of which kind follow at least.
type shape struct {
	prefix string
	least  int
	extra  string // bytes beside letters and digits
	kind   string
}

// shapes lists the forms by their first byte. It is data of the program: nothing is
// made of it when a text is read.
var shapes = [256][]shape{
	'A': {{"AKIA", 16, "", "aws key"}, {"ASIA", 16, "", "aws key"}, {"ABIA", 16, "", "aws key"}, {"ACCA", 16, "", "aws key"},
		{"AIza", 35, "_-", "google key"}, {"AGE-SECRET-KEY-1", 50, "", "age key"}},
	'g': {{"ghp_", 36, "", "github token"}, {"gho_", 36, "", "github token"}, {"ghu_", 36, "", "github token"},
		{"ghs_", 36, "", "github token"}, {"ghr_", 36, "", "github token"}, {"github_pat_", 40, "_", "github token"},
		{"glpat-", 20, "_-.", "gitlab token"}, {"glsa_", 32, "_", "grafana token"}},
	'x': {{"xoxb-", 10, "-", "slack token"}, {"xoxp-", 10, "-", "slack token"}, {"xoxa-", 10, "-", "slack token"},
		{"xoxr-", 10, "-", "slack token"}, {"xoxs-", 10, "-", "slack token"}, {"xoxe", 20, "-.", "slack token"}, {"xapp-", 20, "-", "slack token"}},
	's': {{"sk-ant-", 20, "_-", "anthropic key"}, {"sk-proj-", 20, "_-", "openai key"}, {"sk-svcacct-", 20, "_-", "openai key"},
		{"sk-", 32, "", "api key"}, {"sk_live_", 16, "", "stripe key"}, {"sk_test_", 16, "", "stripe key"}, {"shpat_", 32, "", "shopify token"},
		{"shpss_", 32, "", "shopify token"}, {"shpca_", 32, "", "shopify token"}, {"shppa_", 32, "", "shopify token"}, {"sk_prod_", 16, "", "stripe key"}},
	'r': {{"rk_live_", 16, "", "stripe key"}, {"rk_test_", 16, "", "stripe key"}, {"rk_prod_", 16, "", "stripe key"}},
	'n': {{"npm_", 36, "", "npm token"}, {"ntn_", 40, "", "notion token"}},
	'p': {{"pypi-AgEIcHlwaS5vcmc", 40, "_-", "pypi token"}, {"pul-", 40, "", "pulumi token"}},
	'h': {{"hf_", 34, "", "hugging face token"}, {"hvs.", 24, "_-", "vault token"}},
	'd': {{"dop_v1_", 64, "", "digitalocean token"}, {"doo_v1_", 64, "", "digitalocean token"}, {"dp.pt.", 40, "", "doppler token"}, {"dapi", 32, "", "databricks token"}},
	'S': {{"SG.", 50, "_-.", "sendgrid key"}, {"SU", 56, "", "nkey seed"}, {"SA", 56, "", "nkey seed"}, {"SO", 56, "", "nkey seed"}, {"SN", 56, "", "nkey seed"}, {"SC", 56, "", "nkey seed"}, {"SX", 56, "", "nkey seed"}},
	'G': {{"GOCSPX-", 28, "_-", "google secret"}},
	'y': {{"ya29.", 20, "_-", "google token"}},
	'w': {{"whsec_", 24, "+/=", "webhook secret"}},
	'l': {{"lin_api_", 32, "", "linear key"}},
	'Z': {{"ZXlK", 60, "_-+/=", "jwt in base64"}},
	'b': {{"bedrock-api-key-", 40, "_-+/=", "aws key"}},
	'e': {{"eyJ", 40, "_-.", "jwt"}},
}

// MaxToken is longer than any token; it bounds the work on a text made to cost some.
const MaxToken = 4096

// begins is the quick look before the exact one: two bytes that a token can begin with.
func begins(s string) bool {
	if len(s) < 20 || !wordByte(s[0]) {
		return false
	}
	switch s[:2] {
	case "AK", "AS", "AB", "AC", "AI", "AG", "gh", "gi", "gl", "xo", "xa", "sk", "sh", "rk", "np", "nt", "py", "pu", "hf", "hv",
		"do", "dp", "da", "SG", "SU", "SA", "SO", "SN", "SC", "SX", "GO", "ya", "wh", "li", "ey", "ZX", "be":
		return true
	}
	return false
}

func (l *commandLine) service(s string, i int) (start, end int, kind string) {
	if !begins(s[i:]) {
		return 0, 0, ""
	}
	for _, f := range shapes[s[i]] {
		if !strings.HasPrefix(s[i:], f.prefix) || f.kind == "jwt" && i < l.noJWT {
			continue
		}
		end := i + len(f.prefix)
		dots := 0
		for end < len(s) && end-i < MaxToken && dots <= 2 && (wordByte(s[end]) && s[end] != '_' || strings.IndexByte(f.extra, s[end]) >= 0) {
			if s[end] == '.' && f.kind == "jwt" {
				dots++
			}
			end++
		}
		token := s[i:end]
		if f.kind == "jwt" {
			switch dots := strings.Count(token, "."); {
			case dots < 2: // nor does one begin further on in the same run
				l.noJWT = end
				continue
			case dots > 2 || !signed(token):
				continue
			}
		}
		if len(token)-len(f.prefix) < f.least {
			continue
		}
		if f.kind == "aws key" && f.extra == "" && (strings.HasSuffix(token, "EXAMPLE") || len(token) != 20 || strings.ToUpper(token) != token) {
			continue
		}
		if f.kind == "nkey seed" && (len(token) != 58 || strings.ToUpper(token) != token) {
			continue
		}
		return i, end, f.kind
	}
	return 0, 0, ""
}

// signed reports a JWT whose claims are an object and that has a signature.
func signed(token string) bool {
	_, rest, _ := strings.Cut(token, ".")
	claims, sum, _ := strings.Cut(rest, ".")
	return strings.HasPrefix(claims, "ey") && len(sum) >= 8
}

func privateKey(s string, i int) (start, end int, kind string) {
	head, _, ok := strings.Cut(s[i+len("-----BEGIN "):min(len(s), i+100)], "-----")
	if !ok || !strings.Contains(head, "PRIVATE KEY") || !keyFollows(s[i+len("-----BEGIN ")+len(head)+len("-----"):]) {
		return 0, 0, ""
	}
	if j := strings.Index(s[i:], "-----END "); j >= 0 {
		if k := strings.Index(s[i+j+9:], "-----"); k >= 0 {
			return i, i + j + 9 + k + 5, "private key"
		}
	}
	return i, len(s), "private key"
}

// credentials finds the password in a URL; i is at its "://".
// reserved reports a host of the domains that are kept for examples.
func reserved(host string) bool {
	host, _, _ = strings.Cut(host, ":")
	for _, d := range [...]string{"example.com", "example.org", "example.net"} {
		if host == d || strings.HasSuffix(host, "."+d) {
			return true
		}
	}
	return false
}

// keyFollows reports a run of base64 behind the first line of a key: a text may
// speak of that line alone.
func keyFollows(s string) bool {
	if body, _, _ := strings.Cut(s[:min(len(s), 400)], "-----"); strings.Contains(body, "...") || strings.Contains(body, "\u2026") { // left out
		return false
	}
	if body, _, ok := strings.Cut(s[:min(len(s), 400)], "-----END"); ok { // a short one, in full
		body = strings.TrimSpace(strings.ReplaceAll(body, `\n`, ""))
		return len(body) >= 4 && !isPlaceholder(body) && !strings.ContainsAny(body, " ()[]*") || runs(body)
	}
	return runs(s[:min(len(s), 400)])
}

// runs reports twenty signs of base64 in a row.
func runs(s string) bool {
	run := 0
	for i := range len(s) {
		if c := s[i]; letter(c) || c >= '0' && c <= '9' || c == '+' || c == '/' || c == '=' {
			if run++; run >= 20 {
				return true
			}
			continue
		}
		run = 0
	}
	return false
}

func credentials(s string, i int) (start, end int, kind string) {
	rest := s[i+3:]
	if j := strings.IndexAny(rest, "/ \t\r\n\"'?#"); j >= 0 {
		rest = rest[:j]
	}
	at := strings.LastIndexByte(rest, '@')
	colon := strings.IndexByte(rest, ':')
	if at >= 0 && (colon < 0 || colon > at) && random(rest[:at]) && !strings.Contains(rest[:at], "%40") { // a token in place of the user
		return i + 3, i + 3 + at, "credentials"
	}
	if at < 0 || colon < 0 || colon > at || at-colon < 4 || variable(rest[colon+1:at]) {
		return 0, 0, ""
	}
	v := rest[colon+1 : at]
	if onlySecretWords(strings.TrimRight(v, "]@")) || len(v) >= 3 && isPlaceholder(v) || v == rest[:colon] || reserved(rest[at+1:]) && !hasDigit(v) {
		return 0, 0, ""
	}
	return i + 3 + colon + 1, i + 3 + at, "password"
}

// nameBefore is the identifier that ends right before i, quotes and space left out.
func nameBefore(s string, i int) string {
	end := i
	for end > 0 && i-end < 4 && strings.IndexByte(" \t\"'`:\\", s[end-1]) >= 0 {
		end--
	}
	start := end
	for start > 0 && end-start < 64 && (wordByte(s[start-1]) || s[start-1] == '-' || s[start-1] == '.') {
		start--
	}
	return s[start:end]
}

// variable reports a value that names a secret rather than being one.
func variable(v string) bool {
	if v == "" || strings.ContainsAny(v[:1], "$<{%*[") {
		return true
	}
	low := strings.ToLower(v)
	for _, sign := range []string{"env.", "environ", "getenv", "${", "$(", "{{", "xxxx", "****", "example", "changeme", "placeholder", "your_", "your-", "http://", "https://"} {
		if strings.Contains(low, sign) {
			return true
		}
	}
	return false
}

// plainWord reports a value that is a name, a number or a path of letters: no randomness.
func plainWord(v string) bool {
	letters, digits := 0, 0
	for i := range len(v) {
		switch c := v[i]; {
		case c >= '0' && c <= '9':
			digits++
		case wordByte(c) || c == '-' || c == '.' || c == '/':
			letters++
		default:
			return false
		}
	}
	return digits == 0 || letters == 0
}

// entropy is the Shannon entropy of the bytes of v, in bits.
func entropy(v string) float64 {
	var counts [256]int
	for i := range len(v) {
		counts[v[i]]++
	}
	sum := 0.0
	for _, n := range counts {
		if n > 0 {
			p := float64(n) / float64(len(v))
			sum -= p * math.Log2(p)
		}
	}
	return sum
}

// random reports a text that looks made by chance: long, of letters and digits,
// and of many different ones.
func random(v string) bool {
	return len(v) >= 16 && !plainWord(v) && !strings.ContainsAny(v, " /$<{") && entropy(v) >= 3
}

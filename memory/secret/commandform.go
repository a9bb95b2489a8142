package secret

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// formValue is what a form takes for a secret: in quotes, or up to what ends a word of a shell.
const formValue = `(?:"([^"\n]+)"|'([^'\n]+)'|([^\s'"` + "`" + `;|&()<>]+))`

// commandForm is a way in which a command line gives a secret that is not an option's of one of programs. It is looked for only
// where its sign is.
type commandForm struct {
	sign   string // which the command has
	within bool   // the expression is for what follows the sign, up to the end of its command
	kind   string
	expr   func() *regexp.Regexp
	named  bool     // its first group is a name, which decides whether the value is a secret, and of which kind
	odd    bool     // a value of letters alone is a word, and no secret
	hints  []string // in small letters: without one of them there is nothing, and the expression need not be made
}

// lazily compiles an expression at its first use.
func lazily(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

func after(sign, kind, expr string) commandForm {
	return commandForm{sign: sign, within: true, kind: kind, expr: lazily(expr)}
}

func anywhere(sign, kind, expr string) commandForm {
	return commandForm{sign: sign, kind: kind, expr: lazily(expr)}
}

func givenTo(sign, expr string) commandForm {
	return commandForm{sign: sign, named: true, expr: lazily(expr)}
}

// echoed is a value that echo or printf writes into a file that a program is given for one.
const echoed = `<\((?:echo|printf)(?:\s+(?:-[a-zA-Z]+|["']?%s(?:\\n)?["']?))*\s+` + formValue + `\s*\)`

// placeholders are texts that stand for a secret until somebody puts it in.
const placeholders = `(?i:change[-_]?me|replace[-_]?me|your[-_](?:\w+[-_])?(?:key|token|secret|password)|<[^<>\n]*(?:key|token|secret|password)>|__\w*(?:key|token|secret|password)__)`

// replaced is a value that sed puts in the place of a placeholder, for each sign that people put between the two.
func replaced() string {
	var all []string
	for _, sign := range []string{"/", "|", "#", ",", "@"} {
		other := `[^\n` + sign + `]`
		sign = regexp.QuoteMeta(sign)
		all = append(all, `s`+sign+other+`*`+placeholders+other+`*`+sign+`(`+other+`+)`+sign)
	}
	return `\bsed\b[^;&\n]*?\b(?:` + strings.Join(all, "|") + `)`
}

// The forms are made at their first use, and so is the expression of each.
var (
	formsOnce sync.Once
	formsMade []commandForm // guarded by formsOnce
)

func commandForms() []commandForm {
	formsOnce.Do(func() { formsMade = newCommandForms() })
	return formsMade
}

func newCommandForms() []commandForm {
	return []commandForm{
		anywhere("<<<", "secret", `(?:--password-stdin|--with-token|--stdin\b|--passphrase-fd 0|--data-file[= ]-|\bsudo -S|\bchpasswd|\bpasswd|\bkinit|\bcryptsetup|\bsecret-tool store|\bpass insert|\bsecrets? (?:set|put|create|add)|\bread\b[^;|&\n<]*(?i:token|secret|passw|pwd|key))[^;|&\n<]*<<<\s*\$?`+formValue),
		{sign: "<<<", kind: "secret", odd: true, expr: lazily(`\bbase64\b[^;|&\n<]*<<<\s*\$?` + formValue)},
		{sign: "sed", kind: "secret", expr: sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(replaced()) }), hints: []string{"change", "replace", "your", "<", "__"}},
		after("restic", "password", `\s-p[ =]?`+echoed),
		{sign: "gem", within: true, kind: "secret", odd: true, expr: lazily(`^(?:\.\w+)?(?s:\s.*?)?\s(?:-k|--key)[ =]` + formValue)}, // also the name of one
		after("runas", "password", `(?i)\s/p(?:ass(?:word)?)?:`+formValue),
		after("htpasswd", "password", `^\s+-[a-zA-Z]*b[a-zA-Z]*(?:\s+-\S+)*(?:\s+[^\s-]\S*){1,2}\s+`+formValue+`\s*(?:$|>)`),
		after("ssh-keygen", "password", `\s-[NP]\s*`+formValue),
		after("useradd", "password", `\s-p\s+`+formValue), after("usermod", "password", `\s-p\s+`+formValue),
		after("ldappasswd", "password", `\s-[saw]\s+`+formValue),
		after("openssl", "password", `^\s+passwd(?:\s+-(?:1|5|6|apr1|aixmd5|crypt|noverify|quiet|table|reverse))*(?:\s+-salt\s+\S+)?\s+`+formValue),
		after("mosquitto_", "password", `\s-P\s+`+formValue),
		after("nuget", "secret", `\s(?:-k|-[Aa]pi[Kk]ey)\s+`+formValue),
		after("security", "password", `\s(?:add-(?:generic|internet)-password|unlock-keychain|create-keychain|import|set-key-partition-list)\b.*?\s-[wpPk]\s+`+formValue),
		after("rabbitmqctl", "password", `\s(?:add_user|change_password|authenticate_user)\s+\S+\s+`+formValue),
		after("bw", "password", `^\s+(?:login\s+\S+@\S+|unlock)\s+`+formValue),
		after("wpa_passphrase", "password", `^\s+(?:"[^"]*"|'[^']*'|\S+)\s+`+formValue),
		after("lftp", "password", `(?:^|[\s"'])-u\s+[^\s,]+,`+formValue),
		after("winexe", "password", `\s(?:-U|--user)[ =][^\s%]+%`+formValue),
		after("poetry", "secret", `\spypi-token\.\S+\s+`+formValue), after("poetry", "password", `\shttp-basic\.\S+\s+\S+\s+`+formValue),
		after("cmdkey", "password", `(?i)\s/pass:`+formValue), after("xfreerdp", "password", `\s/p:`+formValue), after("schtasks", "password", `(?i)\s/rp\s+`+formValue),
		after("net", "password", `(?i)^\s+use\s.*?/user:\S+\s+`+formValue), after("net", "password", `(?i)^\s+user\s+[^\s/]+\s+`+formValue),
		anywhere("pgpass", "password", `(?m)(?:^|["'\s])[^:\s"']+:[0-9*]+:[^:\s]+:[^:\s]+:`+formValue),
		anywhere("assw", "password", `\bsend\s+(?:--\s+)?\\?["']([^"'\\\n]+)\\+r`), // of expect
		givenTo("$(", `([A-Za-z_][A-Za-z0-9_.-]*)=["']?\$\((?:echo|printf)(?:\s+(?:-[a-zA-Z]+|["']?%s(?:\\n)?["']?))*\s+`+formValue+`\s*\)`),
		givenTo("<(", `--?([A-Za-z][A-Za-z0-9-]*?)(?:-file)?[ =]`+echoed),
		givenTo("${", `\$\{([A-Za-z_][A-Za-z0-9_]*):?[-=]["']?([^}$"'\n]+)["']?\}`),
		givenTo(`\u0022`, `\\u0022([\w-]+)\\u0022\s*:\s*\\u0022([^\\\n]+)\\u0022`),
	}
}

// inForms returns the secrets of a command line that have one of the forms.
func inForms(s string) (out []Found) {
	for _, f := range commandForms() {
		for from := 0; ; {
			at := strings.Index(s[from:], f.sign)
			if at < 0 {
				break
			}
			at += from
			from = at + len(f.sign)
			start, end := 0, len(s)
			if f.within {
				if at > 0 && (wordByte(s[at-1]) || s[at-1] == '-') {
					continue // the end of another word
				}
				start, end = from, from+endOfCommand(s[from:])
			}
			out = f.appendFound(out, s, start, end)
			if !f.within {
				break // one search sees all
			}
			from = max(from, end)
		}
	}
	return out
}

func (f commandForm) appendFound(out []Found, s string, start, end int) []Found {
	if f.hints != nil {
		folded := strings.ToLower(s[start:end])
		if !slices.ContainsFunc(f.hints, func(hint string) bool { return strings.Contains(folded, hint) }) {
			return out
		}
	}
	for _, m := range f.expr().FindAllStringSubmatchIndex(s[start:end], -1) {
		kind := f.kind
		groups := m[2:]
		if f.named {
			kind, groups = nameGives(s[start+m[2]:start+m[3]]), m[4:]
		}
		for ; len(groups) > 0; groups = groups[2:] {
			if groups[0] < 0 {
				continue
			}
			v := s[start+groups[0] : start+groups[1]]
			if f.odd && strings.Trim(strings.ToLower(v), "abcdefghijklmnopqrstuvwxyz _-.,:!?") == "" {
				continue
			}
			if kind != "" && v[0] != '-' && !variable(v) && !said(v) && !strings.HasPrefix(v, "/") {
				out = append(out, Found{start + groups[0], start + groups[1], kind})
			}
		}
	}
	return out
}

// endOfCommand returns how long a command is. A line that ends with a backslash goes on.
func endOfCommand(s string) int {
	for i := range len(s) {
		switch s[i] {
		case ';', '|', '&':
			return i
		case '\n':
			if i == 0 || s[i-1] != '\\' {
				return i
			}
		}
	}
	return len(s)
}

// merged joins two lists. Of two that overlap, that which begins first stays, and of those the shorter one.
func merged(a, b []Found) []Found {
	if len(b) == 0 {
		return a
	}
	all := slices.Concat(a, b)
	slices.SortStableFunc(all, func(x, y Found) int { return cmp.Or(x.Start-y.Start, y.End-x.End) })
	out := all[:0:0]
	end := 0
	for _, f := range all {
		if f.Start >= end {
			out, end = append(out, f), f.End
		}
	}
	return out
}

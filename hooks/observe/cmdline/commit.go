package cmdline

import (
	"cmp"
	"regexp"
	"strings"
	"sync"

	"manicule/hooks/observe/wording"
	"manicule/memory/gate/injection"
)

// TitlesOf returns what a command calls the work that it commits or offers.
func TitlesOf(args []string) (out []string) {
	line := strings.Join(args, " ")
	if !strings.Contains(line, "git commit") && !strings.HasPrefix(line, "gh pr create") && !strings.HasPrefix(line, "glab mr create") {
		return nil
	}
	for i, a := range args {
		switch name, value, ok := strings.Cut(a, "="); {
		case (name == "--message" || name == "--title") && ok:
			a = value
		case i+1 < len(args) && (messageFlag(a) || a == "-t" || a == "--message" || a == "--title"):
			a = args[i+1]
		default:
			continue
		}
		for line := range strings.SplitSeq(a, "\n") {
			out = append(out, line)
		}
	}
	return out
}

// messageFlag reports whether short options end with the one of the message: -m, -am, -qm.
func messageFlag(a string) bool {
	return len(a) > 1 && len(a) < 6 && a[0] == '-' && a[1] != '-' && strings.HasSuffix(a, "m")
}

// CommitMessage finds the first line of the message of a commit.
var CommitMessage = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?s)git\b[^&|;\n]*\bcommit\b.*?(?:-[a-zA-Z]*m|--message)[ =]*(?:"\$\(cat <<-?\\?['"]?\w+['"]?\n\s*([^\n]+)|"([^"\n]+)|'([^'\n]+))`)
})

// FixOf returns the message of a commit that says it fixes something, or "".
func FixOf(command string) string {
	m := CommitMessage().FindStringSubmatch(command)
	if m == nil {
		return ""
	}
	text := wording.OneLine(cmp.Or(m[1], m[2], m[3]), 100)
	if !strings.HasPrefix(strings.ToLower(text), "fix") || injection.Find(text) != "" {
		return ""
	}
	return text
}

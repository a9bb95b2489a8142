package install

import (
	"bytes"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/tailscale/hujson"
)

// Installed lists the command lines of ours that an agent's configuration file
// holds, each once, as the agent would run them.
func Installed(name string, existing []byte) []string {
	if bytes.HasPrefix(existing, []byte(pluginMark)) {
		m := regexp.MustCompile(`(?m)^const command = (".*")$`).FindSubmatch(existing)
		if m == nil {
			return nil
		}
		if command, err := strconv.Unquote(string(m[1])); err == nil {
			return []string{command}
		}
		return nil
	}
	v, err := hujson.Parse(existing)
	if err != nil {
		return nil
	}
	var out []string
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case string:
			if ours(name, v) && !slices.Contains(out, v) {
				out = append(out, v)
			}
		case []any:
			for _, x := range v {
				walk(x)
			}
		case map[string]any:
			for _, k := range []string{"command", "bash"} { // as this system runs it
				if s, ok := v[k].(string); ok {
					walk(s)
				}
			}
			for _, x := range v {
				if _, text := x.(string); !text {
					walk(x)
				}
			}
		}
	}
	walk(any(decode(v)))
	slices.Sort(out)
	return out
}

// Trusted reports whether a command line is one that Command writes, for the
// program on the search path or one outside of a workspace: nothing of it comes
// from whoever made the workspace.
func Trusted(name, command, root string) bool {
	programs := []string{"manicule"}
	if before, _, ok := strings.Cut(command, " hook "+name); ok {
		program := strings.ReplaceAll(strings.TrimSuffix(strings.TrimPrefix(before, "'"), "'"), `'\''`, "'")
		rel, err := filepath.Rel(root, program)
		if filepath.IsAbs(program) && (err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator))) {
			programs = append(programs, program)
		}
	}
	for _, p := range programs {
		for _, shared := range []bool{false, true} {
			if line, err := Command(name, p, shared); err == nil && line == command {
				return true
			}
		}
	}
	return false
}

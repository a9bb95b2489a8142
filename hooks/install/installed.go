package install

import (
	"bytes"
	"regexp"
	"slices"
	"strconv"

	"manicule/hooks/agent/spec"
	"manicule/indexer/jsonc"
)

// Installed lists our command lines in an agent's configuration file, each once, as the
// agent would run them.
func Installed(name string, existing []byte) []string {
	if bytes.HasPrefix(existing, []byte(spec.PluginMark)) {
		m := regexp.MustCompile(`(?m)^const command = (".*")$`).FindSubmatch(existing)
		if m == nil {
			return nil
		}
		if command, err := strconv.Unquote(string(m[1])); err == nil {
			return []string{command}
		}
		return nil
	}
	v, err := jsonc.Parse(existing)
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

// Plain converts a configuration file to plain JSON, without comments and trailing
// commas. It returns nil if the file is invalid.
func Plain(src []byte) []byte {
	_, rest := cutMark(src)
	out, err := jsonc.Standardize(bytes.Clone(rest))
	if err != nil {
		return nil
	}
	return out
}

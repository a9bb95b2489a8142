package install

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"manicule/hooks/agent/spec"
)

// Our table in a TOML file is appended as text and later found as that same text, so that
// every other byte stays.

// tomlTable matches our table: its header, command, arguments and environment (which earlier
// versions did not write), and the empty line before it.
func tomlTable() *regexp.Regexp {
	return regexp.MustCompile(`(?m)(?:^\r?\n)?^\[mcp_servers\.` + Server + `\]\r?\ncommand = (?:"[^"\n]*(?:\\.[^"\n]*)*"|'[^'\n]*')\r?\nargs = \["` + spec.WordMCP + `"\](?:\r?\nenv_vars = \[[^\]\n]*\])?(?:\r?\n|\z)`)
}

// tomlServer returns the server of our name in a TOML file, or nil if there is none or
// the file is invalid.
func tomlServer(src []byte) map[string]any {
	var file struct {
		Servers map[string]map[string]any `toml:"mcp_servers"`
	}
	if toml.Unmarshal(bytes.TrimPrefix(src, []byte(bom)), &file) != nil {
		return nil
	}
	return file.Servers[Server]
}

func addTOML(existing []byte, e spec.Entry) ([]byte, error) {
	if err := checkTOML(existing); err != nil {
		return nil, err
	}
	have := tomlServer(existing)
	want := commandLineOf(map[string]any{"command": e.Value[0].Value(), "args": []any{spec.WordMCP}})
	switch {
	case have != nil && !ourServer(have):
		return nil, errNotOurs
	case have != nil:
		same := strings.Join(commandLineOf(have), "\x00") == strings.Join(want, "\x00")
		if _, passes := have["env_vars"]; same && passes {
			return existing, nil
		}
		rest, found := cutTOML(existing)
		if !found && same {
			return existing, nil // somebody has written it
		}
		if !found {
			return nil, fmt.Errorf("mcp_servers.%s was written by hand, so nothing was changed", Server)
		}
		existing = rest
	}
	nl := "\n"
	if bytes.Contains(existing, []byte("\r\n")) {
		nl = "\r\n"
	}
	out := bytes.Clone(existing)
	if len(out) > 0 && !bytes.HasSuffix(out, []byte("\n")) {
		out = append(out, nl...)
	}
	if len(bytes.TrimSpace(out)) > 0 {
		out = append(out, nl...)
	}
	lines := []string{"[" + strings.Join(e.Path, ".") + "]"}
	for _, f := range e.Value { // JSON's strings and lists of strings are TOML's too
		lines = append(lines, f.Name()+" = "+spec.Render(f.Value(), oneLine()))
	}
	out = append(out, strings.Join(lines, nl)+nl...)
	if err := checkTOML(out); err != nil { // it has mcp_servers in a form that can't be extended
		return nil, fmt.Errorf("add mcp_servers.%s: %w", Server, err)
	}
	return out, nil
}

func removeTOML(existing []byte) (out []byte, empty bool, err error) {
	if len(bytes.TrimSpace(existing)) == 0 {
		return existing, true, nil
	}
	if err := checkTOML(existing); err != nil {
		return nil, false, err
	}
	if have := tomlServer(existing); have == nil || !ourServer(have) {
		return existing, false, nil
	}
	rest, found := cutTOML(existing)
	if !found {
		return existing, false, nil // somebody has rewritten it
	}
	return rest, len(bytes.TrimSpace(rest)) == 0, nil
}

// cutTOML removes our table. found is false if the match is part of something else.
func cutTOML(src []byte) (rest []byte, found bool) {
	for _, at := range tomlTable().FindAllIndex(src, -1) {
		rest = splice(src, at[0], at[1], "")
		if checkTOML(rest) == nil && tomlServer(rest) == nil {
			return rest, true
		}
	}
	return src, false
}

func checkTOML(src []byte) error {
	var any map[string]any
	if err := toml.Unmarshal(bytes.TrimPrefix(src, []byte(bom)), &any); err != nil {
		return fmt.Errorf("the file is not valid TOML, so nothing was changed: %w", err)
	}
	return nil
}

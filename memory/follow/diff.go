package follow

import (
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"manicule/indexer/anchor"
)

// Diff lists the changed members of a record as lines of a diff. Hashes are left out.
func (r AnchorUpdate) Diff() []string {
	before, after := members(r.Was), members(r.Now)
	for _, m := range []map[string]string{before, after} {
		delete(m, "fingerprint")
	}
	var out []string
	for _, name := range []string{"kind", "path", "language", "symbol", "symbol_kind", "ordinal", "arity", "lines", "quote", "focus", "prefix", "suffix"} {
		x, y := before[name], after[name]
		if x == y {
			continue
		}
		if x != "" {
			out = append(out, fmt.Sprintf("- %s: %s", name, x))
		}
		if y != "" {
			out = append(out, fmt.Sprintf("+ %s: %s", name, y))
		}
	}
	return out
}

// plain is a member as a person reads it: a text without quotes, lines as 3-9.
func plain(v jsontext.Value) string {
	var text string
	var lines struct{ Start, End int }
	switch {
	case json.Unmarshal(v, &text) == nil:
		return text
	case v.Kind() == '{' && json.Unmarshal(v, &lines, json.MatchCaseInsensitiveNames(true)) == nil && lines.Start > 0:
		return fmt.Sprintf("%d-%d", lines.Start, lines.End)
	}
	return string(v)
}

// members returns a record's members as a person reads them.
func members(r anchor.Anchor) map[string]string {
	out := map[string]string{}
	if r.Path == "" {
		return out
	}
	data, err := json.Marshal(r, json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return out
	}
	var raw map[string]jsontext.Value
	if json.Unmarshal(data, &raw, jsontext.AllowInvalidUTF8(true)) != nil {
		return out
	}
	for name, v := range raw {
		out[name] = plain(v)
	}
	return out
}

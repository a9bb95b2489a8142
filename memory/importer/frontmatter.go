package importer

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
)

// meta is the relevant part of a front matter.
type meta struct {
	globs    []string
	tags     []string
	status   string
	title    string
	repaired bool // it was invalid YAML
}

// globKeys are the editors' names for the list of globs.
var globKeys = []string{"globs", "paths", "applyTo", "applyto", "fileMatchPattern"}

// cutFrontMatter splits off a leading front matter. It replaces its lines by blank ones, which
// keeps line numbers.
func cutFrontMatter(text string) (m meta, rest string) {
	trimmed := strings.TrimLeft(text, "\n \t")
	lead := len(text) - len(trimmed)
	first, after, ok := strings.Cut(trimmed, "\n")
	if !ok || strings.TrimRight(first, " \t") != "---" {
		return m, text
	}
	var body []string
	for line := range strings.Lines(after) {
		bare := strings.TrimRight(line, " \t\n")
		if bare == "---" || bare == "..." {
			used := len(first) + 1 + lead
			for _, l := range body {
				used += len(l)
			}
			used += len(line)
			blank := strings.Repeat("\n", strings.Count(text[:used], "\n"))
			return parseMeta(strings.Join(body, "")), blank + text[used:]
		}
		body = append(body, line)
	}
	return m, text // not closed: a thematic break
}

// parseMeta parses YAML, and otherwise line by line: editors accept "globs: *.ts", which YAML
// parses as an alias.
func parseMeta(src string) meta {
	values := map[string][]string{}
	var m meta
	var doc yaml.Node
	if err := decodeYAML(src, &doc); err == nil && len(doc.Content) == 1 && doc.Content[0].Kind == yaml.MappingNode {
		n := doc.Content[0].Content
		for i := 0; i+1 < len(n); i += 2 {
			values[n[i].Value] = nodeValues(n[i+1])
		}
	} else if strings.TrimSpace(src) != "" {
		m.repaired = err != nil
		values = looseValues(src)
	}
	for _, k := range globKeys {
		if v, ok := values[k]; ok {
			m.globs = append(m.globs, v...)
		}
	}
	m.globs = flatten(m.globs)
	m.status = oneLine(strings.Join(values["status"], ", "))
	m.title = oneLine(strings.Join(values["title"], ", "))
	for _, t := range flatten(values["tags"]) {
		if s := slug(t); s != "" {
			m.tags = append(m.tags, s)
		}
	}
	return m
}

// decodeYAML turns the decoder's panics on malformed input into errors.
func decodeYAML(src string, doc *yaml.Node) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("read front matter: %v", r)
		}
	}()
	return yaml.Unmarshal([]byte(src), doc)
}

func nodeValues(n *yaml.Node) []string {
	switch n.Kind {
	case yaml.SequenceNode:
		var out []string
		for _, c := range n.Content {
			out = append(out, nodeValues(c)...)
		}
		return out
	case yaml.ScalarNode:
		if n.Tag == "!!null" || n.Value == "" && !strings.HasPrefix(n.Tag, "!") {
			return nil
		}
		if strings.HasPrefix(n.Tag, "!") && !strings.HasPrefix(n.Tag, "!!") {
			return []string{n.Tag + n.Value} // "!src/**" parses as a tag
		}
		return []string{n.Value}
	}
	return nil
}

// looseValues parses "key: value" lines and the "- item" lines below them.
func looseValues(src string) map[string][]string {
	values := map[string][]string{}
	key := ""
	for line := range strings.SplitSeq(src, "\n") {
		bare := strings.TrimSpace(line)
		switch {
		case bare == "" || strings.HasPrefix(bare, "#"):
		case strings.HasPrefix(bare, "- ") && key != "":
			values[key] = append(values[key], unquote(bare[2:]))
		case !strings.HasPrefix(line, " ") && !strings.HasPrefix(line, "\t"):
			k, v, ok := strings.Cut(bare, ":")
			if !ok {
				continue
			}
			key = strings.TrimSpace(k)
			v = strings.TrimSpace(v)
			if strings.HasPrefix(v, "[") && strings.HasSuffix(v, "]") {
				v = v[1 : len(v)-1]
			}
			values[key] = nil
			if v != "" {
				values[key] = []string{v}
			}
			if key == "description" {
				values[key] = []string{unquote(v)}
			}
		}
	}
	return values
}

func unquote(s string) string {
	s = strings.TrimSpace(s)
	if len(s) >= 2 && (s[0] == '"' || s[0] == '\'') && s[len(s)-1] == s[0] {
		return s[1 : len(s)-1]
	}
	return s
}

// flatten splits each value at its commas, except within braces.
func flatten(values []string) []string {
	var out []string
	for _, v := range values {
		depth, from := 0, 0
		add := func(part string) {
			if part = unquote(part); part != "" {
				out = append(out, part)
			}
		}
		for i := range len(v) {
			switch v[i] {
			case '{':
				depth++
			case '}':
				depth = max(0, depth-1)
			case ',':
				if depth == 0 {
					add(v[from:i])
					from = i + 1
				}
			}
		}
		add(v[from:])
	}
	return out
}

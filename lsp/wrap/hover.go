package wrap

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// rule separates the wrapped server's text from ours.
const rule = "\n\n---\n\n"

// mergeHover puts our text below the wrapped server's, in each form that the protocol
// allows: MarkupContent, a marked string, or a list. The wrapped server's range stays.
// It reports false if there is nothing to add.
func mergeHover(child, own []byte) (jsontext.Value, bool) {
	if isNull(own) {
		return nil, false
	}
	if isNull(child) {
		return own, true
	}
	hover, ok := parseObject(child)
	if !ok {
		return nil, false
	}
	ours, ok := parseObject(own)
	if !ok {
		return nil, false
	}
	value, markdown, ok := ownContents(ours.get("contents"))
	if !ok {
		return nil, false
	}
	contents, ok := mergeContents(hover.get("contents"), value, markdown)
	if !ok {
		return nil, false
	}
	return hover.with("contents", contents).json(), true
}

// ownContents reads our text, which is always one MarkupContent.
func ownContents(raw jsontext.Value) (value string, markdown, ok bool) {
	content, ok := parseObject(raw)
	if !ok {
		return "", false, false
	}
	value, ok = text(content.get("value"))
	kind, _ := text(content.get("kind"))
	return value, kind == "markdown", ok && value != ""
}

// mergeContents adds value to the contents of a hover.
func mergeContents(contents jsontext.Value, value string, markdown bool) (jsontext.Value, bool) {
	switch contents.Kind() {
	case '"': // a marked string, which is Markdown
		if s, _ := text(contents); s == "" {
			return markup(value, markdown), true
		}
		return array([]jsontext.Value{contents, quoted(value)}), true
	case '[':
		list, ok := parseArray(contents)
		if !ok {
			return nil, false
		}
		if len(list) == 0 {
			return markup(value, markdown), true
		}
		return array(append(list, quoted(value))), true
	case '{':
	default:
		return nil, false
	}
	content, ok := parseObject(contents)
	if !ok {
		return nil, false
	}
	kind, named := text(content.get("kind"))
	theirs, ok := text(content.get("value"))
	switch {
	case !ok:
		return nil, false
	case !named: // a marked string with a language, which is code
		return array([]jsontext.Value{contents, quoted(value)}), true
	case theirs == "":
		return markup(value, markdown), true
	case kind == "plaintext" && markdown:
		// The client reads Markdown and the server chose plain text, so its text goes
		// into a fence, where no character has a meaning.
		return markup(fenced(theirs)+rule+value, true), true
	}
	return content.with("value", quoted(strings.TrimRight(theirs, "\n")+rule+value)).json(), true
}

// markup is a MarkupContent.
func markup(value string, markdown bool) jsontext.Value {
	kind := "plaintext"
	if markdown {
		kind = "markdown"
	}
	return object{{"kind", quoted(kind)}, {"value", quoted(value)}}.json()
}

// fenced quotes plain text as Markdown, in a fence longer than any in the text.
func fenced(s string) string {
	fence := "```"
	for strings.Contains(s, fence) {
		fence += "`"
	}
	return fence + "text\n" + strings.TrimRight(s, "\n") + "\n" + fence
}

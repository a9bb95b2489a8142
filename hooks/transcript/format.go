package transcript

import (
	"bytes"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Format describes one agent's transcripts. The zero Format is unreadable.
type Format struct {
	// Signs are substrings of the lines worth decoding, which are few.
	Signs []string
	// Line parses a line that contains one of the signs.
	Line func(p *Parser, line []byte)
}

// Known reports whether transcripts of the format can be read.
func (f Format) Known() bool { return f.Line != nil }

// Parser passes the entries of one transcript on.
type Parser struct {
	format Format
	turn   int
	told   map[string]bool // of records that are written more than once
	each   func(Entry)
}

func (p *Parser) line(line []byte) {
	for _, s := range p.format.Signs {
		if bytes.Contains(line, []byte(s)) {
			p.format.Line(p, line)
			return
		}
	}
}

// Tell passes an entry on, with its turn. It drops an entry without text, unless a person
// asked or a call ended.
func (p *Parser) Tell(e Entry) {
	if e.Kind == Asked {
		p.turn++
	}
	if e.Text == "" && e.Kind != Asked && e.Kind != Ended {
		return
	}
	e.Turn = p.turn
	p.each(e)
}

// First reports whether a key is new in this reading, for formats that write one record
// several times.
func (p *Parser) First(key string) bool {
	if p.told[key] {
		return false
	}
	if p.told == nil {
		p.told = map[string]bool{}
	}
	p.told[key] = true
	return true
}

// Block is one part of a message, in the format that Anthropic's API introduced and
// others adopted.
type Block struct {
	Type     string `json:"type"`
	Text     string `json:"text"`
	Thinking string `json:"thinking"`
	Thought  bool   `json:"thought"` // of Gemini: the text is no speech
	Name     string `json:"name"`
}

// Blocks parses content that is a text or a list of parts.
func Blocks(v jsontext.Value) []Block {
	switch v.Kind() {
	case '"':
		var s string
		if json.Unmarshal(v, &s) == nil {
			return []Block{{Type: "text", Text: s}}
		}
	case '[':
		var list []jsontext.Value
		if json.Unmarshal(v, &list) != nil {
			return nil
		}
		var out []Block
		for _, item := range list {
			var b Block
			switch {
			case item.Kind() == '"' && json.Unmarshal(item, &b.Text) == nil:
				b.Type = "text"
				out = append(out, b)
			case item.Kind() == '{' && json.Unmarshal(item, &b) == nil:
				out = append(out, b)
			}
		}
		return out
	}
	return nil
}

// Millis parses an RFC 3339 time to Unix milliseconds. It returns 0 if the time is
// invalid.
func Millis(stamp string) int64 {
	at, err := time.Parse(time.RFC3339, stamp)
	if err != nil {
		return 0
	}
	return at.UnixMilli()
}

// IsUntrusted reports by its name whether a tool brings in untrusted text, for any agent: a page,
// a web search, a browser, or a server that is not ours.
func IsUntrusted(tool string) bool {
	plain := strings.ToLower(strings.NewReplacer("_", "", "-", "", " ", "").Replace(tool))
	if strings.Contains(plain, "manicule") {
		return false
	}
	for _, sign := range []string{"websearch", "webfetch", "fetchweb", "readurl", "searchweb", "browser", "viewwebdocument", "githubrepo", "githubtextsearch", "mcp"} {
		if strings.Contains(plain, sign) {
			return true
		}
	}
	return plain == "fetch" || plain == "web"
}

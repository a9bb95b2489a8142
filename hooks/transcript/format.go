package transcript

import (
	"bytes"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Format is that of one agent's transcripts. The zero Format can't be read.
type Format struct {
	// Signs are parts of the lines that are worth decoding: most are not.
	Signs []string
	// Line reads a line that has one of the signs, and tells what it says.
	Line func(p *Parser, line []byte)
}

// Known reports whether transcripts of the format can be read.
func (f Format) Known() bool { return f.Line != nil }

// Parser passes on what the lines of one transcript tell.
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

// Tell passes an entry on, with its turn. An entry without a text is left out,
// unless a person asked or a call ended.
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

// First reports whether a key was not seen before in this reading, for formats
// that write one record several times.
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

// Block is one part of a message, in the form that Anthropic's API has and
// others took over.
type Block struct {
	Type     string `json:"type"`
	Text     string `json:"text"`
	Thinking string `json:"thinking"`
	Thought  bool   `json:"thought"` // of Gemini: the text is no speech
	Name     string `json:"name"`
}

// Blocks reads content that is a text or a list of parts.
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

// Millis reads a time in the form of RFC 3339, as Unix milliseconds; 0 where it is none.
func Millis(stamp string) int64 {
	at, err := time.Parse(time.RFC3339, stamp)
	if err != nil {
		return 0
	}
	return at.UnixMilli()
}

// Web reports a tool that brings in text of strangers by its name, whatever the
// agent: a page, a search of the web, a browser, a server that is not ours.
func Web(tool string) bool {
	plain := strings.ToLower(strings.NewReplacer("_", "", "-", "", " ", "").Replace(tool))
	if strings.Contains(plain, "manicule") {
		return false
	}
	for _, sign := range []string{"websearch", "webfetch", "fetchweb", "readurl", "searchweb", "browser", "viewwebdocument", "mcp"} {
		if strings.Contains(plain, sign) {
			return true
		}
	}
	return plain == "fetch" || plain == "web"
}

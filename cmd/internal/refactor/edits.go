package refactor

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"unicode/utf8"
)

type position struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}

type span struct {
	Start position `json:"start"`
	End   position `json:"end"`
}

type textEdit struct {
	Range   span   `json:"range"`
	NewText string `json:"newText"`
}

type documentEdit struct {
	Kind         string `json:"kind"`
	URI          string `json:"uri"`
	OldURI       string `json:"oldUri"`
	NewURI       string `json:"newUri"`
	TextDocument struct {
		URI string `json:"uri"`
	} `json:"textDocument"`
	Edits []textEdit `json:"edits"`
}

type workspaceEdit struct {
	Changes         map[string][]textEdit `json:"changes"`
	DocumentChanges []documentEdit        `json:"documentChanges"`
}

// positionAt converts an offset to a line and UTF-16 unit.
func positionAt(text string, at int) position {
	start := strings.LastIndexByte(text[:at], '\n') + 1
	p := position{Line: strings.Count(text[:start], "\n")}
	for _, r := range text[start:at] {
		p.Character += utf16Len(r)
	}
	return p
}

func utf16Len(r rune) int {
	if r >= 0x10000 {
		return 2
	}
	return 1
}

// byteAt is the reverse of positionAt.
func byteAt(text string, p position) int {
	at := 0
	for range p.Line {
		i := strings.IndexByte(text[at:], '\n')
		if i < 0 {
			return len(text)
		}
		at += i + 1
	}
	for n := 0; n < p.Character && at < len(text) && text[at] != '\n'; {
		r, size := utf8.DecodeRuneInString(text[at:])
		n += utf16Len(r)
		at += size
	}
	return at
}

// applyEdits applies edits that all refer to the same text.
func applyEdits(text string, edits []textEdit) (string, error) {
	type cut struct {
		from, to int
		text     string
	}
	var all []cut
	for _, e := range edits {
		all = append(all, cut{byteAt(text, e.Range.Start), byteAt(text, e.Range.End), e.NewText})
	}
	slices.SortStableFunc(all, func(a, b cut) int { return cmp.Compare(a.from, b.from) })
	var b strings.Builder
	at := 0
	for _, c := range all {
		if c.from < at || c.to < c.from {
			return "", errors.New("edits overlap")
		}
		b.WriteString(text[at:c.from] + c.text)
		at = c.to
	}
	return b.String() + text[at:], nil
}

// Package anchor owns the record that ties a memory to a place in the code,
// and finds that place again in a parsed file. It is pure: it gets bytes and
// an extracted file and returns a resolution. It must not know memories,
// databases, the file system or tree-sitter.
package anchor

import "github.com/go-json-experiment/json/jsontext"

// Kind says what an anchor points at.
type Kind string

// The kinds of anchors.
const (
	KindFile   Kind = "file"   // a whole file
	KindSymbol Kind = "symbol" // a declaration, by its symbol path
	KindLines  Kind = "lines"  // lines, inside a symbol where there is one
)

// LineRange is an inclusive range of 1-based lines.
type LineRange struct {
	Start int `json:"start"`
	End   int `json:"end"`
}

// Anchor is the record kept in a memory file. Path is relative to the
// workspace root with forward slashes; lines are 1-based. The hashes and the
// quote describe the code as it was when a person last confirmed it.
type Anchor struct {
	Kind       Kind       `json:"kind"`
	Path       string     `json:"path"`
	Language   string     `json:"language,omitzero"`
	Symbol     string     `json:"symbol,omitzero"` // dotted container path, e.g. "TokenStore.Validate"
	SymbolKind string     `json:"symbol_kind,omitzero"`
	Ordinal    int        `json:"ordinal,omitzero"` // among symbols of the same path, from 0
	Arity      *int       `json:"arity,omitzero"`
	Lines      *LineRange `json:"lines,omitzero"`      // where it was when it was made
	Quote      string     `json:"quote,omitzero"`      // the cited lines of a lines anchor
	Focus      string     `json:"focus,omitzero"`      // the word on the first cited line that is meant, e.g. a variable
	TokenHash  string     `json:"token_hash,omitzero"` // sha256 of the symbol's tokens, white space and comments left out
	Blob       string     `json:"blob,omitzero"`       // git blob id of the file
	Commit     string     `json:"commit,omitzero"`

	// Extra keeps members that this version does not know, so that a rewrite loses nothing.
	Extra jsontext.Value `json:",embed"`
}

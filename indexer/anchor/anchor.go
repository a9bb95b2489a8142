// Package anchor owns the record that ties a memory to a place in the code, the states
// in which the place can be, and the form in which people write one. It is for what
// stores, reads and shows anchors; package anchoring makes them and finds their places
// again. It must not know how code is parsed.
package anchor

import "github.com/go-json-experiment/json/jsontext"

// Kind says what an anchor points at.
type Kind string

// The kinds of anchors.
const (
	KindFile   Kind = "file"   // a whole file
	KindSymbol Kind = "symbol" // a declaration, by its symbol path
	KindLines  Kind = "lines"  // lines, inside a symbol if there is one

	KindKey        Kind = "key"        // a key of a file of data or configuration, by its path
	KindHeading    Kind = "heading"    // a section, as below a heading of Markdown, by its path
	KindGlob       Kind = "glob"       // the files that the pattern in Path matches
	KindDependency Kind = "dependency" // a dependency in a manifest, by its name in Symbol
)

// HasSymbol reports whether an anchor points at something with a symbol path.
func (a Anchor) HasSymbol() bool {
	return a.Kind == KindSymbol || a.Kind == KindKey || a.Kind == KindHeading
}

// LineRange is an inclusive range of 1-based lines.
type LineRange struct {
	Start int `json:"start"`
	End   int `json:"end"`
}

// Anchor is the record kept in a memory file. Path is relative to the workspace root
// with forward slashes; lines are 1-based. The hashes and the quote describe the code
// as it was when a person last confirmed it.
type Anchor struct {
	Kind       Kind       `json:"kind"`
	Path       string     `json:"path"`
	Language   string     `json:"language,omitzero"`
	Symbol     string     `json:"symbol,omitzero"` // dotted container path, e.g. "TokenStore.Validate"
	SymbolKind string     `json:"symbol_kind,omitzero"`
	Ordinal    int        `json:"ordinal,omitzero"` // among symbols of the same path, from 0
	Arity      *int       `json:"arity,omitzero"`
	Lines      *LineRange `json:"lines,omitzero"`      // as of its creation
	Quote      string     `json:"quote,omitzero"`      // the cited lines of a lines anchor
	Focus      string     `json:"focus,omitzero"`      // the relevant word on the first cited line, e.g. a variable
	TokenHash  string     `json:"token_hash,omitzero"` // sha256 of the symbol's tokens, without white space and comments
	Prefix     string     `json:"prefix,omitzero"`     // up to two lines before the cited ones
	Suffix     string     `json:"suffix,omitzero"`     // up to two lines after the cited ones
	Blob       string     `json:"blob,omitzero"`       // git blob id of the file
	Commit     string     `json:"commit,omitzero"`

	Fingerprint *Fingerprint `json:"fingerprint,omitzero"` // of the symbol

	// Extra keeps members that this version does not know, so that a rewrite preserves
	// them.
	Extra jsontext.Value `json:",embed"`
}

// Fingerprint is the stored form of an anchoring.Print with the names around it. Hashes are 16
// hexadecimal digits. An unreadable value counts as absent.
type Fingerprint struct {
	Tree      string `json:"tree,omitzero"`      // tokens and nesting; like all of these, without the symbol's own name
	Abstract  string `json:"abstract,omitzero"`  // the same, without names and literals
	Signature string `json:"signature,omitzero"` // the tokens before the body
	Sketch    string `json:"sketch,omitzero"`    // MinHash of the token sequence: 64 bytes in base64
	Size      int    `json:"size,omitzero"`      // number of tokens; of few the code alone proves nothing
	Parent    string `json:"parent,omitzero"`    // hashed name of the enclosing declaration
	Before    string `json:"before,omitzero"`    // hashed name of the previous sibling
	After     string `json:"after,omitzero"`     // hashed name of the next sibling

	Extra jsontext.Value `json:",embed"`
}

package file

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"manicule/indexer/hashing"
)

// MaxSize is the size in bytes of the largest memory file that is read. A memory is a few
// sentences.
const MaxSize = 256 << 10

// ErrNewer is returned for a file in a newer format than this version knows.
var ErrNewer = errors.New("the memory was written by a newer version of Manicule")

// ErrUnknownValue is wrapped where a member has a value that this version does not know, such as a type: by a slip, or because a
// newer version wrote it.
var ErrUnknownValue = errors.New("the value is not known")

// Error is a fault in a memory file. Line and Column are 1-based, Column in UTF-8 bytes. Both are 1
// if the fault has no place of its own.
type Error struct {
	Line, Column int
	Pointer      string // JSON pointer of the member, "" for the whole file
	Msg          string
	Hint         string // what a person can do about it
	Err          error
}

// Error returns the message with the member, without the place.
func (e *Error) Error() string {
	if e.Pointer == "" {
		return e.Msg
	}
	return e.Pointer + ": " + e.Msg
}

// Unwrap returns the cause, or nil.
func (e *Error) Unwrap() error { return e.Err }

var tooLarge = &Error{Line: 1, Column: 1, Msg: fmt.Sprintf("it is too large for a memory: more than %d KB", MaxSize>>10),
	Hint: "Keep memories smaller; move long text to a document and name it in \"why\"."}

var options = json.JoinOptions(
	jsontext.Multiline(true),
	jsontext.WithIndent("  "),
	jsontext.EscapeForHTML(false),
	jsontext.CanonicalizeRawInts(false),
	json.Deterministic(true),
)

// Parse reads a memory file. It fills in defaults for absent optional members and keeps unknown
// members. Every error is an *Error; ErrNewer is wrapped in one.
func Parse(data []byte) (*Memory, error) {
	if len(data) > MaxSize {
		return nil, tooLarge
	}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, &Error{Line: 1, Column: 1, Msg: "the file is empty",
			Hint: "Delete it, or see which command brings its last version back: `manicule doctor`."}
	}
	if at := conflict(data); at >= 0 {
		line, _ := lineColumn(data, at)
		return nil, &Error{Line: line, Column: 1, Msg: "the file holds an unresolved merge conflict",
			Hint: "`manicule resolve` lists what the two sides say and has one of them kept, or both."}
	}
	m := &Memory{Confidence: -1}
	if err := json.Unmarshal(data, m); err != nil {
		return nil, faultOf(data, err)
	}
	if m.Format > Format {
		return nil, &Error{Line: 1, Column: 1, Pointer: "/format", Err: ErrNewer, Msg: ErrNewer.Error(),
			Hint: fmt.Sprintf("Format %d needs a newer version of Manicule; this one knows %d.", m.Format, Format)}
	}
	fillDefaults(m)
	if ptr, msg := m.fault(); msg != "" {
		line, col := place(data, ptr)
		e := &Error{Line: line, Column: col, Pointer: ptr, Msg: msg, Hint: hintFor(ptr)}
		switch path.Base(ptr) {
		case "type", "layer", "visibility", "importance", "origin":
			e.Err, e.Hint = ErrUnknownValue, e.Hint+" A newer version of Manicule may know it: then update this one."
		}
		return nil, e
	}
	return m, nil
}

// conflict returns the offset of git's first conflict marker, or -1. No line of a JSON text can
// start like that.
func conflict(data []byte) int {
	at := 0
	for line := range bytes.Lines(data) {
		if isAnyMarker(line) {
			return at
		}
		at += len(line)
	}
	return -1
}

// Marshal writes the canonical form: stable member order, two-space indent,
// final newline, unknown members kept after the known ones.
func (m *Memory) Marshal() ([]byte, error) {
	b, err := json.Marshal(m, options)
	if err != nil {
		return nil, fmt.Errorf("write memory %s: %w", m.UUID, err)
	}
	return append(b, '\n'), nil
}

// encode is Marshal of a file that can be read again.
func encode(m *Memory) ([]byte, error) {
	data, err := m.Marshal()
	if err == nil && len(data) > MaxSize {
		return nil, fmt.Errorf("write memory %s: %w", m.UUID, tooLarge)
	}
	return data, err
}

// Hash is "sha256:" and the hex digest of the canonical form. It names a
// version in the lineage of its successors.
func (m *Memory) Hash() (string, error) {
	b, err := m.Marshal()
	if err != nil {
		return "", err
	}
	sum := hashing.Sum256(b)
	return "sha256:" + hex.EncodeToString(sum[:]), nil
}

// Clone returns a deep copy.
func (m *Memory) Clone() *Memory {
	b, err := json.Marshal(m)
	if err != nil {
		panic(fmt.Sprintf("memory %s does not marshal: %v", m.UUID, err)) // its parts always do
	}
	c := new(Memory)
	if err := json.Unmarshal(b, c); err != nil {
		panic(fmt.Sprintf("memory %s does not read back: %v", m.UUID, err))
	}
	return c
}

func fillDefaults(m *Memory) {
	for i := range m.Anchors {
		if p := m.Anchors[i].Path; p != "" {
			m.Anchors[i].Path = path.Clean(strings.ReplaceAll(p, `\`, "/"))
		}
	}
	if m.Format == 0 {
		m.Format = Format
	}
	if m.Layer == "" && m.Type != "" {
		m.Layer = m.Type.DefaultLayer(m.Scope != nil || len(m.Anchors) > 0)
	}
	if m.Visibility == "" {
		m.Visibility = Project
	}
	if m.Importance == "" {
		m.Importance = Medium
	}
	if m.Confidence < 0 {
		m.Confidence = 1
	}
	if m.Lineage.Version == 0 {
		m.Lineage.Version = 1
	}
	if m.Lineage.ChangeKind == "" {
		m.Lineage.ChangeKind = "create"
	}
	if m.UpdatedAt.IsZero() {
		m.UpdatedAt = m.CreatedAt
	}
}

// The longest values that an error repeats: of any text, and of one word.
const (
	maxQuotedText = 24
	maxQuotedWord = 64
)

// Quoted returns a value of a file that can't be read, for an error. Agents read errors too, so a whole sentence in the
// place of a name is not repeated.
func Quoted[S ~string](s S) string {
	n := utf8.RuneCountInString(string(s))
	if n <= maxQuotedText || n <= maxQuotedWord && !hasSpace(string(s)) {
		return strconv.Quote(string(s))
	}
	return fmt.Sprintf("(a text of %d characters)", n)
}

// Validate reports the first invalid member as an *Error without a place.
func (m *Memory) Validate() error {
	if ptr, msg := m.fault(); msg != "" {
		return &Error{Line: 1, Column: 1, Pointer: ptr, Msg: msg, Hint: hintFor(ptr)}
	}
	return nil
}

func (m *Memory) fault() (pointer, msg string) {
	switch {
	case !ValidUUID(m.UUID):
		return "/uuid", fmt.Sprintf("%s is not a UUID", Quoted(m.UUID))
	case !slices.Contains(Types(), m.Type):
		return "/type", fmt.Sprintf("unknown memory type %s", Quoted(m.Type))
	case !slices.Contains(Layers(), m.Layer):
		return "/layer", fmt.Sprintf("unknown layer %s", Quoted(m.Layer))
	case strings.TrimSpace(m.What) == "":
		return "/what", "the memory says nothing"
	case !slices.Contains(Visibilities(), m.Visibility):
		return "/visibility", fmt.Sprintf("unknown visibility %s", Quoted(m.Visibility))
	case !slices.Contains(Importances(), m.Importance):
		return "/importance", fmt.Sprintf("unknown importance %s", Quoted(m.Importance))
	case m.Confidence < 0 || m.Confidence > 1:
		return "/confidence", "the confidence is not within 0 and 1"
	case m.Trust.Origin != "" && !slices.Contains(Origins(), m.Trust.Origin):
		return "/trust/origin", fmt.Sprintf("unknown origin %s", Quoted(m.Trust.Origin))
	case utf8.RuneCountInString(m.Trust.Citation) > 40:
		return "/trust/citation", "a citation has at most 40 characters"
	case m.CreatedAt.IsZero():
		return "/created_at", "the time of creation is missing"
	case m.Lineage.Version < 1:
		return "/lineage/version", "versions count from 1"
	}
	for i, v := range m.Conflict {
		switch {
		case !slices.Contains(Types(), v.Type):
			return fmt.Sprintf("/conflict/%d/type", i), fmt.Sprintf("unknown memory type %s", Quoted(v.Type))
		case strings.TrimSpace(v.What) == "":
			return fmt.Sprintf("/conflict/%d/what", i), "the version says nothing"
		}
	}
	for i, r := range m.Relations {
		if !slices.Contains(relationTypes(), r.Type) {
			return fmt.Sprintf("/relations/%d/type", i), fmt.Sprintf("unknown relation %s", Quoted(r.Type))
		}
	}
	for i, a := range m.Anchors {
		switch {
		case a.Path == "" || a.Path == ".":
			return fmt.Sprintf("/anchors/%d", i), "the anchor names no path"
		case a.Path == ".." || strings.HasPrefix(a.Path, "../") || strings.HasPrefix(a.Path, "/") || (len(a.Path) > 1 && a.Path[1] == ':'):
			return fmt.Sprintf("/anchors/%d", i), "the anchor leaves the workspace"
		}
	}
	return "", ""
}

func hintFor(ptr string) string {
	list := func(what string, names []string) string {
		return "Use one of the " + what + ": " + strings.Join(names, ", ") + "."
	}
	switch ptr {
	case "/uuid":
		return "Give it a fresh UUID (uuidgen) and name the file after it."
	case "/type":
		return list("types", toStrings(Types()))
	case "/layer":
		return list("layers", toStrings(Layers()))
	case "/visibility":
		return list("visibilities", toStrings(Visibilities()))
	case "/importance":
		return list("importances", toStrings(Importances()))
	case "/trust/origin":
		return list("origins", toStrings(Origins()))
	case "/what":
		return "Write one sentence in \"what\"."
	case "/created_at":
		return "Write an RFC 3339 time, such as 2026-05-02T10:00:00.000Z."
	}
	return "docs/memory.schema.json describes the format."
}

func toStrings[S ~string](in []S) []string {
	out := make([]string, len(in))
	for i, s := range in {
		out[i] = string(s)
	}
	return out
}

// ValidUUID reports whether s is a UUID in lower case.
func ValidUUID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i, c := range []byte(s) {
		switch i {
		case 8, 13, 18, 23:
			if c != '-' {
				return false
			}
		default:
			if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
				return false
			}
		}
	}
	return true
}

// CutOff reports whether the text of a memory file ends in its middle, as a power loss or a full disk leaves it: it is
// empty, or the JSON has no end, or there are bytes of zero that nothing was written over.
func CutOff(data []byte) bool {
	if len(bytes.TrimSpace(data)) == 0 || bytes.IndexByte(data, 0) >= 0 {
		return true
	}
	dec := jsontext.NewDecoder(bytes.NewReader(data), jsontext.AllowDuplicateNames(true))
	err := dec.SkipValue()
	return errors.Is(err, io.ErrUnexpectedEOF)
}

// faultOf turns a JSON error into an *Error with a place.
func faultOf(data []byte, err error) *Error {
	e := &Error{Line: 1, Column: 1, Err: err, Msg: "it is not a memory: " + err.Error(),
		Hint: "Repair the JSON, or see which command brings its last version back: `manicule doctor`."}
	var syn *jsontext.SyntacticError
	var sem *json.SemanticError
	switch {
	case errors.As(err, &syn):
		e.Line, e.Column = lineColumn(data, int(syn.ByteOffset))
		e.Msg = "the JSON is broken: " + strings.TrimPrefix(syn.Err.Error(), "jsontext: ")
	case errors.As(err, &sem):
		e.Pointer = string(sem.JSONPointer)
		e.Line, e.Column = place(data, e.Pointer)
		e.Msg = "unexpected " + kindName(sem.JSONKind)
		if sem.Err != nil {
			e.Msg += ": " + sem.Err.Error()
		}
		e.Hint = hintFor(e.Pointer)
	}
	return e
}

func kindName(k jsontext.Kind) string {
	switch k {
	case '{':
		return "object"
	case '[':
		return "array"
	case '"':
		return "string"
	case '0':
		return "number"
	case 't', 'f':
		return "boolean"
	case 'n':
		return "null"
	}
	return "value"
}

// lineColumn returns the 1-based line and byte column of a byte offset in data.
func lineColumn(data []byte, offset int) (line, column int) {
	offset = min(max(offset, 0), len(data))
	line = 1 + bytes.Count(data[:offset], []byte("\n"))
	return line, offset - bytes.LastIndexByte(data[:offset], '\n')
}

// place finds the value at a JSON pointer. It returns 1, 1 if the value is absent.
func place(data []byte, pointer string) (line, column int) {
	dec := jsontext.NewDecoder(bytes.NewReader(data), jsontext.AllowDuplicateNames(true))
	for name := range jsontext.Pointer(pointer).Tokens() {
		if !enter(dec, name) {
			return 1, 1
		}
	}
	dec.PeekKind()
	off := int(dec.InputOffset())
	for off < len(data) && strings.IndexByte(" \t\r\n:,", data[off]) >= 0 {
		off++
	}
	return lineColumn(data, off)
}

// enter reads up to the value of a member or an element. It steps over the others whole: to ask for the pointer of each
// token takes time in the square of how deep they are nested.
func enter(dec *jsontext.Decoder, name string) bool {
	kind := dec.PeekKind()
	if kind != '{' && kind != '[' {
		return false
	}
	if _, err := dec.ReadToken(); err != nil {
		return false
	}
	for i := 0; ; i++ {
		if k := dec.PeekKind(); k != '"' && kind == '{' || k == ']' || k == 0 {
			return false
		}
		found := strconv.Itoa(i) == name
		if kind == '{' {
			key, err := dec.ReadToken()
			if err != nil {
				return false
			}
			found = key.String() == name
		}
		if found {
			return true
		}
		if dec.SkipValue() != nil {
			return false
		}
	}
}

// UnmarshalJSONFrom reads null, one pattern or a list of patterns.
func (s *Scope) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	*s = nil
	switch dec.PeekKind() {
	case '[':
		var many []string
		if err := json.UnmarshalDecode(dec, &many); err != nil {
			return err
		}
		if len(many) > 0 {
			*s = many
		}
		return nil
	case '"', 'n':
		tok, err := dec.ReadToken()
		if err != nil {
			return err
		}
		if one := tok.String(); tok.Kind() == '"' && one != "" && one != "project" {
			*s = Scope{one}
		}
		return nil
	}
	return errors.New("a scope is null, a pattern or a list of patterns")
}

// MarshalJSON writes null for the whole project, otherwise a list.
func (s Scope) MarshalJSON() ([]byte, error) {
	if s == nil {
		return []byte("null"), nil
	}
	return json.Marshal([]string(s))
}

// At returns t in UTC, truncated to milliseconds, and within the years that RFC 3339 can write.
func At(t time.Time) Time {
	t = t.UTC().Truncate(time.Millisecond)
	switch year := t.Year(); { // another zone's last hour of 9999 is in the year after
	case year > 9999:
		t = time.Date(9999, time.December, 31, 23, 59, 59, 999e6, time.UTC)
	case year < 0:
		t = time.Date(0, time.January, 1, 0, 0, 0, 0, time.UTC)
	}
	return Time{t}
}

// MarshalJSON writes RFC 3339 with milliseconds.
func (t Time) MarshalJSON() ([]byte, error) {
	return []byte(`"` + t.UTC().Format("2006-01-02T15:04:05.000Z") + `"`), nil
}

// UnmarshalJSONFrom reads any RFC 3339 time.
func (t *Time) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	tok, err := dec.ReadToken()
	if err != nil {
		return err
	}
	v, err := time.Parse(time.RFC3339Nano, tok.String())
	if err != nil || tok.Kind() != '"' {
		return fmt.Errorf("%s is not an RFC 3339 time", Quoted(tok.String()))
	}
	*t = At(v)
	return nil
}

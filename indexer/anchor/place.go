package anchor

import (
	"errors"
	"fmt"
	"path"
	"strconv"
	"strings"
)

// ErrPlace means that a text does not name a place in a file.
var ErrPlace = errors.New("not a place: want FILE, FILE:LINE, FILE:LINE-LINE or FILE#SYMBOL")

// PlaceError says why a text does not name a place in a file. It is an ErrPlace.
type PlaceError struct {
	Text string
	Why  string // what is wrong, "" if the text has none of the forms
}

func (e *PlaceError) Error() string {
	msg := fmt.Sprintf("place %q: %v", e.Text, ErrPlace)
	if e.Why != "" {
		msg += ": " + e.Why
	}
	return msg
}

// Unwrap returns ErrPlace.
func (e *PlaceError) Unwrap() error { return ErrPlace }

// SymbolError means that a file has no such symbol, or more than one, and suggests
// some.
type SymbolError struct {
	Path      string
	Symbol    string
	Ambiguous bool
	Near      []string // symbol paths, nearest first; with their lines if one path has several
}

// Error names the nearest symbols.
func (e *SymbolError) Error() string {
	if e.Ambiguous {
		return fmt.Sprintf("%s has more than one %s: %s", e.Path, e.Symbol, strings.Join(e.Near, ", "))
	}
	if len(e.Near) == 0 {
		return fmt.Sprintf("%s has no symbol %s", e.Path, e.Symbol)
	}
	return fmt.Sprintf("%s has no symbol %s; near: %s", e.Path, e.Symbol, strings.Join(e.Near, ", "))
}

// Place is a place in a file as a person writes it. At most one of Symbol and Lines is
// set; without both it is the whole file.
type Place struct {
	Path   string // as written
	Symbol string
	Lines  *LineRange

	// Ordinal selects one of the symbols of the same path, from 0. In writing, a line
	// of the symbol selects it: FILE#SYMBOL:LINE.
	Ordinal int
	// Ask makes an ambiguous symbol an error, unless a line or Ordinal selects one.
	// Set it for a place that a person wrote.
	Ask bool
}

// String writes the place in the form that ParsePlace reads.
func (p Place) String() string {
	switch {
	case p.Symbol != "":
		return p.Path + "#" + p.Symbol
	case p.Lines == nil:
		return p.Path
	case p.Lines.Start == p.Lines.End:
		return fmt.Sprintf("%s:%d", p.Path, p.Lines.Start)
	default:
		return fmt.Sprintf("%s:%d-%d", p.Path, p.Lines.Start, p.Lines.End)
	}
}

// ParsePlace reads FILE, FILE:LINE, FILE:LINE-LINE or FILE#SYMBOL. The path may begin
// with a Windows drive letter. A column behind the line, as compilers print it, is
// dropped.
func ParsePlace(s string) (Place, error) {
	if strings.TrimSpace(s) == "" || strings.ContainsAny(s, "\x00\n\r") {
		return Place{}, &PlaceError{Text: s}
	}
	if file, symbol, ok := CutSymbol(s); ok {
		symbol = strings.TrimSpace(symbol)
		if file == "" || symbol == "" {
			return Place{}, &PlaceError{Text: s}
		}
		return Place{Path: file, Symbol: symbol}, nil
	}
	file, lines, why := cutLines(s)
	if file == "" || why != "" {
		return Place{}, &PlaceError{Text: s, Why: why}
	}
	return Place{Path: file, Lines: lines}, nil
}

// CutSymbol splits FILE#SYMBOL at the first "#" behind a file name with an extension, because
// folders ("c#/a.py") and private members ("a.ts#Store.#key") may contain one too;
// else at the first one behind which no path goes on.
func CutSymbol(s string) (file, symbol string, ok bool) {
	for i := range len(s) {
		if s[i] != '#' || i+1 < len(s) && isSeparator(s[i+1]) {
			continue
		}
		if ext := path.Ext(strings.ReplaceAll(s[:i], `\`, "/")); ext != "" && !strings.Contains(ext, " ") {
			return s[:i], s[i+1:], true
		}
	}
	for i := range len(s) {
		if s[i] == '#' && !goesOn(s[i+1:]) {
			return s[:i], s[i+1:], true
		}
	}
	return s, "", false
}

// PlainSymbol returns the path of a symbol for a name in one of the forms of languages, documents and stack
// traces: "(*Store).Get" of Go is Store.Get, "Store::get" is Store.get, and "get()" is get. Another name is
// returned as it is. Look the name itself up first: what is no code, such as a heading, may be called so.
func PlainSymbol(name string) string {
	plain := strings.ReplaceAll(strings.TrimPrefix(name, "::"), "::", ".")
	if receiver, method, ok := strings.Cut(plain, ")."); ok && strings.HasPrefix(receiver, "(") {
		receiver, _, _ = strings.Cut(strings.TrimPrefix(receiver[1:], "*"), "[") // without its type parameters
		plain = receiver + "." + method
	}
	if call, ok := strings.CutSuffix(plain, "()"); ok && !strings.HasSuffix(call, "operator") {
		plain = call
	}
	if strings.Trim(plain, ".") == "" {
		return name
	}
	return plain
}

// goesOn reports whether a text looks like the rest of a path: a separator before a name. The name of an operator may
// have one, too.
func goesOn(s string) bool {
	for i := range len(s) - 1 {
		if c := s[i+1]; isSeparator(s[i]) && (c == '.' || c == '_' || c == '-' || c >= 0x80 || '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z') {
			return true
		}
	}
	return false
}

func isSeparator(c byte) bool { return c == '/' || c == '\\' }

// cutLines splits a line, a range of lines or a line and a column off the end. why says what is wrong with it.
func cutLines(s string) (path string, lines *LineRange, why string) {
	file, last, ok := cutNumbers(s)
	if !ok {
		return s, nil, ""
	}
	if head, first, ok := cutNumbers(file); ok && !strings.Contains(last, "-") && head != "" {
		file, last = head, first
	}
	if _, _, more := cutNumbers(file); more {
		return "", nil, "it has more numbers than a line and a column"
	}
	from, to, isRange := strings.Cut(last, "-")
	if !isRange {
		to = from
	}
	start, why := lineNumber(from)
	if why != "" {
		return "", nil, why
	}
	end, why := lineNumber(to)
	if why != "" {
		return "", nil, why
	}
	if end < start {
		return "", nil, fmt.Sprintf("line %d is before line %d", end, start)
	}
	return file, &LineRange{Start: start, End: end}, ""
}

// cutNumbers splits ":DIGITS" or ":DIGITS-DIGITS" off the end.
func cutNumbers(s string) (head, numbers string, ok bool) {
	i := strings.LastIndexByte(s, ':')
	if i < 0 || i == len(s)-1 || strings.Trim(s[i+1:], "0123456789-") != "" {
		return s, "", false
	}
	return s[:i], s[i+1:], true
}

func lineNumber(s string) (n int, why string) {
	long, err := strconv.ParseInt(s, 10, 32)
	switch {
	case err == nil && long == 0:
		return 0, "lines are counted from 1"
	case err != nil || long < 0:
		return 0, fmt.Sprintf("%q is not a line number", s)
	}
	return int(long), ""
}

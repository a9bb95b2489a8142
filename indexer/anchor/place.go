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
		return Place{}, fmt.Errorf("place %q: %w", s, ErrPlace)
	}
	if file, symbol, ok := cutSymbol(s); ok {
		symbol = strings.TrimSpace(symbol)
		if file == "" || symbol == "" {
			return Place{}, fmt.Errorf("place %q: %w", s, ErrPlace)
		}
		return Place{Path: file, Symbol: symbol}, nil
	}
	file, lines, err := cutLines(s)
	if err != nil {
		return Place{}, fmt.Errorf("place %q: %w", s, err)
	}
	if file == "" {
		return Place{}, fmt.Errorf("place %q: %w", s, ErrPlace)
	}
	return Place{Path: file, Lines: lines}, nil
}

// cutSymbol splits at the first "#" behind a file name with an extension, because
// folders ("c#/a.py") and private members ("a.ts#Store.#key") may contain one too;
// else at the first one.
func cutSymbol(s string) (file, symbol string, ok bool) {
	for i := range len(s) {
		if s[i] != '#' {
			continue
		}
		if path.Ext(strings.ReplaceAll(s[:i], `\`, "/")) != "" {
			return s[:i], s[i+1:], true
		}
	}
	return strings.Cut(s, "#")
}

// cutLines splits a line, a range of lines or a line and a column off the end.
func cutLines(s string) (string, *LineRange, error) {
	file, last, ok := cutNumbers(s)
	if !ok {
		return s, nil, nil
	}
	if head, first, ok := cutNumbers(file); ok && !strings.Contains(last, "-") && head != "" {
		file, last = head, first
	}
	if _, _, more := cutNumbers(file); more {
		return "", nil, fmt.Errorf("%w: more numbers than a line and a column", ErrPlace)
	}
	from, to, isRange := strings.Cut(last, "-")
	if !isRange {
		to = from
	}
	start, err := lineNumber(from)
	if err != nil {
		return "", nil, err
	}
	end, err := lineNumber(to)
	if err != nil {
		return "", nil, err
	}
	if end < start {
		return "", nil, fmt.Errorf("%w: line %d is before line %d", ErrPlace, end, start)
	}
	return file, &LineRange{Start: start, End: end}, nil
}

// cutNumbers splits ":DIGITS" or ":DIGITS-DIGITS" off the end.
func cutNumbers(s string) (head, numbers string, ok bool) {
	i := strings.LastIndexByte(s, ':')
	if i < 0 || i == len(s)-1 || strings.Trim(s[i+1:], "0123456789-") != "" {
		return s, "", false
	}
	return s[:i], s[i+1:], true
}

func lineNumber(s string) (int, error) {
	n, err := strconv.ParseInt(s, 10, 32)
	if err != nil || n < 1 {
		return 0, fmt.Errorf("%w: %q is not a line number", ErrPlace, s)
	}
	return int(n), nil
}

// Package extract parses one source file into its symbols, import statements and
// broken regions, as plain values. It is pure, and the only package that knows
// tree-sitter: no tree leaves it. It must not know files on disk, databases or
// memories.
package extract

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"sync"

	"manicule/indexer/extract/treesitter"
	"manicule/indexer/sorting"
)

// MaxSize is the size in bytes above which a file is not parsed.
const MaxSize = 2 << 20

var (
	// ErrUnsupported means that there is no grammar for the language.
	ErrUnsupported = errors.New("unsupported language")
	// ErrTooLarge means that the file is over MaxSize.
	ErrTooLarge = errors.New("file too large to parse")
	// ErrBinary means that the file holds a NUL byte, so it is no source.
	ErrBinary = errors.New("binary file")
)

// Span is a half-open range of bytes.
type Span struct{ Start, End int }

// Symbol is one declaration of a file. In a file with structure only, symbols are the
// headings ("section") and the keys ("key"). Data files can be huge, so keys are
// limited to maxKeyDepth and maxKeys.
type Symbol struct {
	Name      string
	Path      string // dotted container path, e.g. "TokenStore.Validate"
	Kind      string // function, method, class, interface, struct, type, enum, const, var, field, module, section or key
	Arity     int    // number of written parameters without the receiver; -1 if not applicable
	Start     int    // of the declaration, without leading doc and decorators
	End       int    // behind its body
	NameStart int
	NameEnd   int
	DocStart  int    // of the leading doc comment or decorators; Start if there are none
	Parent    int    // index into File.Symbols of the enclosing symbol, -1 at top level
	Ordinal   int    // among the symbols of the same Path, from 0
	Signature string // one line, white space folded, without the body
	Type      string // as written: of a variable or field, or of a function's result; "" if not written
	Line      int    // of Start, from 1; set by ParseFacts
	EndLine   int    // of the last byte; set by ParseFacts
	Value     string // of a variable without a written type: its initializer, cut if long
}

// File is what one source file declares. It is immutable and safe for concurrent use.
type File struct {
	Language string
	Symbols  []Symbol // by Start, an outer one before its inner ones
	Imports  []Span   // import statements
	Errors   []Span   // syntax that the grammar does not understand, or that is missing (empty span)

	mu     sync.Mutex
	hashes map[Span]string // cache of TokenHash, guarded by mu
}

// DisplayPath returns a symbol's path as a person writes it: with its line, from 1, if
// the file has several of that path.
func (f *File) DisplayPath(s Symbol, line int) string {
	for i := range f.Symbols {
		if f.Symbols[i].Path == s.Path && f.Symbols[i].Ordinal != s.Ordinal {
			return s.Path + ":" + strconv.Itoa(line)
		}
	}
	return s.Path
}

// Find returns the symbol with that path and ordinal.
func (f *File) Find(path string, ordinal int) (Symbol, bool) {
	for _, s := range f.Symbols {
		if s.Path == path && s.Ordinal == ordinal {
			return s, true
		}
	}
	return Symbol{}, false
}

// At returns the innermost symbol whose declaration or leading doc contains offset.
func (f *File) At(offset int) (Symbol, bool) {
	best := -1
	for i, s := range f.Symbols {
		if s.DocStart > offset || offset >= s.End {
			continue
		}
		if best < 0 || s.End-s.DocStart < f.Symbols[best].End-f.Symbols[best].DocStart {
			best = i
		}
	}
	if best < 0 {
		return Symbol{}, false
	}
	return f.Symbols[best], true
}

// AtCursor is At for a cursor, which stands between two bytes: behind the last one of a declaration it is still in that.
func (f *File) AtCursor(offset int) (Symbol, bool) {
	in, ok := f.At(offset)
	ended, behind := f.At(offset - 1)
	if behind && ended.End == offset && (!ok || in.DocStart <= ended.DocStart && ended.End <= in.End) {
		return ended, true
	}
	return in, ok
}

// TokenHash is HashTokens for a span of the source that this file was parsed from. It
// caches its results. The second span that it is asked for has the symbols hashed at once:
// each time costs a parse of the whole source.
func (f *File) TokenHash(ctx context.Context, src []byte, span Span) (string, error) {
	f.mu.Lock()
	hash, ok := f.hashes[span]
	asked := len(f.hashes)
	f.mu.Unlock()
	if ok {
		return hash, nil
	}
	spans := []Span{span}
	if asked == 1 {
		spans = append(spans, f.symbolSpans(mostHashed*len(src))...)
	}
	hashes, err := hashTokens(ctx, f.Language, src, spans)
	if err != nil {
		return "", err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.hashes == nil {
		f.hashes = make(map[Span]string, len(hashes))
	}
	maps.Copy(f.hashes, hashes)
	return hashes[span], nil
}

// mostHashed is how often the length of a source is hashed at once for its symbols: deeply nested ones hold each other.
const mostHashed = 8

// symbolSpans returns the spans of the first symbols that have no more than so many bytes together.
func (f *File) symbolSpans(most int) (out []Span) {
	for i := range f.Symbols {
		s := Span{Start: f.Symbols[i].Start, End: f.Symbols[i].End}
		if most -= s.End - s.Start; most < 0 {
			break
		}
		out = append(out, s)
	}
	return out
}

// Parse extracts the symbols of src, which is in the language with that
// grammars.Language ID. Broken syntax is not an error: the code around it is
// extracted, and File.Errors says where it is.
func Parse(ctx context.Context, lang string, src []byte) (*File, error) {
	lang = DetectDialect(lang, src)
	l, err := languageFor(lang)
	if err != nil {
		return nil, err
	}
	if err := check(src); err != nil {
		return nil, fmt.Errorf("parse %s: %w", lang, err)
	}
	f, err := guard(ctx, src, func(ctx context.Context) (*File, error) { return l.file(ctx, lang, src, nil) })
	if err != nil {
		return nil, fmt.Errorf("parse %s: %w", lang, err)
	}
	return f, nil
}

// file scans a source, and its pieces again if it is broken. The uses are those of the
// whole source.
func (l *language) file(ctx context.Context, lang string, src []byte, u *uses) (*File, error) {
	found, err := l.scan(ctx, src, u)
	if err != nil {
		return nil, err
	}
	return l.finish(ctx, lang, src, found)
}

// fileOf is file for a parsed source.
func (l *language) fileOf(ctx context.Context, lang string, tree *treesitter.Tree, src []byte, u *uses) (*File, error) {
	found, err := l.scanTree(ctx, tree, src, u)
	if err != nil {
		return nil, err
	}
	return l.finish(ctx, lang, src, found)
}

// finish builds a file from the facts of a source.
func (l *language) finish(ctx context.Context, lang string, src []byte, found *facts) (_ *File, err error) {
	if len(found.errors) > 0 {
		if found, err = l.recoverCode(ctx, src, found); err != nil {
			return nil, err
		}
	}
	src = l.text(src) // no markup in signatures
	sorting.Func(found.imports, compareSpans)
	sorting.Func(found.errors, compareSpans)
	return &File{
		Language: lang,
		Symbols:  buildSymbols(found, src),
		Imports:  slices.Compact(found.imports),
		Errors:   slices.Compact(found.errors),
	}, nil
}

// check rejects sources that are not worth a parse.
func check(src []byte) error {
	if len(src) > MaxSize {
		return fmt.Errorf("%w: %d bytes, limit %d", ErrTooLarge, len(src), MaxSize)
	}
	if bytes.IndexByte(src, 0) >= 0 {
		return ErrBinary
	}
	return nil
}

// compareSpans orders by start, an outer span before its inner ones.
func compareSpans(a, b Span) int {
	if a.Start != b.Start {
		return a.Start - b.Start
	}
	return b.End - a.End
}

// order is a number that orders spans as compareSpans does. A file has less than 1<<24 bytes.
func (s Span) order() uint64 { return uint64(s.Start)<<24 | uint64(1<<24-1-s.End) }

// SyntaxErrors returns where a source has syntax that the grammar does not understand,
// before any recovery: the spans that were skipped, and empty spans where something is
// missing. They don't overlap.
func SyntaxErrors(ctx context.Context, lang string, src []byte) ([]Span, error) {
	l, err := languageFor(DetectDialect(lang, src))
	if err != nil {
		return nil, err
	}
	if err := check(src); err != nil {
		return nil, fmt.Errorf("parse %s: %w", lang, err)
	}
	spans, err := guard(ctx, src, func(ctx context.Context) ([]Span, error) {
		if l.symbolFinder != nil || l.outlined != nil {
			found, err := l.scan(ctx, src, nil)
			if err != nil {
				return nil, err
			}
			return found.errors, nil
		}
		tree, done, err := l.parseFlat(ctx, src)
		if err != nil {
			return nil, err
		}
		defer done()
		return errorSpans(tree), nil
	})
	if err != nil {
		return nil, fmt.Errorf("parse %s: %w", lang, err)
	}
	return spans, nil
}

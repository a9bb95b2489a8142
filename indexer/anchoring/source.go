package anchoring

import (
	"context"
	"errors"
	"path"
	"strings"
	"sync"

	"manicule/grammars"
	"manicule/indexer/extract"
	"manicule/indexer/fault"
)

// Source is one file in one state. It reads and parses the file on first use, and is
// safe for concurrent use.
type Source struct {
	Path string // relative to the workspace root, forward slashes
	Lang string // a grammars.Language ID, "" if there is none
	Blob string // git blob id, "" if it is unknown

	read  func() ([]byte, error)
	texts sync.Once
	text  []byte
	lines lineTable
	err   error

	parse  func() (*extract.File, *extract.Tree) // nil to parse here
	parses sync.Once
	fault  error         // Manicule's own fault that prevented the parse
	file   *extract.File // nil if it can't be parsed
	tree   *extract.Tree

	wordsOnce sync.Once
	words     map[uint64]struct{}

	mu     sync.Mutex
	prints []*Print // by symbol, computed on demand; guarded by mu
	bags   []bag    // likewise
}

// NewSource returns a file whose content comes from read.
func NewSource(path, lang, blob string, read func() ([]byte, error)) *Source {
	return &Source{Path: path, Lang: lang, Blob: blob, read: read}
}

// TextSource returns a file with this content.
func TextSource(path, lang, blob string, text []byte) *Source {
	return NewSource(path, lang, blob, func() ([]byte, error) { return text, nil })
}

// ParsedSource returns a file that its caller parses with extract.ParseTree, as an
// editor's buffer is. parse runs once, on first use. It returns nil for text that
// can't be parsed.
func ParsedSource(path, lang, blob string, text []byte, parse func() (*extract.File, *extract.Tree)) *Source {
	s := TextSource(path, lang, blob, text)
	s.parse = parse
	return s
}

// Text returns the content; nil if it can't be read.
func (s *Source) Text() []byte {
	s.texts.Do(func() {
		s.text, s.err = s.read()
		if s.err != nil {
			s.text = nil
		}
		s.lines = newLineTable(s.text)
	})
	return s.text
}

func (s *Source) table() lineTable {
	s.Text()
	return s.lines
}

// parsed reports whether the file has symbols and a tree.
func (s *Source) parsed() bool {
	s.parses.Do(func() {
		if s.parse != nil {
			s.take(s.parse())
			return
		}
		text, lang := s.Text(), s.Lang
		if lang == "" {
			l, _ := grammars.ForFile(s.Path, text) // a script may have no extension
			lang = l.ID
		}
		if lang == "" || s.err != nil {
			return
		}
		// A resolution is pure and fast, so it takes no context to cancel it.
		f, tree, err := extract.ParseTree(context.Background(), lang, text)
		if fault.Is(err) || errors.Is(err, extract.ErrSlow) {
			s.fault = err
		}
		if err != nil {
			return
		}
		s.take(f, tree)
	})
	return s.file != nil
}

func (s *Source) take(f *extract.File, t *extract.Tree) {
	if f == nil || t == nil {
		return
	}
	s.file, s.tree = f, t
	s.prints = make([]*Print, len(f.Symbols))
	s.bags = make([]bag, len(f.Symbols))
}

// symbols returns the declarations; none if the file can't be parsed.
func (s *Source) symbols() []extract.Symbol {
	if !s.parsed() {
		return nil
	}
	return s.file.Symbols
}

// print returns the fingerprint of a symbol by its index.
func (s *Source) print(i int) *Print {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.prints[i] == nil {
		s.prints[i] = newPrint(s.tree, s.file.Symbols[i])
	}
	return s.prints[i]
}

// bag returns the token pairs of a symbol by its index.
func (s *Source) bag(i int) bag {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.bags[i] == nil {
		s.bags[i] = newBag(s.tree, s.file.Symbols[i])
	}
	return s.bags[i]
}

// broken reports whether a span contains syntax that the grammar does not understand.
func (s *Source) broken(start, end int) bool {
	for _, e := range s.file.Errors {
		if e.Start <= end && start <= e.End {
			return true
		}
	}
	return false
}

// base returns the file's name without its folders.
func (s *Source) base() string { return path.Base(s.Path) }

// stem returns the base without its extension.
func (s *Source) stem() string { return strings.TrimSuffix(s.base(), path.Ext(s.Path)) }

// amongTests reports whether the file is in a folder of tests.
func (s *Source) amongTests() bool { return amongTests(strings.Split(path.Dir(s.Path), "/")) }

// wordSet returns the hashes of the words in the text, without a parse.
func (s *Source) wordSet() map[uint64]struct{} {
	s.wordsOnce.Do(func() {
		s.words = make(map[uint64]struct{})
		eachWord(s.Text(), func(word []byte) { s.words[extract.HashName(string(word))] = struct{}{} })
	})
	return s.words
}

// minWord is the length in bytes under which a word says nothing about a file.
const minWord = 4

func eachWord(text []byte, visit func([]byte)) {
	start := -1
	for i := 0; i <= len(text); i++ {
		if i < len(text) && wordByte(text[i]) {
			if start < 0 {
				start = i
			}
			continue
		}
		if start >= 0 && i-start >= minWord {
			visit(text[start:i])
		}
		start = -1
	}
}

func wordByte(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c >= 0x80
}

// Symbols returns the declarations, none if the file can't be parsed. The caller must
// not modify them.
func (s *Source) Symbols() []extract.Symbol { return s.symbols() }

// Line returns the 1-based line that holds a byte.
func (s *Source) Line(offset int) int { return s.table().line(offset) }

// Print returns the fingerprint of a declaration by its index in Symbols.
func (s *Source) Print(i int) *Print { return s.print(i) }

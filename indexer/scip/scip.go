// Package scip reads SCIP indexes (scip-go, scip-typescript, …): definitions,
// references and implementations. It is pure. It must not know files, graphs or what
// its callers do with the answers.
//
// It decodes messages itself. The generated types register themselves in every process
// that links them, hooks included, and protowire makes each such process read its own
// program file when it starts.
package scip

import (
	"errors"
	"fmt"
	"strings"
)

// The field numbers that are read (scip.proto, v0.10).
const (
	indexDocuments = 2

	documentPath        = 1
	documentOccurrences = 2
	documentSymbols     = 3
	documentEncoding    = 6

	occurrenceRange  = 1
	occurrenceSymbol = 2
	occurrenceRoles  = 3

	symbolName          = 1
	symbolRelationships = 4

	relationshipSymbol         = 1
	relationshipImplementation = 3

	roleDefinition = 1
)

// Encoding is the unit of a document's columns.
type Encoding int

// The encodings. Unspecified counts code points, as UTF-32 does.
const (
	Unspecified Encoding = 0
	UTF8        Encoding = 1
	UTF16       Encoding = 2
	UTF32       Encoding = 3
)

// Document is one file of an index.
type Document struct {
	Path        string // relative to the project's root
	Encoding    Encoding
	Occurrences []Occurrence
	Symbols     []Symbol
}

// Occurrence is one mention of a symbol. Lines and columns count from 0; columns are
// in the document's encoding.
type Occurrence struct {
	Line, From  int
	EndLine, To int
	Symbol      string
	Definition  bool
}

// Local reports whether the symbol is visible in its document only.
func (o Occurrence) Local() bool { return strings.HasPrefix(o.Symbol, "local ") }

// Symbol is the information about a symbol that is independent of its occurrences.
type Symbol struct {
	Name       string
	Implements []string
}

// errNoIndex is wrapped when the data is not a SCIP index.
var errNoIndex = errors.New("no SCIP index")

// Read returns the documents of an index.
func Read(data []byte) ([]Document, error) {
	var docs []Document
	err := fields(data, func(n int, _ uint64, value []byte) error {
		if n != indexDocuments || value == nil {
			return nil
		}
		d, err := readDocument(value)
		docs = append(docs, d)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errNoIndex, err)
	}
	if len(docs) == 0 {
		return nil, fmt.Errorf("%w: it has no documents", errNoIndex)
	}
	return docs, nil
}

func readDocument(data []byte) (Document, error) {
	var d Document
	err := fields(data, func(n int, number uint64, value []byte) error {
		switch {
		case n == documentPath && value != nil:
			d.Path = string(value)
		case n == documentEncoding && value == nil:
			d.Encoding = Encoding(number)
		case n == documentOccurrences && value != nil:
			o, ok, err := readOccurrence(value)
			if ok {
				d.Occurrences = append(d.Occurrences, o)
			}
			return err
		case n == documentSymbols && value != nil:
			s, err := readSymbol(value)
			d.Symbols = append(d.Symbols, s)
			return err
		}
		return nil
	})
	return d, err
}

// readOccurrence reads an occurrence; ok is false without a symbol or a range.
func readOccurrence(data []byte) (o Occurrence, ok bool, err error) {
	var numbers []int
	err = fields(data, func(n int, number uint64, value []byte) error {
		switch {
		case n == occurrenceRange && value != nil: // packed
			for len(value) > 0 {
				var x uint64
				var err error
				if x, value, err = varint(value); err != nil {
					return err
				}
				numbers = append(numbers, int(x))
			}
		case (n == occurrenceOneLine || n == occurrenceLines) && value != nil:
			all, err := readRange(value)
			numbers = all[:n-occurrenceOneLine+3]
			return err
		case n == occurrenceRange:
			numbers = append(numbers, int(number))
		case n == occurrenceSymbol && value != nil:
			o.Symbol = string(value)
		case n == occurrenceRoles:
			o.Definition = number&roleDefinition != 0
		}
		return nil
	})
	switch len(numbers) {
	case 3: // on one line
		o.Line, o.From, o.EndLine, o.To = numbers[0], numbers[1], numbers[0], numbers[2]
	case 4:
		o.Line, o.From, o.EndLine, o.To = numbers[0], numbers[1], numbers[2], numbers[3]
	default:
		return o, false, err
	}
	return o, o.Symbol != "", err
}

// Newer indexers write the range as a message: three numbers for one line, four for
// several. A number that is 0 is omitted.
const (
	occurrenceOneLine = 8
	occurrenceLines   = 9
)

func readRange(data []byte) ([]int, error) {
	all := make([]int, 4)
	err := fields(data, func(n int, number uint64, value []byte) error {
		if value == nil && n >= 1 && n <= len(all) {
			all[n-1] = int(number)
		}
		return nil
	})
	return all, err
}

func readSymbol(data []byte) (Symbol, error) {
	var s Symbol
	err := fields(data, func(n int, _ uint64, value []byte) error {
		switch {
		case n == symbolName && value != nil:
			s.Name = string(value)
		case n == symbolRelationships && value != nil:
			other, implements := "", false
			err := fields(value, func(n int, number uint64, value []byte) error {
				switch {
				case n == relationshipSymbol && value != nil:
					other = string(value)
				case n == relationshipImplementation:
					implements = number != 0
				}
				return nil
			})
			if implements {
				s.Implements = append(s.Implements, other)
			}
			return err
		}
		return nil
	})
	return s, err
}

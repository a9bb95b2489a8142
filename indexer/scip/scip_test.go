package scip

import (
	"errors"
	"slices"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
)

func text(b []byte, n protowire.Number, s []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, n, protowire.BytesType), s)
}

func number(b []byte, n protowire.Number, v uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(b, n, protowire.VarintType), v)
}

func packed(all ...uint64) []byte {
	var b []byte
	for _, n := range all {
		b = protowire.AppendVarint(b, n)
	}
	return b
}

// index is an index of one document with a definition, a use over two lines, a
// use without a range and a relationship.
func index() []byte {
	definition := number(text(text(nil, occurrenceSymbol, []byte("x f().")), occurrenceRange, packed(1, 4, 5)), occurrenceRoles, roleDefinition)
	use := text(text(nil, occurrenceSymbol, []byte("local 1")), occurrenceRange, packed(2, 0, 3, 1))
	broken := text(nil, occurrenceSymbol, []byte("y"))
	relation := number(text(nil, relationshipSymbol, []byte("z m().")), relationshipImplementation, 1)
	symbol := text(text(nil, symbolName, []byte("x f().")), symbolRelationships, relation)
	doc := number(text(nil, documentPath, []byte("a/b.go")), documentEncoding, uint64(UTF16))
	for _, o := range [][]byte{definition, use, broken} {
		doc = text(doc, documentOccurrences, o)
	}
	return text(number(nil, 99, 1), indexDocuments, text(doc, documentSymbols, symbol))
}

func TestRead(t *testing.T) {
	docs, err := Read(index())
	if err != nil || len(docs) != 1 {
		t.Fatalf("%v %v", docs, err)
	}
	d := docs[0]
	if d.Path != "a/b.go" || d.Encoding != UTF16 {
		t.Errorf("%q %d", d.Path, d.Encoding)
	}
	want := []Occurrence{
		{Line: 1, From: 4, EndLine: 1, To: 5, Symbol: "x f().", Definition: true},
		{Line: 2, From: 0, EndLine: 3, To: 1, Symbol: "local 1"},
	}
	if !slices.Equal(d.Occurrences, want) || d.Occurrences[0].Local() || !d.Occurrences[1].Local() {
		t.Errorf("%+v", d.Occurrences)
	}
	if len(d.Symbols) != 1 || d.Symbols[0].Name != "x f()." || !slices.Equal(d.Symbols[0].Implements, []string{"z m()."}) {
		t.Errorf("%+v", d.Symbols)
	}
	for _, bad := range []string{"", "no protobuf at all"} {
		if _, err := Read([]byte(bad)); !errors.Is(err, errNoIndex) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(index())
	f.Add([]byte{0x12, 0x02, 0x12, 0xff})
	f.Fuzz(func(t *testing.T, data []byte) {
		if docs, err := Read(data); err == nil && len(docs) == 0 {
			t.Error("neither documents nor an error")
		}
	})
}

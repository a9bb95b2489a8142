package graph

import (
	"testing"

	"manicule/indexer/extract"
	"manicule/indexer/must"
)

// TestSameTypes holds which edits leave it as it is what implements what: those
// that add or remove Go's plain functions, and no other.
func TestSameTypes(t *testing.T) {
	const file = "package a\n\ntype T struct{}\n\nfunc (T) M() {}\n\nfunc F() {}\n"
	tests := []struct {
		name, text string
		same       bool
	}{
		{"a function more", file + "func G(int) {}\n", true},
		{"a function changed", "package a\n\ntype T struct{}\n\nfunc (T) M() {}\n\nfunc F(int) T { return T{} }\n", true},
		{"a method more", file + "func (T) N() {}\n", false},
		{"a method changed", "package a\n\ntype T struct{}\n\nfunc (T) M(int) {}\n\nfunc F() {}\n", false},
		{"a parameter of another type", "package a\n\ntype T struct{}\n\nfunc (T) M(int) {}\n\nfunc F() {}\n", false},
		{"embedded", "package a\n\ntype T struct{ error }\n\nfunc (T) M() {}\n\nfunc F() {}\n", false},
		{"a function that becomes a type", "package a\n\ntype T struct{}\n\nfunc (T) M() {}\n\ntype F struct{}\n", false},
		{"a method only", "package a\n\nfunc F() {}\n", false},
	}
	s := newSpace(t, "-- a.go --\n"+file)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			was, now := s.record(file), s.record(tt.text)
			assignIDs(was, nil)
			assignIDs(now, was)
			if got := sameTypes(was, now, exportedAPI(was), exportedAPI(now)); got != tt.same {
				t.Errorf("same types: %v", got)
			}
		})
	}
	was := s.record(file)
	assignIDs(was, nil)
	if sameTypes(nil, was, nil, exportedAPI(was)) || sameTypes(was, nil, exportedAPI(was), nil) || !sameTypes(nil, nil, nil, nil) {
		t.Error("a file that comes or goes changes types")
	}
}

func (s *space) record(text string) *record {
	s.t.Helper()
	facts, err := extract.ParseFacts(s.t.Context(), "go", []byte(text))
	must.OK(s.t, err)
	return &record{facts: facts}
}

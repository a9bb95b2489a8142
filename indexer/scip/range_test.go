package scip

import "testing"

// TestTypedRanges reads ranges as scip-go 0.2.9 writes them.
func TestTypedRanges(t *testing.T) {
	for data, want := range map[string][4]int{
		"\x12\x01s\x42\x06\x08\x06\x10\x03\x18\x07":         {6, 3, 6, 7},
		"\x12\x01s\x42\x04\x10\x08\x18\x0c":                 {0, 8, 0, 12},
		"\x12\x01s\x4a\x08\x08\x04\x10\x02\x18\x08\x20\x01": {4, 2, 8, 1},
	} {
		o, ok, err := readOccurrence([]byte(data))
		if got := [4]int{o.Line, o.From, o.EndLine, o.To}; !ok || err != nil || got != want {
			t.Errorf("%q: %v %v %v", data, got, ok, err)
		}
	}
}

package ledger

import (
	"fmt"
	"strings"
	"testing"

	"manicule/memory/file"
)

func TestLearnWeights(t *testing.T) {
	for _, tt := range []struct {
		name string
		told int
		by   map[file.Type]Summary
		want string
	}{
		{"nothing", 99, nil, ""},
		{"few sessions", 29, map[file.Type]Summary{file.Gotcha: {Followed: 50, Ignored: 50}}, ""},
		{"nothing was followed", 99, map[file.Type]Summary{file.Gotcha: {Ignored: 50}}, ""},
		{"one type is as usual", 30, map[file.Type]Summary{file.Gotcha: {Followed: 50, Ignored: 50, Unknown: 900}}, "gotcha 1.00"},
		{"better and worse, within bounds", 30, map[file.Type]Summary{file.Gotcha: {Followed: 900, Ignored: 100}, file.Decision: {Ignored: 900, Overridden: 100}}, "gotcha 1.20, decision 0.80"},
		{"a few showings tell little", 30, map[file.Type]Summary{file.Gotcha: {Followed: 50, Ignored: 50}, file.DeadEnd: {Followed: 8, Ignored: 4}}, "dead_end 1.11, gotcha 0.97"},
		{"too few tell nothing", 30, map[file.Type]Summary{file.Gotcha: {Followed: 50, Ignored: 50}, file.DeadEnd: {Followed: 9}}, "gotcha 0.94"},
	} {
		var got []string
		for _, w := range learnWeights(tt.by, tt.told) {
			got = append(got, fmt.Sprintf("%s %.2f", w.Type, w.Weight))
		}
		if s := strings.Join(got, ", "); s != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, s, tt.want)
		}
	}
}

package retrieve

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

func TestFuse(t *testing.T) {
	list := func(ids string) (out []Ranked) {
		for _, id := range strings.Fields(ids) {
			out = append(out, Ranked{ID: id})
		}
		return out
	}
	for name, c := range map[string]struct {
		words, meaning string
		weight         float64
		want           string
	}{
		"nothing":             {"", "", 1, ""},
		"words alone":         {"a b", "", 1, "a 1.000 words, b 0.984 words"},
		"both agree":          {"a b", "a c", 1, "a 1.000 words+meaning, b 0.492 words, c 0.492 meaning"},
		"two places beat one": {"x a", "y a", 1, "a 0.984 words+meaning, x 0.500 words, y 0.500 meaning"},
		"weight":              {"a", "b", 3, "b 0.750 meaning, a 0.250 words"},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, f := range Fuse([]Leg{{ByWords, 1, list(c.words)}, {ByMeaning, c.weight, list(c.meaning)}}, 60) {
				var by []string
				for _, c := range f.By {
					by = append(by, c.Leg)
				}
				if math.IsNaN(f.Score) || f.Score <= 0 || f.Score > 1 {
					t.Errorf("%s scores %f", f.ID, f.Score)
				}
				got = append(got, fmt.Sprintf("%s %.3f %s", f.ID, f.Score, strings.Join(by, "+")))
			}
			if joined := strings.Join(got, ", "); joined != c.want {
				t.Errorf("got  %s\nwant %s", joined, c.want)
			}
		})
	}
}

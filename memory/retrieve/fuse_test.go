package retrieve

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"manicule/indexer/must"
)

func TestFuse(t *testing.T) {
	list := func(text string) (out []Ranked) {
		for f := range strings.FieldsSeq(text) {
			id, score, _ := strings.Cut(f, "=")
			x, err := strconv.ParseFloat(score, 64)
			must.OK(t, err)
			out = append(out, Ranked{id, x})
		}
		return out
	}
	for name, c := range map[string]struct {
		words, meaning string
		weight         float64
		want           string
	}{
		"nothing":               {"", "", 1, ""},
		"words alone":           {"a=1 b=.5", "", 1, "a 1.000 words, b 0.500 words"},
		"both agree":            {"a=1 b=.5", "a=.8 c=.4", 1, "a 1.000 words+meaning, b 0.250 words, c 0.250 meaning"},
		"two places beat one":   {"x=1 a=.9", "y=.5 a=.45", 1, "a 0.900 words+meaning, x 0.500 words, y 0.500 meaning"},
		"far ahead stays ahead": {"x=1 a=.2", "y=.5 a=.2 x=.1", 1, "x 0.600 words+meaning, y 0.500 meaning, a 0.300 words+meaning"},
		"weight":                {"a=1", "b=1", 3, "b 0.750 meaning, a 0.250 words"},
		"nothing alike":         {"a=1", "b=-.1", 1, "a 1.000 words"},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, f := range Fuse([]Leg{{ByWords, 1, list(c.words)}, {ByMeaning, c.weight, list(c.meaning)}}) {
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

package likely

import (
	"math"
	"slices"
	"strings"
	"testing"
)

func TestOf(t *testing.T) {
	for text, want := range map[string]bool{
		"Token refresh fails silently when Redis is unreachable":       false,
		"Never edit the generated client: change the template instead": false,
		"The cache is flushed by hand after a deploy":                  false,
		"Sessions live in Redis, not in Postgres":                      false,
		"Use pnpm": false,
		"Improved dashboard loading and responsive layout": true,
		"Role-based access control for the admin pages":    true,
		"Updated the docs and moved the helpers to utils":  true,
		"[x] Server-side processing of uploads":            true,
	} {
		if p := Of(text).Probability; p > .5 != want {
			t.Errorf("%q: %.2f", text, p)
		}
	}
}

// TestJudges: what the model wasn't fitted to has no probability.
func TestJudges(t *testing.T) {
	for _, text := range []string{"one\ntwo\nthree", "本番環境では必ずpnpmを使う", "Der Token ist nicht gültig", "Les tests sont dans le dossier", "Die Queue und der Worker"} {
		if a := Of(text); a != (Answer{}) {
			t.Errorf("%q is judged: %v", text, a)
		}
	}
}

// TestModel: the trees end where the model does, and it stays small.
func TestModel(t *testing.T) {
	nodes := model[Buckets*int(Places)+Measures*Edges*4:]
	trees, at := 0, 0
	for at < len(nodes) {
		at = skip(nodes, at)
		trees++
	}
	if at != len(nodes) || trees == 0 {
		t.Errorf("%d trees end at %d of %d", trees, at, len(nodes))
	}
	if len(model) > 72<<10 {
		t.Errorf("%d bytes", len(model))
	}
}

// TestOfLines: the shape of the lines counts as much as the words do, and what no model was fitted to has no probability.
func TestOfLines(t *testing.T) {
	text := "- Faster queries\n- Dashboard v2.1.0 done\n- Search in progress\n- Exports planned"
	x := LinesOf(text)
	words, lines := Of(strings.Join(strings.Fields(text), " ")).Probability, judge(linesModel, x[:])
	if p := OfLines(text).Probability; p != MeanOfOdds(words, lines) || p <= min(words, lines) || p >= max(words, lines) {
		t.Errorf("%.3f of %.3f and %.3f", p, words, lines)
	}
	for _, other := range []string{"本番環境では\n必ず\npnpmを使う", "Der Token\nist nicht\ngültig und die Queue"} {
		if a := OfLines(other); a != (Answer{}) {
			t.Errorf("%q is judged: %v", other, a)
		}
	}
	nodes, at := linesModel[lineMeasures*Edges*4:], 0
	for at < len(nodes) {
		at = skip(nodes, at)
	}
	if at != len(nodes) || len(nodes) == 0 || len(linesModel) > 12<<10 {
		t.Errorf("the trees end at %d of %d", at, len(nodes))
	}
}

// TestUnits: what goes on in the next line is one unit with it; headings, rows and blank lines are counted and are none.
func TestUnits(t *testing.T) {
	p := pageOf("## Rules\n\n- one\n  goes on\n- [x] two\n\nthree\nand more\n| a | b |\n```\nfour", ofLines())
	if want := []string{"one goes on", "two", "three and more", "four"}; !slices.Equal(p.units, want) {
		t.Errorf("%q, want %q", p.units, want)
	}
	if p.lines != 11 || p.heads != 1 || p.rows != 1 || p.items != 2 || p.fences != 1 || p.blanks != 2 {
		t.Errorf("%+v", p)
	}
}

// TestMeasure: every measure has a place in the array, and none is left over.
func TestMeasure(t *testing.T) {
	var places [Places]float64
	for _, text := range []string{"", " ", "a", "**Label:** a value — and a remark (100 %) → [link](x/y.md).", strings.Repeat("word ", 200)} {
		for i, x := range Measure(text, places) {
			if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
				t.Errorf("measure %d of %q is %v", i, text, x)
			}
		}
		for i, x := range LinesOf(text + "\n" + text) {
			if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
				t.Errorf("measure %d of the lines of %q is %v", i, text, x)
			}
		}
	}
}

func FuzzOf(f *testing.F) {
	for _, s := range []string{"", "\x00\xff", "# ", "[x]", "[ ] ", "`", "**", "a: b — c - d", "✅", "é", "\n\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if p := Of(text).Probability; p < 0 || p > 1 || math.IsNaN(p) {
			t.Errorf("%q: %v", text, p)
		}
		if p := OfLines(text).Probability; p < 0 || p > 1 || math.IsNaN(p) {
			t.Errorf("lines of %q: %v", text, p)
		}
	})
}

func BenchmarkOf(b *testing.B) {
	text := strings.TrimSpace(strings.Repeat("The cache is per user: flush `sessions/` after a sign-out, because old clients keep it. ", 11))
	for b.Loop() {
		if Of(text).Probability == 0 {
			b.Fatal("not judged")
		}
	}
}

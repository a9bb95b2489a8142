package retrieve

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"manicule/indexer/must"
	"manicule/memory/file"
)

// now is when all tests ask.
func now() time.Time { return time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC) }

// engine answers by words and meaning as the lists say ("a .9, b .5"), about
// items with texts of their own.
func engine(t *testing.T, said, meant string, items map[string]Item) *Engine {
	t.Helper()
	list := func(text string) (out []Ranked) {
		for f := range strings.SplitSeq(text, ", ") {
			if f == "" {
				continue
			}
			var r Ranked
			if _, err := fmt.Sscanf(f, "%s %f", &r.ID, &r.Score); err != nil {
				t.Fatalf("%q: %v", f, err)
			}
			out = append(out, r)
		}
		return out
	}
	e := &Engine{
		Words: func(context.Context, string, int) ([]Ranked, error) { return list(said), nil },
		Item: func(id string) (Item, bool) {
			it, ok := items[id]
			if items == nil {
				it, ok = Item{Type: file.Gotcha, Text: "question about topic" + id, Confidence: 1, Volatility: -1}, true
			}
			return it, ok
		},
		Now: now,
	}
	if meant != "-" {
		e.Meaning = func(context.Context, string, int) ([]Ranked, error) { return list(meant), nil }
	}
	return e
}

func ids(a Answer) string {
	var out []string
	for _, r := range a.Results {
		out = append(out, r.ID)
	}
	return strings.Join(out, " ")
}

func search(t *testing.T, e *Engine, q Question) Answer {
	t.Helper()
	if q.Text == "" {
		q.Text = "the question"
	}
	a, err := e.Search(t.Context(), q)
	must.OK(t, err)
	for _, r := range a.Results {
		if math.IsNaN(r.Score) || r.Score < 0 {
			t.Errorf("%s scores %f", r.ID, r.Score)
		}
	}
	return a
}

func TestDetect(t *testing.T) {
	for text, want := range map[string]Kind{
		"refreshToken":                                  Identifier,
		"src/auth/token.go":                             Identifier,
		"why does load_user fail":                       Identifier,
		"token refresh fails silently":                  Semantic,
		"see https://example.com/a_b for the rationale": Semantic,
		"who calls the store":                           Structural,
		"what breaks if I change Validate":              Structural,
		"impact of removing the cache":                  Structural,
		"":                                              Semantic,
		"implement the following plan: rework the header bar so that it has three tabs, and see layout_test for the widths": Semantic,
	} {
		if got := Detect(text); got != want {
			t.Errorf("%q is %s, want %s", text, got, want)
		}
	}
}

// TestDetectInCode: who describes code in a sentence may write names in it that the code does not have, or that are not
// what is asked for.
func TestDetectInCode(t *testing.T) {
	there := func(names []string) bool { return slices.Contains(names, "refreshToken") }
	for text, want := range map[string]Kind{
		"refreshToken":                      Identifier,
		"max_retries":                       Identifier, // a field, or a key of a setting
		"refreshToken tests":                Identifier,
		"src/auth/token.go":                 Identifier,
		"why does load_user fail":           Identifier,
		"accept yes/no and 1/0 as bool":     Semantic,
		"swap usage numbers on FreeBSD":     Semantic,
		"refreshToken when the clock jumps": Semantic,
		"what uses refreshToken":            Structural,
		"which tags the parser uses":        Semantic,
		"stack frame of the caller":         Semantic,
		"steps that a GitHub workflow uses": Semantic,
	} {
		if got := DetectInCode(text, there); got != want {
			t.Errorf("%q is %s, want %s", text, got, want)
		}
	}
}

func TestNames(t *testing.T) {
	got := Names("Does `src/a.go` call parseToken() or json.Marshal? See http://x.y/z, e.g. foo_bar.")
	if want := []string{"src/a.go", "parseToken", "json.Marshal", "e.g", "foo_bar"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestMeaningFails holds that words are answered when no meaning can be
// compared, and that the reason is told unless there is just no model.
func TestMeaningFails(t *testing.T) {
	broken := errors.New("the library does not load")
	for name, err := range map[string]error{"broken": broken, "none": ErrNoMeaning} {
		e := engine(t, "a 1", "-", nil)
		e.Meaning = func(context.Context, string, int) ([]Ranked, error) { return nil, err }
		a := search(t, e, Question{Limit: 5})
		if ids(a) != "a" || a.Meaning || (a.Fault == "") != errors.Is(err, ErrNoMeaning) || a.Legs[1].Fault != err.Error() {
			t.Errorf("%s: %+v", name, a)
		}
	}
}

// TestAbstains: what shares one common word with the question and nothing of
// its meaning is not answered.
func TestAbstains(t *testing.T) {
	items := map[string]Item{
		"near": {Type: file.Gotcha, Text: "sessions end too early", Confidence: 1},
		"far":  {Type: file.Gotcha, Text: "the parser of dates is slow", Confidence: 1},
	}
	q := Question{Text: "why are users logged out of the slow shop after a minute", Limit: 5}
	a := search(t, engine(t, "far 1", "near .6, far .1", items), q)
	if ids(a) != "near" || a.Matched != 2 || len(a.Omitted) != 1 || a.Omitted[0].Reason != OmitIrrelevant {
		t.Errorf("%s, %+v", ids(a), a.Omitted)
	}
	if a := search(t, engine(t, "far 1", "-", items), q); len(a.Results) != 0 {
		t.Errorf("answered %s", ids(a))
	}
	if a := search(t, engine(t, "far 1", "-", items), Question{Text: "slow dates", Limit: 5}); ids(a) != "far" {
		t.Errorf("answered %q", ids(a))
	}
}

// TestWeak: who asks is told the best that there is, with a mark.
func TestWeak(t *testing.T) {
	items := map[string]Item{
		"near": {Type: file.Gotcha, Text: "sessions end too early", Confidence: 1},
		"far":  {Type: file.Gotcha, Text: "the parser of dates is slow", Confidence: 1},
	}
	q := Question{Text: "why are users logged out of the slow shop after a minute", Limit: 5, Explicit: true}
	for meant, want := range map[string]string{"near .6, far .1": "near far?", "near .2": "far? near?", "-": "far?"} {
		a := search(t, engine(t, "far .9", meant, items), q)
		var got []string
		for _, r := range a.Results {
			if r.Weak {
				r.ID += "?"
			}
			got = append(got, r.ID)
		}
		slices.Sort(got)
		if w := strings.Fields(want); strings.Join(got, " ") != strings.Join(slices.Sorted(slices.Values(w)), " ") || len(a.Omitted) > 0 {
			t.Errorf("%s: %s, want %s; %+v", meant, got, want, a.Omitted)
		}
	}
}

// TestStanding: phase, trust and confidence order what fits equally well.
func TestStanding(t *testing.T) {
	text := func(s string) string { return "question about " + s }
	old := now().Add(-300 * 24 * time.Hour)
	items := map[string]Item{
		"a": {Type: file.Convention, Text: text("alpha"), Origin: file.ObserverInferred, Confidence: .9, Created: now(), Volatility: -1},
		"b": {Type: file.Gotcha, Text: text("beta"), Origin: file.UserTaught, Confidence: .9, Created: now(), Volatility: -1},
		"c": {Type: file.Gotcha, Text: text("gamma"), Origin: file.UserTaught, Confidence: .3, Created: now(), Volatility: -1},
		"d": {Type: file.Gotcha, Text: text("delta"), Origin: file.UserTaught, Confidence: .9, Created: old, Volatility: .1, Doubts: []string{"not used for a long time"}},
	}
	same := "a 1, b 1, c 1, d 1"
	e := engine(t, same, "-", items)
	a := search(t, e, Question{Limit: 9, Phase: Implement})
	if got := ids(a); got != "b d c a" { // less confidence costs c less than its origin costs a
		t.Errorf("order %s", got)
	}
	best := a.Results[0]
	if best.Parts.Phase != 1.4 || best.Parts.Trust != 1.4 || best.Parts.Confidence != .9 || len(best.Boosts) != 1 {
		t.Errorf("%+v", best)
	}
	for _, r := range a.Results {
		if r.ID == "d" && (r.Parts.Recency > 1e-9 || !slices.Contains(r.Doubts, "not used for a long time")) {
			t.Errorf("an old one: %+v", r)
		}
	}
	a = search(t, e, Question{Limit: 9, MinConfidence: .5})
	if got := ids(a); strings.Contains(got, "c") || a.Omitted[0].Reason != OmitUntrusted {
		t.Errorf("%s, %+v", got, a.Omitted)
	}
	if a = search(t, e, Question{Limit: 9, Newest: true}); !strings.HasSuffix(ids(a), "d") {
		t.Errorf("by age: %s", ids(a))
	}
}

// code is a small graph: what is at a file, and what stands next to it.
type code struct {
	named, near, at map[string][]string
}

func (c code) Mentioned(names []string) (out []string) {
	for _, n := range names {
		out = append(out, c.named[n]...)
	}
	return out
}
func (c code) Neighbours(f string) []string { return c.near[f] }
func (c code) At(f string) []string         { return c.at[f] }

func TestStructure(t *testing.T) {
	e := engine(t, "w 1", "-", nil)
	e.Structure = code{
		named: map[string][]string{"loadUser": {"user.go"}},
		near:  map[string][]string{"user.go": {"store.go"}},
		at:    map[string][]string{"user.go": {"u"}, "store.go": {"s"}},
	}
	a := search(t, e, Question{Text: "loadUser", Limit: 5})
	if got := ids(a); !strings.Contains(got, "u") {
		t.Fatalf("found %s", got)
	}
	for _, r := range a.Results {
		if r.ID == "s" {
			t.Errorf("a neighbour without a word of the question: %+v", r)
		}
	}
}

// TestBoost: the eleventh result stands next to the files of the first ten.
func TestBoost(t *testing.T) {
	items := map[string]Item{}
	var list []string
	for i := range 14 {
		id := fmt.Sprintf("m%02d", i)
		items[id] = Item{Type: file.Gotcha, Text: fmt.Sprintf("question x%dy", i), Confidence: 1, Files: []string{id + ".go"}, Volatility: -1, Created: now()}
		list = append(list, fmt.Sprintf("%s %.2f", id, 1-.02*float64(i)))
	}
	e := engine(t, strings.Join(list, ", "), "-", items)
	near := map[string][]string{}
	for i := range 10 {
		near[fmt.Sprintf("m%02d.go", i)] = []string{"m13.go"}
	}
	e.Structure = code{near: near, at: map[string][]string{}}
	tuned := Default() // there the boost is off
	tuned.Boost = .3
	e.Tuning = &tuned
	a := search(t, e, Question{Limit: 20, Kind: Semantic})
	i := slices.IndexFunc(a.Results, func(r Result) bool { return r.ID == "m13" })
	if i > 5 || len(a.Results[i].Boosts) == 0 || math.Abs(a.Results[i].Boosts[0].Value-.3) > 1e-9 {
		t.Errorf("place %d, %+v", i, a.Results[i])
	}
}

func TestRerank(t *testing.T) {
	e := engine(t, "a 1, b 1, c 1", "-", nil)
	e.Rerank = func(_ context.Context, _ string, texts []string) ([]float64, error) {
		out := make([]float64, len(texts))
		for i, s := range texts {
			if strings.HasSuffix(s, "c") {
				out[i] = .99
			}
		}
		return out, nil
	}
	if a := search(t, e, Question{Limit: 5}); !strings.HasPrefix(ids(a), "c") {
		t.Errorf("order %s", ids(a))
	}
	e.Rerank = func(context.Context, string, []string) ([]float64, error) { return nil, errors.New("gone") }
	if a := search(t, e, Question{Limit: 5}); ids(a) != "a b c" || a.Legs[len(a.Legs)-1].Fault != "gone" {
		t.Errorf("order %s, %+v", ids(a), a.Legs)
	}
}

// TestImagine: a model is asked only for an explicit question with little to
// answer.
func TestImagine(t *testing.T) {
	asked := 0
	e := engine(t, "", "a .3", nil)
	e.Imagine = func(context.Context, string) (string, error) { asked++; return "imagined", nil }
	search(t, e, Question{Limit: 5})
	if asked != 0 {
		t.Error("asked for what nobody asked explicitly")
	}
	a := search(t, e, Question{Limit: 5, Explicit: true})
	if asked != 1 || a.Legs[len(a.Legs)-1].Name != ByImagined {
		t.Errorf("asked %d times, %+v", asked, a.Legs)
	}
	e = engine(t, "", "a .9, b .8, c .7", nil)
	e.Imagine = func(context.Context, string) (string, error) { t.Error("asked though there is enough"); return "", nil }
	search(t, e, Question{Limit: 5, Explicit: true})
}

// TestSaysTheSame: of two memories in the same words one stays. A number, a "not"
// or one other word is a difference, and may be all that matters.
func TestSaysTheSame(t *testing.T) {
	items := map[string]Item{
		"a": {Text: "Gotcha number 1: question the cache"}, "b": {Text: "Gotcha number 2: question the cache"}, "again": {Text: "gotcha number 2, question the cache."},
		"not": {Text: "Gotcha number 2: do not question the cache"},
	}
	for _, code := range []bool{false, true} {
		a := search(t, engine(t, "a .9, b .8, again .7, not .6", "-", items), Question{Text: "gotcha number cache question", Limit: 9, Code: code})
		if got := ids(a); got != "a b not" || a.Omitted[0].Reason != OmitDuplicate {
			t.Errorf("code %t: %q, %+v", code, got, a.Omitted)
		}
	}
}

// TestPack: of duplicates one stays, a type does not take the others' share,
// and places come together.
func TestPack(t *testing.T) {
	long := func(topic string) string { return "question " + strings.Repeat(topic+" ", 60) }
	items := map[string]Item{}
	var list []string
	add := func(id string, ty file.Type, place, text string) {
		items[id] = Item{Type: ty, Text: text, Confidence: 1, Files: []string{place}, Volatility: -1}
		list = append(list, id+" 1")
	}
	add("g1", file.Gotcha, "a/x.go", long("alpha"))
	add("g2", file.Gotcha, "b/x.go", long("beta"))
	add("g3", file.Gotcha, "a/y.go", long("gamma"))
	add("dup", file.Gotcha, "a/x.go", long("alpha"))
	add("e1", file.ErrorPattern, "c/x.go", long("delta"))
	e := engine(t, strings.Join(list, ", "), "-", items)
	budget := 3*Tokens(long("alpha")) + 80
	a := search(t, e, Question{Limit: 9, Budget: budget, Phase: Implement})
	reasons := map[string]int{}
	for _, o := range a.Omitted {
		reasons[o.Reason] = o.Count
	}
	if a.Tokens > budget || len(a.Results) != 3 || reasons[OmitDuplicate] != 1 || reasons[OmitBudget] != 1 {
		t.Fatalf("%s, %d of %d tokens, %v", ids(a), a.Tokens, budget, reasons)
	}
	for i, r := range a.Results[1:] {
		if r.Cluster < a.Results[i].Cluster {
			t.Errorf("places are mixed: %+v", a.Results)
		}
	}
}

// In code the nearer meaning wins, as long as meanings are compared.
func TestCode(t *testing.T) {
	for _, c := range []struct {
		meant string
		code  bool
		want  string
	}{
		{"y .9, x .87", true, "y x"},
		{"y .9, x .87", false, "x y"},
		{"-", true, "x y"},
	} {
		a := search(t, engine(t, "x 1, y .9", c.meant, map[string]Item{
			"x": {Text: "the question asks for this", Volatility: -1}, "y": {Text: "the question wants other things", Volatility: -1},
		}), Question{Code: c.code})
		if got := ids(a); got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
	e := engine(t, "x 1, y .9", "", nil)
	e.Meaning = func(context.Context, string, int) ([]Ranked, error) { return nil, ErrNoMeaning }
	a := search(t, e, Question{Code: true})
	if w := Default().Weights[Semantic].Words; a.Legs[0].Weight != w {
		t.Errorf("without a vector words weigh %.2f, want %.2f", a.Legs[0].Weight, w)
	}
}

// TestMentions: what the results by words mention is found, and of many candidates of code as many
// as of memories are looked at.
func TestMentions(t *testing.T) {
	e := engine(t, "x 1, y .9", "-", map[string]Item{"x": {Text: "the question of one"}, "y": {Text: "a question like others"}, "z": {Text: "else"}})
	e.Mentions = func(int) []Ranked { return []Ranked{{ID: "y", Score: 1}, {ID: "z", Score: .5}} }
	if a := search(t, e, Question{Text: "the question asked", Code: true, Explicit: true}); ids(a) != "y x z" || a.Results[1].By[0].Leg != ByWords || a.Results[2].By[0].Leg != ByMentions {
		t.Errorf("%+v", a.Results)
	}
	loaded := 0
	e.Words = func(_ context.Context, _ string, limit int) (out []Ranked, err error) {
		for i := range limit {
			out = append(out, Ranked{ID: fmt.Sprint(i), Score: 1 / float64(i+1)})
		}
		return out, nil
	}
	e.Item = func(id string) (Item, bool) { loaded++; return Item{Text: "the question " + id}, true }
	d := Default()
	if a := search(t, e, Question{Text: "the question asked", Code: true, Explicit: true}); loaded != d.Words+d.Meaning || a.Legs[0].Found != d.CodeCandidates {
		t.Errorf("%d loaded of %d", loaded, a.Legs[0].Found)
	}
}

// TestAligned: heads rank the best candidates of code again, and an answer without them is one.
func TestAligned(t *testing.T) {
	e := engine(t, "x 1, y .9", "-", map[string]Item{"x": {Text: "the question of one"}, "y": {Text: "a question like others"}})
	seen := ""
	e.Align = func(_ context.Context, _ string, ids []string) ([]Ranked, error) {
		seen = strings.Join(ids, " ")
		return []Ranked{{ID: "y", Score: .9}, {ID: "x", Score: .1}}, nil
	}
	q := Question{Text: "the question asked", Code: true, Explicit: true}
	a := search(t, e, q)
	if last := a.Legs[len(a.Legs)-1]; ids(a) != "y x" || seen != "x y" || last.Name != ByHead || last.Weight != Default().Weights[Semantic].Head || a.Results[0].By[1].Leg != ByHead {
		t.Errorf("%+v, seen %q", a, seen)
	}
	e.Align = func(context.Context, string, []string) ([]Ranked, error) { return nil, errors.New("no vectors") }
	if a := search(t, e, q); ids(a) != "x y" || a.Legs[len(a.Legs)-1].Fault != "no vectors" {
		t.Errorf("a fault: %+v", a)
	}
	q.Code = false
	e.Align = func(context.Context, string, []string) ([]Ranked, error) {
		t.Error("memories have no heads")
		return nil, nil
	}
	search(t, e, q)
	q.Code = true
	e.Align = func(_ context.Context, _ string, ids []string) ([]Ranked, error) {
		seen = fmt.Sprint(len(ids))
		return nil, nil
	}
	e.Words = func(_ context.Context, _ string, limit int) (out []Ranked, err error) {
		for i := range 3 * limit {
			out = append(out, Ranked{ID: fmt.Sprint(i), Score: 1 / float64(i+1)})
		}
		return out, nil
	}
	if search(t, e, q); seen != fmt.Sprint(Default().CodeCandidates) {
		t.Errorf("%s candidates seen", seen)
	}
}

// TestOnlyCommonWords: a question that says nothing gets what has its words
// where somebody asked, and nothing unasked.
func TestOnlyCommonWords(t *testing.T) {
	q := Question{Text: "what is it about", Limit: 5}
	if a := search(t, engine(t, "a 1", "b .1", nil), q); len(a.Results) != 0 {
		t.Errorf("unasked: %s", ids(a))
	}
	q.Explicit = true
	a := search(t, engine(t, "a 1", "b .1", nil), q)
	weak := map[string]bool{}
	for _, x := range a.Results {
		weak[x.ID] = x.Weak
	}
	if want := map[string]bool{"a": false, "b": true}; !maps.Equal(weak, want) {
		t.Errorf("asked: weak %v, want %v", weak, want)
	}
}

// TestLongTexts: the share of the question's words decides between short texts, and less between long
// ones, which have some of the words by chance.
func TestLongTexts(t *testing.T) {
	filler := ""
	for i := range 60 {
		filler += fmt.Sprintf(" filler%c%c", 'a'+i%26, 'a'+i/26)
	}
	for more, want := range map[string]string{"": "b a", filler: "a b"} {
		e := engine(t, "a 1, b .9", "", map[string]Item{"a": {Text: "token" + more}, "b": {Text: "token refresh fails" + more}})
		if got := ids(search(t, e, Question{Text: "token refresh fails often", Explicit: true})); got != want {
			t.Errorf("with %d bytes more: %s, want %s", len(more), got, want)
		}
	}
}

// TestRerankShare: a reranker that decides a share of a score moves what it finds much better, and nothing out of the range of
// what it was given.
func TestRerankShare(t *testing.T) {
	e := engine(t, "a 1, b .9, c .5, d .1", "-", nil)
	plain := search(t, e, Question{Limit: 5})
	likes := map[string]float64{"a": .41, "b": .4, "c": .49, "d": .4}
	e.Rerank = func(_ context.Context, _ string, texts []string) ([]float64, error) {
		out := make([]float64, len(texts))
		for i, s := range texts {
			out[i] = likes[s[len(s)-1:]]
		}
		return out, nil
	}
	for share, want := range map[float64]string{.05: "a b c d", .7: "c a b d", 1: "c a b d"} {
		e.RerankShare = share
		a := search(t, e, Question{Limit: 5})
		if ids(a) != want {
			t.Errorf("%.2f: %s, want %s", share, ids(a), want)
		}
		if a.Results[0].Score > plain.Results[0].Score+1e-9 {
			t.Errorf("%.2f: the best has %.3f of %.3f", share, a.Results[0].Score, plain.Results[0].Score)
		}
	}
	likes = map[string]float64{}
	if a := search(t, e, Question{Limit: 5}); ids(a) != ids(plain) {
		t.Errorf("who likes all alike: %s", ids(a))
	}
}

// TestReread: a reranker reads another text of an item where there is one.
func TestReread(t *testing.T) {
	e := engine(t, "a 1, b .9", "-", nil)
	var read []string
	e.Rerank = func(_ context.Context, _ string, texts []string) ([]float64, error) {
		read = texts
		return []float64{.1, .9}, nil
	}
	e.Reread = func(id string) string { return "beginning of " + id }
	if got := ids(search(t, e, Question{Limit: 5})); got != "b a" || strings.Join(read, ", ") != "beginning of a, beginning of b" {
		t.Errorf("%s by %q", got, read)
	}
}

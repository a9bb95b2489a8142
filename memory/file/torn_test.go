package file

import (
	"strings"
	"testing"

	"manicule/indexer/must"
)

// tornHead and tornTail are the lines around a conflict.
const (
	tornHead = "{\n  \"uuid\": \"01900000-0000-7000-8000-000000000001\",\n  \"type\": \"gotcha\",\n  \"layer\": \"area_context\",\n"
	tornTail = "  \"why\": \"the pool waits\",\n  \"created_at\": \"2026-05-02T10:00:00.000Z\"\n}\n"
	mine     = "  \"what\": \"Close the pool first\",\n"
	yours    = "  \"what\": \"Close the pool last\",\n"
	third    = "  \"what\": \"Never close the pool\",\n"
)

// TestTornMarkers: markers of which one is gone, nested ones, and those of which a person took one side are read, with
// every line in a version; what could mean several things is not.
func TestTornMarkers(t *testing.T) {
	const from, mid, to, base = "<<<<<<< HEAD\n", "=======\n", ">>>>>>> theirs\n", "||||||| base\n"
	two, three, one := []string{"first", "last"}, []string{"first", "last", "Never"}, []string{"first"}
	for name, x := range map[string]struct {
		text string
		want []string
	}{
		"whole":                    {from + mine + mid + yours + to, two},
		"without an end":           {from + mine + mid + yours, two},
		"without a begin":          {mine + mid + yours + to, two},
		"without a middle":         {from + mine + yours + to, two},
		"only a begin":             {from + mine, one},
		"a begin and a middle":     {from + mine + mid, one},
		"only a middle":            {mid + mine, one},
		"only an end":              {mine + to, one},
		"nested in ours":           {from + from + mine + mid + yours + to + mid + third + to, three},
		"nested in theirs":         {from + mine + mid + from + yours + mid + third + to + to, three},
		"nested, with a base":      {from + from + mine + base + third + mid + yours + to + mid + third + to, three},
		"both sides, no middle":    {mine + yours + to, nil},
		"nested, without an end":   {from + from + mine + mid + yours + to + mid + third, nil},
		"a side that is no memory": {from + mine + mid + "  \"what\": 7,\n" + to, nil},
		"an end before a begin":    {to + mine + from, one},
	} {
		t.Run(name, func(t *testing.T) {
			m, err := ParseMerged([]byte(tornHead + x.text + tornTail))
			if len(x.want) == 0 {
				if err == nil || !strings.Contains(err.Error(), "not complete") {
					t.Fatalf("read as %+v, %v", m, err)
				}
				return
			}
			must.OK(t, err)
			if len(m.Versions()) != len(x.want) || m.Why != "the pool waits" {
				t.Fatalf("versions %+v, why %q", m.Versions(), m.Why)
			}
			all := ""
			for _, v := range m.Versions() {
				all += v.What + "\n"
			}
			for _, w := range x.want {
				if !strings.Contains(all, w) {
					t.Errorf("%q is lost: %q", w, all)
				}
			}
		})
	}
}

// TestManyMarkers: a file of nothing but markers costs no time.
func TestManyMarkers(t *testing.T) {
	for _, line := range []string{"<<<<<<<\n", "=======\n", ">>>>>>>\n", "<<<<<<<\n=======\n"} {
		if _, err := ParseMerged([]byte(strings.Repeat(line, MaxSize/len(line)))); err == nil {
			t.Error("it was read")
		}
	}
}

// TestCutOff: what a power loss leaves is told from what a person broke.
func TestCutOff(t *testing.T) {
	whole := tornHead + mine + tornTail
	for text, want := range map[string]bool{
		"": true, " \n": true, whole: false, whole[:40]: true, whole[:len(whole)-3]: true, "{\"what\": \"a\x00\x00": true,
		strings.Replace(whole, "\",\n", "\"\n", 1): false, "[1, 2": true, "words": false,
	} {
		if got := CutOff([]byte(text)); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
	for n := range len(whole) - 2 {
		if !CutOff([]byte(whole[:n])) {
			t.Errorf("cut off at %d: not seen", n)
		}
	}
}

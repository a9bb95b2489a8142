package secret

import (
	"strings"
	"testing"

	"manicule/indexer/must"
)

// sentences are the ones of testdata/prose.txt: with a secret, and without.
func sentences(t testing.TB) (with, without []string) { return readSentences(t, "testdata/prose.txt") }

func readSentences(t testing.TB, name string) (with, without []string) {
	data := must.Read(t, name)
	for l := range strings.Lines(string(data)) {
		switch text := strings.TrimSpace(l); {
		case strings.HasPrefix(text, "+ "):
			with = append(with, text[2:])
		case strings.HasPrefix(text, "- "):
			without = append(without, text[2:])
		}
	}
	return with, without
}

// TestProse: secrets in sentences are found, and talk of secrets is not one.
func TestProse(t *testing.T) {
	with, without := sentences(t)
	missed := 0
	for _, s := range with {
		if len(Find(s)) == 0 {
			missed++
			t.Logf("missed: %s", s)
		}
	}
	t.Logf("found %d of %d", len(with)-missed, len(with))
	if missed*20 > len(with) {
		t.Errorf("of %d sentences with a secret %d were missed", len(with), missed)
	}
	for _, s := range without {
		if got := Mask(s); got != s {
			t.Errorf("false alarm: %s\n%s", s, got)
		}
	}
}

// TestHarmless: notes, rules and recorded sessions are not alarmed about.
func TestHarmless(t *testing.T) {
	for set, texts := range harmless(t) {
		n, bytes := 0, 0
		for _, s := range texts {
			bytes += len(s)
			for _, f := range Find(s) {
				n++
				if n <= 40 {
					t.Logf("%s: %s [%s] %q", set, f.Kind, s[f.Start:f.End], s[max(0, f.Start-60):min(len(s), f.End+10)])
				}
			}
		}
		if allowed := map[string]int{"agent-sessions": 2}; n > allowed[set] { // two keys that a person made up to try a mask
			t.Errorf("%s: %d false alarms", set, n-allowed[set])
		}
		t.Logf("%s: %d finds in %d texts, %d bytes", set, n, len(texts), bytes)
	}
}

// TestProseUnseen measures on sentences that no weight was learned from.
func TestProseUnseen(t *testing.T) {
	with, without := readSentences(t, "testdata/prose_unseen.txt")
	hit, alarms := 0, 0
	for _, s := range with {
		if found(s) {
			hit++
		} else {
			t.Logf("missed: %s", s)
		}
	}
	for _, s := range without {
		if found(s) {
			alarms++
			t.Logf("false alarm: %s", Mask(s))
		}
	}
	t.Logf("found %d of %d, %d false alarms in %d", hit, len(with), alarms, len(without))
	if hit*20 < len(with)*17 || alarms > 0 {
		t.Error("of 20 such sentences 17 are to be found, and no others")
	}
}

// TestProseHalves measures on sentences of many wordings and languages: rules were
// written for the seen parts, none for the kept ones.
func TestProseHalves(t *testing.T) {
	for _, part := range []struct {
		name          string
		least, alarms int
	}{{"seen", 20, 0}, {"kept", 17, 0}, {"wordings_seen", 43, 0}, {"wordings_kept", 15, 1}} {
		with, without := readSentences(t, "testdata/prose_"+part.name+".txt")
		hit, alarms := 0, 0
		for _, s := range with {
			if found(s) {
				hit++
			}
		}
		for _, s := range without {
			if Mask(s) != s {
				alarms++
			}
		}
		t.Logf("%s: found %d of %d, %d false alarms in %d", part.name, hit, len(with), alarms, len(without))
		if hit < part.least || alarms > part.alarms {
			t.Errorf("%s: found %d of %d, once %d, with %d false alarms", part.name, hit, len(with), part.least, alarms)
		}
	}
}

// TestScripts: the quick look at a byte passes over none of the words in other scripts.
func TestScripts(t *testing.T) {
	for _, w := range passwordWordsInScripts {
		if start, end := secretInOtherScript(w+": Xk9-fuchs", 0); end <= start {
			t.Errorf("nothing is found behind %s", w)
		}
	}
}

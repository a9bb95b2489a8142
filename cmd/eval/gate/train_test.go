package gate

import (
	"testing"

	"manicule/memory/gate/junk/named"
)

// TestFit: what is learned from a page tells its headings from what it says, and is the same every time.
func TestFit(t *testing.T) {
	texts := map[string]bool{}
	readPage("# Error handling\n\n- Never swallow an error\n- [ ] Write more tests\n\n```\n# no heading\n```\n\n## Release process\n\n1. Tag the release\n   after the build is green\n\nThe rules are:\n", true, texts)
	want := map[string]bool{"Error handling": true, "Release process": true, "Never swallow an error": false, "Tag the release\nafter the build is green": false}
	if len(texts) != len(want) {
		t.Errorf("read %v", texts)
	}
	var examples []example
	for text, name := range want {
		if got, ok := texts[text]; !ok || got != name {
			t.Errorf("%q is %v, %v", text, got, ok)
		}
	}
	for _, text := range []string{"Error handling", "Release process", "Never swallow an error", "Tag the release\nafter the build is green"} {
		examples = append(examples, example{at: named.BucketsOf(text), names: want[text], weight: 1})
	}
	again := append([]example(nil), examples...)
	w := fit(examples)
	if string(w) != string(fit(again)) {
		t.Error("fitted twice, the weights differ")
	}
	for text, name := range want {
		sum := 0
		for _, i := range named.BucketsOf(text) {
			sum += int(int8(w[i]))
		}
		if (sum > 0) != name {
			t.Errorf("%q has %d", text, sum)
		}
	}
	page := map[string]bool{}
	readPage("# Error handling\n\n- Never swallow an error\n\nIt ends here.\n", false, page)
	if len(page) != 2 || page["It ends here."] {
		t.Errorf("a page without rules: %v", page)
	}
	if repos, err := repositoriesOf([]string{"H"}); err != nil || len(repos) != 41 {
		t.Errorf("%d repositories, %v", len(repos), err)
	}
}

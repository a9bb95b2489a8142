package search

import (
	"testing"

	"manicule/memory/file"
)

func TestPassage(t *testing.T) {
	m := &file.Memory{What: "Sessions live in Redis, e.g. those of the API. A token is refreshed before each call.", Why: "Redis forgets them at night.\nThe vendor's limit is 5 calls."}
	for question, want := range map[string]string{
		"when are tokens refreshed?":   "A token is refreshed before each call.",
		"what is the vendor's limit":   "The vendor's limit is 5 calls.",
		"where do we keep the session": "Sessions live in Redis, e.g. those of the API.",
		"unrelated":                    "Sessions live in Redis, e.g. those of the API.",
	} {
		if got := Passage(m, question); got != want {
			t.Errorf("%s: %q, want %q", question, got, want)
		}
	}
	if got := Passage(&file.Memory{}, "x"); got != "" {
		t.Errorf("of nothing: %q", got)
	}
}

package extract

import (
	"slices"
	"strings"
	"testing"

	"manicule/indexer/must"
)

// TestScripts finds the code in markup.
func TestScripts(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		text  string
		astro bool
		want  []string
	}{
		"none":             {text: "<p>a < b</p>"},
		"two":              {text: "<script>a</script>\n<SCRIPTED/><script setup\n lang=\"ts\">b\n</script>", want: []string{"a", "b\n"}},
		"a quoted bracket": {text: `<script generic="T extends A<B>" lang='ts'>a</script>`, want: []string{"a"}},
		"in a comment":     {text: "<!-- <script>a</script> --><script>b</script>", want: []string{"b"}},
		"in a style":       {text: "<style>/* <script>a</script> */</style><script>b</script>", want: []string{"b"}},
		"json elsewhere":   {text: `<script setup lang="ts" generic="T extends json">b</script>`, want: []string{"b"}},
		"data":             {text: `<script type="application/ld+json">{}</script><script type="module">b</script>`, want: []string{"b"}},
		"without content":  {text: `<script src="a.js"/><p>c</p><script>b</script>`, want: []string{"b"}},
		"an empty style":   {text: `<style src="a.css" /><script>b</script><style>p { top: 0 }</style>`, want: []string{"b"}},
		"not closed":       {text: "<script>a\n", want: []string{"a\n"}},
		"a torn tag":       {text: "<script lang=\"ts"},
		"no front matter":  {text: "---\na\n---\n<script>b</script>", want: []string{"b"}},
		"front matter":     {text: "\n---\r\na\n---\n<script>b</script>", astro: true, want: []string{"a\n", "b"}},
		"torn matter":      {text: "---\na\n", astro: true, want: []string{"a\n"}},
		"dashes below":     {text: "<p>\n---\na\n---\n", astro: true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			find := scripts
			if test.astro {
				find = scriptsAndFrontMatter
			}
			var got []string
			spans := find([]byte(test.text))
			for _, s := range spans {
				got = append(got, test.text[s.Start:s.End])
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
			clean := string(keepOnly([]byte(test.text), spans))
			if len(clean) != len(test.text) || strings.Count(clean, "\n") != strings.Count(test.text, "\n") {
				t.Errorf("places differ: %q", clean)
			}
		})
	}
}

// TestMarkupHasTokens holds the markup of a component to tokens of its own: as one
// token, an edit anywhere in it would be one of each line.
func TestMarkupHasTokens(t *testing.T) {
	t.Parallel()
	const before = "<template>\n  <b>{{ a }}</b>\n</template>\n<script>\nlet a = 1\n</script>\n"
	after := strings.Replace(before, "<template>", "<template>\n  <i>new</i>", 1)
	of := func(text string) string {
		at := strings.Index(text, "<b>")
		hash, err := HashTokens(t.Context(), "vue", []byte(text), Span{Start: at, End: at + len("<b>{{ a }}</b>")})
		must.OK(t, err)
		return hash
	}
	if of(before) != of(after) {
		t.Error("a line of the markup changed with another one")
	}
	if of(before) == of(strings.Replace(before, "{{ a }}", "{{ b }}", 1)) {
		t.Error("a line of the markup has the hash of another one")
	}
	f, tree, err := ParseTree(t.Context(), "vue", []byte(before))
	must.OK(t, err)
	if first, last := tree.Range(Span{Start: 0, End: strings.Index(before, "<script>")}); last-first < 10 || len(f.Symbols) != 1 {
		t.Errorf("%d tokens, %d symbols", last-first, len(f.Symbols))
	}
}

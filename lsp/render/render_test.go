package render

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

func TestAge(t *testing.T) {
	now := time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	tests := []struct {
		ago  time.Duration
		want string
	}{
		{-time.Hour, "just now"}, // another machine's clock
		{30 * time.Second, "just now"},
		{time.Minute, "1 minute ago"},
		{59 * time.Minute, "59 minutes ago"},
		{time.Hour, "1 hour ago"},
		{49 * time.Hour, "2 days ago"},
		{40 * 24 * time.Hour, "1 month ago"},
		{800 * 24 * time.Hour, "2 years ago"},
	}
	for _, tt := range tests {
		if got := Age(now, now.Add(-tt.ago)); got != tt.want {
			t.Errorf("%v: got %q, want %q", tt.ago, got, tt.want)
		}
	}
	if got := Age(now, time.Time{}); got != "" {
		t.Errorf("without a time: %q", got)
	}
}

func TestOneLine(t *testing.T) {
	tests := []struct{ in, want string }{
		{"a  b\n\tc", "a b c"},
		{"0123456789", "0123456789"},
		{"0123456789x", "012345678…"},
		{"ééééééééééé", "ééééééééé…"},
		{"a\x00b\u202ec", "abc"},
		{"12345678 90x", "12345678…"},
	}
	for _, tt := range tests {
		if got := OneLine(tt.in, 10); got != tt.want {
			t.Errorf("%q: got %q, want %q", tt.in, got, tt.want)
		}
	}
}

func TestEscapeMarkdown(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"plain", "a - b (c) d.", "a - b (c) d."},
		{"emphasis", "*a* _b_ __c__ ~~d~~", `\*a\* \_b\_ \_\_c\_\_ \~\~d\~\~`},
		{"snake case", "snake_case_name", "snake_case_name"},
		{"link", "[a](command:x)", `\[a\](command:x)`},
		{"image", "![a](http://b)", `!\[a\](http\://b)`},
		{"HTML", "<img src=x> &lt;", `\<img src=x\> &amp;lt;`},
		{"code", "`a` ```", "`a` \\`\\`\\`"},
		{"code that is no link", "call `[a](command:x)` or `<b>&amp;`, never [a](b)", "call `[a](command:x)` or `<b>&amp;`, never \\[a\\](b)"},
		{"code without an end", "a `b [c](d)", "a \\`b \\[c\\](d)"},
		{"code over lines", "a `b\nc` [d](e)", "a \\`b  \nc\\` \\[d\\](e)"},
		{"code in several backticks", "``a`` `b`", "\\`\\`a\\`\\` `b`"},
		{"a block of code", "so:\n```go\nif a[0] {\n\tb(c)\n\n}\n```\n<d>", "so:  \n`if a[0] {`  \n`\tb(c)`  \n  \n`}`  \n\\<d\\>"},
		{"a block that is cut", "```\n[a](b)\n# c", "`[a](b)`  \n`# c`"},
		{"a backtick in a block", "```\na` [b](c)\n```", "a\\` \\[b\\](c)"},
		{"no fence", "```a b\n[c](d)", "\\`\\`\\`a b  \n\\[c\\](d)"},
		{"no code", "`` ` ` <x>", "\\`\\` \\` \\` \\<x\\>"},
		{"a backslash before code", "\\`a` <b>", "\\\\`a` \\<b\\>"},
		{"heading", "# a", `\# a`},
		{"lists", "- a\n+ [b](c)\n*  d\n1. e\n12) f", "• a  \n• \\[b\\](c)  \n• d  \n1\\. e  \n12\\) f"},
		{"no list", "-v\n+1\n-", "-v  \n+1  \n\\-"},
		{"a rule", "- - -\n* * *", "\\- - -  \n\\* \\* \\*"},
		{"no heading", "#42 is done", "#42 is done"},
		{"underlined heading", "a\n===\n---", "a  \n\\===  \n\\---"},
		{"code by indent", "a\n\n        b", "a  \n  \nb"},
		{"table", "| a | b |\n|---|:-:|\n| c | d |", "| a | b |  \n\\|---|:-:|  \n| c | d |"},
		{"table without its outer lines", "a | b\n--- | ---", "a | b  \n\\--- | ---"},
		{"bare link", "www.x.example", `www\.x.example`},
		{"hidden characters", "a\x07\u202eb", "ab"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Markdown(tt.in); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func FuzzEscapeMarkdown(f *testing.F) {
	f.Add("[a](b) <c> `d` http://e")
	f.Add("_\xff_\x00")
	f.Fuzz(func(t *testing.T, s string) {
		got := Markdown(s)
		if !utf8.ValidString(got) {
			t.Fatalf("%q is not UTF-8", got)
		}
		for i := 0; i < len(got); i++ {
			switch got[i] {
			case '\\':
				i++
			case '`':
				code, _, ok := strings.Cut(got[i+1:], "`")
				if !ok || strings.TrimSpace(code) == "" || strings.Contains(code, "\n") {
					t.Fatalf("%q leaves a backtick at %d of %q", s, i, got)
				}
				i += 1 + len(code)
			case '<', '[':
				t.Fatalf("%q leaves %q at %d of %q", s, got[i], i, got)
			}
		}
	})
}

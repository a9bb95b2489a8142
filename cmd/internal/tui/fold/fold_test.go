package fold

import (
	"bytes"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

// TestLine holds where lines are broken, and where they go on.
func TestLine(t *testing.T) {
	for _, test := range []struct {
		name  string
		width int
		line  string
		want  []string
	}{
		{"short", 40, "a line that is short enough", []string{"a line that is short enough"}},
		{"of a list", 80, "bac4b909  gotcha          Clock skew of the clients is up to a minute  (web/session.ts:7)", []string{
			"bac4b909  gotcha          Clock skew of the clients is up to a minute", "                          (web/session.ts:7)"}},
		{"narrow", 40, "bac4b909  gotcha          Clock skew of clients is up to a minute", []string{
			"bac4b909  gotcha          Clock skew of", "          clients is up to a minute"}},
		{"mark", 40, "☞ decision Tokens of deleted users stay valid for an hour", []string{"☞ decision Tokens of deleted users stay", "  valid for an hour"}},
		{"field", 40, "  why        The revocation list is read once an hour", []string{"  why        The revocation list is read", "             once an hour"}},
		{"label", 40, "  try: Write a number of days or weeks, such as 30d", []string{"  try: Write a number of days or weeks,", "       such as 30d"}},
		{"code", 40, "   21 func (s *Store) Validate(token string) bool {", []string{"   21 func (s *Store) Validate(token", "      string) bool {"}},
		{"command", 40, "  try: Then ask again: `manicule list --type gotcha`", []string{"  try: Then ask again:", "       `manicule list --type gotcha`"}},
		{"long word", 40, "see https://example.test/" + strings.Repeat("a", 40) + " there", []string{"see", "https://example.test/" + strings.Repeat("a", 40), "there"}},
		{"without spaces", 40, "9eeb5147  トークンの更新はRedisに接続できないと黙って失敗する。三月", []string{"9eeb5147  トークンの更新はRedisに接続で", "          きないと黙って失敗する。三月"}},
		{"a path without spaces", 40, "Carts never hold more than 100  (web/日本語/カート.ts#cart)", []string{"Carts never hold more than 100", "(web/日本語/カート.ts#cart)"}},
		{"brackets and small signs", 40, "日本語の文字列は「括弧」で終わらない行にする「語」とサーバー", []string{"日本語の文字列は「括弧」で終わらない行に", "する「語」とサーバー"}},
		{"no line ends with an opening bracket", 40, "日本語の文字列は括弧で終わらない行にす「語」", []string{"日本語の文字列は括弧で終わらない行にす", "「語」"}},
		{"Korean has spaces", 40, "한국어 단어 한국어 단어 한국어 단어 한국어 단어", []string{"한국어 단어 한국어 단어 한국어 단어", "한국어 단어"}},
		{"branch of a tree", 40, "│   ├── src/billing/charge.go:13 Charge  `manicule graph src/billing/charge.go` lists them", []string{
			"│   ├── src/billing/charge.go:13 Charge", "│   │   `manicule graph src/billing/charge.go`", "│   │   lists them"}},
		{"last branch in colours", 40, "\x1b[2m└── \x1b[0mfile used by (1)  it is called from other files", []string{
			"\x1b[2m└── \x1b[0mfile used by (1)  it is called from", "    other files"}},
		{"numbered", 40, "1. gotcha: Clock skew of the clients is up to a minute", []string{"1. gotcha: Clock skew of the clients is", "   up to a minute"}},
		{"tabs", 40, "\tif a == b {\treturn\tnil }\t// the same", []string{"\tif a == b {\treturn\tnil", "}\t// the same"}},
		{"a sentence", 40, "A person decides which of the two versions counts", []string{"A person decides which of the two", "versions counts"}},
		{"colours", 40, "\x1b[2mbac4b909\x1b[0m  \x1b[31mgotcha\x1b[0m  Clock skew of clients is up to a minute", []string{
			"\x1b[2mbac4b909\x1b[0m  \x1b[31mgotcha\x1b[0m  Clock skew of clients", "          is up to a minute"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := Line(test.line, test.width)
			if want := strings.Join(test.want, "\n"); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
			words := func(s string) string {
				return strings.Join(strings.Fields(strings.ReplaceAll(ansi.Strip(s), "│", " ")), "")
			}
			if words(got) != words(test.line) {
				t.Errorf("%q has other words", got)
			}
		})
	}
}

// TestWriter holds that a question is there at once, and that what follows it in its line is left as it is.
func TestWriter(t *testing.T) {
	long := strings.Repeat("word ", 20) + "end"
	var out bytes.Buffer
	f := &Writer{To: &out, Columns: func() int { return 40 }, AsItIs: func() bool { return false }}
	if _, err := f.Write([]byte("what now? ")); err != nil || out.String() != "what now? " {
		t.Errorf("a question waits: %q, %v", out.String(), err)
	}
	_, _ = f.Write([]byte(long + "\n")) // a buffer takes all
	if want := "what now? " + long + "\n"; out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
}

// TestCopied: a line that people copy is left to the terminal, which breaks it without a line end.
func TestCopied(t *testing.T) {
	var out bytes.Buffer
	example := "  add \"The retry test fails since the timeout went up\" --at queue/retry.go#Retry\n"
	w := &Writer{To: &out, Columns: func() int { return 40 }, AsItIs: func() bool { return false }, Copied: func(line string) bool { return strings.HasPrefix(line, "  add") }}
	if _, err := w.Write([]byte(example + "a line that is longer than the terminal is wide\n")); err != nil || !strings.HasPrefix(out.String(), example) || strings.Count(out.String(), "\n") != 3 {
		t.Errorf("%q, %v", out.String(), err)
	}
}

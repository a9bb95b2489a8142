package extract

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"manicule/indexer/must"
)

func TestHeadings(t *testing.T) {
	for name, c := range map[string]struct{ src, want string }{
		"levels":               {"# A\n## B\n# C\n", "A[0:8] A.B[4:8] C[9:12]"},
		"Windows line ends":    {"# A\r\n\r\nText\r\n====\r\n", "A[0:3] Text[7:17]"},
		"underlined":           {"Long\n----\n\nText\n", "Long[0:15]"},
		"two lines":            {"Two\nlines\n=====\n", "Two lines[0:15]"},
		"no end of line":       {"# A", "A[0:3]"},
		"empty":                {"#\n\n##  ##\n", ""},
		"closing marks":        {"## A ##  \n", "A[0:7]"},
		"in code":              {"```\n# no\n```\n    # no\n", ""},
		"in a quote":           {"> # A\n", "A[2:5]"},
		"in a list":            {"- # A\n- B\n", "A[2:9]"},
		"comment":              {"<!--\n# no\n-->\n", ""},
		"front matter":         {"---\ntitle: x\n---\n# A\n", "A[17:20]"},
		"front matter in TOML": {"+++\n# no\n+++\n# A\n", "A[13:16]"},
		"a line, no matter":    {"---\n\n# A\n", "A[5:8]"},
		"begins with a mark":   {"#tag\n---\n", "#tag[0:8]"},
		"JSX":                  {"import X from 'x'\n\n<X>\n\n## A\n\n</X>\n", "A[24:34]"},
	} {
		t.Run(name, func(t *testing.T) {
			f, err := Parse(context.Background(), "markdown", []byte(c.src))
			must.OK(t, err)
			var got []string
			for _, s := range f.Symbols {
				got = append(got, fmt.Sprintf("%s[%d:%d]", s.Path, s.Start, s.End))
			}
			if joined := strings.Join(got, " "); joined != c.want {
				t.Errorf("got  %s\nwant %s", joined, c.want)
			}
		})
	}
}

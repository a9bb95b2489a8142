package gate

import (
	"errors"
	"strings"
	"testing"

	"manicule/indexer/anchor"
	"manicule/memory/file"
	"manicule/memory/scope"
	"manicule/memory/secret/full"
)

// TestLinesAroundCited ones are left out where they hold a secret, which nobody chose
// to write down; in the cited lines it keeps the memory out.
func TestLinesAroundCited(t *testing.T) {
	key := "aws_key = " + awsKey
	for name, c := range map[string]struct {
		prefix, quote, suffix string
		bare, rejected        bool
	}{
		"nothing around":         {quote: "x := 1"},
		"no secret":              {prefix: "above()", quote: "x := 1", suffix: "below()"},
		"above":                  {prefix: key, quote: "x := 1", suffix: "below()", bare: true},
		"above, nothing below":   {prefix: key, quote: "x := 1", bare: true},
		"below":                  {quote: "x := 1", suffix: key, bare: true},
		"across":                 {prefix: "-----BEGIN RSA " + "PRIVATE KEY-----", quote: strings.Repeat("MIIEpAIBAAKCAQEA7bq3\n", 8), suffix: "-----END RSA PRIVATE KEY-----", bare: true},
		"in the cited lines too": {prefix: "above()", quote: key, suffix: "below()", rejected: true},
	} {
		m := sample("fine")
		m.Anchors = []anchor.Anchor{{Kind: anchor.KindFile, Path: "b.go"}, {Kind: anchor.KindLines, Path: "a.go", Prefix: c.prefix, Quote: c.quote, Suffix: c.suffix}}
		err := New(scope.Options{}, full.Rules{}).Check(m)
		r, _ := errors.AsType[*Rejection](err)
		if (r != nil) != c.rejected || r != nil && (r.Code != Secret || strings.Contains(r.Reason+r.Hint, awsKey)) || err != nil && r == nil {
			t.Errorf("%s: %v", name, err)
		}
		if c.rejected {
			continue
		}
		a := m.Anchors[1]
		if kept := a.Prefix == c.prefix && a.Suffix == c.suffix; kept == c.bare || c.bare && a.Prefix+a.Suffix != "" || a.Quote != c.quote {
			t.Errorf("%s: %+v", name, a)
		}
	}
}

// broken is a scanner that can't be used.
type broken struct{ noSecrets }

// TestUnscanned: what could not be scanned is not let through.
func TestUnscanned(t *testing.T) {
	for name, a := range map[string]anchor.Anchor{
		"with lines around": {Kind: anchor.KindLines, Path: "a.go", Prefix: "x", Quote: "y"},
		"without":           {Kind: anchor.KindFile, Path: "a.go"},
	} {
		m := sample("fine")
		m.Anchors = []anchor.Anchor{a}
		for _, s := range []Secrets{nil, broken{}} {
			if err := New(scope.Options{}, s).Check(m); !errors.Is(err, errNoSecrets) {
				t.Errorf("%s: %v", name, err)
			}
		}
		if found, err := New(scope.Options{}, nil).Judge(&file.Memory{What: "fine"}); err == nil {
			t.Errorf("judged without rules: %v", found)
		}
	}
}

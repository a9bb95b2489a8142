package convert

import (
	"encoding/hex"
	"testing"

	"go.lsp.dev/uri"
)

func TestRevisionFrom(t *testing.T) {
	authority := hex.EncodeToString([]byte(`{"ref":"3f2a1c"}`))
	for _, c := range []struct{ uri, path, rev string }{
		{`git:/w/a.go?%7B%22path%22%3A%22%2Fw%2Fa.go%22%2C%22ref%22%3A%22HEAD%22%7D`, "/w/a.go", "HEAD"},
		{`git:/w/a.go.git?{"path":"/w/a.go","ref":"3f2a1c"}`, "/w/a.go", "3f2a1c"},
		{`git:/w/a.go?{"path":"/w/a.go","ref":"~"}`, "", ""}, // the index
		{`git:/w/a.go?{"path":"/w/a.go","ref":""}`, "", ""},
		{`git:/w/a.go?{"path":"/w/a.go","ref":"--output=x"}`, "", ""},
		{`git:/w/a.go?{"path":"/w/a.go","ref":"a..b"}`, "", ""},
		{`git:/w/a.go?not json`, "", ""},
		{"gitlens://" + authority + "/w/b%20c.go", "/w/b c.go", "3f2a1c"},
		{"gitlens://" + authority + "-view/w/b.go", "/w/b.go", "3f2a1c"},
		{`gitlens://abc/w/b.go?{"ref":"main"}`, "/w/b.go", "main"},
		{"gitlens://zz/w/b.go", "", ""},
		{"fugitive:///w/.git//3f2a1c9e/src/a.go", "/w/src/a.go", "3f2a1c9e"},
		{"fugitive:///w/.git//0/src/a.go", "", ""}, // a stage of the index
		{"fugitive:///w/src/a.go", "", ""},
		{"file:///w/a.go", "", ""},
		{"untitled:Untitled-1", "", ""},
		{"git:%zz", "", ""},
	} {
		path, rev, ok := RevisionFrom(uri.URI(c.uri))
		if path != c.path || rev != c.rev || ok != (c.rev != "") {
			t.Errorf("%s: %q %q %v", c.uri, path, rev, ok)
		}
	}
}

package main

import (
	"context"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"manicule/indexer/graph"
	"manicule/indexer/must"
	"manicule/indexer/workspace"
	"manicule/lsp"
	"manicule/lsp/lsptest"
)

// TestGraphOfProjectsOnly opens folders in an editor: the code of a project is
// indexed, that of a folder that nobody called one is not.
func TestGraphOfProjectsOnly(t *testing.T) {
	const refused = "is no git repository"
	for name, tt := range map[string]struct {
		made string // what makes it a project
		want string // in the error
	}{
		"plain folder":      {"notes.txt", refused},
		"bare state folder": {".manicule/other", refused},
		"git repository":    {".git/HEAD", ""},
		"memories":          {".manicule/memories/x", ""},
		"configuration":     {".manicule/config.toml", ""},
		"turned off":        {".manicule/config.toml=index.enabled = false", "turned off"},
	} {
		t.Run(name, func(t *testing.T) {
			a, _, _ := testApp(t)
			root, err := filepath.EvalSymlinks(t.TempDir())
			must.OK(t, err)
			made, text, _ := strings.Cut(tt.made, "=")
			for file, text := range map[string]string{"a.py": "def used(): pass\n\ndef user():\n    used()\n", made: text} {
				p := filepath.Join(root, filepath.FromSlash(file))
				must.Write(t, p, text)
			}
			e := lsptest.Start(t, root, func(ctx context.Context, conn io.ReadWriteCloser) error {
				return lsp.Serve(ctx, conn, editorOptions(newCLI(a, a.in, &output{}).opener))
			})
			e.Initialize(lsptest.Full())
			e.Open("a.py")
			raw, err := e.Call("manicule/graph", map[string]any{"textDocument": map[string]any{"uri": e.URI("a.py")}, "symbol": "used"})
			switch {
			case tt.want == "" && (err != nil || !strings.Contains(string(raw), `"user"`)):
				t.Errorf("%s %v", raw, err)
			case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), "restart the server")):
				t.Errorf("%s %v", raw, err)
			}
			e.Shutdown()
			p, err := workspace.Discover(root, workspace.Env{Getenv: a.getenv, Random: a.random})
			must.OK(t, err)
			if built := graph.Exists(p.CacheDir()); built != (tt.want == "") {
				t.Errorf("a graph was built: %v", built)
			}
			if tt.want == refused { // by hand it works anywhere
				b := &app{in: a.in, out: io.Discard, err: io.Discard, getenv: a.getenv, now: a.now, random: a.random, start: a.start, args: []string{"--root", root, "index"}}
				if code := b.run(); code != exitOK || !graph.Exists(p.CacheDir()) {
					t.Errorf("manicule index: exit code %d", code)
				}
			}
		})
	}
}

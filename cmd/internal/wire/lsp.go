package wire

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
)

// The parts of the protocol that are shown and measured.
type (
	// Position is a place in a document, counted from 0.
	Position struct {
		Line      int `json:"line"`
		Character int `json:"character"`
	}
	// Range is a part of a document.
	Range struct {
		Start Position `json:"start"`
		End   Position `json:"end"`
	}
	// Hover is the text at a position.
	Hover struct {
		Contents struct {
			Kind  string `json:"kind"`
			Value string `json:"value"`
		} `json:"contents"`
		Range *Range `json:"range"`
	}
	// Lens is a line above the code. Its title comes with resolving.
	Lens struct {
		Range   Range           `json:"range"`
		Data    json.RawMessage `json:"data,omitempty"`
		Command *struct {
			Title   string `json:"title"`
			Command string `json:"command"`
		} `json:"command,omitempty"`
	}
	// Diagnostic is an entry of the list of problems.
	Diagnostic struct {
		Range    Range  `json:"range"`
		Severity int    `json:"severity"`
		Source   string `json:"source"`
		Code     string `json:"code"`
		Message  string `json:"message"`
	}
)

type document struct {
	URI string `json:"uri"`
}

type params struct {
	TextDocument document  `json:"textDocument"`
	Position     *Position `json:"position,omitempty"`
}

// URI is the file URI of an absolute path.
func URI(path string) string {
	slashed := filepath.ToSlash(path)
	if !strings.HasPrefix(slashed, "/") {
		slashed = "/" + slashed // a Windows drive
	}
	return (&url.URL{Scheme: "file", Path: slashed}).String()
}

// Initialize opens the session for one workspace folder, as an editor that takes Markdown
// and wants diagnostics pushed.
func (c *Client) Initialize(ctx context.Context, root string) error {
	p := map[string]any{
		"processId": nil,
		"rootUri":   URI(root),
		"workspaceFolders": []map[string]string{
			{"uri": URI(root), "name": filepath.Base(root)},
		},
		"capabilities": map[string]any{
			"textDocument": map[string]any{
				"hover": map[string]any{"contentFormat": []string{"markdown", "plaintext"}},
			},
		},
	}
	if err := c.Call(ctx, "initialize", p, nil); err != nil {
		return err
	}
	return c.Notify("initialized", struct{}{})
}

// Open tells the server that a document was opened.
func (c *Client) Open(path, language, text string) error {
	return c.Notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{
		"uri": URI(path), "languageId": language, "version": 1, "text": text,
	}})
}

// Hover requests the text at a position. It is nil if there is none.
func (c *Client) Hover(ctx context.Context, path string, at Position) (*Hover, error) {
	var h *Hover
	err := c.Call(ctx, "textDocument/hover", params{document{URI(path)}, &at}, &h)
	return h, err
}

// Lenses requests a document's lenses without their titles.
func (c *Client) Lenses(ctx context.Context, path string) ([]Lens, error) {
	var out []Lens
	err := c.Call(ctx, "textDocument/codeLens", params{TextDocument: document{URI(path)}}, &out)
	return out, err
}

// Resolve requests a lens's title.
func (c *Client) Resolve(ctx context.Context, l Lens) (Lens, error) {
	var out Lens
	err := c.Call(ctx, "codeLens/resolve", l, &out)
	return out, err
}

// Diagnostics waits for the first diagnostics pushed for a document.
func (c *Client) Diagnostics(ctx context.Context, path string) ([]Diagnostic, error) {
	var p struct {
		URI         string       `json:"uri"`
		Diagnostics []Diagnostic `json:"diagnostics"`
	}
	var bad error
	_, err := c.await(ctx, func(n Notification) bool {
		if n.Method != "textDocument/publishDiagnostics" {
			return false
		}
		p.Diagnostics = nil
		bad = json.Unmarshal(n.Params, &p)
		return bad != nil || p.URI == URI(path) && len(p.Diagnostics) > 0
	})
	if bad != nil {
		return nil, fmt.Errorf("read diagnostics: %w", bad)
	}
	return p.Diagnostics, err
}

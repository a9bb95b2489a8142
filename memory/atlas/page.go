package atlas

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html"
	"io"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// The parts of the page. The library is d3-hierarchy, made by page/bundle.sh.
var (
	//go:embed page/d3-hierarchy.min.js
	library string
	//go:embed page/map.js
	script string
	//go:embed page/map.css
	style string
	//go:embed page/body.html
	body string
)

// WritePage writes the page. It has no part of another host, and its policy lets only its own
// script and style run: whatever a memory or a file name holds stays text.
func WritePage(w io.Writer, d Data) error {
	data, err := json.Marshal(d, json.Deterministic(true), jsontext.EscapeForHTML(true), jsontext.EscapeForJS(true), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return fmt.Errorf("write the data of a map: %w", err)
	}
	code := library + "\n" + script
	policy := "default-src 'none'; base-uri 'none'; form-action 'none'; script-src '" + hash(code) + "'; style-src '" + hash(style) + "'"
	for _, part := range []string{
		"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n",
		"<meta http-equiv=\"Content-Security-Policy\" content=\"", policy, "\">\n",
		"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"referrer\" content=\"no-referrer\">\n<meta name=\"robots\" content=\"noindex\">\n",
		"<title>Map of ", html.EscapeString(d.Name), "</title>\n<style>", style, "</style>\n</head>\n",
		strings.TrimSuffix(body, "</body>\n"),
		"<script type=\"application/json\" id=\"data\">", string(data), "</script>\n",
		"<script>", code, "</script>\n</body>\n</html>\n",
	} {
		if _, err := io.WriteString(w, part); err != nil {
			return fmt.Errorf("write a map: %w", err)
		}
	}
	return nil
}

// hash is the source of a content security policy that allows one text.
func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

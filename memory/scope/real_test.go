package scope

import (
	"strings"
	"testing"
)

func TestReal(t *testing.T) {
	links := func(p string) (string, bool) {
		switch {
		case p == "out" || strings.HasPrefix(p, "out/"):
			return "", false
		case p == "link" || strings.HasPrefix(p, "link/"):
			return "src/real" + strings.TrimPrefix(p, "link"), true
		case p == "SRC":
			return "src", true
		}
		return p, true
	}
	for pattern, want := range map[string]string{
		"link/**":         "src/real/**",
		"link":            "src/real",
		"link/":           "src/real/",
		"/link/**":        "src/real/**",
		"./link/a.go":     "src/real/a.go",
		"!link/gen/**":    "!src/real/gen/**",
		"link/*.{go,mod}": "src/real/*.{go,mod}",
		"link*/**":        "link*/**",
		"*.go":            "*.go",
		"**":              "**",
		"src/**":          "src/**",
		"out/**":          "out/**",
		"SRC/**":          "SRC/**",
		"../link/**":      "../link/**",
		"":                "",
		`link\a.go`:       "src/real/a.go",
	} {
		if got := Real(pattern, links); got != want {
			t.Errorf("Real(%q) = %q, want %q", pattern, got, want)
		}
	}
}

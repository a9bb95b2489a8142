package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestCommandPageDocs: docs/cli.md has each command, in the group in which the help lists it.
func TestCommandPageDocs(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "cli.md"))
	if err != nil {
		t.Fatal(err)
	}
	commands, _, ok := strings.Cut(string(page), "\n### Remember and edit\n")
	if !ok {
		t.Fatal("the end of the tables is not found")
	}
	a, _, _ := testApp(t)
	root := newRootCommand(newCLI(a, a.in, &output{}))
	title := regexp.MustCompile("`([a-z]+)[ `]") // in the first cell of a row
	for _, g := range root.Groups() {
		_, section, ok := strings.Cut(commands, "\n### "+strings.TrimSuffix(g.Title, ":")+"\n")
		if !ok {
			t.Errorf("docs/cli.md has no group %q", g.Title)
			continue
		}
		section, _, _ = strings.Cut(section, "\n### ")
		rows := map[string]bool{}
		for line := range strings.Lines(section) {
			cells := strings.Split(line, "|")
			if len(cells) < 2 {
				continue
			}
			for _, m := range title.FindAllStringSubmatch(cells[1], -1) {
				rows[m[1]] = true
			}
		}
		for _, c := range root.Commands() {
			if c.GroupID == g.ID && !c.Hidden && !rows[c.Name()] {
				t.Errorf("docs/cli.md does not list %s under %q", c.Name(), g.Title)
			}
		}
	}
}

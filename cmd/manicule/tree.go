package main

import (
	"fmt"
	"html"
)

// branch is one line of a tree, with the lines below it.
type branch struct {
	Text  string
	Note  string // less important
	Title bool   // of a group of lines
	Below []*branch
}

// add adds a line below a branch.
func (b *branch) add(text, note string) *branch {
	below := &branch{Text: text, Note: note}
	b.Below = append(b.Below, below)
	return below
}

// group adds a title below a branch.
func (b *branch) group(title string) *branch {
	below := b.add(title, "")
	below.Title = true
	return below
}

// forest prints trees: with lines between the branches on a terminal, with two spaces for
// each level elsewhere, so that a script can cut fields.
func forest(c *console, roots []*branch) {
	drawn := c.tty && c.env("TERM") != "dumb"
	for _, r := range roots {
		printBranch(c, r, "", "", drawn)
	}
}

// printBranch prints a branch after its own prefix. below is the prefix of what lies below it.
func printBranch(c *console, b *branch, own, below string, drawn bool) {
	text := unbroken(b.Text) // names of files and symbols come from anybody's commit
	if b.Title {
		text = c.paint(bold, text)
	}
	if b.Note != "" {
		text += "  " + c.paint(faint, unbroken(b.Note))
	}
	if own != "" && drawn {
		own = c.paint(faint, own)
	}
	c.printf("%s%s\n", own, text)
	for i, x := range b.Below {
		switch {
		case !drawn:
			printBranch(c, x, below+"  ", below+"  ", false)
		case i == len(b.Below)-1:
			printBranch(c, x, below+"└── ", below+"    ", true)
		default:
			printBranch(c, x, below+"├── ", below+"│   ", true)
		}
	}
}

// treeHead and treeFoot stand around a page of trees. It has no scripts, and no styles or
// pictures of others: the branches fold by mouse and keyboard, as the browser's own
// elements do.
const (
	treeHead = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>%[1]s</title>
<style>
:root { color-scheme: light dark; font: 15px/1.6 system-ui, sans-serif; }
body { max-width: 70rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.2rem; }
ul { list-style: none; margin: 0; padding-left: 1.4rem; border-left: 1px solid color-mix(in srgb, currentColor 20%%, transparent); }
main > ul { padding-left: 0; border: 0; }
summary { cursor: pointer; }
code { font: .9em ui-monospace, monospace; overflow-wrap: anywhere; }
span, small { color: color-mix(in srgb, currentColor 70%%, transparent); }
</style>
</head>
<body>
<main>
<h1>%[1]s</h1>
`
	treeFoot = `
</main>
</body>
</html>
`
)

// printPage prints trees as a page of HTML. It does without html/template, which calls
// methods by name: the linker then keeps every exported method in the program.
func printPage(c *console, title string, roots []*branch) {
	c.buffered(func() {
		c.printf(treeHead, html.EscapeString(title))
		printList(c, roots)
		c.printf("%s", treeFoot)
	})
}

// printList prints branches and what lies below them as a list of HTML.
func printList(c *console, branches []*branch) {
	c.printf("<ul>\n")
	for _, b := range branches {
		if len(b.Below) == 0 {
			c.printf("<li>%s</li>\n", b.html())
			continue
		}
		count := ""
		if !b.Title {
			count = fmt.Sprintf(" <small>%d</small>", len(b.Below))
		}
		c.printf("<li><details open><summary>%s%s</summary>", b.html(), count)
		printList(c, b.Below)
		c.printf("</details></li>\n")
	}
	c.printf("</ul>")
}

// html returns the line of a branch, without what lies below it.
func (b *branch) html() string {
	element := "code"
	if b.Title {
		element = "strong"
	}
	line := "<" + element + ">" + html.EscapeString(b.Text) + "</" + element + ">"
	if b.Note != "" {
		line += " <span>" + html.EscapeString(b.Note) + "</span>"
	}
	return line
}

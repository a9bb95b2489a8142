package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// drawing is a directed graph for programs that draw.
type drawing struct {
	order []string // the names of the nodes; the first are what was asked about
	main  int      // how many those are
	lines []drawnLine
	index map[string]int
	seen  map[drawnLine]bool
}

// drawnLine leads from the code that uses to the code that is used.
type drawnLine struct {
	from, to, label string
	may             bool
}

// about adds a node that was asked about, before all others.
func (d *drawing) about(name string) {
	d.node(name)
	d.main = len(d.order)
}

func (d *drawing) node(name string) int {
	if i, ok := d.index[name]; ok {
		return i
	}
	if d.index == nil {
		d.index = map[string]int{}
	}
	d.index[name] = len(d.order)
	d.order = append(d.order, name)
	return d.index[name]
}

func (d *drawing) line(l drawnLine) {
	if d.seen == nil {
		d.seen = map[drawnLine]bool{}
	}
	if l.from == l.to || d.seen[l] {
		return
	}
	d.seen[l] = true
	d.node(l.from)
	d.node(l.to)
	d.lines = append(d.lines, l)
}

// dot returns the drawing in the language of Graphviz.
func (d *drawing) dot() string {
	quote := func(s string) string { return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"` }
	var b strings.Builder
	b.WriteString("digraph manicule {\n  rankdir=LR;\n  node [shape=box, style=rounded, fontname=\"sans-serif\"];\n  edge [fontname=\"sans-serif\", fontsize=10];\n")
	for i, n := range d.order {
		style := ""
		if i < d.main {
			style = ", style=\"rounded,bold\""
		}
		fmt.Fprintf(&b, "  n%d [label=%s%s];\n", i, quote(n), style)
	}
	for _, l := range d.lines {
		style := ""
		if l.may {
			style = ", style=dashed"
		}
		fmt.Fprintf(&b, "  n%d -> n%d [label=%s%s];\n", d.node(l.from), d.node(l.to), quote(l.label), style)
	}
	b.WriteString("}\n")
	return b.String()
}

// mermaid returns the drawing as a flowchart of Mermaid, which Markdown shows on GitHub
// and GitLab.
func (d *drawing) mermaid() string {
	quote := func(s string) string {
		return `"` + strings.NewReplacer("#", "#35;", `"`, "#quot;", "<", "#lt;", ">", "#gt;", "&", "#amp;", "`", "#96;").Replace(s) + `"`
	}
	var b strings.Builder
	b.WriteString("flowchart LR\n")
	for i, n := range d.order {
		open, end := "[", "]"
		if i < d.main {
			open, end = "([", "])"
		}
		fmt.Fprintf(&b, "  n%d%s%s%s\n", i, open, quote(n), end)
	}
	for _, l := range d.lines {
		arrow := "-->"
		if l.may {
			arrow = "-.->"
		}
		fmt.Fprintf(&b, "  n%d %s|%s| n%d\n", d.node(l.from), arrow, quote(l.label), d.node(l.to))
	}
	return b.String()
}

// pictureFormat is the value of --format of a command that can draw its answer.
type pictureFormat string

const (
	formatText    pictureFormat = "text"
	formatDot     pictureFormat = "dot"
	formatMermaid pictureFormat = "mermaid"
	formatHTML    pictureFormat = "html"
)

func (f *pictureFormat) register(cmd *cobra.Command) {
	*f = formatText
	cmd.Flags().Var(f, "format", "text, dot (Graphviz), mermaid or html (a page without scripts)")
	complete(cmd, "format", pictureFormats())
}

// only refuses a format beside JSON.
func (f *pictureFormat) only(json bool) error {
	if json && *f != formatText {
		return usageError("--format and --json are two forms of one answer", "leave one of them out.")
	}
	return nil
}

func pictureFormats() []string {
	return toStrings([]pictureFormat{formatText, formatDot, formatMermaid, formatHTML})
}

// String returns the format's name.
func (f *pictureFormat) String() string { return string(*f) }

// Type returns the name of the value in the help.
func (f *pictureFormat) Type() string { return "string" }

// Set accepts the name of a format.
func (f *pictureFormat) Set(s string) error {
	if !slices.Contains(pictureFormats(), s) {
		return errors.New("there is text, dot, mermaid and html")
	}
	*f = pictureFormat(s)
	return nil
}

// picture prints an answer in a format that is not text.
func picture(c *console, f pictureFormat, title string, d *drawing, roots []*branch) error {
	switch f {
	case formatDot:
		c.printf("%s", d.dot())
	case formatMermaid:
		c.printf("%s", d.mermaid())
	case formatHTML:
		printPage(c, title, roots)
	}
	return nil
}

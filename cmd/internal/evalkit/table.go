package evalkit

import (
	"cmp"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/pflag"
)

// Table is a Markdown table. Its first column is text, the others are numbers.
type Table struct {
	Head []string
	Rows [][]string
}

// NewTable returns a table without rows.
func NewTable(head ...string) *Table { return &Table{Head: head} }

// Add adds a row.
func (t *Table) Add(cells ...any) {
	row := make([]string, len(cells))
	for i, c := range cells {
		row[i] = fmt.Sprint(c)
	}
	t.Rows = append(t.Rows, row)
}

// String formats the table as Markdown.
func (t *Table) String() string {
	var b strings.Builder
	b.WriteString("| " + strings.Join(t.Head, " | ") + " |\n|---|" + strings.Repeat("---:|", len(t.Head)-1) + "\n")
	for _, r := range t.Rows {
		b.WriteString("| " + strings.Join(r, " | ") + " |\n")
	}
	return b.String()
}

// Section is a table under a heading, with notes.
type Section struct {
	Title string
	Notes []string
	Table *Table
}

// String formats the section as Markdown.
func (s Section) String() string {
	return fmt.Sprintf("\n### %s\n\n%s%s", s.Title, strings.Join(append(s.Notes, ""), "\n\n"), s.Table)
}

// The lines of a document that enclose the figures.
const (
	Begin = "<!-- figures: begin -->"
	End   = "<!-- figures: end -->"
)

// Document is the page with the latest figures.
type Document struct {
	Path  string
	Date  string
	Write bool
	Short string // what the page gets, if it is less than what is printed
}

// Flags adds the flags of a page.
func (d *Document) Flags(f *pflag.FlagSet, path string) {
	f.StringVar(&d.Path, "doc", path, "the file that --write changes")
	f.StringVar(&d.Date, "date", time.Now().UTC().Format(time.DateOnly), "the day to write beside the figures")
	f.BoolVar(&d.Write, "write", false, "write the figures into the documentation")
}

// Publish prints figures and, if requested, replaces those of the page. It writes nothing
// if parts were skipped, because their figures would be lost.
func (d *Document) Publish(text string, left []string) error {
	if _, err := fmt.Print(text); err != nil {
		return fmt.Errorf("print the figures: %w", err)
	}
	if !d.Write {
		return nil
	}
	if len(left) > 0 {
		return fmt.Errorf("nothing is written, since %s was left out", strings.Join(left, ", "))
	}
	doc, err := os.ReadFile(d.Path)
	if err != nil {
		return fmt.Errorf("write the figures: %w", err)
	}
	head, rest, found := strings.Cut(string(doc), Begin)
	_, tail, ended := strings.Cut(rest, End)
	if !found || !ended {
		return fmt.Errorf("write the figures: %s has no lines %q and %q", d.Path, Begin, End)
	}
	if err := os.WriteFile(d.Path, []byte(head+Begin+"\n"+cmp.Or(d.Short, text)+End+tail), 0o644); err != nil {
		return fmt.Errorf("write the figures: %w", err)
	}
	return nil
}

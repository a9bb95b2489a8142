package skill

import (
	"bytes"
	"cmp"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"time"

	"go.yaml.in/yaml/v3"

	"manicule/memory/episode"
	"manicule/memory/gate"
)

// Content is what a skill is made from.
type Content struct {
	Name      string
	Text      string // of the memory: a person accepted it
	Why       string
	Procedure episode.Procedure
	Successes int
	Failures  int
	Used      time.Time
}

// maxName and maxDescription are the limits of the format: https://agentskills.io/specification.
const (
	maxName        = 64
	maxDescription = 1024
)

var notName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[^a-z0-9]+`) })

// Name makes a name of a task that the format allows: lower case letters, digits and hyphens.
func Name(task string) string {
	words := strings.Split(strings.Trim(notName().ReplaceAllString(strings.ToLower(task), "-"), "-"), "-")
	var out string
	for _, w := range words {
		if len(out)+len(w)+1 > 40 {
			break
		}
		if strings.Trim(w, "0123456789") == "" {
			continue // of one occasion
		}
		out = strings.TrimPrefix(out+"-"+w, "-")
	}
	for _, end := range []string{"-of", "-the", "-a", "-to", "-for", "-and", "-in", "-with", "-by"} {
		out = strings.TrimSuffix(out, end)
	}
	return cmp.Or(out, "procedure")
}

// ValidName reports whether a name is one of the format's.
func ValidName(name string) bool {
	return name != "" && len(name) <= maxName && !notName().MatchString(strings.ReplaceAll(name, "-", "")) && !strings.HasPrefix(name, "-") &&
		!strings.HasSuffix(name, "-") && !strings.Contains(name, "--") && name == strings.ToLower(name)
}

// when says for an agent when a skill is to be used.
func when(p episode.Procedure) string {
	if p.On == "" {
		return "Use when the task is like: " + p.Trigger
	}
	return "Use when the task is to " + strings.ToLower(p.Trigger[:1]) + p.Trigger[1:] + ", and before such a change is called done."
}

// Render returns the text of a SKILL.md. Equal content gives equal text.
func Render(c Content) ([]byte, error) {
	front := struct {
		Name        string `yaml:"name"`
		Description string `yaml:"description"`
	}{c.Name, inert(when(c.Procedure), maxDescription)}
	head, err := yaml.Marshal(front)
	if err != nil {
		return nil, fmt.Errorf("encode the front matter of a skill: %w", err)
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "---\n%s---\n\n# %s\n", head, inert(c.Procedure.Trigger, 120))
	if c.Text != c.Procedure.Text() { // a person's words; the others are the steps below
		fmt.Fprintf(&b, "\n%s\n", inert(c.Text, 1000))
	}
	if c.Why != "" {
		fmt.Fprintf(&b, "\n%s\n", inert(c.Why, 600))
	}
	b.WriteString("\n## Steps\n\n")
	for i, s := range c.Procedure.Steps {
		fmt.Fprintf(&b, "%d. %s\n", i+1, inert(s.Line(), 200))
	}
	if c.Procedure.Commits > 0 {
		fmt.Fprintf(&b, "\n%d commits of this repository did so, last on %s. Of the places above, the numbers say in how many commits each names what was added.\n",
			c.Procedure.Commits, c.Used.UTC().Format(time.DateOnly))
	}
	if c.Successes+c.Failures > 0 || c.Procedure.Commits == 0 {
		fmt.Fprintf(&b, "\nWorked in %d of %d sessions, last on %s.\n", c.Successes, c.Successes+c.Failures, c.Used.UTC().Format(time.DateOnly))
	}
	return b.Bytes(), nil
}

// inert is oneLine, and an agent only reads what it returns.
func inert(s string, limit int) string {
	return oneLine(gate.Inert(gate.Printable(oneLine(s, len(s)+1))), limit)
}

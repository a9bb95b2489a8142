package exporter

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"manicule/indexer/atomicfile"
	"manicule/indexer/clip"
	"manicule/indexer/treefile"
	"manicule/memory/file"
)

// The lines around Manicule's section of a rule file. What stands outside belongs to its people.
const (
	rulesBegin = Marker + " from the memories in .manicule; edits between these lines are lost. Renew it with: manicule export --format rules -->\n"
	rulesEnd   = "<!-- End of what Manicule generated -->\n"
)

// RulesSection is what a rule file, such as CLAUDE.md or AGENTS.md, says of the memories: those of the whole
// project first, then those of each place. Work in progress is left out, and so is what agents are not told, whose
// number it returns.
func RulesSection(ms []*file.Memory, opts Options) (section string, left Left) {
	byPlace := map[string][]string{}
	list, left := forAgents(ms, opts)
	for _, m := range list {
		if slices.Contains(passing(), m.Type) {
			continue
		}
		line := "- " + safe(oneLine(m.What)) + marks(m)
		if why := oneLine(m.Why); why != "" {
			line += " — " + clip.MarkedChars(safe(why), mostReason)
		}
		at := places(m)
		byPlace[at] = append(byPlace[at], line)
	}
	var b strings.Builder
	b.WriteString(rulesBegin + "# What is known here\n")
	for _, at := range slices.Sorted(maps.Keys(byPlace)) {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n", cmp.Or(at, "The whole project"), strings.Join(byPlace[at], "\n"))
	}
	b.WriteString("\n" + rulesEnd)
	return b.String(), left
}

// mostReason is the number of characters of a reason that a rule file repeats: agents read it at every start.
const mostReason = 200

// Rules writes Manicule's section into a rule file. It replaces an earlier section, else it appends to the file, or
// makes it; what people wrote there stays as it is.
func Rules(name string, ms []*file.Memory, opts Options) (Written, error) {
	section, left := RulesSection(ms, opts)
	done := Written{Left: left}
	old, err := treefile.ReadOwn(name, maxOwned)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return done, fmt.Errorf("read %s: %w", name, err)
	}
	now := withSection(old, []byte(section))
	if bytes.Equal(now, old) {
		done.Unchanged = []string{name}
		return done, nil
	}
	mode := fs.FileMode(0o666)
	if st, err := os.Stat(name); err == nil {
		mode = st.Mode().Perm()
	}
	if err := atomicfile.Write(name, now, mode); err != nil {
		return done, fmt.Errorf("write %s: %w", name, err)
	}
	done.Written = []string{name}
	return done, nil
}

// WithoutRules returns a rule file's text without Manicule's section, which says nothing new. The lines keep
// their numbers.
func WithoutRules(text []byte) []byte {
	begin, end, found := ruleSection(text)
	if !found {
		return text
	}
	return slices.Concat(text[:begin], bytes.Repeat([]byte("\n"), bytes.Count(text[begin:end], []byte("\n"))), text[end:])
}

// ruleSection returns where Manicule's section of a text begins and ends.
func ruleSection(text []byte) (begin, end int, found bool) {
	last := []byte(strings.TrimSpace(rulesEnd))
	begin = bytes.Index(text, []byte(Marker))
	if begin < 0 {
		return 0, 0, false
	}
	i := bytes.Index(text[begin:], last)
	return begin, begin + i + len(last), i >= 0
}

// withSection returns a file's text with the section in the place of an earlier one, or at its end.
func withSection(text, section []byte) []byte {
	begin, end, found := ruleSection(text)
	if !found {
		if len(bytes.TrimSpace(text)) == 0 {
			return section
		}
		return slices.Concat(bytes.TrimRight(text, "\n"), []byte("\n\n"), section)
	}
	return slices.Concat(text[:begin], section, bytes.TrimPrefix(text[end:], []byte("\n")))
}

package setup

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"

	"manicule/hooks/install"
	"manicule/indexer/workspace"
)

// Memory files, shared threads, core documents and builds are merged by a driver of their own (see gitattributes(5)): the
// attribute is committed with the memories, the program is in the configuration of
// each clone. A clone without it merges them as text.
const (
	attribute     = "/memories/**/*.json merge=manicule"
	threads       = "/sessions/*.json merge=manicule"
	coreDocuments = "/core*.json merge=manicule"
	buildFiles    = "/builds/*.md merge=manicule"
	lineEnds      = "* text=auto eol=lf" // as they are written: with core.autocrlf git would warn at each that is added
	attributeNote = "# Memories are merged member by member, where `manicule init` has registered the driver."
	driverSection = `[merge "manicule"]`
)

// attributeLines are the lines that this version writes below its note.
func attributeLines() []string {
	return []string{attribute, threads, coreDocuments, buildFiles, lineEnds}
}

// Merging says how git merges the files of a clone.
type Merging struct {
	Attributed bool // there are attributes for the driver
	Whole      bool // they are those of this version: an earlier one named fewer files, and no line ends
	Registered bool // the clone has the driver
}

// MergeDriver looks for the attributes and the driver in this clone.
func (s *Setup) MergeDriver() (m Merging) {
	if attributes, err := Read(s.attributesFile()); err == nil {
		m.Attributed, m.Whole = hasLines(attributes, attribute), isAttributed(attributes)
	}
	settings, err := Read(s.gitFiles().gitConfig())
	m.Registered = err == nil && bytes.Contains(settings, []byte(driverSection))
	return m
}

// isAttributed reports whether a file of attributes has ours, whatever its line ends.
func isAttributed(attributes []byte) bool {
	return hasLines(attributes, attributeLines()...)
}

func hasLines(data []byte, want ...string) bool {
	lines := strings.Split(strings.ReplaceAll(string(data), "\r\n", "\n"), "\n")
	return !slices.ContainsFunc(want, func(line string) bool { return !slices.Contains(lines, line) })
}

func (s *Setup) attributesFile() string {
	return filepath.Join(s.Place.Root, workspace.Folder, ".gitattributes")
}

// mergeSteps registers the merge driver, or takes it back.
func (s *Setup) mergeSteps(undo bool) ([]Step, error) {
	if s.Place.GitTop == "" {
		return nil, nil
	}
	attributes, settings := addAttribute, func(b []byte) []byte { return addDriver(b, ownProgram()) }
	if undo {
		attributes, settings = removeAttribute, removeDriver
	}
	var steps []Step
	for _, f := range []struct {
		path, what string
		change     func([]byte) []byte
	}{
		{s.attributesFile(), "how git merges memories", attributes},
		{s.gitFiles().gitConfig(), "merge driver for memories", settings},
	} {
		before, err := Read(f.path)
		if err != nil {
			return nil, err
		}
		after := f.change(before)
		if !bytes.Equal(before, after) || (before == nil) != (after == nil) {
			steps = append(steps, Step{Path: f.path, Before: before, After: after, Mode: 0o666, What: f.what})
		}
	}
	return steps, nil
}

// addAttribute puts our lines first: of two lines about a file git follows the later one, which is a person's.
func addAttribute(before []byte) []byte {
	if isAttributed(before) { // maybe with the line ends of core.autocrlf: git would show ours as a change
		return before
	}
	ours := strings.Join(append([]string{attributeNote}, attributeLines()...), "\n") + "\n"
	return append([]byte(ours), removeAttribute(before)...)
}

// removeAttribute removes our lines; a file that held nothing else goes.
func removeAttribute(before []byte) []byte {
	if before == nil {
		return nil
	}
	var out []byte
	for line := range bytes.Lines(before) {
		if text := string(bytes.TrimRight(line, "\r\n")); text != attributeNote && !slices.Contains(attributeLines(), text) {
			out = append(out, line...)
		}
	}
	return out
}

// addDriver registers the driver. A clone whose program is gone, or dies, merges as git would: to git a driver's failure
// is a conflict, and without conflict markers the file would look like a merge that kept our side.
func addDriver(before []byte, program string) []byte {
	clean := removeDriver(before)
	if len(clean) > 0 && !bytes.HasSuffix(clean, []byte("\n")) {
		clean = append(clean, '\n')
	}
	p := strings.ReplaceAll(install.ShellQuote(program), "%", "%%") // git expands %A
	command := "if command -v " + p + " >/dev/null 2>&1; then " + p + " merge-file %O %A %B %P; s=$?; [ $s -gt 1 ] || exit $s; fi; git merge-file %A %O %B"
	return append(slices.Clip(clean), driverSection+"\n\tname = Memories of Manicule, member by member\n\tdriver = "+gitQuote(command)+"\n"...)
}

// removeDriver removes the section of our driver. Comments and empty lines in it are somebody's, perhaps about what follows.
func removeDriver(before []byte) []byte {
	var out []byte
	ours := false
	for line := range bytes.Lines(before) {
		text := string(bytes.TrimSpace(line))
		if strings.HasPrefix(text, "[") {
			ours = text == driverSection
		}
		if !ours || text == "" || text[0] == '#' || text[0] == ';' {
			out = append(out, line...)
		}
	}
	if before != nil && out == nil {
		out = []byte{}
	}
	return out
}

// gitQuote quotes a value of git's configuration.
func gitQuote(value string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(value) + `"`
}

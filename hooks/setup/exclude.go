package setup

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
)

// excludeNote precedes, in git's info/exclude, the agents' files that are a person's own.
const excludeNote = "# manicule: settings that are yours alone (`manicule init --undo` removes these lines)"

func (s *Setup) excludeFile() string { return filepath.Join(s.Place.GitCommonDir, "info", "exclude") }

// excludeSteps keeps the files out of git that init writes for one person: those that have another name for everybody, and
// those that it makes itself. They name programs where this machine has them, without the guard of the shared form, so that a
// colleague who pulled them would have hooks that fail. What is written for everybody is for git again.
func (s *Setup) excludeSteps(o Options, agents []Step) ([]Step, error) {
	if s.Place.GitTop == "" {
		return nil, nil
	}
	if o.Shared {
		var files []string
		for _, x := range agents {
			files = s.appendPattern(files, x.Path)
		}
		return s.excludeStep(func(before []byte) []byte { return readmit(before, files) })
	}
	var own []string
	for _, name := range o.Agents {
		private, err := s.HooksFile(name, false)
		if err != nil {
			return nil, err
		}
		shared, err := s.HooksFile(name, true)
		if err != nil {
			return nil, err
		}
		if private != shared {
			own = s.appendPattern(own, private)
		}
	}
	for _, x := range agents {
		if x.Before == nil && x.After != nil {
			own = s.appendPattern(own, x.Path)
		}
	}
	return s.excludeStep(func(before []byte) []byte { return exclude(before, own) })
}

// appendPattern appends the pattern of a file, if that is in the repository.
func (s *Setup) appendPattern(list []string, path string) []string {
	rel, err := filepath.Rel(s.Place.GitTop, path)
	if err != nil || !filepath.IsLocal(rel) {
		return list
	}
	return append(list, "/"+filepath.ToSlash(rel))
}

func (s *Setup) excludeUndoSteps() ([]Step, error) {
	if s.Place.GitTop == "" {
		return nil, nil
	}
	return s.excludeStep(include)
}

func (s *Setup) excludeStep(change func([]byte) []byte) ([]Step, error) {
	path := s.excludeFile()
	before, err := Read(path)
	if err != nil {
		return nil, err
	}
	after := change(before)
	if bytes.Equal(before, after) {
		return nil, nil
	}
	return []Step{{Path: path, Before: before, After: after, Mode: 0o644, What: "what git ignores here"}}, nil
}

// exclude adds the patterns that are missing, in a block that ends at the next empty line.
func exclude(before []byte, patterns []string) []byte {
	have := strings.Split(strings.ReplaceAll(string(before), "\r\n", "\n"), "\n")
	var add []string
	for _, p := range patterns {
		if !slices.Contains(have, p) && !slices.Contains(add, p) {
			add = append(add, p)
		}
	}
	if len(add) == 0 {
		return before
	}
	if i := slices.Index(have, excludeNote); i >= 0 {
		return []byte(strings.Join(slices.Insert(have, i+1, add...), "\n"))
	}
	after := slices.Clone(before)
	if len(after) > 0 && !bytes.HasSuffix(after, []byte("\n")) {
		after = append(after, '\n')
	}
	return append(after, excludeNote+"\n"+strings.Join(add, "\n")+"\n\n"...)
}

// readmit removes patterns from our block, and the block with its last one.
func readmit(before []byte, patterns []string) []byte {
	head, rest, ok := bytes.Cut(before, []byte(excludeNote+"\n"))
	if !ok {
		return before
	}
	block, tail, _ := bytes.Cut(rest, []byte("\n\n"))
	lines := strings.Split(string(block), "\n")
	kept := slices.DeleteFunc(slices.Clone(lines), func(l string) bool { return slices.Contains(patterns, strings.TrimSuffix(l, "\r")) })
	switch {
	case len(kept) == len(lines):
		return before
	case len(kept) == 0:
		return include(before)
	}
	return slices.Concat(head, []byte(excludeNote+"\n"+strings.Join(kept, "\n")+"\n\n"), tail)
}

// include removes our block.
func include(before []byte) []byte {
	head, rest, ok := bytes.Cut(before, []byte(excludeNote+"\n"))
	if !ok {
		return before
	}
	_, tail, _ := bytes.Cut(rest, []byte("\n\n"))
	return append(slices.Clip(head), tail...)
}

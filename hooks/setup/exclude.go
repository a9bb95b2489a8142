package setup

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"

	"manicule/hooks/install"
)

// excludeNote precedes, in git's info/exclude, the agents' files that are a person's own.
const excludeNote = "# manicule: settings that are yours alone (`manicule init --undo` removes these lines)"

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
	path := s.gitFiles().excludeFile()
	before, err := Read(path)
	if err != nil {
		return nil, err
	}
	after := change(before)
	if bytes.Equal(before, after) {
		return nil, nil
	}
	return []Step{{Path: path, Before: before, After: after, Mode: 0o666, What: "what git ignores here"}}, nil
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

// readmit removes patterns from our block.
func readmit(before []byte, patterns []string) []byte {
	return withoutPatterns(before, func(p string) bool { return slices.Contains(patterns, p) })
}

// include removes the patterns of all agents' files from our block.
func include(before []byte) []byte { return withoutPatterns(before, isAgentsFile) }

// withoutPatterns removes patterns from our block, which is the note and the lines below it up to an empty one. The note goes
// with the last pattern of an agent's file, and the empty line with the last line. A line that somebody put there stays.
func withoutPatterns(before []byte, remove func(pattern string) bool) []byte {
	text := func(line []byte) string { return string(bytes.TrimRight(line, "\r\n")) }
	var out []byte
	for lines := slices.Collect(bytes.Lines(before)); len(lines) > 0; {
		first, rest := lines[0], lines[1:]
		if text(first) != excludeNote {
			out, lines = append(out, first...), rest
			continue
		}
		end := slices.IndexFunc(rest, func(l []byte) bool { return text(l) == "" })
		if end < 0 {
			end = len(rest)
		}
		kept := slices.DeleteFunc(slices.Clone(rest[:end]), func(l []byte) bool { return remove(text(l)) })
		if slices.ContainsFunc(kept, func(l []byte) bool { return isAgentsFile(text(l)) }) {
			out = append(out, first...)
		}
		out = append(out, bytes.Join(kept, nil)...)
		if len(kept) == 0 && end < len(rest) {
			end++
		}
		lines = rest[end:]
	}
	return out
}

// isAgentsFile reports whether a pattern is that of an agent's file in this or another workspace of the repository.
func isAgentsFile(pattern string) bool {
	return slices.ContainsFunc(install.Agents(), func(name string) bool {
		var files []install.Where
		for _, shared := range []bool{false, true} {
			hooks, _ := install.File(name, shared)
			servers, _, _ := install.ServersFile(name, shared)
			files = append(files, hooks, servers)
		}
		rules, _ := install.RulesFile(name)
		return slices.ContainsFunc(append(files, rules), func(w install.Where) bool {
			return w.Path != "" && !w.Home && strings.HasPrefix(pattern, "/") && strings.HasSuffix(pattern, "/"+w.Path)
		})
	})
}

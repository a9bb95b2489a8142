package setup

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"

	"manicule/hooks/install"
	"manicule/indexer/workspace"
)

// excludeNote precedes, in git's info/exclude, the agents' files that are a person's own.
const excludeNote = "# manicule: settings that are yours alone (`manicule init --undo` removes these lines)"

// excludeFile and gitConfig are links where tools share the metadata of several checkouts. Git writes through such a link.
func (s *Setup) excludeFile() string {
	return workspace.RealPath(filepath.Join(s.Place.GitCommonDir, "info", "exclude"))
}

// excludeSteps keeps the files out of git that init writes for one person, where the agent has
// another file for everybody. Other files in the repository are for git.
func (s *Setup) excludeSteps(o Options) ([]Step, error) {
	if s.Place.GitTop == "" || o.Shared {
		return nil, nil
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
		rel, err := filepath.Rel(s.Place.GitTop, private)
		if err == nil && filepath.IsLocal(rel) && private != shared {
			own = append(own, "/"+filepath.ToSlash(rel))
		}
	}
	return s.excludeStep(func(before []byte) []byte { return exclude(before, own) })
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

// include removes our block: the note, the patterns of agents' files below it, and the empty line after them. A line
// that somebody put there stays.
func include(before []byte) []byte {
	var out []byte
	inBlock, alone := false, false // alone: no other line in it so far
	for line := range bytes.Lines(before) {
		text := string(bytes.TrimRight(line, "\r\n"))
		ends := inBlock && text == ""
		switch {
		case text == excludeNote:
			inBlock, alone = true, true
			continue
		case inBlock && isAgentsFile(text), ends && alone:
		default:
			out, alone = append(out, line...), false
		}
		inBlock = inBlock && !ends
	}
	return out
}

// isAgentsFile reports whether a pattern is that of an agent's file in this or another workspace of the repository.
func isAgentsFile(pattern string) bool {
	return slices.ContainsFunc(install.Agents(), func(name string) bool {
		where, err := install.File(name, false)
		return err == nil && !where.Home && strings.HasPrefix(pattern, "/") && strings.HasSuffix(pattern, "/"+where.Path)
	})
}

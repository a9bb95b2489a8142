package hooks

import (
	"context"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"manicule/hooks/eventlog"
	"manicule/hooks/nudge"
	"manicule/hooks/phase"
	"manicule/memory"
	"manicule/memory/file"
)

// needed names the files that the work needs by the prefetch patterns and recipes that a prompt brings: those of a pattern that are
// nearly always touched, then the others, and those of a recipe's steps. What the agent knows is left out: files that the prompt or the
// text beside it names, that the session has touched, and those that are gone.
func needed(hits []memory.Hit, said string, steps []phase.Step) string {
	var files []nudge.File
	add := func(h memory.Hit, how string, names ...string) {
		for _, name := range names {
			if name = path.Clean(filepath.ToSlash(name)); name == "." || !filepath.IsLocal(filepath.FromSlash(name)) || strings.Contains(said, name) || strings.Contains(said, "`"+path.Base(name)+"`") {
				continue
			}
			same := func(f nudge.File) bool { return f.Name == name }
			if !slices.ContainsFunc(files, same) && !touched(steps, name) && isFile(h, name) {
				files = append(files, nudge.File{Name: name, How: how})
			}
		}
	}
	for _, how := range []string{"always", "often", ""} {
		for _, h := range hits {
			d, err := h.Memory.ReadDetails()
			if err != nil { // `doctor` names it
				continue
			}
			switch {
			case h.Memory.Type == file.PrefetchPattern && how == "always":
				add(h, how, d.Always...)
			case h.Memory.Type == file.PrefetchPattern && how == "often":
				add(h, how, d.Often...)
			case h.Memory.Type == file.WorkflowRecipe && how == "":
				for _, s := range d.Steps {
					add(h, how, s.File)
				}
			}
		}
	}
	return nudge.Needed("☞ Files usually needed for this", files)
}

// maxWorked bounds the files of a branch that are named.
const maxWorked = 3

// branchFiles names, at the first prompt of a session that goes on with the work of its branch, the files that the last two sessions
// there both changed. Without these words a third of such files is needed, at best a half, and nothing is said.
func (s searcher) branchFiles(ctx context.Context, text string) string {
	if s.opt.BranchFiles == nil || !GoesOn(text) {
		return ""
	}
	if steps, _ := s.recentSteps(); called(steps) {
		return ""
	}
	list, err := s.opt.BranchFiles(ctx, s.dir(), s.ev.Session)
	if err != nil {
		if ctx.Err() == nil {
			s.note("the files of the branch could not be read", err)
		}
		return ""
	}
	var files []nudge.File
	told := s.claims.digests()
	for _, f := range list {
		if len(files) < maxWorked && !strings.Contains(text, path.Base(f)) && !told[eventlog.Digest(toldFile(f))] {
			files = append(files, nudge.File{Name: f})
		}
	}
	line := nudge.Needed("☞ The last two sessions on this branch both changed", files)
	if line == "" || !s.commit() || !s.claims.win("branch files") {
		return ""
	}
	return line
}

// toldFile is the key of a file that the start of a session has named.
func toldFile(name string) string { return "file\x00" + name }

// maxGoingOn is the length in bytes of a text that can ask to go on. What is longer says itself what it is about.
const maxGoingOn = 600

// GoesOn reports whether a prompt is about what is under way on the branch: it asks to go on, or is about the branch, its pull
// request, the feedback to it, or checks that fail.
func GoesOn(text string) bool {
	if len(text) > maxGoingOn {
		return false
	}
	words := " " + strings.Join(strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' }), " ") + " "
	for _, s := range []string{"continue", "resume", "pick up", "pick it up", "pick this up", "where were we", "where we were", "where are we", "where we are", "left off", "carry on", "go on with", "keep going", "last session", "previous session",
		"this branch", "local branch", "this pr", "the pr", "pull request", "feedback", "review", "reviews", "lint", "test fail", "test fails", "tests fail", "failing", "fails", "ci"} {
		if strings.Contains(words, " "+s+" ") {
			return true
		}
	}
	return false
}

// called reports whether tools were called already.
func called(steps []phase.Step) bool {
	return slices.ContainsFunc(steps, func(s phase.Step) bool { return s.Prompt == "" })
}

// touched reports whether one of the last steps read or changed a file.
func touched(steps []phase.Step, name string) bool {
	return slices.ContainsFunc(steps, func(s phase.Step) bool {
		return slices.ContainsFunc(s.Paths, func(p string) bool {
			p = filepath.ToSlash(p)
			return p == name || strings.HasSuffix(p, "/"+name)
		})
	})
}

// isFile reports whether a name is a file below the root of a memory.
func isFile(h memory.Hit, name string) bool {
	root, _, ok := strings.Cut(filepath.ToSlash(h.Path), "/.manicule/")
	if !ok {
		return false
	}
	info, err := os.Stat(filepath.Join(filepath.FromSlash(root), filepath.FromSlash(name)))
	return err == nil && info.Mode().IsRegular()
}

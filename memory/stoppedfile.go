package memory

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"manicule/indexer/atomicfile"
	"manicule/indexer/gitinfo"
	"manicule/indexer/gittree"
	"manicule/indexer/treefile"
)

// stoppedFiles is the folder of the copies of files that are no memories: core documents and the plans of builds.
const stoppedFiles = "files"

// maxStoppedFile bounds such a copy.
const maxStoppedFile = 4 << 20

// DroppedFile is a file that is no memory and was written while git waited, without what git dropped of that since.
type DroppedFile struct {
	Path string `json:"path"` // relative to the root, with slashes
	Was  string `json:"was"`  // what it said when git stopped
	Text string `json:"text"` // what was written

	name string // of the copy
}

// Line is the longest line that was written, which tells most; empty where lines were only removed.
func (f DroppedFile) Line() (longest string) {
	for _, line := range f.added() {
		if len(line) > len(longest) {
			longest = line
		}
	}
	return longest
}

// added lists the lines that were written. Which version a core document is, and by whom, is no content.
func (f DroppedFile) added() (out []string) {
	was := contentLines(f.Was)
	for _, line := range contentLines(f.Text) {
		if !slices.Contains(was, line) {
			out = append(out, line)
		}
	}
	return out
}

// contentLines are the lines of a text without what each write of a core document changes, and without a comma at the end, which
// hangs on the next line.
func contentLines(text string) (out []string) {
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(strings.TrimSpace(line), ",")
		if line != "" && !strings.HasPrefix(line, `"version":`) && !strings.HasPrefix(line, `"updated_`) {
			out = append(out, line)
		}
	}
	return out
}

// in reports whether a text has what was written. Where lines were only removed, it has to say no more.
func (f DroppedFile) in(text string) bool {
	now, added := contentLines(text), f.added()
	if len(added) == 0 {
		return slices.Equal(now, contentLines(f.Text))
	}
	return !slices.ContainsFunc(added, func(line string) bool { return !slices.Contains(now, line) })
}

// Writing runs the write of a file that is no memory, below the root, and keeps a copy while git waits. Writers of one file have to queue.
func (s *Stopped) Writing(name string, write func() error) error {
	rel, err := filepath.Rel(s.place.Root, name)
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	waits := s.git.Merging()
	if _, err := os.Lstat(s.dir); err != nil && !waits {
		return write()
	}
	rel = filepath.ToSlash(rel)
	was, rerr := textWithin(s.place.Root, rel)
	if err := write(); err != nil {
		return err
	}
	if now, err := textWithin(s.place.Root, rel); err != nil || rerr != nil {
		s.log.Warn("keep a copy of what was written while git waits", "path", rel, "err", errors.Join(err, rerr))
	} else if err := s.keepFile(DroppedFile{Path: rel, Was: was, Text: now}, waits); err != nil {
		s.log.Warn("keep a copy of what was written while git waits", "path", rel, "err", err)
	}
	return nil
}

// keepFile writes a copy while git waits, in place of the one that the file was written from.
func (s *Stopped) keepFile(f DroppedFile, waits bool) error {
	copies, err := fileCopies(filepath.Join(s.dir, stoppedFiles), s.now())
	if err != nil {
		return err
	}
	for _, c := range copies {
		if c.Path != f.Path || c.Text != f.Was {
			continue // another file's, or what git dropped since
		}
		f.Was = c.Was // what git has is older
		if err := os.Remove(c.name); err != nil {
			return fmt.Errorf("remove an old copy: %w", err)
		}
	}
	if !waits || f.Text == f.Was {
		return nil
	}
	data, err := json.Marshal(f)
	if err != nil {
		return fmt.Errorf("keep a copy: %w", err)
	}
	dir := filepath.Join(s.dir, stoppedFiles)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("keep a copy: %w", err)
	}
	if err := atomicfile.Write(filepath.Join(dir, fmt.Sprintf("%x.json", sha256.Sum256(data))), data, 0o600); err != nil {
		return fmt.Errorf("keep a copy: %w", err)
	}
	_ = os.Remove(s.told()) // people were told of others
	return nil
}

// textWithin is what a file says now, empty if there is none.
func textWithin(root, rel string) (string, error) {
	data, err := treefile.ReadWithin(root, rel, maxStoppedFile)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return string(data), err
}

// fileCopies reads the copies, and removes those that are too old.
func fileCopies(dir string, now time.Time) (out []DroppedFile, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("list what was written while git waited: %w", err)
	}
	for _, e := range entries {
		name := filepath.Join(dir, e.Name())
		if st, err := os.Lstat(name); err == nil && now.Sub(st.ModTime()) > stoppedFor {
			_ = os.Remove(name) // the next look tries again
			continue
		}
		f := DroppedFile{name: name}
		data, err := treefile.Read(name, 3*maxStoppedFile)
		if err != nil || atomicfile.IsTemporary(e.Name()) || json.Unmarshal(data, &f) != nil || !filepath.IsLocal(f.Path) {
			continue
		}
		out = append(out, f)
	}
	return out, nil
}

// DroppedFiles lists the files of which git dropped what was written while it waited. While it waits that is not decided.
func (s *Stopped) DroppedFiles() ([]DroppedFile, error) {
	git := s.git
	if _, err := os.Lstat(filepath.Join(s.dir, stoppedFiles)); err != nil || git.Merging() || gitWrites(git.Dir()) {
		return nil, nil
	}
	copies, err := fileCopies(filepath.Join(s.dir, stoppedFiles), s.now())
	if err != nil || len(copies) == 0 {
		return nil, err
	}
	repo, done := git.open()
	defer done()
	return slices.DeleteFunc(copies, func(f DroppedFile) bool {
		now, err := textWithin(s.place.Root, f.Path)
		return err != nil || f.in(now) || f.committed(s.git, repo)
	}), nil
}

// committed reports whether a commit has what was written.
func (f DroppedFile) committed(git *Git, repo *gittree.Repo) bool {
	p := git.place
	refs := gitinfo.RefTips(p.GitDir, p.GitCommonDir)
	for _, tip := range append([]string{git.head()}, refs[:min(len(refs), maxRefs)]...) {
		if slices.ContainsFunc(repo.FileVersions(tip, []string{f.Path}, maxDeletionCommits), func(v gittree.FileVersion) bool {
			data, err := repo.Blob(v.Blob)
			return err == nil && f.in(string(data))
		}) {
			return true
		}
	}
	return false
}

// RestoreFile writes a file again as it was written while git waited. ok is false if none has that path or name. What somebody has
// written since is not replaced.
func (s *Stopped) RestoreFile(name string) (f DroppedFile, ok bool, err error) {
	list, err := s.DroppedFiles()
	if err != nil {
		return f, false, err
	}
	list = slices.DeleteFunc(list, func(f DroppedFile) bool { return f.Path != name && path.Base(f.Path) != name })
	if len(list) == 0 {
		return f, false, nil
	}
	f = list[len(list)-1]
	now, err := textWithin(s.place.Root, f.Path)
	switch {
	case err != nil:
		return f, true, err
	case len(list) > 1 || !slices.Equal(contentLines(now), contentLines(f.Was)):
		return f, true, &UserError{Msg: f.Path + " says something else since", Hint: fmt.Sprintf("Take from %s what you need, then `manicule restore --dismiss %s`.", f.name, f.Path)}
	}
	full := filepath.Join(s.place.Root, filepath.FromSlash(f.Path))
	if err := treefile.CheckNoLinks(filepath.Dir(full)); err != nil { // before a folder is made behind a link
		return f, true, fmt.Errorf("restore %s: %w", f.Path, err)
	}
	if err := os.MkdirAll(filepath.Dir(full), 0o777); err != nil {
		return f, true, fmt.Errorf("restore %s: %w", f.Path, err)
	}
	if err := atomicfile.Write(full, []byte(f.Text), 0o666); err != nil {
		return f, true, fmt.Errorf("restore %s: %w", f.Path, err)
	}
	_ = os.Remove(f.name) // else it is told once more where it is changed again
	return f, true, nil
}

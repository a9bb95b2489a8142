package hooks

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"manicule/hooks/event"
	"manicule/hooks/eventlog"
	"manicule/hooks/nudge"
	"manicule/hooks/observe/fold"
	"manicule/indexer/words"
	"manicule/indexer/workspace"
	"manicule/memory"
	"manicule/memory/file"
)

// projectDir returns the session's folder. The agents' variables keep the initial one
// after a cd.
func (o *Options) projectDir(ev event.Event) string {
	for _, a := range o.Agents {
		if a.Env.Project == "" {
			continue
		}
		if dir := o.Getenv(a.Env.Project); filepath.IsAbs(dir) {
			return dir
		}
	}
	if filepath.IsAbs(ev.CWD) {
		return ev.CWD
	}
	for _, dir := range ev.Roots {
		if filepath.IsAbs(dir) {
			return dir
		}
	}
	return "."
}

// lookup finds the memories for the targets of one event. It opens each root once.
type lookup struct {
	*answering
	told  map[string]bool // digests of the keys that the session has claimed
	roots []Memories
	tried map[string]Memories // by folder; nil for one without memories
	// asked is what the person asked for, read at the first memory of a file.
	asked func() (r request, heard bool)
}

func (l *lookup) closeAll() {
	for _, m := range l.roots {
		l.closeMemories(m)
	}
}

// find looks up one target.
func (l *lookup) find(ctx context.Context, t event.Target, changing bool) (match, bool) {
	path, ok := l.resolve(t.Path)
	if !ok || ctx.Err() != nil {
		return match{}, false
	}
	dir, isDir := folderOf(path, t.Dir)
	m := l.memories(ctx, dir)
	if m == nil || !l.related(ctx, m.Root()) {
		return match{}, false
	}
	rel, ok := below(m.Root(), path)
	if !ok {
		return match{}, false
	}
	// What the session was told about the project is not said again.
	withProject := !l.told[eventlog.Digest(projectKey(m.Root()))]
	hits, err := m.ForPath(l.untilDeadline(ctx), memory.PathQuery{Path: rel, Dir: isDir, Project: withProject})
	if err != nil {
		l.note("the memories for a path could not be read", err)
		return match{}, false
	}
	f := match{root: m.Root(), changing: changing, place: nudge.Place{Path: shown(rel, isDir), Root: l.elsewhere(m.Root())}}
	hits = l.withoutAutoLoaded(m.Root(), hits)
	if withProject { // hits are large, and there may be a thousand
		n := 0
		for i := range hits {
			if hits[i].Match == memory.MatchProject {
				n++
			}
		}
		f.project = make([]memory.Hit, 0, n)
	}
	f.place.Hits = slices.DeleteFunc(hits, func(h memory.Hit) bool {
		if h.Match == memory.MatchProject {
			f.project = append(f.project, h)
		}
		// What is about a file in a folder waits until that file is read or changed.
		return h.Match != memory.MatchAnchor && h.Match != memory.MatchScope
	})
	if len(f.place.Hits) > 0 {
		at := touch{rel: rel, file: path, changing: changing, target: t}
		f.about = l.about(m, f.place.Hits, isDir, &at)
	}
	return f, true
}

// counting is implemented by memories that can count those with an expression.
type counting interface {
	Counts() func(words string, most int) (n, total int)
}

// about returns the hits for a path that are quoted: those about the request; those of a symbol whose code is read or changed; and what
// is dangerous not to know of the file and marked by a person. In a session without a prompt, as with an agent that tells none, what is
// dangerous not to know of one place is quoted too. A search of a folder brings only what is about the request.
func (l *lookup) about(m Memories, hits []memory.Hit, isDir bool, at *touch) (about []memory.Hit) {
	asked, heard := l.asked()
	var counts Counts
	if c, ok := m.(counting); ok {
		counts = c.Counts()
	}
	rule := relevant(asked.text)
	var stems words.Stemmer
	q := ask(&stems, asked.text)
	q.cut = asked.cut
	for _, h := range hits {
		m := h.Memory
		if !l.level().quotable(h) || l.told[eventlog.Digest(eventlog.QuotedKey(m.UUID))] {
			continue
		}
		if !isDir && (at.concerns(&stems, h, q, counts) || isCritical(m.Type) && (!heard && len(m.Scope) <= 1 || m.Pinned || m.Importance == file.High)) || rule(m, counts) {
			about = append(about, h)
		}
	}
	return about
}

// requestBytes is the part of a session's log in which the request is searched.
const requestBytes = 256 << 10

// request is what a person asked for. cut is set if the log has not all of its words.
type request struct {
	text string
	cut  bool
}

// request returns the person's last prompt that has a subject. heard reports whether there is any prompt.
func (a *answering) request() (asked request, heard bool) {
	if a.stateDir == "" || a.ev.Session == "" {
		return request{}, false
	}
	_, err := eventlog.Since(a.stateDir, a.ev.Session, `"kind":"`+string(event.Prompt)+`"`, requestBytes, func(r eventlog.Record) bool {
		heard = true
		if fold.Asks(r) && !ofProgram(r.Prompt) && hasSubject(r.Prompt) {
			asked = request{r.Prompt, r.Cut}
		}
		return asked.text != ""
	})
	if err != nil {
		a.note("the session's log could not be read", err)
	}
	return asked, heard
}

// shown formats a path for the nudge and the recall command.
func shown(rel string, isDir bool) string {
	switch {
	case rel == "":
		return "."
	case isDir:
		return rel + "/"
	}
	return rel
}

// resolve makes a path of an event absolute and resolves links as far as it exists.
func (l *lookup) resolve(p string) (string, bool) {
	if rest, ok := strings.CutPrefix(p, "file://"); ok {
		p = rest
	}
	if rest, ok := strings.CutPrefix(p, "~/"); ok {
		home := l.opt.Getenv("HOME")
		if home == "" {
			return "", false
		}
		p = filepath.Join(home, rest)
	}
	if filepath.Separator == '/' && strings.Contains(p, `\`) {
		if event.Absolute(p) && p[0] != '/' {
			return "", false // another platform's drive
		}
		if _, err := os.Lstat(l.absolute(p)); err != nil { // no file has that name
			p = strings.ReplaceAll(p, `\`, "/")
		}
	}
	p = l.absolute(p)
	if !filepath.IsAbs(p) {
		return "", false
	}
	return workspace.RealPath(filepath.Clean(p)), true
}

func (l *lookup) absolute(p string) string {
	if filepath.IsAbs(p) {
		return p
	}
	base := l.ev.CWD
	if !filepath.IsAbs(base) {
		base = l.dir()
	}
	return filepath.Join(base, p)
}

// folderOf returns the nearest existing folder of a path, and whether the path itself is
// a folder. A missing path is one if a search named it.
func folderOf(path string, searched bool) (dir string, isDir bool) {
	st, err := os.Stat(path)
	if err == nil && st.IsDir() {
		return path, true
	}
	isDir = err != nil && searched
	for dir = filepath.Dir(path); dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if st, err := os.Stat(dir); err == nil && st.IsDir() {
			break
		}
	}
	return dir, isDir
}

// memories opens the root of a folder, or returns it if it is open.
func (l *lookup) memories(ctx context.Context, dir string) Memories {
	if m, ok := l.tried[dir]; ok {
		return m
	}
	m := l.openRootOf(dir)
	var err error
	if m == nil {
		m, err = l.opened(ctx, dir)
	}
	if l.tried == nil {
		l.tried = map[string]Memories{}
	}
	l.tried[dir] = m
	if errors.Is(err, ErrNoWorkspace) { // what can't be read is not told of from outside
		m = l.around(ctx, dir)
		l.tried[dir] = m
	}
	return m
}

// around returns the root of the session that a folder lies in, for one of a repository that nobody has set up: a submodule
// belongs to the project around it.
func (l *lookup) around(ctx context.Context, dir string) Memories {
	for _, of := range l.sessionFolders() {
		if m := l.memories(ctx, of); m != nil {
			if _, ok := below(m.Root(), dir); ok {
				return m
			}
		}
	}
	return nil
}

// sessionFolders are the folders that the session works in.
func (l *lookup) sessionFolders() (out []string) {
	for _, dir := range append([]string{l.dir(), l.ev.CWD}, l.ev.Roots...) {
		if filepath.IsAbs(dir) {
			out = append(out, workspace.RealPath(dir))
		}
	}
	return out
}

// elsewhere names a root from the folder that the session's shell is in, "" if it is that folder: a command takes paths from there.
func (l *lookup) elsewhere(root string) string {
	if !filepath.IsAbs(l.ev.CWD) {
		return ""
	}
	cwd := workspace.RealPath(l.ev.CWD)
	if cwd == root {
		return ""
	}
	if rel, err := filepath.Rel(cwd, root); err == nil {
		return filepath.ToSlash(rel)
	}
	return root
}

// openRootOf returns the open root of a folder, if no other root can lie between.
func (l *lookup) openRootOf(dir string) Memories {
	for _, m := range l.roots {
		if rel, ok := below(m.Root(), dir); ok && !nested(m.Root(), rel) {
			return m
		}
	}
	return nil
}

// nested reports whether another root may begin between root and root/rel.
func nested(root, rel string) bool {
	at := root
	for part := range strings.SplitSeq(rel, "/") {
		if part == "" {
			continue
		}
		at = filepath.Join(at, part)
		for _, sign := range []string{".manicule", ".git"} {
			if _, err := os.Lstat(filepath.Join(at, sign)); err == nil || errors.Is(err, fs.ErrPermission) {
				return true
			}
		}
	}
	return false
}

// opened opens the root of a folder. An error is noted already.
func (l *lookup) opened(ctx context.Context, dir string) (Memories, error) {
	m, err := l.openMemories(l.opt.OpenReadOnly(l.untilDeadline(ctx), dir))
	if err != nil {
		l.note("the memories could not be opened", err)
		return nil, err
	}
	for _, have := range l.roots {
		if have.Root() == m.Root() {
			l.closeMemories(m)
			return have, nil
		}
	}
	l.roots = append(l.roots, m)
	return m, nil
}

// related reports whether a root belongs to the session: it holds the session's folder,
// or lies in the same project outside of vendored packages. A file elsewhere on the
// machine doesn't bring its own memories along.
func (l *lookup) related(ctx context.Context, root string) bool {
	for _, dir := range l.sessionFolders() {
		if _, ok := below(root, dir); ok {
			return true
		}
		if rel, ok := below(dir, root); ok {
			return !vendored(rel)
		}
		if m := l.memories(ctx, dir); m != nil {
			if rel, ok := below(m.Root(), root); ok {
				return !vendored(rel)
			}
		}
	}
	return false
}

// vendored reports whether a path leads into a folder of third-party packages, whose
// memories nobody in this project has read.
func vendored(rel string) bool {
	for part := range strings.SplitSeq(rel, "/") {
		switch part {
		case "node_modules", "vendor", "site-packages", "third_party", ".venv", "venv":
			return true
		}
	}
	return false
}

// below returns path relative to root with forward slashes, "" for root itself.
func below(root, path string) (string, bool) {
	rel, err := filepath.Rel(root, path)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return "", false
	}
	if rel == "." {
		rel = ""
	}
	return filepath.ToSlash(rel), true
}

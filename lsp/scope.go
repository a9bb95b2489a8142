package lsp

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"manicule/lsp/render"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"manicule/lsp/convert"
	"manicule/lsp/session"
	"manicule/memory/scope"
)

// Files is what a scope can match: the files of a workspace. It is safe for
// concurrent use.
type Files interface {
	// List returns their paths, relative to the root with forward slashes.
	List(ctx context.Context) ([]string, error)
	// Modified is when a file of the last list was changed, by a commit or after
	// it, zero where that is longer ago than is looked at. known is false where
	// there is no history.
	Modified(path string) (at time.Time, known bool)
}

// month is how far back "edited this month" looks.
const month = 30 * 24 * time.Hour

// listedFor is how long a list of files is used without looking again.
const listedFor = 30 * time.Second

// listEvery is how far apart two lists of a folder's files are at least: who saves
// often does not have them all read each time.
const listEvery = 2 * time.Second

// scopeCache keeps the files of a folder and what scopes match of them.
type scopeCache struct {
	mu      sync.Mutex
	files   []string             // guarded by mu; nil before the first list
	recent  []bool               // guarded by mu; edited this month, by file; nil without history
	at      time.Time            // guarded by mu; of the list, zero where a file was saved since
	ended   time.Time            // guarded by mu; when the last list was made
	saves   uint64               // guarded by mu; counts the saved files
	matched map[string]scopeUsed // guarded by mu; by the patterns
	loading chan struct{}        // guarded by mu; closed when a list that is being made is there
}

// scopeUsed is what a scope matches.
type scopeUsed struct {
	files  int
	recent int // of them edited this month
	all    int // files of the workspace
	dated  bool
	err    error // of the pattern
}

// text says it.
func (u scopeUsed) text() string {
	switch {
	case u.files == 0:
		return "matches no file"
	case u.dated:
		return fmt.Sprintf("matches %s, %d edited this month", render.Plural(u.files, "file"), u.recent)
	}
	return "matches " + render.Plural(u.files, "file")
}

// listFiles starts a list of the folder's files unless there is a young one or
// one is being made. The channel is closed when there is one: an old one does
// while it is made again.
func (s *server) listFiles(f *folder) <-chan struct{} {
	c := &f.scopes
	c.mu.Lock()
	defer c.mu.Unlock()
	first := c.files == nil
	ready := make(chan struct{})
	close(ready)
	now := s.opts.Now()
	switch {
	case c.loading != nil && first:
		return c.loading
	case c.loading != nil, !first && now.Sub(c.at) < listedFor:
		return ready
	}
	done := make(chan struct{})
	c.loading = done
	wait := time.Duration(0)
	if !first {
		wait = min(listEvery-now.Sub(c.ended), listEvery) // a clock can be set back
	}
	s.spawn(func(ctx context.Context) {
		defer close(done)
		if wait > 0 {
			select {
			case <-time.After(wait):
			case <-ctx.Done():
				return
			}
		}
		s.list(ctx, f)
	})
	if first {
		return done
	}
	return ready
}

// list lists a folder's files, and has what was said of an older list said again.
func (s *server) list(ctx context.Context, f *folder) {
	c := &f.scopes
	c.mu.Lock()
	saves := c.saves
	c.mu.Unlock()
	files, recent, err := s.files(ctx, f)
	if err != nil && ctx.Err() == nil {
		s.log.Warn("list the files of the workspace", "root", f.root, "err", err)
	}
	c.mu.Lock()
	first := c.files == nil
	others := err == nil && !(slices.Equal(files, c.files) && slices.Equal(recent, c.recent))
	if err == nil {
		c.files, c.recent, c.matched = files, recent, make(map[string]scopeUsed)
	}
	c.ended, c.loading = s.opts.Now(), nil
	if c.at = c.ended; saves != c.saves {
		c.at = time.Time{} // it may not have seen what was saved meanwhile
	}
	c.mu.Unlock()
	switch {
	case first && err == nil:
		s.diags.everything() // what could not be said before
	case others:
		s.markStale() // the old list was shown meanwhile
	}
}

// listAgain has the files of a saved file's folder listed again when somebody
// asks for them: one of them was edited.
func (s *server) listAgain(path string) {
	s.spawn(func(ctx context.Context) {
		if f, _, ok := s.folders.owner(ctx, path); ok {
			f.scopes.saved()
		}
	})
}

// saved notes that a file was saved: the list is old, and one that is being made may be.
func (c *scopeCache) saved() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = time.Time{}
	c.saves++
}

// files lists the files of a folder, and which were edited this month.
func (s *server) files(ctx context.Context, f *folder) (files []string, recent []bool, err error) {
	files = []string{}
	if s.opts.Files == nil {
		return files, nil, nil
	}
	of := s.opts.Files(f.mem)
	if of == nil {
		return files, nil, nil
	}
	if files, err = of.List(ctx); err != nil {
		return nil, nil, err
	}
	since := s.opts.Now().Add(-month)
	flags := make([]bool, len(files))
	for i, p := range files {
		at, known := of.Modified(p)
		if !known {
			return files, nil, nil
		}
		flags[i] = at.After(since)
	}
	return files, flags, nil
}

// used is what patterns match, false while the files are not known.
func (f *folder) used(patterns ...string) (scopeUsed, bool) {
	c := &f.scopes
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.files) == 0 {
		return scopeUsed{}, false
	}
	key := strings.Join(patterns, "\x00")
	if u, ok := c.matched[key]; ok {
		return u, true
	}
	u := scopeUsed{all: len(c.files), dated: c.recent != nil}
	compiled, err := scope.Compile(patterns, scope.Platform())
	if err != nil {
		u.err = err
	} else {
		for i, p := range c.files {
			if compiled.Match(p, false) != scope.In {
				continue
			}
			u.files++
			if u.dated && c.recent[i] {
				u.recent++
			}
		}
	}
	c.matched[key] = u
	return u, true
}

// patternAt is a pattern of a memory file's scope with its place in the text.
type patternAt struct {
	pattern string
	at      span // without the quotes
}

// scopePatterns returns the patterns of the scope in a memory file as it is in
// the editor, up to the first fault of its JSON.
func scopePatterns(doc *session.Document) []patternAt {
	var out []patternAt
	for _, str := range jsonStrings(doc) {
		if str.pointer == "/scope" || strings.HasPrefix(str.pointer, "/scope/") {
			out = append(out, patternAt{str.value, str.at})
		}
	}
	return out
}

func patternsOf(list []patternAt) []string {
	out := make([]string, len(list))
	for i, p := range list {
		out[i] = p.pattern
	}
	return out
}

// noteAt is something to say behind a pattern.
type noteAt struct {
	at   span
	text string
}

// scopeNotes says what each pattern of a memory file matches; behind the last of
// several also what all do together.
func (r *request) scopeNotes(ctx context.Context, u uri.URI) (*session.Document, []noteAt) {
	path, ok := convert.PathFrom(u)
	if !ok || !isMemoryFile(path) || !r.settings.ScopeHints {
		return nil, nil
	}
	f, _, ok := r.folders.owner(ctx, path)
	if !ok {
		return nil, nil
	}
	doc, err := r.snap.Read(ctx, u)
	if err != nil {
		return nil, nil
	}
	list := scopePatterns(doc)
	if len(list) == 0 {
		return nil, nil
	}
	select {
	case <-r.listFiles(f):
	case <-ctx.Done():
		return nil, nil
	}
	var out []noteAt
	for i, p := range list {
		text := ""
		if bare, negative := strings.CutPrefix(p.pattern, "!"); negative {
			if used, known := f.used(bare); known && used.err == nil {
				text = "leaves out " + render.Plural(used.files, "file")
			}
		} else if used, known := f.used(p.pattern); known && used.err == nil {
			text = used.text()
		}
		if i == len(list)-1 && len(list) > 1 {
			if used, known := f.used(patternsOf(list)...); known && used.err == nil {
				text += "; all together " + strings.TrimPrefix(used.text(), "matches ")
			}
		}
		if text != "" {
			out = append(out, noteAt{p.at, text})
		}
	}
	return doc, out
}

// InlayHint says in a memory's own file what its scope matches.
func (s *server) InlayHint(ctx context.Context, p *protocol.InlayHintParams) ([]protocol.InlayHint, error) {
	r := s.begin(ctx)
	doc, notes := r.scopeNotes(ctx, p.TextDocument.URI)
	var out []protocol.InlayHint
	for _, n := range notes {
		at := doc.Lines.Position(n.at.end+1, r.snap.Encoding)
		if at.Line < p.Range.Start.Line || at.Line > p.Range.End.Line {
			continue
		}
		out = append(out, protocol.InlayHint{Position: at, Label: protocol.String(n.text), PaddingLeft: new(true)})
	}
	return out, ctx.Err()
}

// scopeLenses say it to clients that show no inlay hints.
func (r *request) scopeLenses(ctx context.Context, u uri.URI) []protocol.CodeLens {
	if r.client.Capabilities.InlayHints {
		return nil
	}
	doc, notes := r.scopeNotes(ctx, u)
	var out []protocol.CodeLens
	for _, n := range notes {
		out = append(out, protocol.CodeLens{
			Range:   doc.Lines.Range(n.at.start, n.at.end, r.snap.Encoding),
			Command: protocol.Command{Title: "☞ " + n.text, Command: cmdStatus},
		})
	}
	return out
}

// broadShare is the share of the files from which on a scope is said to match
// everything, and fewFiles is below how many of them nothing is said of it.
const (
	broadShare = 0.95
	fewFiles   = 20
)

// scopeProblems are the diagnostics about the scope in a memory file that is
// open: it matches nothing, or as good as everything.
func (r *request) scopeProblems(ctx context.Context, u uri.URI, path string) []protocol.Diagnostic {
	doc, open := r.snap.Get(u)
	if !open || !r.settings.ScopeHints {
		return nil
	}
	f, _, ok := r.folders.owner(ctx, path)
	if !ok {
		return nil
	}
	list := scopePatterns(doc)
	if len(list) == 0 {
		return nil
	}
	r.listFiles(f) // who publishes does not wait; there is more when it is made
	say := func(at span, severity protocol.DiagnosticSeverity, code, text string) protocol.Diagnostic {
		return protocol.Diagnostic{
			Range: doc.Lines.Range(at.start, at.end, r.snap.Encoding), Severity: severity, Code: protocol.String(code),
			Source: protocol.NewOptional(source), Message: protocol.String(text),
		}
	}
	whole := span{list[0].at.start, list[len(list)-1].at.end}
	used, known := f.used(patternsOf(list)...)
	switch {
	case !known || used.err != nil: // a malformed pattern is said by the file's own problems
		return nil
	case used.files == 0:
		return []protocol.Diagnostic{say(whole, protocol.DiagnosticSeverityWarning, "scope-dead",
			"scope matches nothing: no file of the workspace lies under it, so the memory is shown nowhere until one does")}
	case used.all >= fewFiles && float64(used.files) >= broadShare*float64(used.all):
		return []protocol.Diagnostic{say(whole, protocol.DiagnosticSeverityInformation, "scope-broad",
			fmt.Sprintf("scope matches everything: %d of %s. Narrow it, or set it to null for the whole project", used.files, render.Plural(used.all, "file")))}
	}
	var out []protocol.Diagnostic
	for _, p := range list {
		if len(list) == 1 || strings.HasPrefix(p.pattern, "!") {
			continue
		}
		if one, known := f.used(p.pattern); known && one.err == nil && one.files == 0 {
			out = append(out, say(p.at, protocol.DiagnosticSeverityHint, "scope-dead", "this pattern matches nothing"))
		}
	}
	return out
}

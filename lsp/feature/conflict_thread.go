package feature

import (
	"context"
	"slices"

	"go.lsp.dev/protocol"

	"manicule/lsp/folder"
	"manicule/lsp/page"
	"manicule/lsp/settings"
	"manicule/memory"
	"manicule/memory/file"
	"manicule/memory/thread"
)

// ThreadConflictCandidate returns a shared thread with several versions as an entry of the review list.
func ThreadConflictCandidate(t *thread.Thread) Candidate {
	out := ConflictCandidate(memory.Hit{Memory: t.Memory})
	out.Thread, out.Type, out.Versions = true, file.Type(t.Kind), ThreadVersions(t)
	return out
}

// ThreadVersions is [ConflictVersions] for a thread, whose type is what people call it.
func ThreadVersions(t *thread.Thread) []ConflictVersion {
	out := ConflictVersions(t.Memory)
	for i := range out {
		out[i].Type = file.Type(t.Kind)
	}
	return out
}

// ThreadsInConflict returns the undecided threads whose place is in a range of a page, each with where it is.
func ThreadsInConflict(ctx context.Context, p *page.Page, in protocol.Range) []thread.Thread {
	if p.Rev != "" {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(p.Folder.OpenThreads.Undecided()), func(t thread.Thread) bool {
		at, ok := threadRange(ctx, p, &t)
		return !ok || at.End.Line < in.Start.Line || in.End.Line < at.Start.Line
	})
}

// threadRange is where the diagnostic of a thread is in a page. ok is false if it has no place there.
func threadRange(ctx context.Context, p *page.Page, t *thread.Thread) (at protocol.Range, ok bool) {
	if len(t.Memory.Anchors) == 0 || t.Memory.Anchors[0].Path != p.Rel {
		return at, false
	}
	m := p.LocateAnchor(ctx, t.Memory.Anchors[0])
	return diagnosticRange(p, m), p.Shows(&m)
}

// threadConflicts returns the diagnostics about undecided threads with a place in a page.
func threadConflicts(ctx context.Context, p *page.Page, s *settings.Settings) (out []protocol.Diagnostic) {
	if p.Rev != "" {
		return nil
	}
	list := p.Folder.OpenThreads.Undecided()
	for i := range list {
		at, here := threadRange(ctx, p, &list[i])
		if !here || len(out) == s.MaxPerFile {
			continue
		}
		if d, ok := conflictDiagnostic(list[i].Memory, "thread", at, s); ok {
			out = append(out, d)
		}
	}
	return out
}

// threadFileConflict returns the diagnostic in the file of an undecided thread: while it is open, and of one without a place in
// the code, which is nowhere else, always.
func threadFileConflict(f *page.MemoryFile, s *settings.Settings) []protocol.Diagnostic {
	t, ok := UndecidedAt(f)
	if !ok || !f.Doc.Open && len(t.Memory.Anchors) > 0 {
		return nil
	}
	d, ok := conflictDiagnostic(t.Memory, "thread", f.Range(conflictSpan(f)), s)
	if !ok {
		return nil
	}
	return []protocol.Diagnostic{d}
}

// UndecidedAt returns the undecided thread of a file.
func UndecidedAt(f *page.MemoryFile) (thread.Thread, bool) {
	if f.Folder == nil {
		return thread.Thread{}, false
	}
	for _, t := range f.Folder.OpenThreads.Undecided() {
		if f.Folder.Abs(thread.SharedName(t.Memory.UUID)) == f.Path {
			return t, true
		}
	}
	return thread.Thread{}, false
}

// undecidedFiles are the files of a folder's undecided threads without a place in the code.
func undecidedFiles(f *folder.Folder) (out []string) {
	for _, t := range f.OpenThreads.Undecided() {
		if len(t.Memory.Anchors) == 0 {
			out = append(out, thread.SharedName(t.Memory.UUID))
		}
	}
	return out
}

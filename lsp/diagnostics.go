package lsp

import (
	"context"
	"slices"
	"strconv"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"manicule/lsp/client"
	"manicule/lsp/convert"
	"manicule/lsp/feature"
	"manicule/lsp/page"
	"manicule/lsp/session"
)

// asSent is what a client is told: without the server's data, if it would not give them back.
func asSent(c *client.Client, items []protocol.Diagnostic) []protocol.Diagnostic {
	if c.Capabilities.DiagnosticData {
		return items
	}
	out := slices.Clone(items)
	for i := range out {
		out[i].Data = nil
	}
	return out
}

// Diagnostic answers a pull for a document's diagnostics.
func (s *requests) Diagnostic(ctx context.Context, p *protocol.DocumentDiagnosticParams) (protocol.DocumentDiagnosticReport, error) {
	r := s.begin(ctx)
	items := feature.Diagnostics(ctx, s.pages, r.snap, p.TextDocument.URI, r.settings)
	id, err := feature.ResultID(items)
	if err != nil {
		return nil, err
	}
	s.sent.set(p.TextDocument.URI, items, s.now())
	// Some clients drop a document's diagnostics when they open it again but keep the
	// result id. "unchanged" would leave them with none.
	id += "-" + strconv.FormatUint(s.opened.Load(), 36)
	if p.PreviousResultID != nil && *p.PreviousResultID == id {
		return &protocol.RelatedUnchangedDocumentDiagnosticReport{
			UnchangedDocumentDiagnosticReport: protocol.UnchangedDocumentDiagnosticReport{Kind: "unchanged", ResultID: id},
		}, nil
	}
	return &protocol.RelatedFullDocumentDiagnosticReport{
		FullDocumentDiagnosticReport: protocol.FullDocumentDiagnosticReport{Kind: "full", ResultID: &id, Items: asSent(s.client, items)},
	}, nil
}

// DiagnosticWorkspace reports the files of memories and threads with problems, open or not, and clears
// earlier reports that no longer hold.
func (s *requests) DiagnosticWorkspace(ctx context.Context, p *protocol.WorkspaceDiagnosticParams) (*protocol.WorkspaceDiagnosticReport, error) {
	r := s.begin(ctx)
	previous := make(map[uri.URI]string)
	for _, id := range p.PreviousResultIds {
		previous[id.URI] = id.Value
	}
	uris := feature.ProblemFiles(ctx, s.folders)
	for u := range previous {
		if path, ok := convert.PathFrom(u); ok && (page.IsMemoryFile(path) || page.IsThreadFile(path)) && !slices.Contains(uris, u) {
			uris = append(uris, u)
		}
	}
	slices.Sort(uris)
	report := &protocol.WorkspaceDiagnosticReport{Items: []protocol.WorkspaceDocumentDiagnosticReport{}}
	for _, u := range uris {
		item, err := workspaceReport(r.snap, s.client, u, feature.Diagnostics(ctx, s.pages, r.snap, u, r.settings), previous[u])
		if err != nil {
			return nil, err
		}
		report.Items = append(report.Items, item)
	}
	return report, nil
}

// workspaceReport is the report of one file. previous is the id of the one that the client has.
func workspaceReport(snap *session.Snapshot, c *client.Client, u uri.URI, items []protocol.Diagnostic, previous string) (protocol.WorkspaceDocumentDiagnosticReport, error) {
	id, err := feature.ResultID(items)
	if err != nil {
		return nil, err
	}
	var version *int32
	if d, ok := snap.Get(u); ok {
		version = new(d.Version)
	}
	if id == previous {
		return &protocol.WorkspaceUnchangedDocumentDiagnosticReport{
			UnchangedDocumentDiagnosticReport: protocol.UnchangedDocumentDiagnosticReport{Kind: "unchanged", ResultID: id},
			URI:                               u, Version: version,
		}, nil
	}
	return &protocol.WorkspaceFullDocumentDiagnosticReport{
		FullDocumentDiagnosticReport: protocol.FullDocumentDiagnosticReport{Kind: "full", ResultID: &id, Items: asSent(c, items)},
		URI:                          u, Version: version,
	}, nil
}

package lsp

import (
	"bytes"
	"cmp"
	"context"
	"slices"

	"manicule/lsp/folder"

	"github.com/go-json-experiment/json/jsontext"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"manicule/indexer/anchor"
	"manicule/lsp/session"
	"manicule/memory"
	"manicule/memory/follow"
)

// concerns are the diagnostics about memories of a document that may not fit the
// code any more, one for each place and concern.
func (p *page) concerns(marks []mark) []finding {
	type key struct {
		at protocol.Range
		of concern
	}
	groups := make(map[key][]mark)
	for _, m := range marks {
		c := concernOf(m.res)
		if _, wanted := severityOf(p.settings, c); !wanted || m.deleted || m.arrived || !p.folder.Shows(m.hit.Memory.UUID, folder.SurfaceDiagnostic) {
			continue
		}
		k := key{p.diagnosticRange(m), c}
		if !slices.ContainsFunc(groups[k], func(o mark) bool { return o.hit.Memory.UUID == m.hit.Memory.UUID }) {
			groups[k] = append(groups[k], m)
		}
	}
	var out []finding
	for k, group := range groups {
		severity, _ := severityOf(p.settings, k.of)
		uuids, hits := make([]string, len(group)), make([]memory.Hit, len(group))
		for i, m := range group {
			uuids[i], hits[i] = m.hit.Memory.UUID, m.hit
		}
		data, err := rawArgs(map[string][]string{"uuids": uuids})
		if err != nil {
			continue
		}
		out = append(out, finding{protocol.Diagnostic{
			Range: k.at, Severity: severity, Code: protocol.String(k.of), Source: protocol.NewOptional(source),
			Message: protocol.String(concernText(group)), Data: data[0],
		}, hits})
	}
	slices.SortFunc(out, func(a, b finding) int {
		return cmp.Or(cmp.Compare(a.Range.Start.Line, b.Range.Start.Line), cmp.Compare(a.Range.Start.Character, b.Range.Start.Character), cmp.Compare(string(a.Data), string(b.Data)))
	})
	return out
}

// placeOfAnchor is a place with what stands for it in the memory's own file.
type placeOfAnchor struct {
	follow.Place
	span span
}

// resolution is the part of a place that says what became of its code.
func resolutionAt(p follow.Place) anchor.Resolution {
	r := anchor.Resolution{
		State: p.State, Reason: p.Reason, Path: p.Path, Symbol: p.Symbol, Ordinal: p.Ordinal, Line: p.Line, EndLine: p.EndLine, Confidence: p.Confidence,
	}
	if p.Suggestion != nil {
		r.Suggestion = &anchor.Suggestion{Path: p.Suggestion.Path, Symbol: p.Suggestion.Symbol, Ordinal: p.Suggestion.Ordinal, Confidence: p.Suggestion.Confidence}
	}
	return r
}

// anchorsIn returns the anchors of a memory file with their places in its text.
func anchorsIn(f *folder.Folder, doc *session.Document, h memory.Hit) []placeOfAnchor {
	if f.Tracker == nil {
		return nil
	}
	spans := anchorSpans(doc.Text())
	var out []placeOfAnchor
	for _, at := range f.Tracker.Of(h.Memory.UUID) {
		if at.Index < len(spans) && at.State != "" {
			out = append(out, placeOfAnchor{at, spans[at.Index]})
		}
	}
	return out
}

// fileConcerns are the diagnostics in a memory's own file about its anchors. One
// that is lost has no other place to be shown; one whose code changed is shown
// here while the file is open.
func (r *request) fileConcerns(ctx context.Context, u uri.URI, path string) []protocol.Diagnostic {
	f, _, ok := r.folders.Owner(ctx, path)
	if !ok || f.Tracker == nil {
		return nil
	}
	h, ok := f.MemoryAt(path)
	if !ok {
		return nil
	}
	doc, err := r.snap.Read(ctx, u)
	if err != nil {
		return nil
	}
	var out []protocol.Diagnostic
	for _, at := range anchorsIn(f, doc, h) {
		res := resolutionAt(at.Place)
		c := concernOf(res)
		severity, wanted := severityOf(r.settings, c)
		if !wanted || !doc.Open && !lost(c) {
			continue
		}
		data, err := rawArgs(map[string]string{"uuid": h.Memory.UUID})
		if err != nil {
			continue
		}
		text := recordedPlace(at.Anchor) + ": " + stateText(at.Anchor, res)
		if how := whatToDo(res); how != "" {
			text += "\n" + how
		}
		out = append(out, protocol.Diagnostic{
			Range: doc.Lines.Range(at.span.start, at.span.end, r.snap.Encoding), Severity: severity, Code: protocol.String(c),
			Source: protocol.NewOptional(source), Message: protocol.String(text), Data: data[0],
		})
	}
	return out
}

func lost(c concern) bool { return c == staleMark || c == orphanedMark }

// concernFiles returns the files of memories with a lost anchor.
func concernFiles(f *folder.Folder) []uri.URI {
	if f.Tracker == nil {
		return nil
	}
	var out []uri.URI
	for _, h := range f.Memories.View().All() {
		if len(h.Memory.Anchors) == 0 {
			continue
		}
		if slices.ContainsFunc(f.Tracker.Of(h.Memory.UUID), func(p follow.Place) bool { return lost(concernOf(resolutionAt(p))) }) {
			out = append(out, f.URI(h.Path))
		}
	}
	return out
}

// anchorSpans returns where the anchors of a memory file stand in its text, in
// their order; none when it is not JSON up to there.
func anchorSpans(text []byte) []span {
	dec := jsontext.NewDecoder(bytes.NewReader(text))
	if tok, err := dec.ReadToken(); err != nil || tok.Kind() != '{' {
		return nil
	}
	for dec.PeekKind() == '"' {
		key, err := dec.ReadToken()
		if err != nil {
			return nil
		}
		if key.String() != "anchors" || dec.PeekKind() != '[' {
			if err := dec.SkipValue(); err != nil {
				return nil
			}
			continue
		}
		if _, err := dec.ReadToken(); err != nil {
			return nil
		}
		var out []span
		for dec.PeekKind() == '{' {
			v, err := dec.ReadValue()
			if err != nil {
				return out
			}
			end := int(dec.InputOffset())
			out = append(out, span{end - len(v), end})
		}
		return out
	}
	return nil
}

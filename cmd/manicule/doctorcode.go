package main

import (
	"context"
	"fmt"

	"manicule/grammars"
	"manicule/indexer/anchor"
	"manicule/indexer/graph"
	"manicule/memory/embed/local"
	"manicule/memory/services"
)

// checkAnchors counts the anchors by state. Changed code is no problem of the setup.
func checkAnchors(ctx context.Context, w *services.Workspace) (out []finding) {
	t := w.Tracker()
	r, err := t.Refresh(ctx)
	if err != nil {
		return []finding{{"anchors", statusProblem, err.Error(), services.Hint(err)}}
	}
	counts := states(t)
	f := finding{Check: "anchors", Status: statusOK, Text: countStates(counts)}
	switch {
	case len(counts) == 0:
		f.Text = "no memory is tied to code"
	case r.Busy != "":
		f.Status, f.Text, f.Hint = statusNote, f.Text+"; git is in the middle of a "+r.Busy, "They are judged again when it is done."
	case counts[anchor.Stale]+counts[anchor.Orphaned]+counts[anchor.Drifted] > 0:
		f.Status, f.Hint = statusNote, "`manicule verify` lists them."
	}
	out = append(out, f)
	if n := len(emptiedScopes(w, nil, "")); n > 0 {
		out = append(out, finding{"scopes", statusNote, count(n, "memory is", "memories are") + " about folders that are not there", "`manicule verify` lists them."})
	}
	for _, x := range r.Faults {
		out = append(out, finding{"anchors", statusProblem, x.Path + ": " + x.Err.Error(), faultHint})
	}
	return out
}

func checkGrammars(ctx context.Context, w *services.Workspace) []finding {
	out := []finding{{Check: "languages", Status: statusOK, Text: "symbols in " + count(len(grammars.All()), "language", "languages") + " (docs/languages.md); files and lines in all others"}}
	return append(out, checkGraph(ctx, w)...)
}

// faultHint is the advice for a fault that one file causes.
const faultHint = "Everything else works. Report it, with the file if you may share it; after an update, `manicule index --rebuild` reads it again."

// checkGraph reports the state of the code graph.
func checkGraph(ctx context.Context, w *services.Workspace) (out []finding) {
	if !graph.Exists(w.Place().CacheDir()) {
		return []finding{{Check: "code graph", Status: statusOK, Text: "not built yet; a command that needs it builds it"}}
	}
	ix := w.Graph()
	_, err := ix.Measure(ctx)
	if err != nil {
		return []finding{{"code graph", statusProblem, err.Error(), "`manicule index --rebuild` rebuilds it."}}
	}
	st, err := ix.State(ctx)
	if err != nil {
		return []finding{{"code graph", statusProblem, err.Error(), "`manicule index --rebuild` rebuilds it."}}
	}
	if st.Indexed.IsZero() {
		return []finding{{"code graph", statusNote, "begun and not finished: " + count(st.Files, "file", "files") + " so far", "`manicule index` resumes it; a language server that is indexing needs no help."}}
	}
	text := fmt.Sprintf("%s, %s, %s", count(st.Files, "file", "files"), count(st.Symbols, "symbol", "symbols"), count(st.Edges, "edge", "edges"))
	text += fmt.Sprintf("; 99 of 100 questions within %.1f ms", max(0.1, float64(st.Slow.Microseconds())/1000))
	if st.Stale > 0 {
		text += fmt.Sprintf("; %d out of date until the next index", st.Stale)
	}
	out = append(out, finding{Check: "code graph", Status: statusOK, Text: text})
	for _, alarm := range st.Alarms {
		out = append(out, finding{"code graph", statusNote, alarm, "docs/benchmarks.md says how it grows."})
	}
	for _, f := range st.Faults {
		out = append(out, finding{"code graph", statusProblem, f.File + ": " + f.Reason, faultHint})
	}
	if n := len(st.Errors); n > 0 {
		out = append(out, finding{"code graph", statusNote, fmt.Sprintf("%s with syntax that the grammar can't parse, such as %s; the code around it is indexed",
			count(n, "file", "files"), st.Errors[0].File), "docs/languages.md lists what the grammars lack."})
	}
	return out
}

// checkModel loads the local model as a search would, because an installed model need not
// run on this machine.
func checkModel(ctx context.Context, w *services.Workspace) []finding {
	s := w.EmbedderState()
	if s.Model == "" {
		status := statusNote
		if s.Advice == "" {
			status = statusOK
		}
		return []finding{{"meaning", status, s.String(), s.Advice}}
	}
	e, passed, err := w.Embeddings().Open(ctx, local.Auto)
	if err != nil {
		return []finding{{"meaning", statusProblem, err.Error(), "`manicule model verify` compares its files; `manicule model install` repairs them."}}
	}
	out := []finding{{Check: "meaning", Status: statusOK, Text: s.Model + " works on " + e.Info().Backend}}
	if err := e.Close(); err != nil {
		out = append(out, finding{"meaning", statusProblem, err.Error(), ""})
	}
	if passed != nil {
		advice := s.Advice
		if advice == "" {
			advice = "Set embedding.library to an onnxruntime that works here; the Go backend needs none."
		}
		out = append(out, finding{"meaning", statusNote, "a faster backend is not in use: " + passed.Error(), advice})
	}
	return out
}

package feature

import (
	"bytes"

	"go.lsp.dev/protocol"

	"manicule/lsp/folder"
	"manicule/lsp/page"
	"manicule/lsp/render"
	"manicule/lsp/settings"
	"manicule/memory"
	"manicule/memory/file"
	"manicule/memory/lint"
)

// codeViolated is the code of diagnostics about text that goes against a memory.
const codeViolated = "violated"

// maxViolations is how many violations of a memory are looked for in a file, before those of one cell of a notebook are taken.
const maxViolations = 1000

// violations returns the diagnostics where the text of a document goes against a memory that says what its files may not
// have, or must have.
func violations(p *page.Page, s *settings.Settings) (out []memoryDiagnostic) {
	severity, wanted := settings.Severities()[s.StaleSeverity]
	if !wanted || !lint.IsText(p.Doc.Text()) {
		return nil
	}
	for _, r := range p.View.Rules(p.Rel) {
		if !p.Folder.Dismissed.Shows(r.Memory.UUID, folder.SurfaceDiagnostic) {
			continue
		}
		data, err := RawArgs(map[string]string{"uuid": r.Memory.UUID})
		if err != nil {
			continue
		}
		for _, v := range r.In(p.Doc.Text(), maxViolations) {
			rng := p.Range(page.Span{Start: v.Start, End: v.End})
			if v.Missing {
				rng = wholeLine(p, 0)
			}
			if v.Missing && !p.ShowsFile() || !v.Missing && !p.Holds(v.Start) { // in another cell of the notebook
				continue
			}
			out = append(out, memoryDiagnostic{protocol.Diagnostic{
				Range: rng, Severity: severity, Code: protocol.String(codeViolated),
				Source: protocol.NewOptional(Source), Message: protocol.String(violationText(r, v)), Data: data[0],
			}, []memory.Hit{r.Hit}})
		}
	}
	return out
}

func violationText(r memory.Rule, v lint.Violation) string {
	begin := "goes against the "
	if v.Missing {
		begin = "the file lacks what it must have, by the "
	}
	text := begin + r.Memory.Type.Label() + ": " + render.OneLine(r.Memory.What, 400)
	if r.Memory.Why != "" {
		text += "\nWhy: " + render.OneLine(r.Memory.Why, 400)
	}
	if instead := r.Memory.Instead(); instead != "" {
		text += "\nInstead: " + render.OneLine(instead, 400)
	}
	return text
}

// badExpression returns the problem of a memory file whose expression can't be read, so that nothing goes against it.
func badExpression(m *file.Memory, text []byte) (memory.Problem, bool) {
	_, _, err := lint.Of(m)
	if err == nil {
		return memory.Problem{}, false
	}
	line := 1
	for _, name := range []string{`"requires"`, `"forbids"`} {
		if i := bytes.Index(text, []byte(name)); i >= 0 {
			line = 1 + bytes.Count(text[:i], []byte("\n"))
		}
	}
	return memory.Problem{Line: line, Message: err.Error(), Hint: "Nothing goes against this memory until it is a regular expression."}, true
}

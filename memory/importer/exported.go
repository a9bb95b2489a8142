package importer

import (
	"strings"

	"manicule/memory/exporter"
	"manicule/memory/file"
)

// readExported makes memories of what a Markdown export shows. Whoever knows the memories of a workspace leaves out
// those that are there.
func readExported(src Source, list []exporter.Shown, opts Options, rep *Report) (out []Chunk) {
	for _, m := range list {
		if m.Past {
			rep.drop(src.Path, m.Line, "deprecated, superseded or disputed", m.What)
			continue
		}
		var scope []string
		for _, at := range m.Places {
			if name, symbol, ok := strings.Cut(at, "#"); ok && symbol != "" && !opts.exists(name) {
				at = name // nothing can be tied to it here
			}
			scope = append(scope, at)
		}
		out = append(out, Chunk{Type: m.Type, What: m.What, Why: m.Why, Scope: scope, Tags: m.Tags, Personal: m.Personal, Tainted: m.Outside, For: m.For, Exported: m.UUID,
			Origin: file.ImportOrigin{File: src.Path, Line: m.Line, Key: keyOf("exported", m.UUID, nil)}})
	}
	return out
}

package search

import (
	"path"
	"slices"
	"strings"

	"manicule/indexer/graph"
)

// IsTestOrDoc reports whether a file is a test or a document. Their plain words describe the code
// and would outrank it in most answers.
func IsTestOrDoc(file string) bool { return graph.IsTest(file) || isDocument(file) }

// isDocument reports whether a file is prose, by its name.
func isDocument(file string) bool {
	base := path.Base(file)
	if ext := strings.ToLower(path.Ext(base)); ext != "" {
		return slices.Contains([]string{".md", ".mdx", ".markdown", ".rst", ".txt", ".adoc", ".asciidoc", ".org", ".tex", ".textile", ".pod"}, ext)
	}
	return slices.Contains([]string{"README", "LICENSE", "COPYING", "NOTICE", "CHANGELOG", "CHANGES", "HISTORY", "NEWS", "AUTHORS", "CONTRIBUTING", "TODO"}, strings.ToUpper(base))
}

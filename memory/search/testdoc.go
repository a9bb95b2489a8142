package search

import (
	"manicule/indexer/code"
	"manicule/indexer/graph"
)

// IsTestOrDoc reports whether a file is a test or a document. Their plain words describe the code
// and would outrank it in most answers.
func IsTestOrDoc(file string) bool { return graph.IsTest(file) || code.IsDocument(file) }

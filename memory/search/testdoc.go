package search

import (
	"path"
	"strings"

	"manicule/indexer/code"
	"manicule/indexer/graph"
)

// isTestOrDoc reports whether a file is a test, an example, a benchmark or a document. Their plain words
// describe the code and would outrank it in most answers.
func isTestOrDoc(file string) bool {
	return graph.IsTest(file) || code.IsDocument(file) || isExample(file)
}

// isExample reports whether a file stands in a folder of examples, benchmarks or documentation.
func isExample(file string) bool {
	for part := range strings.SplitSeq(path.Dir(file), "/") {
		switch strings.ToLower(part) {
		case "example", "examples", "sample", "samples", "doc", "docs", "documentation", "bench", "benches", "benchmark", "benchmarks":
			return true
		}
	}
	return false
}

// isTestInCode reports whether a symbol stands in a module of tests inside a file of code, as in Rust.
func isTestInCode(symbol string) bool {
	first, _, inside := strings.Cut(symbol, ".")
	return inside && (first == "tests" || first == "test")
}

// Command eval measures how good the product is on datasets that others made, one
// subcommand for each thing that can be right or wrong. It must not be linked into
// the product.
package main

import (
	"github.com/spf13/cobra"

	"manicule/cmd/eval/anchors"
	"manicule/cmd/eval/gate"
	"manicule/cmd/eval/graph"
	"manicule/cmd/eval/importer"
	"manicule/cmd/eval/observer"
	"manicule/cmd/eval/refactor"
	"manicule/cmd/eval/retrieval"
	"manicule/cmd/internal/evalkit"
)

func main() {
	root := &cobra.Command{Use: "eval", Short: "Measure how good the product is on datasets"}
	root.AddCommand(anchors.Command(), refactor.Command(), graph.Command(), observer.Command(), retrieval.Command(), importer.Command(), gate.Command())
	evalkit.Main(root)
}

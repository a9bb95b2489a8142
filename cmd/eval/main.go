// Command eval measures the quality of the product on published datasets, one
// subcommand for each part. It must not be linked into the product.
package main

import (
	"github.com/spf13/cobra"

	"manicule/cmd/eval/anchors"
	"manicule/cmd/eval/associations"
	"manicule/cmd/eval/gate"
	"manicule/cmd/eval/graph"
	"manicule/cmd/eval/importer"
	"manicule/cmd/eval/life"
	"manicule/cmd/eval/observer"
	"manicule/cmd/eval/refactor"
	"manicule/cmd/eval/retrieval"
	"manicule/cmd/internal/evalkit"
)

func main() {
	root := &cobra.Command{Use: "eval", Short: "Measure the quality of the product on datasets"}
	root.AddCommand(anchors.Command(), refactor.Command(), graph.Command(), observer.Command(), retrieval.Command(), associations.Command(), importer.Command(), gate.Command(), life.Command())
	evalkit.Main(root)
}

// Command bench measures the cost of the product: its processes, its code graph on
// real trees, also beside other programs, and its servers over a long time. It must not be linked into the
// product.
package main

import (
	"manicule/cmd/bench/company"
	"manicule/cmd/bench/graph"
	"manicule/cmd/bench/memories"
	"manicule/cmd/bench/peers"
	"manicule/cmd/bench/process"
	"manicule/cmd/bench/soak"
	"manicule/cmd/internal/evalkit"
)

func main() {
	root := process.Command()
	root.AddCommand(company.Command(), graph.Command(), memories.Command(), peers.Command(), soak.Command())
	evalkit.Main(root)
}

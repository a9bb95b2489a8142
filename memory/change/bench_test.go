package change

import (
	"fmt"
	"strings"
	"testing"
)

// BenchmarkOwnCode compares the code outside of the declarations of a long file.
func BenchmarkOwnCode(b *testing.B) {
	var src strings.Builder
	src.WriteString("package a\n")
	for i := range 4000 {
		fmt.Fprintf(&src, "\n// F%d does it.\nfunc F%d() int { return g(%d) + 1 }\n", i, i, i)
	}
	v, ok := parse(b.Context(), "a.go", []byte(src.String()))
	if !ok {
		b.Fatal("the source does not parse")
	}
	for b.Loop() {
		v.digests("")
	}
}

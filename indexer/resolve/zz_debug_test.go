package resolve

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

func TestZZ(t *testing.T) {
	root := os.Getenv("ZZ_ROOT")
	a := &txtar.Archive{}
	filepath.Walk(root, func(p string, i os.FileInfo, err error) error {
		if err == nil && !i.IsDir() && (strings.HasSuffix(p, ".ts") || strings.HasSuffix(p, ".tsx")) && !strings.Contains(p, "node_modules") {
			b, _ := os.ReadFile(p)
			a.Files = append(a.Files, txtar.File{Name: strings.TrimPrefix(p, root+"/"), Data: b})
		}
		return nil
	})
	table, files, facts := tableOf(t, a)
	r := NewResolver(table)
	for i, f := range files {
		if f.Path != os.Getenv("ZZ_FILE") {
			continue
		}
		r.Edges(t.Context(), f, facts[i])
		for _, ref := range facts[i].Refs {
			if fmt.Sprint(ref.Line) == os.Getenv("ZZ_LINE") {
				var at *Symbol
				if ref.In >= 0 {
					at = f.Symbols[ref.In]
				}
				fmt.Printf("%s recv=%q kind=%s\n", ref.Name, ref.Recv, ref.Kind)
				x := parseExpr(ref.Recv)
				for ; x != nil; x = x.x {
					ty := r.r.typeOfExpr(x, f, at, ref.Start)
					n := ""
					if ty.sym != nil {
						n = ty.sym.File.Path + "#" + ty.sym.Path
					}
					fmt.Printf("    op=%d name=%q -> kind=%d sym=%s name=%s\n", x.op, x.name, ty.kind, n, ty.name)
					if x.op == opIdent {
						if b := r.r.bindingAt(x.name, ref.Start); b != nil {
							fmt.Printf("      bind %+v\n", *b)
							y := parseExpr(strings.TrimPrefix(b.Value, "(given) "))
							for ; y != nil; y = y.x {
								ty := r.r.typeOfExpr(y, f, at, b.Start-1)
								n := ""
								if ty.sym != nil {
									n = ty.sym.File.Path + "#" + ty.sym.Path + " T=" + ty.sym.Type + " V=" + ty.sym.Value
								}
								fmt.Printf("        op=%d name=%q -> kind=%d sym=%s name=%s\n", y.op, y.name, ty.kind, n, ty.name)
							}
						}
					}
				}
			}
		}
	}
}

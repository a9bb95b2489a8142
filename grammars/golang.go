package grammars

func golang() Language {
	return Language{
		ID: "go", Name: "Go", Extensions: []string{".go"},
		Queries: func() Queries {
			return Queries{Definitions: query("go/definitions"), Imports: query("go/imports"), References: query("go/references")}
		},
		Recovery: Recovery{
			Starts:  []string{"func ", "type ", "var ", "const ", "import ", "//go:"},
			Closers: braces(),
			Headers: []Header{
				{"function", `^func\s+([\pL_][\pL\pN_]*)`},
				{"method", `^func\s*\([^)]*\)\s*([\pL_][\pL\pN_]*)`},
				{"type", `^type\s+([\pL_][\pL\pN_]*)`},
			},
		},
		Comments: Comments{Line: []string{"//"}, Block: [][2]string{{"/*", "*/"}}},
		Strings:  []string{"`", `"`, "'"}, Resolution: ResolveGo,
		Gaps: []string{"type parameters of type aliases", "new with a value"},
	}
}

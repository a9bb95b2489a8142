package grammars

func java() Language {
	return Language{
		ID: "java", Name: "Java", Extensions: []string{".java"},
		Queries: func() Queries {
			return Queries{Definitions: query("java/definitions"), Imports: query("java/imports"), References: query("java/references")}
		},
		Recovery: Recovery{
			Starts: []string{
				"public ", "protected ", "private ", "abstract ", "final ", "sealed ", "non-sealed ", "strictfp ", "static ",
				"class ", "interface ", "enum ", "record ", "@", "import ", "package ",
			},
			Closers: braces(),
			Headers: []Header{
				{"class", `(?m)^(?:[a-z-]+\s+)*(?:class|record)\s+([\pL_$][\pL\pN_$]*)`},
				{"interface", `(?m)^(?:[a-z-]+\s+)*@?interface\s+([\pL_$][\pL\pN_$]*)`},
				{"enum", `(?m)^(?:[a-z-]+\s+)*enum\s+([\pL_$][\pL\pN_$]*)`},
			},
		},
		Comments: Comments{Line: []string{"//"}, Block: [][2]string{{"/*", "*/"}}},
		Strings:  []string{`"""`, `"`, "'"}, Resolution: ResolveJVM, BareMembers: true,
		Gaps: []string{"module imports", "statements before super(…)"},
	}
}

package grammars

func kotlin() Language {
	return Language{
		ID: "kotlin", Name: "Kotlin", Extensions: []string{".kt", ".kts"},
		Queries: func() Queries {
			return Queries{Definitions: query("kotlin/definitions"), Imports: query("kotlin/imports"), References: query("kotlin/references")}
		},
		Recovery: Recovery{
			Starts: []string{
				"package ", "import ", "public ", "internal ", "private ", "protected ", "abstract ", "open ", "sealed ", "data ",
				"enum ", "annotation ", "value ", "inline ", "expect ", "actual ", "external ", "const ", "lateinit ", "suspend ",
				"operator ", "infix ", "tailrec ", "class ", "interface ", "object ", "fun ", "val ", "var ", "typealias ", "@",
				"//", "/**",
			},
			Closers: braces(),
			Headers: []Header{
				{"function", `(?m)^(?:[a-z]+\s+)*fun\s+(?:<[^>]*>\s*)?(?:[\pL_][\pL\pN_<>?.*]*\.)?([\pL_][\pL\pN_]*)`},
				{"enum", `(?m)^(?:[a-z]+\s+)*enum\s+class\s+([\pL_][\pL\pN_]*)`},
				{"class", `(?m)^(?:[a-z]+\s+)*(?:class|object)\s+([\pL_][\pL\pN_]*)`},
				{"interface", `(?m)^(?:[a-z]+\s+)*interface\s+([\pL_][\pL\pN_]*)`},
				{"type", `(?m)^(?:[a-z]+\s+)*typealias\s+([\pL_][\pL\pN_]*)`},
				{"var", `(?m)^(?:[a-z]+\s+)*va[lr]\s+(?:[\pL_][\pL\pN_<>?.*]*\.)?([\pL_][\pL\pN_]*)`},
			},
			Blank: []string{
				// the grammar takes "fun interface" for a function
				`(?m)^[ \t]*(?:(?:public|internal|private|protected|sealed|expect|actual)[ \t]+)*(fun[ \t]+)interface\b`,
				// the grammar does not know these modifiers everywhere
				`\b(actual|expect)[ \t]+(?:[a-z]+[ \t]+)*(?:constructor|va[lr]|fun|class|interface|object|typealias)\b`,
			},
		},
		Comments: Comments{Line: []string{"//"}, Block: [][2]string{{"/*", "*/"}}},
		Strings:  []string{`"""`, `"`, "'"}, Resolution: ResolveJVM, BareMembers: true,
		Gaps:   []string{"ranges that leave their end out (..<)", "guards of when", "strings with several dollars", "context parameters"},
		Limits: []string{"what the name \"it\" stands for", "the members that data classes get"},
	}
}

package grammars

func python() Language {
	return Language{
		ID: "python", Name: "Python", Extensions: []string{".py", ".pyi"},
		Queries: func() Queries {
			return Queries{Definitions: query("python/definitions"), Imports: query("python/imports"), References: query("python/references")}
		},
		Recovery: Recovery{
			Starts:  []string{"def ", "class ", "async ", "@", "import ", "from ", "if ", "for ", "while ", "try:", "with "},
			Closers: []string{"\n", ")\n", "]\n", "}\n", "):\n  pass\n", "\n  pass\n"},
			Headers: []Header{
				{"function", `^(?:async\s+)?def\s+([\pL_][\pL\pN_]*)`},
				{"class", `^class\s+([\pL_][\pL\pN_]*)`},
			},
		},
		Comments: Comments{Line: []string{"#"}},
		Strings:  []string{`"""`, "'''", `"`, "'"}, Resolution: ResolvePython,
		Gaps: []string{"defaults of type parameters (PEP 696)", "template strings (PEP 750)"},
	}
}

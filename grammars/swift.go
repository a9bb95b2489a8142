package grammars

func swift() Language {
	return Language{
		ID: "swift", Name: "Swift", Extensions: []string{".swift"},
		Queries: func() Queries {
			return Queries{Definitions: query("swift/definitions"), Imports: query("swift/imports"), References: query("swift/references")}
		},
		Recovery: Recovery{
			Starts: []string{
				"func ", "class ", "struct ", "enum ", "protocol ", "extension ", "actor ", "import ", "let ", "var ", "typealias ",
				"public ", "private ", "fileprivate ", "internal ", "open ", "final ", "indirect ", "@",
			},
			Closers: braces(),
			Headers: []Header{
				{"function", `^(?:@\w+\s+|public\s+|private\s+|fileprivate\s+|internal\s+)*func\s+([\pL_][\pL\pN_]*)`},
				{"class", `^(?:@\w+\s+|public\s+|private\s+|fileprivate\s+|internal\s+|open\s+|final\s+)*(?:class|actor)\s+([\pL_][\pL\pN_]*)`},
				{"struct", `^(?:@\w+\s+|public\s+|private\s+|fileprivate\s+|internal\s+)*struct\s+([\pL_][\pL\pN_]*)`},
				{"enum", `^(?:@\w+\s+|public\s+|private\s+|fileprivate\s+|internal\s+|indirect\s+)*enum\s+([\pL_][\pL\pN_]*)`},
				{"interface", `^(?:@\w+\s+|public\s+|private\s+|fileprivate\s+|internal\s+)*protocol\s+([\pL_][\pL\pN_]*)`},
			},
		},
		Comments: Comments{Line: []string{"//"}, Block: [][2]string{{"/*", "*/"}}},
		Strings:  []string{`"""`, `"`}, Resolution: ResolveDotted,
		Gaps: []string{
			"free macros (#expect)", "noncopyable types", "nonisolated(unsafe)", "typed throws", "sending parameters",
			"commas at the end", "raw identifiers",
		},
		Limits: []string{"members behind binary operators (a + b.c)"},
	}
}

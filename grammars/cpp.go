package grammars

func cpp() Language {
	return Language{
		ID: "cpp", Name: "C++", Extensions: []string{".cc", ".cpp", ".cxx", ".c++", ".hh", ".hpp", ".hxx", ".h++", ".ipp", ".inl", ".tpp"},
		Queries: func() Queries {
			return Queries{
				Definitions: query("cpp/definitions", "c/common"),
				Imports:     query("c/imports"),
				References:  query("cpp/qualified_references", "c/common_references", "cpp/references", "c/references"),
			}
		},
		Recovery: Recovery{
			Flat: true, Starts: cStarts(), Closers: append(braces(), ";\n", "\n};\n", "\n};}\n", "\n#endif\n"),
			Headers: cHeaders(), Blank: cBlanks(),
		},
		Comments: Comments{Line: []string{"//"}, Block: [][2]string{{"/*", "*/"}}},
		Strings:  []string{`"`, "'"}, Resolution: ResolveC, BareMembers: true,
		Gaps:   []string{"modules (export module)", "this as a parameter", "if consteval", "#if branches that cut a declaration in two"},
		Limits: []string{"what macros expand to", "names in the bodies of macros", "some comparisons that look like templates"},
	}
}

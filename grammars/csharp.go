package grammars

func csharp() Language {
	return Language{
		ID: "csharp", Name: "C#", Extensions: []string{".cs", ".csx"},
		Queries: func() Queries {
			return Queries{Definitions: query("csharp/definitions"), Imports: query("csharp/imports"), References: query("csharp/references")}
		},
		Recovery: Recovery{
			Starts: []string{
				"using ", "global ", "namespace ", "public ", "internal ", "private ", "protected ", "file ", "abstract ", "sealed ",
				"static ", "partial ", "readonly ", "unsafe ", "class ", "struct ", "record ", "interface ", "enum ", "delegate ",
				"[", "///",
			},
			Closers: braces(),
			Headers: []Header{
				{"module", `(?m)^namespace\s+([\pL_][\pL\pN_.]*)`},
				{"class", `(?m)^(?:[a-z]+\s+)*(?:class|record(?:\s+class|\s+struct)?)\s+([\pL_][\pL\pN_]*)`},
				{"struct", `(?m)^(?:[a-z]+\s+)*struct\s+([\pL_][\pL\pN_]*)`},
				{"interface", `(?m)^(?:[a-z]+\s+)*interface\s+([\pL_][\pL\pN_]*)`},
				{"enum", `(?m)^(?:[a-z]+\s+)*enum\s+([\pL_][\pL\pN_]*)`},
			},
		},
		Comments: Comments{Line: []string{"//"}, Block: [][2]string{{"/*", "*/"}}},
		Strings:  []string{`"""`, `"`, "'"}, Resolution: ResolveDotted, BareMembers: true,
		Gaps: []string{
			"params of other types than arrays", "allows ref struct", "extension blocks", "assignments behind ?.",
			"types without a body (class A;)", "collection expressions in arguments and conditions",
			"#if around attributes and members",
		},
		Limits: []string{"the name Attribute that an attribute may leave out"},
	}
}

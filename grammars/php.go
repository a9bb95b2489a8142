package grammars

func php() Language {
	return Language{
		ID: "php", Name: "PHP", Extensions: []string{".php", ".phtml", ".inc"},
		Queries: func() Queries {
			return Queries{Definitions: query("php/definitions"), Imports: query("php/imports"), References: query("php/references")}
		},
		Recovery: Recovery{
			Opener: "<?php\n",
			Starts: []string{
				"namespace ", "use ", "abstract ", "final ", "readonly ", "class ", "interface ", "trait ", "enum ", "function ",
				"const ", "define(", "#[", "//", "/**",
			},
			Closers: braces(),
			Headers: []Header{
				{"function", `(?m)^function\s+&?\s*([\pL_][\pL\pN_]*)`},
				{"class", `(?m)^(?:[a-z]+\s+)*(?:class|trait)\s+([\pL_][\pL\pN_]*)`},
				{"interface", `(?m)^interface\s+([\pL_][\pL\pN_]*)`},
				{"enum", `(?m)^enum\s+([\pL_][\pL\pN_]*)`},
			},
		},
		Comments: Comments{Line: []string{"//", "#"}, Block: [][2]string{{"/*", "*/"}}},
		Strings:  []string{`"`, "'", "`"}, Resolution: ResolveDotted,
		Gaps: []string{
			"constants in enumerations", "property hooks", "private(set) and protected(set)", "new without brackets",
			"the pipe operator",
		},
		Limits: []string{"types in comments (@var, @return)"},
	}
}

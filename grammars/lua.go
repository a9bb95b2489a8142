package grammars

func lua() Language {
	return Language{
		ID: "lua", Name: "Lua", Extensions: []string{".lua"},
		Queries: func() Queries {
			return Queries{Definitions: query("lua/definitions"), Imports: query("lua/imports"), References: query("lua/references")}
		},
		Recovery: Recovery{
			Starts:  []string{"function ", "local ", "return ", "if ", "for ", "while ", "do\n"},
			Closers: []string{"\nend\n", "\nend)\n", "\nend end\n", "\n}\n", ")\n"},
			Headers: []Header{{"function", `^(?:local\s+)?function\s+([\pL_][\pL\pN_.:]*)`}},
			Blank: []string{
				// the grammar parses types and more in such comments, and knows few of them
				`(?m)^[ \t]*--(-(?:[^\]\n]|\][^\]\n])*\]?)$`,
				// the grammar does not know calls of the result of a method in a statement
				`(?m)^[ \t]*[\w.]+:\w+\([^\n]*\)(\([^()\n]*\))[ \t]*$`,
			},
		},
		Comments: Comments{Line: []string{"--"}, Block: [][2]string{{"--[[", "]]"}}},
		Strings:  []string{`"`, "'"}, Resolution: ResolvePath,
		Gaps: []string{"goto and labels", "attributes (`<const>`, `<close>`)"},
	}
}

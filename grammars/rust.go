package grammars

func rust() Language {
	return Language{
		ID: "rust", Name: "Rust", Extensions: []string{".rs"},
		Queries: func() Queries {
			return Queries{Definitions: query("rust/definitions"), Imports: query("rust/imports"), References: query("rust/references")}
		},
		Recovery: Recovery{
			Starts: []string{
				"fn ", "pub ", "pub(", "struct ", "enum ", "union ", "trait ", "impl ", "impl<", "type ", "const ", "static ",
				"mod ", "use ", "async ", "unsafe ", "extern ", "macro_rules!", "#[", "//", "/**",
			},
			Closers: braces(),
			Headers: []Header{
				{"", `(?m)^(?:unsafe\s+)?impl\b(?:<(?:[^<>]|<(?:[^<>]|<[^<>]*>)*>)*>)?\s+(?:[^{;\n]*\bfor\s+)?&?(?:[\pL_][\pL\pN_]*::)*([\pL_][\pL\pN_]*)`},
				{"function", `(?m)^(?:pub(?:\([^)]*\))?\s+)?(?:default\s+)?(?:const\s+)?(?:async\s+)?(?:unsafe\s+)?(?:safe\s+)?(?:extern\s+(?:"[^"]*"\s+)?)?fn\s+([\pL_][\pL\pN_]*)`},
				{"struct", `(?m)^(?:pub(?:\([^)]*\))?\s+)?(?:struct|union)\s+([\pL_][\pL\pN_]*)`},
				{"enum", `(?m)^(?:pub(?:\([^)]*\))?\s+)?enum\s+([\pL_][\pL\pN_]*)`},
				{"interface", `(?m)^(?:pub(?:\([^)]*\))?\s+)?(?:unsafe\s+)?trait\s+([\pL_][\pL\pN_]*)`},
				{"type", `(?m)^(?:pub(?:\([^)]*\))?\s+)?type\s+([\pL_][\pL\pN_]*)`},
				{"const", `(?m)^(?:pub(?:\([^)]*\))?\s+)?const\s+([\pL_][\pL\pN_]*)`},
				{"var", `(?m)^(?:pub(?:\([^)]*\))?\s+)?static\s+(?:mut\s+)?([\pL_][\pL\pN_]*)`},
			},
		},
		Comments: Comments{Line: []string{"//"}, Block: [][2]string{{"/*", "*/"}}},
		Strings:  []string{`"`}, Resolution: ResolveRust,
		Gaps: []string{
			"&raw const and &raw mut", "unsafe extern blocks", "async closures", "gen blocks",
			"default values of const parameters",
		},
	}
}

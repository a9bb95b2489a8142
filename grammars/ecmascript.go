package grammars

// ecmaRecovery returns the recovery rules that JavaScript and TypeScript share.
func ecmaRecovery() Recovery {
	return Recovery{
		Starts: []string{
			"export ", "import ", "function ", "function*", "async ", "class ", "abstract ", "interface ", "type ",
			"enum ", "namespace ", "declare ", "const ", "let ", "var ", "module.", "exports.", "@",
		},
		Closers: braces(),
		Headers: []Header{
			{"function", `^(?:export\s+)?(?:default\s+)?(?:declare\s+)?(?:async\s+)?function\s*\*?\s*([\pL_$][\pL\pN_$]*)`},
			{"class", `^(?:export\s+)?(?:default\s+)?(?:declare\s+)?(?:abstract\s+)?class\s+([\pL_$][\pL\pN_$]*)`},
			{"interface", `^(?:export\s+)?(?:default\s+)?(?:declare\s+)?interface\s+([\pL_$][\pL\pN_$]*)`},
			{"type", `^(?:export\s+)?(?:declare\s+)?type\s+([\pL_$][\pL\pN_$]*)`},
			{"enum", `^(?:export\s+)?(?:declare\s+)?(?:const\s+)?enum\s+([\pL_$][\pL\pN_$]*)`},
			{"const", `^(?:export\s+)?(?:declare\s+)?const\s+([\pL_$][\pL\pN_$]*)`},
			{"var", `^(?:export\s+)?(?:declare\s+)?(?:let|var)\s+([\pL_$][\pL\pN_$]*)`},
		},
	}
}

func ecmaComments() Comments {
	return Comments{Line: []string{"//"}, Block: [][2]string{{"/*", "*/"}}}
}

func typescript() Language {
	return Language{
		ID: "typescript", Name: "TypeScript", Extensions: []string{".ts", ".mts", ".cts"},
		Queries: typescriptQueries, Recovery: ecmaRecovery(), Comments: ecmaComments(),
		Strings: []string{"`", `"`, "'"}, Resolution: ResolveES, Gaps: typescriptGaps(),
	}
}

func typescriptGaps() []string {
	return []string{"variance of type parameters (in, out)", "export type * as", "using in a loop", "import defer"}
}

func tsx() Language {
	return Language{
		ID: "tsx", Name: "TypeScript JSX", Extensions: []string{".tsx"},
		Queries: tsxQueries, Recovery: ecmaRecovery(), Comments: ecmaComments(),
		Strings: []string{"`", `"`, "'"}, Resolution: ResolveES, Gaps: typescriptGaps(),
	}
}

// TypeScript's own patterns come first because they say more.
func typescriptQueries() Queries {
	return Queries{
		Definitions: query("typescript/definitions", "javascript/common"),
		Imports:     query("typescript/imports", "javascript/imports"),
		References:  query("typescript/references", "javascript/uses"),
	}
}

func tsxQueries() Queries {
	q := typescriptQueries()
	q.References = query("typescript/references", "javascript/jsx", "javascript/uses")
	return q
}

func javascript() Language {
	return Language{
		ID: "javascript", Name: "JavaScript", Extensions: []string{".js", ".jsx", ".mjs", ".cjs"},
		Queries: func() Queries {
			return Queries{
				Definitions: query("javascript/common", "javascript/definitions"),
				Imports:     query("javascript/imports"),
				References:  query("javascript/references", "javascript/jsx", "javascript/uses"),
			}
		},
		Recovery: ecmaRecovery(), Comments: ecmaComments(), Strings: []string{"`", `"`, "'"}, Resolution: ResolveES,
		Gaps: []string{"using", "accessor fields", "import defer"},
	}
}

package grammars

import "strings"

// The languages that have structure only: headings and keys.

func markdown() Language {
	return Language{
		ID: "markdown", Name: "Markdown", Extensions: []string{".md", ".markdown", ".mdx"},
		Queries:  func() Queries { return Queries{} }, // package extract finds headings with its own parser
		Comments: Comments{Block: [][2]string{{"<!--", "-->"}}},
		Limits:   []string{"JSX in MDX"},
	}
}

func yaml() Language {
	return Language{
		ID: "yaml", Name: "YAML", Extensions: []string{".yaml", ".yml"}, Filenames: []string{".clang-format", ".clang-tidy"},
		Queries:  structure("yaml/definitions"),
		Recovery: Recovery{Keys: `(?m)^[ \t]*(?:- +)*("[^"\n]*"|'[^'\n]*'|[^\s#&*!|>%@{}\[\],"'?-][^#\n]*?)[ \t]*:(?:[ \t]|$)`},
		Comments: Comments{Line: []string{"#"}},
		Strings:  []string{`"`, "'"},
		Limits:   []string{"templates in YAML (Helm)"},
	}
}

func toml() Language {
	return Language{
		ID: "toml", Name: "TOML", Extensions: []string{".toml"}, Filenames: []string{"Cargo.lock", "poetry.lock", "uv.lock", "Pipfile"},
		Queries:  structure("toml/definitions"),
		Recovery: Recovery{Starts: append(letters(), "[", `"`, "'"), Closers: []string{"\n", "]\n", "}\n", "]]\n"}},
		Comments: Comments{Line: []string{"#"}},
		Strings:  []string{`"""`, "'''", `"`, "'"},
	}
}

// json uses the YAML grammar: JSON is a subset of YAML, except for its comments.
func json() Language {
	return Language{
		ID: "json", Name: "JSON", Extensions: []string{".json", ".jsonc", ".json5", ".webmanifest"},
		Filenames: []string{".babelrc", ".eslintrc", ".prettierrc", "composer.lock"},
		Queries:   structure("yaml/definitions"),
		Recovery: Recovery{
			Keys: `(?m)^[ \t]*("(?:[^"\\\n]|\\.)*")[ \t]*:`,
			Blank: []string{
				`(?m)^[ \t]*(//.*)$`,
				`(?m)[,{}\[\]][ \t]*(//[^"\n]*)$`,
				`(?ms)^[ \t]*(/\*.*?\*/)`,
			},
		},
		Comments: Comments{Line: []string{"//"}, Block: [][2]string{{"/*", "*/"}}},
		Strings:  []string{`"`},
		Limits:   []string{"several values in one file (JSON lines)", "comments between a key and its value"},
	}
}

func structure(definitions string) func() Queries {
	return func() Queries { return Queries{Definitions: query(definitions)} }
}

// letters returns every first letter of a word, for languages in which any word in the
// first column begins a declaration.
func letters() []string {
	return strings.Split("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_", "")
}

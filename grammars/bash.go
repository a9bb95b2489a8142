package grammars

func bash() Language {
	return Language{
		ID: "bash", Name: "Shell", Extensions: []string{".sh", ".bash", ".bats", ".ksh"},
		Filenames: []string{".bashrc", ".bash_profile", ".bash_aliases", ".profile", "PKGBUILD", "APKBUILD"},
		Queries: func() Queries {
			return Queries{Definitions: query("bash/definitions"), Imports: query("bash/imports"), References: query("bash/references")}
		},
		Recovery: Recovery{
			Starts:  letters(), // a function may begin with its name
			Closers: []string{"\n}\n", "\nfi\n", "\ndone\n", "\nesac\n", "\n)\n"},
			Headers: []Header{
				{"function", `^function\s+([\w:.-]+)`},
				{"function", `^([\w:.-]+)\s*\(\)`},
			},
		},
		Comments: Comments{Line: []string{"#"}},
		Strings:  []string{`"`, "'"}, Resolution: ResolvePath,
		Gaps:   []string{"substitutions in the same shell"},
		Limits: []string{"two assignments on one line before a line with a command", "zsh"},
	}
}

package grammars

func ruby() Language {
	return Language{
		ID: "ruby", Name: "Ruby", Extensions: []string{".rb", ".rake", ".gemspec", ".ru", ".podspec"},
		Filenames: []string{"Rakefile", "Gemfile", "Guardfile", "Capfile", "Vagrantfile", "Podfile", "Fastfile", "Brewfile"},
		Queries: func() Queries {
			return Queries{Definitions: query("ruby/definitions"), Imports: query("ruby/imports"), References: query("ruby/references")}
		},
		Recovery: Recovery{
			Starts:  []string{"def ", "class ", "module ", "require ", "require_relative ", "describe ", "RSpec.", "task ", "namespace "},
			Closers: []string{"\nend\n", "\nend\nend\n", "\nend\nend\nend\n", ")\nend\n", ")\nend\nend\n", "\nend\nend\nend\nend\n"},
			Headers: []Header{
				{"function", `^def\s+(?:self\.)?([\pL_][\pL\pN_]*[?!=]?)`},
				{"class", `^class\s+(?:[\pL\pN_]+::)*([\pL_][\pL\pN_]*)`},
				{"module", `^module\s+([\pL_][\pL\pN_:]*)`},
			},
		},
		Comments: Comments{Line: []string{"#"}, Block: [][2]string{{"=begin", "=end"}}},
		Strings:  []string{`"`, "'", "`"}, Resolution: ResolvePath, BareMembers: true,
		Gaps: []string{"operators at the start of a line"},
		Limits: []string{"methods that are made while the program runs", "names of methods that are given as symbols",
			"some patterns behind a comma"},
	}
}

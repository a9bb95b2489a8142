package grammars

func elixir() Language {
	return Language{
		ID: "elixir", Name: "Elixir", Extensions: []string{".ex", ".exs"},
		Queries: func() Queries {
			return Queries{Definitions: query("elixir/definitions"), Imports: query("elixir/imports"), References: query("elixir/references")}
		},
		Recovery: Recovery{
			Starts:  []string{"defmodule ", "defprotocol ", "defimpl ", "import ", "alias ", "use "},
			Closers: []string{"\nend\n", "\nend\nend\n", "\nend)\nend\nend\n"},
			Headers: []Header{{"module", `^defmodule\s+([\pL_][\pL\pN_.]*)`}},
		},
		Comments: Comments{Line: []string{"#"}},
		Strings:  []string{`"""`, `"`, "'"}, Resolution: ResolveDotted,
		Limits: []string{"what macros declare"},
	}
}

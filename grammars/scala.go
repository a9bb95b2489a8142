package grammars

func scala() Language {
	return Language{
		ID: "scala", Name: "Scala", Extensions: []string{".scala", ".sc", ".sbt"},
		Queries: func() Queries {
			return Queries{Definitions: query("scala/definitions"), Imports: query("scala/imports"), References: query("scala/references")}
		},
		Recovery: Recovery{
			Starts: []string{
				"class ", "object ", "trait ", "enum ", "case class ", "case object ", "abstract class ", "sealed ", "final ", "def ",
				"val ", "var ", "type ", "given ", "extension ", "import ", "package ", "private ", "protected ", "implicit ", "@",
			},
			Closers: braces(),
			Headers: []Header{
				{"class", `^(?:(?:sealed|final|abstract|case|implicit|private|protected)\s+)*class\s+([\pL_$][\pL\pN_$]*)`},
				{"module", `^(?:(?:case|private|implicit)\s+)*object\s+([\pL_$][\pL\pN_$]*)`},
				{"interface", `^(?:(?:sealed|private)\s+)*trait\s+([\pL_$][\pL\pN_$]*)`},
				{"function", `^(?:(?:private|inline|override)\s+)*def\s+([\pL_$][\pL\pN_$]*)`},
			},
		},
		Comments: Comments{Line: []string{"//"}, Block: [][2]string{{"/*", "*/"}}},
		Strings:  []string{`"""`, `"`}, Resolution: ResolveDotted,
		Gaps:   []string{"named tuples", "bounds of contexts with names"},
		Limits: []string{"some significant indentation"},
	}
}

package grammars

// Outline describes a language without a grammar by the first lines of its
// declarations. Package extract splits such a file into words, strings and brackets.
type Outline struct {
	// Declarations are tried in this order at the beginning of each line that is not
	// inside of a string, a comment or a heredoc. The first that matches counts.
	Declarations []Declaration
	Skip         string // a regular expression for lines that begin no declaration, "" for none
	LongStrings  bool   // strings with a delimiter of one character go over several lines, too
	Heredocs     bool   // <<WORD begins text that goes to a line with that word
	DollarQuotes bool   // $word$ begins text that goes to the next $word$ (PostgreSQL)
	Continued    bool   // a backslash at its end continues a line
	LineBrackets bool   // brackets end with their line
	HereStrings  bool   // @" at the end of a line begins text that goes to a line with "@, and so does @' (PowerShell)
	Interpolated bool   // ${...} in a string is code, which may hold strings
	Perl         bool   // q, qw, m, s and their like quote up to any mark, a slash does so where a value is expected, and documentation stands between the code
	Dialects     bool   // in some of its dialects a backslash is a letter in a string, unless the string begins with E (SQL)
	Escape       byte   // what takes the meaning from a delimiter in a string; 0 for a backslash
}

// Declaration is one kind of declaration.
type Declaration struct {
	Kind string // as extract.Symbol.Kind; "section" for one that reaches to the next one
	// Pattern is a regular expression from the beginning of a line. Its group "name" is
	// the name. Groups whose names begin with "of" are what the name is a part of.
	Pattern string
	Of      string   // what the name is a part of, before the groups
	Ends    Ends     // where it ends; a section needs none
	Word    string   // for EndWord: the word
	Body    bool     // for EndBrace: it counts only if there are braces
	Within  []string // kinds that may directly enclose it, "" for none; nil for all
}

// Ends says where a declaration ends. Brackets that open in it are in it as a whole.
type Ends int

// The ends of declarations.
const (
	EndLine      Ends = iota // with the line
	EndBrace                 // with the first braces, or before them with a semicolon or the line
	EndParen                 // with the first parentheses
	EndStatement             // with a semicolon
	EndItem                  // before a comma, or with what encloses it
	EndIndent                // before a line that is indented no deeper than the first
	EndWord                  // with a line that begins with a word
)

// outlined returns a language that has an outline instead of a grammar.
func outlined(id, name string, extensions []string, o Outline) Language {
	return Language{
		ID: id, Name: name, Extensions: extensions, Queries: func() Queries { return Queries{} }, Outline: &o,
		Comments: Comments{Line: []string{"//"}, Block: [][2]string{{"/*", "*/"}}}, Strings: []string{`"`, "'"},
	}
}

// hash makes number signs the comments of a language.
func hash(l Language) Language {
	l.Comments = Comments{Line: []string{"#"}}
	return l
}

func hcl() Language {
	l := outlined("hcl", "HCL (Terraform)", []string{".tf", ".tfvars", ".tofu", ".hcl", ".nomad"}, Outline{
		Heredocs: true, Interpolated: true,
		Declarations: []Declaration{
			{Kind: "key", Pattern: `resource[ \t]+"(?P<of>[^"\n]+)"[ \t]+"(?P<name>[^"\n]+)"[ \t]*\{`, Ends: EndBrace},
			{Kind: "var", Pattern: `variable[ \t]+"(?P<name>[^"\n]+)"[ \t]*\{`, Of: "var", Ends: EndBrace},
			{Kind: "key", Pattern: `[ \t]*(?P<of>[\w-]+)[ \t]+"(?P<of2>[^"\n]+)"[ \t]+"(?P<name>[^"\n]+)"[ \t]*\{`, Ends: EndBrace},
			{Kind: "key", Pattern: `[ \t]*(?P<of>[\w-]+)[ \t]+"(?P<name>[^"\n]+)"[ \t]*\{`, Ends: EndBrace},
			{Kind: "key", Pattern: `[ \t]*(?P<name>[\w-]+)[ \t]*\{`, Ends: EndBrace},
			{Kind: "key", Pattern: `[ \t]*(?P<name>[\w-]+|"[^"\n]+")[ \t]*=(?:[^=>]|\r?$)`, Ends: EndLine},
		},
	})
	l.Comments.Line = []string{"#", "//"}
	l.Strings = []string{`"`}
	return l
}

func dockerfile() Language {
	l := hash(outlined("dockerfile", "Dockerfile", []string{".dockerfile"}, Outline{
		Heredocs: true, Continued: true, LineBrackets: true,
		Declarations: []Declaration{
			{Kind: "section", Pattern: `(?i:FROM[ \t]+(?:--\S+[ \t]+)*\S+[ \t]+AS[ \t]+)(?P<name>\S+)`},
			{Kind: "section", Pattern: `(?i:FROM[ \t]+(?:--\S+[ \t]+)*)(?P<name>\S+)`},
			{Kind: "key", Pattern: `(?i:ARG|ENV|LABEL)[ \t]+(?P<name>[\w.-]+)`, Ends: EndLine},
			{Kind: "key", Pattern: `(?P<name>(?i:ENTRYPOINT|CMD|HEALTHCHECK|USER|WORKDIR|EXPOSE))[ \t]`, Ends: EndLine},
		},
	}))
	l.Filenames = []string{"Dockerfile", "Dockerfile.*", "Containerfile", "Containerfile.*"}
	return l
}

func makefile() Language {
	l := hash(outlined("make", "Makefile", []string{".mk", ".mak"}, Outline{
		Continued: true, LineBrackets: true,
		Skip: `[ \t]*(?:ifeq|ifneq|ifdef|ifndef|else|endif|-?include|sinclude|\$\()`,
		Declarations: []Declaration{
			{Kind: "function", Pattern: `(?:override[ \t]+)?define[ \t]+(?P<name>[\w.-]+)`, Ends: EndWord, Word: "endef"},
			{Kind: "var", Pattern: `(?:(?:export|override|private)[ \t]+)*(?P<name>[^\s:#=?+!]+)[ \t]*(?::{0,3}|[?+!])=`, Ends: EndLine},
			{Kind: "function", Pattern: `(?P<name>(?:[^\s:#=.]|\.[^A-Z\s])[^:#=\n]*?)[ \t]*::?(?:[^:=\n]|\r?$)`, Ends: EndIndent},
		},
	}))
	l.Filenames = []string{"Makefile", "makefile", "GNUmakefile", "Makefile.*"}
	return l
}

func proto() Language {
	return outlined("proto", "Protocol Buffers", []string{".proto"}, Outline{
		Skip: `[ \t]*(?:option|syntax|edition|package|import|reserved|extensions)\b`,
		Declarations: []Declaration{
			{Kind: "struct", Pattern: `[ \t]*(?:message|extend|group)[ \t]+(?P<name>[\w.]+)`, Ends: EndBrace},
			{Kind: "enum", Pattern: `[ \t]*enum[ \t]+(?P<name>\w+)`, Ends: EndBrace},
			{Kind: "interface", Pattern: `[ \t]*service[ \t]+(?P<name>\w+)`, Ends: EndBrace},
			{Kind: "field", Pattern: `[ \t]*oneof[ \t]+(?P<name>\w+)`, Ends: EndBrace},
			{Kind: "method", Pattern: `[ \t]*rpc[ \t]+(?P<name>\w+)`, Ends: EndBrace},
			{Kind: "field", Pattern: `[ \t]*(?:(?:repeated|optional|required)[ \t]+)?(?:map[ \t]*<[^>\n]*>|[\w.]+)[ \t]+(?P<name>\w+)[ \t]*=[ \t]*\d`, Ends: EndStatement},
			{Kind: "const", Pattern: `[ \t]*(?P<name>[A-Za-z_]\w*)[ \t]*=[ \t]*-?\d`, Ends: EndStatement, Within: []string{"enum"}},
		},
	})
}

func graphql() Language {
	l := hash(outlined("graphql", "GraphQL", []string{".graphql", ".gql", ".graphqls"}, Outline{
		Declarations: []Declaration{
			{Kind: "struct", Pattern: `(?:extend[ \t]+)?(?:type|input)[ \t]+(?P<name>\w+)`, Ends: EndBrace},
			{Kind: "interface", Pattern: `(?:extend[ \t]+)?interface[ \t]+(?P<name>\w+)`, Ends: EndBrace},
			{Kind: "enum", Pattern: `(?:extend[ \t]+)?enum[ \t]+(?P<name>\w+)`, Ends: EndBrace},
			{Kind: "type", Pattern: `(?:extend[ \t]+)?(?:union|scalar)[ \t]+(?P<name>\w+)`, Ends: EndLine},
			{Kind: "function", Pattern: `directive[ \t]+@(?P<name>\w+)`, Ends: EndLine},
			{Kind: "function", Pattern: `(?:query|mutation|subscription|fragment)[ \t]+(?P<name>\w+)`, Ends: EndBrace},
			{Kind: "field", Pattern: `[ \t]+(?P<name>\w+)[ \t]*[(:]`, Ends: EndLine, Within: []string{"struct", "interface"}},
			{Kind: "const", Pattern: `[ \t]+(?P<name>\w+)[ \t]*(?:[@#]|\r?$)`, Ends: EndLine, Within: []string{"enum"}},
		},
	}))
	l.Strings = []string{`"""`, `"`}
	return l
}

func prisma() Language {
	return outlined("prisma", "Prisma", []string{".prisma"}, Outline{
		Declarations: []Declaration{
			{Kind: "struct", Pattern: `(?:model|view|type)[ \t]+(?P<name>\w+)`, Ends: EndBrace},
			{Kind: "enum", Pattern: `enum[ \t]+(?P<name>\w+)`, Ends: EndBrace},
			{Kind: "key", Pattern: `(?:datasource|generator)[ \t]+(?P<name>\w+)`, Ends: EndBrace},
			{Kind: "field", Pattern: `[ \t]+(?P<name>\w+)[ \t]+[A-Za-z]`, Ends: EndLine, Within: []string{"struct"}},
			{Kind: "key", Pattern: `[ \t]+(?P<name>@@\w+)`, Ends: EndLine, Within: []string{"struct"}},
			{Kind: "key", Pattern: `[ \t]+(?P<name>\w+)[ \t]*=`, Ends: EndLine, Within: []string{"key"}},
			{Kind: "const", Pattern: `[ \t]+(?P<name>\w+)`, Ends: EndLine, Within: []string{"enum"}},
		},
	})
}

func sql() Language {
	const (
		create = `[ \t]*(?i:CREATE[ \t]+(?:OR[ \t]+REPLACE[ \t]+)?(?:(?:TEMP|TEMPORARY|UNLOGGED|GLOBAL|LOCAL|EXTERNAL|FOREIGN|VIRTUAL|MATERIALIZED|RECURSIVE|UNIQUE|FULLTEXT|CLUSTERED|CONSTRAINT|AGGREGATE)[ \t]+)*`
		name   = `)[ \t]+(?i:CONCURRENTLY[ \t]+)?(?i:IF[ \t]+NOT[ \t]+EXISTS[ \t]+)?(?P<name>["` + "`" + `\[]?\w[\w.$"` + "`" + `\[\]-]*)`
	)
	l := outlined("sql", "SQL", []string{".sql", ".ddl", ".pgsql"}, Outline{
		LongStrings: true, DollarQuotes: true, Dialects: true,
		Skip: `[ \t]*(?i:PRIMARY|FOREIGN|UNIQUE|CHECK|KEY|INDEX|LIKE|EXCLUDE|PARTITION|REFERENCES|ON|AND|OR|NOT|SELECT|FROM|WHERE|AS|WITH|DEFAULT|GENERATED|ADD|DROP)\b`,
		Declarations: []Declaration{
			{Kind: "struct", Pattern: create + `(?:TABLE|VIEW)` + name, Ends: EndStatement},
			{Kind: "function", Pattern: create + `(?:FUNCTION|PROCEDURE)` + name, Ends: EndStatement},
			{Kind: "type", Pattern: create + `(?:TRIGGER|INDEX|TYPE|SCHEMA|SEQUENCE|DOMAIN|POLICY|EXTENSION|ROLE|RULE|DATABASE)` + name, Ends: EndStatement},
			{Kind: "key", Pattern: `[ \t]*(?i:ALTER[ \t]+TABLE[ \t]+(?:IF[ \t]+EXISTS[ \t]+)?(?:ONLY[ \t]+)?)(?P<name>["` + "`" + `\[]?\w[\w.$"` + "`" + `\[\]-]*)`, Of: "alter", Ends: EndStatement},
			{Kind: "key", Pattern: `[ \t]+(?i:CONSTRAINT)[ \t]+(?P<name>["` + "`" + `]?\w+["` + "`" + `]?)`, Ends: EndItem, Within: []string{"struct"}},
			{Kind: "field", Pattern: `[ \t]+(?P<name>["` + "`" + `\[]?\w+["` + "`" + `\]]?)[ \t]+[A-Za-z]`, Ends: EndItem, Within: []string{"struct"}},
		},
	})
	l.Comments.Line = []string{"--"}
	l.Strings = []string{"'", `"`, "`"}
	return l
}

func css() Language {
	return outlined("css", "CSS, SCSS, Less", []string{".css", ".scss", ".less", ".pcss"}, Outline{
		Declarations: []Declaration{
			{Kind: "function", Pattern: `[ \t]*@(?:mixin|function)[ \t]+(?P<name>[\w-]+)`, Ends: EndBrace},
			{Kind: "var", Pattern: `[ \t]*(?P<name>(?:--|[$@])[\w-]+)[ \t]*:`, Ends: EndStatement},
			{Kind: "key", Pattern: `[ \t]*(?P<name>(?:#\{[^{}\n]*\}|#[^\s{]|[^\s{};/#])(?:#\{[^{}\n]*\}|#[^{\n]|[^{};\n#])*?)[ \t]*\{`, Ends: EndBrace},
		},
	})
}

func ini() Language {
	l := outlined("ini", "INI, properties", []string{".ini", ".cfg", ".properties", ".service", ".editorconfig"}, Outline{
		LineBrackets: true,
		Declarations: []Declaration{
			{Kind: "section", Pattern: `[ \t]*\[(?P<name>[^\]\n]+)\]`},
			{Kind: "key", Pattern: `(?:export[ \t]+)?(?P<name>[\w./-]+)[ \t]*[=:]`, Ends: EndIndent},
		},
	})
	l.Comments = Comments{Line: []string{"#", ";"}}
	// Not .env itself, which is no file for everybody to read.
	l.Filenames = []string{".env.example", ".env.sample", ".env.template", ".env.dist", ".env.defaults", ".flake8", ".pylintrc"}
	return l
}

func starlark() Language {
	l := hash(outlined("starlark", "Starlark (Bazel)", []string{".bzl", ".bazel", ".star"}, Outline{
		Declarations: []Declaration{
			{Kind: "function", Pattern: `def[ \t]+(?P<name>\w+)`, Ends: EndIndent},
			{Kind: "key", Pattern: `[A-Za-z_][\w.]*\((?s:[^()]*?)\bname[ \t]*=[ \t]*"(?P<name>[^"\n]+)"`, Ends: EndParen},
			{Kind: "var", Pattern: `(?P<name>[A-Za-z_]\w*)[ \t]*=(?:[^=]|\r?$)`, Ends: EndLine},
		},
	}))
	l.Filenames = []string{"BUILD", "WORKSPACE", "Tiltfile"}
	l.Strings = []string{`"""`, "'''", `"`, "'"}
	return l
}

func nix() Language {
	const attribute = `(?:[A-Za-z_][\w'-]*|"[^"\n]*"|\$\{[^}\n]*\})`
	l := hash(outlined("nix", "Nix", []string{".nix"}, Outline{
		LongStrings: true, Interpolated: true,
		Declarations: []Declaration{{Kind: "key", Pattern: `[ \t]*(?P<name>` + attribute + `(?:\.` + attribute + `)*)[ \t]*=(?:[^=]|\r?$)`, Ends: EndStatement}},
	}))
	l.Comments.Block = [][2]string{{"/*", "*/"}}
	l.Strings = []string{"''", `"`}
	return l
}

func rlang() Language {
	l := hash(outlined("r", "R", []string{".r"}, Outline{
		LongStrings: true,
		Declarations: []Declaration{
			{Kind: "function", Pattern: `(?P<name>[\w.]+|` + "`[^`\n]+`" + `)[ \t]*(?:<<?-|=)[ \t]*(?:function\b|\\\()`, Ends: EndBrace},
			{Kind: "class", Pattern: `(?:[\w.]+[ \t]*<-[ \t]*)?(?:setClass|setRefClass|R6Class|R6::R6Class)\([ \t]*["'](?P<name>[\w.]+)`, Ends: EndParen},
			{Kind: "method", Pattern: `(?:setMethod|setGeneric|setValidity)\([ \t]*["'](?P<name>[^"'\n]+)`, Ends: EndParen},
			{Kind: "var", Pattern: `(?P<name>[\w.]+)[ \t]*<<?-`, Ends: EndLine},
		},
	}))
	l.Strings = []string{`"`, "'", "`"}
	return l
}

func zig() Language {
	outside := []string{"", "struct", "enum"}
	l := outlined("zig", "Zig", []string{".zig", ".zon"}, Outline{
		Declarations: []Declaration{
			{Kind: "function", Pattern: `[ \t]*(?:(?:pub|export|extern|inline|noinline)[ \t]+)*fn[ \t]+(?P<name>\w+|@"[^"\n]+")`, Ends: EndBrace},
			{Kind: "struct", Pattern: `[ \t]*(?:pub[ \t]+)?const[ \t]+(?P<name>\w+)[ \t]*=[ \t]*(?:(?:packed|extern)[ \t]+)?(?:struct|union|opaque)\b`, Ends: EndBrace, Within: outside},
			{Kind: "enum", Pattern: `[ \t]*(?:pub[ \t]+)?const[ \t]+(?P<name>\w+)[ \t]*=[ \t]*(?:enum|error)\b`, Ends: EndBrace, Within: outside},
			{Kind: "const", Pattern: `[ \t]*(?:(?:pub|export|extern|threadlocal)[ \t]+)*(?:const|var)[ \t]+(?P<name>\w+)`, Ends: EndStatement, Within: outside},
			{Kind: "function", Pattern: `test[ \t]+"(?P<name>[^"\n]+)"`, Of: "test", Ends: EndBrace},
			{Kind: "field", Pattern: `[ \t]+(?P<name>\w+):[ \t]`, Ends: EndItem, Within: []string{"struct"}},
		},
	})
	l.Comments.Block = nil
	return l
}

func dart() Language {
	outside := []string{"", "class", "enum"}
	const generics = `<(?:[^(){};=<>]|<(?:[^(){};=<>]|<[^(){};=<>]*>)*>)*>`
	l := outlined("dart", "Dart", []string{".dart"}, Outline{
		Interpolated: true,
		Skip:         `[ \t]*(?:if|for|while|switch|catch|return|await|assert|throw|else|do|try|import|export|part|library)\b`,
		Declarations: []Declaration{
			{Kind: "class", Pattern: `(?:(?:abstract|base|final|sealed|interface|mixin)[ \t]+)*(?:class|mixin)[ \t]+(?P<name>\w+)`, Ends: EndBrace},
			{Kind: "class", Pattern: `extension[ \t]+(?:type[ \t]+)?(?P<name>\w+)`, Ends: EndBrace},
			{Kind: "enum", Pattern: `enum[ \t]+(?P<name>\w+)`, Ends: EndBrace},
			{Kind: "type", Pattern: `typedef[ \t]+(?P<name>\w+)`, Ends: EndStatement},
			{Kind: "function", Pattern: `[ \t]*(?:[\w<>?,. \t\[\]]+[ \t])?(?:set[ \t]+)?(?P<name>[\w.]+)[ \t]*(?:` + generics + `)?\(`, Ends: EndBrace, Body: true, Within: outside},
			{Kind: "function", Pattern: `[ \t]*(?:[\w<>?,. \t\[\]]+[ \t])?get[ \t]+(?P<name>\w+)[ \t]*(?:async[ \t]*)?\{`, Ends: EndBrace, Within: outside},
			{Kind: "function", Pattern: `[ \t]*(?:[\w<>?,. \t\[\]]+[ \t])?(?:get[ \t]+)?(?P<name>\w+)[ \t]*(?:\([^;{}=]*\))?[ \t]*(?:async[ \t]*)?=>`, Ends: EndStatement, Within: outside},
			{Kind: "var", Pattern: `[ \t]*(?:(?:static|late|final|const|var|external|covariant)[ \t]+)+(?:[\w<>?,. \t]+[ \t])?(?P<name>\w+)[ \t]*[=;]`, Ends: EndStatement, Within: outside},
		},
	})
	l.Strings = []string{`"""`, "'''", `"`, "'"}
	return l
}

func powershell() Language {
	l := outlined("powershell", "PowerShell", []string{".ps1", ".psm1"}, Outline{
		LongStrings: true, HereStrings: true, Escape: '`',
		Declarations: []Declaration{
			{Kind: "function", Pattern: `[ \t]*(?i:function|filter)[ \t]+(?:\w+:)?(?P<name>[\w-]+)`, Ends: EndBrace},
			{Kind: "class", Pattern: `(?i:class)[ \t]+(?P<name>\w+)`, Ends: EndBrace},
			{Kind: "enum", Pattern: `(?i:enum)[ \t]+(?P<name>\w+)`, Ends: EndBrace},
			{Kind: "method", Pattern: `[ \t]+(?:\[[^\]\n]+\][ \t]*)?(?P<name>\w+)[ \t]*\([^)\n]*\)[ \t]*\{`, Ends: EndBrace, Within: []string{"class"}},
			{Kind: "var", Pattern: `(?P<name>\$[\w:]+)[ \t]*=`, Ends: EndLine, Within: []string{""}},
		},
	})
	l.Comments = Comments{Line: []string{"#"}, Block: [][2]string{{"<#", "#>"}}}
	return l
}

func perl() Language {
	l := hash(outlined("perl", "Perl", []string{".pl", ".pm", ".t"}, Outline{
		LongStrings: true, Heredocs: true, Perl: true,
		Declarations: []Declaration{
			{Kind: "function", Pattern: `[ \t]*(?:async[ \t]+)?(?:sub|method)[ \t]+(?P<name>[\w:']+)`, Ends: EndBrace},
			{Kind: "section", Pattern: `package[ \t]+(?P<name>[\w:]+)`},
			{Kind: "var", Pattern: `(?:our|my)[ \t]+(?P<name>[$@%]\w+)`, Ends: EndStatement},
		},
	}))
	l.Strings = []string{`"`, "'"}
	return l
}

func groovy() Language {
	l := outlined("groovy", "Groovy (Gradle, Jenkins)", []string{".groovy", ".gradle", ".jenkinsfile"}, Outline{
		Interpolated: true,
		Skip:         `[ \t]*(?:if|else|for|while|switch|try|catch|finally|return|import|package)\b`,
		Declarations: []Declaration{
			{Kind: "class", Pattern: `[ \t]*(?:(?:abstract|final|public|static)[ \t]+)*(?:class|interface|trait|enum)[ \t]+(?P<name>\w+)`, Ends: EndBrace},
			{Kind: "function", Pattern: `[ \t]*(?:(?:private|public|protected|static|final|synchronized)[ \t]+)*(?:def|void|[A-Z]\w*(?:<[^>\n]*>)?|boolean|int|long)[ \t]+(?P<name>\w+)[ \t]*\([^)]*\)[^{;\n]*\{`, Ends: EndBrace},
			{Kind: "key", Pattern: `[ \t]*(?P<of>\w+)[ \t]*\(?[ \t]*['"](?P<name>[^'"\n]+)['"][^{\n]*\{`, Ends: EndBrace},
			{Kind: "key", Pattern: `[ \t]*task[ \t]+(?P<name>\w+)`, Of: "task", Ends: EndBrace},
			{Kind: "key", Pattern: `[ \t]*(?P<name>[\w.]+)[ \t]*(?:\([^)\n]*\))?[ \t]*\{`, Ends: EndBrace},
			{Kind: "key", Pattern: `(?:(?:def|ext)[ \t.]*)?(?P<name>[\w.]+)[ \t]*=(?:[^=]|\r?$)`, Ends: EndLine, Within: []string{"", "key"}},
		},
	})
	l.Filenames = []string{"Jenkinsfile", "Jenkinsfile.*"}
	l.Strings = []string{`"""`, "'''", `"`, "'"}
	return l
}

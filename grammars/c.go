package grammars

// cBlanks are the idioms of headers that make no sense to a grammar that does not know the preprocessor.
func cBlanks() []string {
	return []string{
		// extern "C" around a header, for C++ only
		`(?m)^([ \t]*#[ \t]*if(?:def[ \t]+|[ \t]+defined[ \t]*\(?[ \t]*)_*c_*plusplus\b[^\n]*\n(?:[ \t]*extern[ \t]+"C"[ \t\r\n]*\{|[ \t]*\})[^\n]*\n[ \t]*#[ \t]*endif\b)`,
		// macros for visibility and calling conventions: class API Name {, API_FUNC int f(
		`(?m)\b(?:class|struct|union)[ \t]+([A-Z][A-Z0-9_]{2,}(?:\([^()\n]*\))?[ \t])[ \t]*[A-Za-z_]`,
		`(?m)^(?:extern[ \t]+|static[ \t]+|inline[ \t]+)*([A-Z][A-Z0-9]*_(?:[A-Z0-9_]*_)?(?:API|EXPORT|EXPORTS|EXTERN|PUBLIC|INLINE|DECL|LOCAL|HIDDEN|NODISCARD|NORETURN|CONSTEXPR)(?:\([^()\n]*\))?[ \t])[ \t]*[A-Za-z_]`,
		`(?m)^(?:extern[ \t]+|static[ \t]+|inline[ \t]+)*([A-Z][A-Z0-9]*_[A-Z0-9_]+(?:\([^()\n]*\))?)[ \t]+[a-z_]\w*[ \t\r\n*]+[A-Za-z_]\w*[ \t]*\(`,
		// a macro on a line of its own, without a semicolon
		`(?m)^([A-Z][A-Z0-9]*_[A-Z0-9_]+(?:\([^()\n]*\))?)[ \t]*\r?\n[^{ \t]`,
		`(?m)^[a-zA-Z_][^;{}()#\n]*\([^;{}#]*\)[ \t\r\n]*([A-Z][A-Z0-9]*_[A-Z0-9_]+(?:\([^;{}#\n]*\))?)[ \t\r\n]*[;{]`,
		// the annotations of thread safety
		`[\w)\]>][ \t\r\n]+((?:[A-Z]+_)?(?:PT_)?(?:GUARDED_BY|GUARDED_VAR|ACQUIRED_BEFORE|ACQUIRED_AFTER|LOCKS_REQUIRED|LOCK_FUNCTION|TRYLOCK_FUNCTION|UNLOCK_FUNCTION|LOCKS_EXCLUDED|LOCK_RETURNED|NO_THREAD_SAFETY_ANALYSIS)\b(?:\([^()\n]*\))?)[ \t\r\n]*[;{:=]`,
		// attributes behind a declaration: int f(void) MACRO(1, 2);
		`\)[ \t\r\n]*((?:__attribute__[ \t]*\(\([^;{}\n]*\)\)|__THROW\w*|__nonnull[ \t]*\([^;{}\n]*\)|__attribute_\w+__|__wur)+[ \t]*(?:__THROW\w*|__nonnull[ \t]*\([^;{}\n]*\)|__attribute_\w+__|__wur)*)[ \t\r\n]*[;{]`,
	}
}

// cStarts are the lines at the first column that begin something: any word.
func cStarts() []string {
	starts := []string{"#include", "#define", "//", "/*"}
	for c := 'a'; c <= 'z'; c++ {
		starts = append(starts, string(c), string(c-'a'+'A'))
	}
	return append(starts, "_")
}

func cHeaders() []Header {
	return []Header{
		{"struct", `^(?:typedef\s+)?(?:struct|union)\s+(?:[A-Z][A-Z0-9_]+\s+)?([\pL_][\pL\pN_]*)\s*(?:\{|$)`},
		{"class", `^class\s+(?:[A-Z][A-Z0-9_]+\s+)?([\pL_][\pL\pN_]*)`},
		{"enum", `^(?:typedef\s+)?enum\s+(?:class\s+|struct\s+)?([\pL_][\pL\pN_]*)`},
		{"module", `^(?:inline\s+)?namespace\s+([\pL_][\pL\pN_:]*)`},
		{"const", `^#define\s+([\pL_][\pL\pN_]*)`},
		{"function", `^[\pL_][\pL\pN_\s*&:<>,]*?\b([\pL_][\pL\pN_]*)\s*\(`},
	}
}

// cppSigns are lines that only C++ has: most of its headers are called .h, too.
const cppSigns = `(?m)^[ \t]*(?:` +
	`class[ \t]+(?:[A-Z][A-Z0-9_]*[ \t]+)?\w+[ \t]*(?:final[ \t]*)?(?:;|\{|:[^:]|\r?$)` +
	`|(?:inline[ \t]+)?namespace(?:[ \t]+[\w:]+)?[ \t]*\{|template[ \t]*<|(?:public|private|protected)[ \t]*:` +
	`|using[ \t]+(?:namespace[ \t]|\w+[ \t]*=|\w+::)|#[ \t]*include[ \t]*<[a-z_]+>)`

func clang() Language {
	return Language{
		ID: "c", Name: "C", Extensions: []string{".c", ".h"},
		Queries: func() Queries {
			return Queries{
				Definitions: query("c/common"),
				Imports:     query("c/imports"),
				References:  query("c/common_references", "c/references", "c/old_references"),
			}
		},
		Recovery: Recovery{Starts: cStarts(), Closers: append(braces(), ";\n", "\n#endif\n"), Headers: cHeaders(), Blank: cBlanks()},
		Dialects: []Dialect{{"cpp", cppSigns}},
		Comments: Comments{Line: []string{"//"}, Block: [][2]string{{"/*", "*/"}}},
		Strings:  []string{`"`, "'"}, Resolution: ResolveC, BareMembers: true,
		Gaps: []string{
			"[[attributes]] behind parameters, before statements and of types", "enumerations with a type",
			"labels before declarations", "embedded files", "integers of a given width", "case ranges",
			"statement expressions", "variables of a thread", "types that are found (auto)",
			"#if branches that cut a declaration in two",
		},
		Limits: []string{"what macros expand to", "names in the bodies of macros"},
	}
}

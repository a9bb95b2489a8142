package anchoring_test

import (
	"strings"
	"testing"

	"manicule/indexer/anchor"
	"manicule/indexer/anchoring"
)

// branching has the same declaration in two branches, one of which goes.
const branching = `class Numbers {
	static Number create(String text) {
		if (!Character.isDigit(text.charAt(0))) {
			String numeric = text.substring(1);
			boolean zeros = isZeros(text) && isZeros(numeric);
			if (zeros && numeric.length() > 7) {
				throw new NumberFormatException(text + " is not valid");
			}
			return parse(numeric, 10);
		} else {
			boolean zeros = isZeros(text) && isZeros(numeric);
			try {
				Float f = createFloat(text);
				if (!f.isInfinite() && !zeros) {
					return f;
				}
			} catch (NumberFormatException e) {
			}
			try {
				Double d = createDouble(text);
				if (!d.isInfinite() && !zeros) {
					return d;
				}
			} catch (NumberFormatException e) {
			}
			return createBigDecimal(text);
		}
	}
}
`

// resolving has variables whose places others take.
const resolving = `class Lambda {
	Value solve(Call call, String name, Path path) {
		File f = new File(name);
		long timestamp = f.lastModified();
		if (cache.checked(name, timestamp)) {
			return null;
		}
		Type type = call.typeOf(path).arguments().get(0);
		Constraint found;
		if (type.isWildcard()) {
			found = Constraint.bound(type.asWildcard().bound());
		} else {
			found = Constraint.bound(type);
		}
		return new Value(found, name);
	}
}
`

// running has a handler and a guard, and most of its code goes elsewhere.
const running = `class Main {
	static void run(String[] args) {
		if (!Files.matches(args, Files.extensions())) {
			return;
		}
		CommandLine line = null;
		try {
			line = parser.parse(OPTIONS, args);
		} catch (final ParseException e) {
			usage();
		}
		Checker checker = createChecker(loadConfig(line), createListener(line, System.out));
		int errors = checker.process(filesOf(line));
		checker.destroy();
		System.exit(errors);
	}
}
`

// TestKnownBy holds what tells code from other code that is like it, or as like:
// its neighbours, what became of what stood beside it, its type, its uses, what it
// catches and its condition.
func TestKnownBy(t *testing.T) {
	replace := strings.NewReplacer
	start := strings.Index(branching, "\t\t} else {\n\t\t\tboolean zeros")
	flat := branching[:start] + strings.Replace(branching[start:], "\t\t} else {\n", "\t\t}\n", 1)
	flat = strings.Replace(flat, "\t\t\treturn createBigDecimal(text);\n\t\t}\n", "\t\t\treturn createBigDecimal(text);\n", 1)
	joined := replace("\t\t\t\tif (!f.isInfinite() && !zeros) {\n\t\t\t\t\treturn f;\n\t\t\t\t}\n\t\t\t} catch (NumberFormatException e) {\n\t\t\t}\n\t\t\ttry {\n",
		"", "if (!d.isInfinite() && !zeros) {", "if (!f.isInfinite() && !zeros && f.same(d)) {\n\t\t\t\t\treturn f;\n\t\t\t\t}\n\t\t\t\tif (!d.isInfinite() && !zeros) {").Replace(branching)
	guarded := "if (Files.matches(args, Files.extensions())) {\n\t\t\tfor (String arg : args) {\n\t\t\t\tLOG.info(arg);\n\t\t\t\tseen.add(arg.trim());\n\t\t\t}\n\t\t\tLOG.flush();\n\t\t}"
	split := replace("\t\tif (!Files.matches(args, Files.extensions())) {\n\t\t\treturn;\n\t\t}\n\t\tCommandLine line = null;\n", "\t\tboolean parsed = false;\n",
		"line = parser.parse(OPTIONS, args);", "check(parse(args));\n\t\t\tparsed = true;",
		"catch (final ParseException e) {\n\t\t\tusage();\n\t\t}", "catch (ParseException thrown) {\n\t\t\tSystem.err.println(\"Could not parse: \" + thrown.getMessage());\n\t\t\tthrown.printStackTrace();\n\t\t} catch (final Exception e) {\n\t\t\tSystem.err.println(\"Could not run: \" + e.getMessage());\n\t\t} finally {\n\t\t\tif (!parsed) {\n\t\t\t\tusage();\n\t\t\t}\n\t\t}",
		"\t\tChecker checker", "\t}\n\n\tstatic void check(CommandLine line) {\n\t\tChecker checker")
	tests := map[string]struct {
		before, after string
		from, to      string // what the line begins with; the last one that does
		lines         int
		focus         string
		state         anchor.State
	}{
		"the second of two equal ones, whose branch went": {branching, flat, "boolean zeros", "boolean zeros", 1, "zeros", anchor.Fresh},
		"the first of two statements that became one":     {branching, joined, "try {\n\t\t\t\tFloat", "try {", 6, "", anchor.Drifted},
		"declared as before, where another took its place": {resolving, replace("Type type = call.typeOf(path).arguments().get(0);",
			"Method method = call.typeOf(path).method();\n\t\tInference inference = new Inference();\n\t\tType type = inference.resolve(method);").Replace(resolving),
			"Type type", "Type type", 1, "type", anchor.Drifted},
		"used as before, where another took its place": {resolving, replace("Call call, String name, Path path", "Call call, File file, Path path",
			"File f = new File(name);", "String name = file.getPath();", "f.lastModified", "file.lastModified").Replace(resolving),
			"File f", "Value solve", 1, "f", anchor.Drifted},
		"renamed, though another one has its name": {resolving, replace("File f = new File(name);", "File given = new File(name);\n\t\tString f = given.path();").Replace(resolving),
			"File f", "File given", 1, "f", anchor.Drifted},
		"what it catches":               {running, split.Replace(running), "} catch (final ParseException", "} catch (ParseException", 3, "", anchor.Stale},
		"the block of what it catches":  {running, split.Replace(running), "try {", "try {", 5, "", anchor.Stale},
		"a condition that turned round": {running, replace("if (!Files.matches(args, Files.extensions())) {\n\t\t\treturn;\n\t\t}", guarded).Replace(running), "if (!Files", "if (Files", 3, "", anchor.Drifted},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			from := lastLine(t, test.before, test.from)
			a := anchor.Anchor{Kind: anchor.KindLines, Path: "a.java", Language: "java", Blob: "old", Focus: test.focus,
				Lines: &anchor.LineRange{Start: from, End: from + test.lines - 1}}
			w := &anchoring.World{
				Old: one(anchoring.TextSource("a.java", "java", "old", []byte(test.before))),
				New: one(anchoring.TextSource("a.java", "java", "new", []byte(test.after))),
			}
			r := w.Resolve(a)
			if want := lastLine(t, test.after, test.to); r.Line != want || r.State != test.state {
				t.Errorf("%s at line %d by %q, %.2f (%s), want %s at %d:\n%s", r.State, r.Line, r.Rung, r.Confidence, r.Reason, test.state, want, numbered(test.after))
			}
		})
	}
}

// lastLine is the last line at which some text begins, white space before it left out.
func lastLine(t *testing.T, text, begin string) int {
	t.Helper()
	for at := len(text); ; {
		at = strings.LastIndex(text[:at], begin)
		if at < 0 {
			t.Fatalf("no line begins with %q", begin)
		}
		if line := text[strings.LastIndexByte(text[:at], '\n')+1 : at]; strings.TrimSpace(line) == "" {
			return strings.Count(text[:at], "\n") + 1
		}
	}
}

package anchoring_test

import (
	"fmt"
	"strings"
	"testing"

	"manicule/indexer/anchor"
	"manicule/indexer/anchoring"
	"manicule/indexer/must"
)

const chain = `class Chain {
	void apply(Removed removed, Node text) {
		if (removed.element() instanceof Token && text.isToken()) {
			text.remove(index);
			diff++;
		} else if (removed.element() instanceof White && removed.isBlank()) {
			diff++;
		} else if (removed.element() instanceof Child && removed.isPrimitive()) {
			if (text.isPrimitive()) {
				text.remove(index);
				diff++;
			} else {
				throw new Unsupported("removed " + removed + " for " + text);
			}
		} else {
			throw new Unsupported("removed " + removed + " for " + text);
		}
	}
}
`

const many = `class Many {
	void visit(Node node) {
		final int parent = node.parent().type();
		if ((Types.INC == parent || Types.DEC == parent
				|| Types.ASSIGN == parent || Types.PLUS == parent
				|| Types.MINUS == parent || Types.TIMES == parent
				|| Types.SHIFT == parent || Types.REMAINDER == parent)
				&& node.isFirst()) {
			remove(node);
		}
	}
}
`

const sized = `class Sized {
	int end;
	int size(Source text, boolean letters, boolean numbers) {
		if (end == 0) {
			end = 'z' + 1;
			start = ' ';
			if (!letters && !numbers) {
				start = 0;
				end = Integer.MAX_VALUE;
			}
		}
		final Content content = Content.from(text, end);
		final Tree tree = parse(content);
		return walk(tree, content);
	}
}
`

const throwing = `class Throwing {
	void check(List<Info> thrown) {
		for (Tag tag : tags) {
			log(tag);
		}
		final Iterator<Info> all = thrown.iterator();
		while (all.hasNext()) {
			final Info info = all.next();
			if (!info.isFound()) {
				log(info.getName());
			}
		}
	}
}
`

const applicable = `class Applicable {
	static boolean applies(Method method, List<Type> types, Solver solver) {
		if (method.count() != types.size()) {
			return false;
		}
		Map<String, Type> matched = new HashMap<>();
		for (int i = 0; i < method.count(); i++) {
			Type expected = method.param(i).type();
			Type actual = types.get(i);
			if (!expected.isAssignableBy(actual)) {
				matched.put(expected.name(), actual);
				return false;
			}
		}
		return true;
	}
}
`

// TestCited holds where cited lines go in functions that were rewritten.
func TestCited(t *testing.T) {
	replace := strings.NewReplacer
	branches := replace(
		"\t\t} else if (removed.element() instanceof White && removed.isBlank()) {\n\t\t\tdiff++;\n", "",
		"\t\t} else {\n\t\t\tthrow new Unsupported(\"removed \" + removed + \" for \" + text);\n\t\t}\n\t}\n",
		"\t\t} else if (removed.element() instanceof White && removed.isBlank()) {\n\t\t\tdiff++;\n\t\t} else if (text.isBlank()) {\n\t\t\tindex++;\n\t\t} else {\n\t\t\tthrow new Unsupported(\"removed \" + removed + \" for \" + text);\n\t\t}\n\t}\n")
	rewritten := replace("\t\t\tend = 'z' + 1;\n\t\t\tstart = ' ';\n\t\t\tif (!letters && !numbers) {\n\t\t\t\tstart = 0;\n\t\t\t\tend = Integer.MAX_VALUE;\n\t\t\t}\n",
		"\t\t\tif (chars != null) {\n\t\t\t\tstart = 0;\n\t\t\t\tend = chars.length;\n\t\t\t} else {\n\t\t\t\tif (!letters && !numbers) {\n\t\t\t\t\tend = Character.MAX_CODE_POINT;\n\t\t\t\t} else {\n\t\t\t\t\tend = 'z' + 1;\n\t\t\t\t\tstart = ' ';\n\t\t\t\t}\n\t\t\t}\n")
	parameter := replace("Source text, boolean letters", "boolean letters", "boolean numbers)", "boolean numbers, Content given)",
		"\t\tfinal Content content = Content.from(text, end);\n", "", "(content)", "(given)", "content)", "given)")
	loop := replace("\t\tfinal Iterator<Info> all = thrown.iterator();\n\t\twhile (all.hasNext()) {\n\t\t\tfinal Info info = all.next();\n", "\t\tfor (Info info : thrown) {\n")
	unknown := replace("\t\tfinal Content content = Content.from(text, end);\n", "")
	overload := replace("Solver solver) {\n", "Solver solver) {\n\t\treturn applies(method, types, solver, false);\n\t}\n\n\tstatic boolean applies(Method method, List<Type> types, Solver solver, boolean tolerant) {\n",
		"\t\t\t\tmatched.put(expected.name(), actual);\n", "\t\t\t\tif (tolerant && actual.isWildcard()) {\n\t\t\t\t\tcontinue;\n\t\t\t\t}\n\t\t\t\tmatched.put(expected.name(), actual);\n")
	at, end := strings.Index(many, "Types.INC"), strings.Index(many, ")\n\t\t\t\t&& node")
	condition := replace("("+many[at:end]+")", "assigns(parent)", "\tvoid visit(Node node) {\n",
		"\tboolean assigns(int parent) {\n\t\treturn "+many[at:end]+";\n\t}\n\n\tvoid visit(Node node) {\n")
	tests := map[string]struct {
		before   string
		edit     *strings.Replacer
		from, to string // what the first cited line begins with, without white space, before and after
		lines    int
		focus    string
		state    anchor.State
	}{
		"a branch that went down the chain": {chain, branches, "} else if (removed.element() instanceof White", "} else if (removed.element() instanceof White", 2, "", anchor.Fresh},
		"a branch that went up the chain":   {chain, branches, "} else if (removed.element() instanceof Child", "} else if (removed.element() instanceof Child", 3, "", anchor.Fresh},
		"the same condition, another body":  {sized, rewritten, "if (!letters && !numbers)", "if (!letters && !numbers)", 4, "", anchor.Drifted},
		"a variable that is a parameter":    {sized, parameter, "final Content content", "int size(", 1, "content", anchor.Drifted},
		"a variable of another loop":        {throwing, loop, "final Info info", "for (Info info", 1, "info", anchor.Drifted},
		"a variable that is not declared":   {sized, unknown, "final Content content", "final Tree tree", 1, "content", anchor.Stale},
		"changed, in the body's new place":  {applicable, overload, "if (!expected.isAssignableBy", "if (!expected.isAssignableBy", 4, "", anchor.Drifted},
		"its condition was taken out":       {many, condition, "if ((Types.INC", "if (assigns(parent)", 7, "", anchor.Stale},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			after := test.edit.Replace(test.before)
			if after == test.before {
				t.Fatal("nothing was edited")
			}
			from := lineOf(t, test.before, test.from)
			a := anchor.Anchor{Kind: anchor.KindLines, Path: "a.java", Language: "java", Blob: "old", Focus: test.focus,
				Lines: &anchor.LineRange{Start: from, End: from + test.lines - 1}}
			w := &anchoring.World{
				Old: one(anchoring.TextSource("a.java", "java", "old", []byte(test.before))),
				New: one(anchoring.TextSource("a.java", "java", "new", []byte(after))),
			}
			r := w.Resolve(a)
			if want := lineOf(t, after, test.to); r.Line != want || r.State != test.state {
				t.Errorf("%s at line %d by %q, %.2f (%s), want %s at %d:\n%s", r.State, r.Line, r.Rung, r.Confidence, r.Reason, test.state, want, numbered(after))
			}
		})
	}
}

// lineOf is the line whose text begins with some text, white space before it left out.
func lineOf(t *testing.T, text, begin string) int {
	t.Helper()
	for i, line := range strings.Split(text, "\n") {
		if strings.HasPrefix(strings.TrimSpace(line), begin) {
			return i + 1
		}
	}
	t.Fatalf("no line begins with %q", begin)
	return 0
}

func numbered(text string) string {
	var b strings.Builder
	for i, line := range strings.Split(text, "\n") {
		fmt.Fprintf(&b, "%3d %s\n", i+1, line)
	}
	return b.String()
}

// TestSplitClass holds that a field goes where what stood beside it went, and not
// to one of the same name that stands elsewhere in that file.
func TestSplitClass(t *testing.T) {
	const methods = "\tString format(Date date, Locale where) {\n\t\treturn patterns.get(where).apply(date, zone).toString();\n\t}\n\n\tint estimate(int most) {\n\t\tfor (Rule rule : rules) {\n\t\t\tmost += rule.estimate();\n\t\t}\n\t\treturn most;\n\t}\n"
	before := "class Format {\n\tprivate final Locale locale;\n" + methods + "}\n"
	rest := "class Format {\n\tPrinter printer;\n}\n"
	printer := "class Printer {\n\tprivate final Locale locale;\n" + methods + "\tclass Key {\n\t\tprivate final Locale locale;\n\t}\n}\n"
	parser := "class Parser {\n\tprivate final Locale aLocale;\n}\n"
	source := func(path, text string) *anchoring.Source {
		return anchoring.TextSource(path, "java", path+text, []byte(text))
	}
	o, n, p, q := source("Format.java", before), source("Format.java", rest), source("Printer.java", printer), source("Parser.java", parser)
	news := map[string]*anchoring.Source{"Format.java": n, "Printer.java": p, "Parser.java": q}
	w := &anchoring.World{
		Old:     one(o),
		New:     func(path string) *anchoring.Source { return news[path] },
		Changed: func() []anchoring.Change { return []anchoring.Change{{Old: o, New: n}, {New: q}, {New: p}} },
	}
	r := w.Resolve(anchor.Anchor{Kind: anchor.KindSymbol, Path: "Format.java", Language: "java", Symbol: "Format.locale", Blob: o.Blob})
	if r.State != anchor.Followed || r.Path != "Printer.java" || r.Symbol != "Printer.locale" {
		t.Errorf("%s at %s of %s (%s), want Printer.locale", r.State, r.Symbol, r.Path, r.Reason)
	}
}

// TestHeader holds that a header is read as the language that it is written in, as
// it is where anchors are made.
func TestHeader(t *testing.T) {
	before := "class Store {\npublic:\n\tint size() const {\n\t\treturn count;\n\t}\n\tint count;\n};\n"
	a, err := anchoring.Make(t.Context(), anchor.Place{Path: "a.h", Symbol: "Store.size"}, "c", []byte(before))
	must.OK(t, err)
	a.Blob = "old"
	after := "// Changed.\n" + strings.Replace(before, "return count;", "return count + 1;", 1)
	w := &anchoring.World{Old: one(anchoring.TextSource("a.h", "c", "old", []byte(before))), New: one(anchoring.TextSource("a.h", "c", "new", []byte(after)))}
	if r := w.Resolve(a); r.State != anchor.Drifted || r.Symbol != "Store.size" || r.Line != 4 {
		t.Errorf("%s at %s, line %d (%s)", r.State, r.Symbol, r.Line, r.Reason)
	}
}

// TestOnlyStatement holds that the one statement of a block without braces is found behind another
// one that was put before it.
func TestOnlyStatement(t *testing.T) {
	const before = "class Session:\n    def leave(self):\n        try:\n            self.close(1000)\n        finally:\n            self.stack.close()\n        while not self.sent.empty():\n            self.sent.get()\n"
	after := strings.Replace(before, "finally:\n", "finally:\n            self.portal.start(self.notify)\n", 1)
	w := &anchoring.World{
		Old: one(anchoring.TextSource("a.py", "python", "old", []byte(before))),
		New: one(anchoring.TextSource("a.py", "python", "new", []byte(after))),
	}
	r := w.Resolve(anchor.Anchor{Kind: anchor.KindLines, Path: "a.py", Language: "python", Blob: "old", Lines: &anchor.LineRange{Start: 6, End: 6}})
	if r.State != anchor.Fresh || r.Line != 7 || r.EndLine != 7 {
		t.Errorf("%s at lines %d to %d (%s), want line 7, fresh", r.State, r.Line, r.EndLine, r.Reason)
	}
}

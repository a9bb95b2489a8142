package anchoring_test

import (
	"strings"
	"testing"

	"manicule/indexer/anchor"
	"manicule/indexer/anchoring"
)

// TestRenamedInPlace follows declarations whose code is too small or too common to tell
// by itself where they went: their place does.
func TestRenamedInPlace(t *testing.T) {
	const variants = `def load(path):
    return open(path).read()

load("a")


def load(path):
    return open(path).read()

load("b")
`
	const renamed = `def fetch(path):
    return open(path).read()

fetch("a")


def fetch(path):
    return open(path).read()

fetch("b")
`
	const commands = `def create(name):
    echo("Creating", name)

def delete(name):
    echo("Deleting", name)

def show(name):
    echo("Showing", name)
`
	const strict = `def test_decorator_strict_error_handling_with_load(case):
    class Example(Schema):
        @case
        def raise_value_error(self, item):
            raise ValidationError({"foo": "error"})

    schema = Example(strict=True)
    with raises(Invalid) as e:
        schema.load(case)
    assert e.messages == case.messages
    assert schema.dump(case) == {}

def test_decorator_strict_error_handling_with_dump(case):
    class Example(Schema):
        @case
        def raise_value_error(self, item):
            raise ValidationError({"foo": "error"})

    schema = Example(strict=True)
    with raises(Invalid) as e:
        schema.dump(case)
    assert e.messages == case.messages
    assert schema.load(case) == {}
`
	lenient := strings.NewReplacer("strict_", "", "strict=True", "").Replace(strict)
	tests := []struct {
		name    string
		lang    string
		was, is string
		symbol  string
		ordinal int
		want    string // the symbol, "" for none
		wantNth int
		state   anchor.State
	}{
		{"the first of two equal ones", "python", variants, renamed, "load", 0, "fetch", 0, anchor.Followed},
		{"the second of two equal ones", "python", variants, renamed, "load", 1, "fetch", 1, anchor.Followed},
		{
			"variants that changed too", "python",
			"if old:\n    every = lambda d: d.first(1)\nelse:\n    every = lambda d: d.first(2)\nevery(x)\n",
			"if old:\n    stop = lambda d: d.first(1, n)\nelse:\n    stop = lambda d: d.first(2, n)\nstop(x)\n",
			"every", 1, "stop", 1, anchor.Followed,
		},
		{
			"overloads", "java",
			"class A {\n  void put() { log(); }\n  void put(int a) { put(); }\n  void put(int a, int b) { put(a); put(b); }\n}\n",
			"class A {\n  void add() { log(); }\n  void add(int a) { add(); }\n  void add(int a, int b) { add(a); add(b); }\n}\n",
			"A.put", 2, "A.add", 2, anchor.Followed,
		},
		{
			"one of the equal ones left, so their order proves nothing", "python", variants,
			"def fetch(path):\n    return open(path).read()\n\nfetch(\"a\")\nfetch(\"b\")\n", "load", 1, "", 0, anchor.Orphaned,
		},
		{
			"the only new one between the same neighbours", "python", commands,
			"def create(name):\n    echo(\"Creating\", name)\n\ndef quit(execution, name):\n    echo(\"Deleting\", name)\n\ndef show(name):\n    echo(\"Showing\", name)\n",
			"delete", 0, "quit", 0, anchor.Followed,
		},
		{
			"the only one of its place", "go",
			"package a\n\nfunc stop() { pool.close() }\n", "package a\n\nfunc end(now bool) { pool.close() }\n", "stop", 0, "end", 0, anchor.Followed,
		},
		{
			"another one between the same neighbours", "python", commands,
			"def create(name):\n    echo(\"Creating\", name)\n\ndef quit(*codes):\n    for c in codes: sys.exit(c + 1)\n\ndef show(name):\n    echo(\"Showing\", name)\n",
			"delete", 0, "", 0, anchor.Orphaned,
		},
		{
			"two new ones between the same neighbours", "python", commands,
			"def create(name):\n    echo(\"Creating\", name)\n\ndef quit(execution, name):\n    echo(\"Deleting\", name)\n\ndef stop(execution, name):\n    echo(\"Deleting\", name)\n\ndef show(name):\n    echo(\"Showing\", name)\n",
			"delete", 0, "", 0, anchor.Orphaned,
		},
		{"the first of two that were renamed alike", "python", strict, lenient, "test_decorator_strict_error_handling_with_load", 0, "test_decorator_error_handling_with_load", 0, anchor.Followed},
		{"the second of two that were renamed alike", "python", strict, lenient, "test_decorator_strict_error_handling_with_dump", 0, "test_decorator_error_handling_with_dump", 0, anchor.Followed},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			w := &anchoring.World{
				Old: func(string) *anchoring.Source { return anchoring.TextSource("a", test.lang, "1", []byte(test.was)) },
				New: func(string) *anchoring.Source { return anchoring.TextSource("a", test.lang, "2", []byte(test.is)) },
			}
			r := w.Resolve(anchor.Anchor{Kind: anchor.KindSymbol, Path: "a", Language: test.lang, Symbol: test.symbol, Ordinal: test.ordinal, Blob: "1"})
			if r.State != test.state || test.want != "" && (r.Symbol != test.want || r.Ordinal != test.wantNth) {
				t.Errorf("%s: %s %s/%d, want %s %s/%d", r.Reason, r.State, r.Symbol, r.Ordinal, test.state, test.want, test.wantNth)
			}
		})
	}
}

// TestMovedMethodKeepsItsReceiver: methods that differ in their receiver alone move to
// a file each. In Go they stand beside their types, so only the path of a symbol tells them apart.
func TestMovedMethodKeepsItsReceiver(t *testing.T) {
	method := func(receiver string) string {
		return "\n// Text is the default.\nfunc (f *" + receiver + ") Text() string {\n\tif f.text != \"\" {\n\t\treturn f.text\n\t}\n\treturn f.value()\n}\n"
	}
	const head = "package flags\n"
	before := tree{"all.go": head + method("Days") + method("Hours"), "days.go": head + "\nvar days = 1\n", "hours.go": head + "\nvar hours = 2\n"}
	after := tree{"all.go": head, "days.go": before["days.go"] + method("Days"), "hours.go": before["hours.go"] + method("Hours")}
	for receiver, path := range map[string]string{"Days": "days.go", "Hours": "hours.go"} {
		a := anchor.Anchor{Kind: anchor.KindSymbol, Path: "all.go", Language: "go", Symbol: receiver + ".Text"}
		r := world(before, after).Resolve(a)
		if r.State != anchor.Followed || r.Path != path || r.Symbol != a.Symbol {
			t.Errorf("%s: %s at %s#%s (%s)", a.Symbol, r.State, r.Path, r.Symbol, r.Reason)
		}
	}
}

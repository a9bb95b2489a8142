package anchors

import "testing"

// TestBarePython holds which changes of Python code are none.
func TestBarePython(t *testing.T) {
	tests := map[string]struct {
		a, b string
		same bool
	}{
		"a comment":               {"def f():\n    return 1\n", "def f():  # one\n    # it\n    return 1", true},
		"deeper as a whole":       {"def f():\n    if a:\n        b()\n    c()\n", "def f():\n  if a:\n       b()\n  c()\n", true},
		"a statement outdented":   {"if a:\n    b()\n    c()\n", "if a:\n    b()\nc()\n", false},
		"broken lines":            {"f(a, b)\n", "f(\n    a,\n        b)\n", true},
		"a hash in a string":      {"f('#a')\n", "f('#b')\n", false},
		"a space in a string":     {"f('a b')\n", "f('ab')\n", false},
		"an indented docstring":   {"def f():\n    '''A\n     b\n    '''\n    x\n", "def f():\n    '''A\n    b\n    '''\n    x\n", true},
		"a word of the docstring": {"def f():\n    '''A\n    b\n    '''\n    x\n", "def f():\n    '''A\n    c\n    '''\n    x\n", false},
		"a quote in a string":     {"f(\"a\\\" #\", b)\n", "f(\"a\\\" #\", c)\n", false},
	}
	for name, test := range tests {
		if got := barePython(test.a) == barePython(test.b); got != test.same {
			t.Errorf("%s: same is %t", name, got)
		}
	}
}

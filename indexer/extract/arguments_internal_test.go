package extract

import "testing"

// TestArguments counts what a call passes, and says that it does not know where the text
// is not plain.
func TestArguments(t *testing.T) {
	for call, want := range map[string]int{
		"f()":                                 1,
		"f( /* nothing */ )":                  1,
		"f(a)":                                2,
		"f(a, b)":                             3,
		"f(\n  a, // one, with more\n  b,\n)": 3,
		"f?.(a)":                              2,
		"f('a, b', \"c)\")":                   3,
		"f(`a, b`)":                           2,
		"f((x, y) => { g(x, y); })":           2,
		"f([a, b], {c, d})":                   3,
		"f(a < b, c)":                         3,
		"f(...a)":                             0,
		"f(a, ...b)":                          0,
		"f(new Map<A, B>())":                  0,
		"f(`${g(\"`\")}`)":                    0,
		"f(/,/, a)":                           0,
		"f(a":                                 0,
		"f<T>(a)":                             0,
		"f":                                   0,
		"f(\"\"\"a, b\"\"\")":                 0,
		"f(, a)":                              0,
		"f(\"a":                               0,
	} {
		if got := arguments([]byte(call), 1); got != want {
			t.Errorf("%s: %d, want %d", call, got, want)
		}
	}
}

package anchor_test

import (
	"errors"
	"testing"

	"manicule/indexer/anchor"
)

func TestParsePlace(t *testing.T) {
	tests := []struct {
		text, path, symbol string
		start, end         int
	}{
		{"a.go", "a.go", "", 0, 0},
		{"a.go:12", "a.go", "", 12, 12},
		{"a.go:12-20", "a.go", "", 12, 20},
		{"a.go:12:5", "a.go", "", 12, 12},
		{"a.go#Store.Validate", "a.go", "Store.Validate", 0, 0},
		{"a.ts#Store.#key", "a.ts", "Store.#key", 0, 0},
		{"c#/a.py#run", "c#/a.py", "run", 0, 0},
		{"Makefile#all", "Makefile", "all", 0, 0},
		{"/home/ada/C#/shop/a.go", "/home/ada/C#/shop/a.go", "", 0, 0},
		{"/home/ada/C#/shop/a.go:3", "/home/ada/C#/shop/a.go", "", 3, 3},
		{"/home/ada/C#/shop/a.go#F", "/home/ada/C#/shop/a.go", "F", 0, 0},
		{`C:\net 8.0 C#\shop\a.cs#F`, `C:\net 8.0 C#\shop\a.cs`, "F", 0, 0},
		{"/my C# projects/shop/Makefile#all", "/my C# projects/shop/Makefile", "all", 0, 0},
		{"/my C# projects/shop/Makefile", "/my C# projects/shop/Makefile", "", 0, 0},
		{"a.cpp#operator/", "a.cpp", "operator/", 0, 0},
		{"a.clj#ns/fn", "a.clj", "ns/fn", 0, 0},
		{"src#operator/=", "src", "operator/=", 0, 0},
		{`C:\src\a.go`, `C:\src\a.go`, "", 0, 0},
		{`C:\src\a.go:3`, `C:\src\a.go`, "", 3, 3},
		{`C:/src/a.go:3-4`, `C:/src/a.go`, "", 3, 4},
		{`C:\src\a.go#T`, `C:\src\a.go`, "T", 0, 0},
		{"dir with space/a.go:1", "dir with space/a.go", "", 1, 1},
		{"a:b.go", "a:b.go", "", 0, 0},
		{"a.go:", "a.go:", "", 0, 0},
	}
	for _, test := range tests {
		p, err := anchor.ParsePlace(test.text)
		if err != nil {
			t.Errorf("%q: %v", test.text, err)
			continue
		}
		var lines anchor.LineRange
		if p.Lines != nil {
			lines = *p.Lines
		}
		if p.Path != test.path || p.Symbol != test.symbol || lines.Start != test.start || lines.End != test.end {
			t.Errorf("%q: got %+v %v", test.text, p, lines)
		}
	}
	for _, bad := range []string{"", "  ", "a.go:0", "a.go:5-3", "a.go:1-", "a.go:-3", "a.go:99999999999", "#T", "a.go#", ":3", "a\x00.go", "a\n.go", "a.go:1-2-3"} {
		if p, err := anchor.ParsePlace(bad); !errors.Is(err, anchor.ErrPlace) {
			t.Errorf("%q: got %+v, %v", bad, p, err)
		}
	}
}

func TestPlainSymbol(t *testing.T) {
	for name, want := range map[string]string{
		"Store.Get": "Store.Get", "(*Store).Get": "Store.Get", "(Store).Get": "Store.Get", "(*List[T]).Push": "List.Push",
		"Store::get": "Store.get", "::get": "get", "shop::Store::get()": "shop.Store.get", "get()": "get", "(*Store).Get()": "Store.Get",
		"Call.operator()": "Call.operator()", "Store.#key": "Store.#key", "()": "()", "::": "::", "(a).": "a.", "": "",
	} {
		if got := anchor.PlainSymbol(name); got != want {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	}
}

func FuzzParsePlace(f *testing.F) {
	for _, s := range []string{"a.go", "a.go:1", "a.go:1-2", "a.go#T", `C:\a.go:3`, "a#b#c", "a:1:2", "0:0:1:0", "a:1:2-3"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		p, err := anchor.ParsePlace(s)
		if err != nil {
			if !errors.Is(err, anchor.ErrPlace) {
				t.Errorf("%q: %v", s, err)
			}
			return
		}
		if p.Path == "" || p.Symbol != "" && p.Lines != nil || p.Lines != nil && (p.Lines.Start < 1 || p.Lines.End < p.Lines.Start) {
			t.Errorf("%q: bad place %+v", s, p)
		}
		if again, err := anchor.ParsePlace(p.String()); err != nil || again.String() != p.String() {
			t.Errorf("%q is written %q and read as %+v, %v", s, p, again, err)
		}
	})
}

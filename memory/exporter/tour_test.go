package exporter

import "testing"

// TestInert: what a memory says is shown in a tour, and does nothing.
func TestInert(t *testing.T) {
	for text, want := range map[string]string{
		"Use `a[0]` twice":                "Use `a[0]` twice",
		"[here](command:workbench.x)":     "&#91;here&#93;(command:workbench.x)",
		"![](https://example.com/x.png)":  "!&#91;&#93;(https://example.com/x.png)",
		">> rm -rf x":                     "&gt;&gt; rm -rf x",
		"a `b` and ` [x](command:y)":      "a &#96;b&#96; and &#96; &#91;x&#93;(command:y)",
		"``a` [x](command:y)``":           "&#96;&#96;a&#96; &#91;x&#93;(command:y)&#96;&#96;",
		"<img src=x onerror=alert(1)> &c": "&lt;img src=x onerror=alert(1)&gt; &c",
		"\\[x](command:y)":                "&#92;&#91;x&#93;(command:y)",
	} {
		if got := inert(text); got != want {
			t.Errorf("inert(%q) = %q, want %q", text, got, want)
		}
	}
}

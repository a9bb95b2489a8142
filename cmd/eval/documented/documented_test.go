package documented

import "testing"

func TestIn(t *testing.T) {
	tests := []struct{ file, text, name, sentence, body string }{
		{"a.go", "package a\n\n// Drop removes a key. It waits.\nfunc (c *Cache) Drop(k string) {\n\tif x {\n\t\tdelete(c.m, k)\n\t}\n}\n\nvar y int\n", "Drop", "Drop removes a key", "Drop(k string) {\n\tif x {\n\t\tdelete(c.m, k)\n\t}\n}"},
		{"a.rs", "/// Removes a key.\n#[inline]\npub fn drop_key(k: &str) { m.remove(k); }\n", "drop_key", "Removes a key", "drop_key(k: &str) { m.remove(k); }"},
		{"A.java", "class A {\n  /**\n   * Removes a key.\n   * @param k the key\n   */\n  @Override\n  public void drop(String k) { map.remove(k); }\n}\n", "drop", "Removes a key", "drop(String k) { map.remove(k); }"},
		{"a.py", "class A:\n    def drop(self, k):\n        \"\"\"Removes a key.\n\n        :param k: the key\n        \"\"\"\n        if k:\n            del self.m[k]\n\n    def other(self):\n        pass\n", "drop", "Removes a key", "drop(self, k):\n        if k:\n            del self.m[k]\n"},
		{"a.ts", "/** Removes a key. */\nexport async function drop(k: string) { m.delete(k); }\n", "drop", "Removes a key", "drop(k: string) { m.delete(k); }"},
		{"a.ts", "class A {\n  /** Removes a key. */\n  private static drop = async (k) => { m.delete(k); }\n}\n", "drop", "Removes a key", "drop = async (k) => { m.delete(k); }"},
	}
	for _, tt := range tests {
		got := In(tt.file, tt.text)
		if len(got) != 1 || got[0].Name != tt.name || Sentence(got[0].Comment) != tt.sentence || got[0].Body != tt.body {
			t.Errorf("%s: %+v", tt.file, got)
			continue
		}
		if f := got[0]; tt.text[f.Start:f.End] != f.Comment {
			t.Errorf("%s: the comment is not at %d to %d", tt.file, f.Start, f.End)
		}
	}
	if got := In("a.txt", tests[0].text); got != nil || knows(".txt") {
		t.Errorf("no code: %v", got)
	}
}

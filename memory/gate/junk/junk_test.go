package junk

import "testing"

func TestFind(t *testing.T) {
	tests := []struct {
		name, text string
		want       Kind
	}{
		{"python trace", "Traceback (most recent call last):\n  File \"a.py\", line 3, in <module>\n    main()\n  File \"a.py\", line 2, in main\nKeyError: 'x'", StackTrace},
		{"go trace", "panic: runtime error: index out of range\n\ngoroutine 1 [running]:\nmain.main()\n\t/src/main.go:9 +0x1d", StackTrace},
		{"java trace", "java.lang.NullPointerException\n\tat com.acme.Foo.bar(Foo.java:12)\n\tat com.acme.Foo.main(Foo.java:4)\nCaused by: java.io.IOException: x\n\t... 3 more", StackTrace},
		{"js trace", "TypeError: x is not a function\n    at Object.<anonymous> (/app/a.js:1:7)\n    at Module._compile (node:internal:1105:14)", StackTrace},
		{"diff", "diff --git a/x.go b/x.go\nindex 111111..222222 100644\n--- a/x.go\n+++ b/x.go\n@@ -1,2 +1,2 @@\n-a\n+b", Diff},
		{"hunk", "@@ -1,2 +1,2 @@\n func f() {\n-\treturn 1\n+\treturn 2\n }", Diff},
		{"log", "commit 3f2a1c0d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a3\nAuthor: A B <a@example.com>\nDate:   Mon Mar 2 10:00:00 2026\n\n    fix it", GitLog},
		{"one-line log", "3f2a1c0 fix it\n4e5d6f7 (HEAD) add tests\n9a8b7c6 release", GitLog},
		{"paths", "src/a.go\nsrc/b.go\ninternal/c/d.ts\nREADME.md", PathList},
		{"status", " M src/a.go\n?? src/b.go\n M internal/c/d.ts", PathList},
		{"summary", "In this session we moved the parser and fixed three tests.", Session},
		{"report", "I've successfully implemented the retry and updated the tests.", Session},
		{"done", "All 14 tests pass now and the changes are complete.", Session},
		{"number", "1", Fragment},
		{"lead-in", "Key fields:", Fragment},
		{"heading", "## Overview", Fragment},

		{"short rule", "Use pnpm", ""},
		{"with one path", "internal/ui/x.go is generated: change x.tmpl", ""},
		{"error quoted", "`go test` fails with \"panic: runtime error\" when TZ is unset: set TZ=UTC", ""},
		{"list of rules", "Never commit to main\nRun `make lint` first\nAsk before you push", ""},
		{"with a trace line", "Startup fails in CI\nat Object.<anonymous> (/app/a.js:1:7)\nbecause NODE_ENV is production there.\nSet NODE_ENV=test.", ""},
		{"japanese", "本番環境では必ずpnpmを使う", ""},
		{"chinese", "请勿直接修改生成的文件", ""},
		{"past tense of a decision", "We chose SQLite because the CLI must work without a server", ""},
		{"commit named", "3f2a1c0 broke the cache key: keep the version in it", ""},
		{"a decision with its reason", "We have removed the retries: the API isn't idempotent", ""},
		{"numbered issues", "#12 fixed the cache by flushing it\n#13 broke it again on Windows", ""},
		{"calls", "retry(3) only for idempotent calls (GET)\nbackoff(2) for all others (POST)", ""},
		{"gdb", "#0  0x00007f in raise () from libc.so\n#1  0x00007e in abort () from libc.so", StackTrace},
		{"code", "Call Close() on every path, also after Abort()", ""},
		{"colon inside", "Deploys: only from main", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got, _ := Find(test.text); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
			if test.want != "" && (test.want.Reason() == "" || test.want.Hint() == "") {
				t.Error("the kind says nothing to a person")
			}
		})
	}
}

func TestThin(t *testing.T) {
	for text, want := range map[string]bool{"validate": true, "memory 0": true, "Use pnpm": true, "Use pnpm here": false, "本番環境では必ずpnpmを使う": false} {
		if Thin(text) != want {
			t.Errorf("Thin(%q) is %v", text, !want)
		}
	}
}

func FuzzFind(f *testing.F) {
	f.Add("diff --git a/x b/x\n+a\n-b")
	f.Add("\x00\xff\n\r\n")
	f.Fuzz(func(_ *testing.T, text string) { Find(text) })
}

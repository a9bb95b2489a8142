package junk

import (
	"testing"

	"manicule/memory/gate/junk/likely"
)

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
		{"letter", "x", Fragment},
		{"two letters", "ok", Fragment},
		{"letters apart", "a b", Fragment},
		{"short mark", "OK!", Fragment},
		{"word", "todo", ""},
		{"short word of another script", "禁止", ""},
		{"clause that ends with its verb", "prune must keep versions that tool stubs refer to", ""},
		{"the same as an order", "Keep the versions that tool stubs refer to", ""},
		{"a clause alone", "versions that tool stubs refer to", Fragment},
		{"cut after a verb", "Use a bloc which listens to", Fragment},
		{"cut behind a clause", "Use a name that you like, which may lead to", Fragment},
		{"rule that ends with code", "never bare save or try?", ""},
		{"question that begins like a rule", "Never mind, can we fix it later?", Fragment},
		{"question about a rule", "Avoid globals here, right?", Fragment},
		{"lead-in", "Key fields:", Fragment},
		{"heading", "## Overview", Fragment},

		{"rust panic", "thread 'main' (812) panicked at src/main.rs:4:5:\nindex out of bounds: the len is 3 but the index is 5\nnote: run with `RUST_BACKTRACE=1` environment variable to display a backtrace", StackTrace},
		{"rust panic without its thread", "panicked at 'index out of bounds', src/main.rs:4:5\nnote: run with RUST_BACKTRACE=1", StackTrace},
		{"a rule about a panic", "The worker panicked at start-up when Redis was down: it needs REDIS_URL", ""},
		{"php trace", "PHP Fatal error:  Uncaught Exception: x in /a/b.php:3\nStack trace:\n#0 /a/b.php(7): foo()\n#1 {main}", StackTrace},
		{"elixir trace", "** (KeyError) key :x not found in: %{}\n    (app 0.1.0) lib/app.ex:10: App.run/1\n    (elixir 1.14.2) lib/enum.ex:975: Enum.each/2", StackTrace},
		{"swift trace", "Fatal error: Index out of range: file Swift/ContiguousArrayBuffer.swift, line 600\n0   libswiftCore.dylib  0x00007fff6b8a2 swift_x + 12", StackTrace},
		{"git's status", "On branch main\nChanges not staged for commit:\n\tmodified:   lib/a.rb\n\tmodified:   lib/b.rb", Output},
		{"git's status of a renamed file", "On branch main\n\trenamed:    a.rb -> b.rb\n\tdeleted:    old notes.md", Output},
		{"states of rows", "deleted: rows stay for 30 days\nrenamed: rows keep their id\nmodified: rows get a new etag, as clients cache by it", ""},
		{"what ends a process", "Fatal errors exit with code 70\nFatal error in the loader: the schema is older than the program", ""},
		{"what fatal errors mean", "Fatal error in the loader means that the schema is old\nFatal error in the writer means that the disk is full", ""},
		{"what panics mean", "panic in the loader means that the schema is old\npanic in the writer means that the disk is full", ""},
		{"go panic", "panic: runtime error: index out of range\n\ngoroutine 1 [running]:\npanic({0x10, 0x20})\nmain.main()", StackTrace},
		{"short python trace", "Traceback (most recent call last):\n  ...\nTypeError: unsupported operand", StackTrace},
		{"short js trace", "SyntaxError: Unexpected identifier 'is'\n    at makeScript (node:internal/vm:185:14)\n    ...", StackTrace},
		{"guice", "Requested by:\n1  : Foo.provideFoo(Foo.java:49)\n     at Foo.provideFoo(Foo.java:49)", StackTrace},
		{"valgrind", "==12== Invalid read of size 16\n==12==    at 0x1111AB: f (a.h:405)\n==12==    by 0x1111AB: g (b.h:4)", StackTrace},
		{"log with times", "2021-01-03T11:39:07Z version v0.20.1\n2021-01-03T11:39:07Z Qt 5.9.8\n2021-01-03T11:39:09Z System: Ubuntu", Output},
		{"compiler", "qt/a.cpp:70:37: warning: 'X' is deprecated\n    return x;\n           ^~~~\nqt/a.cpp:71:37: error: no y", Output},
		{"prompt of a machine", "jon:~/bips$ ./reference.py v.json\nSimple send: two inputs", Output},
		{"part of a JSON document", "\"ename\": \"ValueError\",\n\"evalue\": \"test error\",\n\"traceback\": [", Output},
		{"short log", "12\tmatt\n     2\tabel\n     1\tfelipe", GitLog},
		{"log with a long message", "commit 3f2a1c0d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a3\nAuthor: A B <a@example.com>\nDate:   Mon Mar 2 10:00:00 2026\n\n    fix it\n\n    a\n    b\n    c\n    d\n    e\n    f\n    g\n    h", GitLog},
		{"tree", "100644 blob d3643eda344567c2abc20b5e6c39e67e198b625a\t.asf.yaml\n040000 tree 72ad220eba73f05b2d3643eda344567c2abc20b5\tsrc", PathList},

		{"python trace behind words", "Exception ignored in running getpath:\nTraceback (most recent call last):\n  File \"<frozen getpath>\", line 288, in <module>\nSystemError: failed to join paths", StackTrace},
		{"causes", "[...snip...]\nCaused by: org.acme.FooException: org.acme.FooException:\n   java.io.IOException: it was tampered with\n[...snip...]", StackTrace},
		{"elixir", "1) test creates it (Demo.AccountsTest)\n    test/demo/accounts_test.exs:380\n    ** (UndefinedFunctionError) function is undefined", StackTrace},
		{"numstat", "3\t1\tsrc/a.go\n10\t0\tsrc/b.go", Diff},
		{"changed code", " \tcase 0:\n-\tcase 0xff:\n+\tcase 1, 0xff:\n \t\treturn", Diff},
		{"shortlog", "Ada (2):\n      fix it\n      add tests\n\nBob (1):\n      release", GitLog},
		{"log as a list", "* Merge pull request #7 from a/b (Ada)\n* tests: complete them (Bob)\n* Remove a flag (Ada)", GitLog},
		{"drawn tree", "test\n├── hello_web\n│\u00a0\u00a0 └── a.exs\n└── support\n    ├── conn_case.ex", PathList},
		{"paths with sizes", "- `src/a.py` (NEW, 50 LOC)\n- `src/b.py` (+120 lines)", PathList},
		{"grep", "3f2a1c0d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a3:src/a.go\n3f2a1c0d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a3:src/b.go:3", PathList},
		{"what was done", "- Added the retry\n- Updated the tests\n  and their fixtures\n- All 12 tests pass", Session},
		{"one thing that was done", "- [x] Created the migration script", Session},
		{"under a heading", "### Phase 2\n- Implemented FITS ingestion with headers\n- Covers all formats", Session},
		{"labels", "**Date:** January 14\n**Duration:** ~3 hours\n**Files Created:** 5", Session},
		{"what a session changed", "## Files Modified\n- `src/a.go` gained a cache", Session},
		{"row of a table", "| Add-Reaction | No | REST API only |", Fragment},
		{"link", "- [Development workflow](#development-workflow)", Fragment},
		{"name", "mcp__tools__get", Fragment},
		{"call", "setLoading(true);", Fragment},
		{"cut off", "push your changes to the", Fragment},
		{"help", "NAME:\n   tool - does it\n\nUSAGE:\n   tool [options]", Output},
		{"prompts", "root@0a6b5a237c14:/# nvm -v\n0.40.6\nroot@0a6b5a237c14:/# npm -v\n9.6.3", Output},
		{"playbook", "PLAY [testhost] ****\n\nTASK [include] ****\nfatal: [testhost]: FAILED", Output},

		{"commit and its files", "bdc3b23 update the ignored files\n\nM\t.gitignore\nA\tdocs/a.md", GitLog},
		{"state of files", "M\tsrc/a.go\nR100\tsrc/b.go\tsrc/c.go", PathList},
		{"subjects", "feat: add a light theme\nMerge pull request #22 from a/b\nfix(api): retry the connection", GitLog},
		{"subjects with hashes", "- docs: mark the protocol as complete (652ce7f)\n- feat: add schemas (e086932)", GitLog},
		{"dated subjects", "* 2025-05-06 updated .gitignore\n* 2025-05-05 First code upload", GitLog},
		{"one subject", "chore: add gitignore and project notes", GitLog},
		{"one commit", "514b623 Implement the scaffolding of the server", GitLog},
		{"message with a trailer", "Add the second theme\n\nThe tokens are the same.\n\nSigned-off-by: A B <a@example.com>", GitLog},
		{"tree with remarks", "src/audit/\n├── app.py          ← the backend (3 calls at once)\n├── requirements.txt ← what it needs\n└── README.md       ← this file", PathList},
		{"paths with remarks", "e2e/\n  config/env.ts       # network endpoints per stage\n  helpers/cli.ts      # wraps the client", PathList},
		{"changes of a release", "### Added\n- A new encoder with several levels\n- Type stubs", Session},
		{"a past tense and its object", "Downloaded the JSON to `src/client_secret.json` (his preferred folder)", Session},
		{"ticked without a list mark", "[x] The page of the screener", Session},
		{"tests that passed", "`pytest -q` → 5 passed (one warning)", Session},
		{"state", "- M5: Documentation (README) complete", Session},
		{"lead-in of two lines", "**To Reproduce**\nSteps to reproduce the behavior:", Fragment},
		{"tags", "**Tags:** #telegram #validation", Fragment},
		{"form to fill in", "2. Click on '....'", Fragment},

		{"a change by its kind", "* [FIX][extension] Fixed receive page content overflowing the popup viewport. (#47)", Session},
		{"scores", "**Tests passing:** 22/22 (100%)", Session},
		{"what was not done", "I did not run tests locally due to the known PATH conflict on this machine.", Session},
		{"a report in labels", "## Summary\n- Total issues: 2\n- By severity: blocker=1, critical=1", Session},
		{"a question", "**What did you expect to happen?**", Fragment},
		{"the end of a sentence", "and UI-triggered differentials/export.", Fragment},
		{"a label and a place", "**Source file**: `scripts/smart-install.js`", Fragment},
		{"a commit as a mail", "From e8b48e425535f18bc9d4f33d7a843da866deccaa Mon Sep 17 00:00:00 2001\nFrom: a <a@example.com>\nSubject: [PATCH] x", GitLog},
		{"what calls itself a summary", "Session summary: added X, fixed Y, updated tests", Session},
		{"what summaries are for", "Session summary files are never committed", ""},
		{"a change behind its hash", "78f6a64: Misc: remove unused dependencies.", GitLog},
		{"a change of a release", "Reorder paragraphs in README.md by @aldas in https://github.com/labstack/echo/pull/2581", GitLog},
		{"a change behind its number", "[2791](https://github.com/slimphp/Slim/pull/2791) Add `inferPrivatePropertyTypeFromConstructor` to phpstan", GitLog},
		{"a signed message", "Phase 71: Drift Register\n\nCo-Authored-By: A <a@example.com>", GitLog},
		{"a trailer to add", "If you are Claude (Anthropic), add:\nCo-Authored-By: Claude <noreply@example.com>", ""},
		{"a number behind a colon", "8080: the port of the proxy", ""},
		{"a ticked task with a condition", "[x] Ambient \"needs you\" pulse (no focus steal)", Session},
		{"the head of a report", "**From**: Phase 4 completion instance\n**Date**: 2026-01-15\n**Focus**: All experimental features complete", Session},
		{"a squashed commit", "fix(api): retry the connection (#191)\n\n* fix(api): retry it once\n\nThe server drops idle ones.", GitLog},
		{"C# with generics", "at A.B.EnsureAsync(Memory`1 buffer, Int32 min)\n   at A.C`1.D.GetResult(Int16 token)", StackTrace},
		{"an open box", "[ ] Related documentation updated in the same PR", ""},
		{"a short sentence that begins with a participle", "Changed by hand", ""},
		{"a participle and a plural", "Expired tokens crash the worker", ""},
		{"a participle of several things", "Merged branches get deleted nightly", ""},
		{"a participle of several things that stay", "Removed users keep their audit rows", ""},
		{"a participle and a reason for it", "Fixed seeds make the tests stable", ""},
		{"a participle and where they are from", "Updated timestamps come from the database, not the app", ""},
		{"a state without its subject", "Backed by an in-memory map", ""},
		{"where it is used", "Used by the billing service too", ""},
		{"a deed to several things", "Removed users table from the schema", Session},
		{"deeds to several things", "Updated tests and fixed imports in three packages", Session},
		{"a participle and a singular", "Unused code rots quickly", ""},
		{"a heading that says why", "## Name sprints — makes changelogs easier to navigate", ""},
		{"a participle and a verb", "Nested transactions fail silently", ""},
		{"a question with its answer", "Why two queues? One per region: they fail apart.", ""},
		{"an entry of a log of work", "- 2026-08-11T00:00:00Z design: entering the design phase.", Session},
		{"a sign and a name", "❌ Budget range selector", Session},
		{"a file and what was done", "`src/dto/vault.dto.ts` - Added teeKeys to the response", Session},
		{"how a command ended", "`uv run ruff check .` — passed.", Session},
		{"a subject with its part", "style(client): collapse search into header action", GitLog},
		{"a message", "feat(config): validate the mode\n\nUsers can set their preferred mode.", GitLog},
		{"one file of numstat", "35\t0\tREPOSITORY.md", Diff},
		{"an anchor of a page", "<a id=\"emit\"></a>", Fragment},
		{"labels in a line", "**Author:** Neo (Architect) | **Status:** Advisory", Fragment},
		{"links", "Types: [Agent](core.md) · [ContentBlock](llm.md)", Fragment},
		{"a form", "### Decision\n**Decision**: [What was decided]\n**Context**: [What drives it]", Fragment},
		{"a sign and a rule", "❌ Don't nest conditions", ""},
		{"a file and a rule", "`src/gen/api.go` - never edited by hand", ""},
		{"a sign and a sentence", "⚠️ Sessions end early", ""},
		{"commands by their label", "build: `make all`\ntest: `make test`", ""},
		{"a longer list of commands", "build: make\ntest: make test\nlint: golangci-lint run\nrelease: make dist", ""},
		{"a participle before a name", "Generated `*.pb.go` files are committed to the repository", ""},
		{"another one", "Cached `User` rows stay for five minutes", ""},
		{"heed", "Heed the warnings of the race detector", ""},
		{"what does not exist", "Retries of uploads are not implemented", ""},
		{"what is not there yet", "Windows support isn't implemented.", ""},
		{"what is gone", "The v1 API is no longer deployed", ""},
		{"a session of a user", "Audit rows have the time at which the session started, because the request may be late", ""},
		{"rules about files", "src/gen/api.go - generated, never edit by hand\nsrc/db/ - must not import src/http", ""},
		{"ports", "## Fixed ports\nPostgres listens on 5433\nRedis listens on 6380", ""},
		{"an area and an order", "tests: create users with `factory.User()`", ""},
		{"dated decisions without colons", "2026-03-16 chose Postgres over MySQL for row locks\n2026-04-02 moved sign-in to Keycloak", ""},
		{"types of commits", "feat: a new feature\nfix: a bug fix\ndocs: documentation only", ""},
		{"dated decisions", "- 2026-03-16: keep the action at the bottom, so that it stays visible\n- 2026-03-17: ask before a purchase", ""},
		{"an order that looks like a past tense", "Embed the schema in the binary", ""},
		{"a decision with its object", "Rejected the second cache for its size", ""},
		{"a condition", "Don't deploy until the migration is done", ""},
		{"a heading that is a rule", "## Never call fixtures directly inside test bodies", ""},
		{"a rule that leads in", "For unit tests it isn't practical to rely on the entire pipeline, it slows them down. Mock the provider instead and return an empty one:", ""},
		{"files, each with what to mind", "- `src/a.go`: is generated, change a.tmpl instead\n- `src/b.go`: must not import a", ""},
		{"changelog", "Fixed a bug where dynamic variables could not access the environment", ""},
		{"removed, with its reason", "Removed the retries since the API isn't idempotent", ""},
		{"checklist", "- [ ] New code has tests\n- [ ] Edge cases are covered", ""},
		{"files to read", "When working in `src/`, also follow:\n- `src/CLAUDE.md`\n- `.claude/rules/a.md`\n- `.claude/rules/b.md`", ""},
		{"colon in code", "Use consistent job dependencies with `needs:`", ""},
		{"commands", "$ make lint\n$ make test", ""},
		{"code after words", "Reset the mocks before each test:\n\nbeforeEach(() => {\n  jest.clearAllMocks();\n});", ""},
		{"bold rule", "**Do not change it again.**", ""},
		{"test settings", "* **Test matrix**: Python 3.11-3.14\n* **Test runs**: via pytest-xdist", ""},
		{"names of things", "- Components: PascalCase (`UserProfile.tsx`)\n- Utilities: camelCase (`formatDate.ts`)", ""},
		{"do and don't", "✅ Do: return early\n❌ Don't: nest conditions", ""},
		{"options", "-v prints each file\n-q prints nothing\n-n changes nothing", ""},
		{"plan", "Ship plan A", ""},
		{"two times of day", "Backups run at 02:00:00 UTC\nThe index is rebuilt at 04:00:00", ""},
		{"price", "The fee is 5 $ per call\nAsk before you raise the limit", ""},
		{"share", "100% of the tests run in CI\nLocally only the fast ones", ""},
		{"error with its remedy", "error: linker `cc` not found\nInstall build-essential first", ""},
		{"notes", "Note: the cache is per user\nWarning: it isn't flushed on exit", ""},
		{"prompt amid prose", "Run this before a push:\n$ make lint\nit is what CI runs", ""},
		{"short rule", "Use pnpm", ""},
		{"with one path", "internal/ui/x.go is generated: change x.tmpl", ""},
		{"error quoted", "`go test` fails with \"panic: runtime error\" when TZ is unset: set TZ=UTC", ""},
		{"list of rules", "Never commit to main\nRun `make lint` first\nAsk before you push", ""},
		{"with a trace line", "Startup fails in CI\nat Object.<anonymous> (/app/a.js:1:7)\nbecause NODE_ENV is production there.\nSet NODE_ENV=test.", ""},
		{"a word of another language that ends like an article", "Trình nghe không được hủy khi màn hình đóng nữa", ""},
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

func TestDoubt(t *testing.T) {
	for text, want := range map[string]Kind{
		"Bandwidth throttling of uploads":                   Fragment,
		"Be careful here":                                   Fragment,
		"This is important!":                                Fragment,
		"Be careful when editing this file":                 Fragment,
		"Be careful with the order of the middleware":       "",
		"Careful with floats in prices":                     "",
		"Beware of shared fixtures":                         "",
		"Mind the trailing slash in BASE_URL":               "",
		"Caution with caching in the proxy":                 "",
		"Careful with this file":                            Fragment,
		"Complex code needs a note":                         "",
		"This code needs care":                              Fragment,
		"Beware of dragons in this code":                    Fragment,
		"Do not touch this":                                 "",
		"Ask Bob before changing this":                      "",
		"docs: use US spelling":                             GitLog,
		"Added the retry because the API drops connections": Session,
		"Balancing visual quality with performance":         Fragment,
		"A desktop client for shared calendars":             Fragment,
		"Thin wrapper around the mail client for retries.":  Fragment,
		"A retry of the upload loses the token":             "",
		"A mutex for the cache: map writes race":            "",
		"Let me look at the failing tests first":            Session,
		"I've successfully migrated every table":            Session,
		"Let the worker retry, not the client":              "",
		"Fixes land on the main branch":                     "",
		"A lock for the queue is held while it drains":      "",
		"登录页面 设计完成":                                         Session,
		"**缓存机制**":                                          Fragment,
		"デプロイ設定":                                            Fragment,
		"缓存不要按用户区分":                                         "",
		"本番環境では必ずpnpmを使う":                                   "",
		"**정렬** — 서버에서만 지원":                                 "",
		"避免布局偏移":                                            "",
		"最后更新：2026-01-02":                                   Session,
		"缓存键：租户加用户":                                         "",
		"I like short names":                                "",
		"Sessions end early":                                "",
		"Sessions of two tabs share one token":              "",
		"Retries of a failed job share one id":              "",
		"Events of one order arrive out of order":           "",
		"Details of the share":                              Fragment,

		"fix:修复描述字段无法显示":                    GitLog,
		"docs：更新部署说明":                       GitLog,
		"test:unit runs without a database": "",

		"**Status:** Target. Kernel tests exist; the query path is for the second part of the plan":             Session,
		"**Blocked by:** the review of the second half of the schema":                                           Session,
		"**Status:** the field must be an integer":                                                              "",
		"**`README.md`** - Updated all file references":                                                         Session,
		"`config.py` - Configuration already correct":                                                           "",
		"`src/config.py` - Already correct":                                                                     Session,
		"**Retries** - Limited by the queue, so a late job is dropped":                                          "",
		"Frontend: 9 files created/modified (pages, clients)":                                                   Session,
		"The split into two files is not yet merged, PR #28 waits":                                              Session,
		"- Forms unified — same order of fields\n- Bottom sheet replaced by a page\n- The toggle is now a card": Session,
		"- The flag is now required\n- Never call the old endpoint":                                             "",
		"Releases are merged to main because PR #28 needs the tag":                                              "",
		"This release adds statistics and improves the parser":                                                  Session,
		"This release requires Go 1.26":                                                                         "",
		"[To be documented based on the analysis]":                                                              Fragment,
		"[Guide](docs/guide.md) says how a release is made":                                                     "",
		"`a.js` → `b.js` → `c.js`":                                                                              Fragment,
		"`cd src` -> `make run`":                                                                                "",
		"- [ ] All dialogs open\n- [ ] Cancel works\n- [x] Values are read":                                     Session,
		"- Modify: `src/a.ts`\n- Create: `src/b.ts`, `src/c.ts`":                                                PathList,
		"- Modify: only by the owner\n- Create: by everyone":                                                    "",

		"テキスト編集、画像挿入、検証用の個別エージェント":  Fragment,
		"不明点を持ったままでの作業は絶対NG":        "",
		"デプロイコマンドを整理し、新しいターゲットを追加。": Session,
		"依存関係をインストール＆ビルド":           "",
		"Webhooks arrive twice":            "",
		"Secrets in Vault":                 "",
		"Tabs over spaces":                 "",
		"SQLite for all local persistence": "",
		"Use pnpm":                         "",
		"Backups run at night":             "",
		"Refresh twice loses the token":    "",
		"Tabs, not spaces":                 "",
		"Deploys: only from main":          "",
		"`make lint` first":                "",
		"The cache is per user, so flush it after a sign-out.":   "",
		"Added fields are nullable, because old clients skip it": "",
	} {
		kind, found := Doubt(text)
		if likely, p := Likely(text); !found && p >= Advised {
			kind, found = likely, true
		}
		if kind != want || found != (want != "") {
			t.Errorf("Doubt(%q) is %q, want %q", text, kind, want)
		}
		if found && (kind.Likeness() == "" || kind.Hint() == "") {
			t.Errorf("%q says nothing to a person", kind)
		}
	}
}

// TestPlural: what several things do is a sentence, what they are of is a name.
func TestPlural(t *testing.T) {
	for text, want := range map[string]bool{
		"Sessions end early": true, "Locks of both shards share one timeout": true, "Keys of users and teams overlap, so prefix them": true, "Names of things that need a review": false, "Results of work we must share": false,
		"Details of the share": false, "Details of use by clients": false, "Status of two jobs may differ": false, "Parts of a, b need": false, "Sessions of": false, "Sessions": false,
	} {
		if isPlural(text) != want {
			t.Errorf("isPlural(%q) is %v", text, !want)
		}
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

// TestOrders: a short order is no heading, whatever the judge says of its words; a task is still judged.
func TestOrders(t *testing.T) {
	for _, text := range []string{"say the branch first", "Name the queue", "ask the owner first", "Check the lock file twice"} {
		if kind, p := Likely(text); p != 0 {
			t.Errorf("%q: %s %.2f", text, kind, p)
		}
	}
	for _, text := range []string{"Fix the login", "In the beginning", "Implementing the queue", "Added a cache"} {
		if isOrder(text) {
			t.Errorf("%q is taken for an order", text)
		}
	}
}

// TestCertain: a heading, a line that leads in and an account of one line are certain in a few words, or if the judge agrees.
func TestCertain(t *testing.T) {
	for text, want := range map[string]bool{
		"1":               true,
		"Key fields:":     true,
		"| Name | Type |": true,
		"The `Router` service (`app/services/router.py`) determines how streams are played:": false,
		"## Scripts and their options":                                       true,
		"## 测试必须使用固定时间，不能读系统时钟":                                              false,
		"Used `uv` to run all tools (e.g., `uv run pytest`, `uv run ruff`).": false,
		"Ran the full test suite before committing":                          true,
		"[x] **AC-4:** `GET /sessions` returns only the caller's data":       false,
		"[x] Create the session table":                                       true,
		"[x] Set up the client":                                              true,
		"Replaced the queue with a table so jobs survive a restart":          false,
		"Added twelve tests so far for the parser":                           true,
		"Updated the page so users now see:":                                 true,
		"diff --git a/cli.ts b/cli.ts\nold mode 100644\nnew mode 100755":     true,
		"commit 0123456789abcdef\nAuthor: A <a@b.c>\n":                       true,
		"# ADR-0003 — Piloter la vue via l'API directe":                      false,
	} {
		k, found := Find(text)
		if !found {
			t.Errorf("%q is not found", text)
			continue
		}
		if got := Certain(text, k); got != want {
			t.Errorf("%q is a %s, certain %v, want %v", text, k, got, want)
		}
	}
}

// TestSeveralLines: a text of several lines is judged by its words and by the shape of its lines, but is never so surely junk that it
// is refused.
func TestSeveralLines(t *testing.T) {
	for text, most := range map[string]bool{
		"Better error handling\nand user feedback\nand improved performance":                                          true,
		"- Faster queries\n- Dashboard v2.1.0 done\n- Search in progress\n- Exports planned":                          true,
		"Refresh fails silently\nwhen Redis is unreachable, because the client\nswallows the error of its connection": false,
	} {
		_, p := Likely(text)
		if lines := likely.OfLines(text).Probability; p != min(lines, SurestOfLines) || p >= Sure || (p >= Held) != most {
			t.Errorf("%q: %.2f, by its lines %.2f", text, p, lines)
		}
	}
	if text := " one \n two"; AsLine(text) != text {
		t.Errorf("two lines became %q", AsLine(text))
	}
}

// TestIsValue: a short name with its value says something; a step, a count and a label of a report do not.
func TestIsValue(t *testing.T) {
	for text, want := range map[string]bool{
		"Background: blue (#3b82f6)": true, "**Pooling:** mean": true, "Step 3: Commit": false, "Variables: 1": false, "Status: done": false, "Owner: —": false,
		"Notes: the queue is read by three workers of which one is slow": false, "Color: red\nSize: big": false,
	} {
		if IsValue(text) != want {
			t.Errorf("IsValue(%q) is %v", text, !want)
		}
	}
}

// TestReasonNamesTheForm: who is refused is told which form the text has, and what to write instead.
func TestReasonNamesTheForm(t *testing.T) {
	for text, want := range map[string]string{
		"Can we fix it later?":              "it only asks",
		"## Overview":                       "it is a heading: nothing is said",
		"Key fields:":                       "it leads in what is not there",
		"| a | b |":                         "it is a row of a table: nothing is said",
		"versions that tool stubs refer to": "it is a fragment: nothing is said",
	} {
		k, found := Find(text)
		if got := k.ReasonFor(text); !found || got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	if got := Fragment.HintFor("Can we fix it later?"); got == Fragment.Hint() {
		t.Errorf("the hint for a question: %q", got)
	}
	for _, k := range Kinds() {
		if k.Likeness() == "it reads like junk" {
			t.Errorf("%s has no likeness", k)
		}
	}
}

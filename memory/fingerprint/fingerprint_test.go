package fingerprint

import "testing"

func TestLine(t *testing.T) {
	for in, want := range map[string]string{
		"open /tmp/a/b.json: no such file":               "open <path>/b.json: no such file",
		"panic at 0xc000123 in goroutine 17":             "panic at <addr> in goroutine #",
		"commit 3f2a1c9d not found":                      "commit <id> not found",
		"Get \"https://example.com/x\": timeout":         "get \"<url>\": timeout",
		"src/a.ts(12,5): error TS2307":                   "<path>/a.ts(#,#): error ts#",
		"Expected 3 arguments, but got 4.":               "expected # arguments, but got #.",
		"either and/or":                                  "either and/or",
		"key 0198f0c2-7a41-7c3e-9d7a-3f1f5d0b9a11 taken": "key <id> taken",
	} {
		if got := Line(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

// known are memories of errors as people and the observer write them.
func known() map[string]Pattern {
	return map[string]Pattern{
		"generated": Of("“Cannot find module './gen/api' or its corresponding type declarations.” means that the clients are not generated", "Run `make generate` after each pull"),
		"ts-code":   Of("TS2307 for '@shop/schema': build the schema package first", ""),
		"nilerr":    Of("`golangci-lint` enforces `nilerr`: “error is not nil (line 57) but it returns nil”, for example.", "It stopped the work in 3 sessions."),
		"console":   Of("`eslint` enforces `no-console`: “Unexpected console statement.”, for example.", ""),
		"wire":      Of(`"undefined: InitializeApp" after a pull: wire_gen.go is stale`, "go generate ./cmd/app"),
		"borrow":    Of("cannot borrow `*self` as mutable because it is also borrowed as immutable: take the id first", "The cache hands out references"),
		"stubs":     Of(`Import "google.protobuf" could not be resolved from source: install types-protobuf`, ""),
		"embed":     Of("“pattern dist/*: no matching files found” is the web page that was not built", "npm run build in web/"),
		"generic":   Of("`declared and not used` comes up a lot", "`is not defined`, “syntax error”, 'does not exist'"),
		"prose":     Of("Type errors of the store come from two versions of the schema package", "see the lock file"),
	}
}

// TestMessages matches real messages of gopls, tsc, eslint, rustc and pyright.
func TestMessages(t *testing.T) {
	tests := []struct {
		tool, message string
		codes         []string
		want          string // the memory that it must find, "" for none
	}{
		{"tsc", "Cannot find module './gen/api' or its corresponding type declarations.", []string{"ts2307"}, "generated"},
		{"tsc", "Cannot find module '@shop/schema' or its corresponding type declarations.", []string{"ts2307"}, "ts-code"},
		{"tsc", "Cannot find module './other' or its corresponding type declarations.", []string{"ts2307"}, ""},
		{"tsc", "Cannot find module 'react' or its corresponding type declarations.", []string{"ts2307"}, ""},
		{"tsc", "Cannot find name 'foo'.", []string{"ts2304"}, ""},
		{"tsc", "Type 'string' is not assignable to type 'number'.", []string{"ts2322"}, ""},
		{"tsc", "Property 'id' does not exist on type 'User'.", []string{"ts2339"}, ""},
		{"tsc", "Object is possibly 'undefined'.", []string{"ts2532"}, ""},
		{"tsc", "Expected 2 arguments, but got 1.", []string{"ts2554"}, ""},
		{"tsc", "'x' is declared but its value is never read.", []string{"ts6133"}, ""},
		{"golangci-lint", "error is not nil (line 12) but it returns nil", []string{"nilerr"}, "nilerr"},
		{"gopls", "undefined: InitializeApp", []string{"UndeclaredName"}, "wire"},
		{"gopls", "undefined: wire.InitializeApp", []string{"UndeclaredName"}, ""},
		{"gopls", "declared and not used: ctx", []string{"UnusedVar"}, ""},
		{"gopls", `"fmt" imported and not used`, []string{"UnusedImport"}, ""},
		{"gopls", "pattern dist/*: no matching files found", nil, "embed"},
		{"gopls", "cannot use x (variable of type int) as string value in argument to f", []string{"IncompatibleAssign"}, ""},
		{"gopls", "missing return", []string{"MissingReturn"}, ""},
		{"gopls", "could not import example.com/x (no required module provides package \"example.com/x\")", []string{"BrokenImport"}, ""},
		{"gopls", "expected ';', found '}'", []string{"syntax"}, ""},
		{"eslint", "Unexpected console statement.", []string{"no-console"}, "console"},
		{"eslint", "'foo' is not defined.", []string{"no-undef"}, ""},
		{"eslint", "'x' is assigned a value but never used.", []string{"@typescript-eslint/no-unused-vars"}, ""},
		{"eslint", "Unexpected any. Specify a different type.", []string{"@typescript-eslint/no-explicit-any"}, ""},
		{"eslint", "Expected '===' and instead saw '=='.", []string{"eqeqeq"}, ""},
		{"rustc", "cannot borrow `*self` as mutable because it is also borrowed as immutable\nmutable borrow occurs here", []string{"E0502"}, "borrow"},
		{"rustc", "cannot borrow `self.items` as mutable because it is also borrowed as immutable", []string{"E0502"}, ""},
		{"rustc", "mismatched types\nexpected `&str`, found `String`", []string{"E0308"}, ""},
		{"rustc", "cannot find value `x` in this scope", []string{"E0425"}, ""},
		{"rustc", "use of moved value: `config`", []string{"E0382"}, ""},
		{"rustc", "unused variable: `i`", []string{"unused_variables"}, ""},
		{"pyright", `Import "google.protobuf" could not be resolved from source`, []string{"reportMissingModuleSource"}, "stubs"},
		{"pyright", `Import "requests" could not be resolved from source`, []string{"reportMissingModuleSource"}, ""},
		{"pyright", `"x" is not defined`, []string{"reportUndefinedVariable"}, ""},
		{"pyright", `Cannot access attribute "save" for class "None"`, []string{"reportAttributeAccessIssue"}, ""},
		{"pyright", `Argument missing for parameter "name"`, []string{"reportCallIssue"}, ""},
	}
	memories := known()
	found, wrong, missed := 0, 0, 0
	for _, tt := range tests {
		m := Parse(tt.message, tt.codes...)
		for name, p := range memories {
			switch matched := p.Matches(m); {
			case matched && name == tt.want:
				found++
			case matched:
				wrong++
				t.Errorf("%s %q is taken for %s", tt.tool, tt.message, name)
			case name == tt.want:
				missed++
				t.Errorf("%s %q is not known as %s", tt.tool, tt.message, name)
			}
		}
	}
	t.Logf("%d messages against %d memories: %d found, %d wrong, %d missed", len(tests), len(memories), found, wrong, missed)
}

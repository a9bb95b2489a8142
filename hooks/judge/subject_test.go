package judge

import (
	"fmt"
	"strings"
	"testing"

	"manicule/memory/file"
)

func (s sense) String() string { return []string{"named", "told", "warned", "occasion"}[s] }

// TestSubject: what memories say of the commands and paths that they name. Some
// sentences are those that the observer writes.
func TestSubject(t *testing.T) {
	for _, tc := range []struct {
		typ  file.Type
		what string
		want string
	}{
		{file.ErrorPattern, "`npm test` does not work here; `mise run test` does.", "npm test warned, mise run test told"},
		{file.Preference, "Use `pnpm`, not `npm`.", "pnpm told, npm warned"},
		{file.Gotcha, "Never run `go test ./...` at the root; it hangs.", "go test ./... warned"},
		{file.Gotcha, "`go generate` hangs when Redis is down", "go generate warned"},
		{file.Convention, "Run `make lint` before `git commit`.", "make lint told, git commit occasion"},
		{file.Convention, "When you change the schema run `make gen`.", "make gen told"},
		{file.Convention, "Don't forget to run `make gen`.", "make gen told"},
		{file.Gotcha, "Tests fail without `make gen`.", "make gen told"},
		{file.Convention, "Before a commit, run `mise run fmt`, `mise run lint` and `mise run test`.", "mise run fmt told, mise run lint told, mise run test told"},
		{file.Gotcha, "There is no `cmd/cli/root.go`: it is `cmd/entire/cli/root.go`.", "cmd/cli/root.go warned, cmd/entire/cli/root.go told"},
		{file.Gotcha, "Edits of `a/b.go` often miss its text: read the lines again right before.", "a/b.go named"},
		{file.Gotcha, "`errors.Is` panics on nil", ""},
		{file.Convention, "Do not edit `gen.go` by hand.", "gen.go warned"},
		{file.WorkflowRecipe, "`make build` and `make install`", "make build told, make install told"},
		{file.DeadEnd, "`make build` and `make install`", "make build named, make install named"},
		{file.Preference, "Ask before running `git push`: people here refuse it when it comes unasked.", "git push occasion"},
		{file.Gotcha, "Use `go test -run NAME <pkg>` and not `go test`.", "go test -run told, go test warned"},
		{file.Convention, "Commands like `git status` print paths from the root.", "git status occasion"},
		{file.Convention, "Use a wrapper (e.g., `rtk git status`).", "rtk git status occasion"},
		{file.Convention, "Use a wrapper (e.g. `rtk git status`).", "rtk git status occasion"},
		{file.Gotcha, "no code at all, and an open ` quote", ""},
		{file.Gotcha, "Never run `git log | cat`.", "git log | cat warned"},
		{file.Convention, "`go test ./... 2>&1 | tail -5` is quiet.", "go test ./... | tail -5 told"},
		{file.Gotcha, "Use `make test`, not `make test | tail`.", "make test told, make test | tail warned"},
		{file.Convention, "`cd app && npm test | tee log` logs.", "cd app told, npm test | tee log told"},
		{file.Gotcha, "Never run `yes | <cmd>`.", "yes |  warned"},
		{file.Gotcha, "Don't pipe: `CMD | less` hangs.", " | less warned"},
		{file.Gotcha, "Never run `<a> | <b>`.", ""},
		{file.Convention, "The field is `string | null`.", "string | null named"},
		{file.Convention, "Use `T | Error` here.", ""},
		{file.Gotcha, "Never run `grep 'a | b' x`.", "grep a | b x warned"},
		{file.ContextCost, "`go test -v ./...` prints about 9,000 tokens: narrow it down.", "go test -v ./... named"},
	} {
		s := subjectOf(&file.Memory{Type: tc.typ, What: tc.what})
		var got []string
		for _, p := range s.places {
			got = append(got, fmt.Sprint(p.path, " ", p.sense))
		}
		for _, c := range s.commands {
			var parts []string
			for _, p := range c.parts {
				parts = append(parts, strings.Join(p, " "))
			}
			got = append(got, strings.Join(parts, " | ")+" "+c.sense.String())
		}
		if g := strings.Join(got, ", "); g != tc.want {
			t.Errorf("%s\n got %s\nwant %s", tc.what, g, tc.want)
		}
	}
}

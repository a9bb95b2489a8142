package graph

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// lost writes deletions as "file:line symbol <- uses that are left".
func lost(all []Deletion) []string {
	out := []string{}
	for _, d := range all {
		s := fmt.Sprintf("%s:%d %s", d.File, d.Line, d.Symbol)
		for _, r := range d.References {
			s += fmt.Sprintf(" <- %s:%d %s", r.File, r.Line, r.Symbol)
		}
		out = append(out, s)
	}
	return out
}

// TestDeleted takes symbols away in ways that leave uses of them and in ways
// that do not.
func TestDeleted(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(s *space) []OldFile
		want   []string
	}{
		"still used": {func(s *space) []OldFile {
			was := s.read("store/keeper.go")
			s.write("store/keeper.go", was[:strings.Index(was, "func (k *Keeper) Put")])
			return []OldFile{{"store/keeper.go", "store/keeper.go", []byte(was)}}
		}, []string{"store/keeper.go:11 Keeper.Put <- auth/token.go:21 Service.Login"}},

		"its users changed too": {func(s *space) []OldFile {
			was, user := s.read("store/keeper.go"), s.read("auth/token.go")
			s.write("store/keeper.go", was[:strings.Index(was, "func (k *Keeper) Put")])
			s.write("auth/token.go", "package auth\n\nimport \"example.com/shop/store\"\n\ntype Service struct{ keep *store.Keeper }\n\nfunc (s *Service) Login(token string) error { return nil }\n")
			return []OldFile{{"store/keeper.go", "store/keeper.go", []byte(was)}, {"auth/token.go", "auth/token.go", []byte(user)}}
		}, []string{
			"auth/token.go:6 Validator", "auth/token.go:12 Service.check",
			"auth/token.go:15 New <- auth/token_test.go:5 TestLogin <- cmd/main.go:9 main", "store/keeper.go:11 Keeper.Put",
		}},

		"used in the same file": {func(s *space) []OldFile {
			was := s.read("store/keeper.go")
			s.write("store/keeper.go", "\n\n"+strings.Replace(was, "func (l *Log) Note(text string) { fmt.Println(text) }\n", "", 1))
			return []OldFile{{"store/keeper.go", "store/keeper.go", []byte(was)}}
		}, []string{"store/keeper.go:9 Log.Note <- store/keeper.go:13 Keeper.Put"}},

		"moved within its package": {func(s *space) []OldFile {
			was := s.read("auth/token.go")
			at := strings.Index(was, "func New")
			end := at + strings.Index(was[at:], "\n")
			s.write("auth/token.go", was[:at]+was[end:])
			s.write("auth/new.go", "package auth\n\nimport \"example.com/shop/store\"\n\n"+was[at:end]+"\n")
			return []OldFile{{"auth/token.go", "auth/token.go", []byte(was)}}
		}, []string{"auth/token.go:15 New"}},

		"the file is gone": {func(s *space) []OldFile {
			was := s.read("py/models.py")
			s.remove("py/models.py")
			return []OldFile{{"py/models.py", "", []byte(was)}}
		}, []string{"py/models.py:1 Base", "py/models.py:2 Base.save <- py/main.py:5 run", "py/models.py:9 User <- py/main.py:1  <- py/main.py:4 run"}},

		"the file has another name": {func(s *space) []OldFile {
			was := s.read("web/client.ts")
			s.remove("web/client.ts")
			s.write("web/http.ts", was)
			return []OldFile{{"web/client.ts", "web/http.ts", []byte(was)}}
		}, []string{
			"web/client.ts:1 Client <- web/api.ts:1  <- web/api.ts:2 load <- web/app.ts:1  <- web/app.ts:2 c",
			"web/client.ts:2 Client.get <- web/api.ts:2 load <- web/app.ts:4 ",
		}},

		"nothing is gone": {func(s *space) []OldFile {
			was := s.read("py/models.py")
			s.write("py/models.py", was+"\n\nclass More:\n    pass\n")
			return []OldFile{{"py/models.py", "py/models.py", []byte(was)}, {"notes.txt", "", []byte("no code")}}
		}, []string{}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSpace(t, shop)
			ix := s.open()
			s.sync(ix)
			old := tt.change(s)
			s.sync(ix)
			before := dump(s.graph(ix))
			got, err := ix.Deleted(t.Context(), old)
			check(t, err)
			if !slices.Equal(lost(got), tt.want) {
				t.Errorf("%s", strings.Join(lost(got), "\n"))
			}
			if after := dump(s.graph(ix)); after != before {
				t.Errorf("the graph is another after the question:\n%s", difference(after, before))
			}
		})
	}
}

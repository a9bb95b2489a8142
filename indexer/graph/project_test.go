package graph

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestBuildFilesStayInside holds that nothing outside of the workspace is read
// for what build files name.
func TestBuildFilesStayInside(t *testing.T) {
	s := newSpace(t, "")
	outside := newSpace(t, "")
	outside.write("tsconfig.json", `{"compilerOptions": {"baseUrl": ".."}}`)
	s.write("app/tsconfig.json", "{}")
	s.write("base.json", "{}")
	check(t, os.Symlink(outside.root, filepath.Join(s.root, "away")))
	check(t, os.Symlink(filepath.Join(outside.root, "tsconfig.json"), filepath.Join(s.root, "app/far.json")))
	check(t, os.Symlink("../base.json", filepath.Join(s.root, "app/near.json")))
	root, err := os.OpenRoot(s.root)
	check(t, err)
	defer func() { check(t, root.Close()) }()
	up, err := filepath.Rel(s.root, filepath.Join(outside.root, "tsconfig.json"))
	check(t, err)
	for p, ok := range map[string]bool{
		"app/tsconfig.json":      true,
		"app/../base.json":       true,
		"app/near.json":          true, // a link to what is inside
		filepath.ToSlash(up):     false,
		"app/../../../etc/hosts": false,
		filepath.ToSlash(filepath.Join(outside.root, "tsconfig.json")): false,
		"away/tsconfig.json": false,
		"app/far.json":       false,
		"app":                false,
		"nothing.json":       false,
	} {
		if data, err := readBuild(root, p); (err == nil) != ok {
			t.Errorf("%s: %q %v", p, data, err)
		}
	}
}

// TestExtends follows a tsconfig that extends another, and not one that lies
// behind a link out of the workspace.
func TestExtends(t *testing.T) {
	const paths = `{"compilerOptions": {"baseUrl": "..", "paths": {"@work/*": ["src/*"]}}}`
	outside := newSpace(t, "")
	outside.write("tsconfig.json", paths)
	for name, want := range map[string][]string{"config": {"app/a.ts#use"}, "away": {}} {
		s := newSpace(t, "")
		s.write("config/tsconfig.json", paths)
		check(t, os.Symlink(outside.root, filepath.Join(s.root, "away")))
		s.write("tsconfig.json", `{"extends": "./`+name+`/tsconfig.json"}`)
		s.write("src/lib.ts", "export function work() {}\n")
		s.write("app/a.ts", "import { work } from \"@work/lib\";\nexport function use() { work(); }\n")
		ix := s.open()
		s.sync(ix)
		if got := s.callers(s.graph(ix), "src/lib.ts#work"); !slices.Equal(got, want) {
			t.Errorf("through %s: %q, want %q", name, got, want)
		}
	}
}

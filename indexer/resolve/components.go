package resolve

import (
	"path"
	"slices"
	"strings"

	"manicule/grammars"
	"manicule/indexer/extract"
)

// isComponent reports whether a file is a component: what it exports is itself.
func isComponent(f *File) bool { return isComponentLanguage(f.Lang) }

func isComponentLanguage(lang string) bool {
	return lang == "vue" || lang == "svelte" || lang == "astro"
}

// componentOf returns the component that an import means, nil if it means anything else. A component is
// represented by its file: the code in it need not declare anything.
func componentOf(t target) *Symbol {
	switch {
	case t.unit != nil && len(t.unit.Files) == 1 && isComponent(t.unit.Files[0]):
		return t.unit.Files[0].Self
	case len(t.symbols) == 1 && t.symbols[0].Name == "default" && t.symbols[0].Parent == nil && isComponent(t.symbols[0].File):
		return t.symbols[0].File.Self
	}
	return nil
}

// optionOf returns the method, computed value or property of a component of Vue that is used as a
// member of "this": they are declared in options of the default export.
func optionOf(f *File, ref *extract.Ref, at *Symbol) []*Symbol {
	if f.Lang != "vue" || ref.Recv != "this" {
		return nil
	}
	for s := at; s != nil; s = s.Parent {
		if s.IsType() {
			return nil
		}
	}
	for _, section := range [...]string{"methods", "computed", "props", "inject", "setup", "data"} {
		if found := f.unit.declsIn("default."+section, ref.Name); found != nil {
			return found
		}
	}
	return nil
}

// registered returns the only component of a name, for the tag of one that its file does not import: an
// application or a build tool registers it.
func (u *use) registered() *Symbol {
	if u.Kind != extract.RefCall || u.file.Lang != "vue" || u.Name == "" || u.Name[0] < 'A' || u.Name[0] > 'Z' {
		return nil
	}
	if found := u.r.t.component(u.Name); found != nil && found != u.file {
		return found.Self
	}
	return nil
}

// ComponentNames returns the names by which a component may be registered: that of its file, and the
// same behind those of its folders, as components/base/Button.vue is Button and BaseButton.
func ComponentNames(file string) []string {
	l, _ := grammars.ForPath(file)
	if !isComponentLanguage(l.ID) {
		return nil
	}
	name := pascalCase(strings.TrimSuffix(path.Base(file), path.Ext(file)))
	dirs := strings.Split(path.Dir(file), "/")
	if name == "Index" && len(dirs) > 0 {
		name, dirs = pascalCase(dirs[len(dirs)-1]), dirs[:len(dirs)-1]
	}
	out := []string{name}
	for _, dir := range slices.Backward(dirs) {
		if dir == "components" || dir == "." || len(out) > maxComponentNames {
			break
		}
		if prefix := pascalCase(dir); !strings.HasPrefix(name, prefix) {
			name = prefix + name
			out = append(out, name)
		}
	}
	return out
}

// maxComponentNames is how many folders a component's name may have in front.
const maxComponentNames = 3

// pascalCase writes the name of a file as that of a component: my-button is MyButton.
func pascalCase(name string) string {
	var out strings.Builder
	for _, word := range strings.FieldsFunc(name, func(r rune) bool { return r == '-' || r == '_' || r == '.' }) {
		out.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return out.String()
}

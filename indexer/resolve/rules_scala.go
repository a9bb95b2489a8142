package resolve

import (
	"slices"
	"strings"

	"manicule/indexer/extract"
)

// scalaRules extends namespaceRules: types and values have separate names, an object
// may be a package, and naming a method calls it.
type scalaRules struct{ namespaceRules }

// unitKey puts the file of a package object into the package that the object
// represents.
func (s scalaRules) unitKey(t *Table, f *File) string {
	if o := packageObject(f); o != nil {
		return s.family() + ":" + strings.TrimPrefix(dotted(f.Package)+"."+o.Name, ".")
	}
	return s.namespaceRules.unitKey(t, f)
}

func packageObject(f *File) *Symbol {
	if f.Lang != "scala" {
		return nil
	}
	for _, s := range f.Symbols {
		if s.packageObject() {
			return s
		}
	}
	return nil
}

func (s *Symbol) packageObject() bool {
	return s.Parent == nil && s.Kind == "module" && strings.HasPrefix(s.Sig, "package object ")
}

// unitNames returns the members of the unit's package object.
func (scalaRules) unitNames(r *resolver, u *Unit, name string) []*Symbol {
	for _, o := range u.objects {
		if found := r.member(typ{kind: instance, sym: o}, name); found != nil {
			return found
		}
	}
	return nil
}

// outerNames returns what a package object sees of the enclosing package.
func (s scalaRules) outerNames(r *resolver, f *File, name string) []*Symbol {
	if found := s.unitNames(r, f.unit, name); found != nil {
		return found
	}
	if !slices.ContainsFunc(f.unit.objects, func(o *Symbol) bool { return o.File == f }) {
		return nil
	}
	if u := s.module(r.t, f, f.Package); u != nil {
		return u.byPath[name]
	}
	return nil
}

// filterByUse separates a class from an object of the same name. There are no partial
// declarations: a declaration at the same place in another file belongs to another
// build.
func (scalaRules) filterByUse(found []*Symbol, f *File, kind extract.RefKind) []*Symbol {
	if found[0].File == f {
		found = filterOrAll(found, func(s *Symbol) bool { return s.File == f })
	}
	object := func(s *Symbol) bool { return s.Kind == "module" }
	class := func(s *Symbol) bool { return s.Kind != "module" }
	switch kind {
	case extract.RefType, extract.RefNew, extract.RefInherit:
		return filterOrAll(found, class)
	case extract.RefRead:
		return filterOrAll(found, object)
	case extract.RefCall: // of the object and its apply, else of the class's constructor
		if apply := applyMethods(found); apply != nil {
			return append(filterOrAll(found, object), apply...)
		}
		return filterOrAll(found, class)
	}
	return found
}

// applyMethod returns the method that a call of an object runs.
func (scalaRules) applyMethod(r *resolver, s *Symbol) *Symbol {
	if s.Kind == "module" {
		found := r.member(typ{kind: class, sym: s}, "apply")
		for _, a := range found {
			if a.Type != "" { // of the overloads, one with a written result type
				return a
			}
		}
		if found != nil {
			return found[0]
		}
	}
	return nil
}

// applyMethods returns the methods that calls of the objects run.
func applyMethods(found []*Symbol) []*Symbol {
	for _, s := range found {
		if s.Kind != "module" {
			continue
		}
		if apply := s.File.unit.byPath[s.Path+".apply"]; len(apply) > 0 {
			return apply
		}
	}
	return nil
}

// filterOrAll returns the symbols that pass, or all if none does.
func filterOrAll(all []*Symbol, pass func(*Symbol) bool) []*Symbol {
	var out []*Symbol
	for _, s := range all {
		if pass(s) {
			out = append(out, s)
		}
	}
	if out == nil {
		return all
	}
	return out
}

// callsOnRead reports that naming a method without parameters calls it.
func (scalaRules) callsOnRead(s *Symbol) bool {
	return (s.Kind == "method" || s.Kind == "function") && s.Arity <= 0
}

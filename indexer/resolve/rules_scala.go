package resolve

import (
	"slices"
	"strings"

	"manicule/indexer/extract"
)

// scalaRules: as other languages with packages, but types and values have names
// of their own, a package may be an object, and naming a method calls it.
type scalaRules struct{ namespaceRules }

// unitKey puts the file of a package object into the package that the object is.
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

// unitNames are the members of the unit's package object.
func (scalaRules) unitNames(r *resolver, u *Unit, name string) []*Symbol {
	for _, o := range u.objects {
		if found := r.member(typ{kind: instance, sym: o}, name); found != nil {
			return found
		}
	}
	return nil
}

// outerNames are what a package object sees of the package around it.
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

// filterByUse leaves out the class where an object of its name is meant and the other
// way round. There are no partial declarations: what another file has at the
// same place is of another build.
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

// applyMethod is the method that a call of an object calls.
func (scalaRules) applyMethod(r *resolver, s *Symbol) *Symbol {
	if s.Kind == "module" {
		found := r.member(typ{kind: class, sym: s}, "apply")
		for _, a := range found {
			if a.Type != "" { // of the overloads, one that says what it gives
				return a
			}
		}
		if found != nil {
			return found[0]
		}
	}
	return nil
}

// applyMethods are the methods that a call of one of the objects calls.
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

// filterOrAll keeps what passes, and all where nothing does.
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

// callsOnRead says that a method that takes nothing is called where it is named.
func (scalaRules) callsOnRead(s *Symbol) bool {
	return (s.Kind == "method" || s.Kind == "function") && s.Arity <= 0
}

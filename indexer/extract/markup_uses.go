package extract

import (
	"cmp"
	"context"
	"strings"

	"manicule/indexer/sorting"
)

// addMarkup adds the uses of names in the markup of a component to the facts of its code.
func (l *language) addMarkup(ctx context.Context, src []byte, f *Facts) error {
	if l.markup == 0 {
		return nil
	}
	known := namesOf(f)
	code := readMarkup(l.markup, src, known)
	if len(code.parts) == 0 {
		return nil
	}
	embedded, err := languageFor(l.embeds)
	if err != nil {
		return err
	}
	u := &uses{src: code.text, ecma: true}
	if _, err := embedded.scan(ctx, code.text, u); err != nil {
		return err
	}
	sorting.StableByKey(u.refs, (*refMatch).order)
	u.distinctRefs()
	binds, local := u.localNames(nil, nil)
	bound := make(map[int]bool, len(u.binds))
	for _, b := range u.binds {
		bound[b.Start] = true
	}
	options := optionsOf(f)
	skipped := 0
	for _, r := range u.refs {
		if r.Kind == refSkip {
			skipped = max(skipped, r.End)
		}
		bare := r.Recv == ""
		at, ok := code.span(r.Start, r.End)
		if !ok || r.End <= skipped || r.Kind == RefKey || bare && bound[r.Start] || !declarable(r.Name) ||
			bare && r.Kind == RefRead && isLocal(local[r.Name], r.Start) {
			continue
		}
		if r.Kind == RefCall && !bare {
			r.Args = arguments(u.src, r.End)
		}
		switch name, store := strings.CutPrefix(r.Name, "$"); {
		case bare && l.markup == markupVue && !known[r.Name] && options[r.Name]:
			r.Recv = "this"
		case bare && l.markup == markupSvelte && store && !known[r.Name] && known[name]: // the value of a store
			r.Name, at.Start = name, at.Start+1
		}
		r.Start, r.End, r.In, r.Line = at.Start, at.End, -1, f.Line(at.Start)
		f.Refs = append(f.Refs, r.Ref)
	}
	for _, b := range binds {
		at, ok := code.span(b.Start, b.Start+len(b.Name))
		scope, ok2 := code.scopeSpan(b.Scope)
		if !ok || !ok2 {
			continue
		}
		b.Start, b.Scope = at.Start, scope
		f.Binds = append(f.Binds, b)
	}
	sorting.StableByKey(f.Refs, func(r *Ref) uint64 { return uint64(r.Start) })
	sorting.StableByKey(f.Binds, func(b *Bind) uint64 { return uint64(b.Start) })
	return nil
}

// namesOf returns the names that code imports or declares outside of everything.
func namesOf(f *Facts) map[string]bool {
	known := make(map[string]bool, len(f.Symbols)+len(f.Uses))
	for _, i := range f.Uses {
		known[cmp.Or(i.Alias, i.Name)] = true
	}
	for _, s := range f.Symbols {
		if s.Parent < 0 {
			known[s.Name] = true
		}
	}
	delete(known, "")
	return known
}

// optionsOf returns the names of what a component of Vue declares by options: its methods, computed
// values and properties, which its markup uses without "this.".
func optionsOf(f *Facts) map[string]bool {
	options := map[string]bool{}
	for _, s := range f.Symbols {
		if strings.HasPrefix(s.Path, "default.") && strings.Count(s.Path, ".") == 2 {
			options[s.Name] = true
		}
	}
	return options
}

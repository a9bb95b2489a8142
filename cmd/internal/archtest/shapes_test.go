package archtest

import (
	"encoding/json"
	"go/ast"
	"go/types"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

// neverPrinted are members that a shape's Go type has and that its command leaves empty.
var neverPrinted = []string{
	"onboard.memories[].by", "onboard.memories[].found", "onboard.memories[].match", "onboard.memories[].score", "onboard.memories[].superseded_by", "onboard.memories[].unreviewed",
	"resolve.unread[].held", "resolve.unread[].uuid",
	"sessions.sessions[].balance", "sessions.sessions[].learned",
	"show.by", "show.found", "show.superseded_by",
}

// TestSchemaHasAllMembers: what --json can print is in docs/output.schema.json. The scripts hold only
// answers to it that they have, so a rare member was missing there for long.
func TestSchemaHasAllMembers(t *testing.T) {
	data, err := os.ReadFile("../../../docs/output.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Defs map[string]schema `json:"$defs"`
	}
	if err := json.Unmarshal(data, &doc); err != nil {
		t.Fatal(err)
	}
	all, err := packages.Load(&packages.Config{
		Dir: "../../..", Mode: packages.NeedName | packages.NeedImports | packages.NeedTypes | packages.NeedSyntax | packages.NeedTypesInfo,
	}, "./cmd/manicule")
	if err != nil || len(all) != 1 || len(all[0].Errors) > 0 {
		t.Fatalf("%d packages: %v, %v", len(all), err, all)
	}
	c := schemaCheck{defs: doc.Defs}
	printed := 0
	for _, f := range all[0].Syntax {
		ast.Inspect(f, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) != 2 {
				return true
			}
			if fun, ok := call.Fun.(*ast.SelectorExpr); !ok || fun.Sel.Name != "printJSON" {
				return true
			}
			lit, ok := call.Args[0].(*ast.BasicLit)
			if !ok {
				return true // the name is a parameter; another test holds that each shape has a schema
			}
			if shape, err := strconv.Unquote(lit.Value); err == nil {
				printed++
				c.walk(shape, all[0].TypesInfo.TypeOf(call.Args[1]), doc.Defs[shape], 0)
			}
			return true
		})
	}
	if printed < 70 {
		t.Errorf("only %d calls of printJSON were found", printed)
	}
	slices.Sort(c.missing)
	for _, m := range slices.Compact(c.missing) {
		if !slices.Contains(neverPrinted, m) {
			t.Errorf("docs/output.schema.json lacks %s", m)
		}
	}
}

// schema is a part of a JSON Schema.
type schema struct {
	Ref        string            `json:"$ref"`
	Properties map[string]schema `json:"properties"`
	Items      *schema           `json:"items"`
	Values     json.RawMessage   `json:"additionalProperties"` // a schema, or false
	AnyOf      []schema          `json:"anyOf"`
}

type schemaCheck struct {
	defs    map[string]schema
	missing []string
}

// walk compares a type with its schema, as far as that lists its members and allows no others.
func (c *schemaCheck) walk(path string, typ types.Type, s schema, depth int) {
	if depth > 12 {
		return
	}
	if name, ok := strings.CutPrefix(s.Ref, "#/$defs/"); ok {
		s = c.defs[name]
	}
	for _, one := range s.AnyOf {
		c.walk(path, typ, one, depth+1)
	}
	if p, ok := typ.(*types.Pointer); ok {
		c.walk(path, p.Elem(), s, depth)
		return
	}
	if writesItself(typ) {
		return
	}
	switch u := typ.Underlying().(type) {
	case *types.Slice:
		if s.Items != nil {
			c.walk(path+"[]", u.Elem(), *s.Items, depth+1)
		}
	case *types.Map:
		var values schema
		if json.Unmarshal(s.Values, &values) == nil {
			c.walk(path+"{}", u.Elem(), values, depth+1)
		}
	case *types.Struct:
		if string(s.Values) != "false" {
			return
		}
		members(u, func(name string, typ types.Type) {
			below, ok := s.Properties[name]
			if !ok {
				c.missing = append(c.missing, path+"."+name)
				return
			}
			c.walk(path+"."+name, typ, below, depth+1)
		})
	}
}

// writesItself reports whether a type has its own form in JSON, as times have.
func writesItself(typ types.Type) bool {
	named, ok := typ.(*types.Named)
	if !ok {
		return false
	}
	for _, method := range []string{"MarshalJSON", "MarshalJSONTo", "MarshalText"} {
		if m, _, _ := types.LookupFieldOrMethod(named, true, named.Obj().Pkg(), method); m != nil {
			return true
		}
	}
	return false
}

// members calls f with each member that a struct has in JSON, those of embedded structs included.
func members(s *types.Struct, f func(name string, typ types.Type)) {
	for i := range s.NumFields() {
		field := s.Field(i)
		name, options, _ := strings.Cut(reflect.StructTag(s.Tag(i)).Get("json"), ",")
		typ := field.Type()
		if p, ok := typ.(*types.Pointer); ok {
			typ = p.Elem()
		}
		below, isStruct := typ.Underlying().(*types.Struct)
		switch {
		case name == "-" || !field.Exported() && !field.Embedded() || strings.Contains(options, "embed"): // the last has unknown members
		case name == "" && field.Embedded() && isStruct:
			members(below, f)
		case name == "":
			f(field.Name(), field.Type())
		default:
			f(name, field.Type())
		}
	}
}

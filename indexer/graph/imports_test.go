package graph

import "testing"

// TestChangedImports: what a file imports, or what its types are based on, decides what others mean by its names.
func TestChangedImports(t *testing.T) {
	for _, c := range []struct{ name, files, edited, text string }{
		{"ts barrel", `
-- x.ts --
export function a() {}
-- y.ts --
export function a() {}
-- index.ts --
import { a } from './x';
export { a };
-- use.ts --
import { a } from './index';
export function u() { a(); }
`, "index.ts", "import { a } from './y';\nexport { a };\n"},
		{"ts type", `
-- x.ts --
export class A { m() {} }
-- y.ts --
export class A { m() {} }
-- mid.ts --
import { A } from './x';
export function make(): A { return null; }
-- use.ts --
import { make } from './mid';
export function u() { make().m(); }
`, "mid.ts", "import { A } from './y';\nexport function make(): A { return null; }\n"},
		{"ts base", `
-- x.ts --
export class A { m() {} }
-- y.ts --
export class A { m() {} }
-- mid.ts --
import { A } from './x';
export class B extends A { m() {} }
-- use.ts --
import { B } from './mid';
export function u(b: B) { b.m(); }
`, "mid.ts", "import { A } from './y';\nexport class B extends A { m() {} }\n"},
		{"go type", `
-- go.mod --
module m
-- x/x.go --
package x
type T struct{}
func (T) Do() {}
-- y/y.go --
package x
type T struct{}
func (T) Do() {}
-- mid/mid.go --
package mid
import "m/x"
func New() x.T { return x.T{} }
-- use/use.go --
package use
import "m/mid"
func U() { mid.New().Do() }
`, "mid/mid.go", "package mid\nimport \"m/y\"\nfunc New() x.T { return x.T{} }\n"},
		{"java base", `
-- p/A.java --
package p;
public class A { public void m() {} }
-- q/A.java --
package q;
public class A { public void m() {} }
-- r/B.java --
package r;
import p.A;
public class B extends A { public void m() {} }
-- r/C.java --
package r;
public class C { void c(B b) { b.m(); } }
`, "r/B.java", "package r;\nimport q.A;\npublic class B extends A { public void m() {} }\n"},
		{"cs base", `
-- p/A.cs --
namespace P;
public class A { public virtual void M() {} public void N() {} }
-- q/A.cs --
namespace Q;
public class A { public virtual void M() {} public void N() {} }
-- r/B.cs --
using P;
namespace R;
public class B : A { public override void M() {} }
-- r/C.cs --
namespace R;
public class C { void c(B b) { b.N(); } }
`, "r/B.cs", "using Q;\nnamespace R;\npublic class B : A { public override void M() {} }\n"},
		{"php base", `
-- p/A.php --
<?php
namespace P;
class A { public function m() {} public function n() {} }
-- q/A.php --
<?php
namespace Q;
class A { public function m() {} public function n() {} }
-- r/B.php --
<?php
namespace R;
use P\A;
class B extends A { public function m() {} }
-- r/C.php --
<?php
namespace R;
class C { function c(B $b) { $b->n(); } }
`, "r/B.php", "<?php\nnamespace R;\nuse Q\\A;\nclass B extends A { public function m() {} }\n"},
		{"py type", `
-- x.py --
class A:
    def m(self): pass
-- y.py --
class A:
    def m(self): pass
-- mid.py --
from x import A
def make() -> A:
    return None
-- use.py --
from mid import make
def u():
    make().m()
`, "mid.py", "from y import A\ndef make() -> A:\n    return None\n"},
		{"py base", `
-- x.py --
class A:
    def m(self): pass
-- y.py --
class A:
    def m(self): pass
-- mid.py --
from x import A
class B(A):
    pass
def make() -> B:
    return B()
-- use.py --
from mid import make
def u():
    make().m()
`, "mid.py", "from y import A\nclass B(A):\n    pass\ndef make() -> B:\n    return B()\n"},
		{"py body", `
-- x.py --
class A:
    def m(self): pass
class C:
    def m(self): pass
-- mid.py --
from x import A, C
def make():
    return A()
-- use.py --
from mid import make
def u():
    make().m()
`, "mid.py", "from x import A, C\ndef make():\n    return C()\n"},
		{"rust type", `
-- Cargo.toml --
[package]
name = "q"
-- src/lib.rs --
pub mod x;
pub mod y;
pub mod mid;
pub mod user;
-- src/x.rs --
pub struct A;
impl A { pub fn m(&self) {} }
-- src/y.rs --
pub struct A;
impl A { pub fn m(&self) {} }
-- src/mid.rs --
use crate::x::A;
pub fn make() -> A { A }
-- src/user.rs --
use crate::mid::make;
pub fn u() { make().m(); }
`, "src/mid.rs", "use crate::y::A;\npub fn make() -> A { A }\n"},
		{"chain base", `
-- x.ts --
export class A { m() {} }
export class A2 { m() {} }
-- b.ts --
import { A, A2 } from './x';
export class B extends A {}
-- mid.ts --
import { B } from './b';
export function make(): B { return null; }
-- use.ts --
import { make } from './mid';
export function u() { make().m(); }
`, "b.ts", "import { A, A2 } from './x';\nexport class B extends A2 {}\n"},
		{"chain base java", `
-- p/A.java --
package p;
public class A { public void m() {} }
-- p/A2.java --
package p;
public class A2 { public void m() {} }
-- p/B.java --
package p;
public class B extends A {}
-- p/Mk.java --
package p;
public class Mk { public static B make() { return null; } }
-- p/C.java --
package p;
public class C { void c() { Mk.make().m(); } }
`, "p/B.java", "package p;\npublic class B extends A2 {}\n"},
		{"subclass java", `
-- p/A.java --
package p;
public class A { public void m() {} }
-- p/A2.java --
package p;
public class A2 { public void m() {} }
-- p/B.java --
package p;
public class B extends A {}
-- p/D.java --
package p;
public class D extends B {}
-- p/C.java --
package p;
public class C { void c(D d) { d.m(); } }
`, "p/B.java", "package p;\npublic class B extends A2 {}\n"},
		{"kotlin star", `
-- p/A.kt --
package p
class A { fun m() {} }
-- q/A.kt --
package q
class A { fun m() {} }
-- r/B.kt --
package r
import p.*
fun make(): A { return A() }
-- r/C.kt --
package r
fun u() { make().m() }
`, "r/B.kt", "package r\nimport q.*\nfun make(): A { return A() }\n"},
		{"cs global using", `
-- p/A.cs --
namespace P;
public class A { public void M() {} }
-- q/A.cs --
namespace Q;
public class A { public void M() {} }
-- r/G.cs --
global using P;
-- r/B.cs --
namespace R;
public class B { void b(A a) { a.M(); } }
`, "r/G.cs", "global using Q;\n"},
		{"ts star", `
-- x.ts --
export function a() {}
-- y.ts --
export function a() {}
-- index.ts --
export * from './x';
-- use.ts --
import { a } from './index';
export function u() { a(); }
`, "index.ts", "export * from './y';\n"},
		{"py star", `
-- x.py --
def a(): pass
-- y.py --
def a(): pass
-- mid.py --
from x import *
-- use.py --
from mid import a
def u():
    a()
`, "mid.py", "from y import *\n"},
		{"rust star", `
-- Cargo.toml --
[package]
name = "q"
-- src/lib.rs --
pub mod x;
pub mod y;
pub mod mid;
pub mod user;
-- src/x.rs --
pub fn a() {}
-- src/y.rs --
pub fn a() {}
-- src/mid.rs --
pub use crate::x::*;
-- src/user.rs --
use crate::mid::a;
pub fn u() { a(); }
`, "src/mid.rs", "pub use crate::y::*;\n"},
		{"cs global using no namespace", `
-- p/A.cs --
namespace P;
public class A { public void M() {} }
-- q/A.cs --
namespace Q;
public class A { public void M() {} }
-- r/G.cs --
global using P;
-- r/B.cs --
public class B { void b(A a) { a.M(); } }
`, "r/G.cs", "global using Q;\n"},
		{"ts star as", `
-- x.ts --
export function a() {}
-- y.ts --
export function a() {}
-- index.ts --
export * as ns from './x';
-- use.ts --
import { ns } from './index';
export function u() { ns.a(); }
`, "index.ts", "export * as ns from './y';\n"},
		{"ts barrel renamed", `
-- x.ts --
export function a() {}
-- y.ts --
export function a() {}
-- index.ts --
import { a } from './x';
export { a as b };
-- use.ts --
import { b } from './index';
export function u() { b(); }
`, "index.ts", "import { a } from './y';\nexport { a as b };\n"},
		{"go alias", `
-- go.mod --
module m
-- x/x.go --
package x
type T struct{}
func (T) Do() {}
-- y/y.go --
package y
type T struct{}
func (T) Do() {}
-- mid/mid.go --
package mid
import z "m/x"
type E struct { z.T }
func New() E { return E{} }
-- use/use.go --
package use
import "m/mid"
func U() { mid.New().Do() }
`, "mid/mid.go", "package mid\nimport z \"m/y\"\ntype E struct { z.T }\nfunc New() E { return E{} }\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newSpace(t, c.files)
			s.sync(s.open())
			ix := s.open()
			check(t, ix.Overlay(t.Context(), map[string]Source{c.edited: buffer{c.edited, []byte(c.text)}}))
			unsaved := dump(s.graph(ix))
			check(t, ix.Close())
			s.write(c.edited, c.text)
			ix = s.open()
			r := s.sync(ix)
			check(t, ix.Close())
			got, err := s.stored()
			check(t, err)
			want := s.fresh()
			if got != want {
				t.Errorf("%d files resolved again, and not as in a fresh index:\n%s", r.Resolved, difference(got, want))
			}
			if unsaved != want {
				t.Errorf("while it was not saved:\n%s", difference(unsaved, want))
			}
		})
	}
}

// TestOverlappingAliases: of two patterns of a project that fit, the one with the longer prefix applies, in each index.
func TestOverlappingAliases(t *testing.T) {
	s := newSpace(t, `
-- tsconfig.json --
{"compilerOptions": {"baseUrl": ".", "paths": {"@/*": ["src/*"], "@/lib/*": ["other/*"]}}}
-- src/lib/a.ts --
export function a() {}
-- other/a.ts --
export function a() {}
-- use.ts --
import { a } from '@/lib/a';
export function u() { a(); }
`)
	for range 10 { // a map's order
		ix := s.open()
		s.sync(ix)
		if got := s.callers(s.graph(ix), "other/a.ts#a"); len(got) != 1 {
			t.Fatalf("callers of other/a.ts#a: %v", got)
		}
		check(t, ix.Close())
		s.dir = t.TempDir()
	}
}

// TestGoneImports: a file that others import names through, and that goes or can't be read any more, takes them along; one that comes brings them.
func TestGoneImports(t *testing.T) {
	const x = "\n-- lib/x.ts --\nexport function a() {}\nexport default function d() {}\n"
	for _, c := range []struct{ name, files, gone, text string }{
		{"star", x + "-- lib/index.ts --\nexport * from './x';\n-- use.ts --\nimport { a } from './lib/index';\nexport function u() { a(); }\n", "lib/index.ts", "export * from './x';\n"},
		{"star by folder", x + "-- lib/index.ts --\nexport * from './x';\n-- use.ts --\nimport { a } from './lib';\nexport function u() { a(); }\n", "lib/index.ts", "export * from './x';\n"},
		{"star by dot", x + "-- lib/index.ts --\nexport * from './x';\n-- lib/use.ts --\nimport { a } from '.';\nexport function u() { a(); }\n", "lib/index.ts", "export * from './x';\n"},
		{"chain of stars", x + "-- lib/index.ts --\nexport * from './x';\n-- top/index.ts --\nexport * from '../lib';\n-- top/use.ts --\nimport { a } from '.';\nexport function u() { a(); }\n", "lib/index.ts", "export * from './x';\n"},
		{"named", x + "-- lib/index.ts --\nexport { a as b } from './x';\n-- lib/use.ts --\nimport { b } from '..' ;\nimport { b as c } from '.';\nexport function u() { b(); c(); }\n", "lib/index.ts", "export { a as b } from './x';\n"},
		{"namespace", x + "-- lib/index.ts --\nexport * from './x';\n-- lib/use.ts --\nimport * as all from '.';\nexport function u() { all.a(); }\n", "lib/index.ts", "export * from './x';\n"},
		{"python package", "\n-- lib/x.py --\ndef a(): pass\n-- lib/__init__.py --\nfrom .x import *\n-- lib/use.py --\nfrom . import a\ndef u():\n    a()\n-- use.py --\nimport lib\ndef u():\n    lib.a()\n", "lib/__init__.py", "from .x import *\n"},
		{"rust module", "\n-- Cargo.toml --\n[package]\nname = \"q\"\n-- src/lib.rs --\npub mod lib;\npub mod user;\n-- src/lib/x.rs --\npub fn a() {}\n-- src/lib/mod.rs --\npub mod x;\npub use self::x::*;\n-- src/user.rs --\nuse crate::lib::a;\npub fn u() { a(); }\n", "src/lib/mod.rs", "pub mod x;\npub use self::x::*;\n"},
	} {
		for _, way := range []struct {
			name string
			act  func(s *space)
		}{
			{"removed", func(s *space) { s.remove(c.gone) }},
			{"unreadable", func(s *space) { s.write(c.gone, "\x00\x01\x02") }},
			{"new", func(s *space) { s.write(c.gone, c.text) }},
		} {
			t.Run(c.name+"/"+way.name, func(t *testing.T) {
				s := newSpace(t, c.files)
				if way.name == "new" {
					s.remove(c.gone)
				}
				s.sync(s.open())
				way.act(s)
				ix := s.open()
				r := s.sync(ix)
				check(t, ix.Close())
				got, err := s.stored()
				check(t, err)
				if want := s.fresh(); got != want {
					t.Errorf("%d files resolved again, and not as in a fresh index:\n%s", r.Resolved, difference(got, want))
				}
			})
		}
	}
}

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
			s.write(c.edited, c.text)
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

package anchoring

import (
	"strings"
	"testing"

	"manicule/indexer/extract"
	"manicule/indexer/must"
)

// TestCaught: a handler's key is made of the types that it catches, and not of how
// the error is called there.
func TestCaught(t *testing.T) {
	const none = "-"
	for name, tc := range map[string]struct {
		lang, src string
		want      []string // of each handler the names
	}{
		"Java": {"java", "class A { void f() { try { a(); } catch (final java.io.E | b.X e) { b(); } catch (X e) { c(); } } }", []string{"java io E b X", "X"}},
		"C++": {"cpp", "void f() { try { a(); } catch (const std::exception& e) { b(); } catch (std::bad) { c(); } catch (const T&) { c(); } catch (X e) { c(); } catch (...) { d(); } }",
			[]string{"std exception", "std bad", "T", "X", none}},
		"PHP":    {"php", `<?php function f() { try { a(); } catch (\A\E | F $e) { b(); } catch (G) { c(); } catch (\A\H) { d(); } }`, []string{"A E F", "G", "A H"}},
		"Kotlin": {"kotlin", "fun f() { try { a() } catch (e: java.io.E) { b() } catch (e: X) { c() } }", []string{"java io E", "X"}},
		"Python": {"python", "def f():\n  try:\n    a()\n  except errors.Timeout:\n    b()\n  except (A, B):\n    c()\n  except T as e:\n    d()\n  except (A, x.B) as e:\n    d()\n  except Timeout:\n    e()\n  except:\n    g()\n",
			[]string{"errors Timeout", "A B", "T", "A x B", "Timeout", none}},
		"C#": {"csharp", "class A { void F() { try { a(); } catch (System.IO.X) { b(); } catch (X) { c(); } catch (Y e) { d(); } catch (Z e) when (e.a) { d(); } catch { e(); } } }",
			[]string{"System IO X", "X", "Y", "Z", none}},
		"Ruby": {"ruby", "def f\n  a\nrescue A, B => e\n  b\nrescue C, D\n  b\nrescue Timeout\n  c\nrescue N::E\n  d\nrescue => e\n  d\nend\n",
			[]string{"A B", "C D", "Timeout", "N E", none}},
		"JavaScript": {"javascript", "function f() { try { a() } catch (e) { b() } }", []string{none}},
		"TypeScript": {"typescript", "function f() { try { a() } catch (e: unknown) { b() } }", []string{none}},
		"Swift":      {"swift", "func f() { do { try a() } catch let e as X { b() } catch X.y { c() } }", []string{"X", "X y"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, tree, err := extract.ParseTree(t.Context(), tc.lang, []byte(tc.src))
			must.OK(t, err)
			s, words := newSide(tree, extract.Span{Start: 0, End: len(tc.src)}), newHandlerWords()
			var got []uint64
			for n := s.from; n < s.to; n++ {
				first := tree.Tokens[tree.Nodes[n].First]
				if text := tc.src[first.Start:first.End]; first.Node == n && (text == "catch" || text == "except" || text == "rescue") {
					got = append(got, s.caughtTypes(n, words))
				}
			}
			if len(got) != len(tc.want) {
				t.Fatalf("%d handlers, want %d", len(got), len(tc.want))
			}
			for i, names := range tc.want {
				want := uint64(0)
				if names != none {
					want = 1
					for _, name := range strings.Fields(names) {
						want = extract.MixHash(want, extract.HashName(name))
					}
				}
				if got[i] != want {
					t.Errorf("handler %d: not by %q", i, names)
				}
			}
		})
	}
}

// TestHandlersOfOneStatement: where the handlers of a statement went to two, what
// is in the statement is aligned with the one that it was paired with alone.
func TestHandlersOfOneStatement(t *testing.T) {
	piece := func(src string) *side {
		_, tree, err := extract.ParseTree(t.Context(), "java", []byte(src))
		must.OK(t, err)
		return newSide(tree, extract.Span{Start: 0, End: len(src)})
	}
	a := piece("class A { void f() { try { alpha(one); beta(two); gamma(three); } catch (X e) { b(); } catch (Y e) { c(); } finally { done(); } } }")
	b := piece("class A { void f() { try { log.info(\"other\"); } catch (X e) { b(); } try { alpha(one); beta(two); gamma(three); } catch (Y e) { c(); } finally { done(); } } }")
	m := &matcher{a, b}
	m.pairHandlers()
	paired := 0
	for i := a.from; i < a.to; i++ {
		j := a.partner(i)
		if j < 0 {
			continue
		}
		paired++
		was, is := a.tree.Nodes[i].Parent, b.tree.Nodes[j].Parent
		if a.tree.Tokens[a.tree.Nodes[i].First].Hash == extract.HashName("catch") {
			continue // known by what it catches, wherever it went
		}
		if k := a.partner(was); k >= 0 && k != is {
			t.Errorf("node %d is paired with %d, but what it is in with %d instead of %d", i, j, k, is)
		}
	}
	if paired == 0 {
		t.Error("nothing is paired")
	}
}

package anchoring

import "manicule/indexer/extract"

// sameButVisibility reports whether two declarations differ in nothing but who may use them: `export`, `pub`, `private` and their
// like before the name. Such a function still does the same, wherever it is.
func sameButVisibility(o *Source, i int, n *Source, j int) bool {
	a, b := o.withoutVisibility(i), n.withoutVisibility(j)
	if len(a) != len(b) {
		return false
	}
	for k := range a {
		if a[k] != b[k] {
			return false
		}
	}
	return true
}

// withoutVisibility lists the hashes of a declaration's tokens and the borders of its blocks, without what says who may use it.
func (s *Source) withoutVisibility(i int) []uint64 {
	symbol := s.symbols()[i]
	var out []uint64
	const none, pub, open = 0, 1, 2
	state, before := none, "" // the token before it
	eachToken(s.tree, symbol, s.tree.Blocks(extract.Span{Start: symbol.Start, End: symbol.End}), func(t *extract.Token, hash uint64) {
		if t == nil || int(t.Start) >= symbol.NameStart {
			out = append(out, hash)
			return
		}
		text, last := string(s.Text()[t.Start:t.End]), before
		before = text
		switch {
		case state != open && saysVisibility(text) && !annotates(last) && !handsOn(s.Lang):
			if state = none; text == "pub" {
				state = pub
			}
		case state == pub && text == "(": // pub(crate); after the words of C# this may be the type
			state = open
		case state == open:
			if text == ")" {
				state = none
			}
		default:
			state = none
			out = append(out, hash)
		}
	})
	return out
}

// handsOn reports whether a language's "export" hands a value on to the programs that are started, which find none without it: that is
// no visibility.
func handsOn(lang string) bool { return lang == "bash" || lang == "make" }

// annotates reports whether a word behind a token is the name of an annotation, or a part of one: @internal("x"), [internal].
func annotates(token string) bool {
	switch token {
	case "@", "[", "(", ",", ".", "=", ":":
		return true
	}
	return false
}

// saysVisibility reports whether a word before the name of a declaration says who may use it, in any language.
func saysVisibility(word string) bool {
	switch word {
	case "export", "pub", "public", "protected", "private", "internal", "fileprivate":
		return true
	}
	return false
}

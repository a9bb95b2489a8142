package anchoring

import (
	"bytes"
	"slices"

	"manicule/indexer/extract"
)

// sameButSpace reports whether two declarations of Python differ only in what people take for white space:
// that of docstrings, which are comments to them, and backslashes at the end of a line. The only
// member of a class may have got a neighbour, too: its class has the same block as it has
// while it is alone. Recorded hashes count all three, and must stay as they are.
func sameButSpace(o *Source, i int, n *Source, j int) bool {
	return o.Lang == "python" && n.Lang == "python" && o.treeWithoutSpace(i) == n.treeWithoutSpace(j)
}

// treeWithoutSpace is the hash of a declaration's tokens, and of the blocks in it.
func (s *Source) treeWithoutSpace(i int) Hash {
	h := uint64(hashSeed)
	symbol := s.symbols()[i]
	blocks := s.tree.Blocks(extract.Span{Start: symbol.Start, End: symbol.End})
	blocks = slices.DeleteFunc(blocks, func(b extract.Node) bool { return int(b.Start) <= symbol.Start }) // around it
	eachToken(s.tree, symbol, blocks, func(token *extract.Token, hash uint64) {
		if token != nil {
			text := s.Text()[token.Start:token.End]
			if len(text) == 1 && text[0] == '\\' {
				return
			}
			if s.inDocstring(token) {
				hash = extract.HashName(string(bytes.Join(bytes.Fields(text), []byte(" "))))
			}
		}
		h = extract.MixHash(h, hash)
	})
	return Hash(h)
}

// inDocstring reports whether a token is the text of several lines of a string that begins a line behind
// the colon of a declaration.
func (s *Source) inDocstring(token *extract.Token) bool {
	text := s.Text()
	if token.Class != extract.ClassLiteral || !bytes.ContainsRune(text[token.Start:token.End], '\n') {
		return false
	}
	before := text[:token.Start]
	quotes := bytes.TrimLeft(lastLine(before), " \t")
	if len(bytes.Trim(quotes, `"'rRuU`)) > 0 {
		return false // it is assigned to something
	}
	before = before[:len(before)-len(quotes)]
	return bytes.HasSuffix(bytes.TrimRight(before, " \t\r\n"), []byte(":"))
}

// lastLine returns the part of a text behind its last line end.
func lastLine(text []byte) []byte { return text[bytes.LastIndexByte(text, '\n')+1:] }

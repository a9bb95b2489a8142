package hookfile

import "slices"

// phrase returns those of some documents in which the words of a text follow one another, and the number
// of all with it. only is as in word.
func (w *wordIndex) phrase(text string, only []int) (list []hit, docs int, err error) {
	if list, ok := w.known[text]; ok {
		return list, len(list), nil
	}
	stems := tokens(text)
	if len(stems) == 1 {
		list, docs, err = w.word(stems[0], only, false)
	} else {
		only = nil
		list, err = w.following(stems)
		docs = len(list)
	}
	if only == nil && err == nil {
		w.known[text] = list
	}
	return list, docs, err
}

// following returns the documents in which words follow one another. The rarest says which documents can
// have them all.
func (w *wordIndex) following(stems []string) ([]hit, error) {
	rarest, least := 0, -1
	for i, stem := range stems {
		n, err := w.count(stem)
		if err != nil {
			return nil, err
		}
		if least < 0 || n < least {
			rarest, least = i, n
		}
	}
	if least <= 0 {
		return nil, nil
	}
	first, _, err := w.word(stems[rarest], nil, true)
	if err != nil {
		return nil, err
	}
	docs := documents(first)
	var list []hit
	for i, stem := range stems {
		next := first
		if i != rarest {
			if next, _, err = w.word(stem, docs, true); err != nil {
				return nil, err
			}
		}
		if i == 0 {
			list = next
			continue
		}
		list = followed(list, next)
	}
	return list, nil
}

// documents returns the documents of hits. It is not nil.
func documents(list []hit) []int {
	out := make([]int, len(list))
	for i, h := range list {
		out[i] = h.doc
	}
	return out
}

// followed returns the hits of a phrase with one more word; at are the positions of the last word.
func followed(phrase, word []hit) []hit {
	var out []hit
	for len(phrase) > 0 && len(word) > 0 {
		switch p, n := phrase[0], word[0]; {
		case p.doc < n.doc:
			phrase = phrase[1:]
		case p.doc > n.doc:
			word = word[1:]
		default:
			var at []int
			for _, x := range p.at {
				if _, ok := slices.BinarySearch(n.at, x+1); ok {
					at = append(at, x+1)
				}
			}
			if len(at) > 0 {
				out = append(out, hit{doc: p.doc, many: len(at), at: at})
			}
			phrase, word = phrase[1:], word[1:]
		}
	}
	return out
}

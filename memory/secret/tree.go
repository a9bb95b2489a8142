package secret

// MaskTree masks the texts of a decoded JSON value in place and returns it;
// changed says whether there was a secret. A text below a name counts as given
// to it.
func MaskTree(v any) (masked any, changed bool) { return maskTree(v, "", true) }

// MaskTexts is MaskTree for a value whose names are known to hold no secret: each
// text counts for itself.
func MaskTexts(v any) (masked any, changed bool) { return maskTree(v, "", false) }

func maskTree(v any, name string, named bool) (any, bool) {
	changed := false
	switch v := v.(type) {
	case string:
		s := Mask(v)
		if s == v && named && name != "" && v != "" {
			if c, ok := member(name, v); ok {
				s = c
			}
		}
		return s, s != v
	case []any:
		for i := range v {
			x, did := maskTree(v[i], name, named)
			v[i], changed = x, changed || did
		}
	case map[string]any:
		for k := range v {
			x, did := maskTree(v[k], k, named)
			v[k], changed = x, changed || did
		}
	}
	return v, changed
}

// member masks the value of a member of an object by its name.
func member(name, text string) (string, bool) {
	c := candidate{name: parseName(name), relation: colon, value: value{text: text[:min(len(text), maxValue)], quote: '"'}}
	if c.name.class == none {
		return "", false
	}
	c.value.measure()
	c.compareWithName(name)
	if c.score() < threshold {
		return "", false
	}
	return "[" + c.kind() + "]", true
}

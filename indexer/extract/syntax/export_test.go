//go:build cgo

package syntax

// WidenAfter has copies of grammars made after fewer bytes, until restore is called.
func WidenAfter(bytes int) (restore func()) {
	p := &wideGrammars
	set := func(n int) int {
		p.mu.Lock()
		defer p.mu.Unlock()
		was := p.after
		p.after = n
		return was
	}
	was := set(bytes)
	return func() { set(was) }
}

// WideGrammars is how many copies of grammars there are.
func WideGrammars() int {
	p, n := &wideGrammars, 0
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, g := range p.of {
		if g.wide != nil {
			n++
		}
	}
	return n
}

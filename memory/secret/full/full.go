// Package full scans texts for secrets with all rules: those of package secret, which
// take microseconds, and those of gitleaks, which are loaded once in a process, at the
// first text in which one of them may match. Use it for what is stored
// or sent: memories, and text for models. It must not be used in a hook's path. No text
// can switch the scan off: gitleaks' comments that allow a line have no effect here.
package full

import (
	"strings"
	"sync"

	"manicule/indexer/sorting"
	"manicule/memory/secret"
)

// scanner finds secrets. It is safe for concurrent use. The zero value is ready.
type scanner struct {
	load sync.Once
	err  error
	d    *detector // a text's findings are its answer's alone: it needs no lock
}

// shared is the scanner of a process: the rules are big, and the same for all.
var shared scanner

// Rules is the scanner of the process, for those who are handed one.
type Rules struct{}

// Load is the function Load.
func (Rules) Load() error { return Load() }

// First is the function First.
func (Rules) First(text string) (kind string, err error) { return First(text) }

// Mask is the function Mask.
func (Rules) Mask(text string) (string, error) { return Mask(text) }

// Load reads the rules of the process's scanner, for a caller that has other
// work to do meanwhile.
func Load() error { return shared.Load() }

// First returns the kind of the first secret in a text, "" where there is none.
func First(text string) (kind string, err error) { return shared.First(text) }

// Mask is a text with the kinds of its secrets in their place.
func Mask(text string) (string, error) { return shared.Mask(text) }

// MaskAll masks each of some texts. They are not changed in place.
func MaskAll(texts []string) ([]string, error) {
	out := make([]string, len(texts))
	for i, t := range texts {
		var err error
		if out[i], err = Mask(t); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Load reads gitleaks' rules.
func (s *scanner) Load() error {
	s.load.Do(func() {
		s.d, s.err = newDetector(rulesJSON)
	})
	return s.err
}

func (s *scanner) First(text string) (kind string, err error) {
	if strings.TrimSpace(text) == "" {
		return "", nil
	}
	if found, ok := secret.First(text); ok {
		return found.Kind, nil
	}
	list, err := s.rulesUpTo(text, 1)
	if err != nil || len(list) == 0 {
		return "", err
	}
	return list[0].kind, nil
}

func (s *scanner) Mask(text string) (string, error) {
	text = secret.Mask(text)
	for range 4 { // what is taken out can make another one plain
		list, err := s.rules(text)
		if err != nil {
			return "", err
		}
		sorting.Func(list, func(a, b rule) int { return len(b.text) - len(a.text) })
		before := text
		for _, r := range list {
			if r.text != "" {
				text = strings.ReplaceAll(text, r.text, "["+r.kind+"]")
			}
		}
		if text = secret.Mask(text); text == before {
			break
		}
	}
	return text, nil
}

// rule is a text that one of gitleaks' rules takes for a secret.
type rule struct{ kind, text string }

func (s *scanner) rules(text string) ([]rule, error) { return s.rulesUpTo(text, len(text)) }

// rulesUpTo is rules, but looks at no more pieces of a text once so many were found.
func (s *scanner) rulesUpTo(text string, most int) ([]rule, error) {
	var out []rule
	for {
		part, next := text, len(text)
		if len(text) > piece {
			part, next = text[:piece], piece-overlap
		}
		if clues, may := lookAt(part); may {
			if err := s.Load(); err != nil {
				return nil, err
			}
			for _, f := range s.d.findBy(part, clues) {
				if !strings.HasPrefix(f.text, "[") {
					out = append(out, f)
				}
			}
		}
		if text = text[next:]; text == "" || len(out) >= most {
			return out, nil
		}
	}
}

// A long text is looked at in pieces of so many bytes that overlap: a rule takes time
// only for those that have its keyword. What is longer than the overlap, a private
// key, package secret finds.
const (
	piece   = 8 << 10
	overlap = 2 << 10
)

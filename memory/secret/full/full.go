// Package full scans texts for secrets with all that is known of them: what
// package secret finds, which takes microseconds, and the rules of gitleaks,
// which take some 45 ms to load, once in a process, at the first text. It is for
// what stays or leaves: memories, and what is sent to models. It must not be
// used where a hook answers. No text can switch the scan off: the comments with
// which gitleaks is told to allow a line mean nothing here.
package full

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/zricethezav/gitleaks/v8/detect"

	"manicule/memory/secret"
)

// Scanner finds secrets. It is safe for concurrent use. The zero value is ready.
type Scanner struct {
	load sync.Once
	err  error
	mu   sync.Mutex // the detector collects its findings in itself
	d    *detect.Detector
}

// reading is held while gitleaks reads its rules: it does that through state of
// its own that all detectors of a process share.
var reading sync.Mutex

// Load reads gitleaks' rules, for a caller that has other work to do meanwhile.
func (s *Scanner) Load() error {
	s.load.Do(func() {
		reading.Lock()
		defer reading.Unlock()
		if s.d, s.err = detect.NewDetectorDefaultConfig(); s.err != nil {
			s.err = fmt.Errorf("load the secret rules: %w", s.err)
			return
		}
		s.d.IgnoreGitleaksAllow = true
	})
	return s.err
}

// First returns the kind of the first secret in a text, "" where there is none.
func (s *Scanner) First(text string) (kind string, err error) {
	if strings.TrimSpace(text) == "" {
		return "", nil
	}
	if found := secret.Find(text); len(found) > 0 {
		return found[0].Kind, nil
	}
	list, err := s.rules(text)
	if err != nil || len(list) == 0 {
		return "", err
	}
	return list[0].kind, nil
}

// Mask is a text with the kinds of its secrets in their place.
func (s *Scanner) Mask(text string) (string, error) {
	text = secret.Mask(text)
	for range 4 { // what is taken out can make another one plain
		list, err := s.rules(text)
		if err != nil {
			return "", err
		}
		slices.SortFunc(list, func(a, b rule) int { return len(b.text) - len(a.text) })
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

func (s *Scanner) rules(text string) ([]rule, error) {
	if err := s.Load(); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []rule
	for _, f := range s.d.DetectString(text) {
		if f.RuleID == generic || strings.HasPrefix(f.Secret, "[") {
			continue
		}
		out = append(out, rule{f.RuleID, f.Secret})
	}
	return out, nil
}

// generic is gitleaks' rule for any name with any value. Package secret judges
// those better: on the labelled lines the rule added 2 secrets to 1,084, and 22 false
// alarms to 20.
const generic = "generic-api-key"

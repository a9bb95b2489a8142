package observe

import (
	"slices"

	"manicule/hooks/observe/detect"
	"manicule/hooks/observe/fold"
	"manicule/hooks/observe/signal"
	"manicule/memory/episode"
)

// Fold reads the events of a session as they arrive, and answers what they show. The zero value is not usable; see
// New.
type Fold struct{ *fold.Fold }

// New begins a session in a workspace with an absolute root.
func New(dir string) *Fold { return &Fold{fold.New(dir)} }

// Report sums everything so far. The fold may continue after it.
func (f *Fold) Report() Report { return report(&f.Session) }

// Episode records what the session did so far, and how it ended. It always returns one.
func (f *Fold) Episode() episode.Episode { return episodeOf(&f.Session) }

// Progress returns what the session is in the middle of. After untrusted text the agent's words and
// the programs' are left out.
func (f *Fold) Progress() Progress { return progress(&f.Session) }

// Corrections returns the sentences by which a person corrected the agent, as rules for
// later.
func (f *Fold) Corrections() []fold.Turn {
	var out []fold.Turn
	for _, s := range detect.Corrections(&f.Session) {
		for _, t := range f.Turns {
			if rule, ok := s.Detail.(signal.Instruction); ok && slices.Contains(s.Evidence, t.N) {
				out = append(out, fold.Turn{N: t.N, At: t.At, Text: rule.Text})
			}
		}
	}
	return out
}

package thread

import (
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"manicule/memory/file"
)

// KeepAnswers completes the merge of a shared thread that both sides settled apart from each other. merged has the
// state and the resolution of the newer side; what the other side did and why is added to the resolution. A file that
// is no thread stays as it is, as does one that only one side settled. Where base is nil, as
// nobody knows it, a thread that is open has not been settled.
func KeepAnswers(merged, base, a, b *file.Memory) error {
	for _, side := range []*file.Memory{a, b} {
		if sameLineage(merged, side) { // one that was made from the other: its writer has read it
			return nil
		}
	}
	was := members{State: StateOpen}
	if base != nil {
		was, _ = answer(base)
	}
	x, isX := answer(a)
	y, isY := answer(b)
	now, isNow := answer(merged)
	if !isX || !isY || !isNow || x.same(y) || x.same(was) || y.same(was) {
		return nil
	}
	lead, other := x, y
	if now.State != x.State || x.State == y.State && now.Resolution != x.Resolution {
		lead, other = y, x
	}
	now.State = lead.State
	now.Resolution = joined(lead.Resolution, other)
	extra, err := json.Marshal(now, json.Deterministic(true))
	if err != nil {
		return fmt.Errorf("merge the answers of thread %s: %w", merged.ShortID(), err)
	}
	merged.Extra = jsontext.Value(extra)
	return nil
}

// joined is a resolution with what the other side did and why.
func joined(resolution string, other members) string {
	said := fmt.Sprintf("before the merge also %s", other.State)
	if other.Resolution != "" {
		said += ": " + other.Resolution
	}
	if resolution == "" {
		return said
	}
	return resolution + " (" + said + ")"
}

// answer returns the members of a thread. ok is false for what is none.
func answer(m *file.Memory) (x members, ok bool) {
	if len(m.Extra) == 0 || json.Unmarshal(m.Extra, &x) != nil {
		return members{}, false
	}
	return x, x.State != ""
}

// same reports whether two sides settled a thread alike.
func (x members) same(y members) bool { return x.State == y.State && x.Resolution == y.Resolution }

// sameLineage reports whether a merge took one side as it is.
func sameLineage(merged, side *file.Memory) bool {
	return merged.Lineage.Version == side.Lineage.Version && merged.Lineage.Parent == side.Lineage.Parent && merged.Lineage.ChangeKind == side.Lineage.ChangeKind
}

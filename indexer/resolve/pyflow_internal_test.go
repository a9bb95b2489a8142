package resolve

import "testing"

// TestFlowRounds holds that a round evaluates a statement again exactly if something
// changed that it read: a variable, one without values so far, or a container.
func TestFlowRounds(t *testing.T) {
	h := &heap{sets: map[flowKey]*flowSet{}, memory: &flowMemory{}, allocs: map[flowKey]*allocation{}, clock: &flowClock{now: 1, records: true}}
	read, later, other := flowKey{name: "read"}, flowKey{name: "later"}, flowKey{name: "other"}
	box := h.allocOf(flowKey{name: "box"})
	value := func(s string) []flowValue { return []flowValue{{kind: flowConst, text: s}} }
	h.addAll(read, value("1"))
	var s statementState
	round := func() bool {
		if !h.clock.begin(&s) {
			return false
		}
		h.values(read)
		h.values(later)
		h.elementsAt([]flowValue{{kind: flowContainer, alloc: box}}, "key")
		h.clock.end(&s)
		return true
	}
	if !round() {
		t.Error("the first round left it out")
	}
	for _, step := range []struct {
		name   string
		change func()
		again  bool
	}{
		{"nothing", func() {}, false},
		{"another variable", func() { h.addAll(other, value("1")) }, false},
		{"a value that was known", func() { h.addAll(read, value("1")) }, false},
		{"a variable", func() { h.addAll(read, value("2")) }, true},
		{"a variable without values", func() { h.addAll(later, value("1")) }, true},
		{"an element", func() { box.set("key").addAll(h, value("1")) }, true},
		{"nothing once more", func() {}, false},
	} {
		step.change()
		if got := round(); got != step.again {
			t.Errorf("after a change of %s: evaluated %v, want %v", step.name, got, step.again)
		}
	}
}

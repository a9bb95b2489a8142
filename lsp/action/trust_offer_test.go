package action

import "testing"

// TestWrongMemories: each memory counts once, by repository; one question is open at a time.
func TestWrongMemories(t *testing.T) {
	var f wrongMemories
	for i, step := range []struct {
		root, uuid string
		n          int
	}{{"r", "a", 1}, {"r", "a", 0}, {"r", "b", 2}, {"s", "a", 1}, {"r", "c", 3}, {"s", "b", 2}} {
		if n := f.add(step.root, step.uuid); n != step.n {
			t.Errorf("step %d: got %d, want %d", i, n, step.n)
		}
	}
	if !f.ask() || f.ask() {
		t.Error("two questions are open")
	}
	f.done()
	if !f.ask() {
		t.Error("no question after an answer")
	}
}

package action

import "testing"

// TestWrongMemories: every third memory opens the question, unless it is open already.
func TestWrongMemories(t *testing.T) {
	var f wrongMemories
	for i, step := range []struct {
		uuid string
		n    int
		ask  bool
		done bool // the question was answered before
	}{
		{uuid: "a", n: 1}, {uuid: "a", n: 1}, {uuid: "b", n: 2}, {uuid: "a", n: 2}, {uuid: "c", n: 3, ask: true}, {uuid: "c", n: 3},
		{uuid: "d", n: 4}, {uuid: "e", n: 5}, {uuid: "f", n: 6},
		{uuid: "f", n: 6, done: true}, {uuid: "g", n: 7}, {uuid: "h", n: 8}, {uuid: "i", n: 9, ask: true},
	} {
		if step.done {
			f.done()
		}
		if n, ask := f.add(step.uuid); n != step.n || ask != step.ask {
			t.Errorf("step %d, %s: got %d %v, want %d %v", i, step.uuid, n, ask, step.n, step.ask)
		}
	}
}

package purge

import (
	"fmt"
	"testing"

	"manicule/memory/file"
)

// TestWordsAreLookedUpOnce: a word is looked for among the files once, however many memories have it.
func TestWordsAreLookedUpOnce(t *testing.T) {
	asked := func(memories int) (n int) {
		var gone []*file.Memory
		for i := range memories {
			gone = append(gone, &file.Memory{UUID: fmt.Sprintf("0198f0c2-7a41-7c3e-9d7a-%012d", i), What: "the retry in src/queue.go holds a lock that nobody ever releases again"})
		}
		traces(gone, nil, onceEach(func(text string) bool {
			n++
			return text == "src/queue.go"
		}))
		return n
	}
	if few, many := asked(2), asked(200); few == 0 || many > few {
		t.Errorf("%d questions about 2 memories, %d about 200 of the same words", few, many)
	}
}

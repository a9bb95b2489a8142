package refactor

import (
	"math/rand/v2"
	"strings"
	"testing"
)

var sample = State{
	"a/Frame.java": "package a;\n\nclass Frame {\n  private int width;\n\n  int area(int height) {\n    int total = width * height;\n    return total;\n  }\n}\n",
	"a/Panel.java": "package a;\n\nclass Panel {\n  private Frame mainFrame;\n\n  int size() {\n    return mainFrame.area(width()) + mainFrame.area(1);\n  }\n\n  int width() {\n    return 2;\n  }\n}\n",
	"a/Other.java": "package a;\n\nclass Other {\n  void nothing() {\n    System.out.println(\"nothing\");\n  }\n}\n",
}

// TestScripts has every refactoring say truly where its targets went: the line
// of each is the same but for what was replaced.
func TestScripts(t *testing.T) {
	for name, do := range scripts {
		done := 0
		for seed := range uint64(30) {
			s := &script{lang: "java", state: sample, words: newVocabulary(sample), rand: rand.New(rand.NewPCG(seed, 1))}
			step, ok := do(s)
			if !ok {
				continue
			}
			for _, from := range step.Targets {
				to, ok := step.at(from)
				if !ok {
					continue
				}
				done++
				was, is := sample.lines(from.Path)[from.Line-1], step.After.lines(to.Path)[to.Line-1]
				if shape(was) != shape(is) && !strings.Contains(name, "type change") && name != "parameter added" {
					t.Errorf("%s: %v %q -> %v %q", name, from, was, to, is)
				}
			}
		}
		if done == 0 && name != "extract function" { // there is none that long
			t.Errorf("%s was never done", name)
		}
	}
}

// shape is a line with its names left out.
func shape(line string) string { return strings.TrimSpace(identifier.ReplaceAllString(line, "x")) }

// TestAkin takes a type's name into the names that are made of it.
func TestAkin(t *testing.T) {
	v := &vocabulary{count: map[string]int{"FramedLink": 1, "framedLink": 1, "newFramedLink": 1, "FRAMED_LINK": 1, "framed_link_count": 1, "framedLinks": 1, "unframedLink": 1}}
	got := v.derivedNames("FramedLink", "HttpPipe")
	want := map[string]string{"FramedLink": "HttpPipe", "framedLink": "httpPipe", "newFramedLink": "newHttpPipe", "FRAMED_LINK": "HTTP_PIPE", "framed_link_count": "http_pipe_count"}
	if len(got) != len(want) {
		t.Errorf("%v", got)
	}
	for w, n := range want {
		if got[w] != n {
			t.Errorf("%s became %q, not %q", w, got[w], n)
		}
	}
}

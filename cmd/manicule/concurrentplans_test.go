package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
)

// TestManyPlanners has processes add to one build, change one shared thread and grow one conversation at the same
// time: what says that it was written is there, and of two that changed the same thread one is told.
func TestManyPlanners(t *testing.T) {
	wholeFormOnly(t)
	const each = 12
	p := newPlace(t)
	p.env = append(p.env, envPatient+"=", envBudget+"=")
	p.must(p.run("", "init"))
	p.must(p.run("", "build", "new", "Move the queue"))
	output := func(args ...string) string {
		t.Helper()
		out, err := p.output("", args...)
		p.must(err)
		return out
	}
	thread := idOf(t, output("thread", "add", "Retry gives up", "--share", "--json"), "uuid")
	talk := idOf(t, output("record", "put", "conversation", "Which queue?", "--json"), "id")

	var wg sync.WaitGroup
	var mu sync.Mutex
	var faults []error
	handed := 0
	for n := range each {
		wg.Go(func() {
			err := p.run("", "build", "add", fmt.Sprintf("Slice %02d", n), "--phase", fmt.Sprint("Phase ", n%3))
			mu.Lock()
			faults = append(faults, err)
			mu.Unlock()
		})
		wg.Go(func() {
			err := p.run("", "record", "append", talk, fmt.Sprintf("Entry %02d", n))
			mu.Lock()
			faults = append(faults, err)
			mu.Unlock()
		})
		wg.Go(func() {
			_, err := p.output("", "thread", "park", thread, "--why", fmt.Sprint("for ", n))
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				handed++
			} else if !strings.Contains(err.Error(), "changed meanwhile") {
				faults = append(faults, err)
			}
		})
	}
	wg.Wait()
	p.must(errors.Join(faults...))
	if handed == 0 {
		t.Error("nobody could park the thread")
	}
	build := output("build", "show", "--json")
	conversation := output("record", "show", talk, "--json")
	for n := range each {
		if !strings.Contains(build, fmt.Sprintf(`"Slice %02d"`, n)) {
			t.Errorf("slice %d is lost", n)
		}
		if !strings.Contains(conversation, fmt.Sprintf(`"Entry %02d"`, n)) {
			t.Errorf("entry %d is lost", n)
		}
	}
	var list struct {
		Threads []struct {
			State   string `json:"state"`
			Version int    `json:"version"`
		} `json:"threads"`
	}
	p.must(json.Unmarshal([]byte(output("thread", "list", "--json")), &list))
	if len(list.Threads) != 1 || list.Threads[0].State != "parked" || list.Threads[0].Version != handed+1 {
		t.Errorf("%d parked it: %+v", handed, list.Threads)
	}
}

// idOf returns the first member of a name in an answer.
func idOf(t *testing.T, answer, name string) string {
	t.Helper()
	_, rest, ok := strings.Cut(answer, `"`+name+`": "`)
	id, _, end := strings.Cut(rest, `"`)
	if !ok || !end {
		t.Fatalf("no %s in %s", name, answer)
	}
	return id
}

package hooks

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/go-json-experiment/json"

	"manicule/hooks/event"
	"manicule/indexer/atomicfile"
	"manicule/indexer/treefile"
)

// The self-test: a random word that only a receiver of hooks can know.
const (
	selfTestName = "hook-self-test.json"
	selfTestFor  = 15 * time.Minute
)

// SelfTest is a running test. An agent that can tell the word receives the text of hooks.
type SelfTest struct {
	Word  string `json:"word"`
	Until int64  `json:"until"` // Unix milliseconds
}

// StartSelfTest makes the hooks of a state folder send a new word for a while.
func StartSelfTest(stateDir string, now time.Time, random io.Reader) (SelfTest, error) {
	var b [4]byte
	if _, err := io.ReadFull(random, b[:]); err != nil {
		return SelfTest{}, fmt.Errorf("make a word for the self-test: %w", err)
	}
	t := SelfTest{Word: "manicule-" + hex.EncodeToString(b[:]), Until: now.Add(selfTestFor).UnixMilli()}
	data, err := json.Marshal(t)
	if err == nil {
		if err = os.MkdirAll(stateDir, 0o700); err == nil {
			err = atomicfile.Write(filepath.Join(stateDir, selfTestName), data, 0o600)
		}
	}
	if err != nil {
		return SelfTest{}, fmt.Errorf("begin the self-test: %w", err)
	}
	return t, nil
}

// selfTest returns the word, once in a conversation, while a test is running.
func (a *answering) selfTest() string {
	if a.stateDir == "" || !a.ev.Answers || a.ev.Kind == event.Stop {
		return ""
	}
	name := filepath.Join(a.stateDir, selfTestName)
	data, err := treefile.ReadMade(name)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			a.note("the self-test could not be read", err)
		}
		return ""
	}
	var t SelfTest
	left := int64(-1)
	if json.Unmarshal(data, &t) == nil {
		left = t.Until - a.opt.Now().UnixMilli()
	}
	if left < 0 || left > selfTestFor.Milliseconds() {
		_ = os.Remove(name) // it is over
		return ""
	}
	if !a.commit() || !a.claims.win("self-test\x00"+t.Word) {
		return ""
	}
	return "☞ Manicule's self-test is under way: its word is " + t.Word + ". Who asks for it wants to know whether this arrived."
}

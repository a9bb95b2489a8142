package eventlog

import (
	"bytes"
	"fmt"
	"path/filepath"

	"github.com/go-json-experiment/json"
)

// maxSaidFile is the size at which the file of what was said is moved aside.
const maxSaidFile = 2 << 20

// Said is one line of what was found in an agent's own transcripts of a session:
// a sentence, that text of strangers came in, or how far a file was read. It is
// kept beside the session's log, so that no transcript is read twice.
type Said struct {
	V    int    `json:"v"`               // format of the line, 1
	Kind string `json:"kind"`            // of a transcript's entry; "mark" for how far it was read, "again" when it began anew
	File string `json:"file"`            // digest of the transcript's path
	Time int64  `json:"t,omitzero"`      // Unix milliseconds, 0 where it isn't known
	Turn int    `json:"turn,omitzero"`   // how many messages of the person came before
	From string `json:"from,omitzero"`   // the subagent; "" for the main conversation
	Text string `json:"text,omitzero"`   // masked and cut
	At   int64  `json:"at,omitzero"`     // of a mark: the offset
	Head string `json:"head,omitzero"`   // of a mark: digest of the beginning
	Len  int64  `json:"length,omitzero"` // of a mark: how many bytes that is of
}

// The kinds that a transcript has not.
const (
	SaidMark  = "mark"
	SaidAgain = "again"
)

func saidPath(stateDir, name string) string { return filepath.Join(folder(stateDir), name+".said") }

// AppendSaid adds lines about a session by the name of its log, in one write.
func AppendSaid(stateDir, name string, list []Said) error {
	var all bytes.Buffer
	for _, s := range list {
		s.V, s.Text, s.From = 1, short(Mask(short(s.Text, 16<<10)), 1000), short(s.From, 100)
		line, err := json.Marshal(s, json.Deterministic(true))
		if err != nil {
			return fmt.Errorf("encode what was said: %w", err)
		}
		all.Write(append(line, '\n'))
	}
	return appendText(saidPath(stateDir, name), maxSaidFile, all.Bytes())
}

// ReadSaid returns the lines about a session, oldest first. What stands before a
// transcript that began anew is left out, and so are torn lines and repeated ones.
func ReadSaid(stateDir, name string) ([]Said, error) {
	var list []Said
	seen := map[Said]bool{}
	err := ReadLines(saidPath(stateDir, name), func(line []byte) {
		var s Said
		if json.Unmarshal(line, &s) != nil || s.V < 1 {
			return
		}
		if s.Kind == SaidAgain {
			kept := list[:0]
			for _, x := range list {
				if x.File != s.File {
					kept = append(kept, x)
				} else {
					delete(seen, x)
				}
			}
			list = kept
			return
		}
		if s.Kind == SaidMark || !seen[s] {
			seen[s] = true
			list = append(list, s)
		}
	})
	return list, err
}

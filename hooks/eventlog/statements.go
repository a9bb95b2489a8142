package eventlog

import (
	"bytes"
	"fmt"
	"path/filepath"

	"manicule/indexer/clip"
	"manicule/indexer/linefile"
	"manicule/memory/secret"

	"github.com/go-json-experiment/json"
)

// maxStatements is the size at which the file of statements is rotated.
const maxStatements = 2 << 20

// Statement is one line extracted from an agent's transcripts of a session: a sentence,
// the arrival of untrusted text, or the position up to which a file was read. It is
// stored beside the session's log, so that no transcript is read twice.
type Statement struct {
	V    int    `json:"v"`               // format of the line, 1
	Kind string `json:"kind"`            // of a transcript's entry; "mark" for a position, "again" for a restarted file
	File string `json:"file"`            // digest of the transcript's path
	Time int64  `json:"t,omitzero"`      // Unix milliseconds, 0 if unknown
	Turn int    `json:"turn,omitzero"`   // number of earlier messages of the person
	From string `json:"from,omitzero"`   // the subagent; "" for the main conversation
	Text string `json:"text,omitzero"`   // masked and cut
	Call string `json:"call,omitzero"`   // of a call that ended: its id; Text is its error
	At   int64  `json:"at,omitzero"`     // of a mark: the offset
	Head string `json:"head,omitzero"`   // of a mark: digest of the beginning
	Len  int64  `json:"length,omitzero"` // of a mark: length of that beginning in bytes
}

// The kinds that no entry of a transcript has.
const (
	StatementMark    = "mark"
	StatementRestart = "again"
)

func statementsPath(stateDir, name string) string {
	return filepath.Join(folder(stateDir), name+".said")
}

// AppendStatements appends lines about a session, by the name of its log, in a single
// write.
func AppendStatements(stateDir, name string, list []Statement) error {
	var all bytes.Buffer
	for _, s := range list {
		s.V, s.Text, s.From = 1, clip.Bytes(secret.Mask(clip.Bytes(s.Text, 16<<10)), 1000), clip.Bytes(s.From, 100)
		s.Call = clip.Bytes(s.Call, 100)
		line, err := json.Marshal(s, json.Deterministic(true))
		if err != nil {
			return fmt.Errorf("encode what was said: %w", err)
		}
		all.Write(append(line, '\n'))
	}
	return linefile.AppendLines(statementsPath(stateDir, name), maxStatements, all.Bytes())
}

// ReadStatements returns the lines about a session, oldest first. It skips the lines
// before a restart of a transcript, torn lines and duplicates.
func ReadStatements(stateDir, name string) ([]Statement, error) {
	var list []Statement
	seen := map[Statement]bool{}
	err := linefile.Read(statementsPath(stateDir, name), func(line []byte) {
		var s Statement
		if json.Unmarshal(line, &s) != nil || s.V < 1 {
			return
		}
		if s.Kind == StatementRestart {
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
		if s.Kind == StatementMark || !seen[s] {
			seen[s] = true
			list = append(list, s)
		}
	})
	return list, err
}

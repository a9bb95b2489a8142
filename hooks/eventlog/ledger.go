package eventlog

import (
	"fmt"
	"hash/fnv"
	"path/filepath"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"
)

// maxLedger is the size at which a ledger is moved aside.
const maxLedger = 1 << 20

// Ledger is the record of what was shown in one conversation: a session, or a
// subagent within one. Several processes may use it at once: whoever's claim
// stands first in the file has won it.
type Ledger struct {
	path string
	mark string // tells this process's claims
}

// OpenLedger names the ledger of a conversation. mark must differ between
// processes that run at once. It touches no file.
func OpenLedger(stateDir, session, agentID, mark string) *Ledger {
	name := SafeName(session)
	if agentID != "" {
		name += "." + SafeName(agentID)
	}
	return &Ledger{path: filepath.Join(folder(stateDir), name+".seen"), mark: mark}
}

// claim is one line of a ledger.
type claim struct {
	Time  int64    `json:"t"` // Unix milliseconds
	Mark  string   `json:"m,omitzero"`
	Keys  []string `json:"k,omitempty"` // digests
	Reset bool     `json:"r,omitzero"`  // what stands above no longer counts
}

// claimKeys is how many keys fit one line.
const claimKeys = 150

// Claim takes what was not taken since the last reset, and returns those keys
// in their order.
func (l *Ledger) Claim(now time.Time, keys []string) ([]string, error) {
	held, err := l.read()
	if err != nil {
		return nil, err
	}
	var wanted []string
	for _, k := range keys {
		if _, taken := held.shown[digest(k)]; !taken {
			wanted = append(wanted, k)
		}
	}
	if len(wanted) == 0 {
		return nil, nil
	}
	if err := l.write(now, wanted); err != nil {
		return nil, err
	}
	if held, err = l.read(); err != nil {
		return nil, err
	}
	won := wanted[:0]
	for _, k := range wanted {
		if held.shown[digest(k)] == l.mark {
			won = append(won, k)
		}
	}
	return won, nil
}

// Told is what was claimed since the last reset, by [Digest].
func (l *Ledger) Told() (map[string]bool, error) {
	held, err := l.read()
	out := make(map[string]bool, len(held.shown))
	for k := range held.shown {
		out[k] = true
	}
	return out, err
}

// Digest is a key as the ledger holds it.
func Digest(key string) string { return digest(key) }

// Once reports whether this is the first claim of key within a time. A reset
// doesn't matter to it.
func (l *Ledger) Once(now time.Time, key string, within time.Duration) (bool, error) {
	key = "!" + digest(key) // apart from what is shown, and not a digest of it
	if err := l.append(claim{Time: now.UnixMilli(), Mark: l.mark, Keys: []string{key}}); err != nil {
		return false, err
	}
	held, err := l.read()
	if err != nil {
		return false, err
	}
	for _, c := range held.events[key] {
		if c.Mark == l.mark {
			return true, nil
		}
		if d := now.UnixMilli() - c.Time; max(d, -d) <= within.Milliseconds() {
			return false, nil
		}
	}
	return true, nil
}

// Reset makes everything be shown again, as after a compaction.
func (l *Ledger) Reset(now time.Time) error {
	return l.append(claim{Time: now.UnixMilli(), Reset: true})
}

func (l *Ledger) write(now time.Time, keys []string) error {
	for len(keys) > 0 {
		n := min(claimKeys, len(keys))
		c := claim{Time: now.UnixMilli(), Mark: l.mark}
		for _, k := range keys[:n] {
			c.Keys = append(c.Keys, digest(k))
		}
		if err := l.append(c); err != nil {
			return err
		}
		keys = keys[n:]
	}
	return nil
}

func (l *Ledger) append(c claim) error {
	line, err := json.Marshal(c)
	if err != nil {
		return fmt.Errorf("encode a claim: %w", err)
	}
	return AppendLine(l.path, maxLedger, line)
}

// holdings is what a ledger says: who first showed what, and who saw which event.
type holdings struct {
	shown  map[string]string
	events map[string][]claim
}

func (l *Ledger) read() (holdings, error) {
	h := holdings{shown: map[string]string{}, events: map[string][]claim{}}
	err := ReadLines(l.path, func(line []byte) {
		var c claim
		if json.Unmarshal(line, &c) != nil {
			return // torn
		}
		if c.Reset {
			h.shown = map[string]string{}
		}
		for _, k := range c.Keys {
			if len(k) > 0 && k[0] == '!' {
				h.events[k] = append(h.events[k], c)
			} else if _, taken := h.shown[k]; !taken {
				h.shown[k] = c.Mark
			}
		}
	})
	return h, err
}

func digest(key string) string {
	h := fnv.New64a()
	_, _ = h.Write([]byte(key)) // a hash takes everything
	return strconv.FormatUint(h.Sum64(), 36)
}

package eventlog

import (
	"fmt"
	"hash/fnv"
	"path/filepath"
	"strconv"
	"time"

	"manicule/indexer/linefile"

	"github.com/go-json-experiment/json"
)

// maxDedupe is the size at which a dedupe file is rotated.
const maxDedupe = 1 << 20

// Dedupe keeps anything from being shown twice in one conversation. Several processes may use it at once: the first claim in the file
// wins.
type Dedupe struct {
	path string
	mark string // identifies this process's claims
}

// Conversation is a session, or a subagent in one.
type Conversation struct {
	StateDir string // of the repository
	Session  string
	Agent    string // the id of the subagent, "" for the main conversation
}

// Dedupe returns the dedupe file of the conversation. mark must differ between concurrent
// processes that claim; who only reads needs none. It does no I/O.
func (c Conversation) Dedupe(mark string) *Dedupe {
	name := SafeName(c.Session)
	if c.Agent != "" {
		name += "." + SafeName(c.Agent)
	}
	return &Dedupe{path: filepath.Join(folder(c.StateDir), name+".seen"), mark: mark}
}

// claim is one line of a dedupe file.
type claim struct {
	Time  int64    `json:"t"` // Unix milliseconds
	Mark  string   `json:"m,omitzero"`
	Keys  []string `json:"k,omitempty"` // digests
	Reset bool     `json:"r,omitzero"`  // earlier lines no longer count
	Held  bool     `json:"h,omitzero"`  // the keys were held out, not shown
}

// claimKeys is the number of keys that fit one line.
const claimKeys = 150

// Claim claims the keys that nobody has claimed since the last reset, and returns those
// that it won, in their order.
func (l *Dedupe) Claim(now time.Time, keys []string) ([]string, error) {
	return l.claim(claim{Time: now.UnixMilli()}, keys)
}

// HoldOut is Claim for what is not shown, so that it isn't shown later either. [ClaimsIn] leaves it out.
func (l *Dedupe) HoldOut(now time.Time, keys []string) ([]string, error) {
	return l.claim(claim{Time: now.UnixMilli(), Held: true}, keys)
}

// claim claims keys with lines like the given one.
func (l *Dedupe) claim(c claim, keys []string) ([]string, error) {
	held, err := l.read()
	if err != nil {
		return nil, err
	}
	var wanted []string
	for _, k := range keys {
		if _, taken := held.shown[Digest(k)]; !taken {
			wanted = append(wanted, k)
		}
	}
	if len(wanted) == 0 {
		return nil, nil
	}
	if err := l.write(c, wanted); err != nil {
		return nil, err
	}
	if held, err = l.read(); err != nil {
		return nil, err
	}
	won := wanted[:0]
	for _, k := range wanted {
		if held.shown[Digest(k)] == l.mark {
			won = append(won, k)
		}
	}
	return won, nil
}

// Claimed returns the digests of all keys claimed since the last reset; see [Digest].
func (l *Dedupe) Claimed() (map[string]bool, error) {
	held, err := l.read()
	out := make(map[string]bool, len(held.shown))
	for k := range held.shown {
		out[k] = true
	}
	return out, err
}

// Shown returns the digests of the keys claimed since the last reset, without those that were held out.
func (l *Dedupe) Shown() (map[string]bool, error) {
	claims, err := l.read()
	out := make(map[string]bool, len(claims.shown))
	for k := range claims.shown {
		if !claims.held[k] {
			out[k] = true
		}
	}
	return out, err
}

// QuotedKey returns the key of a memory that was quoted in full. Its uuid is the key of
// one that was named or counted.
func QuotedKey(uuid string) string { return "full\x00" + uuid }

// Digest returns the form of a key in the file.
func Digest(key string) string {
	h := fnv.New64a()
	_, _ = h.Write([]byte(key)) // a hash never fails
	return strconv.FormatUint(h.Sum64(), 36)
}

// First reports whether this is the first claim of an event's key within a period,
// independent of resets.
func (l *Dedupe) First(now time.Time, key string, within time.Duration) (bool, error) {
	key = "!" + Digest(key) // separate from the keys of shown memories, and no digest of one
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

// Reset forgets all claims, because after a compaction everything may be shown again.
func (l *Dedupe) Reset(now time.Time) error {
	return l.append(claim{Time: now.UnixMilli(), Reset: true})
}

func (l *Dedupe) write(c claim, keys []string) error {
	c.Mark = l.mark
	for len(keys) > 0 {
		n := min(claimKeys, len(keys))
		c.Keys = nil
		for _, k := range keys[:n] {
			c.Keys = append(c.Keys, Digest(k))
		}
		if err := l.append(c); err != nil {
			return err
		}
		keys = keys[n:]
	}
	return nil
}

func (l *Dedupe) append(c claim) error {
	line, err := json.Marshal(c)
	if err != nil {
		return fmt.Errorf("encode a claim: %w", err)
	}
	return linefile.Append(l.path, maxDedupe, line)
}

// claims are the claims in the file: the holder of each key and of each event.
type claims struct {
	shown  map[string]string
	held   map[string]bool // of shown: what was held out
	events map[string][]claim
}

func (l *Dedupe) read() (claims, error) {
	h := claims{shown: map[string]string{}, held: map[string]bool{}, events: map[string][]claim{}}
	err := linefile.Read(l.path, func(line []byte) {
		var c claim
		if json.Unmarshal(line, &c) != nil {
			return // a torn line
		}
		if c.Reset {
			h.shown, h.held = map[string]string{}, map[string]bool{}
		}
		for _, k := range c.Keys {
			if len(k) > 0 && k[0] == '!' {
				h.events[k] = append(h.events[k], c)
			} else if _, taken := h.shown[k]; !taken {
				h.shown[k] = c.Mark
				if c.Held {
					h.held[k] = true
				}
			}
		}
	})
	return h, err
}

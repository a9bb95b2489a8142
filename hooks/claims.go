package hooks

import (
	"time"

	"manicule/hooks/eventlog"
)

// claims keep anything from being told twice in one conversation. The zero value keeps nothing.
type claims struct {
	file *eventlog.Dedupe // nil if nothing is kept
	now  func() time.Time
	note func(act string, err error)
}

// kept reports whether claims are kept.
func (c *claims) kept() bool { return c.file != nil }

// claim claims keys and returns those that it won, which are all if nothing is kept.
func (c *claims) claim(keys ...string) map[string]bool {
	won := keys
	if c.kept() {
		var err error
		if won, err = c.file.Claim(c.now(), keys); err != nil {
			c.note("what the session was shown could not be recorded", err)
			won = keys
		}
	}
	fresh := make(map[string]bool, len(won))
	for _, k := range won {
		fresh[k] = true
	}
	return fresh
}

// win claims one key, and reports whether nobody had claimed it.
func (c *claims) win(key string) bool { return len(c.claim(key)) > 0 }

// digests returns the digests of the keys that were claimed; none if nothing is kept.
func (c *claims) digests() map[string]bool {
	if !c.kept() {
		return nil
	}
	told, err := c.file.Claimed()
	if err != nil {
		c.note("what the session was shown could not be read", err)
	}
	return told
}

// owes reports whether one key was claimed, and the other was not.
func (c *claims) owes(since, until string) bool {
	told := c.digests()
	return told[eventlog.Digest(since)] && !told[eventlog.Digest(until)]
}

// holdOut claims the keys of a memory that is not told, so that this conversation is not told it later. It reports
// whether nobody had told it or held it out.
func (c *claims) holdOut(uuid string) bool {
	if !c.kept() {
		return true
	}
	quoted := eventlog.QuotedKey(uuid)
	won, err := c.file.HoldOut(c.now(), []string{quoted, uuid})
	if err != nil {
		c.note("what is held out could not be recorded", err)
	}
	for _, k := range won {
		if k == quoted {
			return true
		}
	}
	return false
}

// isFirst reports whether no copy of an event was answered within a window. If that can't be kept, nothing is any more.
func (c *claims) isFirst(event string, window time.Duration) bool {
	if !c.kept() {
		return true
	}
	first, err := c.file.First(c.now(), event, window)
	if err != nil {
		c.note("what the session was shown could not be recorded", err)
		c.file = nil
		return true
	}
	return first
}

// reset forgets all claims, as the agent has forgotten what it was told.
func (c *claims) reset() {
	if !c.kept() {
		return
	}
	if err := c.file.Reset(c.now()); err != nil {
		c.note("what the session was shown could not be reset", err)
	}
}

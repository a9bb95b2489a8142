package hooks

import (
	"time"

	"manicule/hooks/event"
	"manicule/hooks/eventlog"
)

// logGrace bounds the time for logging an event whose time is up. On a busy machine most of it passes before the process is
// let on at all.
const logGrace = 150 * time.Millisecond

// log logs the event, once.
func (j *job) log(dir string, r eventlog.Record) {
	j.logging.Lock()
	defer j.logging.Unlock()
	if j.logged || j.elsewhere {
		return
	}
	j.logged = true
	if err := eventlog.AppendUnless(dir, r, func(kept eventlog.Record) bool { return copied(dir, kept) }); err != nil {
		j.note("the event could not be logged", err)
	}
}

// logsElsewhere says whether another program logs the event.
func (j *job) logsElsewhere(does bool) {
	j.logging.Lock()
	defer j.logging.Unlock()
	j.elsewhere = does
}

// logLate logs the event if its time was up before the worker did: what was done has to be known, whether or not there was an
// answer in time. Without the edit before it, a check that fails would not count as left. An event that has begun to arrive
// is read for it. worked is closed when the worker is done.
func (j *job) logLate(worked <-chan struct{}) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		if j.inputBegan.Load() {
			select {
			case <-j.known:
			case <-worked:
			}
		}
		j.mu.Lock()
		dir, r, late := j.stateDir, j.unlogged, j.late
		j.mu.Unlock()
		if dir == "" || r.Session == "" {
			return
		}
		if !late || !j.loggedElsewhere(dir, r) {
			j.log(dir, r)
		}
		if late {
			j.tellLater(dir, r)
		}
	}()
	timer := time.NewTimer(logGrace)
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
	}
}

// loggedElsewhere reports whether the program that an event was handed over to logged it before it was ended, which it
// is when the time is up. Otherwise the event is for this one to log.
func (j *job) loggedElsewhere(dir string, r eventlog.Record) bool {
	j.logging.Lock()
	defer j.logging.Unlock()
	if !j.elsewhere {
		return false
	}
	j.elsewhere = false
	last, ok := eventlog.Last(dir, eventlog.SafeName(r.Session))
	return ok && last.Kind == r.Kind && last.Prompt == r.Prompt && last.Time >= r.Time
}

// tellLater has the first prompt of a session tell what its start had no time to say.
func (j *job) tellLater(dir string, r eventlog.Record) {
	if r.Kind == string(event.SessionStart) && (r.Source == string(event.Startup) || r.Source == string(event.Clear)) {
		of := claims{file: eventlog.Conversation{StateDir: dir, Session: r.Session}.Dedupe("late"), now: j.opt.Now, note: j.note}
		of.claim(behindKey, missedKey)
	}
}

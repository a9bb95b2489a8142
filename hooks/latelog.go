package hooks

import (
	"time"

	"manicule/hooks/eventlog"
)

// logGrace bounds the time for logging an event whose time is up. On a busy machine most of it passes before the process is
// let on at all.
const logGrace = 150 * time.Millisecond

// log logs the event, once.
func (j *job) log(dir string, r eventlog.Record) {
	j.logging.Lock()
	defer j.logging.Unlock()
	if j.logged {
		return
	}
	j.logged = true
	if err := eventlog.Append(dir, r); err != nil {
		j.note("the event could not be logged", err)
	}
}

// logsElsewhere says whether another program logs the event.
func (j *job) logsElsewhere(does bool) {
	j.logging.Lock()
	defer j.logging.Unlock()
	j.logged = does
}

// logLate logs the event if its time was up before the worker did: what was done has to be known, whether or not there was an
// answer in time. Without the edit before it, a check that fails would not count as left.
func (j *job) logLate() {
	j.mu.Lock()
	dir, r := j.stateDir, j.unlogged
	j.mu.Unlock()
	if dir == "" || r.Session == "" {
		return
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		j.log(dir, r)
	}()
	timer := time.NewTimer(logGrace)
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
	}
}

package fold

import (
	"manicule/hooks/event"
	"manicule/hooks/eventlog"
)

// endBackground gives a command that went on in the background its result. A later word on the same command changes nothing.
func (f *Fold) endBackground(r eventlog.Record, id string, ok bool, printed string) {
	at, known := f.calls.running[id]
	if !known {
		return
	}
	delete(f.calls.running, id)
	s := &f.Steps[at]
	if s.Done { // told under its own id
		return
	}
	if s.ID != "" {
		delete(f.calls.open, s.ID)
		f.calls.ended[s.ID] = true
	}
	s.Done, s.OK, s.Ended = true, ok, f.Events
	if r.Time > s.At {
		s.Took = r.Time - s.At
	}
	if !ok {
		s.fails(printed)
	}
}

// readNotice reads what the agent's program tells it in place of a prompt of a command in the background.
func (f *Fold) readNotice(r eventlog.Record) {
	n, ok := event.NoticeOf(r.Prompt)
	if !ok {
		return
	}
	if _, known := f.calls.running[n.ID]; !known && n.Call != "" {
		for id, at := range f.calls.running {
			if f.Steps[at].ID == n.Call {
				n.ID = id
			}
		}
	}
	f.endBackground(r, n.ID, n.Outcome == event.Succeeded, "")
}

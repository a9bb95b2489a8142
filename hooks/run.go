package hooks

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os/signal"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"manicule/hooks/event"
	"manicule/hooks/eventlog"
	"manicule/hooks/logrecord"
	"manicule/hooks/nudge"
	"manicule/indexer/fault"
)

// Outcomes of a hook, as the latency record names them.
const (
	outcomeAnswered  = "answered"
	outcomeEmpty     = "empty"
	outcomeDuplicate = "duplicate"
	outcomeDeadline  = "deadline"
	outcomeFault     = "fault"
)

// Run answers one event. It returns when the answer is written and the event is logged,
// or when the time is up. It reports no error, because the process must exit with 0.
// Faults are in the log that Recent reads.
func Run(ctx context.Context, opt Options) {
	// A host that closed our stdout must not kill us with a signal.
	signal.Ignore(syscall.SIGPIPE)
	j := newJob(opt.withDefaults())
	j.agent, _ = j.opt.Agents.Lookup(opt.Agent)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	answers, budget, done := make(chan []byte, 1), make(chan time.Duration, 1), make(chan struct{})
	defer j.logLate(done)
	go func() {
		defer close(done)
		j.work(ctx, answers, budget)
	}()
	timer := time.NewTimer(j.opt.remaining(otherBudget))
	defer timer.Stop()
	for waiting, patience := true, readGraces; ; {
		select {
		case out := <-answers:
			waiting = false
			j.print(out)
		case b := <-budget:
			patience = 0 // the event is known
			timer.Reset(j.opt.remaining(b))
		case <-timer.C:
			select {
			case b := <-budget: // both at once: the event has more time
				patience = 0
				if left := j.opt.remaining(b); left > 0 {
					timer.Reset(left)
					continue
				}
			default:
			}
			if waiting && patience > 0 && !j.inputRead() {
				if patience--; !j.inputBegan.Load() {
					patience -= 3 // no input yet: the agent may be the cause of the delay
				}
				timer.Reset(readGrace)
				continue
			}
			if waiting {
				j.expire(answers, cancel)
				return
			}
			return
		case <-done:
			select {
			case out := <-answers:
				j.print(out)
			default:
			}
			return
		}
	}
}

// newJob returns the job for an event that is still to be read.
func newJob(opt Options) *job {
	j := &job{known: make(chan struct{})}
	j.opt = opt
	j.claims = claims{now: opt.Now, note: j.note}
	return j
}

// job is one event in progress. The worker goroutine owns it, except for what [process] guards.
type job struct {
	answering
	inputBegan atomic.Bool   // part of the event has arrived
	input      inputCopy     // copy of the input, for a hand-over
	known      chan struct{} // closed once the event was read

	logging   sync.Mutex // held while the event is logged
	logged    bool
	elsewhere bool // another program logs it
}

// commitGrace is the extra time for an answer that is already recorded as shown, since
// the session would never see it otherwise.
const commitGrace = 20 * time.Millisecond

// readGrace is the extra time for reading the event when the time is up, and readGraces
// is how often it is granted while the agent writes. The event may be a person's
// /remember, which always gets an answer. A tool's event gets no extra time: its first
// members identify it.
const (
	readGrace  = 150 * time.Millisecond
	readGraces = 10
)

// firstByteReader records the arrival of the first byte.
type firstByteReader struct {
	io.Reader
	begun *atomic.Bool
}

func (r firstByteReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if n > 0 {
		r.begun.Store(true)
	}
	return n, err
}

// expire prints the answer at the deadline: the finished answer if there is one, else the
// fallback or the empty one. Logging may take 20 ms more.
func (j *job) expire(answers <-chan []byte, cancel context.CancelFunc) {
	j.mu.Lock()
	out := j.fallback
	if out == nil {
		out = j.agent.Wire.Empty()
	}
	claimed := j.committed
	j.expired = !claimed
	j.mu.Unlock()
	grace := time.Duration(0)
	if claimed {
		grace = commitGrace
	}
	if answer, ok := awaitAnswer(answers, grace); ok {
		j.print(answer)
		return
	}
	j.mu.Lock()
	j.expired, j.late = true, true
	j.mu.Unlock()
	cancel()
	j.print(out)
	noted := make(chan struct{})
	go func() {
		defer close(noted)
		j.mu.Lock()
		dir, ends := j.stateDir, j.unlogged.Kind == string(event.SessionEnd)
		j.mu.Unlock()
		if ends { // nobody waits for that answer, and the next session goes on with what was to be learned
			j.record(outcomeDeadline)
			return
		}
		if dir != "" {
			if err := noteMiss(dir, j.opt.Now()); err != nil {
				j.writeNote("the circuit breaker could not be kept", err)
			}
		}
		j.writeNote("the time was up before there was an answer", nil)
		j.record(outcomeDeadline)
	}()
	timer := time.NewTimer(20 * time.Millisecond)
	defer timer.Stop()
	select {
	case <-noted:
	case <-timer.C:
	}
}

// awaitAnswer receives an answer that is finished, or finishes in a moment.
func awaitAnswer(answers <-chan []byte, moment time.Duration) ([]byte, bool) {
	select {
	case out := <-answers:
		return out, true
	default:
	}
	timer := time.NewTimer(moment)
	defer timer.Stop()
	select {
	case out := <-answers:
		return out, true
	case <-timer.C:
		return nil, false
	}
}

func (j *job) print(out []byte) {
	if len(out) == 0 || j.opt.Stdout == nil {
		return
	}
	if _, err := j.opt.Stdout.Write(append(out, '\n')); err != nil {
		j.note("the answer could not be printed", err)
	}
}

// work reads the event, answers it and then records what happened.
func (j *job) work(ctx context.Context, answers chan<- []byte, budget chan<- time.Duration) {
	sent := false
	send := func(out []byte) {
		if !sent {
			sent = true
			answers <- out
		}
	}
	defer func() {
		if p := recover(); p != nil {
			j.note("panic", fmt.Errorf("%v at %s", p, fault.Place()))
			send(j.agent.Wire.Empty())
			j.record(outcomeFault)
		}
	}()
	if !j.prepare() {
		j.discardInput()
		return
	}
	if err := j.read(budget); err != nil {
		send(j.agent.Wire.Empty())
		j.note("the event could not be read", err)
		j.record(outcomeFault)
		return
	}
	if j.handOver(ctx, answers) {
		return
	}
	caughtUp := func() {}
	if j.catchesUp() {
		caughtUp = j.catchUp(ctx)
	}
	text := responder{&j.answering}.respond(ctx)
	out := j.agent.Wire.Render(j.ev, nudge.Cap(text, nudge.HardLimit))
	if text != "" {
		j.setOutcome(outcomeAnswered)
	}
	send(out)
	j.write()
	j.recordShown(ctx, text)
	if j.commitsRead && j.opt.RecordStart != nil {
		if err := j.opt.RecordStart(j.dir()); err != nil {
			j.note("the start of the session could not be recorded", err)
		}
	}
	if j.rests() {
		j.learn(ctx, j.dir(), j.ev.Session)
		if j.agent.EndsAtRest && j.waiting(ctx) { // a start may have had too little time for it
			j.learn(ctx, j.dir(), "")
		}
	}
	caughtUp()
	j.record("")
}

// prepare reads the settings. It returns false if another hook answers the event.
func (j *job) prepare() bool {
	if j.opt.Prepare == nil {
		return true
	}
	s, ok := j.opt.Prepare()
	j.opt.TrustLevel, j.opt.Flush, j.opt.Arms, j.opt.HoldOut = s.TrustLevel, s.Flush, s.Arms, s.HoldOut
	if s.Methodology != nil {
		j.opt.Methodology = s.Methodology
	}
	return ok
}

// discardInput reads the input to its end if there is nothing to do, so that the agent's write
// doesn't fail. It gives no answer, even when the time is up.
func (j *job) discardInput() {
	j.mu.Lock()
	j.fallback = []byte{}
	j.mu.Unlock()
	if j.opt.Stdin != nil {
		_, _ = io.Copy(io.Discard, j.opt.Stdin) // its content is ignored
	}
}

// read scans and parses stdin. It reports early when the event is about a tool, which has
// less time, and when a person asks to remember something, which has more.
func (j *job) read(budget chan<- time.Duration) error {
	if j.opt.Stdin == nil {
		return errors.New("there is no stdin")
	}
	told := false
	if j.opt.HandOver == nil {
		j.input.stop()
	}
	v, err := event.ScanCopy(firstByteReader{j.opt.Stdin, &j.inputBegan}, &j.input, func(name, text string) {
		if !told && aboutTool(name, text) {
			told = true
			j.input.stop()
			budget <- toolBudget
		}
	})
	if errors.Is(err, event.ErrNoObject) && errors.Is(err, io.EOF) {
		return errors.New("stdin is empty")
	}
	a := j.opt.Agents.Detect(j.opt.Agent, v)
	j.mu.Lock()
	j.agent = a
	j.mu.Unlock()
	if err != nil {
		return err
	}
	if a.Wire.Parse == nil {
		return fmt.Errorf("the agent %q is not known", j.opt.Agent)
	}
	ev := a.Wire.Parse(v)
	dir, err := j.opt.StateDir(j.opt.projectDir(ev))
	if err != nil {
		dir = ""
	}
	if asksSubagent(dir, ev, j.opt.Now()) {
		ev.PromptFrom = event.ByAgent
	}
	j.ev = ev
	unlogged := logrecord.Of(ev, j.opt.Now())
	unlogged.Facts = maps.Clone(ev.Facts) // the worker adds to them
	j.mu.Lock()
	j.name, j.stateDir, j.unlogged = ev.Name, dir, unlogged
	j.mu.Unlock()
	close(j.known)
	j.openClaims()
	switch {
	case ev.Kind.Tool() && !told:
		budget <- toolBudget
	case ev.Kind == event.SessionEnd:
		budget <- endBudget
	case j.rests():
		budget <- restBudget
	case isRemember(ev.Prompt), isForgetting(ev.Prompt):
		text := rememberTimedOut
		if isForgetting(ev.Prompt) {
			text = forgetTimedOut
		}
		j.mu.Lock()
		j.fallback = a.Wire.Render(ev, text)
		j.mu.Unlock()
		budget <- rememberBudget
	case j.opens():
		budget <- j.startBudget()
	}
	return nil
}

// aboutTool reports whether a member of the payload identifies a tool's event.
func aboutTool(name, text string) bool {
	switch name {
	case "tool_name", "toolName", "agent_action_name":
		return true
	case "hook_event_name":
		return strings.Contains(strings.ToLower(text), "tool")
	}
	return false
}

// write logs the event, after the answer is written.
func (j *job) write() {
	if j.stateDir == "" || j.ev.Session == "" {
		return
	}
	j.noteBranch()
	j.log(j.stateDir, logrecord.Of(j.ev, j.opt.Now()))
	if j.ev.Kind == event.SessionStart || j.ev.Kind == event.Prompt { // it may go on with one that was learned from
		if err := eventlog.Unsettle(j.stateDir, j.ev.Session); err != nil {
			j.note("which sessions wait can't be looked up", err)
		}
	}
	if j.ev.Kind == event.SessionStart {
		if err := eventlog.PruneDaily(j.stateDir, j.opt.Now(), keepSessions); err != nil {
			j.note("old sessions could not be pruned", err)
		}
	}
}

// learn learns in a folder from a session, or with "" from those that wait.
func (j *job) learn(ctx context.Context, dir, session string) {
	if j.opt.Learn == nil || j.opt.HandOver != nil || j.stateDir == "" || j.ev.Session == "" {
		return
	}
	err := j.opt.Learn(ctx, dir, session)
	if err != nil && !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, context.Canceled) {
		j.note("the session could not be learned from", err)
	}
}

// keepSessions is how long the logs of a session are kept.
const keepSessions = 60 * 24 * time.Hour

package hooks

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os/signal"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"manicule/hooks/agent/spec"
	"manicule/hooks/event"
	"manicule/hooks/eventlog"
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

// Run answers one event. It returns when the answer is out and the event is
// logged, or when the time is up, and never says that anything went wrong:
// the process exits with 0 after it. What went wrong is in the log that Recent
// reads.
func Run(ctx context.Context, opt Options) {
	// A host that closed our stdout must not kill us with a signal.
	signal.Ignore(syscall.SIGPIPE)
	j := &job{opt: opt.withDefaults()}
	j.agent, _ = j.opt.Agents.Lookup(opt.Agent)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()

	answers, budget, done := make(chan []byte, 1), make(chan time.Duration, 1), make(chan struct{})
	go func() {
		defer close(done)
		j.work(ctx, answers, budget)
	}()
	timer := time.NewTimer(j.opt.left(otherBudget))
	defer timer.Stop()
	for waiting, patience := true, readGraces; ; {
		select {
		case out := <-answers:
			waiting = false
			j.print(out)
		case b := <-budget:
			patience = 0 // what is asked is known
			timer.Reset(j.opt.left(b))
		case <-timer.C:
			select {
			case b := <-budget: // both at once: the event has more time
				patience = 0
				if left := j.opt.left(b); left > 0 {
					timer.Reset(left)
					continue
				}
			default:
			}
			if waiting && patience > 0 && !j.inputRead() {
				if patience--; !j.inputBegan.Load() {
					patience -= 3 // nothing has come yet: it may be the agent that keeps us waiting
				}
				timer.Reset(readGrace)
				continue
			}
			if waiting {
				j.expire(answers, cancel)
				return
			}
			if until := j.learningUntil(); until > 0 {
				timer.Reset(until)
				continue
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

// job is one event on its way through. The worker goroutine owns it, but for
// what mu guards.
type job struct {
	opt   Options
	ev    event.Event
	shown []shownMemory // in the answer
	// commitsRead is set when what people committed was looked at.
	commitsRead bool
	// quotes is how many memories the answer quotes so far.
	quotes     int
	inputBegan atomic.Bool // something of the event has come
	input      inputCopy   // of what was read, for who it may be handed to

	mu        sync.Mutex
	agent     spec.Agent
	name      string // of the event
	stateDir  string
	outcome   string
	learning  time.Time // until when earlier sessions are learned from; zero when they aren't
	expired   bool      // the time was up; what the worker still comes to is not worth a note
	committed bool      // the answer is about to be written down as said
	fallback  []byte    // the answer when the time is up; nil for the agent's empty answer
}

// softDeadline is a context that says when the time of an event ends, for callers
// that do less in less time. It does not end then: the timer of Run decides that.
type softDeadline struct {
	context.Context
	end time.Time
}

// Deadline is when the time is up.
func (u softDeadline) Deadline() (time.Time, bool) { return u.end, true }

func (j *job) untilDeadline(ctx context.Context) context.Context {
	budget := otherBudget
	switch {
	case j.ev.Kind.Tool():
		budget = toolBudget
	case isRemember(j.ev.Prompt), isForgetting(j.ev.Prompt):
		budget = rememberBudget
	}
	return softDeadline{ctx, time.Now().Add(j.opt.left(budget))}
}

// commitGrace is how much longer a hook waits for an answer that is already claimed
// as said: else nobody would hear it in this session.
const commitGrace = 20 * time.Millisecond

// readGrace is how much longer a hook waits when its time is up before it has read
// the event, and readGraces is how often, while the agent writes: the event may be a
// person's /remember, which always gets an answer. A tool's event never waits
// longer: its first members say that it is one.
const (
	readGrace  = 150 * time.Millisecond
	readGraces = 10
)

// firstByteReader notes when the first byte has come.
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

// inputRead reports whether the event was read.
func (j *job) inputRead() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.name != "" || j.fallback != nil
}

// commit reports whether there is still time to answer. From then on the answer is
// waited for a little longer, because it is about to be claimed as said.
func (j *job) commit() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.committed = !j.expired
	return j.committed
}

// setFallback sets the answer for when the time is up before the rest is there:
// its memories are claimed already.
func (j *job) setFallback(text string) {
	if text == "" {
		return
	}
	out := j.agent.Wire.Render(j.ev, nudge.Cap(text, nudge.HardLimit))
	j.mu.Lock()
	j.fallback = out
	j.mu.Unlock()
}

// expire prints what there is when the time is up: the answer if it is just ready,
// else the fallback or the empty one. The note about it may take 20 ms more.
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
	if answer, ok := within(answers, grace); ok {
		j.print(answer)
		return
	}
	j.mu.Lock()
	j.expired = true
	j.mu.Unlock()
	cancel()
	j.print(out)
	noted := make(chan struct{})
	go func() {
		defer close(noted)
		j.mu.Lock()
		dir := j.stateDir
		j.mu.Unlock()
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

// within takes an answer that is there, or comes in a moment.
func within(answers <-chan []byte, moment time.Duration) ([]byte, bool) {
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

// work reads the event, answers it and then writes down what happened.
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
		j.drain()
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
	text := j.respond(ctx)
	out := j.agent.Wire.Render(j.ev, nudge.Cap(text, nudge.HardLimit))
	if text != "" {
		j.setOutcome(outcomeAnswered)
	}
	send(out)
	j.write()
	j.account(ctx, text)
	if j.commitsRead && j.opt.Began != nil {
		if err := j.opt.Began(j.opt.projectDir(j.ev)); err != nil {
			j.note("where the session begins could not be noted", err)
		}
	}
	j.learn(ctx)
	j.record("")
}

// prepare reads the settings; false where another hook answers the event.
func (j *job) prepare() bool {
	if j.opt.Prepare == nil {
		return true
	}
	s, ok := j.opt.Prepare()
	j.opt.TrustLevel, j.opt.Flush = s.TrustLevel, s.Flush
	if s.Methodology != nil {
		j.opt.Methodology = s.Methodology
	}
	return ok
}

// drain reads on where there is nothing to do, so that the agent's write doesn't
// fail. An answer would be one too many, also when the time is up.
func (j *job) drain() {
	j.mu.Lock()
	j.fallback = []byte{}
	j.mu.Unlock()
	if j.opt.Stdin != nil {
		_, _ = io.Copy(io.Discard, j.opt.Stdin) // nothing is done with it
	}
}

// read scans and parses stdin. It tells early when the event is about a tool,
// for which there is less time, and when a person asks to remember something,
// for which there is more.
func (j *job) read(budget chan<- time.Duration) error {
	if j.opt.Stdin == nil {
		return errors.New("there is no stdin")
	}
	told := false
	j.input.Reader = firstByteReader{j.opt.Stdin, &j.inputBegan}
	if j.opt.HandOver == nil {
		j.input.stop()
	}
	v, err := event.Scan(&j.input, func(name, text string) {
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
	j.ev = ev
	j.mu.Lock()
	j.name, j.stateDir = ev.Name, dir
	j.mu.Unlock()
	switch {
	case ev.Kind.Tool() && !told:
		budget <- toolBudget
	case ev.Kind == event.SessionEnd:
		budget <- endBudget
	case isRemember(ev.Prompt), isForgetting(ev.Prompt):
		text := rememberTimedOut
		if isForgetting(ev.Prompt) {
			text = forgetTimedOut
		}
		j.mu.Lock()
		j.fallback = a.Wire.Render(ev, text)
		j.mu.Unlock()
		budget <- rememberBudget
	}
	return nil
}

// aboutTool reports whether a member of the payload shows that it is a tool's event.
func aboutTool(name, text string) bool {
	switch name {
	case "tool_name", "toolName", "agent_action_name":
		return true
	case "hook_event_name":
		return strings.Contains(strings.ToLower(text), "tool")
	}
	return false
}

// write logs the event. The answer is already out.
func (j *job) write() {
	if j.stateDir == "" || j.ev.Session == "" {
		return
	}
	if err := eventlog.Append(j.stateDir, Record(j.ev, j.opt.Now())); err != nil {
		j.note("the event could not be logged", err)
	}
	if j.ev.Kind == event.SessionStart {
		if err := eventlog.Prune(j.stateDir, j.opt.Now().Add(-keepSessions)); err != nil {
			j.note("old sessions could not be pruned", err)
		}
	}
}

// learn keeps what the session has shown when it ends. Where agents say nothing
// at the end, the next session picks it up; what has no time is left for later.
func (j *job) learn(ctx context.Context) {
	if j.opt.Learn == nil || j.opt.HandOver != nil || j.stateDir == "" || j.ev.Session == "" {
		return
	}
	session := ""
	switch j.ev.Kind {
	case event.SessionEnd:
		session = j.ev.Session
	case event.SessionStart:
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, catchUpBudget)
		defer cancel()
		j.mu.Lock()
		j.learning = time.Now().Add(catchUpBudget)
		j.mu.Unlock()
	default:
		return
	}
	err := j.opt.Learn(ctx, j.opt.projectDir(j.ev), session)
	if err != nil && !errors.Is(err, context.DeadlineExceeded) {
		j.note("what a session has shown could not be kept", err)
	}
}

// learningUntil is how much longer earlier sessions may be learned from.
func (j *job) learningUntil() time.Duration {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.learning.IsZero() {
		return 0
	}
	return time.Until(j.learning)
}

// keepSessions is how long the logs of a session are kept.
const keepSessions = 60 * 24 * time.Hour

func (j *job) setOutcome(o string) {
	j.mu.Lock()
	j.outcome = o
	j.mu.Unlock()
}

// dedupe opens the dedupe file of what was shown in this conversation; nil where
// there is none to keep.
func (j *job) dedupe() *eventlog.Dedupe {
	if j.stateDir == "" || j.ev.Session == "" {
		return nil
	}
	var b [6]byte
	if _, err := io.ReadFull(j.opt.Random, b[:]); err != nil {
		j.note("no random bytes", err)
		return nil
	}
	return eventlog.OpenDedupe(j.stateDir, j.ev.Session, j.ev.AgentID, hex.EncodeToString(b[:]))
}

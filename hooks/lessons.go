package hooks

import (
	"context"
	"slices"
	"strings"
	"time"

	"manicule/hooks/nudge"
	"manicule/memory"
	"manicule/memory/builds"
	"manicule/memory/episode"
	"manicule/memory/file"
	"manicule/memory/thread"
	"manicule/memory/work"
)

// Limits of lessons at the start of a session.
const (
	lessonsTimeout = 30 * time.Millisecond
	maxLessons     = 2
	maxIntent      = 600 // bytes
)

// Intent is what a session that starts is probably for: the title of the work under way, what is in progress in a build, what the last
// session left undone, and the words of its branch, "" for the default one. Its words find lessons.
func Intent(title string, doing builds.Summary, last *thread.LastSession, branch string) string {
	parts := []string{title}
	for _, s := range doing.Going {
		parts = append(parts, s.Text)
	}
	if last != nil && last.Outcome != episode.Success {
		parts = append(parts, last.Task)
	}
	if _, words, ok := strings.Cut(branch, "/"); ok {
		branch = words // feat/retry-queue
	}
	parts = append(parts, strings.NewReplacer("-", " ", "_", " ", "/", " ").Replace(branch))
	text := strings.Join(slices.DeleteFunc(parts, func(s string) bool { return strings.TrimSpace(s) == "" }), ". ")
	return strings.ToValidUTF8(text[:min(len(text), maxIntent)], "")
}

// lessonTypes are the types that say what was learned the hard way.
func lessonTypes() []file.Type {
	return []file.Type{file.Gotcha, file.DeadEnd, file.ErrorPattern, file.WorkflowRecipe}
}

// Lesson reports whether a memory is a lesson for work that is meant to be done: it is about the same, or
// it was learned at the same kind of work, or a task with the same words.
func Lesson(intent string) func(*file.Memory, Counts) bool {
	about, kind, asked := relevant(intent), episode.KindOf(intent), map[string]bool{}
	for _, w := range episode.Words(intent) {
		asked[w] = true
	}
	return func(m *file.Memory, counts Counts) bool {
		if !slices.Contains(lessonTypes(), m.Type) {
			return false
		}
		if about(m, counts) {
			return true
		}
		task := m.Task()
		shared := both(episode.Words(task), asked)
		return shared >= minShared || kind != "" && episode.KindOf(task) == kind && shared > 0
	}
}

// OfWork adds to what is a lesson what a session takes over with a unit of work: the unit's memories of the
// types that are handed on in its state.
func OfWork(s work.Summary, m work.Method, lesson func(*file.Memory, Counts) bool) func(*file.Memory, Counts) bool {
	if s.ID == "" {
		return lesson
	}
	return func(x *file.Memory, counts Counts) bool {
		return lesson(x, counts) || x.Work().In(s.Key()) && slices.Contains(m.Relay[s.State], x.Type)
	}
}

// lessons quotes what was learned the hard way about what the session is probably for. said is what the
// answer says already, told the memories in it; used counts against the budget of [nudge.Lessons].
func (e earlierWork) lessons(ctx context.Context, intent string, about work.Summary, used string, told []string) string {
	if e.opt.Search == nil || e.degraded() || !hasSubject(intent) {
		return ""
	}
	q := Query{Text: intent, Limit: 4 * maxLessons, Timeout: e.opt.part(lessonsTimeout), Relevant: OfWork(about, e.opt.Methodology.Work(), Lesson(intent)), Skip: e.autoLoaded, Agent: e.ev.Agent, Session: e.ev.Session}
	hits, err := e.opt.Search(e.untilDeadline(ctx), e.dir(), q)
	if err != nil {
		if ctx.Err() == nil {
			e.note("the lessons could not be searched", err)
		}
		return ""
	}
	hits = slices.DeleteFunc(withMemory(hits), func(h memory.Hit) bool {
		return !e.level().quotable(h) || slices.Contains(told, h.Memory.UUID) || h.Use.Failed > h.Use.Worked
	})
	text, _ := e.quote("", hits, maxLessons, func(hits []memory.Hit) (text string, shown []string) {
		text, shown = nudge.Lessons(hits, e.opt.Now(), used)
		e.told.Lessons = shown
		return text, shown
	})
	return text
}

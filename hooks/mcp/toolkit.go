package mcp

import (
	"log/slog"
	"time"
)

// toolkit is what all tools need: the open workspaces, the session that asks, the clock and the log.
type toolkit struct {
	spaces   *spaces
	sessions *sessions
	now      func() time.Time
	log      *slog.Logger
}

// toolbox has the tools of a connection, one type for each matter. Some answer with the help of others.
type toolbox struct {
	memories *memoryTools
	code     *codeTools
	task     *taskTools
	writes   *writeTools
	session  *sessionTools
	threads  *threadTools
	work     *workTools
	builds   *buildTools
}

func newToolbox(t *toolkit) toolbox {
	b := toolbox{code: &codeTools{t}, task: &taskTools{t}, writes: &writeTools{t}, threads: &threadTools{t}, work: &workTools{t}, builds: &buildTools{t}}
	b.memories = &memoryTools{toolkit: t, code: b.code}
	b.session = &sessionTools{toolkit: t, threads: b.threads}
	return b
}

// Package hookexec replaces a process of `manicule hook` by manicule-hook before the Go
// runtime starts, if that program stands beside this one. Configurations that call
// `manicule hook`, such as those of agents' packages, so start as fast as those that call
// manicule-hook. It is linked by a blank import. It must not know what a hook answers.
//
// Nothing happens if manicule-hook is missing or older than this program, on Windows, and
// in a process with [Environ] set: then this program answers.
package hookexec

// Environ is the environment variable that keeps `manicule hook` from becoming
// manicule-hook. It is set for manicule-hook itself, which calls `manicule hook` for what
// it can't do.
const Environ = "MANICULE_HOOK_COMPLETE"

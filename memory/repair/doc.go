// Package repair finds memory files that can't be used, or that are used by luck: in the wrong
// folder, with the id of another one, from a clock that was ahead, or written by hand in a form that
// is nearly right. It mends them without losing a text, and takes it back. It must not know
// databases, and decides nothing that only a person can.
package repair

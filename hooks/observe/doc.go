// Package observe learns from what an agent does. A fold over the log of one session
// finds signals: a call that failed and the one that then worked, an edit undone, a
// search made again and again. Filters turn what several sessions agree on into
// candidates for a person to review. The package is pure: time, earlier sessions and
// verdicts come in as values. It must not know databases, files on disk or one
// agent's format.
//
// What an agent does carries the signals; what it says is weak evidence. Each
// signal keeps the numbers of the log's lines that it rests on. Text that
// Manicule itself has put before the agent is never learned from, and whatever
// follows content from the web or a foreign tool is marked as tainted.
package observe

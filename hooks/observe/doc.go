// Package observe learns from the actions of agents. A fold over the log of one
// session finds signals: a failed call and the one that worked afterwards, an undone
// edit, a repeated search. Filters turn signals on which several sessions agree into
// candidates for review. The package is pure: time, earlier sessions and verdicts are
// arguments. It must not know databases, files on disk or one agent's format.
//
// Actions are the evidence; statements are weak evidence. Each signal keeps the line
// numbers of the events that support it. The package never learns from text that
// Manicule itself showed to the agent, and marks as tainted whatever follows content
// from the web or from a foreign tool.
//
// From the bottom: wording, asking and cmdline read texts and command lines; fold keeps the record of a session;
// failures, detect (with signal), unfinished, outcome and settle are functions of the record; this package makes the
// report and the episode of them, and decides which signals become candidates.
package observe

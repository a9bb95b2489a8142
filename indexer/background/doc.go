// Package background owns how work that nobody waits for shares the processor with
// requests. It must not know what the work is.
package background

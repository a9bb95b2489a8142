// Package consolidate finds memories that say the same, and merges them on a person's
// request: it keeps the best one word for word and archives the others, which can be
// restored. It only reads until [Consolidator.Apply] is called. It must not know its
// callers, or how its findings are shown.
package consolidate

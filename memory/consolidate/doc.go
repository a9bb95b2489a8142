// Package consolidate finds memories that say the same, and merges them on a person's
// request: it keeps the best one, word for word unless the person takes a text that a
// model proposed, and archives the others, which can be restored. It only reads until [Consolidator.Apply] is called. It must not know its
// callers, or how its findings are shown.
package consolidate

// Package consolidate finds memories that say the same, and makes one of them
// when a person says so: the best is kept word for word, the others are archived
// and can be restored. It only reads until [Consolidator.Apply] is called. It
// must not know who asks, or how what it finds is shown.
package consolidate

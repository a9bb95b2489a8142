//go:build unix

package workspace

// modes tells whether the mode of a file says who may write to it.
const modes = true

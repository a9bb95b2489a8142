//go:build !unix

package gitinfo

// OfAnotherUser is not known here.
func OfAnotherUser(string, string) bool { return false }

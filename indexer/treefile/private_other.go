//go:build !unix

package treefile

// CheckPrivate is for systems where a file's mode and owner say who may write to it.
// Elsewhere the system protects user folders itself.
func CheckPrivate(string) error { return nil }

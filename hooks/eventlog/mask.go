package eventlog

import "manicule/memory/secret"

// Mask replaces secrets by their kind in brackets, see [secret.Mask].
func Mask(s string) string { return secret.Mask(s) }

// MaskCommand is Mask for text that is known to be a command line or a URL.
func MaskCommand(s string) string { return secret.MaskCommand(s) }

// maxToken is the maximum length of a secret that begins in the kept part of a text.
const maxToken = secret.MaxToken

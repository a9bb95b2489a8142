package eventlog

import "manicule/memory/secret"

// Mask replaces what is a secret by its kind in brackets, see [secret.Mask].
func Mask(s string) string { return secret.Mask(s) }

// MaskCommand is Mask for what is surely a command line, or a URL.
func MaskCommand(s string) string { return secret.MaskCommand(s) }

// maxToken is how long a secret may be that begins in what is kept of a text.
const maxToken = secret.MaxToken

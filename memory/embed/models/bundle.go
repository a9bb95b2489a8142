//go:build !bundle

package models

import "errors"

// Bundled is the source inside of this program; an ordinary build has none.
func Bundled() (Source, error) {
	return nil, errors.ErrUnsupported
}

//go:build !bundle

package models

import "errors"

// Bundled returns the models inside this program. An ordinary build has none.
func Bundled() (Source, error) {
	return nil, errors.ErrUnsupported
}

// Package atomicfile replaces whole files so that readers never see a partial one. It
// must not know what the files hold.
package atomicfile

// Package release owns the build information of our programs: the version and the
// versions of their parts. It must not know what any of them does.
package release

import (
	"runtime"
	"runtime/debug"

	"manicule/memory/file"
)

// Version is set by the linker in a release.
var Version = "0.1.0-dev"

// Info describes a program's build.
type Info struct {
	Version  string `json:"version"`
	Revision string `json:"revision,omitzero"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
	Format   int    `json:"memory_format"`
}

// Current describes this program's build.
func Current() Info {
	i := Info{Version: Version, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH, Format: file.Format}
	if build, ok := debug.ReadBuildInfo(); ok {
		for _, s := range build.Settings {
			if s.Key == "vcs.revision" {
				i.Revision = s.Value
			}
		}
	}
	return i
}

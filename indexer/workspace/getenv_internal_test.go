package workspace

import "testing"

// TestHome: the user's folder is known on Windows, where HOME mostly isn't set.
func TestHome(t *testing.T) {
	for _, tt := range []struct{ system, home, want string }{
		{"windows", "", `C:\Users\ada`}, {"windows", `D:\ada`, `D:\ada`}, {"linux", "", ""}, {"linux", "/home/ada", "/home/ada"},
	} {
		getenv := func(name string) string {
			return map[string]string{"HOME": tt.home, "USERPROFILE": `C:\Users\ada`}[name]
		}
		if got := variable(tt.system, getenv, "HOME"); got != tt.want {
			t.Errorf("%s, HOME=%s: %q, want %q", tt.system, tt.home, got, tt.want)
		}
	}
}

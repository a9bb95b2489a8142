package cmdline

import "testing"

func TestChecks(t *testing.T) {
	for key, want := range map[string]bool{
		"go test": true, "npm run test:unit": true, "pnpm run unit-test": true, "make test-all": true, "golangci-lint run": true, "GOLANGCI-LINT run": true, "pytest": true, "vitest": true, "phpunit": true, "rspec": true, "ctest": true,
		"make builder": true, "formatting": true, "rtk bun run lint:fix": true, "npm run a:check": true,
		"git format-patch": false, "git test": false, "testing": false, "tests": false, "latest": false, "attest": false, "linter": false, "cat": false, "": false, "a -t": false,
	} {
		if got := Checks(key); got != want {
			t.Errorf("%q: %t", key, got)
		}
	}
}

package cmdline

import "testing"

func TestChecks(t *testing.T) {
	for key, want := range map[string]bool{
		"go test": true, "npm run test:unit": true, "pnpm run unit-test": true, "make test-all": true, "golangci-lint run": true, "GOLANGCI-LINT run": true, "pytest": true, "vitest": true, "phpunit": true, "rspec": true, "ctest": true,
		"check-prerequisites.sh": false, "check-implementation-prerequisites.sh": false, "npm-check-updates": false, "npx npm-check-updates": false, "check-format.sh": true, "make check-all": true, "make builder": true, "formatting": true, "rtk bun run lint:fix": true, "npm run a:check": true,
		"git format-patch": false, "git test": false, "testing": false, "tests": false, "latest": false, "attest": false, "linter": false, "cat": false, "": false, "a -t": false,
	} {
		if got := Checks(key); got != want {
			t.Errorf("%q: %t", key, got)
		}
	}
}

// TestCheckNames: the same check has one name, however it is started.
func TestCheckNames(t *testing.T) {
	for key, want := range map[string]string{
		"bundle exec rake test": "rake test", "rake test": "rake test", "docker compose exec pytest": "pytest", "uv run pytest": "pytest", "bundle install": "bundle install",
		"docker build": "docker build", "hatch run lint": "lint",
	} {
		if got := CheckName(key); got != want {
			t.Errorf("%q: %q, want %q", key, got, want)
		}
	}
}

package cmdline

import (
	"slices"
	"strings"
	"testing"
)

func TestKeys(t *testing.T) {
	for _, tt := range []struct{ line, want string }{
		{"mise run lint 2>&1 | tail -5", "mise run lint"},
		{"cd /repo && git -C /repo add a.go && git commit -m 'x y'", "git add|git commit"},
		{"rtk bun run test", "rtk bun run test"},
		{"gh pr diff 104 --stat", "gh pr diff"},
		{"FOO=1 timeout 30 go test ./... -run X", "go test"},
		{"bash -c 'npm run build'", "npm run build"},
		{"ls -la | head", "ls"},
		{"python3 -m pytest x", "python3 -m pytest"},
		{"$(evil) x", ""},
		{"bundle exec rake test TEST=a.rb", "bundle exec rake test"},
		{"bundle exec rubocop -A", "bundle exec rubocop"},
		{"bundle exec bin/rspec spec/a_spec.rb", "bundle exec rspec"},
		{"bundle exec", "bundle exec"},
		{"bundle install", "bundle install"},
		{"php artisan migrate:fresh --seed", "php artisan migrate:fresh"},
		{"docker compose exec -T -e A=1 app bundle exec rspec", "docker compose exec bundle exec rspec"},
		{"docker compose up -d", "docker compose up"},
		{"docker exec -it db psql -c 'select 1'", "docker exec psql"},
		{"docker exec", "docker exec"},
		{"hatch run test", "hatch run test"},
		{"poetry run python -m pytest tests -q", "poetry run python -m pytest"},
		{"uv run python -m mypy src", "uv run python -m mypy"},
		{"uv run python scripts/a.py", "uv run python"},
		{"turbo run lint --filter web", "turbo run lint"},
		{"nx run app:test", "nx run app:test"},
	} {
		if got := strings.Join(Keys(tt.line), "|"); got != tt.want {
			t.Errorf("%q: %q, want %q", tt.line, got, tt.want)
		}
	}
}

func TestSSHIsOfAMachine(t *testing.T) {
	for command, want := range map[string]string{
		`ssh -i ~/.ssh/key -o StrictHostKeyChecking=no ada@Host.example "git pull"`: "ssh host.example",
		"ssh 10.0.0.7 uptime": "ssh 10.0.0.7",
		`ssh "$HOST" uptime`:  "ssh",
		"ssh -V":              "ssh",
	} {
		if got := Keys(command); !slices.Equal(got, []string{want}) {
			t.Errorf("%s: %v, want %s", command, got, want)
		}
	}
}

// TestKeyInContainer: options before the act and a shell within the container leave the command that runs there.
func TestKeyInContainer(t *testing.T) {
	for line, want := range map[string]string{
		"docker compose -f a.yml run web make test":            "docker compose run make test",
		"docker-compose -p x exec -T web npm run lint":         "docker-compose exec npm run lint",
		"docker compose --profile dev up -d":                   "docker compose up",
		"docker compose exec web sh -c 'cd x && make test'":    "docker compose exec make test",
		`docker exec -it web bash -lc "npm test"`:              "docker exec npm test",
		"docker exec -it web bash":                             "docker exec bash",
		"docker compose run --entrypoint sh web -c 'make it'":  "docker compose run",
		"docker compose run web":                               "docker compose run",
		"docker exec web env B=c make test":                    "docker exec make test",
		"docker exec web A=b make test":                        "docker exec make test",
		"docker run --rm -v .:/src -w /src golang:1 go test .": "docker run go test",
		"docker run --network host --name db -d postgres:17":   "docker run",
		"docker exec web git commit -m 'a b c'":                "docker exec git commit",
	} {
		if got := strings.Join(Keys(line), "|"); got != want {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
}

// TestChecksBehindOtherPrograms: what is started by a runner or in a container counts as what it is.
func TestChecksBehindOtherPrograms(t *testing.T) {
	for _, line := range []string{"poetry run python -m pytest", "docker run --rm img make test", "docker exec web env A=b make test"} {
		if k := Keys(line); len(k) != 1 || !Checks(k[0]) {
			t.Errorf("%s: %v is no check", line, k)
		}
	}
	if k := Keys("docker exec web git commit -m x"); !Commits(k[0]) {
		t.Errorf("%v does not commit", k)
	}
}

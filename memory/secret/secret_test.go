package secret

import (
	"runtime"
	"strings"
	"testing"
	"time"
)

// TestFind: what is a secret in the forms that files have, and what is masked of it.
func TestFind(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{`password = "Wint3r!Sun"`, `password = "[password]"`},
		{`PASSWORD: 'Wint3r!Sun' # here`, `PASSWORD: '[password]' # here`},
		{`DB_PASSWORD=Wint3r!Sun`, `DB_PASSWORD=[password]`},
		{`{"user":"a","password":"Wint3r!Sun"}`, `{"user":"a","password":"[password]"}`},
		{`"{\"password\": \"Wint3r!Sun\"}"`, `"{\"password\": \"[password]\"}"`},
		{`<db-password>Wint3r!Sun</db-password>`, `<db-password>[password]</db-password>`},
		{`<pre>{&#34;password&#34;: &#34;Wint3r!Sun&#34;}`, `<pre>{&#34;password&#34;: &#34;[password]&#34;}`},
		{`os.Setenv("DB_PASSWORD", "Wint3r!Sun")`, `os.Setenv("DB_PASSWORD", "[password]")`},
		{`getenv("JWT_SECRET", "EfqDQ4aasP77")`, `getenv("JWT_SECRET", "[secret]")`},
		{`client.setPassword("Wint3r!Sun")`, `client.setPassword("[password]")`},
		{`var password string = "Wint3r!Sun"`, `var password string = "[password]"`},
		{`const pw: string = 'Wint3r!Sun';`, `const pw: string = '[password]';`},
		{`if cfg['password'] == 'Wint3r!Sun':`, `if cfg['password'] == '[password]':`},
		{"- name: DB_PASSWORD\n  value: Wint3r!Sun", "- name: DB_PASSWORD\n  value: [password]"},
		{`{"name":"API_TOKEN","value":"zQ8vK3mN7pR2tX5wY9bC4dF6gH1jL0aS"}`, `{"name":"API_TOKEN","value":"[secret]"}`},
		{`CREATE USER a IDENTIFIED BY 'Wint3r!Sun'`, `CREATE USER a IDENTIFIED BY '[password]'`},
		{`secretKey = createKey(Buffer.from('9c653da5d6ff888d572c245f55955e46414b49db8bf61a99', 'hex'))`, `secretKey = createKey(Buffer.from('[secret]', 'hex'))`},
		{`{"kty":"oct","kid":"1","k":"LaaDgJBnC-mB9Qc9IhU_4C"}`, `{"kty":"oct","kid":"1","k":"[secret]"}`},
		{`postgres://app:Gn8wQ2zL@db/app`, `postgres://app:[password]@db/app`},
		{`Authorization: Basic YWRtaW46UzNjcjN0IQ==`, `Authorization: Basic [credentials]`},
		{`sk-aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5bC7dE9fG1hJ3 x`, `[api key] x`},
		{"-----BEGIN RSA PRIVATE " + "KEY-----\nMIIE\n-----END RSA PRIVATE " + "KEY-----.", "[private key]."},
		{`password = os.environ["DB_PASSWORD"]`, ``}, {`password := cfg.Password`, ``}, {`password: string`, ``}, {`func f(password string, token Token)`, ``},
		{`password: ${DB_PASSWORD}`, ``}, {`password: {{ .Values.password }}`, ``}, {`password = "<password>"`, ``}, {`password: "$2a$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy"`, ``},
		{`"ResetUserPassword": "ds:ResetUserPassword"`, ``}, {`token_type=bearer`, ``}, {`password_file=/run/secrets/db1`, ``}, {`publicKey = "9f8e7d6c5b4a39281706f5e4d3c2b1a0"`, ``},
		{`key_id: 5d765f32-bfdc-4610-b6ab-f82db5d0601b`, ``}, {`postgres://user:password@localhost/db`, ``}, {`AWS_ACCESS_KEY_ID=AKIAIOSFODNN7EXAMPLE`, ``}, {`commit 3f2a1c9d8e7b6a5f4c3d2e1f0a9b8c7d6e5f4a3b`, ``},
		// What stands around a name or a value says that it is none, and its neighbour that is one.
		{`input[type="password"]:focus,`, ``}, {`settings["password"]: "Kx9wTmuv2Lqa"`, `settings["password"]: "[password]"`},
		{`password=Nieuw wachtwoord`, ``}, {`reset_password = Could not reset it`, ``}, {`password=Kx9wTmuv2Lqa user=app`, `password=[password] user=app`},
		{`{ token: 'paren.lparen', next: "start" }`, ``}, {`{ token: 'k7Qz0pLw9vXy2RtB', next: "start" }`, `{ token: '[secret]', next: "start" }`},
		{`"request-token": "^0.1.0"`, ``}, {`f(TokenContext<ActionToken> tokenContext)`, ``}, {`<token>k7Qz0pLw9vXy2RtB</token>`, `<token>[secret]</token>`},
		{`splitOnTokens("Ad*er")`, ``}, {`typeof password == 'object'`, ``}, {`const authRoute: Route = {`, ``}, {`if x ? 'password' : 'Kx9wTmuv'`, ``},
		{"| `DB_PASSWORD=` | the password of MariaDB |", ``}, {"- DB_PASSWORD= #optional", ``}, {"DB_PASSWORD=\"Kx9wTmuv2Lqa\"", "DB_PASSWORD=\"[password]\""},
		{`"password" : usr, # the same`, ``}, {`record.Get("password:hash")`, ``}, {`'password' => 'required|min:8'`, ``}, {`['password' => 'min:8']`, ``}, {`Authorization: Digest username=admin`, ``},
		{`{user: bat, password: bat}`, ``}, {`{user: bat, password: "Kx9wTmuv2Lqa"}`, `{user: bat, password: "[password]"}`},
		{`next_token='nextToken2'`, ``}, {`FAKE_SECRET_ID = 'epdyrw4tsi03xy3deu8g8ly6o'`, ``}, {`"refresh_token": "eyJrefresh"`, ``}, {`pwd = "prefix/" + adminPassword`, ``},
		{`https://Aladdin:OpenSesame@www.example.com/x`, ``}, {`https://aladdin:OpenSesame@git.corp.net/x`, `https://aladdin:[password]@git.corp.net/x`},
		{`docker run --user 1000:1000 -v "$(pwd)":/work x`, ``}, {`--secret source=my-cookie,target=/var/x`, ``}, {`password: "#jbcrypt:$2a$10$LP4bMhwyCPnsDm.XRcTZSu"`, ``},
		{"It begins with -----BEGIN RSA PRIVATE KEY----- and so on.", ``}, {"-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----", ``}, {"-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC", `[private key]`},
		{"You can pass `:tabedit` or pass it to `fzf#run`.", ``}, {"Connect as backup, pass is t0p$helf.", "Connect as backup, pass is [password]."},
		{`--- PASS: TestLogin2 (0.01s)`, ``}, {`sha512-oRy5zvSXvWhhrW5rYz8kYtRVKpJKoj3vN3tP1zO0ql9y1n0NiU1lbHhRj0aUB3xMpOVWJTbFBa5s1zvGQ9sRkA==`, ``},
	} {
		want := tt.want
		if want == "" {
			want = tt.in
		}
		if got := Mask(tt.in); got != want {
			t.Errorf("Mask(%q)\n got %q\nwant %q", tt.in, got, want)
		}
	}
}

// FuzzFind: nothing panics, places are in order and within the text, what was
// masked is not masked again, and no secret that was found is left in its place.
func FuzzFind(f *testing.F) {
	with, without := sentences(f)
	for _, s := range append(with, without...) {
		f.Add(s)
	}
	f.Add("password=\"a\\\"b\" `x` {\"kty\":\"oct\",\"k\":\"x\"} &quot;token&quot;: &#34;x&#34; <b password>x</b>\n-----BEGIN PRIVATE KEY-----")
	f.Add("=~x") // a sign that nothing stands before
	f.Fuzz(func(t *testing.T, s string) {
		for _, strict := range []bool{false, true} {
			done := 0
			for _, x := range find(s, strict) {
				if x.Start < done || x.End <= x.Start || x.End > len(s) || x.Kind == "" {
					t.Fatalf("%q: %+v", s, x)
				}
				done = x.End
			}
			once := masked(s, strict)
			if again := masked(once, strict); again != once {
				t.Errorf("%q becomes %q, and then %q", s, once, again)
			}
			if left := find(once, strict); len(left) > 0 {
				t.Errorf("%q holds %+v", once, left)
			}
		}
	})
}

// TestLinear: a text that is made to cost time costs no more than some thirty times a plain one.
func TestLinear(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	cost := func(s string) time.Duration {
		best := time.Hour
		for range 5 {
			start := threadTime(t)
			Find(s)
			MaskCommand(s)
			best = min(best, threadTime(t)-start)
		}
		return best
	}
	const size = 64 << 10
	words := strings.Repeat("go test ./... of 12 packages, the (first) call: f(x) = \"y\" ", size/59)
	plain := cost(words)
	for _, unit := range []string{"password ", "password is ", "password=", "password: \"", "token ", "key(", "login with ", "as password ", "user admin / ", "k:\"kty", "password(f(", "pass,", "\"pass\",", "&quot;", "<password>", "value: ", "<span password", "a.b.c=", "secret_", "= = ", "`", "\u201c", "creds: a/", "d: kty ",
		"-eyJ", ".eyJ", "eyJ.", "eyJa.b-", "-sk-", "AKIA", "bearer ", "://", "-----BEGIN ", "x=-p ", "ghp_", " ", "\n", "- ", "( ", "* "} {
		s := strings.Repeat(unit, size/len(unit))
		took := cost(s)
		for tries := 0; tries < 10 && took > 30*plain+time.Millisecond; tries++ { // a busy machine hit one of the two
			plain, took = min(plain, cost(words)), min(took, cost(s))
		}
		if took > 30*plain+time.Millisecond {
			t.Errorf("%q again and again takes %v, plain text %v", unit, took, plain)
		}
	}
}

func BenchmarkFind(b *testing.B) {
	s := strings.Repeat("The token refresh fails when Redis is down: see src/auth/token.go:41, `password = os.environ[\"DB_PASSWORD\"]` and retry(3).\n", 40)[:4096]
	b.SetBytes(int64(len(s)))
	for b.Loop() {
		Find(s)
	}
}

package secret

import (
	"strings"
	"testing"
)

// TestMaskCommand has command lines as agents write them. Each secret is plain
// enough that no other rule knows it.
func TestMaskCommand(t *testing.T) {
	for _, tc := range []struct{ in, want string }{
		// curl and its like.
		{`curl -u admin:hunter https://h/api`, `curl -u admin:[password] https://h/api`},
		{`curl -sSu admin:hunter -X POST https://h`, `curl -sSu admin:[password] -X POST https://h`},
		{`curl -uadmin:hunter https://h`, `curl -uadmin:[password] https://h`},
		{`curl --user "admin:hunter two" https://h`, `curl --user "admin:[password]" https://h`},
		{`curl --user=admin:hunter https://h`, `curl --user=admin:[password] https://h`},
		{`curl -d 'a;b|c' -u admin:hunter https://h`, `curl -d 'a;b|c' -u admin:[password] https://h`},
		{"curl https://h \\\n  -u admin:hunter \\\n  -o x", "curl https://h \\\n  -u admin:[password] \\\n  -o x"},
		{`curl -x http://p:8080 -U bob:hunter https://h`, `curl -x http://p:8080 -U bob:[password] https://h`},
		{`curl --proxy-user bob:hunter https://h`, `curl --proxy-user bob:[password] https://h`},
		{`curl -H "Authorization: Bearer shortone" https://h`, `curl -H "Authorization: Bearer [credentials]" https://h`},
		{`curl -H 'authorization: token shortone' https://h`, `curl -H 'authorization: token [credentials]' https://h`},
		{`curl -H "Authorization: Basic YTpi" https://h`, `curl -H "Authorization: Basic [credentials]" https://h`},
		{`curl -H "Authorization: rawvalue" https://h`, `curl -H "Authorization: [credentials]" https://h`},
		{`curl -H "X-Api-Key: abc" https://h`, `curl -H "X-Api-Key: [secret]" https://h`},
		{`curl -H "PRIVATE-TOKEN: abcdef" https://h`, `curl -H "PRIVATE-TOKEN: [secret]" https://h`},
		{`curl -H 'Cookie: session=abcdefgh; id=3' https://h`, `curl -H 'Cookie: [cookie]' https://h`},
		{`curl -b session=abcdefgh https://h`, `curl -b session=[password] https://h`},
		{`curl --oauth2-bearer abcdef https://h`, `curl --oauth2-bearer [secret] https://h`},
		{`curl -d 'user=bob&password=hunter&x=1' https://h`, `curl -d 'user=bob&password=[password]&x=1' https://h`},
		{`curl -d '{"user":"bob","password":"hunter"}' https://h`, `curl -d '{"user":"bob","password":"[password]"}' https://h`},
		{`curl "https://h/a?api_key=abcdef&x=1"`, `curl "https://h/a?api_key=[secret]&x=1"`},
		{`http -a bob:hunter https://h`, `http -a bob:[password] https://h`},
		{`wget --user=bob --password=hunter https://h`, `wget --user=bob --password=[password] https://h`},
		{`git clone https://bob:hunter@github.com/a/b`, `git clone https://bob:[password]@github.com/a/b`},
		{`git clone https://a1B2c3D4e5F6g7H8i9J0@github.com/a/b`, `git clone https://[credentials]@github.com/a/b`},
		{`git -c http.extraheader="AUTHORIZATION: basic YTpi" fetch`, `git -c http.extraheader="AUTHORIZATION: basic [credentials]" fetch`},
		// Databases.
		{`mysql -u root -phunter shop`, `mysql -u root -p[password] shop`},
		{`mysql -uroot -p'hunter two' shop`, `mysql -uroot -p'[password]' shop`},
		{`docker exec db mysqldump -u root -phunter shop > x.sql`, `docker exec db mysqldump -u root -p[password] shop > x.sql`},
		{`bash -c "mysql -phunter -e 'select 1'"`, `bash -c "mysql -p[password] -e 'select 1'"`},
		{`PGPASSWORD=hunter psql -h db`, `PGPASSWORD=[password] psql -h db`},
		{`export PGPASSWORD='hunter two' && psql`, `export PGPASSWORD='[password]' && psql`},
		{`MYSQL_PWD=hunter mysql`, `MYSQL_PWD=[password] mysql`},
		{`psql "host=db user=bob password=hunter dbname=x"`, `psql "host=db user=bob password=[password] dbname=x"`},
		{`psql postgres://bob:hunter@db/x`, `psql postgres://bob:[password]@db/x`},
		{`mongosh -u bob -p hunter`, `mongosh -u bob -p [password]`},
		{`redis-cli -a hunter ping`, `redis-cli -a [password] ping`},
		{`sqlcmd -S db -U sa -P hunter`, `sqlcmd -S db -U sa -P [password]`},
		{`sqlplus bob/hunter@db`, `sqlplus bob/[password]@db`},
		// Logins and secret stores.
		{`sshpass -p hunter ssh h`, `sshpass -p [password] ssh h`},
		{`sshpass -phunter ssh h`, `sshpass -p[password] ssh h`},
		{`docker login -u bob -p hunter registry`, `docker login -u bob -p [password] registry`},
		{`echo hunter | docker login -u bob --password-stdin`, `echo [secret] | docker login -u bob --password-stdin`},
		{`echo "hunter" | sudo -S apt install x`, `echo "[secret]" | sudo -S apt install x`},
		{`az login --service-principal -u id -p hunter`, `az login --service-principal -u id -p [password]`},
		{`helm registry login -u bob -p hunter h`, `helm registry login -u bob -p [password] h`},
		{`oc login --token=abcdef`, `oc login --token=[secret]`},
		{`vault login abcdef`, `vault login [secret]`},
		{`kubectl create secret generic x --from-literal=user=bob`, `kubectl create secret generic x --from-literal=user=[secret]`},
		{`gh secret set NAME --body hunter`, `gh secret set NAME --body [secret]`},
		{`gh secret set NAME -b hunter`, `gh secret set NAME -b [secret]`},
		{`fly secrets set DSN=hunter`, `fly secrets set DSN=[secret]`},
		{`npm config set //registry.npmjs.org/:_authToken abcdef`, `npm config set //registry.npmjs.org/:_authToken [secret]`},
		{`aws configure set aws_secret_access_key abcdef`, `aws configure set aws_secret_access_key [secret]`},
		{`htpasswd -nb bob hunter`, `htpasswd -nb bob [password]`},
		{`openssl rsa -in k.pem -passin pass:hunter`, `openssl rsa -in k.pem -passin pass:[password]`},
		{`zip -P hunter x.zip a`, `zip -P [password] x.zip a`},
		{`7z x -phunter x.7z`, `7z x -p[password] x.7z`},
		{`ldapsearch -D cn=x -w hunter`, `ldapsearch -D cn=x -w [password]`},
		{`smbclient //h/x -U bob%hunter`, `smbclient //h/x -U bob%[password]`},
		{`keytool -storepass hunter; tool --storepass hunter`, `keytool -storepass hunter; tool --storepass [secret]`},
		// Options and assignments of any program.
		{`deploy --token abcdef --env prod`, `deploy --token [secret] --env prod`},
		{`deploy --api-key=abcdef`, `deploy --api-key=[secret]`},
		{`deploy --password "hunter two" x`, `deploy --password "[password]" x`},
		{`deploy --password '$hunter' x`, `deploy --password '[password]' x`},
		{`deploy --client-secret abcdef x`, `deploy --client-secret [secret] x`},
		{`gpg --passphrase hunter -d x`, `gpg --passphrase [password] -d x`},
		{`GITHUB_TOKEN=abcdef make release`, `GITHUB_TOKEN=[secret] make release`},
		{`docker run -e DB_PASS=hunter x`, `docker run -e DB_PASS=[password] x`},
		{`docker run -e POSTGRES_PASSWORD=hunter postgres`, `docker run -e POSTGRES_PASSWORD=[password] postgres`},
		{`ansible -e "ansible_password=hunter"`, `ansible -e "ansible_password=[password]"`},
		{`vault kv put secret/x value=hunter`, `vault kv put secret/x value=[secret]`},
		{`vault write -f auth/x pin=hunter ttl=@t`, `vault write -f auth/x pin=[secret] ttl=@t`},
		{`twine upload -u bob -p hunter dist/x`, `twine upload -u bob -p [password] dist/x`},
		{`echo "machine h login bob password hunter" >> ~/.netrc`, `echo "machine h login bob password [password]" >> ~/.netrc`},
		{"cat > ~/.netrc <<E\nmachine h\n  login bob\n  password hunter\nE", "cat > ~/.netrc <<E\nmachine h\n  login bob\n  password [password]\nE"},
		{`printf 'machine a login b password hunter' > n`, `printf 'machine a login b password [password]' > n`},
		// What stands elsewhere than in an option of a known program.
		{`gh auth login --with-token <<< abcdef`, `gh auth login --with-token <<< [secret]`},
		{`sudo -S ls <<< 'hunter two'`, `sudo -S ls <<< '[secret]'`},
		{`chpasswd <<< "bob:hunter"`, `chpasswd <<< "[secret]"`},
		{`read -r TOKEN <<< abcdef`, `read -r TOKEN <<< [secret]`},
		{`htpasswd -bc users bob hunter`, `htpasswd -bc users [password] [password]`},
		{`ssh-keygen -p -P hunter -N hunter2 -f k`, `ssh-keygen -p -P [password] -N [password] -f k`},
		{`useradd -m -p hunter bob && usermod -p hunter bob`, `useradd -m -p [password] bob && usermod -p [password] bob`},
		{`openssl passwd -6 -salt x hunter`, `openssl passwd -6 -salt x [password]`},
		{`mosquitto_pub -u bob -P hunter -t x -m y`, `mosquitto_pub -u bob -P [password] -t x -m y`},
		{`dotnet nuget push x.nupkg -k abcdef -s y`, `dotnet nuget push x.nupkg -k [secret] -s y`},
		{`security add-generic-password -a bob -s x -w hunter`, `security add-generic-password -a bob -s x -w [password]`},
		{`rabbitmqctl add_user bob hunter`, `rabbitmqctl add_user bob [password]`},
		{`wpa_passphrase "my net" hunter`, `wpa_passphrase "my net" [password]`},
		{`lftp -u bob,hunter h`, `lftp -u bob,[password] h`},
		{`lftp -e 'open -u bob,hunter h'`, `lftp -e 'open -u bob,[password] h'`},
		{`poetry config pypi-token.pypi abcdef`, `poetry config pypi-token.pypi [secret]`},
		{`cmdkey /add:srv /user:bob /pass:hunter`, `cmdkey /add:srv /user:bob /pass:[password]`},
		{`net use \\srv\x /user:bob hunter`, `net use \\srv\x /user:bob [password]`},
		{`skopeo copy --dest-creds bob:hunter a b`, `skopeo copy --dest-creds bob:[password] a b`},
		{`imapsync --password1 hunter --password2 x`, `imapsync --password1 [password] --password2 [password]`},
		{`echo "db:5432:shop:bob:hunter" >> ~/.pgpass`, `echo "db:5432:shop:bob:[password]" >> ~/.pgpass`},
		{`expect -c 'expect password:; send "hunter\r"'`, `expect -c 'expect password:; send "[password]\r"'`},
		{`export TOKEN="$(echo abcdef)"`, `export TOKEN="$(echo [secret])"`},
		{`DB_PASSWORD=$(printf '%s' hunter) make`, `DB_PASSWORD=$(printf '%s' [password]) make`},
		{`rsync --password-file=<(echo hunter) a b`, `rsync --password-file=<(echo [password]) a b`},
		{`TOKEN=${TOKEN:-abcdef} make`, `TOKEN=${TOKEN:-[secret]} make`},
		{`curl -d '{\u0022password\u0022:\u0022hunter\u0022}' https://h`, `curl -d '{\u0022password\u0022:\u0022[password]\u0022}' https://h`},
		{`gem push x.gem --key ab3f9c2e71 --host https://g`, `gem push x.gem --key [secret] --host https://g`},
		{`gem.cmd push \
  -k rubygems_4e1`, `gem.cmd push \
  -k [secret]`},
		{`restic -r /b -p <(echo hunter) backup a`, `restic -r /b -p <(echo [password]) backup a`},
		{`echo hunter | runas /user:bob cmd`, `echo [secret] | runas /user:bob cmd`},
		{`runas /user:bob /password:hunter cmd`, `runas /user:bob /password:[password] cmd`},
		{`sed -i s/changeme/hunter/ .env`, `sed -i s/changeme/[secret]/ .env`},
		{`sed -i -e 's|<your-token>|hunter two|g' a.yml`, `sed -i -e 's|<your-token>|[secret]|g' a.yml`},
		{`base64 <<< hunter2`, `base64 <<< [secret]`},
		{`base64 -w0 <<< "bob:hunter2"`, `base64 -w0 <<< "[secret]"`},
		// What is no secret.
		{`base64 <<< "hello, world"`, ``}, {`base64 <<< "$PW"`, ``}, {`gem push x.gem -k company`, ``}, {`./gemm_bench -k 4096 -m 8`, ``}, {`gem install rails -v 7.1`, ``}, {`restic -p pw.txt snapshots`, ``},
		{`sed s/changeme/$PW/ a`, ``}, {`sed -i 's/placeholder/name/' a.go`, ``}, {`runas /user:bob cmd`, ``}, {`sed 's/key/changeme/' a`, ``}, {`parsed s/changeme/x/`, ``},
		{`cat <<< "hello"`, ``}, {`read -r NAME <<< "bob"`, ``}, {`sudo -S ls <<< "$PW"`, ``}, {`net user bob /add`, ``}, {`useradd -m bob`, ``},
		{`ssh-keygen -t ed25519 -N "" -f k`, ``}, {`openssl passwd -6 -stdin`, ``}, {`export TOKEN=$(cat /run/t)`, ``}, {`V=$(echo a | tr a b) x`, ``},
		{`echo ${VERSION:-1.2} ${TOKEN:-} ${TOKEN:-$OTHER}`, ``}, {`bw login bob@example.org`, ``}, {`dotnet build -k`, ``}, {`mosquitto_sub -p 1883 -t x`, ``},
		{`curl -u admin https://h`, ``}, {`curl -u $USER:$PASS https://h`, ``}, {`curl -u "$CREDS" https://h`, ``}, {`curl -o out.json https://h:8080/a`, ``},
		{`curl -H "Authorization: Bearer $TOKEN" https://h`, ``}, {`curl -H "Authorization: Bearer ${{ secrets.X }}" https://h`, ``}, {`curl -b cookies.txt https://h`, ``},
		{`curl -H "Content-Type: application/json" https://h`, ``}, {`curl https://h/a?page=2`, ``}, {`curl -d "a: b" https://h/x`, ``},
		{`mysql -u root -p shop`, ``}, {`mysql -P 3306 -h db`, ``}, {`docker run -p 8080:80 nginx`, ``}, {`docker run --name mysql -p 3306:3306 mysql:8`, ``},
		{`docker build --secret id=npm,src=.npmrc .`, ``}, {`docker login --password-stdin < f`, ``}, {`mkdir -p a/b`, ``}, {`cp -p a b`, ``}, {`ssh -p 2222 h`, ``},
		{`sort -u names.txt`, ``}, {`tar -u x:y`, ``}, {`git push -u origin main`, ``}, {`go test -p 1 ./...`, ``}, {`python -u x.py`, ``}, {`pytest -p no:cacheprovider`, ``},
		{`kubectl get secret x -o yaml`, ``}, {`kubectl create secret generic x --from-file=a.txt`, ``}, {`gh pr create --body "Fix the token"`, ``}, {`gh auth token`, ``},
		{`tool --token-file ./t --password-file=/run/p`, ``}, {`tool --token @t.txt`, ``}, {`tool --token /run/secrets/t`, ``}, {`tool --no-password x`, ``},
		{`tool --max-tokens 4096 --token-limit 3`, ``}, {`tool --token 4096`, ``}, {`tool --secret-name db`, ``}, {`tool --password $PW`, ``}, {`tool --password --verbose`, ``},
		{`PWD=/home/u1/x OLDPWD=/tmp/y2 make`, ``}, {`TOKENIZERS_PARALLELISM=false MAX_TOKENS=4096 x`, ``}, {`PASSWORD_MIN_LENGTH=8 x`, ``}, {`GITHUB_TOKEN=$(gh auth token) x`, ``},
		{`PGPASSWORD=$PW psql`, ``}, {`TOKEN= x`, ``}, {`grep -rn "password =" src`, ``}, {`grep -n "token:" a.go`, ``}, {`rg 'secret\s*=' .`, ``}, {`sed -n 's/token=//p' f`, ``},
		{`go test -run TestToken ./auth`, ``}, {`git commit -m "token: refresh it early"`, ``}, {`git log --author=bob:x`, ``}, {`vim auth/password.go`, ``},
		{`if token == "" { password := read(); }`, ``}, {`git clone git@github.com:a/b.git`, ``}, {`git clone https://github.com/a/b`, ``}, {`scp a user@host:/b`, ``},
		{`echo done | tee log`, ``}, {`echo "$PW" | docker login --password-stdin`, ``}, {`npm config set registry https://r/`, ``}, {`aws configure set region eu-west-1`, ``},
		{`vault kv get secret/x`, ``}, {`vault kv put secret/x @data.json`, ``}, {`vault write x key=@k.pem`, ``}, {`echo "the machine asks for a login and its password twice"`, ``}, {`echo "machine login password page"`, ``}, {`twine upload dist/x`, ``}, {`npm run test -- --auth none`, ``}, {`unzip -p x.zip a`, ``},
	} {
		want := tc.want
		if want == "" {
			want = tc.in
		}
		got := MaskCommand(tc.in)
		if got != want {
			t.Errorf("MaskCommand(%q)\n got %q\nwant %q", tc.in, got, want)
		}
		if again := MaskCommand(got); again != got {
			t.Errorf("masked twice, %q becomes %q", got, again)
		}
	}
}

// TestMaskText: in a prompt or an output the options of known programs count,
// and prose about passwords stays.
func TestMaskText(t *testing.T) {
	for _, tc := range []struct{ in, want string }{
		{"please run `curl -u admin:hunter https://h` again", "please run `curl -u admin:[password] https://h` again"},
		{"it doesn't work with mysql -phunter2 shop", "it doesn't work with mysql -p[password] shop"},
		{"error: PGPASSWORD=hunter2 psql failed", "error: PGPASSWORD=[password] psql failed"},
		{"deploy with --token a1b2c3 now", "deploy with --token [secret] now"},
		{"it sent Authorization: token a1b2c3d4", "it sent Authorization: token [credentials]"},
		{"use the --token flag, --password is required", ""},
		{"Authorization: required for this endpoint", ""},
		{"the password: keep it safe, and the token = what login returns", ""},
		{"func Login(user, password string) (token string, err error)", ""},
		{"--auth basic and --user bob", ""},
		{"don't use curl here; it's slow", ""},
	} {
		want := tc.want
		if want == "" {
			want = tc.in
		}
		if got := Mask(tc.in); got != want {
			t.Errorf("Mask(%q)\n got %q\nwant %q", tc.in, got, want)
		}
	}
}

func FuzzMaskCommand(f *testing.F) {
	f.Add(`curl -u a:b -H "Authorization: Bearer x" | mysql -px --password= 'y' htpasswd -b a b`)
	f.Add("password=\"abc123def\" AKIA -----BEGIN PRIVATE KEY----- ://a:bcd@ bearer ")
	f.Fuzz(func(t *testing.T, s string) {
		for _, got := range []string{Mask(s), MaskCommand(s)} {
			if len(got) > len(s)+20*strings.Count(got, "[") {
				t.Errorf("%q becomes %q", s, got)
			}
		}
	})
}

func BenchmarkMaskCommand(b *testing.B) {
	s := strings.Repeat(`cd web && API_KEY=$K curl -sS -u "$U:$P" https://h/a?b=c | jq .x; docker run -p 80:80 -e A=b mysql -uroot; `, 10)[:1000]
	b.SetBytes(int64(len(s)))
	for b.Loop() {
		MaskCommand(s)
	}
}

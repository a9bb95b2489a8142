package secret

import "testing"

// TestUnlike: what has the structure of another thing is no secret, what is near to it
// is one.
func TestUnlike(t *testing.T) {
	for _, s := range []string{
		`const hs = await jose.generateSecret('HS256')`,
		`const cbc = await jose.generateSecret('A128CBC-HS256')`,
		`val PSK = init("TLS_DHE_PSK_WITH_AES_256_CBC_SHA")`,
		`minipass-pipeline: "npm:^1.2.4"`,
		`initial-cluster-token: etcd-cluster-1`,
		`gtm_session = SQLiteSession("gtm-q2-pipeline-review")`,
		`const signature = request.headers.get("X-Hub-Signature-256");`,
		`work_dir.write_file("secret", "bar\n");`,
		`connect(user=neo4j_user, password=neo4j_password, database="x")`,
		`$root_password = 'UNSET',`,
		`"password": "Wachtwoord",`,
		`danishMessage Password = "Kodeord"`,
		`"authentication" => "Uwierzytelnianie",`,
		`json_encode(array("token" => "Valid"))`,
		`"output_cost_per_token": 1e-05`,
		`SIOCGLIFTOKEN = -0x3f879678`,
		`SET PASSWORD FOR 'joe'@'localhost' = '*6C8989366EAF75BB670AD8EA7A7FC1176A95CEF5'`,
		`// add the row identified by "data-id".`,
		`normalized.match(/-----BEGIN PRIVATE KEY-----([\s\S]*?)-----END PRIVATE KEY-----/)`,
		`.replace(/(authorization:\s*bearer\s+)[a-z0-9._-]+/gi, '')`,
		`// First pass: parse + detect`,
		`"Bearer error=insufficient_scope"`,
	} {
		if got := Mask(s); got != s {
			t.Errorf("false alarm: %s\n%s", s, got)
		}
	}
	for _, s := range []string{
		`const hs = await jose.generateSecret('hS8q2VxL0pZ4mN7k')`,
		`initial-cluster-token: 8fQ2vX9kLmZ71pTq4`,
		`connect(user=neo4j_user, password="neo4j_Pa55word", database="x")`,
		`"password": "Wachtw00rd!",`,
		`CREATE USER joe IDENTIFIED BY "data-1d-99";`,
		`Authorization: Bearer 8f2c1a77de04e11b2f9c2ab7==`,
	} {
		if Mask(s) == s {
			t.Errorf("missed: %s", s)
		}
	}
}

package wire

import (
	"bufio"
	"strings"
	"testing"
)

func TestReceive(t *testing.T) {
	body := `{"jsonrpc":"2.0","id":7,"result":{"a":"é"}}`
	r := bufio.NewReader(strings.NewReader(
		"Content-Length: 44\r\nContent-Type: application/vscode-jsonrpc; charset=utf-8\r\n\r\n" + body + "Content-Length: x\r\n\r\n"))
	if len(body) != 44 {
		t.Fatalf("the body has %d bytes", len(body))
	}
	m, err := receive(r)
	if err != nil || string(m.ID) != "7" || string(m.Result) != `{"a":"é"}` {
		t.Fatalf("receive = %+v, %v", m, err)
	}
	if _, err := receive(r); err == nil {
		t.Fatal("a length that is no number was taken")
	}
}

func TestURI(t *testing.T) {
	for path, want := range map[string]string{
		"/home/a b/ü.go": "file:///home/a%20b/%C3%BC.go",
		"C:/x/y.go":      "file:///C:/x/y.go",
	} {
		if got := URI(path); got != want {
			t.Errorf("URI(%q) = %q, want %q", path, got, want)
		}
	}
}

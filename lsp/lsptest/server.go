package lsptest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"

	"manicule/lsp/rpc"
)

// FakeServer is a language server that its client controls, for tests of what is
// between the two. It answers every request at once, with null or what fake/answer set,
// until exit or the end of its input, and returns its exit code. Its own requests and
// notifications are:
//
//	fake/answer {"method", "result"}  what a method is answered from now on,
//	            "-" for not at all
//	fake/say    the params are sent as they are, as a message
//	fake/got    answered with all messages so far that are no request for fake/*
//	fake/spawn  {"hold"}: starts a process that lives on, with a file open for
//	            writing whose end tells a reader that the process is gone
//	fake/die    {"code"}: ends at once
//	fake/quiet  answers nothing from now on
func FakeServer(in io.Reader, out io.Writer) int {
	s := &fakeServer{in: rpc.NewReader(in), out: out, answers: map[string]string{
		"initialize": `{"capabilities":{},"serverInfo":{"name":"fake"}}`,
	}}
	if set := os.Getenv(EnvInitialize); set != "" {
		s.answers["initialize"] = set
	}
	for {
		body, err := s.in.Next()
		if err != nil {
			return 0
		}
		if code, over := s.handle(body); over {
			return code
		}
	}
}

// EnvInitialize names the environment variable with the result of initialize.
// "-" is none at all.
const EnvInitialize = "MANICULE_TEST_FAKE_INITIALIZE"

type fakeServer struct {
	in       *rpc.Reader
	out      io.Writer
	answers  map[string]string
	got      []string
	shutdown bool
	quiet    bool
}

func (s *fakeServer) say(body string) {
	_, _ = fmt.Fprintf(s.out, "Content-Length: %d\r\n\r\n%s", len(body), body) // the next read reports a client that has gone
}

func (s *fakeServer) answer(f Frame, result string) {
	if f.ID != "" && result != "-" && result != `"-"` && !s.quiet {
		s.say(`{"jsonrpc":"2.0","id":` + f.ID + `,"result":` + result + `}`)
	}
}

func (s *fakeServer) handle(body []byte) (code int, over bool) {
	f := ReadFrame(body)
	switch f.Method {
	case "fake/say":
		s.say(f.Params)
		return 0, false
	case "fake/answer":
		var p struct {
			Method string          `json:"method"`
			Result json.RawMessage `json:"result"`
		}
		if err := json.Unmarshal([]byte(f.Params), &p); err == nil {
			s.answers[p.Method] = string(p.Result)
		}
		return 0, false
	case "fake/got":
		b, err := json.Marshal(s.got)
		if err != nil {
			return 9, true
		}
		s.answer(f, string(b))
		return 0, false
	case "fake/spawn":
		if err := spawn(f.Params); err != nil {
			return 9, true
		}
		s.answer(f, "null")
		return 0, false
	case "fake/die":
		var p struct{ Code int }
		_ = json.Unmarshal([]byte(f.Params), &p)
		return p.Code, true
	case "fake/quiet":
		s.quiet = true
		return 0, false
	case "shutdown":
		s.shutdown = true
	case "exit":
		if !s.shutdown {
			return 1, true
		}
		return 0, true
	}
	s.got = append(s.got, string(body))
	result, ok := s.answers[f.Method]
	if !ok {
		result = "null"
	}
	if f.Method != "" {
		s.answer(f, result)
	}
	return 0, false
}

// spawn starts a process that shares our output.
func spawn(params string) error {
	var p struct{ Hold string }
	if err := json.Unmarshal([]byte(params), &p); err != nil {
		return err
	}
	hold, err := os.OpenFile(p.Hold, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	cmd := exec.Command("sleep", "600")
	cmd.Stdout, cmd.ExtraFiles = os.Stdout, []*os.File{hold}
	return errors.Join(cmd.Start(), hold.Close())
}

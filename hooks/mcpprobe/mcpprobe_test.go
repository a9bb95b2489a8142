package mcpprobe

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// TestMain is also the server of the tests: its first argument says how it behaves.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "serve" {
		serve(os.Args[2])
		return
	}
	os.Exit(m.Run())
}

func serve(kind string) {
	switch kind {
	case "dies":
		fmt.Fprintln(os.Stderr, "manicule: there is no workspace")
		os.Exit(1)
	case "silent":
		_, _ = io.Copy(io.Discard, os.Stdin)
		return
	case "parent": // what it starts holds its output open
		c := exec.Command(os.Args[0], "serve", "silent")
		c.Stdin, c.Stdout = os.Stdin, os.Stdout
		if c.Start() != nil {
			os.Exit(1)
		}
		os.Exit(0)
	case "chatty":
		fmt.Println("Welcome!")
	}
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		var m struct {
			ID     jsontext.Value `json:"id"`
			Method string         `json:"method"`
			Params struct {
				Cursor string `json:"cursor"`
			} `json:"params"`
		}
		if json.Unmarshal(in.Bytes(), &m) != nil {
			continue
		}
		switch m.Method {
		case "initialize":
			fmt.Println(`{"jsonrpc":"2.0","method":"notifications/message","params":{}}`)
			fmt.Println(`{"jsonrpc":"2.0","id":"s1","method":"roots/list"}`)
			fmt.Printf("{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{},\"serverInfo\":{\"name\":\"x\",\"version\":\"7\"}}}\n", m.ID)
		case "tools/list":
			switch {
			case kind == "refuses":
				fmt.Printf("{\"jsonrpc\":\"2.0\",\"id\":%s,\"error\":{\"code\":-32603,\"message\":\"no\"}}\n", m.ID)
			case kind == "endless":
				fmt.Printf("{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{\"tools\":[],\"nextCursor\":\"x\"}}\n", m.ID)
			case m.Params.Cursor == "":
				fmt.Printf("{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{\"tools\":[{\"name\":\"recall\"}],\"nextCursor\":\"2\"}}\n", m.ID)
			default:
				fmt.Printf("{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{\"tools\":[{\"name\":\"search\"}]}}\n", m.ID)
			}
		}
	}
	if kind == "stays" {
		time.Sleep(time.Hour) // ended by what is tested
	}
}

func TestAsk(t *testing.T) {
	for kind, want := range map[string]string{
		"good":    "",
		"dies":    "it says: manicule: there is no workspace",
		"chatty":  `it printed an invalid message: "Welcome!"`,
		"refuses": "tools/list was refused: no (-32603)",
		"endless": "tools/list does not come to an end",
		"parent":  "no answer in time to initialize",
		"silent":  "no answer in time to initialize",
		"stays":   ErrStays.Error(),
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			limit := 30 * time.Second
			if kind == "silent" || kind == "parent" {
				limit = 300 * time.Millisecond
			}
			ctx, cancel := context.WithTimeout(t.Context(), limit)
			defer cancel()
			got, err := Ask(ctx, t.TempDir(), []string{os.Args[0], "serve", kind}, time.Now)
			if want == "" || kind == "stays" {
				if got.Name != "x" || got.Version != "7" || got.Protocol != "2025-06-18" || !slices.Equal(got.Tools, []string{"recall", "search"}) || got.Took <= 0 {
					t.Errorf("%+v", got)
				}
			}
			if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
				t.Errorf("%v, want %q", err, want)
			}
			if kind == "stays" && !errors.Is(err, ErrStays) {
				t.Error(err)
			}
		})
	}
	if _, err := Ask(t.Context(), t.TempDir(), []string{"/nowhere/manicule", "mcp"}, time.Now); err == nil || !strings.Contains(err.Error(), "start the server") {
		t.Error(err)
	}
	if _, err := Ask(t.Context(), t.TempDir(), nil, time.Now); err == nil {
		t.Error("nothing was started")
	}
}

package event

import "testing"

// TestLook: what is wrong with a page of the project is classified, in the words of the servers of browsers.
func TestLook(t *testing.T) {
	const at = "### Page\n- Page URL: http://localhost:8000/login?next=1\n"
	for _, tc := range []struct {
		name, tool, text string
		page             string
		fault            Fault
		showed           string
	}{
		{"a page that is not there", "mcp__playwright__browser_navigate", "### Ran Playwright code\n```js\nawait page.goto('http://localhost:8000/login');\n```\n" + at + "- Page Title: Page not found at /login\n- Console: 2 errors, 0 warnings\n",
			"/login", PageMissing, "Page not found at /login"},
		{"no server", "mcp__playwright__browser_navigate", "### Error\nError: page.goto: net::ERR_CONNECTION_REFUSED at http://localhost:8000/", "/login", PageMissing, "net::ERR_CONNECTION_REFUSED"},
		{"an element that is covered", "mcp__playwright__browser_click", at + "TimeoutError: locator.click: Timeout 5000ms exceeded.\nCall log:\n  - waiting for getByRole('button')\n  - <div class=\"overlay\"></div> intercepts pointer events",
			"/login", ElementHidden, `<div class="overlay"></div> intercepts pointer events`},
		{"an element that does not come", "mcp__playwright__browser_click", at + "TimeoutError: locator.click: Timeout 5000ms exceeded.\nCall log:\n  - waiting for getByRole('button', { name: 'Save' })\n", "/login", WaitedInVain, "waiting for getByRole('button', { name: 'Save' })"},
		{"a script that fails", "mcp__playwright__browser_console_messages", at + "[ERROR] TypeError: x is undefined @ http://localhost:8000/app.js:3", "/login", ScriptError, "TypeError: x is undefined @ http://localhost:8000/app.js:3"},
		{"a script that maps no list", "mcp__playwright__browser_console_messages", at + "[ERROR] TypeError: items.map is not a function @ http://localhost:8000/app.js:3", "/login", ScriptError, "TypeError: items.map is not a function @ http://localhost:8000/app.js:3"},
		{"a source map that is not there", "mcp__playwright__browser_network_requests", at + "[GET] http://localhost:8000/app.js.map => [404] Not Found", "/login", "", ""},
		{"a request that fails", "mcp__playwright__browser_network_requests", "[GET] http://localhost:8000/api/me => [500] Internal Server Error", "/login", RequestFailed, "[GET] http://localhost:8000/api/me => [500] Internal Server Error"},
		{"what a browser asks for by itself", "mcp__playwright__browser_navigate", at + "### Events\n- [ERROR] Failed to load resource: the server respon...404 (Not Found) @ http://localhost:8000/favicon.ico:0", "/login", "", ""},
		{"a shortened line", "mcp__playwright__browser_navigate", at + "### Events\n- [ERROR] Failed to load resource: the server respon...us of 500 @ http://localhost:8000/api/me:0", "/login", RequestFailed, "Failed to load resource: the server respon...us of 500 @ http://localhost:8000/api/me:0"},
		{"a message", "mcp__plugin_playwright_playwright__browser_snapshot", at + "### Snapshot\n```yaml\n- main [ref=e1]:\n  - alert [ref=e38]: Enter proper credentials.\n```", "/login", Alerted, "Enter proper credentials."},
		{"nothing wrong", "mcp__chrome-devtools__take_snapshot", "## Pages\n" + at + "- Page Title: Login\n", "/login", "", ""},
		{"another's page", "mcp__playwright__browser_navigate", "- Page URL: https://example.org/x\n- Page Title: 404 Not Found\n", Elsewhere, "", ""},
		{"another tool", "mcp__github__get_issue", at + "- Page Title: Page not found\n", "", "", ""},
	} {
		c := Call{Tool: tc.tool, URL: "http://localhost:8000/login"}
		c.Result(Value{kind: '"', text: tc.text})
		if c.Page != tc.page || c.Fault != tc.fault || c.Showed != tc.showed {
			t.Errorf("%s: page %q, fault %q, showed %q", tc.name, c.Page, c.Fault, c.Showed)
		}
	}
	if got := ownPage("http://127.0.0.1:3000/demo/reviews/d0bbafb3-f870-4c24-b39e-f47d8c768d6d/7/"); got != "/demo/reviews/:id/:id" {
		t.Errorf("a page of one thing: %q", got)
	}
}

// TestHeadings: the frames and the totals of a test runner say nothing of what failed.
func TestHeadings(t *testing.T) {
	for line, generic := range map[string]bool{
		"=================================== FAILURES ===================================": true,
		"=============================== 1 error in 0.24s ===============================": true,
		"1 error in 0.46s":            true,
		"2 failed, 3 passed in 1.20s": true,
		"3 errors":                    true,
		"E   ModuleNotFoundError: No module named 'httpx'": false,
		"2 errors of the linter must be mended":            false,
		"404 error: no such page":                          false,
	} {
		if got := LineWeight(line) <= weightGeneric; got != generic {
			t.Errorf("%q is generic: %v", line, got)
		}
	}
}

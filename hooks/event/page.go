package event

import (
	"net/url"
	"regexp"
	"strings"

	"manicule/indexer/clip"
)

// Fault is what was wrong with a page of the project that a browser's MCP tool looked at.
type Fault string

// The classes of faults.
const (
	PageMissing   Fault = "A" // it is not there, or fails
	ElementHidden Fault = "B" // what was to be used is covered, hidden or ambiguous
	ScriptError   Fault = "C" // a script of it failed
	RequestFailed Fault = "D" // a request that it made failed
	WaitedInVain  Fault = "E" // what was waited for did not come
	Alerted       Fault = "F" // it tells an error
)

// Elsewhere is the page of another's site. What is wrong with it says nothing of the project.
const Elsewhere = "-"

// ofBrowser reports whether a tool is one of an MCP server that steers a browser.
func ofBrowser(tool string) bool {
	tool = strings.ToLower(tool)
	if !strings.HasPrefix(tool, "mcp") {
		return false
	}
	for _, name := range []string{"playwright", "chrome", "puppeteer", "browser"} {
		if strings.Contains(tool, name) {
			return true
		}
	}
	return false
}

// maxFault bounds the text of a fault.
const maxFault = 160

// look records what a browser's tool showed: the page, and what was wrong with it.
func (c *Call) look(text string) {
	if !ofBrowser(c.Tool) || text == "" {
		return
	}
	if m := pageAddress().FindStringSubmatch(text); m != nil {
		c.Page = ownPage(m[1] + m[2])
	} else if c.URL != "" {
		c.Page = ownPage(c.URL)
	}
	if c.Page == Elsewhere {
		return
	}
	for _, f := range faultPatterns() {
		for _, m := range f.pattern.FindAllStringSubmatch(text, maxFaults) {
			said := m[len(m)-1]
			if ofTools(said) {
				continue
			}
			if said = strings.TrimSpace(strings.Trim(strings.TrimSpace(clip.Bytes(said, maxFault)), `"`)); said != "" {
				c.Fault, c.Showed = f.fault, said
				return
			}
		}
	}
}

// maxFaults bounds the lines of one form that are looked at.
const maxFaults = 8

// ofTools reports whether a line is about what browsers and development servers ask for by themselves.
func ofTools(line string) bool {
	for _, name := range []string{"favicon.ico", "dev-toolbar", "hot-update", ".js.map", ".css.map", ".ts.map", "/.well-known/", "manifest.json"} {
		if strings.Contains(line, name) {
			return true
		}
	}
	return false
}

// pageAddress finds the address of the page in the result of a tool.
func pageAddress() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^(?:- )?Page URL: (\S+)|^\d+: (https?://\S+) \[selected\]`)
}

type faultPattern struct {
	fault   Fault
	pattern *regexp.Regexp
}

// faultPatterns are the forms in which the servers of browsers tell faults, the most telling first. The last group is
// what is kept. Errors of a script that the agent wrote, and references that are out of date, are the agent's own. They
// are compiled for each call of a browser: kept in a variable, they would cost every start of the hook program.
func faultPatterns() []faultPattern {
	return []faultPattern{
		{PageMissing, regexp.MustCompile(`\b(net::ERR_(?:CONNECTION_REFUSED|EMPTY_RESPONSE|CONNECTION_RESET|FAILED|TOO_MANY_REDIRECTS)|NS_ERROR_CONNECTION_REFUSED)\b`)},
		{PageMissing, regexp.MustCompile(`(?mi)^(?:- )?Page Title: (.*\b(?:not found|404|server error|50[0234]\b|exception\b|\w+Error at ).*)$`)},
		{ElementHidden, regexp.MustCompile(`(strict mode violation: .*?resolved to \d+ elements|<[^>\n]{1,80}>[^\n]{0,60}intercepts pointer events|element is (?:not visible|outside of the viewport|not enabled))`)},
		{WaitedInVain, regexp.MustCompile(`(?s)Timeout \d+ms exceeded.{0,200}?(waiting for [^\n]+)`)},
		{WaitedInVain, regexp.MustCompile(`(?i)(timed out after waiting[^\n]*|navigation timeout of \d+ ?ms exceeded)`)},
		{RequestFailed, regexp.MustCompile(`\[(?:GET|POST|PUT|PATCH|DELETE)\] \S+ => \[[45]\d\d\][^\n]*`)},
		{RequestFailed, regexp.MustCompile(`(?:GET|POST|PUT|PATCH|DELETE) \S+ \[failed - [45]\d\d\]`)},
		{RequestFailed, regexp.MustCompile(`Failed to load resource: the server respon[^\n]*`)},
		{ScriptError, regexp.MustCompile(`\b((?:Uncaught |Unhandled )?(?:\(in promise\) )?(?:Type|Reference|Syntax|Range)Error: [^\n]+@ [^\n]*)`)},
		{ScriptError, regexp.MustCompile(`(?mi)^(?:- )?(?:msgid=\d+ )?\[error\] ([^\n]+)`)},
		{Alerted, regexp.MustCompile(`(?m)^\s*- alert(?: \[[^\]]*\])*: ([^\n]+)$`)},
		{Alerted, regexp.MustCompile(`(?m)^\s*- alert "([^"\n]+)"`)},
	}
}

// variablePart matches the parts of an address that name one thing of many.
func variablePart() *regexp.Regexp {
	return regexp.MustCompile(`^(?:\d+|[0-9a-f]{8}-[0-9a-f-]{20,}|[0-9a-f]{12,})$`)
}

// ownPage returns the path of a page that runs on this machine, without what names one thing of many.
func ownPage(address string) string {
	u, err := url.Parse(strings.TrimRight(address, ")>,"))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" {
		return Elsewhere
	}
	switch host := u.Hostname(); {
	case host == "localhost", host == "127.0.0.1", host == "0.0.0.0", host == "::1", host == "host.docker.internal":
	case strings.HasSuffix(host, ".localhost"), strings.HasSuffix(host, ".test"), strings.HasSuffix(host, ".local"):
	default:
		return Elsewhere
	}
	variable := variablePart()
	parts := strings.Split(u.EscapedPath(), "/")
	for i, p := range parts {
		if variable.MatchString(p) {
			parts[i] = ":id"
		}
	}
	if page := strings.TrimRight(strings.Join(parts, "/"), "/"); page != "" {
		return page
	}
	return "/"
}

// release-flow.mjs --archive PREFIX|--programs DIR [--runner "COMMAND …"] [--windows]: runs what was released,
// as a person, an agent and an editor would. A runner is what starts programs of another platform: qemu-aarch64-static,
// wine64. With PREFIX the archive PREFIX.tar.gz or PREFIX.zip is unpacked first.

import { execFileSync, spawn, spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";

const { values } = parseArgs({
  options: { archive: { type: "string" }, programs: { type: "string" }, runner: { type: "string" }, windows: { type: "boolean" } },
});
const windows = values.windows ?? process.platform === "win32";
const runner = (values.runner ?? "").split(" ").filter((w) => w !== "");
const work = mkdtempSync(join(tmpdir(), "release-flow-"));
const started = Date.now();
let sessions = 0;
process.on("exit", () => rmSync(work, { recursive: true, force: true, maxRetries: 5 }));

const programs = resolve(values.programs ?? unpack(values.archive));
const program = (name) => resolve(programs, name + (windows ? ".exe" : ""));

function unpack(prefix) {
  const zip = `${prefix}.zip`;
  if (existsSync(zip)) {
    if (process.platform === "win32") execFileSync("powershell", ["-NoProfile", "-Command", `Expand-Archive '${zip}' '${work}\\a'`]);
    else execFileSync("unzip", ["-q", zip, "-d", join(work, "a")]);
  } else {
    mkdirSync(join(work, "a"));
    execFileSync("tar", ["-xzf", `${prefix}.tar.gz`, "-C", join(work, "a")]);
  }
  return join(work, "a", readdirSync(join(work, "a"))[0]);
}

// A path of this machine as the program sees it: wine has them below Z:.
const seen = (path) => (windows && process.platform !== "win32" ? `Z:${path.replaceAll("/", "\\")}` : path);
const home = join(work, "home");
const repo = join(work, "a repository with ünïcode");
for (const dir of [home, join(repo, "src"), join(repo, "deep", "x".repeat(100), "y".repeat(100))]) mkdirSync(dir, { recursive: true });
const env = {
  ...process.env, HOME: home, USERPROFILE: seen(home), APPDATA: seen(join(home, "roaming")), LOCALAPPDATA: seen(join(home, "local")),
  XDG_STATE_HOME: seen(join(home, "state")), XDG_CACHE_HOME: seen(join(home, "cache")), XDG_DATA_HOME: seen(join(home, "data")),
  XDG_CONFIG_HOME: seen(join(home, "config")), WINEPREFIX: process.env.WINEPREFIX ?? join(process.env.HOME ?? home, ".wine"), WINEDEBUG: "-all",
  MANICULE_HOOK_BUDGET: runner.length > 0 ? "9s" : "", GIT_CONFIG_NOSYSTEM: "1", NO_COLOR: "1", LANG: "C.UTF-8",
};

// The line ends are those of Windows: anchors and positions have to bear them.
const source = "package auth\r\n\r\n// Validate checks a token.\r\nfunc Validate(token string) bool {\r\n\treturn token != \"\"\r\n}\r\n";
writeFileSync(join(repo, "src", "token.go"), source);
writeFileSync(join(repo, "deep", "x".repeat(100), "y".repeat(100), "long.go"), "package y\n\nfunc Long() {}\n");
execFileSync("git", ["init", "-q", repo], { env });

function run(name, args, input, cwd = repo) {
  const [command, ...rest] = [...runner, program(name), ...args];
  const start = Date.now();
  const end = spawnSync(command, rest, { cwd, env, input, encoding: "utf8", timeout: 300_000 });
  if (end.error) throw end.error;
  const text = end.stdout.replaceAll("\r\n", "\n");
  return { code: end.status, text, complaint: end.stderr, ms: Date.now() - start };
}

// What a hook answers in a new session. One that is out of time on a busy machine says nothing.
function told(name, args, event, cwd) {
  let answer = { text: "" };
  for (let tries = 0; tries < 5 && answer.text === ""; tries++) answer = run(name, args, JSON.stringify({ ...event, session_id: `${name}-${++sessions}` }), cwd);
  return answer;
}

function expect(what, end, ...wanted) {
  const missing = wanted.filter((w) => !(w instanceof RegExp ? w.test(end.text) : end.text.includes(w)));
  if (end.code !== 0 || missing.length > 0) {
    console.error(`✗ ${what}: exit code ${end.code}, missing ${missing.join(" and ")}\n${end.text}${end.complaint}`);
    process.exit(1);
  }
  console.log(`✓ ${what} (${end.ms} ms)`);
}

await firstMinute(Date.now() - started);
expect("version", run("manicule", ["version", "--json"]), '"memory_format": 1');
expect("manicule-hook version", run("manicule-hook", ["version"]), '"memory_format":1');
expect("init", run("manicule", ["init"]), "ready");
expect("remember", run("manicule", ["remember", "Tokens of one day are refused", "--type", "gotcha", "--at", "src/token.go#Validate", "--why", "the clock of the issuer is slow"]), "remembered");
expect("a long path", run("manicule", ["remember", "Long names are kept as they are", "--type", "gotcha", "--at", `deep/${"x".repeat(100)}/${"y".repeat(100)}/long.go#Long`]), "remembered");
expect("recall", run("manicule", ["recall", "src/token.go"]), "Tokens of one day are refused");
expect("search", run("manicule", ["search", "clock of the issuer"]), "Tokens of one day are refused");
expect("graph", run("manicule", ["graph", "src/token.go#Validate"]), "Validate");
expect("verify", run("manicule", ["verify"]), /fresh/);
const event = { cwd: seen(repo), hook_event_name: "PreToolUse", tool_name: "Read", tool_input: { file_path: seen(join(repo, "src", "token.go")) } };
expect("manicule hook: a nudge", told("manicule", ["hook", "claude-code"], event), "Tokens of one day are refused");
expect("manicule-hook: a nudge", told("manicule-hook", ["claude-code"], event), "Tokens of one day are refused");
if (!windows) { // Windows can't put another program in the place of one that runs
  const beside = join(work, "beside");
  mkdirSync(beside);
  copyFileSync(program("manicule"), join(beside, "manicule"));
  writeFileSync(join(beside, "manicule-hook"), '#!/bin/sh\ncat >/dev/null\necho "became manicule-hook $*"\n', { mode: 0o755 });
  expect("manicule hook becomes manicule-hook", run(join(beside, "manicule"), ["hook", "claude-code"], "{}"), "became manicule-hook hook claude-code");
}
expect("completion for PowerShell", run("manicule", ["completion", "powershell"]), "Register-ArgumentCompleter");

await session(repo, "src/token.go", source, 3, "Tokens of one day are refused");
console.log("all passed");

// The first minute of a stranger, from the archive on: a repository has rule files of its own, and a command later the
// agent is nudged and the editor's hover shows one of the rules. The README promises two minutes.
async function firstMinute(unpacked) {
  const begun = Date.now();
  const theirs = join(work, "theirs");
  const page = "package ui\n\n// Draw draws.\nfunc Draw() {}\n";
  mkdirSync(join(theirs, "ui"), { recursive: true });
  writeFileSync(join(theirs, "ui", "draw.go"), page);
  writeFileSync(join(theirs, "ui", "AGENTS.md"), "# UI\n\n## Gotchas\n\n- Rendering fails silently if `Draw` is called before the first resize.\n- Never do IO in `Update`: it blocks all input.\n");
  execFileSync("git", ["init", "-q", theirs], { env });
  expect("first minute: init reads the rules", run("manicule", ["init", "--agent", "claude-code", "--import"], undefined, theirs), /\d memor(y|ies) imported/, "what to know first", "ready");
  const read = { cwd: seen(theirs), hook_event_name: "PreToolUse", tool_name: "Read", tool_input: { file_path: seen(join(theirs, "ui", "draw.go")) } };
  expect("first minute: a nudge from them", told("manicule-hook", ["claude-code"], read, theirs), "Rendering fails silently");
  await session(theirs, "ui/draw.go", page, 0, "Rendering fails silently");
  const seconds = (unpacked + Date.now() - begun) / 1000;
  check(`first minute: unpacked, set up, nudged and hovered after ${seconds.toFixed(1)} s`, seconds < 120 || runner.length > 0, { seconds });
}

// A session of an editor: initialize, open, hover at the start of a word, shutdown.
async function session(repo, file, source, line, wanted) {
  const [command, ...rest] = [...runner, program("manicule"), "lsp"];
  const server = spawn(command, rest, { cwd: repo, env, stdio: ["pipe", "pipe", "inherit"] });
  const timer = setTimeout(() => { console.error("✗ the language server does not answer"); server.kill("SIGKILL"); process.exit(1); }, 240_000);
  const waiting = new Map();
  let buffer = Buffer.alloc(0);
  server.stdout.on("data", (chunk) => {
    buffer = Buffer.concat([buffer, chunk]);
    for (;;) {
      const head = buffer.indexOf("\r\n\r\n");
      if (head < 0) return;
      const length = Number(/content-length: (\d+)/i.exec(buffer.subarray(0, head).toString())[1]);
      if (buffer.length < head + 4 + length) return;
      const message = JSON.parse(buffer.subarray(head + 4, head + 4 + length).toString());
      buffer = buffer.subarray(head + 4 + length);
      if (message.method !== undefined && message.id !== undefined) send({ jsonrpc: "2.0", id: message.id, result: null });
      else if (waiting.has(message.id)) waiting.get(message.id)(message);
    }
  });
  const send = (message) => {
    const body = JSON.stringify(message);
    server.stdin.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  };
  let last = 0;
  const request = (method, params) => new Promise((done) => { waiting.set(++last, done); send({ jsonrpc: "2.0", id: last, method, params }); });
  const uriOf = (path) => (windows && process.platform !== "win32" ? pathToFileURL(path).href.replace("file:///", "file:///z%3A/") : pathToFileURL(path).href);
  const uri = uriOf(join(repo, ...file.split("/")));
  const initialized = await request("initialize", { processId: null, rootUri: uriOf(repo), capabilities: { textDocument: { hover: { contentFormat: ["markdown"] } } }, workspaceFolders: [{ uri: uriOf(repo), name: "r" }] });
  check("LSP initialize", initialized.result?.capabilities?.hoverProvider, initialized);
  send({ jsonrpc: "2.0", method: "initialized", params: {} });
  send({ jsonrpc: "2.0", method: "textDocument/didOpen", params: { textDocument: { uri, languageId: "go", version: 1, text: source } } });
  const hover = await request("textDocument/hover", { textDocument: { uri }, position: { line, character: source.split("\n")[line].lastIndexOf(" ") + 2 } });
  check("LSP hover", JSON.stringify(hover.result ?? null).includes(wanted), hover);
  await request("shutdown", null);
  send({ jsonrpc: "2.0", method: "exit" });
  const code = await new Promise((done) => server.on("exit", done));
  check("LSP exit", code === 0, { code });
  clearTimeout(timer);
}

function check(what, ok, answer) {
  if (!ok) {
    console.error(`✗ ${what}: ${JSON.stringify(answer)}`);
    process.exit(1);
  }
  console.log(`✓ ${what}`);
}

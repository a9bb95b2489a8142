// How the server is started and stopped, with as much of VS Code and its client as that needs.
import assert from "node:assert/strict";
import { mkdtemp, mkdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import test from "node:test";
import { setImmediate as turn } from "node:timers/promises";

import { load } from "./load.mjs";

const dir = await mkdtemp(path.join(tmpdir(), "manicule-client-"));
await mkdir(path.join(dir, ".manicule"));
const program = path.join(dir, "manicule");
await writeFile(program, "#!/bin/sh\nexec cat\n", { mode: 0o755 });
test.after(() => rm(dir, { recursive: true }));
process.env.MANICULE_BIN = program;

globalThis.maniculeFolder = dir;
const commands = new Map();
globalThis.maniculeCommands = commands;
const { ServerControl } = await load(
  "client",
  `
  export class EventEmitter { listeners = []; event = (listener) => { this.listeners.push(listener); return { dispose() {} }; }; fire(what) { for (const listener of this.listeners) listener(what); } dispose() {} }
  export const Disposable = { from: () => ({ dispose() {} }) };
  export const l10n = { t: (text) => text };
  export const commands = { executeCommand: async () => undefined, registerCommand: (id, run) => { globalThis.maniculeCommands.set(id, run); return { dispose() {} }; } };
  export const window = { showErrorMessage: async (text) => { globalThis.maniculeTold.push(text); }, showWarningMessage: async () => undefined };
  const folder = { uri: { scheme: "file", fsPath: globalThis.maniculeFolder } };
  export const workspace = { isTrusted: true, workspaceFolders: [folder], getConfiguration: () => ({ get: (name, otherwise) => (name === "server.arguments" ? globalThis.maniculeArguments : otherwise) }) };
`,
  `
  export const State = { Running: 2 };
  export const [CodeLensResolveRequest, DidChangeConfigurationNotification, ExecuteCommandRequest, CloseAction, ErrorAction] = [{}, {}, { method: "workspace/executeCommand" }, {}, {}];
  export const [ErrorCodes, LSPErrorCodes] = [{}, {}];
  export class ResponseError {}
  // It runs when its program does, unless its server never answers, or the client missed its end.
  export class LanguageClient {
    constructor(id, name, serverOptions, options) { this.serverOptions = serverOptions; this.options = options; }
    onNotification() {}
    async start() {
      const child = await this.serverOptions();
      globalThis.maniculeStarts.push(child);
      if (child.spawnargs.includes("unheard")) await new Promise(() => {});
      child.on("close", () => this.options.errorHandler.closed());
      if (child.killed || child.spawnargs.includes("hang")) await new Promise((_, reject) => { child.on("close", () => { reject(new Error("closed")); }); });
      this.child = child;
      this.state = State.Running;
    }
    async dispose() { this.child?.stdin.end(); }
  }
`,
);

/** A control whose servers answer, or not, as their arguments say. */
function control(...args) {
  globalThis.maniculeStarts = [];
  globalThis.maniculeTold = [];
  globalThis.maniculeArguments = args;
  const log = { info() {}, debug() {}, error() {} };
  return new ServerControl(dir, log, {}, []);
}

const running = () => globalThis.maniculeStarts.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null).length;

test("restarts that overtake each other leave one server, and start no other", { timeout: 20_000 }, async () => {
  const server = control();
  await Promise.all([server.restart(), server.restart(), server.restart()]);
  assert.deepEqual([server.running, globalThis.maniculeStarts.length, running()], [true, 1, 1]);
  await server.restart();
  assert.deepEqual([server.running, globalThis.maniculeStarts.length, running()], [true, 2, 1]);
  await server.stop();
  assert.deepEqual([server.running, running(), globalThis.maniculeTold], [false, 0, []]);
});

test("a restart ends the wait for a server that never answers, wherever its start is", { timeout: 60_000 }, async () => {
  for (const steps of [0, 1, 2, 3, 4, 5, 6, 8, 13, 21, 34]) {
    const server = control("hang");
    const first = server.restart();
    for (let step = 0; step < steps; step++) await turn();
    globalThis.maniculeArguments = [];
    await server.restart();
    await first;
    assert.deepEqual([server.running, running(), globalThis.maniculeTold], [true, 1, []], `after ${String(steps)} steps`);
    await server.stop();
  }
});

test("who waits for a start that was overtaken waits for the later one", { timeout: 20_000 }, async () => {
  const server = control();
  const started = server.startHere().then(() => server.running);
  void server.restart();
  assert.equal(await started, true);
  await server.stop();
});

for (const start of ["answer", "unheard", "hang"]) {
  test(`a server that keeps ending is said once, also where its next one ends before it has answered (${start})`, { timeout: 20_000 }, async () => {
    const server = control();
    await server.restart();
    globalThis.maniculeArguments = [start];
    for (let ended = 0; ended < 4; ended++) {
      while (globalThis.maniculeStarts.length <= ended || (start === "answer" && !server.running)) await turn();
      globalThis.maniculeStarts.at(-1).kill("SIGKILL");
      while (running() > 0) await turn();
    }
    while (globalThis.maniculeTold.length === 0) await turn();
    await server.stop();
    assert.deepEqual([server.failed, globalThis.maniculeStarts.length, globalThis.maniculeTold.length], [true, 4, 1]);
    globalThis.maniculeArguments = [];
    await server.restart();
    assert.deepEqual([server.running, server.failed], [true, false]);
    await server.stop();
  });
}

test("a stop overtakes a start", { timeout: 20_000 }, async () => {
  const server = control("hang");
  const started = server.restart();
  await server.stop();
  await started;
  assert.deepEqual([server.running, running(), globalThis.maniculeTold], [false, 0, []]);
});

test("nothing starts a server when the window closes", { timeout: 20_000 }, async () => {
  const server = control();
  const first = server.restart();
  const pressed = commands.get("manicule.remember")(); // it waits for the start, and would start another one after a stop
  await Promise.all([server.close(), first, pressed]);
  await server.restart();
  server.dispose();
  assert.deepEqual([server.running, running(), globalThis.maniculeTold], [false, 0, []]);
});

test("who looks for memories at the same time starts one server", { timeout: 20_000 }, async () => {
  const server = control();
  await rm(path.join(dir, ".manicule"), { recursive: true });
  await server.restart();
  assert.equal(server.idle, true);
  await mkdir(path.join(dir, ".manicule"));
  let restarts = 0;
  const { restart } = ServerControl.prototype;
  server.restart = () => { restarts++; return restart.call(server); };
  await Promise.all([server.look(), server.look(), server.look()]);
  assert.deepEqual([restarts, server.running, running()], [1, true, 1]);
  await server.stop();
});

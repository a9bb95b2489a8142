// What a person typed is not lost if it is not stored.
import assert from "node:assert/strict";
import test from "node:test";
import { setImmediate as pause } from "node:timers/promises";

import { load } from "./load.mjs";

const { middleware } = await load(
  "middleware",
  `
  export class Uri { static parse(text) { return { scheme: "file", path: text, toString: () => text }; } }
  export class MarkdownString {}
  export const l10n = { t: (text, ...args) => text.replace(/\\{(\\d)\\}/g, (_, i) => args[i]) };
  export const workspace = { notebookDocuments: [], asRelativePath: () => "a.go" };
  export const commands = { executeCommand: async (...call) => { globalThis.maniculeRan.push(call); } };
  export const window = {
    showErrorMessage: async (text, ...buttons) => { globalThis.maniculeTold.push(text); return globalThis.maniculeClicks.shift() ?? void buttons; },
    showInformationMessage: async () => undefined,
    showQuickPick: async (items) => (globalThis.maniculeEscapes ? undefined : items[0]),
    showInputBox: async ({ prompt, title, value }) => { globalThis.maniculeAsked.push([title ?? prompt, value]); return globalThis.maniculeAnswers.shift() ?? value; },
  };
`,
  `
  export const CodeLensResolveRequest = {};
  export const ErrorCodes = { PendingResponseRejected: -32097, ConnectionInactive: -32096 };
  export const LSPErrorCodes = {};
  export class ResponseError extends Error { constructor(code, text) { super(text); this.code = code; } }
  globalThis.maniculeResponseError = ResponseError;
  export const DidChangeConfigurationNotification = {};
  export const ExecuteCommandRequest = {};
`,
);

/** Runs commands as a person does; answer is the server's. */
function front(answer) {
  Object.assign(globalThis, { maniculeRan: [], maniculeTold: [], maniculeClicks: [], maniculeAsked: [], maniculeAnswers: [], maniculeEscapes: false });
  const sent = [];
  const client = { sendRequest: async (_, { arguments: args }) => { sent.push(args); return answer.now(); }, error: () => undefined };
  // A server that starts again has a client of its own.
  const typed = new Map();
  const run = (command, ...args) => middleware({}, { typed }, () => client, []).executeCommand(command, args, () => assert.fail("not by the client itself"));
  return { sent, run };
}

const fails = () => { throw new Error("mkdir .manicule: read-only file system"); };
const stores = () => ({ accepted: true, draft: true });

test("a memory that can't be written is asked for again with what was typed", async () => {
  const answer = { now: fails };
  const { sent, run } = front(answer);
  globalThis.maniculeAnswers.push("Tokens live an hour", "after the audit");
  globalThis.maniculeClicks.push("Try Again");
  await run("manicule.remember", "file:///a.go", "a.go#Live");
  await pause();
  assert.deepEqual(globalThis.maniculeTold, ["Manicule: mkdir .manicule: read-only file system"]);
  assert.deepEqual(globalThis.maniculeRan, [["manicule.remember", "file:///a.go", "a.go#Live"]]);
  globalThis.maniculeAsked = [];
  answer.now = stores;
  await run(...globalThis.maniculeRan[0]);
  assert.deepEqual(globalThis.maniculeAsked, [["What should be remembered here?", "Tokens live an hour"], ["Why is it so?", "after the audit"]]);
  assert.deepEqual(sent[1], ["file:///a.go", "a.go#Live", "Tokens live an hour", { why: "after the audit", quiet: true }]);
  globalThis.maniculeAsked = [];
  globalThis.maniculeAnswers.push("Another");
  await run("manicule.remember", "file:///a.go", "a.go");
  assert.equal(globalThis.maniculeAsked[0][1], "", "what was stored is not kept");
});

test("what the server refuses, and what a later question was escaped from, is kept, too", async () => {
  const answer = { now: () => ({ accepted: false, reason: "it has a secret" }) };
  const { run } = front(answer);
  globalThis.maniculeAnswers.push("The password is known");
  await run("manicule.rememberFile", "file:///a.go");
  assert.deepEqual(globalThis.maniculeTold, ["Manicule: not stored: it has a secret"]);
  await run("manicule.rememberFile", "file:///a.go");
  assert.equal(globalThis.maniculeAsked[1][1], "The password is known");
  globalThis.maniculeAnswers.push("About the line");
  globalThis.maniculeEscapes = true;
  await run("manicule.remember", "file:///a.go", "a.go:3");
  await run("manicule.remember", "file:///a.go", "a.go:3");
  assert.equal(globalThis.maniculeAsked[3][1], "About the line");
});

test("what another memory says again is asked by the server, and is no failure", async () => {
  const { run } = front({ now: () => ({ accepted: false, code: "same", reason: "memory 1f2e3d4c says the same" }) });
  globalThis.maniculeAnswers.push("Tokens live an hour", "");
  await run("manicule.remember", "file:///a.go", "a.go");
  assert.deepEqual(globalThis.maniculeTold, []);
});

test("Try Again brings its own text, whatever was typed meanwhile, and what was stored meanwhile keeps the other's", async () => {
  const waiting = [];
  const answer = { now: () => new Promise((resolve, reject) => waiting.push({ resolve, reject })) };
  const { run } = front(answer);
  globalThis.maniculeAnswers.push("about the first", "about the second");
  globalThis.maniculeClicks.push("Try Again");
  const first = run("manicule.disputeMemory", "u");
  const second = run("manicule.disputeMemory", "v");
  while (waiting.length < 2) await pause();
  waiting[0].reject(new Error("read-only file system"));
  await first;
  await pause();
  waiting[1].resolve({ accepted: true });
  await second;
  assert.deepEqual(globalThis.maniculeRan, [["manicule.disputeMemory", "u"]]);
  answer.now = stores;
  await run(...globalThis.maniculeRan[0]);
  assert.equal(globalThis.maniculeAsked[2][1], "about the first");
});

test("who empties the box is rid of the text", async () => {
  const { run } = front({ now: fails });
  globalThis.maniculeAnswers.push("a text", "");
  for (let i = 0; i < 3; i++) await run("manicule.disputeMemory", "u");
  assert.deepEqual(globalThis.maniculeAsked.map(([, value]) => value), ["", "a text", ""]);
});

for (const [command, ...args] of [["manicule.disputeMemory", "u"], ["manicule.handThread", "t"], ["manicule.leaveThread", "file:///a.go", "a.go"]]) {
  test(`${command} says so if the server ends meanwhile, and keeps the text`, async () => {
    const { run } = front({ now: () => { throw new globalThis.maniculeResponseError(-32097, "disposed"); } });
    globalThis.maniculeAnswers.push("a text");
    globalThis.maniculeClicks.push("Try Again");
    await run(command, ...args);
    await pause();
    assert.deepEqual(globalThis.maniculeTold, ["Manicule: the server ended before it answered"]);
    await run(...globalThis.maniculeRan[0]);
    assert.equal(globalThis.maniculeAsked[1][1], "a text");
    assert.deepEqual(globalThis.maniculeRan[0], [command, ...args]);
  });
}

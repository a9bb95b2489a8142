// What a card reads and says while it is open, and when it was closed, with as much of VS Code as that needs.
import assert from "node:assert/strict";
import test from "node:test";
import { setTimeout as delay } from "node:timers/promises";

import { load } from "./load.mjs";

const { Cards } = await load(
  "cards",
  `
  export class EventEmitter { event = () => ({ dispose() {} }); }
  export const Disposable = { from: () => ({ dispose() {} }) };
  export const Uri = { parse: (uri) => uri, joinPath: (...parts) => parts.join("/") };
  export const ViewColumn = { Active: -1 };
  export const l10n = { t: (text) => text };
  // A panel that was closed refuses everything, as VS Code's do.
  class Panel {
    posted = []; disposed = []; over = false; visible = true;
    view = { cspSource: "", asWebviewUri: (uri) => uri, onDidReceiveMessage: (listener) => { this.hear = listener; }, postMessage: async (message) => { this.posted.push(message); } };
    get webview() { this.check(); return this.view; }
    set title(title) { this.check(); this.named = title; }
    check() { if (this.over) throw new Error("Webview is disposed"); }
    onDidDispose(listener) { this.disposed.push(listener); }
    dispose() { if (this.over) return; this.over = true; for (const listener of this.disposed) listener(); }
  }
  export const commands = { executeCommand: async () => undefined };
  const said = (...words) => { globalThis.maniculeSaid.push(words[0]); return Promise.resolve(undefined); };
  export const window = { createWebviewPanel: () => (globalThis.maniculePanel = new Panel()), showInformationMessage: said, showErrorMessage: said };
`,
);

/** The open card of a memory, whose server answers when it is let. */
async function openCard() {
  globalThis.maniculeSaid = [];
  const listeners = [];
  const server = {
    what: "first",
    reads: 0,
    held: undefined,
    onDidChange: (listener) => { listeners.push(listener); },
    onNeedsForm: () => undefined,
    request: async (method) => {
      if (method !== "manicule/memory") return {};
      server.reads++;
      const { what } = server;
      await server.held;
      return { uuid: "u", what, uri: "file:///w/.manicule/memories/u.json", version: 1 };
    },
    run: async (command) => {
      if (command === "manicule.editMemory") await server.saved;
      return command === "manicule.editMemory" ? server.answer : {};
    },
  };
  const cards = new Cards(server, { act: (run) => run() }, {}, "media");
  assert.equal(await cards.show("u"), true);
  const panel = globalThis.maniculePanel;
  panel.hear({ kind: "ready" });
  return { server, panel, tell: () => { for (const listener of listeners) listener(); } };
}

const shows = ({ posted }) => posted.filter(({ kind }) => kind === "show").at(-1).card.what;

test("a change that comes while a card is read is read too, and changes at the same time once", async () => {
  const { server, panel, tell } = await openCard();
  let answer;
  server.held = new Promise((resolve) => { answer = resolve; });
  tell();
  tell();
  await delay(50);
  assert.equal(server.reads, 2, "the first to open it");
  server.what = "second";
  tell();
  answer();
  await delay(100);
  assert.deepEqual([server.reads, shows(panel)], [3, "second"]);
});

test("what was saved on a card that is closed by then is said, and can be undone", async () => {
  const { server, panel } = await openCard();
  let answer;
  server.saved = new Promise((resolve) => { answer = resolve; });
  panel.hear({ kind: "draft", fields: { what: "mine" } });
  panel.hear({ kind: "save", fields: { what: "mine" } });
  panel.dispose();
  server.answer = { accepted: true };
  answer();
  await delay(20);
  assert.match(globalThis.maniculeSaid.join(), /Saved/u);
});

test("why something was not saved is said though its card is closed", async () => {
  const { server, panel } = await openCard();
  panel.hear({ kind: "draft", fields: { what: "mine" } });
  server.saved = Promise.reject(new Error("the disk is full"));
  panel.hear({ kind: "save", fields: { what: "mine" } });
  panel.dispose();
  await delay(20);
  assert.deepEqual(globalThis.maniculeSaid, ["Manicule: the disk is full"]);
});

test("a card that is closed while it is read again is left alone", async () => {
  const { server, panel, tell } = await openCard();
  let answer;
  server.held = new Promise((resolve) => { answer = resolve; });
  tell();
  await delay(50);
  panel.dispose();
  answer();
  await delay(20); // an unhandled rejection would fail the test
  assert.deepEqual(globalThis.maniculeSaid, []);
});

test("the card of a proposal is closed when it was decided about elsewhere, and shows it as it was edited there", async () => {
  globalThis.maniculeSaid = [];
  const listeners = [];
  const candidate = { folder: "file:///w", uuid: "u", type: "gotcha", what: "first", why: "", evidence: [], paths: [], scope: [], confidence: 0, sessions: 0, tainted: false, origin: "", version: 0, versions: [] };
  let answer = async () => ({ ...candidate, what: "second" });
  const cards = new Cards({ onDidChange: (listener) => { listeners.push(listener); }, onNeedsForm: () => undefined, request: (...params) => answer(...params) }, {}, {}, "media");
  cards.showCandidate(candidate);
  const panel = globalThis.maniculePanel;
  panel.hear({ kind: "ready" });
  const tell = async () => {
    for (const listener of listeners) listener();
    await delay(50);
  };
  await tell();
  assert.deepEqual([panel.over, shows(panel)], [false, "second"]);
  answer = async () => { throw Object.assign(new Error("manicule/candidate: method not found"), { code: -32601 }); };
  await tell();
  assert.equal(panel.over, false, "an older server does not say whether it waits");
  answer = async () => { throw new Error('manicule/candidate: nothing with the id "u" waits for review'); };
  await tell();
  assert.equal(panel.over, true);
});

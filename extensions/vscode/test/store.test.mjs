// What the side bar's store asks the server for, where there are many memories.
import assert from "node:assert/strict";
import test from "node:test";
import { setTimeout as delay } from "node:timers/promises";

import { load } from "./load.mjs";

const { Store } = await load(
  "store",
  `
  export class EventEmitter { listeners = []; event = (listener) => { this.listeners.push(listener); return { dispose() {} }; }; fire(what) { for (const listener of this.listeners) listener(what); } dispose() {} }
  export const Disposable = { from: () => ({ dispose() {} }) };
  export const Uri = { parse: (uri) => uri };
  export const l10n = { t: (text) => text };
  export const commands = { executeCommand: async () => undefined };
  export const window = { visibleTextEditors: [{ document: { uri: { scheme: "file", toString: () => "file:///w/a.go" } } }, { document: { uri: { scheme: "output", toString: () => "output:x" } } }], onDidChangeVisibleTextEditors: () => ({ dispose() {} }) };
  globalThis.maniculeWindow = window;
`,
);

const at = (uuid, uri) => ({ uuid, location: { uri, range: { start: { line: 1, character: 0 }, end: { line: 1, character: 0 } } } });
const many = Array.from({ length: 900 }, (_, number) => ({ uuid: String(number) }));
const head = { id: "0:a.go", label: "a.go", folder: "file:///w", path: "a.go", uri: "file:///w/a.go", count: many.length };

/** A server with a group of 900 memories, of which two apply to a.go. */
function serverWith(answers = {}) {
  const asked = [];
  const request = async (method, params) => {
    if (method !== "manicule/tree") return answers[method] ?? {};
    asked.push(params);
    // A memory about two files is in the group of each.
    if (params.uri) return { groups: [{ ...head, items: [at("here", "file:///w/a.go"), at("there", "file:///w/b.go")] }, { ...head, id: "0:b.go", items: [at("here", "file:///w/a.go")] }] };
    if (params.group) return { groups: [{ ...head, items: many.slice(0, params.limit) }] };
    return { groups: [params.inline === undefined ? { ...head, items: many } : head] };
  };
  return { asked, running: true, request, onDidChange: () => ({ dispose() {} }) };
}

const quiet = { debug() {} };

/** Holds back some answers of a server until the returned function is called. */
function holdBack(server, which) {
  const { request } = server;
  let answer;
  const held = new Promise((resolve) => { answer = resolve; });
  server.request = async (method, params) => {
    if (which(method, params)) await held;
    return request(method, params);
  };
  return answer;
}

test("groups come first, and their memories when they are opened", async () => {
  const server = serverWith();
  const store = new Store(server, quiet);
  await store.refresh();
  assert.deepEqual(server.asked, [{ by: "file", inline: 500 }, { by: "file", uri: "file:///w/a.go" }]);
  assert.deepEqual([store.later, store.groups[0].items.length, store.groups[0].count], [true, 0, 900]);
  const id = 'group:["file:///w","a.go","a.go"]:0';
  await store.open(id);
  assert.deepEqual(server.asked[2], { by: "file", group: "0:a.go", folder: "file:///w", limit: 500 });
  await store.open(id);
  assert.equal(store.groups[0].items.length, 900);
  await store.open(id);
  assert.equal(server.asked.length, 4, "a group that is here is not asked for");
  await store.refresh();
  assert.equal(store.groups[0].items.length, 900, "what is open stays");
});

test("a group that is opened while all are requested again has its memories", async () => {
  const server = serverWith();
  const store = new Store(server, quiet);
  await store.refresh();
  const answer = holdBack(server, (_, params) => params.group);
  const opened = store.open('group:["file:///w","a.go","a.go"]:0');
  store.groups = store.groups.map((group) => ({ ...group })); // as a request leaves them that was sent before
  answer();
  await opened;
  assert.equal(store.groups[0].items.length, 500);
});

test("a list that can't be read says why until it can be, and a file that can't says nothing", async () => {
  let broken = () => false;
  const server = serverWith();
  const { request } = server;
  const shown = [];
  server.request = async (method, params) => {
    if (broken(params)) throw Object.assign(new Error("manicule/tree: the disk is full"), { code: -32603 });
    return request(method, params);
  };
  const store = new Store(server, quiet);
  store.onDidChange(() => shown.push([...store.unread.values()]));
  await store.refresh();
  broken = ({ uri }) => uri !== undefined;
  await store.look();
  await store.refresh();
  assert.deepEqual([...store.unread], []);
  assert.equal(store.at("file:///w/a.go").length, 1, "its marks stay");
  broken = ({ group }) => group !== undefined;
  await store.open('group:["file:///w","a.go","a.go"]:0');
  assert.deepEqual([...store.unread], [["manicule/tree", "the disk is full"]]);
  broken = () => false;
  await store.refresh();
  assert.deepEqual([...store.unread], []);
  assert.deepEqual(shown.at(-1), []);
});

test("lists stay as they are while the server starts again, or is too busy to answer", async () => {
  const server = serverWith({ "manicule/candidates": { candidates: [{ uuid: "a" }], total: 1 } });
  const { request } = server;
  const store = new Store(server, quiet);
  await store.refresh();
  const has = () => [store.groups.length, store.waiting.total, store.at("file:///w/a.go").length];
  Object.assign(server, { running: false, starting: true }); // as after a change of its settings
  await store.refresh();
  assert.deepEqual([store.listed, ...has()], [false, 1, 1, 1]);
  Object.assign(server, { running: true, starting: false, request: async () => { throw Object.assign(new Error("cancelled"), { code: -32800 }); } });
  await store.refresh();
  assert.deepEqual([[...store.unread], ...has()], [[], 1, 1, 1]);
  server.request = async (method, params) => {
    if (method === "manicule/candidates") throw Object.assign(new Error("what is that?"), { code: -32601 });
    return request(method, params);
  };
  await store.refresh();
  assert.deepEqual(has(), [1, 0, 1], "an older server that does not know a list has none");
  server.running = false;
  await store.refresh();
  assert.deepEqual(has(), [0, 0, 0], "nor has one that does not run");
});

test("who asks while lists are requested waits for the newer ones", async () => {
  const server = serverWith();
  const store = new Store(server, quiet);
  let total = 1;
  server.request = async () => ({ candidates: [], total });
  const first = store.refresh();
  total = 2;
  await Promise.all([store.refresh(), store.refresh()]);
  await first;
  assert.equal(store.waiting.total, 2);
});

test("a filter is applied when all memories that it may pass are here", async () => {
  const store = new Store(serverWith(), quiet);
  await store.refresh();
  const passes = (groups) => groups.filter(({ items }) => items.length > 0);
  store.filter = { empty: false, apply: passes };
  assert.equal(store.filtered.length, 1, "until then nothing is said to be filtered out");
  await store.refresh();
  assert.equal(store.filtered[0].items.length, 900);
  store.filter = { empty: false, apply: () => [] };
  assert.equal(store.filtered.length, 0, "then at once");
});

test("a filter waits until what it may pass could be read, and a group that is open keeps what it has meanwhile", async () => {
  const server = serverWith();
  const { request } = server;
  const store = new Store(server, quiet);
  await store.refresh();
  await store.open('group:["file:///w","a.go","a.go"]:0');
  const busy = (is) => async (method, params) => {
    if (is(params)) throw Object.assign(new Error("cancelled"), { code: -32800 });
    return request(method, params);
  };
  server.request = busy(({ group }) => group !== undefined);
  await store.refresh();
  assert.equal(store.groups[0].items.length, 500, "its group alone could not be read");
  server.request = busy(() => true);
  store.filter = { empty: false, apply: () => [] };
  await store.refresh();
  assert.equal(store.filtered.length, 1, "of 900 memories 500 are here");
  server.request = request;
  await store.refresh();
  assert.equal(store.filtered.length, 0);
});

test("a memory about two files is at a line once", async () => {
  const server = serverWith();
  const one = [at("both", "file:///w/a.go")];
  const store = new Store({ ...server, request: async (_, params) => (params.uri ? { groups: [{ ...head, items: one }, { ...head, id: "0:b.go", label: "b.go", path: "b.go", items: one }] } : {}) }, quiet);
  await store.refresh();
  assert.deepEqual(store.at("file:///w/a.go").map(({ uuid }) => uuid), ["both"]);
});

test("the margin has the memories of the files that are looked at", async () => {
  const store = new Store(serverWith(), quiet);
  await store.refresh();
  assert.deepEqual(store.at("file:///w/a.go").map(({ uuid }) => uuid), ["here"]);
  assert.deepEqual(store.at("file:///w/b.go"), []);
});

test("what a filter chooses from is all of it, and so is what it lets pass", async () => {
  const server = serverWith();
  const store = new Store(server, quiet);
  await store.refresh();
  const [all] = await store.all();
  assert.equal(all.items.length, 900);
  store.filter = { empty: false, apply: (groups) => groups };
  await store.refresh();
  assert.equal(store.groups[0].items.length, 900);
  assert.equal(store.later, false);
});

test("queues are asked for as far as a person gets, and say how long they are", async () => {
  const store = new Store(serverWith({ "manicule/candidates": { candidates: [{ uuid: "a" }], total: 3000 }, "manicule/threads": { threads: [{ uuid: "t", state: "parked" }], total: 40, open: 7 } }), quiet);
  await store.refresh();
  assert.deepEqual([store.waiting.total, store.waiting.items.length, store.left.total, store.left.open], [3000, 1, 40, 7]);
});

test("a server that knows no parts sends all", async () => {
  const server = { ...serverWith(), request: async (method) => (method === "manicule/tree" ? { groups: [{ label: "a.go", folder: "", path: "a.go", uri: "", items: many }] } : {}) };
  const store = new Store(server, quiet);
  await store.refresh();
  assert.deepEqual([store.later, store.groups[0].items.length], [false, 900]);
});

/** A server that counts the requests of all lists, and tells of changes. */
function counting() {
  const server = serverWith();
  const { request } = server;
  const listeners = [];
  const counts = { lists: 0, files: [] };
  Object.assign(server, {
    onDidChange: (listener) => { listeners.push(listener); return { dispose() {} }; },
    request: async (method, params) => {
      if (method === "manicule/overview") counts.lists++;
      if (params.uri) counts.files.push(params.uri);
      return request(method, params);
    },
  });
  return { server, counts, tell: () => { for (const listener of listeners) listener(); } };
}

for (const [when, order] of [["before", (tell, answer) => { tell(); return answer; }], ["after", (tell, answer) => { void delay(2).then(tell); return answer; }]]) {
  test(`an act requests the lists once, if the server tells of it ${when} its answer`, async () => {
    const { server, counts, tell } = counting();
    const store = new Store(server, quiet);
    assert.equal(await store.act(async () => order(tell, "done")), "done");
    assert.equal(counts.lists, 1, "they are here when it has been done");
    await delay(100);
    assert.equal(counts.lists, 1);
  });
}

test("several acts one after the other request the lists once", async () => {
  const { server, counts, tell } = counting();
  const store = new Store(server, quiet);
  const each = () => delay(30).then(tell);
  await store.act(async () => { for (const act of [each, each, each]) await act(); });
  assert.equal(counts.lists, 1);
  await assert.rejects(store.act(async () => { throw new Error("refused"); }), /refused/u);
  assert.equal(counts.lists, 2, "what was refused may have been changed elsewhere");
});

test("an editor that comes into view is asked about, and those in view are not again", async () => {
  const { server, counts } = counting();
  const store = new Store(server, quiet);
  let [drawn, looked] = [0, 0];
  await store.refresh();
  store.onDidChange(() => { drawn++; });
  store.onDidLook(() => { looked++; });
  const shown = globalThis.maniculeWindow.visibleTextEditors;
  await store.look();
  assert.deepEqual([counts.files, looked], [["file:///w/a.go"], 0]);
  globalThis.maniculeWindow.visibleTextEditors = [...shown, { document: { uri: { scheme: "file", toString: () => "file:///w/b.go" } } }];
  await store.look();
  globalThis.maniculeWindow.visibleTextEditors = shown;
  assert.deepEqual([counts.files, drawn, looked], [["file:///w/a.go", "file:///w/b.go"], 0, 1]);
  assert.deepEqual(store.at("file:///w/b.go").map(({ uuid }) => uuid), ["there"]);
});

test("what has changed while an editor came into view is seen, whichever is answered first", async () => {
  const editor = (name) => ({ document: { uri: { scheme: "file", toString: () => `file:///w/${name}` } } });
  const shown = globalThis.maniculeWindow.visibleTextEditors;
  for (const order of [["a.go", "b.go"], ["b.go", "a.go"]]) {
    const server = serverWith();
    const { request } = server;
    const store = new Store(server, quiet);
    let changed = false;
    const held = {};
    server.request = async (method, params) => {
      if (!params.uri || !changed) return request(method, params);
      const name = params.uri.slice("file:///w/".length);
      await new Promise((resolve) => { held[name] ??= resolve; });
      return { groups: [{ ...head, items: [at(`new in ${name}`, params.uri)] }] };
    };
    await store.refresh();
    changed = true;
    const refreshed = store.refresh();
    while (!held["a.go"]) await delay(1);
    globalThis.maniculeWindow.visibleTextEditors = [editor("a.go"), editor("b.go")];
    const looked = store.look();
    for (const name of order) {
      held[name]();
      await delay(5);
    }
    await Promise.all([refreshed, looked]);
    globalThis.maniculeWindow.visibleTextEditors = shown;
    const seen = ["a.go", "b.go"].map((name) => store.at(`file:///w/${name}`).map(({ uuid }) => uuid));
    assert.deepEqual(seen, [["new in a.go"], ["new in b.go"]], `${order[0]} first`);
  }
});

test("an act that asks a person something does not keep other changes from being seen", async () => {
  const { server, counts, tell } = counting();
  const store = new Store(server, quiet);
  let answer;
  const asks = store.act(() => new Promise((resolve) => { answer = resolve; }));
  tell();
  await store.refresh();
  assert.equal(counts.lists, 1, "before the person has answered");
  answer();
  await asks;
  assert.equal(counts.lists, 2);
});

test("each of two acts at once has seen what became of it", async () => {
  const { server, counts } = counting();
  const store = new Store(server, quiet);
  const seen = async (act) => {
    await store.act(act);
    return counts.lists;
  };
  assert.deepEqual(await Promise.all([seen(() => delay(5)), seen(() => delay(60))]), [1, 1]);
});

test("a group that is opened while all are requested keeps its memories when those answers come", async () => {
  const server = serverWith();
  const store = new Store(server, quiet);
  await store.refresh();
  const answer = holdBack(server, (method) => method === "manicule/stale");
  const refreshed = store.refresh();
  await delay(40); // the groups are here by then, the rest is not
  await store.open('group:["file:///w","a.go","a.go"]:0');
  assert.equal(store.groups[0].items.length, 500);
  answer();
  await refreshed;
  assert.equal(store.groups[0].items.length, 500);
});

test("a group that came whole for a filter is asked for again when the filter is gone", async () => {
  const server = serverWith();
  const store = new Store(server, quiet);
  store.filter = { empty: false, apply: (groups) => groups };
  await store.refresh();
  assert.equal(store.groups[0].items.length, 900);
  store.filter = { empty: true, apply: (groups) => groups };
  await store.refresh();
  assert.equal(store.groups[0].items.length, 0, "what was read then is old by now");
});

test("of the memories to look at, the first are requested, and all are counted", async () => {
  const server = serverWith();
  const params = [];
  const { request } = server;
  server.request = async (method, given) => {
    if (method !== "manicule/stale") return request(method, given);
    params.push(given);
    return { items: [{ uuid: "a", state: "orphaned" }], total: 700 };
  };
  const store = new Store(server, quiet);
  await store.refresh();
  assert.deepEqual([params, store.stale.items.length, store.stale.total], [[{ limit: 300 }], 1, 700]);
});

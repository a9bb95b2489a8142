// Reading the server's answers, without VS Code.
import assert from "node:assert/strict";
import test from "node:test";

import { load } from "./load.mjs";

const protocol = Object.assign({}, ...(await Promise.all(["protocol", "items", "candidates", "handover", "answers"].map((name) => load(name)))));
const { choicesIn, conflictOf, coverageOf, canUndo, consolidationOf, failureOf, importOf, correctionStartOf, editStartOf, entriesOf, candidatesOf, foldersOf, foundOf, fullItemOf, candidateRef, refOf, groupsOf, itemsOf, logOf, menuOf, placesOf, isUnchanged, refusalOf, sessionEndOf, versionsOf, writtenOf } = protocol;

const full = { uuid: "u", type: "gotcha", what: "W", why: "Y", author: "a", age: "1 day ago", uri: "file:///m.json" };

test("a memory is named with its file, if it has one", () => {
  assert.deepEqual(refOf({ uuid: "u", uri: "file:///w/m.json" }), { uuid: "u", uri: "file:///w/m.json" });
  assert.equal(refOf({ uuid: "u", uri: "" }), "u");
  assert.deepEqual(candidateRef({ uuid: "u", folder: "file:///w" }), { uuid: "u", uri: "file:///w" });
});

test("a menu keeps what its entries are about", () => {
  const entry = { title: "Forget", command: "manicule.forgetMemory", arguments: [{ uuid: "u", uri: "file:///w" }] };
  assert.deepEqual(menuOf({ type: "gotcha", what: "W", entries: [entry, { title: "x", command: "rm", arguments: [] }] }), { type: "gotcha", what: "W", entries: [entry] });
});

test("a memory is opened to be edited, and a candidate is edited", () => {
  const titles = (...commands) => choicesIn({ type: "gotcha", what: "W", entries: commands.map((name) => ({ title: name, command: `manicule.${name}`, arguments: [] })) }).map(({ title }) => title);
  assert.deepEqual(titles("openMemory", "editMemory", "forgetMemory"), ["openMemory", "forgetMemory"]);
  assert.deepEqual(titles("acceptMemory", "editMemory", "rejectMemory"), ["acceptMemory", "editMemory", "rejectMemory"]);
});

test("coverage without a place is left out", () => {
  const folder = { uri: "file:///w/src", path: "src", score: 40, files: 3, changes: 10, covered: 4 };
  const answer = { folders: [{ uri: "file:///w", score: 40, changes: 10, covered: 4, folders: [folder, { path: "x" }], files: [{ uri: "file:///w/src/a.go", path: "src/a.go", changes: 6 }, 7] }] };
  const kept = { uri: folder.uri, path: folder.path, changes: 10, score: 40, covered: 4 };
  assert.deepEqual(coverageOf(answer), [{ uri: "file:///w", score: 40, folders: [kept], files: [{ uri: "file:///w/src/a.go", path: "src/a.go", changes: 6 }] }]);
  assert.deepEqual(coverageOf(null), []);
});

test("an entry is read whole", () => {
  assert.deepEqual(entriesOf([full]), [full]);
});

test("what may be left out is empty", () => {
  assert.deepEqual(entriesOf([{ what: "W", uri: "file:///m.json" }]), [{ uuid: "", type: "", what: "W", why: "", author: "", age: "", uri: "file:///m.json" }]);
});

const range = { start: { line: 1, character: 2 }, end: { line: 1, character: 5 } };
const place = { uri: "file:///a.go", range };
const item = {
  uuid: "u", type: "gotcha", what: "W", why: "Y", uri: "file:///m.json", location: place, path: "a.go", scope: ["src/**"], tags: ["auth"], state: "orphaned",
  reason: "it is gone", suggestion: { location: place, confidence: 0.8, preview: "func A()" }, anchor: 1,
  trust: { origin: "user_taught", tainted: true, verifiedBy: "ann" }, contributor: "bob", confidence: 0.9, pinned: true, branch: "feat", owner: "codex", disputed: true,
  updatedAt: "2026-05-02T10:00:00Z", draft: true,
};

test("an item is read whole", () => {
  assert.deepEqual(itemsOf({ items: [item] }), [item]);
});

test("an item of which only the UUID is known", () => {
  const [read] = itemsOf({ items: [{ uuid: "u", state: "strange", location: { uri: "file:///a.go" }, suggestion: {}, scope: "src/**" }] });
  assert.equal(read.state, "");
  assert.equal(read.location, undefined);
  assert.equal(read.suggestion, undefined);
  assert.equal(read.anchor, undefined);
  assert.deepEqual(read.scope, ["src/**"]);
});

test("a group without memories is left out", () => {
  const groups = groupsOf({ groups: [{ label: "empty", items: [] }, { label: "a.go", folder: "file:///w", path: "a.go", uri: "file:///a.go", items: [item, { what: "no uuid" }] }] });
  assert.deepEqual(groups, [{ id: "", label: "a.go", folder: "file:///w", path: "a.go", uri: "file:///a.go", count: 1, items: [item] }]);
});

test("a candidate is read whole", () => {
  const candidate = { folder: "file:///w", uuid: "u", type: "gotcha", what: "W", why: "Y", evidence: ["e"], paths: ["a.go"], scope: [], confidence: 0.7, sessions: 3, tainted: false, origin: "observer_inferred", version: 0, versions: [] };
  assert.deepEqual(candidatesOf({ candidates: [candidate] }), [candidate]);
});

test("the versions of a memory are read whole, and what is no conflict", () => {
  const one = { number: 1, label: "hourly", type: "gotcha", what: "Exports run hourly.", why: "", author: "ada", updatedAt: "2026-05-02T10:00:00Z", deleted: false };
  const conflict = { uuid: "u", version: 3, thread: false, versions: [one, { ...one, number: 2, what: "Exports run nightly." }] };
  assert.deepEqual(conflictOf({ needsResolution: true, ...conflict }), conflict);
  assert.deepEqual(conflictOf({ needsResolution: true, ...conflict, thread: true }), { ...conflict, thread: true });
  assert.deepEqual(candidatesOf({ candidates: [conflict] })[0].versions, conflict.versions);
  assert.equal(conflictOf({ accepted: true, uuid: "u" }), undefined);
  assert.equal(conflictOf({ needsResolution: true, uuid: "u", versions: [one] }), undefined);
});

test("a new memory can be taken back, and no other", () => {
  const memory = { uuid: "u", what: "W" };
  assert.deepEqual(writtenOf({ accepted: true, memory }), memory);
  for (const other of [{ accepted: true, draft: true, memory }, { accepted: true, deduped: true, memory }, { accepted: true, merged_into: "v", memory }, { accepted: false, memory }, { accepted: true }, null]) assert.equal(writtenOf(other), undefined);
});

test("the places about which something can be remembered", () => {
  const action = { title: "Manicule: remember something about Refresh", command: { command: "manicule.remember", arguments: ["file:///a.go", "a.go#Refresh"] } };
  assert.deepEqual(placesOf([action, { title: "x", command: { command: "manicule.edit", arguments: ["u", "v"] } }, { title: "y" }, null]), [{ title: action.title, uri: "file:///a.go", place: "a.go#Refresh" }]);
  assert.deepEqual(placesOf(null), []);
});

test("what a card starts from, and what is none", () => {
  assert.deepEqual(correctionStartOf({ needsCorrection: true, uuid: "u", uri: "file:///m.json" }), { uuid: "u" });
  const full = fullItemOf({ uuid: "u", what: " W", tags: ["a", 1], version: 3 });
  assert.deepEqual([full.what, full.tags, full.version], [" W", ["a"], 3]);
  assert.equal(fullItemOf({ what: "W" }), undefined);
  assert.equal(correctionStartOf({ accepted: true, uuid: "u" }), undefined);
  assert.equal(correctionStartOf(null), undefined);
  assert.equal(editStartOf({ needsEdit: true, uuid: "u", type: "gotcha", what: "W" })?.what, "W");
  assert.equal(editStartOf({ uuid: "u", uri: "file:///m.json" }), undefined);
});

test("the overview", () => {
  const folder = { uri: "file:///w", name: "w", memories: 4, candidates: 1, stale: 2, orphaned: 3, invalid: 5, error: "", index: { state: "indexing", done: 10, total: 40 } };
  assert.deepEqual(foldersOf({ folders: [folder], version: "1" }), [folder]);
  assert.deepEqual(foldersOf({ folders: [{ name: "w" }] })[0].index, { state: "", done: 0, total: 0 });
});

test("versions and the log", () => {
  const version = { version: 2, hash: "0a", at: "2026-05-02T10:00:00Z", author: "ann", kind: "edit", note: "n", current: true, text: "{}" };
  assert.deepEqual(versionsOf({ versions: [version] }), [version]);
  const entry = { at: "2026-05-02T10:00:00Z", session: "s", agent: "claude", memory: "u", what: "W", kind: "shown" };
  assert.deepEqual(logOf({ entries: [entry] }), [entry]);
});

test("what was found in all workspaces, the best first", () => {
  const hit = (what, score) => ({ memory: { uuid: what, type: "gotcha", what, scope: null }, score, file: `file:///${what}.json` });
  const found = foundOf([{ root: "/a", hits: [hit("one", 0.2)] }, { root: "/b", hits: [hit("two", 0.9), { memory: {}, score: 1 }] }]);
  assert.deepEqual(found.map(({ what, score }) => [what, score]), [["two", 0.9], ["one", 0.2]]);
});

test("the end of a session", () => {
  const end = { session: "s", agent: "claude", used: 2, learned: 1 };
  assert.deepEqual(sessionEndOf(end), { ...end, asks: "all", needLook: 0, balance: { tokens: 0, saved: 0 } });
  assert.deepEqual(sessionEndOf({ ...end, asks: "needed", needLook: 1, tokens: 412, saved: 1900 }), { ...end, asks: "needed", needLook: 1, balance: { tokens: 412, saved: 1900 } });
});

for (const [answer, want] of [
  [{ accepted: true }, ""],
  [{ accepted: false, draft: true, reason: "kept as a draft" }, ""],
  [{ accepted: false, reason: "there is one like it" }, "there is one like it"],
  [{ accepted: false }, "it was not stored"],
  [null, ""],
]) {
  test(`${JSON.stringify(answer)} is refused: ${JSON.stringify(want)}`, () => assert.equal(refusalOf(answer), want));
}

test("what an edit that changes nothing answers", () => {
  assert.equal(isUnchanged({ accepted: true, code: "unchanged" }), true);
  for (const answer of [{ accepted: true }, { accepted: true, code: "duplicate" }, null, "no"]) assert.equal(isUnchanged(answer), false);
});

for (const [name, answer] of Object.entries({
  nothing: undefined,
  null: null,
  text: "no",
  number: 3,
  "an empty list": [],
  "foreign entries": [1, null, "x", [], { what: "W" }, { uri: "u" }, { what: 1, uri: 2 }],
  "foreign members": { items: 1, groups: "x", candidates: [null], folders: [[]], versions: {}, entries: [3] },
})) {
  test(`${name} is nothing`, () => {
    for (const read of [entriesOf, itemsOf, groupsOf, candidatesOf, foldersOf, versionsOf, logOf, foundOf]) assert.deepEqual(read(answer), [], read.name);
  });
}

test("groups of memories that say the same", () => {
  const clusters = [{ id: "a", kept: { what: "K" }, others: [{ what: "O" }, { what: "P" }], adds: [{ name: "why", old: "", new: "W" }] }, { id: "b", kept: { what: "alone" }, others: [] }, { kept: {} }];
  assert.deepEqual(consolidationOf({ folders: [{ clusters, merged: [{ id: "a" }], failed: [{ reason: "changed" }] }, { unavailable: "no model", hint: "install one" }] }), {
    groups: [{ id: "a", kept: "K", others: ["O", "P"], adds: ["why: W"] }],
    merged: 1,
    needsModel: true,
    problems: ["no model. install one", "changed"],
  });
  assert.deepEqual(consolidationOf(undefined), { groups: [], merged: 0, needsModel: false, problems: [] });
});

test("what an import did", () => {
  const rules = [{ from: "AGENTS.md", result: "new" }, { from: "AGENTS.md", result: "new" }, { from: "CLAUDE.md", result: "known" }, { from: "web/AGENTS.md", result: "new" }];
  assert.deepEqual(importOf({ new: 3, known: 1, rules }), { added: 3, known: 1, files: [["AGENTS.md", 2], ["web/AGENTS.md", 1]] });
  assert.deepEqual(importOf(undefined), { added: 0, known: 0, files: [] });
});

test("why the program failed", () => {
  assert.equal(failureOf({ error: "read x: no such file", hint: "Check the name." }), "read x: no such file. Check the name.");
  assert.equal(failureOf(undefined), "");
});

test("what can be taken back", () => {
  assert.ok(canUndo({ accepted: true, undo: true }));
  assert.ok(!canUndo({ accepted: true }));
  assert.ok(!canUndo(undefined));
});

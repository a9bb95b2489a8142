// The marks of the Explorer.
import assert from "node:assert/strict";
import test from "node:test";
import { setTimeout as delay } from "node:timers/promises";

import { load } from "./load.mjs";

const { CoverageMarks } = await load(
  "coverage",
  `
  export class EventEmitter { fired = 0; event = () => ({ dispose() {} }); fire() { this.fired++; } dispose() {} }
  export class ThemeColor {}
  export class FileDecoration { constructor(badge) { this.badge = badge; } }
  export const Disposable = { from: () => ({ dispose() {} }) };
  export const Uri = { parse: (uri) => uri };
  export const l10n = { t: (text) => text };
  export const ConfigurationTarget = { Global: 1, Workspace: 2 };
  export const window = { registerFileDecorationProvider: () => ({ dispose() {} }) };
  export const workspace = { getConfiguration: () => ({ get: () => globalThis.maniculeCoverage }) };
`,
);

test("marks that are switched off while they are requested do not come", async () => {
  globalThis.maniculeCoverage = true;
  let answer;
  const asked = new Promise((resolve) => { answer = resolve; });
  const server = { running: true, onDidChange: () => ({ dispose() {} }), request: () => asked };
  const marks = new CoverageMarks(server, { debug() {} });
  globalThis.maniculeCoverage = false;
  await marks.refresh();
  answer({ folders: [{ uri: "file:///w", score: 0, folders: [], files: [{ uri: "file:///w/a.go", path: "a.go", changes: 9 }] }] });
  await asked;
  await delay(1);
  assert.equal(marks.provideFileDecoration("file:///w/a.go"), undefined);
  globalThis.maniculeCoverage = true;
  await marks.refresh(true);
  assert.equal(marks.provideFileDecoration("file:///w/a.go").badge, "☞?");
});

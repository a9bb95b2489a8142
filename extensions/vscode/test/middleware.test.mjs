// What the extension changes of what the language client does, with as much of both as that needs.
import assert from "node:assert/strict";
import test from "node:test";

import { load } from "./load.mjs";

const { middleware } = await load(
  "middleware",
  `
  export class Uri {}
  export class MarkdownString {}
  export const l10n = { t: (text) => text };
  export const commands = { executeCommand: async () => undefined };
  export const window = { showErrorMessage: async (text) => { globalThis.maniculeErrors.push(text); } };
`,
  `
  export const CodeLensResolveRequest = { type: "codeLens/resolve" };
  export const DidChangeConfigurationNotification = {};
  export const ExecuteCommandRequest = { type: "workspace/executeCommand" };
`,
);

test("a command that fails is told once, and logged", async () => {
  globalThis.maniculeErrors = [];
  const logged = [];
  const client = { sendRequest: async (type, params) => { throw new Error(`${type} ${params.command} ${params.arguments.join()}: the disk is full`); }, error: (text, _, shown) => { logged.push([text, shown]); } };
  const { executeCommand } = middleware({}, {}, () => client, []);
  const told = () => assert.fail("the language client tells of it too");
  assert.equal(await executeCommand("manicule.confirmMemory", ["u"], told), undefined);
  assert.deepEqual(globalThis.maniculeErrors, ["Manicule: workspace/executeCommand manicule.confirmMemory u: the disk is full"]);
  assert.deepEqual(logged, [["manicule.confirmMemory failed.", false]]);
});

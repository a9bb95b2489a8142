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
  export const ErrorCodes = { PendingResponseRejected: -32097, ConnectionInactive: -32096 };
  export const LSPErrorCodes = { RequestCancelled: -32800, ServerCancelled: -32802, ContentModified: -32801 };
  export class ResponseError extends Error { constructor(code, text) { super(text); this.code = code; } }
  globalThis.maniculeResponseError = ResponseError;
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

test("a command that was cancelled says nothing", async () => {
  globalThis.maniculeErrors = [];
  for (const code of [-32800, -32801, -32802, -32096, -32097]) {
    const client = { sendRequest: async () => { throw new globalThis.maniculeResponseError(code, "cancelled JSON-RPC"); }, error: () => assert.fail("it is logged") };
    const { executeCommand } = middleware({}, {}, () => client, []);
    assert.equal(await executeCommand("manicule.consolidate", []), undefined);
  }
  assert.deepEqual(globalThis.maniculeErrors, []);
});

// client.mjs SERVER FOLDER METAMODEL: talks to the server with Microsoft's own
// client library on the workspace of make_review (vscode.sh), then checks each
// message of the server twice: against the protocol's own description, and with
// TypeScript against the library's types. Prints PASS and FAIL lines.

import { spawn, spawnSync } from "node:child_process";
import { readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath, pathToFileURL } from "node:url";

import { MetaModel } from "./metamodel.mjs";

const { createProtocolConnection, StreamMessageReader, StreamMessageWriter } = createRequire(import.meta.url)("vscode-languageserver-protocol/node");
const [program, folder, modelFile] = process.argv.slice(2);
const model = await MetaModel.read(modelFile);
let [passed, failed] = [0, 0];

function report(name, ok, detail = "") {
  ok ? passed++ : failed++;
  console.log(ok ? `PASS ${name}` : `FAIL ${name}: ${detail}`);
}

/** Everything that the server said: the TypeScript type, the value, and the faults that the description finds. */
const said = [];

function keep(name, type, value, faults) {
  said.push({ name, type, value });
  if (faults.length > 0) report(`${name} fits the protocol`, false, faults.slice(0, 5).join("; "));
}

const server = spawn(program, ["lsp"], { cwd: folder, stdio: ["pipe", "pipe", "inherit"] });
const ended = new Promise((resolve) => server.on("exit", resolve));
const connection = createProtocolConnection(new StreamMessageReader(server.stdout), new StreamMessageWriter(server.stdin));

// What the server sends by itself.
const incoming = {
  "textDocument/publishDiagnostics": ["PublishDiagnosticsParams"],
  "window/showMessage": ["ShowMessageParams"],
  "window/logMessage": ["LogMessageParams"],
  "$/progress": ["{ token: ProgressToken; value: WorkDoneProgressBegin | WorkDoneProgressReport | WorkDoneProgressEnd }"],
  "window/showMessageRequest": ["ShowMessageRequestParams", () => null],
  "window/showDocument": ["ShowDocumentParams", () => ({ success: true })],
  "window/workDoneProgress/create": ["WorkDoneProgressCreateParams", () => null],
  "workspace/applyEdit": ["ApplyWorkspaceEditParams", () => ({ applied: true })],
  "workspace/configuration": ["ConfigurationParams", ({ items }) => items.map(() => null)],
  "client/registerCapability": ["RegistrationParams", () => null],
  "client/unregisterCapability": ["UnregistrationParams", () => null],
};
const refreshes = ["workspace/codeLens/refresh", "workspace/diagnostic/refresh", "workspace/inlayHint/refresh"];
const diagnostics = new Map();
let changed = 0;

for (const [method, [type, answer]] of Object.entries(incoming)) {
  const take = (params) => {
    keep(method, type, params, model.params(method, params));
    if (method === "textDocument/publishDiagnostics") diagnostics.set(params.uri, params.diagnostics);
    return answer?.(params);
  };
  if (answer) connection.onRequest(method, take);
  else connection.onNotification(method, take);
}
for (const method of refreshes) connection.onRequest(method, () => null);
connection.onNotification("manicule/changed", () => void changed++);
connection.onUnhandledNotification(({ method }) => report(`the notification ${method} is known`, false));
connection.listen();

/** Sends a request of the protocol and keeps its answer. */
async function ask(method, params, type) {
  const answer = await connection.sendRequest(method, params);
  keep(method, type, answer ?? null, model.result(method, answer));
  return answer;
}

const uriOf = (path) => pathToFileURL(join(folder, path)).href;
async function open(path, languageId) {
  const uri = uriOf(path);
  connection.sendNotification("textDocument/didOpen", { textDocument: { uri, languageId, version: 1, text: await readFile(join(folder, path), "utf8") } });
  return { uri };
}

/** Repeats a question until its answer is there. */
async function until(what, question) {
  for (let tries = 0; tries < 100; tries++) {
    const answer = await question();
    if (answer) return answer;
    await pause(100);
  }
  throw new Error(`${what} never came`);
}

const capabilities = {
  general: { positionEncodings: ["utf-16"] },
  window: { showMessage: { messageActionItem: { additionalPropertiesSupport: false } }, showDocument: { support: true }, workDoneProgress: true },
  workspace: {
    applyEdit: true, configuration: true, workspaceFolders: true, codeLens: { refreshSupport: true }, inlayHint: { refreshSupport: true },
    didChangeWatchedFiles: { dynamicRegistration: true }, didChangeConfiguration: { dynamicRegistration: true }, fileOperations: { didRename: true, willRename: true },
  },
  textDocument: {
    hover: { contentFormat: ["markdown"] }, codeLens: {}, inlayHint: {}, documentLink: {}, publishDiagnostics: { relatedInformation: true },
    codeAction: { codeActionLiteralSupport: { codeActionKind: { valueSet: ["quickfix", "refactor"] } }, dataSupport: true },
  },
};

const initialized = await ask("initialize", {
  processId: process.pid, rootUri: uriOf("."), workspaceFolders: [{ uri: uriOf("."), name: "shop" }], capabilities,
  initializationOptions: { commandLinks: true, clientLists: true, extensions: true },
}, "InitializeResult");
connection.sendNotification("initialized", {});

const textDocument = await open("auth/token.go", "go");
const lenses = await until("a lens", async () => {
  const list = await ask("textDocument/codeLens", { textDocument }, "CodeLens[] | null");
  return list?.length > 0 && list;
});
for (const lens of lenses) await ask("codeLens/resolve", lens, "CodeLens");
const position = { line: 11, character: 18 };
const hover = await ask("textDocument/hover", { textDocument, position }, "Hover | null");
report("a hover at a method with a memory", JSON.stringify(hover).includes("Redis is unreachable"), JSON.stringify(hover));
report("a hover where nothing is known is null", (await ask("textDocument/hover", { textDocument, position: { line: 9, character: 0 } }, "Hover | null")) === null);
const found = await until("diagnostics", () => diagnostics.get(textDocument.uri));
await ask("textDocument/codeAction", { textDocument, range: { start: position, end: position }, context: { diagnostics: found, triggerKind: 1 } }, "(Command | CodeAction)[] | null");

// Another server's error that a memory knows.
const audit = await open("auth/audit.go", "go");
const error = { range: { start: { line: 6, character: 1 }, end: { line: 6, character: 6 } }, message: "declared and not used: count", source: "compiler", severity: 1 };
const fixes = await ask("textDocument/codeAction", { textDocument: audit, range: error.range, context: { diagnostics: [error], only: ["quickfix"], triggerKind: 1 } }, "(Command | CodeAction)[] | null");
report("an error that was seen before has a quick fix", (fixes ?? []).some(({ title }) => title.includes("Seen before")), JSON.stringify(fixes));
report("it is a quick fix and nothing else", (fixes ?? []).every(({ kind }) => kind?.startsWith("quickfix")), JSON.stringify(fixes));

// The extension's own requests are the server's own shapes; what they name must be the protocol's.
const own = (method, params = {}) => connection.sendRequest(method, params);
const overview = await own("manicule/overview");
report("manicule/overview counts", overview.folders?.[0]?.memories > 5 && overview.folders[0].candidates === 4, JSON.stringify(overview));
for (const by of ["file", "module", "type", "state"]) {
  const tree = await own("manicule/tree", { by });
  report(`manicule/tree by ${by}`, tree.groups?.length > 0 && tree.groups.every(({ items }) => items.every(({ uuid, what }) => uuid && what)), JSON.stringify(tree).slice(0, 300));
  for (const { location } of tree.groups.flatMap(({ items }) => items)) if (location) keep("a location of manicule/tree", "Location", location, model.reference("Location", location, "location"));
}
const { items: stale } = await until("a stale memory", async () => {
  const answer = await own("manicule/stale");
  return answer.items.length > 0 && answer;
});
report("manicule/stale says why", stale.every(({ state, reason }) => state && reason), JSON.stringify(stale));
const { candidates } = await own("manicule/candidates");
report("manicule/candidates lists the drafts", candidates.length === 4, JSON.stringify(candidates));
const hits = await own("manicule/search", { text: "redis" });
report("manicule/search finds", hits[0]?.hits?.length > 0, JSON.stringify(hits));
const log = await own("manicule/log", { limit: 5 });
report("manicule/log answers", Array.isArray(log.entries), JSON.stringify(log));

// A memory's own file: links, hints, history.
const scoped = (await own("manicule/tree", { by: "type" })).groups.flatMap(({ items }) => items).find(({ what }) => what.startsWith("Tokens are kept"));
const file = { uri: scoped.uri };
connection.sendNotification("textDocument/didOpen", { textDocument: { ...file, languageId: "json", version: 1, text: await readFile(fileURLToPath(file.uri), "utf8") } });
const whole = { start: { line: 0, character: 0 }, end: { line: 60, character: 0 } };
if (initialized.capabilities.inlayHintProvider) {
  const hints = await until("a hint", async () => {
    const list = await ask("textDocument/inlayHint", { textDocument: file, range: whole }, "InlayHint[] | null");
    return list?.length > 0 && list;
  });
  report("a scope says what it matches", JSON.stringify(hints).includes("matches 2 files"), JSON.stringify(hints));
}
await ask("textDocument/documentLink", { textDocument: file }, "DocumentLink[] | null");
const { versions } = await own("manicule/history", { uuid: scoped.uuid });
report("manicule/history has both versions", versions.length === 2 && versions[0].current && JSON.parse(versions[1].text).what === "Tokens are kept for a day", JSON.stringify(versions));
await ask("workspace/symbol", { query: "redis" }, "SymbolInformation[] | WorkspaceSymbol[] | null");

const before = changed;
await ask("workspace/executeCommand", { command: "manicule.showMemories", arguments: lenses[0].command?.arguments ?? [textDocument.uri, position] }, "unknown");
await ask("workspace/executeCommand", { command: "manicule.acceptMemory", arguments: [candidates[0].uuid, { what: "As edited" }] }, "unknown");
await until("manicule/changed", () => changed > before);
report("a candidate is accepted as edited", JSON.stringify(await own("manicule/tree", { by: "type" })).includes("As edited"));
await ask("workspace/executeCommand", { command: "manicule.rejectMemory", arguments: [candidates[1].uuid, "not true"] }, "unknown");
await ask("workspace/executeCommand", { command: "manicule.rememberFile", arguments: [textDocument.uri, "All of it is old"] }, "unknown");
for (const command of initialized.capabilities.executeCommandProvider.commands) {
  try {
    await ask("workspace/executeCommand", { command }, "unknown");
  } catch (failure) {
    report(`${command} without arguments says what it needs`, failure.code === -32602, `${failure.code} ${failure.message}`);
  }
}
const unknown = await own("manicule/noSuchThing").catch(({ code }) => code);
report("an unknown method is answered with -32601", unknown === -32601, String(unknown));
await ask("shutdown", undefined, "null");
connection.sendNotification("exit");
report("the server ends with 0", (await ended) === 0);

const answers = fileURLToPath(new URL("answers.ts", import.meta.url));
const types = [...new Set(said.flatMap(({ type }) => type.match(/\b[A-Z]\w+/g) ?? []))].sort();
const lines = said.map(({ type, value }, i) => `export const answer${i}: ${type} = ${JSON.stringify(value)};`);
await writeFile(answers, `import type { ${types.join(", ")} } from "vscode-languageserver-protocol/node";\n${lines.join("\n")}\n`);
const options = ["--noEmit", "--strict", "--exactOptionalPropertyTypes", "--skipLibCheck", "--module", "nodenext", "--moduleResolution", "nodenext", "--target", "es2022", "--types", "node"];
const typescript = spawnSync(process.execPath, ["node_modules/typescript/bin/tsc", ...options, "answers.ts"], { cwd: fileURLToPath(new URL(".", import.meta.url)), encoding: "utf8" });
report(`${said.length} messages type-check against the client's library`, typescript.status === 0, typescript.stdout.slice(0, 2000));
if (typescript.status === 0) await rm(answers);
report(`and fit the protocol's description`, failed === 0, "see above");
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);

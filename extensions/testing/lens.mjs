// lens.mjs SERVER FOLDER FILE: prints the code lenses that the language server shows in a file, one a line: LINE TITLE.

import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [program, folder, name] = process.argv.slice(2);
const root = resolve(folder);
const server = spawn(resolve(program), ["lsp"], { cwd: root, stdio: ["pipe", "pipe", "inherit"] });
const waiting = new Map();
let buffer = Buffer.alloc(0);
let last = 0;

const send = (message) => {
  const body = JSON.stringify({ jsonrpc: "2.0", ...message });
  server.stdin.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
};
const ask = (method, params) =>
  new Promise((done, failed) => {
    waiting.set(++last, { done, failed });
    send({ id: last, method, params });
  });

server.stdout.on("data", (data) => {
  buffer = Buffer.concat([buffer, data]);
  for (;;) {
    const end = buffer.indexOf("\r\n\r\n");
    const length = Number(/Content-Length: (\d+)/i.exec(buffer.subarray(0, Math.max(end, 0)).toString())?.[1]);
    if (end < 0 || buffer.length < end + 4 + length) return;
    const message = JSON.parse(buffer.subarray(end + 4, end + 4 + length).toString());
    buffer = buffer.subarray(end + 4 + length);
    if (message.method && message.id !== undefined) {
      send({ id: message.id, result: message.method === "workspace/configuration" ? message.params.items.map(() => null) : null });
    } else if (waiting.has(message.id)) {
      const { done, failed } = waiting.get(message.id);
      waiting.delete(message.id);
      message.error ? failed(new Error(message.error.message)) : done(message.result);
    }
  }
});

const uri = pathToFileURL(join(root, name)).href;
await ask("initialize", { processId: process.pid, rootUri: pathToFileURL(root).href, capabilities: { textDocument: { codeLens: {} } } });
send({ method: "initialized", params: {} });
send({ method: "textDocument/didOpen", params: { textDocument: { uri, languageId: "go", version: 1, text: await readFile(join(root, name), "utf8") } } });
for (const lens of (await ask("textDocument/codeLens", { textDocument: { uri } })) ?? []) {
  const whole = lens.command ? lens : await ask("codeLens/resolve", lens);
  console.log(whole.range.start.line + 1, whole.command?.title ?? "");
}
await ask("shutdown");
send({ method: "exit" });
server.stdin.end();

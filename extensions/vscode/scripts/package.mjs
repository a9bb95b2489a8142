// package.mjs [--target TARGET] [--binary FILE] [--out FILE]: makes the .vsix.
//
// With a binary the extension carries it in bin/ and is for one platform. The
// server is partly C (cgo), so each target's binary is built on that platform:
// linux-x64, linux-arm64, darwin-x64, darwin-arm64, win32-x64, win32-arm64.
// Without one it is for all platforms, and the server is looked for on the machine.

import { execFileSync } from "node:child_process";
import { chmod, copyFile, mkdir, rm } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const targets = ["linux-x64", "linux-arm64", "darwin-x64", "darwin-arm64", "win32-x64", "win32-arm64"];
const { values } = parseArgs({ options: { target: { type: "string" }, binary: { type: "string" }, out: { type: "string", default: "manicule.vsix" } } });
const root = fileURLToPath(new URL("..", import.meta.url));
const target = values.target ?? (values.binary ? `${process.platform}-${process.arch}` : undefined);

if (target !== undefined && (!targets.includes(target) || !values.binary)) {
  console.error(`package.mjs: a target is one of ${targets.join(", ")}, and needs --binary FILE that was built for it`);
  process.exit(2);
}
const bin = resolve(root, "bin");
await rm(bin, { recursive: true, force: true });
if (values.binary) {
  await mkdir(bin);
  const program = resolve(bin, target.startsWith("win32") ? "manicule.exe" : "manicule");
  await copyFile(resolve(values.binary), program);
  await chmod(program, 0o755);
}
const out = resolve(values.out);
await mkdir(dirname(out), { recursive: true });
execFileSync(process.execPath, [resolve(root, "scripts/bundle.mjs")], { stdio: "inherit" });
const vsce = resolve(root, "node_modules/@vscode/vsce/vsce");
const options = ["package", "--no-dependencies", "--allow-missing-repository", "--skip-license", "--out", out];
execFileSync(process.execPath, [vsce, ...options, ...(target ? ["--target", target] : [])], { cwd: root, stdio: "inherit" });
await rm(bin, { recursive: true, force: true });

// package.mjs [--target TARGET] [--binary FILE] [--version VERSION] [--out FILE]: makes the .vsix.
//
// With a binary the extension carries it in bin/ and is for one platform, and so
// does the manicule-hook that lies beside it, which answers agents' hooks. A release
// builds both for every target (make release). Without a binary the extension is for
// all platforms, and the server is looked for on the machine.

import { execFileSync } from "node:child_process";
import { access, chmod, copyFile, mkdir, rm } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const targets = ["linux-x64", "linux-arm64", "darwin-x64", "darwin-arm64", "win32-x64", "win32-arm64", "alpine-x64", "alpine-arm64"];
const { values } = parseArgs({ options: { target: { type: "string" }, binary: { type: "string" }, version: { type: "string" }, out: { type: "string", default: "manicule.vsix" } } });
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
  const exe = target.startsWith("win32") ? ".exe" : "";
  const hook = resolve(dirname(values.binary), `manicule-hook${exe}`);
  await access(hook);
  for (const [from, name] of [[values.binary, "manicule"], [hook, "manicule-hook"]]) {
    const program = resolve(bin, name + exe);
    await copyFile(from, program);
    await chmod(program, 0o755);
  }
}
await copyFile(resolve(root, "../../LICENSE"), resolve(root, "LICENSE"));
await copyFile(resolve(root, "../../docs/img/vscode.png"), resolve(root, "walkthrough/hover.png"));
const out = resolve(values.out);
await mkdir(dirname(out), { recursive: true });
execFileSync(process.execPath, [resolve(root, "scripts/bundle.mjs")], { stdio: "inherit" });
const vsce = resolve(root, "node_modules/@vscode/vsce/vsce");
const options = ["package", "--no-dependencies", "--out", out];
const version = values.version ? [values.version, "--no-update-package-json"] : [];
execFileSync(process.execPath, [vsce, ...options, ...version, ...(target ? ["--target", target] : [])], { cwd: root, stdio: "inherit" });
await rm(bin, { recursive: true, force: true });
for (const name of ["LICENSE", "walkthrough/hover.png"]) await rm(resolve(root, name), { force: true });

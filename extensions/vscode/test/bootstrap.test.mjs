// The search for the server, without VS Code: node --test.
import assert from "node:assert/strict";
import { chmod, mkdtemp, mkdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { after, before } from "node:test";
import { pathToFileURL } from "node:url";

import { build } from "esbuild";

let dir, findServer, ServerNotFoundError;

before(async () => {
  dir = await mkdtemp(join(tmpdir(), "manicule-bootstrap-"));
  const outfile = join(dir, "bootstrap.mjs");
  await build({ entryPoints: [new URL("../src/bootstrap.ts", import.meta.url).pathname], outfile, bundle: true, format: "esm", platform: "node", logLevel: "error" });
  ({ findServer, ServerNotFoundError } = await import(pathToFileURL(outfile).href));
});
after(() => rm(dir, { recursive: true, force: true }));

const bundled = join("/ext", "bin", "manicule");
const all = ["/set/manicule", "/env/manicule", bundled, "/b/manicule"];

const cases = [
  { name: "the setting is first", setting: "/set/manicule", env: { MANICULE_BIN: "/env/manicule" }, programs: all, want: ["/set/manicule", "setting"] },
  { name: "then the environment", env: { MANICULE_BIN: "/env/manicule", MANICULE_SERVER: "/old" }, programs: all, want: ["/env/manicule", "environment"] },
  { name: "under the name that Neovim's plugin knows too", env: { MANICULE_SERVER: "/env/manicule" }, programs: all, want: ["/env/manicule", "environment"] },
  { name: "then the bundled one", env: { PATH: "/a:/b" }, programs: all, want: [bundled, "bundled"] },
  { name: "then PATH, in its order", env: { PATH: "/a::/b" }, programs: ["/b/manicule", "/c/manicule"], want: ["/b/manicule", "PATH"] },
  { name: "no folder that depends on where the editor was started", env: { PATH: ".:bin:/b" }, programs: ["manicule", "bin/manicule", "/b/manicule"], want: ["/b/manicule", "PATH"] },
  { name: "Windows has its own names", platform: "win32", env: { Path: "/a;/b" }, programs: [join("/b", "manicule.exe")], want: [join("/b", "manicule.exe"), "PATH"] },
  { name: "a wrong setting is said, not skipped", setting: "/no", env: { PATH: "/b" }, programs: all, error: /setting manicule\.server\.path names \/no/ },
  { name: "a wrong variable is said, not skipped", env: { MANICULE_BIN: "/no", PATH: "/b" }, programs: all, error: /MANICULE_BIN names \/no/ },
  { name: "nothing found says what to do", env: {}, programs: [], error: /Install it, or name it in the setting manicule\.server\.path/ },
];

for (const { name, setting = "", env, platform = "linux", programs, want, error } of cases) {
  test(name, async () => {
    const found = findServer({ setting, env, extensionPath: "/ext", platform }, async (file) => programs.includes(file));
    if (error) {
      await assert.rejects(found, (thrown) => thrown instanceof ServerNotFoundError && error.test(thrown.message));
    } else {
      assert.deepEqual(Object.values(await found), want);
    }
  });
}

test("on disk: a folder and a file without the right to run it are no programs", async () => {
  const [folder, file, program] = ["folder", "file", "program"].map((name) => join(dir, name));
  await mkdir(folder);
  await writeFile(file, "");
  await chmod(file, 0o644);
  await writeFile(program, "#!/bin/sh\n");
  await chmod(program, 0o755);
  const find = (setting) => findServer({ setting, env: {}, extensionPath: dir, platform: "linux" });
  await assert.rejects(find(folder), ServerNotFoundError);
  await assert.rejects(find(file), ServerNotFoundError);
  assert.equal((await find(program)).command, program);
});

// The process of the server: why it is over, and that nothing is left of one that nobody waits for.
import assert from "node:assert/strict";
import test from "node:test";

import { load } from "./load.mjs";

const { Program } = await load("program");

const shell = (text) => new Program("/bin/sh", ["-c", text], undefined);

test("a program that ends says why, with its last words", async () => {
  const program = shell("echo one >&2; echo 'the library is missing' >&2; exit 127");
  await program.start();
  assert.equal(await program.ends(), true);
  assert.equal(program.why, "/bin/sh: it ended with code 127 (the library is missing)");
});

test("one that can't be run says so", async () => {
  const program = new Program("/nowhere/manicule", ["lsp"], undefined);
  await assert.rejects(program.start(), /^Error: \/nowhere\/manicule: spawn \/nowhere\/manicule ENOENT$/);
});

test("one that nobody waits for is ended", async () => {
  const program = shell("exec sleep 1000");
  const child = await program.start();
  await program.kill();
  assert.deepEqual([program.killed, child.signalCode], [true, "SIGTERM"]);
});

test("one that nobody waits for any longer is not started", async () => {
  const program = shell("exec sleep 1000");
  await program.kill();
  await assert.rejects(program.start(), /ended by SIGTERM/);
});

test("one that does not end when it is told to is ended", async () => {
  const program = shell("trap '' TERM; echo ready >&2; while :; do sleep 0.1; done");
  const child = await program.start();
  await new Promise((resolve) => child.stderr.once("data", resolve));
  const over = new Promise((resolve) => child.once("exit", resolve));
  assert.equal(await program.ends(), false);
  await over;
  assert.equal(child.signalCode, "SIGKILL");
});

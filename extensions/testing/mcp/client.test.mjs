// A client written with the TypeScript SDK against the real server: what agents
// built on that SDK do. MANICULE_SERVER is the program, MANICULE_E2E_WORKSPACE a
// workspace with a memory (see run-mcp.sh).
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readdirSync } from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import {
	ListRootsRequestSchema,
	LoggingMessageNotificationSchema,
	ResourceListChangedNotificationSchema,
	ResourceUpdatedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";

const server = process.env.MANICULE_SERVER;
const root = process.env.MANICULE_E2E_WORKSPACE;
assert.ok(server && root, "MANICULE_SERVER and MANICULE_E2E_WORKSPACE are needed");

/** Runs the program as a person at a shell would. */
function manicule(...args) {
	return new Promise((resolve, reject) => {
		const child = spawn(server, args, { cwd: root, stdio: ["ignore", "pipe", "inherit"] });
		let out = "";
		child.stdout.on("data", (d) => (out += d));
		child.on("error", reject);
		child.on("close", (code) => (code === 0 ? resolve(out) : reject(new Error(`manicule ${args.join(" ")}: exit code ${code}`))));
	});
}

/** A promise of the next notification that passes a test. */
function next(client, schema, ok = () => true) {
	return new Promise((resolve, reject) => {
		const late = setTimeout(() => reject(new Error("no notification came")), 10_000);
		client.setNotificationHandler(schema, (n) => {
			if (ok(n)) {
				clearTimeout(late);
				resolve(n);
			}
		});
	});
}

const client = new Client({ name: "ts-client", version: "1.0.0" }, { capabilities: { roots: { listChanged: true } } });
let transport;

before(async () => {
	client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [{ uri: pathToFileURL(root).href, name: "workspace" }] }));
	// Started elsewhere: the roots decide.
	transport = new StdioClientTransport({ command: server, args: ["mcp", "--structured"], cwd: path.dirname(root), env: process.env, stderr: "inherit" });
	await client.connect(transport);
});

after(() => client.close());

const text = (r) => r.content.map((c) => c.text).join("\n");
// The memories of an answer: rows, whose members are named once.
const memories = ({ structuredContent: { columns = "", items } }) => items.map((row) => Object.fromEntries(columns.split(" ").map((name, i) => [name, row[i]])));

test("it says what it can do", () => {
	const c = client.getServerCapabilities();
	assert.ok(c.tools && c.prompts && c.resources.subscribe && c.resources.listChanged && c.logging && c.completions);
	assert.match(client.getInstructions(), /recall/);
	assert.equal(client.getServerVersion().name, "manicule");
});

test("the tools have schemas and annotations", async () => {
	const { tools } = await client.listTools(); // the client keeps the output schemas and checks every answer
	assert.equal(tools.length, 11);
	for (const t of tools) {
		assert.equal(t.inputSchema.type, "object", t.name);
		assert.equal(t.outputSchema.type, "object", t.name);
		assert.equal(t.annotations.openWorldHint, false, t.name);
		assert.ok(t.description.length < 300, t.name);
	}
});

test("recall, in short and in full", async () => {
	const r = await client.callTool({ name: "recall", arguments: { paths: ["auth/token.go"] } });
	assert.ok(!r.isError, text(r));
	assert.match(text(r), /^☞/);
	const [item] = memories(r);
	assert.ok(item.what && item.source, JSON.stringify(r.structuredContent));
	const full = await client.callTool({ name: "recall", arguments: { ids: [item.id] } });
	assert.equal(memories(full)[0].id, item.id);
});

test("an error says what to do", async () => {
	const r = await client.callTool({ name: "recall", arguments: { paths: ["/etc/passwd"] } });
	assert.ok(r.isError);
	assert.match(text(r), /outside of the workspace.*Try:/s);
	await assert.rejects(client.callTool({ name: "nothing", arguments: {} }));
});

test("search, impact, graph, context, session, stats", async () => {
	for (const [name, args] of [
		["search", { query: "token" }],
		["impact", { targets: ["auth/token.go"] }],
		["graph", { target: "auth/token.go" }],
		["context", { task: "change the token", paths: ["auth/token.go"] }],
		["session", {}],
		["stats", {}],
	]) {
		const r = await client.callTool({ name, arguments: args });
		assert.ok(!r.isError, `${name}: ${text(r)}`);
		assert.match(text(r), /^☞ Manicule/, name);
		assert.match(r.structuredContent.note, /^☞/, name);
	}
});

test("what an agent writes waits for a person", async () => {
	const files = () => readdirSync(path.join(root, ".manicule"), { recursive: true }).filter((f) => f.endsWith(".json")).length;
	const n = files();
	const r = await client.callTool({ name: "remember", arguments: { what: "Tokens of the sandbox never expire", at: ["auth/token.go"] } });
	const { draft } = r.structuredContent;
	assert.ok(draft, text(r));
	assert.equal(files(), n);
	const { drafts } = JSON.parse(await manicule("review", "list", "--json"));
	assert.equal(drafts.filter((d) => d.tool === "ts-client").length, 1);
	const gone = await client.callTool({ name: "forget", arguments: { id: draft, reason: "wrong" } });
	assert.match(text(gone), /taken back/);
});

test("resources, and what changes them", async () => {
	const { resources } = await client.listResources();
	assert.ok(resources.some((r) => r.uri === "manicule://topic/MEMORY.md"), "no topic is listed");
	const memory = resources.find((r) => r.uri.startsWith("manicule://memory/"));
	const read = await client.readResource({ uri: memory.uri });
	assert.ok(JSON.parse(read.contents[0].text).what);
	const { resourceTemplates } = await client.listResourceTemplates();
	assert.equal(resourceTemplates.length, 2);
	await client.subscribeResource({ uri: memory.uri });
	const updated = next(client, ResourceUpdatedNotificationSchema, (n) => n.params.uri === memory.uri);
	const changed = next(client, ResourceListChangedNotificationSchema);
	await manicule("edit", memory.name, "--why", "changed by a person");
	await Promise.all([updated, changed]);
	await client.unsubscribeResource({ uri: memory.uri });
	const { completion } = await client.complete({
		ref: { type: "ref/resource", uri: "manicule://memory/{id}" },
		argument: { name: "id", value: memory.name.slice(0, 5) },
	});
	assert.ok(completion.values.includes(memory.name));
});

test("prompts", async () => {
	const { prompts } = await client.listPrompts();
	assert.deepEqual(prompts.map((p) => p.name).sort(), ["ask", "handoff", "onboard", "plan"]);
	const p = await client.getPrompt({ name: "ask", arguments: { question: "what about tokens?" } });
	assert.match(p.messages[0].content.text, /no instructions/);
});

test("logging has a level", async () => {
	client.setNotificationHandler(LoggingMessageNotificationSchema, () => {});
	await client.setLoggingLevel("warning");
	await client.ping();
});

test("many calls at once, some of them given up", async () => {
	const calls = Array.from({ length: 60 }, (_, i) => {
		const gone = new AbortController();
		const call = client.callTool({ name: i % 2 ? "recall" : "search", arguments: { query: `token ${i}` } }, undefined, { signal: gone.signal });
		if (i % 5 === 0) gone.abort();
		return call.then(() => "answered", () => "given up");
	});
	const ends = await Promise.all(calls);
	assert.ok(ends.filter((e) => e === "answered").length >= 48, ends.join());
	await client.ping();
});

test("it ends with its client", async () => {
	const other = new Client({ name: "short", version: "1" });
	const t = new StdioClientTransport({ command: server, args: ["mcp", "--root", root], env: process.env, stderr: "inherit" });
	await other.connect(t);
	const { pid } = t;
	await other.callTool({ name: "stats", arguments: {} });
	const begin = Date.now();
	await other.close();
	while (Date.now() - begin < 5000) {
		try {
			process.kill(pid, 0);
		} catch {
			return;
		}
		await new Promise((r) => setTimeout(r, 20));
	}
	assert.fail("the process lives on");
});

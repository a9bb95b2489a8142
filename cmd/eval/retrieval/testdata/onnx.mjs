// Embeds with onnxruntime of Node what the product embeds, and prints what it
// takes as one line of JSON. Arguments: a folder with node_modules
// (onnxruntime-node, @huggingface/tokenizers), the model's folder, threads, and
// the texts as JSON. EVAL_RETRIEVAL_START is when it was started, in nanoseconds.
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";

const [packages, model, threads, texts] = process.argv.slice(2);
const require = createRequire(packages + "/package.json");
const ort = require("onnxruntime-node");
const { Tokenizer } = require("@huggingface/tokenizers");

const started = Number(BigInt(process.env.EVAL_RETRIEVAL_START) / 1000n) / 1000; // ms
const maxTokens = 256;
const tokenizer = new Tokenizer(JSON.parse(readFileSync(model + "/tokenizer.json", "utf8")), {});
const session = await ort.InferenceSession.create(model + "/model.onnx", {
  intraOpNumThreads: Number(threads),
  extra: { session: { intra_op: { allow_spinning: "0" } } },
});

function cut(text) {
  const ids = tokenizer.encode(text).ids;
  return ids.length <= maxTokens ? ids : [...ids.slice(0, maxTokens - 1), ids.at(-1)];
}

async function embed(list) {
  const ids = list.map(cut);
  const width = Math.max(...ids.map((x) => x.length));
  const shape = [ids.length, width];
  const [tokens, mask, kinds] = [0, 1, 2].map(() => new BigInt64Array(ids.length * width));
  ids.forEach((row, i) => row.forEach((id, j) => { tokens[i * width + j] = BigInt(id); mask[i * width + j] = 1n; }));
  const all = { input_ids: tokens, attention_mask: mask, token_type_ids: kinds };
  const feeds = {};
  for (const name of session.inputNames) feeds[name] = new ort.Tensor("int64", all[name], shape);
  const out = (await session.run(feeds))[session.outputNames[0]];
  const [n, w, dims] = out.dims.length === 3 ? out.dims : [out.dims[0], 1, out.dims[1]];
  return Array.from({ length: n }, (_, i) => {
    const v = new Float32Array(dims);
    for (let j = 0; j < w; j++) if (w === 1 || mask[i * width + j]) for (let d = 0; d < dims; d++) v[d] += out.data[(i * w + j) * dims + d];
    const length = Math.hypot(...v);
    return v.map((x) => x / length);
  });
}

const [short, medium, long] = JSON.parse(texts);
const first = (await embed([short]))[0];
const load = performance.timeOrigin + performance.now() - started;
const single = [];
for (const text of [short, medium, long]) {
  const ms = [];
  for (const begin = performance.now(); ms.length < 5 || (ms.length < 60 && performance.now() - begin < 4000); ) {
    const t = performance.now();
    await embed([text]);
    ms.push(performance.now() - t);
  }
  single.push(ms.sort((a, b) => a - b)[ms.length >> 1]);
}
const many = Array.from({ length: 64 }, (_, i) => `${i} ${medium}`);
const begin = performance.now();
for (let i = 0; i < many.length; i += 16) await embed(many.slice(i, i + 16));
const batch = many.length / ((performance.now() - begin) / 1000);
const field = (name) => (Number(readFileSync("/proc/self/status", "utf8").match(new RegExp(name + ":\\s+(\\d+)"))[1]) * 1024) / 1e6;
console.log(JSON.stringify({ load, single, batch, rss: field("VmRSS"), peak: field("VmHWM"), version: require("onnxruntime-node/package.json").version, vector: Array.from(first) }));

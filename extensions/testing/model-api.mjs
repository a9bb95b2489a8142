// model-api.mjs SCRIPT LOG: a stand-in for a model's API on loopback, for driving
// the real agents without an account, a network or a model.
//
// SCRIPT is a JSON file with the tool calls that the "model" makes, one a turn:
// [{"name": "Read", "input": {…}}, …]; after the last it says that it is done.
// LOG gets one line for each request: the number of tool results so far, the
// names of the tools that were offered, and the request as it came.
// Prints the port that it listens on.
import { appendFileSync, readFileSync } from "node:fs"
import { createServer } from "node:http"

const [script, log] = [JSON.parse(readFileSync(process.argv[2], "utf8")), process.argv[3]]

// results counts the tool results in a request: the turn that it asks for.
function results(messages) {
  const blocks = messages.flatMap((m) => (Array.isArray(m.content) ? m.content : []))
  return blocks.filter((b) => b.type === "tool_result").length
}

function answer(request) {
  const turn = results(request.messages)
  const tools = (request.tools ?? []).map((t) => t.name)
  appendFileSync(log, JSON.stringify({ turn, tools, request }) + "\n")
  const call = tools.length > 0 ? script[turn] : undefined // small side requests offer no tools
  const block = call ? { type: "tool_use", id: `toolu_${turn}`, name: call.name, input: call.input } : { type: "text", text: "done" }
  return {
    block,
    message: {
      id: `msg_${turn}`,
      type: "message",
      role: "assistant",
      model: request.model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { input_tokens: 1, output_tokens: 1 },
    },
    stop: call ? "tool_use" : "end_turn",
  }
}

/** sender begins a stream of events, and returns what sends one. */
function sender(response) {
  response.writeHead(200, { "content-type": "text/event-stream" })
  return (type, data) => response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`)
}

/** streamResponse answers a request of the Responses API, which Codex speaks. */
function streamResponse(response, request) {
  const turn = request.input.filter(({ type }) => type === "function_call_output").length
  const tools = (request.tools ?? []).map((t) => t.name ?? t.type)
  appendFileSync(log, JSON.stringify({ turn, tools, request }) + "\n")
  const call = tools.length > 0 ? script[turn] : undefined
  const item = call
    ? { type: "function_call", id: `fc_${turn}`, call_id: `call_${turn}`, name: call.name, namespace: call.namespace, arguments: JSON.stringify(call.input) }
    : { type: "message", role: "assistant", id: `msg_${turn}`, content: [{ type: "output_text", text: "done" }] }
  const send = sender(response)
  send("response.created", { response: { id: `resp_${turn}` } })
  send("response.output_item.done", { output_index: 0, item })
  const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2, input_tokens_details: null, output_tokens_details: null }
  send("response.completed", { response: { id: `resp_${turn}`, usage } })
  response.end()
}

/** generate answers a request of the Gemini API, as one message or as a stream of one event. */
function generate(response, url, request) {
  const turn = (request.contents ?? []).flatMap(({ parts }) => parts ?? []).filter((p) => p.functionResponse).length
  const tools = (request.tools ?? []).flatMap((t) => t.functionDeclarations ?? []).map((t) => t.name)
  appendFileSync(log, JSON.stringify({ turn, tools, request }) + "\n")
  const call = tools.length > 0 ? script[turn] : undefined
  const part = call ? { functionCall: { name: call.name, args: call.input } } : { text: "done" }
  const usageMetadata = { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 }
  const said = JSON.stringify({ candidates: [{ content: { role: "model", parts: [part] }, finishReason: "STOP", index: 0 }], usageMetadata })
  const streamed = url.includes(":streamGenerateContent")
  response.writeHead(200, { "content-type": streamed ? "text/event-stream" : "application/json" })
  response.end(streamed ? `data: ${said}\r\n\r\n` : said)
}

function stream(response, { block, message, stop }) {
  const send = sender(response)
  send("message_start", { message })
  const empty = block.type === "text" ? { type: "text", text: "" } : { ...block, input: {} }
  const delta = block.type === "text" ? { type: "text_delta", text: block.text } : { type: "input_json_delta", partial_json: JSON.stringify(block.input) }
  send("content_block_start", { index: 0, content_block: empty })
  send("content_block_delta", { index: 0, delta })
  send("content_block_stop", { index: 0 })
  send("message_delta", { delta: { stop_reason: stop, stop_sequence: null }, usage: { output_tokens: 1 } })
  send("message_stop", {})
  response.end()
}

const server = createServer((request, response) => {
  let body = ""
  request.on("data", (chunk) => (body += chunk))
  request.on("end", () => {
    const json = (status, value) => {
      response.writeHead(status, { "content-type": "application/json" })
      response.end(JSON.stringify(value))
    }
    if (request.url.startsWith("/v1/responses")) return streamResponse(response, JSON.parse(body))
    if (request.url.includes("enerateContent")) return generate(response, request.url, JSON.parse(body))
    if (!request.url.startsWith("/v1/messages")) return json(404, { type: "error", error: { type: "not_found_error", message: "not here" } })
    if (request.url.includes("count_tokens")) return json(200, { input_tokens: 1 })
    const said = answer(JSON.parse(body))
    if (JSON.parse(body).stream) return stream(response, said)
    json(200, { ...said.message, content: [said.block], stop_reason: said.stop })
  })
})
server.listen(0, "127.0.0.1", () => console.log(server.address().port))

// Written by `manicule init`; `manicule init --undo` removes it.
// It passes OpenCode's events to Manicule and adds what Manicule has to say to
// what the model reads. A failure of any kind means silence.
import { spawn } from "node:child_process"

const command = "if command -v manicule >/dev/null 2>&1; then manicule hook opencode || true; fi"
const patience = { start: 5000, other: 1500 } // milliseconds; on a busy machine a process may need one to begin

function ask(cwd, event) {
  return new Promise((resolve) => {
    let out = ""
    let timer
    const done = (text) => {
      clearTimeout(timer)
      resolve(text)
    }
    try {
      const child = spawn(command, { cwd, shell: true, stdio: ["pipe", "pipe", "ignore"] })
      timer = setTimeout(() => done(""), event.hook_event_name === "session.start" ? patience.start : patience.other) // it ends by itself, and logs the event
      child.on("error", () => done(""))
      child.stdin.on("error", () => {})
      child.stdout.on("data", (chunk) => (out += chunk))
      child.on("close", () => {
        try {
          done(JSON.parse(out).context ?? "")
        } catch {
          done("")
        }
      })
      child.stdin.end(JSON.stringify({ client: "opencode", cwd, ...event }))
    } catch {
      done("")
    }
  })
}

// tell passes an event on that nobody waits for. OpenCode may exit meanwhile.
function tell(cwd, event) {
  try {
    const child = spawn(command, { cwd, shell: true, detached: process.platform !== "win32", stdio: ["pipe", "ignore", "ignore"] })
    child.on("error", () => {})
    child.stdin.on("error", () => {})
    child.stdin.end(JSON.stringify({ client: "opencode", cwd, ...event }))
    child.unref()
  } catch {}
}

// outcome is what became of a command: its exit code and, where it failed, the end of
// what it printed.
function outcome(output) {
  const exit = output.metadata?.exit
  if (typeof exit !== "number") return {}
  return exit === 0 ? { exit } : { exit, error: output.output.slice(-4000) }
}

export const Manicule = async ({ directory }) => {
  const briefs = new Map() // by session: the same text in each request keeps the prompt cache warm
  const start = (session_id, source) => {
    const brief = ask(directory, { hook_event_name: "session.start", session_id, source })
    briefs.set(session_id, brief)
    return brief
  }
  return {
    event: async ({ event }) => {
      const session = event?.properties?.sessionID
      if (event?.type === "session.idle" && session) tell(directory, { hook_event_name: "session.idle", session_id: session })
      if (event?.type === "session.compacted" && session) start(session, "compact")
      if (event?.type === "session.deleted") briefs.delete(event?.properties?.info?.id ?? session)
    },
    "chat.message": async (input, output) => {
      const prompt = (output?.parts ?? [])
        .filter((part) => part?.type === "text" && !part.synthetic)
        .map((part) => part.text)
        .join("\n")
      if (/^\/(remember|forget)\b/.test(prompt)) await ask(directory, { hook_event_name: "chat.message", session_id: input.sessionID, prompt })
    },
    "experimental.chat.system.transform": async (input, output) => {
      if (!input?.sessionID || !Array.isArray(output?.system)) return
      const brief = await (briefs.get(input.sessionID) ?? start(input.sessionID, "startup"))
      if (brief) output.system.push(brief)
    },
    "tool.execute.after": async (input, output) => {
      if (typeof output?.output !== "string") return
      const context = await ask(directory, {
        hook_event_name: "tool.execute.after",
        session_id: input.sessionID,
        tool_use_id: input.callID,
        tool_name: input.tool,
        tool_input: input.args ?? {},
        ...outcome(output),
      })
      if (context) output.output += "\n\n" + context
    },
  }
}

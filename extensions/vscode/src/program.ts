// The process of the server: it is started, watched and ended. It must not know VS Code, so that
// it can be tested without it.

import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";

import { t } from "./l10n";

/** How long a program that was told to end has for it, in milliseconds. */
const endsWithin = 2000;

/** How much of what it says last is kept, in characters. */
const lastWords = 300;

/** One run of the server's program. */
export class Program {
  private child: ChildProcessWithoutNullStreams | undefined;
  private end: () => void = () => undefined;
  /** Resolves when it was started and is over, or could not be run. */
  readonly over = new Promise<void>((resolve) => { this.end = resolve; });
  private said = "";
  private failure = "";
  /** Whether nobody waits for it any longer. */
  killed = false;

  constructor(
    private readonly command: string,
    private readonly args: readonly string[],
    private readonly cwd: string | undefined,
  ) {}

  /** Starts it. Rejects if it can't be run. */
  async start(): Promise<ChildProcessWithoutNullStreams> {
    if (this.killed) throw new Error(t("it was ended by {0}", "SIGTERM"));
    const child = spawn(this.command, this.args, { cwd: this.cwd, windowsHide: true });
    this.child = child;
    child.stderr.on("data", (bytes: Buffer) => {
      this.said = (this.said + bytes.toString()).slice(-lastWords);
    });
    child.stdin.on("error", () => undefined); // its end says more than that nobody reads
    child.on("error", (error) => {
      this.failure = error.message;
      this.end();
    });
    child.on("exit", (code, signal) => {
      this.failure = code === null ? t("it was ended by {0}", signal ?? "") : t("it ended with code {0}", code);
    });
    child.on("close", this.end);
    await Promise.race([new Promise((resolve) => child.once("spawn", resolve)), this.over]);
    if (child.pid === undefined) throw new Error(this.why);
    return child;
  }

  /** Why it is over: how it ended, with the last line of what it said. */
  get why(): string {
    const line = this.said.trim().split(/\r?\n/u).at(-1) ?? "";
    return [this.command, ": ", this.failure, line === "" ? "" : ` (${line})`].join("");
  }

  /** Ends it because nobody waits for it any longer. */
  async kill(): Promise<void> {
    this.killed = true;
    await this.terminate();
  }

  /** Waits a moment for its end, and then ends it; resolves to whether it ended by itself. */
  async ends(): Promise<boolean> {
    if (await this.endsSoon()) return true;
    await this.terminate();
    return false;
  }

  private async terminate(): Promise<void> {
    const { child } = this;
    if (!child) return;
    child.kill("SIGTERM");
    if (!(await this.endsSoon())) child.kill("SIGKILL");
  }

  private endsSoon(): Promise<boolean> {
    if (!this.child) return Promise.resolve(true);
    return Promise.race([this.over.then(() => true), delay(endsWithin, false, { ref: false })]);
  }
}

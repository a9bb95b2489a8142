// Finds the program in the package of this platform, of which npm installs one.
"use strict";

const { spawnSync, execFileSync } = require("node:child_process");

const packages = {{json .NPMPackages}};

function musl() {
  if (process.platform !== "linux") return false;
  const report = process.report && process.report.getReport();
  if (report && report.header) return !report.header.glibcVersionRuntime;
  try {
    return String(execFileSync("ldd", ["--version"], { stdio: "pipe" })).includes("musl");
  } catch {
    return false;
  }
}

function program(name) {
  const key = process.platform + "-" + process.arch;
  const candidates = [musl() ? key + "-musl" : key, key + "-musl"].filter((k) => packages[k]);
  const file = "bin/" + name + (process.platform === "win32" ? ".exe" : "");
  for (const k of candidates) {
    try {
      return require.resolve(packages[k] + "/" + file);
    } catch {
      // another one, or none
    }
  }
  console.error("{{.Name}}: no program for " + key + " is installed.");
  console.error(candidates.length ? "try: npm install " + packages[candidates[0]] + " (optional dependencies were left out)" : "try: {{.Homepage}} lists the platforms");
  process.exit(1);
}

exports.run = function (name) {
  const end = spawnSync(program(name), process.argv.slice(2), { stdio: "inherit", windowsHide: true });
  if (end.error) {
    console.error("{{.Name}}: " + end.error.message);
    process.exit(1);
  }
  if (end.signal) process.kill(process.pid, end.signal);
  process.exit(end.status);
};

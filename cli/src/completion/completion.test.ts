import { execFileSync, spawnSync } from "node:child_process";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { capturedIo } from "../../testing/terminal/io.js";
import { buildProgram, commandPath, everyCommand } from "../program.js";
import { runCli } from "../run.js";
import { argumentKind } from "./values.js";

async function script(shell: string): Promise<string> {
  const io = capturedIo();
  expect(await runCli(["completion", shell], io)).toBe(0);
  return io.out();
}

/** Bash's completions for a line that ends in the word to complete. */
async function offered(...words: string[]): Promise<string[]> {
  const quoted = words.map((word) => `'${word}'`).join(" ");
  const program = `${await script("bash")}
COMP_WORDS=(consilium ${quoted}); COMP_CWORD=${words.length}; _consilium; printf '%s\\n' "\${COMPREPLY[@]}"`;
  return execFileSync("bash", ["-c", program], { encoding: "utf8", cwd: "/" }).split("\n").filter(Boolean);
}

describe("completion", () => {
  it("offers bash the commands and subcommands", async () => {
    expect(await offered("st")).toEqual(["standby", "study"]);
    expect(await offered("study", "")).toEqual([
      "new",
      "schema",
      "validate",
      "plan",
      "calibrate",
      "start",
      "list",
      "show",
      "watch",
      "cancel",
      "resume",
      "accept",
      "proceed",
      "extend",
      "logs",
      "questions",
      "answer",
      "clone",
      "diff",
    ]);
    expect(await offered("completion", "z")).toEqual(["zsh"]);
  });

  it("offers a command's own and global options, also after an option with a value", async () => {
    expect(await offered("invite", "--e")).toEqual(["--expires"]);
    expect(await offered("--home", "study", "invite", "st-mary", "--j")).toEqual(["--json"]);
    expect(await offered("study", "watch", "--time")).toEqual(["--timeout"]);
    expect(await offered("study", "plan", "--time")).toEqual([]);
  });

  it("offers files for a file or value argument", async () => {
    expect(await offered("study", "plan", "/et")).toEqual(["/etc"]);
    expect(await offered("release", "verify", "--authority", "/et")).toEqual(["/etc"]);
  });

  it("offers an option's values", async () => {
    expect(await offered("site", "enroll", "--approval", "")).toEqual(["person", "automatic"]);
    expect(await offered("site", "enroll", "--approval", "a")).toEqual(["automatic"]);
  });

  it("asks the program for ids, with the typed words", async () => {
    const answered = async (...words: string[]) => {
      const quoted = words.map((word) => `'${word}'`).join(" ");
      const program = `consilium() { echo "$1-$2"; shift 2; printf '%s\\n' "$@"; }
${await script("bash")}
COMP_WORDS=(consilium ${quoted}); COMP_CWORD=${words.length}; _consilium; printf '%s\\n' "\${COMPREPLY[@]}"`;
      return execFileSync("bash", ["-c", program], { encoding: "utf8", cwd: "/" })
        .split("\n")
        .filter(Boolean);
    };
    expect(await answered("study", "watch", "")).toEqual(["__complete-studies", "study", "watch"]);
    expect(await answered("--home", "/x", "expel", "__")).toEqual(["__complete-sites"]);
    expect(await answered("serve", "site", "--site", "__")).toEqual(["__complete-own-sites"]);
    expect(await answered("site", "approve", "__")).toEqual(["__complete-offered"]);
  });

  it("prints ids one per line, and nothing without an answer", async () => {
    const home = await mkdtemp(join(tmpdir(), "consilium-completion-"));
    try {
      await mkdir(join(home, "sites", "st-mary"), { recursive: true });
      const values = async (...words: string[]) => {
        const io = capturedIo({ environment: { CONSILIUM_HOME: "/nowhere" } });
        expect(await runCli(["__complete", ...words], io)).toBe(0);
        expect(io.err()).toBe("");
        return io.out();
      };
      expect(await values("own-sites", "--home", home, "serve", "site", "--site")).toBe("st-mary\n");
      expect(await values("own-sites", `--home=${home}`)).toBe("st-mary\n");
      // Unusual ports: a federation on this machine may answer on the default ones.
      const nowhere = ["--publisher", "http://127.0.0.1:1", "--aggregator", "http://127.0.0.1:1"];
      for (const kind of ["own-sites", "studies", "sites", "offered", "releases", "nonsense"])
        expect(await values(kind, ...nowhere), kind).toBe("");
    } finally {
      await rm(home, { recursive: true });
    }
  });

  it("knows the source of ids for every id argument", async () => {
    // Token ids come from `token list` and are not completed.
    const commands = everyCommand((await buildProgram(async () => {}, {})).root).filter(
      (command) => commandPath(command) !== "token revoke",
    );
    const named = commands.filter((command) =>
      command.registeredArguments.some((argument) => argument.name() === "id"),
    );
    for (const command of named) expect(argumentKind(command), commandPath(command)).not.toBeNull();
    expect(named.length).toBeGreaterThan(3);
  });

  it("knows every verb in every shell", async () => {
    const verbs = everyCommand((await buildProgram(async () => {}, {})).root).map(commandPath);
    for (const shell of ["bash", "zsh", "fish"]) {
      const text = await script(shell);
      for (const verb of verbs) expect(text, `${shell}: ${verb}`).toContain(`"${verb}"`);
    }
  });

  it.each(["zsh", "fish"])("is a valid %s script, if that shell is installed", async (shell) => {
    const checked = spawnSync(shell, ["-n"], { input: await script(shell), encoding: "utf8" });
    // Skipped without the shell on this machine; bash is always tested above.
    if (checked.error !== undefined) return;
    expect(checked.stderr).toBe("");
    expect(checked.status).toBe(0);
  });

  it("refuses an unknown shell", async () => {
    const io = capturedIo();
    expect(await runCli(["completion", "cmd"], io)).toBe(2);
    expect(io.err()).toContain("Allowed choices are bash, zsh, fish");
  });
});

import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const module = fileURLToPath(new URL("./rejections.ts", import.meta.url));

/** Runs a process in which a promise is rejected with a record's value. */
function run(isGuarded: boolean) {
  const guard = `(await import(${JSON.stringify(module)})).outliveRejections(() => console.error("told"));`;
  const code = `${isGuarded ? guard : ""}
    Promise.reject(new Error("glucose 417"));
    await new Promise((resolve) => setTimeout(resolve, 50));
    console.log("serves on");`;
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ["--import", "tsx", "--input-type=module", "--eval", code],
    { encoding: "utf8" },
  );
  return { status, stdout: stdout.trim(), stderr };
}

it("outlives a rejected promise and shows nothing of its reason", () => {
  expect(run(true)).toEqual({ status: 0, stdout: "serves on", stderr: "told\n" });
});

it("is needed: otherwise the value is printed and the process ends", () => {
  const { status, stdout, stderr } = run(false);
  expect([status, stdout]).toEqual([1, ""]);
  expect(stderr).toContain("glucose 417");
});

import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const kernels = new URL("../../kernels/dist/open.js", import.meta.url).href;

/** Idle workers keep no process alive, and all the same a process that waits for their end must see it. */
it("close() settles in a process that has nothing else to do", async () => {
  const program = `
    const { openKernels } = await import(${JSON.stringify(kernels)});
    const opened = await openKernels({ workers: 2 });
    const gram = opened.gram(4);
    await gram.add(new Float64Array(400), 100);
    await gram.finish();
    await opened.close();
    process.stdout.write("closed");`;
  const run = promisify(execFile)(process.execPath, ["--input-type=module", "--eval", program]);
  await expect(run).resolves.toMatchObject({ stdout: "closed" });
});

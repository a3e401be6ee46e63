import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { testFederation, writeTestIdentity } from "../../testing/identity/federation.js";
import { identityFolder } from "../identity/files.js";
import { agentOutput, LineBuffer } from "./agentOutput.js";
import type { EcsLine } from "./ecs.js";

const line = (message: string) => ({ message }) as unknown as EcsLine;
const messages = (lines: readonly EcsLine[]) => lines.map((one) => one.message);

it("lines and the count of dropped ones are given again until the answer has arrived", () => {
  const buffer = new LineBuffer(2);
  for (const message of ["a", "b", "c"]) buffer.add(line(message));
  const lost = buffer.after({ run: null, next: 0 });
  const again = buffer.after({ run: null, next: 0 });
  for (const { lines, dropped } of [lost, again]) {
    expect(messages(lines)).toEqual(["a", "b"]);
    expect(dropped).toBe(1);
  }
  buffer.add(line("d"));
  const { run, next } = again;
  expect(buffer.after({ run, next })).toMatchObject({ lines: [], dropped: 1 });
  buffer.add(line("e"));
  const later = buffer.after({ run, next });
  expect(messages(later.lines)).toEqual(["e"]);
  expect(buffer.after({ run, next: later.next })).toMatchObject({ lines: [], dropped: 0 });
});

it("lines name the site whose certificate has expired, as any other", async () => {
  const stateFolder = await mkdtemp(join(tmpdir(), "consilium-output-"));
  try {
    const { leaf, root } = await testFederation("harbour", Date.now() - 90 * 86_400_000);
    await writeTestIdentity(identityFolder(stateFolder), await leaf("site", "st-mary"), root.certificatePem);
    const { stream, lines } = await agentOutput(
      { otlp: { url: "https://otel.example.org/v1/logs" } },
      stateFolder,
    );
    stream.write(JSON.stringify({ level: 30, time: Date.now(), service: "site", msg: "ready" }));
    expect(lines({ run: null, next: 0 })!.lines[0]!["service.node.name"]).toBe("st-mary");
  } finally {
    await rm(stateFolder, { recursive: true });
  }
});

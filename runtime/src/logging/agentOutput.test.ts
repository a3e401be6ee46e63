import { expect, it } from "vitest";
import { LineBuffer } from "./agentOutput.js";
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

import { once } from "node:events";
import { connect } from "node:net";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { temporaryFolder } from "../../testing/data/writeTable.js";
import { openDoor } from "./door.js";

describe("the door of the process that reads tables", () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it("closes a connection whose first message does not come, whatever bytes come meanwhile", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const path = join(temporaryFolder(), "door.sock");
    const door = await openDoor(path, { warn: vi.fn() });
    try {
      const agent = connect(path).on("error", () => undefined);
      const [[admitted]] = await Promise.all([once(door, "connection"), once(agent, "connect")]);
      for (let second = 0; second < 9; second++) {
        if (second < 3) agent.write(Buffer.from([0]));
        vi.advanceTimersByTime(1_000);
      }
      expect(admitted.destroyed).toBe(false);
      vi.advanceTimersByTime(1_000);
      expect(admitted.destroyed).toBe(true);
      agent.destroy();
    } finally {
      door.close();
    }
  });
});

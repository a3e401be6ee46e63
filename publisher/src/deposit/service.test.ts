import { EventEmitter } from "node:events";
import { Readable } from "node:stream";
import { ConsiliumError } from "@consilium/core/errors";
import { err, ok } from "@consilium/core/result";
import { testDisk } from "@consilium/runtime/testing/store/disk";
import { expect, it } from "vitest";
import { depositService, replierOf } from "./service.js";

const turns = () => new Promise((resolve) => setImmediate(() => resolve("nothing")));

/** Why a deposit of one message without a header ends, when the depositor is authorised so often. */
function endOf(authorisedTimes: number): Promise<string> {
  const call = Object.assign(Readable.from([{}]), {
    cancelled: false,
    write: () => true,
    end: () => undefined,
  });
  call.on("error", () => undefined);
  let asked = 0;
  return new Promise((resolve) => {
    const service = depositService({
      idleTimeoutMs: 5_000,
      disk: testDisk(),
      authorise: () =>
        ++asked <= authorisedTimes
          ? ok({} as never)
          : err(new ConsiliumError("CERTIFICATE_INVALID", "expired")),
      onEnded: (error: ConsiliumError | undefined) => resolve(error?.code ?? "well"),
    } as never);
    service.Deposit(call as never);
  });
}

it.each([true, false])("ends where the depositor goes while it is answered (before: %s)", async (before) => {
  // As gRPC: of a call that has ended a write is forgotten, and nobody is called back.
  const call = Object.assign(new EventEmitter(), { cancelled: before, write: () => true });
  const answered = replierOf(call as never)({}).catch((thrown: unknown) => thrown);
  if (!before) call.emit("cancelled");
  expect(await Promise.race([answered, turns()])).toMatchObject({ code: "UPLOAD_TRUNCATED" });
});

it("takes no message of a deposit whose certificate has ended since it began", async () => {
  expect(await endOf(0)).toBe("CERTIFICATE_INVALID");
  expect(await endOf(1)).toBe("CERTIFICATE_INVALID");
  // The message itself is looked at only then.
  expect(await endOf(2)).toBe("FIELD_INVALID");
});

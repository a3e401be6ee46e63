import { unwrap } from "@consilium/core/result";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { postgresPrograms, TestPostgres } from "../../testing/postgres/postgres.js";
import { parsePostgresUrl } from "../postgres/address.js";
import { type PostgresConnectOptions, postgresConnectOptions } from "../postgres/connectOptions.js";
import { PostgresThread } from "./postgresThread.js";

const programs = postgresPrograms();

describe.skipIf(programs === null)("a connection in a thread of its own", () => {
  let server: TestPostgres;
  let connect: PostgresConnectOptions;
  let thread: PostgresThread;
  beforeAll(async () => {
    server = await TestPostgres.start(programs!);
    connect = postgresConnectOptions(unwrap(parsePostgresUrl(server.url())), {
      passwordFile: null,
      application: "consilium test",
    });
  });
  afterAll(() => server?.remove());
  beforeEach(() => {
    thread = new PostgresThread({ answerWithinMs: 30_000 });
    thread.connect(connect);
  });
  afterEach(() => {
    vi.restoreAllMocks();
    thread.close();
  });

  const numbered = (n: number, of = thread) => of.query({ text: `SELECT ${n}` }).rows;

  it("is not lost when it is woken before there is an answer", () => {
    const wait = Atomics.wait.bind(Atomics);
    let woken = 0;
    vi.spyOn(Atomics, "wait").mockImplementation(((
      array: Int32Array,
      at: number,
      value: number,
      ms?: number,
    ) => (++woken % 2 === 1 ? "ok" : wait(array, at, value, ms))) as typeof Atomics.wait);
    for (let n = 0; n < 20; n++) expect(numbered(n)).toEqual([[String(n)]]);
    expect(woken).toBeGreaterThan(20);
  });

  it("takes an answer that came too late for none to a later question, also of the connection after it", () => {
    const hasty = new PostgresThread({ answerWithinMs: 2_000 });
    try {
      hasty.connect(connect);
      expect(() => hasty.query({ text: "SELECT 'late', pg_sleep(3)" })).toThrow(
        expect.objectContaining({ code: "ETIMEDOUT", connection: "lost" }),
      );
      hasty.connect(connect);
      for (let n = 0; n < 20; n++) expect(numbered(n, hasty)).toEqual([[String(n)]]);
      thread.query({ text: "SELECT pg_sleep(2)" });
      expect(numbered(21, hasty)).toEqual([["21"]]);
    } finally {
      hasty.close();
    }
  });
});

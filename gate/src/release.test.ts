import { describe, expect, it } from "vitest";
import { answerOf, MethodFault, type StageTable } from "./answer.js";
import type { Contributor } from "./contributions.js";
import { chargedEvent, rhoOf } from "./cost.js";
import type { Proposal } from "./fold.js";
import type { Query } from "./query.js";
import type { RecordBlock } from "./record.js";
import { type Release, release } from "./release.js";

const query: Query = { kind: "histogram", cells: 3, touches: 1, channels: [{ least: 0, most: 1 }] };
const contributor = (): Contributor => ({
  kind: "histogram",
  write({ values }, cells, out) {
    cells[0] = values[0]!;
    out[0] = 1;
    return 1;
  },
});
const proposal: Proposal = { query, scale: 2, contributor };
const noise = { shareVariance: 20, sites: 5, shares: 3 };
const event = chargedEvent({ query, scale: 2, patients: null, noise });
const charge = {
  event: JSON.parse(JSON.stringify(event)),
  rho: rhoOf(event),
  factor: 1,
  noise,
  sum: { sites: 5, threshold: 4 },
  tolerateColluding: 1,
};

/** Bytes that look random, from a seed. */
const seeded = (seed: number) => {
  let state = seed;
  const next = () => {
    state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9;
    return (state >>> 16) & 255;
  };
  return { bytes: (count: number) => Uint8Array.from({ length: count }, next) };
};

function tableOf(levels: readonly number[], read: () => void = () => undefined): StageTable {
  async function* records(): AsyncGenerator<RecordBlock> {
    read();
    yield { rows: levels.length, columns: [Float64Array.from(levels)], labels: null };
  }
  return {
    records: records(),
    domain: { features: [{ kind: "level", levels: 3 }], labels: 1 },
    patients: null,
    rowsAtMost: 100,
    kernel: { upperTriangleOfGram: () => Promise.reject(new Error("no products here")) } as never,
    random: seeded(1),
    checks: seeded(2),
  };
}

function asked({
  method = proposal,
  table,
  ...changed
}: Partial<Release<string> & { readonly method: Proposal; readonly table: StageTable }> = {}): {
  options: Release<string>;
  done: string[];
} {
  const done: string[] = [];
  const read = table ?? tableOf([0, 2, 2], () => done.push("records were read"));
  const options: Release<string> = {
    terms: method,
    patients: null,
    part: () => answerOf(method, read),
    random: seeded(1),
    charge,
    ringBits: 64,
    masks: [],
    keep: async () => void done.push("kept"),
    commit: () => {
      done.push("charged");
      return "outbound";
    },
    ...changed,
  };
  return { options, done };
}

describe("a release", () => {
  it("keeps what is to be sent, then charges, and gives it out only then", async () => {
    const { options, done } = asked();
    expect(await release(options)).toEqual({ made: "outbound", refused: 0 });
    expect(done).toEqual(["records were read", "kept", "charged"]);
  });

  it("sends nothing that could not be kept or charged", async () => {
    const full = asked({ keep: () => Promise.reject(new Error("no room")) });
    await expect(release(full.options)).rejects.toThrow("no room");
    expect(full.done).not.toContain("charged");
    const broke = asked({
      commit: () => {
        throw new Error("behind");
      },
    });
    await expect(release(broke.options)).rejects.toThrow("behind");
  });

  it.each([32, 64] as const)(
    "has no bytes without masks behind it in memory, at %i bits",
    async (ringBits) => {
      const behind: number[] = [];
      const commit = (content: Uint8Array) => {
        behind.push(content.buffer.byteLength - content.length);
        return "outbound";
      };
      await release(asked({ ringBits, commit }).options);
      expect(behind).toEqual([0]);
    },
  );

  it("is the sum, the noise and the masks, and of the ring's width", async () => {
    const { exact } = await answerOf(proposal, tableOf([0, 2, 2]));
    expect([...exact]).toEqual([2n, 0n, 4n]);
    const sent = async (changed: Partial<Release<string>>) => {
      let content = new Uint8Array();
      const commit = (bytes: Uint8Array) => {
        content = bytes.slice();
        return "";
      };
      await release(asked({ ...changed, commit }).options);
      return content;
    };
    const none = chargedEvent({ query, scale: 2, patients: null, noise: null });
    const bare = { charge: { ...charge, event: none, rho: null, noise: null } };
    expect([...new BigInt64Array((await sent(bare)).buffer)]).toEqual([2n, 0n, 4n]);
    expect([...new Int32Array((await sent({ ...bare, ringBits: 32 })).buffer)]).toEqual([2, 0, 4]);
    const mask = { key: new Uint8Array(32).fill(9), sign: 1 } as const;
    const away = { key: mask.key, sign: -1 } as const;
    expect(await sent({ ...bare, masks: [mask] })).not.toEqual(await sent(bare));
    expect(await sent({ ...bare, masks: [mask, away] })).toEqual(await sent(bare));
    expect(await sent({})).not.toEqual(await sent(bare));
    expect(await sent({ random: seeded(3) })).not.toEqual(await sent({}));
  });

  it("is what a ledger of earlier software has set aside, whose reason for no bound was a sentence", async () => {
    const early = { kind: "no-bound", reason: "the study asks for no privacy" };
    const { options, done } = asked({ charge: { ...charge, event: early, rho: null, noise: null } });
    await release(options);
    expect(done).toContain("charged");
  });

  it.each([
    ["another sensitivity", { event: { ...event, l2SensitivitySquared: 2 } }],
    ["another noise", { event: { ...event, shareVariance: 40 } }],
    ["no bound", { event: { kind: "no-bound", reason: "the study asks for no privacy" } }],
    ["less than the event costs", { rho: rhoOf(event) / 2 }],
    ["nothing", { rho: null }],
    ["a row where the hospital counts patients", { factor: 4 }],
  ])("is refused before a record is read where the ledger has %s", async (_, changed) => {
    const { options, done } = asked({ charge: { ...charge, ...changed } });
    await expect(release(options)).rejects.toThrow(RangeError);
    expect(done).toEqual([]);
  });

  it.each([
    [
      "the sum may be opened for fewer sites than add the noise that is charged for",
      { sum: { sites: 5, threshold: 3 } },
    ],
    ["more sites may tell their noise", { tolerateColluding: 2 }],
    ["more sites add noise than are counted", { sum: { sites: 6, threshold: 4 } }],
  ])("is refused where %s", async (_, changed) => {
    const { options, done } = asked({ charge: { ...charge, ...changed } });
    await expect(release(options)).rejects.toThrow("less noise than is charged for");
    expect(done).toEqual([]);
  });

  it("is charged for what is drawn, not for what a method says", async () => {
    const wider: Query = { ...query, touches: 2 };
    const { options, done } = asked({ method: { ...proposal, query: wider } });
    await expect(release(options)).rejects.toThrow("another event");
    const finer = asked({ method: { ...proposal, scale: 4 } });
    await expect(release(finer.options)).rejects.toThrow("another event");
    expect(done).toEqual([]);
  });

  it("refuses a wrong method over records that are nobody's, and leaves records out silently", async () => {
    const twice = (): Contributor => ({
      kind: "histogram",
      write(_, cells, out) {
        cells[0] = 0;
        out[0] = 2;
        return 1;
      },
    });
    const { options, done } = asked({ method: { ...proposal, contributor: twice } });
    await expect(release(options)).rejects.toThrow(MethodFault);
    expect(done).toEqual([]);
    // No level 7 is declared, so no rehearsal draws it.
    const table = tableOf([0, 7, 2]);
    const throwing = (): Contributor => ({
      kind: "histogram",
      write({ values }, cells, out) {
        if (values[0] === 7) throw new Error("a record's value");
        cells[0] = values[0]!;
        out[0] = 1;
        return 1;
      },
    });
    const quiet = asked({ table, method: { ...proposal, contributor: throwing } });
    expect(await release(quiet.options)).toEqual({ made: "outbound", refused: 1 });
  });
});

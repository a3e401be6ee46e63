import type { Sha256 } from "@consilium/core/ids";
import { protocolVersions } from "@consilium/core/limits";
import { inEnglish } from "@consilium/core/testing/inEnglish";
import { openStore } from "@consilium/runtime/store/store";
import { describe, expect, it } from "vitest";
import { migrations } from "../store/schema.js";
import { SiteRecords } from "../studies/records.js";
import { protocolFault, SpokenProtocol } from "./spokenProtocol.js";

const site = { lowest: 3, highest: 5, software: "2.0.0" };
const codeOf = (protocol: number, spoken: number | null) =>
  protocolFault({ protocol, software: "9.9.9" }, { ...site, spoken })?.code ?? null;

describe("the protocol that an aggregator chose", () => {
  it("is spoken within the site's range, and not below what was spoken before", () => {
    expect([3, 4, 5].map((protocol) => codeOf(protocol, null))).toEqual([null, null, null]);
    expect([3, 4, 5].map((protocol) => codeOf(protocol, 4))).toEqual(["PROTOCOL_DOWNGRADED", null, null]);
    expect([3, 4, 5].map((protocol) => codeOf(protocol, 6))).toEqual(Array(3).fill("PROTOCOL_DOWNGRADED"));
    expect([2, 6].map((protocol) => codeOf(protocol, 4))).toEqual(["PROTOCOL_VERSION", "PROTOCOL_VERSION"]);
  });
});

describe("the highest protocol that was spoken", () => {
  const { highest } = protocolVersions;
  const root = "a".repeat(64) as Sha256;

  it("is kept for each root, and lowered by a person alone", () => {
    const records = new SiteRecords(openStore(":memory:", migrations));
    const spoken = new SpokenProtocol(records, root);
    expect(spoken.highest).toBeNull();
    expect(inEnglish(() => spoken.accept(highest))).toThrow(/is not one of/);
    spoken.spoke(highest + 1);
    expect(new SpokenProtocol(records, root).highest).toBe(highest + 1);
    expect(new SpokenProtocol(records, "b".repeat(64) as Sha256).highest).toBeNull();
    expect(inEnglish(() => spoken.accept(highest + 1))).toThrow(/is not one of/);
    expect(inEnglish(() => spoken.accept(protocolVersions.lowest - 1))).toThrow(/is not one of/);
    expect(spoken.accept(highest)).toBe(highest + 1);
    expect(new SpokenProtocol(records, root).highest).toBe(highest);
  });
});

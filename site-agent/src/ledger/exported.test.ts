import { sha256 } from "@consilium/secure-sum/crypto/hash";
import { expect, it } from "vitest";
import { cost, testLedger, unbounded, unitEvent } from "../../testing/ledger/ledger.js";
import { readExport } from "./exported.js";
import { exportText } from "./exportText.js";
import { reportOn } from "./report.js";

function ledgerToExport() {
  const made = testLedger();
  const { ledger, owner } = made;
  ledger.reserve({
    study: "second-0123456789",
    population: "children",
    limit: null,
    stages: [cost("moments", unitEvent(2)), cost("rows", unbounded)],
  });
  ledger.commit("second-0123456789", "rows", 1);
  ledger.release("second-0123456789");
  return {
    ...made,
    fingerprint: sha256(owner.signingPublicKey),
    text: exportText({ entries: ledger.entries(), head: ledger.signedHead() }),
  };
}

/** The error's code, or what was found instead. */
function verdict(text: string, fingerprint: ReturnType<typeof ledgerToExport>["fingerprint"]): string {
  const read = readExport(text);
  if (!read.ok) return read.error.code;
  const { entries, head } = read.value;
  const report = reportOn(entries, { fingerprint, kept: [{ from: "its last line", head }] });
  if (!report.ok) return report.error.code;
  const last = report.value.anchors[0]!;
  return last.state === "held" && last.sequence === report.value.head.sequence ? "holds" : "cut";
}

it("is read back as it was written, and verifies with the site's key alone", () => {
  const { text, fingerprint, ledger } = ledgerToExport();
  const read = readExport(text);
  expect(read.ok && read.value.entries).toEqual(ledger.entries());
  expect(verdict(text, fingerprint)).toBe("holds");
  expect(verdict(text, sha256("another key"))).toBe("LEDGER_BROKEN");
});

it("shows a change of any byte", () => {
  const { text, fingerprint } = ledgerToExport();
  const bytes = Buffer.from(text);
  const unseen: number[] = [];
  for (let at = 0; at < bytes.length; at++) {
    const changed = Buffer.from(bytes);
    changed[at]! ^= 1 + (at % 7);
    if (verdict(changed.toString("utf8"), fingerprint) === "holds") unseen.push(at);
  }
  expect(unseen).toEqual([]);
});

it("shows lines that are cut off, left out, repeated or exchanged", () => {
  const { text, fingerprint } = ledgerToExport();
  const lines = text.split("\n").slice(0, -1);
  const join = (some: readonly string[]) => `${some.join("\n")}\n`;
  expect(verdict(join(lines), fingerprint)).toBe("holds");
  expect(verdict(text.slice(0, -1), fingerprint)).toBe("LEDGER_BROKEN");
  expect(verdict("", fingerprint)).toBe("LEDGER_BROKEN");
  for (let at = 0; at < lines.length; at++) {
    expect(verdict(join(lines.toSpliced(at, 1)), fingerprint), `without ${at}`).not.toBe("holds");
    expect(verdict(join(lines.toSpliced(at, 0, lines[at]!)), fingerprint), `twice ${at}`).not.toBe("holds");
    expect(verdict(join(lines.slice(0, at)), fingerprint), `until ${at}`).not.toBe("holds");
    const [one] = lines.slice(at, at + 1);
    if (at > 0)
      expect(verdict(join(lines.toSpliced(at, 1).toSpliced(at - 1, 0, one!)), fingerprint)).not.toBe("holds");
  }
  // The head stays, and the newest entry is gone.
  expect(verdict(join(lines.toSpliced(-2, 1)), fingerprint)).toBe("cut");
});

it("refuses text of every kind without throwing", () => {
  const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
  for (const text of [
    "",
    "\n",
    "\n\n",
    "null\n",
    "{}\n",
    `${deep}\n`,
    `{"entry":${deep},"hash":"","signature":""}\n\n`,
  ]) {
    expect(readExport(text)).toMatchObject({ ok: false, error: { code: "LEDGER_BROKEN" } });
  }
});

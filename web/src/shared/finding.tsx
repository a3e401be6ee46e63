import { countedTexts } from "@consilium/core/release/countedText";
import type { Counted, Finding } from "@consilium/core/release/finding";
import type { Flow } from "@consilium/core/release/flowSchema";
import type { Refusals } from "@consilium/core/release/refusalsSchema";
import { Badge } from "./components";
import { Served, served, t } from "./language";

/** Whether chance and noise fail to explain a finding. */
export const FindingBadge = ({ isClear }: Pick<Finding, "isClear">) => (
  <Badge tone={isClear ? "ok" : "warn"}>{isClear ? t("clear") : t("inconclusive")}</Badge>
);

/** What a study found, in a sentence. */
export const FindingText = ({ finding }: { readonly finding: Finding }) => (
  <p className="finding">
    <FindingBadge isClear={finding.isClear} /> <Served text={finding.text} />
  </p>
);

/** Who was counted, and the flow of rows; nothing where a release does not say. */
export const CountedList = (of: {
  readonly counted?: readonly Counted[] | undefined;
  readonly flow?: Flow | undefined;
  readonly refusals?: Refusals | undefined;
}) => {
  const { counted, flow } = countedTexts(of);
  const lines = [...counted, ...flow];
  return lines.length === 0 ? null : (
    <ul className="muted">
      {lines.map((line) => (
        <li key={line}>{served(line)}</li>
      ))}
    </ul>
  );
};

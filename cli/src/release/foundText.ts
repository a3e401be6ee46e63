import { countedTexts } from "@consilium/core/release/countedText";
import type { FoundRelease } from "@consilium/core/release/views";
import { english } from "@consilium/runtime/http/spoken";
import { minuteText, paragraph, printable } from "../terminal/layout.js";
import type { Style } from "../terminal/style.js";

const layout = { indent: 2, labelWidth: 9 };

/** Finding of a release, for a terminal. */
export function foundText(release: FoundRelease, style: Style): string {
  const { id, title, createdAt, study, finding, privacyStatement } = release;
  const { counted, flow } = countedTexts(release);
  const line = (label: string, text: string) => paragraph(label, printable(english(text)), layout);
  return [
    style.strong(printable(title)),
    line("release", `${id}, ${study.method} ${study.variant}, ${minuteText(createdAt)}`),
    ...(finding === undefined
      ? []
      : [line("finding", `${finding.isClear ? "" : "(inconclusive) "}${english(finding.text)}`)]),
    ...counted.map((one, i) => line(i === 0 ? "counted" : "", one)),
    ...flow.map((one, i) => line(i === 0 ? "flow" : "", one)),
    line("privacy", privacyStatement),
  ].join("\n");
}

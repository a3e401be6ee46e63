import { ConsiliumError } from "@consilium/core/errors";
import type { ApprovalRecord } from "@consilium/core/hospital/approvalRecords";
import { explainedStudyView } from "@consilium/core/hospital/explainedStudy";
import { studyFactsSchema } from "@consilium/core/hospital/studyFacts";
import type { ExplainedStudyView } from "@consilium/core/hospital/studyViews";
import type { Methods } from "@consilium/core/method/methods";
import { english } from "@consilium/runtime/http/spoken";
import { german } from "@consilium/runtime/http/spokenGerman";

/** A record's facts, said anew by this version. */
export interface Reworded {
  /** Why this version cannot; null where it can. */
  readonly fault: string | null;
  /** So many were compared with what was shown. */
  readonly paragraphs: number;
  /** So many were not: the page shows them as a table, or this command has no words for them in the record's language. */
  readonly uncompared: number;
  /** Those that what was shown does not contain, white space apart. */
  readonly otherwise: readonly { readonly section: string; readonly text: string }[];
}

/**
 * Says what the agent knew at an approval in the words of this version, in the language of what was shown. The counts of the table
 * and the budget are those of that time.
 * @param methods - those that are installed here
 */
export function reworded({ facts, shown }: ApprovalRecord, methods: Pick<Methods, "read">): Reworded {
  const none = { paragraphs: 0, uncompared: 0, otherwise: [] };
  if (shown === null) return { ...none, fault: "nothing was shown" };
  let view: ExplainedStudyView;
  try {
    view = explainedStudyView(studyFactsSchema.parse(facts), methods);
  } catch (thrown) {
    const fault =
      thrown instanceof ConsiliumError
        ? english(thrown.describe())
        : "its facts are those of another version";
    return { ...none, fault };
  }
  const said = flat(shown.texts.join("\n"));
  const say = shown.language === "de" ? german : english;
  const pieces = piecesOf(view).map(({ section, text }) => ({ section, text: say(text) }));
  const isShown = (text: string | null) => text !== null && said.includes(flat(text));
  const inTables = tabulated.filter(
    (title) => !pieces.some(({ section, text }) => section === title && isShown(text)),
  );
  const compared = pieces.flatMap(({ section, text }) =>
    text === null || inTables.includes(section) ? [] : [{ section, text }],
  );
  return {
    fault: null,
    paragraphs: compared.length,
    uncompared: pieces.length - compared.length,
    otherwise: compared.filter(({ text }) => !isShown(text)),
  };
}

/** Sections of which the page has a table or a meter in place of paragraphs. */
const tabulated = ["Data sent from this hospital", "Remaining budget"];

/** The explanation's paragraphs. What is found in the table is no part of what is kept as shown. */
function piecesOf({
  explanation,
}: ExplainedStudyView): { readonly section: string; readonly text: string }[] {
  return explanation
    .filter(({ title }) => title !== "Data check")
    .flatMap(({ title, paragraphs }) =>
      paragraphs.map((text) => ({ section: title, text: text.replace(/^- /, "") })),
    );
}

const flat = (text: string) => text.replace(/\s+/g, " ").trim();

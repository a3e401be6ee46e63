import type { EgressView } from "@consilium/core/hospital/ledgerViews";
import type { ExplainedStudyView } from "@consilium/core/hospital/studyViews";
import { useQuery } from "@tanstack/react-query";
import { Badge } from "../../shared/components";
import { Served, t } from "../../shared/language";
import { hospital } from "../api";
import { sentKinds } from "../studies/summaryWords";
import { dependsOnRecords } from "./filter";

/** A study as its page has it; undefined of none, and of a study whose text is not kept. */
export function useStudy(id: string | null): ExplainedStudyView | undefined {
  const { data } = useQuery({
    queryKey: ["studies", id],
    queryFn: () => hospital.study(id ?? ""),
    enabled: id !== null,
    retry: false,
  });
  return data;
}

/** What the lines of one study mean, in the words of its page; nothing of a study whose text is not kept. */
export function SentOf({ study: id }: { readonly study: string }) {
  const study = useStudy(id);
  if (study === undefined) return null;
  return (
    <>
      <ul>
        {sentKinds(study).map(({ form, name, tone, text }) => (
          <li key={form}>
            <Badge tone={tone}>{name}</Badge> {text}
          </li>
        ))}
      </ul>
      <p>
        {study.leaving.every(({ form }) => form === "masked sum")
          ? t("No record itself is sent: only these sums are computed from records, and each is masked.")
          : t("Nothing else that is sent is computed from records.")}
      </p>
    </>
  );
}

/** What a line with numbers from the table holds, in the words of the study's page; nothing of another line. */
export function Held(props: {
  readonly line: Pick<EgressView, "what" | "step" | "charge">;
  readonly study: ExplainedStudyView | undefined;
}) {
  const { line, study } = props;
  const stage = study?.leaving.find(({ stageIds }) => stageIds.includes(line.step));
  if (stage === undefined || !dependsOnRecords(line)) return null;
  return (
    <span className="sentence muted held">
      <Served text={stage.what} />
    </span>
  );
}

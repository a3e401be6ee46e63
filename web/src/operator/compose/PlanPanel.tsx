import { readSaid } from "@consilium/core/readSaid";
import { Card, DataTable, Empty, Notice } from "../../shared/components";
import { formatBytes } from "../../shared/format";
import { plural, rich, Served, served, t, upperFirst } from "../../shared/language";
import type { StudyCheck } from "../api";
import { ClaimFacts } from "../studies/Claim";
import { costText } from "../studies/wording";

/** A study's plan and cost: the data each site sends, their form, and who learns what. */
export function PlanPanel({
  check,
  isStale,
}: {
  readonly check: StudyCheck | null;
  readonly isStale: boolean;
}) {
  const plan = check?.plan ?? null;
  if (check === null || plan === null) {
    return (
      <Empty title={t("The plan appears once the file has no errors.")}>
        <p>
          {t("It shows the data each site would send, their form, who learns what, and the privacy cost.")}
        </p>
      </Empty>
    );
  }
  return (
    <div aria-busy={isStale}>
      {isStale ? (
        <p className="muted" role="status">
          {t("This plan is for an earlier version of the file.")}
        </p>
      ) : null}
      <Card title={t("Plan: privacy")}>
        <ClaimFacts claim={plan.claim} />
      </Card>
      {plan.warnings.length === 0 ? null : (
        <Notice tone="warn" title={t("Before you start")}>
          <ul>
            {plan.warnings.map((warning) => (
              <li key={warning}>
                {readSaid(warning) === null ? (
                  <Served text={`${upperFirst(warning)}.`} />
                ) : (
                  `${upperFirst(served(warning))}.`
                )}
              </li>
            ))}
          </ul>
        </Notice>
      )}
      <Card title={t("Plan: data sent by each site")}>
        <p>
          {rich(
            "At most {uploadBytesPerSite} from each site, in {stages}. A repeated attempt sends the stage's data again and costs the same again.",
            {
              uploadBytesPerSite: formatBytes(plan.uploadBytesPerSite),
              stages: plural(plan.stages.length, "{count} stage|dative", "{count} stages|dative"),
            },
          )}
        </p>
        <DataTable
          caption={t("Stages")}
          hideCaption
          columns={[
            { title: t("Stage"), cell: (stage) => stage.id },
            { title: t("Data sent"), cell: ({ disclosure }) => <Long text={served(disclosure.what)} /> },
            { title: t("Form"), cell: ({ disclosure }) => served(disclosure.form) },
            {
              title: t("Who learns what"),
              cell: ({ disclosure }) => <Long text={served(disclosure.learns)} />,
            },
            {
              title: t("Protection"),
              cell: ({ disclosure }) => <Long text={served(disclosure.mechanism)} />,
            },
            { title: t("Cost"), cell: ({ disclosure }) => costText(disclosure.cost) },
            { title: t("Bytes"), cell: (stage) => formatBytes(stage.uploadBytes), number: true },
          ]}
          rows={plan.stages}
          keyOf={(stage) => stage.id}
        />
      </Card>
      <Card title={t("Plan: dropout tolerance")}>
        <DataTable
          caption={t("Number of sites that must remain to the end of every sum")}
          columns={[
            { title: t("Participating sites"), cell: ({ sites }) => sites },
            { title: t("Must remain"), cell: ({ threshold }) => threshold, number: true },
            { title: t("May drop out"), cell: ({ sites, threshold }) => sites - threshold, number: true },
          ]}
          rows={plan.thresholds}
          keyOf={({ sites }) => String(sites)}
        />
      </Card>
    </div>
  );
}

function Long({ text }: { readonly text: string }) {
  return <div className="long">{upperFirst(text)}</div>;
}

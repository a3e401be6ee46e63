import type { Measure, ModelCard } from "@consilium/core/release/modelCard";
import { DataTable, Facts } from "../shared/components";
import { decimal, Served, served, t } from "../shared/language";
import { AnchoredCard } from "./Anchor";

/** What a reader must know about the release's model before using it. */
export function ModelCardCard({ card }: { readonly card: ModelCard }) {
  const { evaluation } = card;
  return (
    <AnchoredCard id="model" title={t("The model")}>
      <Facts
        of={[
          [t("Predicts"), <Served key="predicts" text={card.predicts} />],
          [t("Trained on"), <Served key="on" text={card.trainedOn} />],
          [
            t("Evaluation"),
            evaluation === null ? t("not evaluated") : <Served key="method" text={evaluation.method} />,
          ],
        ]}
      />
      {evaluation === null ? null : (
        <DataTable
          caption={t("On about {rows} held-out rows", { rows: Math.round(evaluation.rows) })}
          columns={[
            { title: t("Measure"), cell: (one) => served(one.name) },
            {
              title: t("Value"),
              cell: ({ value }) =>
                value === null ? t("too imprecise to interpret") : decimal(value.toFixed(3)),
              number: true,
            },
            { title: t("95 % interval"), cell: intervalOf, number: true },
          ]}
          rows={[
            ...evaluation.measures,
            ...(evaluation.majority === null
              ? []
              : [
                  {
                    name: t("always predicting the most frequent class"),
                    value: evaluation.majority,
                    low: null,
                    high: null,
                  },
                ]),
          ]}
          keyOf={(one) => one.name}
        />
      )}
      <h3>{t("Limits of the model")}</h3>
      <ul>
        {card.limits.map((limit) => (
          <li key={limit}>
            <Served text={limit} />
          </li>
        ))}
      </ul>
    </AnchoredCard>
  );
}

function intervalOf({ low, high }: Measure): string {
  return low === null || high === null
    ? "–"
    : t("{value} to {value2}", { value: decimal(low.toFixed(3)), value2: decimal(high.toFixed(3)) });
}

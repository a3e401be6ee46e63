import type { StudyResultView } from "@consilium/core/operator/consoleViews";
import type { StudyView } from "@consilium/core/operator/views";
import { useQuery } from "@tanstack/react-query";
import { Card, DataTable, Loaded } from "../../shared/components";
import ReleaseFigure from "../../shared/figures/ReleaseFigure";
import { CountedList, FindingText } from "../../shared/finding";
import { formatNumber } from "../../shared/format";
import { locale, rich, Served, served, t } from "../../shared/language";
import { measureText } from "../../shared/measure";
import { aggregator } from "../api";

/** A released study's figures and its model's evaluation. */
export default function Results({ study }: { readonly study: StudyView }) {
  const query = useQuery({
    queryKey: ["result", study.id],
    queryFn: () => aggregator.result(study.id),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <Card title={t("Results")}>
      <Loaded query={query} what={t("the results")}>
        {(result) => (
          <>
            {result.finding === undefined ? null : <FindingText finding={result.finding} />}
            <CountedList counted={result.counted} flow={result.flow} />
            <Evaluation card={result.card} />
            {result.figures.length === 0 ? (
              <p className="muted">
                {t("This release has no figures; its rows and model are in the catalogue.")}
              </p>
            ) : (
              <div className="figures">
                {result.figures.map((figure) => (
                  <ReleaseFigure key={figure.name} figure={figure} />
                ))}
              </div>
            )}
            {result.rows === 0 ? null : (
              <p>
                {rich("{value} rows of {columns} columns were released: {value2}.", {
                  value: result.rows.toLocaleString(locale()),
                  columns: result.columns.length,
                  value2: result.columns.map(({ name }) => name).join(", "),
                })}
              </p>
            )}
            {result.notes.map((note) => (
              <p key={note} className="muted">
                <Served text={note} />
              </p>
            ))}
          </>
        )}
      </Loaded>
    </Card>
  );
}

function Evaluation({ card }: { readonly card: StudyResultView["card"] }) {
  if (card === null) return null;
  const { evaluation } = card;
  return (
    <>
      <p>
        <Served text={card.predicts} />
      </p>
      {evaluation === null ? (
        <p className="muted">{t("Not evaluated: the study has evaluation: none.")}</p>
      ) : (
        <>
          <DataTable
            caption={t("Evaluation on about {rows} held-out rows", { rows: formatNumber(evaluation.rows) })}
            columns={[
              { title: t("Measure"), cell: (measure) => served(measure.name) },
              { title: t("Value"), cell: measureText, number: true },
              {
                title: t("95 % interval"),
                cell: ({ low, high }) =>
                  low === null || high === null
                    ? "–"
                    : t("{low} to {high}", { low: formatNumber(low), high: formatNumber(high) }),
                number: true,
              },
            ]}
            rows={evaluation.measures}
            keyOf={(measure) => measure.name}
          />
          <p className="muted">
            {evaluation.majority === null ? (
              <Served text={evaluation.method} />
            ) : (
              rich("Always predicting the most frequent class would be correct on {value} %. {method}", {
                value: formatNumber(100 * evaluation.majority),
                method: <Served text={evaluation.method} />,
              })
            )}
          </p>
        </>
      )}
    </>
  );
}

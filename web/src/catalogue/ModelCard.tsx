import type { Measure, ModelCard } from "@consilium/core/release/modelCard";
import { DataTable, Facts } from "../shared/components";
import { AnchoredCard } from "./Anchor";

/** What a reader must know about the release's model before using it. */
export function ModelCardCard({ card }: { readonly card: ModelCard }) {
  const { evaluation } = card;
  return (
    <AnchoredCard id="model" title="The model">
      <Facts
        of={[
          ["Predicts", card.predicts],
          ["Trained on", card.trainedOn],
          ["Evaluation", evaluation?.method ?? "not evaluated"],
        ]}
      />
      {evaluation === null ? null : (
        <DataTable
          caption={`On about ${Math.round(evaluation.rows)} held-out rows`}
          columns={[
            { title: "Measure", cell: (one) => one.name },
            { title: "Value", cell: (one) => one.value.toFixed(3), number: true },
            { title: "95 % interval", cell: intervalOf, number: true },
          ]}
          rows={[
            ...evaluation.measures,
            {
              name: "always predicting the most frequent class",
              value: evaluation.majority,
              low: null,
              high: null,
            },
          ]}
          keyOf={(one) => one.name}
        />
      )}
      <h3>Not intended for</h3>
      <ul>
        {card.limits.map((limit) => (
          <li key={limit}>{limit}</li>
        ))}
      </ul>
    </AnchoredCard>
  );
}

function intervalOf({ low, high }: Measure): string {
  return low === null || high === null ? "–" : `${low.toFixed(3)} to ${high.toFixed(3)}`;
}

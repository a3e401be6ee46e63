import type { Measure, ModelCard } from "@consilium/core/release/modelCard";
import { DataTable, Facts } from "../shared/components";
import { AnchoredCard } from "./Anchor";

/** What a reader must know of the release's model before using it. */
export function ModelCardCard({ card }: { readonly card: ModelCard }) {
  const { evaluation } = card;
  return (
    <AnchoredCard id="model" title="The model">
      <Facts
        of={[
          ["What it predicts", card.predicts],
          ["What it was trained on", card.trainedOn],
          ["How it was measured", evaluation?.method ?? "nobody measured it"],
        ]}
      />
      {evaluation === null ? null : (
        <DataTable
          caption={`On about ${Math.round(evaluation.rows)} held-out rows`}
          columns={[
            { title: "Measure", cell: (one) => one.name },
            { title: "Value", cell: (one) => one.value.toFixed(3), number: true },
            { title: "Interval of 95 %", cell: intervalOf, number: true },
          ]}
          rows={[
            ...evaluation.measures,
            {
              name: "always answering the most frequent class",
              value: evaluation.majority,
              low: null,
              high: null,
            },
          ]}
          keyOf={(one) => one.name}
        />
      )}
      <h3>What it is not for</h3>
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

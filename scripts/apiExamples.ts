import type { ApiName } from "./openapi.js";

/** Calls that the page of the HTTP APIs shows, by API, method and path. */
export type Example = `${ApiName} ${"GET" | "POST" | "PUT" | "DELETE"} ${string}`;

/** The shell's variables in the examples. */
export const exampleAddresses: Readonly<Record<ApiName, string>> = {
  operator: "$AGGREGATOR",
  hospital: "$SITE",
  publisher: "$PUBLISHER",
};

const token = '-H "Authorization: Bearer $TOKEN"';

export const examples: Readonly<Partial<Record<Example, string>>> = {
  "operator GET /api/federation": `curl ${token} "$AGGREGATOR/api/federation"`,
  "operator GET /api/sites": `curl ${token} "$AGGREGATOR/api/sites"`,
  "operator POST /api/invitations": `curl ${token} -X POST -H "Content-Type: application/json" \\
  -d '{"site": "st-mary", "expiresInMs": 86400000}' "$AGGREGATOR/api/invitations"`,
  "operator POST /api/studies/check": `curl ${token} -X POST -H "Content-Type: application/yaml" \\
  --data-binary @study.yaml "$AGGREGATOR/api/studies/check"`,
  "operator POST /api/studies/plan": `curl ${token} -X POST -H "Content-Type: application/yaml" \\
  --data-binary @study.yaml "$AGGREGATOR/api/studies/plan"`,
  "operator POST /api/studies": `STUDY=$(curl -s ${token} -X POST -H "Content-Type: application/yaml" \\
  --data-binary @study.yaml "$AGGREGATOR/api/studies" | jq -r .id)`,
  "operator GET /api/studies": `curl ${token} "$AGGREGATOR/api/studies"`,
  "operator GET /api/studies/{id}": `curl ${token} "$AGGREGATOR/api/studies/$STUDY"`,
  "operator GET /api/studies/{id}/events": `curl -N ${token} "$AGGREGATOR/api/studies/$STUDY/events"`,
  "operator GET /api/studies/{id}/times": `curl ${token} "$AGGREGATOR/api/studies/$STUDY/times"`,
  "operator GET /api/studies/{id}/result": `curl ${token} "$AGGREGATOR/api/studies/$STUDY/result"`,
  "operator POST /api/studies/{id}/cancel": `curl ${token} -X POST "$AGGREGATOR/api/studies/$STUDY/cancel"`,
  "operator POST /api/tokens": `curl ${token} -X POST -H "Content-Type: application/json" \\
  -d '{"role": "viewer", "label": "dashboard", "expiresInMs": 7776000000}' "$AGGREGATOR/api/tokens"`,
  "operator GET /api/audit": `curl ${token} "$AGGREGATOR/api/audit?limit=20&people=true"`,
  "operator POST /api/session": `curl -c cookies -X POST -H "Content-Type: application/json" -H "Origin: $AGGREGATOR" \\
  -d '{"name": "vera", "password": "…"}' "$AGGREGATOR/api/session"`,
  "hospital GET /api/status": `curl ${token} "$SITE/api/status"`,
  "hospital GET /api/studies": `curl ${token} "$SITE/api/studies"`,
  "hospital GET /api/studies/{id}": `curl ${token} "$SITE/api/studies/$STUDY"`,
  "hospital POST /api/studies/{id}/approve": `curl ${token} -X POST -H "Content-Type: application/json" \\
  -d '{}' "$SITE/api/studies/$STUDY/approve"`,
  "hospital POST /api/studies/{id}/refuse": `curl ${token} -X POST -H "Content-Type: application/json" \\
  -d '{"reason": "not before the data committee meets"}' "$SITE/api/studies/$STUDY/refuse"`,
  "hospital GET /api/ledger": `curl ${token} "$SITE/api/ledger"`,
  "hospital GET /api/egress/export": `curl ${token} -o egress.csv "$SITE/api/egress/export"`,
  "publisher GET /api/releases": `curl "$PUBLISHER/api/releases?q=vitals&verdict=proved&limit=10"`,
  "publisher GET /api/releases/{id}": `curl "$PUBLISHER/api/releases/$RELEASE"`,
  "publisher GET /api/releases/{id}/rows": `curl "$PUBLISHER/api/releases/$RELEASE/rows?limit=5"`,
  "publisher GET /releases/{id}/{file}": `curl -O -H "Authorization: Bearer $READER" "$PUBLISHER/releases/$RELEASE/data.parquet"`,
};

import {
  bodyMaxBytes as operatorBody,
  strangersPerMinute as operatorRate,
} from "@consilium/aggregator/operator-api/server";
import { ConsiliumError, type ErrorCode, errorTable } from "@consilium/core/errors";
import { requestsPerMinute } from "@consilium/publisher/api/api";
import { defaultPorts } from "@consilium/runtime/home";
import { sessionIdleMs, sessionLifetimeMs } from "@consilium/runtime/http/access/sessions";
import { maxStreams } from "@consilium/runtime/http/events";
import { httpStatus } from "@consilium/runtime/http/status";
import { bodyMaxBytes as hospitalBody } from "@consilium/site-console/api";
import { type Example, examples } from "./apiExamples.js";
import { referenceOf, remarkOf, type Schema, typeText } from "./apiSchemas.js";
import type { ApiName } from "./openapi.js";
import { readProjectFile } from "./repository.js";

interface Parameter {
  readonly name: string;
  readonly in: "path" | "query";
  readonly required: boolean;
  readonly description?: string;
  readonly schema: Schema;
}
interface Content {
  readonly [type: string]: { readonly schema: Schema };
}
interface Operation {
  readonly summary?: string;
  readonly description?: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
  readonly "x-role": string;
}
interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}
export type ApiDocuments = Readonly<Record<ApiName, ApiDocument>>;

interface Route {
  readonly api: ApiName;
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
  /** The role at the aggregator and that at the site agent, where both have the route. */
  readonly roles: readonly string[];
}

/** Groups of routes by the first word of their path below `/api`, in the order in which they are told. */
const groups: readonly (readonly [title: string, words: readonly string[]])[] = [
  [
    "The federation and its sites",
    ["federation", "sites", "tables", "invitations", "revocations", "members", "retention"],
  ],
  ["Status", ["status", "doctor"]],
  ["Studies", ["studies", "deputies"]],
  ["The table", ["profile"]],
  ["Ledger and egress", ["ledger", "egress"]],
  ["Policy", ["policy"]],
  ["Data protection", ["data-protection"]],
  ["Releases", ["releases", "withdrawals"]],
  ["Files", ["files"]],
  ["Everything at once", ["events"]],
  ["Signing in", ["session", "setup", "oidc"]],
  ["Accounts", ["accounts", "links"]],
  ["Tokens", ["tokens"]],
  ["The audit log", ["audit"]],
  ["Notifications", ["notifications"]],
];

const titles: Readonly<Record<ApiName, string>> = {
  operator: "Aggregator: the operator's API",
  hospital: "Site agent: the hospital's API",
  publisher: "Publisher: the catalogue's API",
};

const introductions: Readonly<Record<ApiName, string>> = {
  operator: `For the federation's operator: invite hospitals, check and start studies, follow them, read their figures. A
\`viewer\` sees everything and changes nothing, an \`operator\` does everything.`,
  hospital: `For one hospital, about itself: which studies were offered, what each would learn and cost, approve or refuse, the privacy ledger, outgoing data, the policy. Nothing of a record is in any answer. An \`approver\` sees everything and
decides on studies, an \`administrator\` does everything. The site console serves it; what is not of its own accounts it asks of
the site agent, over the agent's Unix socket. Programs of the user that runs the agent may ask there too, without a token and
without the console; \`core/src/hospital/agentRequests.ts\` has every request:

\`\`\`sh
curl --unix-socket "$STATE/agent.sock" --json '{}' http://localhost/v1/status
\`\`\``,
  publisher: `For users of results: the catalogue of releases, some rows to look at, and each release's files byte for byte. It has
no accounts. Releases with \`"access": "open"\` are read by anybody, those with \`"access": "token"\` by anyone who sends a reader's
token; without it they are neither listed nor named.`,
};

/** The committed OpenAPI documents. */
export function committedApis(): ApiDocuments {
  const read = (api: ApiName) => [api, JSON.parse(readProjectFile(`runtime/src/http/openapi/${api}.json`))];
  return Object.fromEntries((Object.keys(titles) as ApiName[]).map(read)) as unknown as ApiDocuments;
}

/**
 * The page of the HTTP APIs.
 * @param documents - the OpenAPI documents, parsed
 */
export function renderApi(documents: ApiDocuments): string {
  const routes = routesOf(documents);
  const shared = routes.filter(({ roles }) => roles.length > 1);
  const own = (api: ApiName) => routes.filter((route) => route.api === api && route.roles.length === 1);
  const part = (api: ApiName) => `## ${titles[api]}\n\n${introductions[api]}\n\n${groupsText(own(api))}`;
  return [
    head(documents),
    part("operator"),
    part("hospital"),
    part("publisher"),
    `## Aggregator and site agent: signing in, accounts, tokens\n\nBoth have these. Of two roles the first is the aggregator's.\n\n${groupsText(shared)}`,
    schemasText(documents),
  ].join("\n");
}

/** Every operation, those that the aggregator and the site agent have alike once. */
export function routesOf(documents: ApiDocuments): Route[] {
  return (Object.keys(titles) as ApiName[]).flatMap((api) =>
    Object.entries(documents[api].paths).flatMap(([path, item]) =>
      Object.entries(item).flatMap(([method, operation]) => {
        const twin = (name: ApiName) => {
          const other = documents[name].paths[path]?.[method];
          return other !== undefined && withoutRole(other) === withoutRole(operation) ? other : undefined;
        };
        if (api === "hospital" && twin("operator") !== undefined) return [];
        const also = api === "operator" ? twin("hospital") : undefined;
        const roles = [operation, ...(also === undefined ? [] : [also])].map((one) => one["x-role"]);
        return [{ api, method: method.toUpperCase(), path, operation, roles }];
      }),
    ),
  );
}

function withoutRole({ "x-role": _role, ...operation }: Operation): string {
  return JSON.stringify(operation);
}

function groupsText(routes: readonly Route[]): string {
  return groups
    .map(([title, words]) => {
      const inside = routes.filter(({ path }) => words.includes(wordOf(path)));
      return inside.length === 0 ? "" : `### ${title}\n\n${inside.map(routeText).join("\n")}`;
    })
    .filter((text) => text !== "")
    .join("\n");
}

/** @throws RangeError for a path of no group */
function wordOf(path: string): string {
  const [, first, second] = path.split("/");
  const word = first === "api" ? second! : "files";
  if (!groups.some(([, words]) => words.includes(word))) throw new RangeError(`${path} is in no group`);
  return word;
}

function routeText({ api, method, path, operation, roles }: Route): string {
  const { summary = "", description, parameters = [], requestBody, responses } = operation;
  const example = examples[`${api} ${method} ${path}` as Example];
  const role =
    roles[0] === "public"
      ? "nobody is asked who they are"
      : [...new Set(roles)].map((one) => `\`${one}\``).join(", ");
  const sentences = [summary, description].filter((text) => text !== undefined).map(sentence);
  const lines = [`- Role: ${role}`];
  for (const place of ["path", "query"] as const) {
    for (const parameter of parameters.filter((one) => one.in === place))
      lines.push(parameterText(parameter));
  }
  if (requestBody !== undefined) {
    lines.push(
      contentText(`Body, ${Object.keys(requestBody.content).map(code).join(" or ")}`, requestBody.content),
    );
  }
  for (const [status, { content }] of Object.entries(responses)) {
    if (status === "default") continue;
    const type = content === undefined ? "" : `, ${Object.keys(content).map(code).join(" or ")}`;
    lines.push(content === undefined ? `- ${status}, no body` : contentText(`${status}${type}`, content));
  }
  const shown = example === undefined ? "" : `\n\`\`\`sh\n${example}\n\`\`\`\n`;
  return `#### \`${method} ${path}\`\n\n${sentences.join(" ")}\n\n${lines.join("\n")}\n${shown}`;
}

function parameterText({ name, in: place, required, description, schema }: Parameter): string {
  const remark = remarkOf({ ...schema, ...(description === undefined ? {} : { description }) });
  const type = code(typeText(schema));
  const needed = place === "query" && required ? ", needed" : "";
  return `- ${place === "path" ? "Path" : "Query"} \`${name}\`: ${type}${needed}${remark === "" ? "" : `; ${remark}`}`;
}

/** A named schema as a link, any other as a block below the line. */
function contentText(start: string, content: Content): string {
  const { schema } = Object.values(content)[0]!;
  const alternatives = (schema.anyOf ?? [schema]).map(linkOf);
  if (alternatives.every((link) => link !== null)) return `- ${start}: ${alternatives.join(" or ")}`;
  const type = typeText(schema, "  ");
  const remark = remarkOf(schema);
  if (!type.includes("\n")) return `- ${start}: ${type === "any" ? remark || "any" : code(type)}`;
  return `- ${start}:\n\n  \`\`\`ts\n  ${type}\n  \`\`\``;
}

function linkOf(schema: Schema): string | null {
  const name = referenceOf(schema);
  if (name !== null) return `[${name}](#${anchorOf(name)})`;
  const link = schema.type === "array" && schema.items !== undefined ? linkOf(schema.items) : null;
  return link === null ? null : `list of ${link}`;
}

function anchorOf(name: string): string {
  return `schema-${name.toLowerCase()}`;
}

/** @throws RangeError where two documents mean different things by one name */
function schemasText(documents: ApiDocuments): string {
  const schemas = new Map<string, Schema>();
  for (const { components } of Object.values(documents)) {
    for (const [name, schema] of Object.entries(components.schemas)) {
      const known = schemas.get(name);
      if (known !== undefined && JSON.stringify(known) !== JSON.stringify(schema)) {
        throw new RangeError(`the schema ${name} is not the same in every document`);
      }
      schemas.set(name, schema);
    }
  }
  const sections = [...schemas]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, schema]) => {
      const text = schema.description === undefined ? "" : `${sentence(schema.description)}\n\n`;
      const type =
        name === "ErrorCode"
          ? "A code of [ERRORS.md](ERRORS.md), such as `STUDY_UNKNOWN`."
          : `\`\`\`ts\n${typeText(schema)}\n\`\`\``;
      return `<a id="${anchorOf(name)}"></a>\n\n### ${name}\n\n${text}${type}\n`;
    });
  return `## Schemas

What requests and answers hold, by name. \`name?\` may be left out; \`// …\` says limits and meaning. Answers may have more fields
in a later version: a program ignores what it does not know. Requests with unknown fields are refused.

${sections.join("\n")}`;
}

function head(documents: ApiDocuments): string {
  const { aggregatorHttp, siteConsole, publisherHttp } = defaultPorts;
  const count = (api: ApiName) =>
    Object.values(documents[api].paths).reduce((sum, item) => sum + Object.keys(item).length, 0);
  return `# HTTP API

Three services speak JSON over HTTP/1.1, each about its own:

| service | for whom | address by default | configured as | operations |
| --- | --- | --- | --- | --- |
| [aggregator](#${slug(titles.operator)}) | who runs the federation | \`http://127.0.0.1:${aggregatorHttp}\` | \`listen.http\` | ${count("operator")} |
| [site agent](#${slug(titles.hospital)}) | a hospital, about itself | \`http://127.0.0.1:${siteConsole}\` | \`console.listen\` | ${count("hospital")} |
| [publisher](#${slug(titles.publisher)}) | who uses results | \`http://127.0.0.1:${publisherHttp}\` | \`listen.http\` | ${count("publisher")} |

They listen on the machine itself unless their \`config.yaml\` says otherwise, and leave TLS to a proxy before them. Each serves
its own OpenAPI 3.1 document at \`/openapi.json\`; the same lie in \`runtime/src/http/openapi/\`, for generators of clients.
\`/healthz\` (is it up), \`/readyz\` (can it work: 200 or 503) and \`/metrics\` (Prometheus) need no token. Hospitals and the
aggregator speak another protocol with each other, gRPC with mutual TLS: [PROTOCOL.md](PROTOCOL.md).

## A first call

On the aggregator's machine, with the token that \`consilium init\` made:

\`\`\`sh
AGGREGATOR=http://127.0.0.1:${aggregatorHttp}
TOKEN=$(cat ~/.consilium/aggregator/operator-token)
${examples["operator GET /api/federation"]}
\`\`\`

At a hospital and at the catalogue, used in the examples below:

\`\`\`sh
SITE=http://127.0.0.1:${siteConsole}
TOKEN=$(consilium token add --site st-mary --role approver --label dashboard --json | jq -r .token)
${examples["hospital GET /api/status"]}

PUBLISHER=http://127.0.0.1:${publisherHttp}
${examples["publisher GET /api/releases"]}
\`\`\`

## Who asks

**Programs** send a token with every request: \`Authorization: Bearer <token>\`. Nothing else is needed, no cookie and no header
against forgery. Where the tokens come from:

| service | token |
| --- | --- |
| aggregator, site agent | \`consilium token add --role …\`, or [\`POST /api/tokens\`](#tokens); it has a role, may have an end, and can be revoked |
| aggregator | besides, \`operator-token\` in its state folder: may do everything |
| publisher | \`consilium token add --publisher --release …\`: a reader's token, for one release or all (\`*\`) |

**Browsers** have a session. [\`POST /api/session\`](#signing-in) with a name and a password answers with a cookie (\`HttpOnly\`,
\`SameSite=Strict\`) and with \`csrf\`. A request that changes something (any method but GET, HEAD and OPTIONS) then must carry

- the header \`x-consilium-csrf\` with that text, and
- the header \`Origin\` with the service's own address, or its \`publicUrl\`. Browsers write it themselves.

Otherwise it is refused with \`CROSS_SITE\`, and so is any request with the cookie that a page of another origin makes. The
cookie's name ends in the service's port (\`consilium-session-${aggregatorHttp}\`); under TLS it is \`__Host-consilium-session\`. A session
ends after ${sessionIdleMs / 3_600_000} hours without use, and after ${sessionLifetimeMs / 86_400_000} days. Where a token is sent as well, the token alone counts.

\`\`\`sh
CSRF=$(curl -s -c cookies -X POST -H "Content-Type: application/json" -H "Origin: $AGGREGATOR" \\
  -d '{"name": "vera", "password": "…"}' "$AGGREGATOR/api/session" | jq -r .csrf)
curl -b cookies "$AGGREGATOR/api/studies"
curl -b cookies -X DELETE -H "Origin: $AGGREGATOR" -H "x-consilium-csrf: $CSRF" "$AGGREGATOR/api/session"
\`\`\`

An identity provider can sign people in as well: [OPERATING.md](OPERATING.md#identity-provider).

**Names.** A service that has \`hosts\` in its configuration refuses every other name in the \`Host\` header with \`HOST_UNKNOWN\`;
the site agent always does, and knows the loopback names and its \`publicUrl\` without being told.

## Failures

Every failure, of every route, is a 4xx or 5xx with this body, a [Failure](#${anchorOf("Failure")}):

\`\`\`json
{ "code": "STUDY_UNKNOWN", "message": "there is no study of this id", "remedy": "list the studies with: consilium study list" }
\`\`\`

Decide by \`code\`, which is stable: [ERRORS.md](ERRORS.md) lists all of them. \`message\` says what, where and the numbers, for
people; no value of a record is ever in it.

${statusTable()}

Of an error of the service itself (500) only \`INTERNAL\` is said to anyone who has not signed in. 401 comes with
\`WWW-Authenticate: Bearer\`.

## Events

Some routes answer with \`text/event-stream\`, as \`EventSource\` reads it. Every event is one \`data:\` line with JSON, and is the
whole of what the route shows, not a difference: a reader that missed some needs only the newest. The first comes at once. There
are no event ids and no names. A reader that is slow gets the newest when it has read the last. Every 15 seconds a comment line
keeps proxies from closing the stream; after an hour it ends and the reader asks again, and it ends at once with its session or
token. \`EventSource\` sends the cookie and no token; programs use \`curl -N\` or any client that reads lines. A service holds at most
${maxStreams} streams, and refuses more with \`RATE_LIMITED\`.

## Pages and limits

- Lists are whole, but two that grow without end: releases (\`offset\` and \`limit\`, with \`total\` in the answer) and the audit log
  (\`before\` and \`limit\`, with \`next\` in the answer: null on the last page).
- Requests of one address: ${operatorRate} a minute at the aggregator and the site agent, of anyone who has not signed in and sends no valid
  token, and ${requestsPerMinute} a minute of anybody at the publisher. Beyond: 429, \`RATE_LIMITED\`, with \`Retry-After\`.
- Failed sign-ins: after five at one account from one address it takes two minutes for each further one.
- Bodies: ${operatorBody / 2 ** 20} MiB at the aggregator, ${hospitalBody / 2 ** 20} MiB at the site agent, 1 KiB at the publisher. Beyond: 413, \`MESSAGE_TOO_LARGE\`.
- Times are ISO 8601 in UTC (\`2026-01-31T12:00:00.000Z\`), durations and sizes have their unit in the name (\`expiresInMs\`).
`;
}

function statusTable(): string {
  const codes = (Object.keys(errorTable) as ErrorCode[]).map((name) => ({
    name,
    family: errorTable[name].family,
    status: httpStatus(new ConsiliumError(name, "")),
  }));
  const usual = { config: 400, peer: 400, refusal: 409, internal: 500 };
  const meanings: Readonly<Record<number, string>> = {
    400: "the request, or a file in it, is wrong",
    401: "it is unknown who asks, or the sign-in failed",
    403: "who asks is known, and may not",
    404: "there is no such address, study, release, account, …",
    409: "understood, and what there is does not allow it: a policy, a budget, a state",
    410: "it was there once",
    413: "the body is too large",
    421: "the name in the address is not one of this service's",
    429: "too many requests",
    500: "an error of the service or of its own files",
    503: "try again",
    507: "the disk is full",
  };
  const rows = [...new Set(codes.map(({ status }) => status))]
    .sort((a, b) => a - b)
    .map((status) => {
      const meaning = meanings[status];
      if (meaning === undefined) throw new RangeError(`the status ${status} has no words`);
      const own = codes.filter((one) => one.status === status && usual[one.family] !== status);
      const families = Object.entries(usual).filter(([, each]) => each === status);
      const rest = families.map(([family]) => `every other code of the family \`${family}\``);
      return `| ${status} | ${meaning} | ${[...own.map(({ name }) => code(name)), ...rest].join(", ")} |`;
    });
  return `| status | meaning | codes |\n| --- | --- | --- |\n${rows.join("\n")}`;
}

function sentence(text: string): string {
  const begun = text.replace(/^[a-z]/, (letter) => letter.toUpperCase());
  return /[.:!?]$/.test(begun) ? begun : `${begun}.`;
}

function code(text: string): string {
  return `\`${text}\``;
}

/** As docsLinks.ts and the pages of documents make anchors of headings. */
function slug(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .replaceAll(" ", "-");
}

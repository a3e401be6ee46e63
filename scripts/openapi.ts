import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type OperatorContext, operatorApi, operatorServer } from "@consilium/aggregator/operator-api/server";
import { softwareVersion } from "@consilium/core/version";
import { createReaders, type Readers } from "@consilium/publisher/access/readers";
import { type ApiOptions, createApi, publisherApi } from "@consilium/publisher/api/api";
import { Tokens } from "@consilium/publisher/catalogue/tokens";
import { migrations } from "@consilium/publisher/store/schema";
import {
  type ConsoleAccess,
  type ConsoleAccessOptions,
  createConsoleAccess,
} from "@consilium/runtime/http/access/access";
import { operatorRoles, siteRoles } from "@consilium/runtime/http/access/accountRoles";
import { consoleAccessFields, readersOidcSchema } from "@consilium/runtime/http/access/config";
import { openApiDocument } from "@consilium/runtime/http/openapi";
import { createHttpServer, type HttpServer } from "@consilium/runtime/http/server";
import { createLogger } from "@consilium/runtime/log";
import { createMetrics } from "@consilium/runtime/metrics";
import { osRandom } from "@consilium/runtime/random";
import { accessMigration } from "@consilium/runtime/store/accessTables";
import { openStore } from "@consilium/runtime/store/store";
import { type ConsoleContext, hospitalApi, routeHospital } from "@consilium/site-console/api";

/**
 * The OpenAPI documents of the three services, from their own routes. `npm run openapi` writes
 * them, and the types of the client after them; with `--check` it fails where the committed ones are others.
 */
const folder = "runtime/src/http/openapi";

export const apiNames = ["operator", "hospital", "publisher"] as const;
export type ApiName = (typeof apiNames)[number];

const log = createLogger({ service: "test", level: "error" });
const metrics = () => createMetrics({ service: "test", version: softwareVersion, processMetrics: false });

/** Each service's HTTP server with all its routes. Their handlers have nothing to work with: none is ever called. */
export async function servers(): Promise<Record<ApiName, HttpServer>> {
  const hospital = await createHttpServer({ log, access: () => ({ name: "", role: "administrator" }) });
  (await access(siteRoles)).route(hospital);
  routeHospital(hospital, { log } as unknown as ConsoleContext);
  return {
    operator: await operatorServer({
      log,
      metrics: metrics(),
      access: await access(operatorRoles),
    } as unknown as OperatorContext),
    hospital,
    publisher: await createApi({
      log,
      metrics: metrics(),
      readers: await readers(),
      pagesFolder: null,
    } as unknown as ApiOptions),
  };
}

function readers(): Promise<Readers> {
  return createReaders({
    tokens: new Tokens(""),
    store: openStore(":memory:", migrations),
    rules: {},
    oidc: readersOidcSchema.parse({
      issuer: "https://provider.example",
      clientId: "x",
      releases: [{ group: "x", releases: ["*"] }],
    }),
    configPath: "",
    pagesUrl: () => "",
    random: osRandom,
    now: Date.now,
    log,
  });
}

/** Sign-in with all its routes, those of an identity provider as well. */
function access(roles: ConsoleAccessOptions["roles"]): Promise<ConsoleAccess> {
  const oidc = consoleAccessFields(roles).oidc.parse({
    issuer: "https://provider.example",
    clientId: "x",
    roles: {},
  });
  return createConsoleAccess({
    store: openStore(":memory:", [accessMigration]),
    roles,
    configuration: { oidc },
    configPath: "",
    stateFolder: "",
    random: osRandom,
    now: Date.now,
    log,
    record: () => {},
  });
}

const infos = { operator: operatorApi, hospital: hospitalApi, publisher: publisherApi };

/** Paths below the project with the texts that they should hold. */
export async function generated(): Promise<Map<string, string>> {
  const made = await servers();
  const texts = new Map<string, string>();
  for (const name of apiNames) {
    const document = JSON.stringify(openApiDocument(made[name], infos[name]), null, 2);
    texts.set(`${folder}/${name}.json`, `${document}\n`);
    await made[name].close();
  }
  return texts;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = fileURLToPath(new URL("..", import.meta.url));
  const isCheck = process.argv.includes("--check");
  for (const [path, text] of await generated()) {
    if (!isCheck) {
      await writeFile(join(root, path), text);
    } else if ((await readFile(join(root, path), "utf8").catch(() => "")) !== text) {
      process.stderr.write(`${path} is not what the routes say: npm run openapi\n`);
      process.exitCode = 1;
    }
  }
}

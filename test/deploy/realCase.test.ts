import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parsePostgresUrl } from "@consilium/runtime/postgres/address";
import { siteConfigSchema } from "@consilium/site-agent/config";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { z } from "zod";

/**
 * What operators and hospitals copy: deploy/aggregator and deploy/site, held to the parts of the Compose specification
 * (compose-spec.json) that they use and to what their READMEs say. Nothing is built or run here.
 */
const root = fileURLToPath(new URL("../../", import.meta.url));
const folders = ["deploy/aggregator", "deploy/site"] as const;

const duration = z.string().regex(/^(\d+(ms|s|m|h))+$/);
const port = z.string().regex(/^(?:[0-9.]+:)?(\d+|\$\{[A-Z_]+:-\d+\}):(?:\d+|\1)$/);
const service = z.strictObject({
  image: z.string(),
  profiles: z.array(z.string()).optional(),
  init: z.boolean(),
  read_only: z.literal(true),
  user: z
    .string()
    .regex(/^[1-9]\d*:[1-9]\d*$/)
    .optional(),
  tmpfs: z.array(z.string().regex(/^\/[\w/]+:mode=\d{4},size=\d+m$/)),
  cap_drop: z.tuple([z.literal("ALL")]),
  security_opt: z.tuple([z.literal("no-new-privileges:true")]),
  group_add: z.tuple([z.literal("1001")]).optional(),
  restart: z.enum(["no", "unless-stopped"]),
  stop_grace_period: duration,
  network_mode: z.enum(["none", "service:aggregator"]).optional(),
  networks: z.array(z.string()).optional(),
  ports: z.array(port).optional(),
  entrypoint: z.array(z.string()).optional(),
  command: z.array(z.string()).optional(),
  environment: z.record(z.string(), z.string()).optional(),
  secrets: z.array(z.string()).optional(),
  volumes: z.array(z.string().regex(/^[^:]+(?::\?[^}]*\})?:\/[^:]+(?::ro)?$/)),
  healthcheck: z
    .union([
      z.strictObject({ disable: z.literal(true) }),
      z.strictObject({
        test: z.array(z.string()).min(2),
        interval: duration,
        timeout: duration,
        retries: z.number(),
        start_period: duration,
      }),
    ])
    .optional(),
  depends_on: z
    .record(
      z.string(),
      z.strictObject({
        condition: z.enum(["service_started", "service_healthy", "service_completed_successfully"]),
      }),
    )
    .optional(),
});
const composeSchema = z.object({
  name: z.string().regex(/^[a-z0-9][a-z0-9_-]*$/),
  services: z.record(z.string(), service),
  networks: z.record(z.string(), z.strictObject({ internal: z.boolean().optional() })).default({}),
  secrets: z.record(z.string(), z.strictObject({ file: z.string() })).default({}),
  volumes: z.record(z.string(), z.strictObject({})),
});

const text = (path: string) => readFile(join(root, path), "utf8");
const load = async (folder: string) =>
  composeSchema.parse(parse(await text(`${folder}/compose.yaml`), { merge: true }));

describe.each(folders)("%s/compose.yaml", (folder) => {
  it("is a compose file whose parts all exist and are all used", async () => {
    const compose = await load(folder);
    const services = Object.values(compose.services);
    const used = (key: "networks" | "secrets") =>
      [...new Set(services.flatMap((one) => one[key] ?? []))].sort();
    expect(used("networks")).toEqual(Object.keys(compose.networks).sort());
    expect(used("secrets")).toEqual(Object.keys(compose.secrets).sort());
    const sources = services.flatMap((one) => one.volumes.map((volume) => volume.replace(/:\/.*$/, "")));
    const named = sources.filter((source) => /^[a-z]+$/.test(source));
    expect([...new Set(named)].sort()).toEqual(Object.keys(compose.volumes).sort());
    for (const one of services) {
      for (const on of Object.keys(one.depends_on ?? {})) expect(Object.keys(compose.services)).toContain(on);
    }
    for (const path of sources.filter((source) => source.startsWith("."))) {
      expect(existsSync(resolve(root, folder, path)), path).toBe(true);
    }
  });

  it("asks for what .env.example names, and holds no secret itself", async () => {
    const compose = await text(`${folder}/compose.yaml`);
    const example = await text(`${folder}/.env.example`);
    for (const [, name] of compose.matchAll(/\$\{([A-Z_]+):\?/g))
      expect(example).toMatch(new RegExp(`^${name}=`, "m"));
    for (const [, name] of example.matchAll(/^#?([A-Z_]+)=/gm)) expect(compose).toContain(`\${${name}`);
    expect(compose).not.toMatch(/PASSWORD: |TOKEN: /);
  });

  it("publishes to other machines only what they are to reach", async () => {
    const compose = await load(folder);
    const open = Object.values(compose.services)
      .flatMap((one) => one.ports ?? [])
      .filter((one) => !one.startsWith("127.0.0.1:"));
    expect(open).toEqual(folder === "deploy/aggregator" ? ["7443:7443"] : []);
  });

  it("has a README whose commands name what is there", async () => {
    const readme = await text(`${folder}/README.md`);
    const { services } = await load(folder);
    for (const [, name] of readme.matchAll(/docker compose (?:exec|run --rm|logs) ([a-z]+)/g)) {
      expect(Object.keys(services)).toContain(name);
    }
    for (const [, path] of readme.matchAll(/docker build --file (\S+)/g))
      expect(existsSync(join(root, path!)), path).toBe(true);
    // A root file system that is read-only takes no file, and none is given out of a tmpfs: streams pass.
    expect(readme).not.toMatch(/docker compose cp/);
    expect(readme).toMatch(/consilium backup \w+ --to - > /);
    expect(readme).toMatch(/restore - (?:--state \S+ )?< /);
    // The one-time link is in a file that only the process's user opens, never in a log.
    expect(readme).toMatch(/cat \/state\/[\w/*]+\/setup-link/);
    expect(readme).not.toMatch(/log[^.\n]* holds a[^.\n]* link/);
  });

  it("watches every service that continues, and runs none as root", async () => {
    // Grafana's image has no program of this project's, and nothing waits for it.
    const unwatched = new Set(["grafana"]);
    for (const [name, one] of Object.entries((await load(folder)).services)) {
      const goesOn = one.restart === "unless-stopped" && !unwatched.has(name);
      expect(one.healthcheck !== undefined && "test" in one.healthcheck, name).toBe(goesOn);
      if (!one.image.includes("consilium-")) expect(one.user, name).toMatch(/^[1-9]\d*:[1-9]\d*$/);
    }
  });
});

it("no two of the compose files share a name, and with it their volumes", async () => {
  const files = ["docker-compose.yml", ...folders.map((folder) => `${folder}/compose.yaml`)];
  const names = await Promise.all(
    files.map(
      async (file) =>
        (parse(await text(file), { merge: true, maxAliasCount: 1_000 }) as { name: string }).name,
    ),
  );
  expect(new Set(names).size).toBe(files.length);
});

it("a hospital's pages listen on the port that they are published on, because they answer to no other", async () => {
  const { console } = (await load("deploy/site")).services;
  const [, outside, inside] = /^127\.0\.0\.1:(\$\{[^}]+\}):(.+)$/.exec(console!.ports![0]!)!;
  expect(inside).toBe(outside);
  expect(console!.command).toEqual(["--listen", `0.0.0.0:${inside}`]);
});

it("a hospital's agent publishes no port; another user reads its data, and sees no key; its console sees neither", async () => {
  const { services } = await load("deploy/site");
  const { site, tables, console, ...others } = services;
  expect(Object.keys(others)).toEqual([]);
  expect([site!.image, tables!.image]).toEqual([console!.image, console!.image]);
  for (const one of [site!, tables!])
    expect(one.volumes.filter((volume) => /:\/data(?::|$)/.test(volume))).toEqual([
      expect.stringMatching(/^\$\{DATA_FOLDER:.*\}:\/data:ro$/),
    ]);
  expect([site!.user, tables!.user, site!.group_add]).toEqual([undefined, "1001:1001", ["1001"]]);
  expect(tables!.volumes.map((volume) => volume.split(":").at(volume.endsWith(":ro") ? -2 : -1))).toEqual([
    "/run/consilium-tables",
    "/data",
    "/config",
  ]);
  expect([tables!.ports, tables!.secrets, tables!.networks]).toEqual([undefined, undefined, ["databases"]]);
  expect(site!.ports ?? []).toEqual([]);
  expect(site!.command![0]).toBe("--agent-only");
  expect(console!.volumes).toEqual(["console:/state", "socket:/run/consilium"]);
  expect(site!.volumes).toContain("socket:/run/consilium");
  expect(site!.volumes).toContain("state:/state");
  expect([site!.networks, console!.networks]).toEqual([["aggregator"], ["pages"]]);
});

it("a hospital's tables can be a file of its own, which the console does not mount and the agent takes at each start", async () => {
  const { site, console } = (await load("deploy/site")).services;
  expect(site!.volumes).toContain("./config:/config:ro");
  expect(console!.volumes.filter((one) => one.includes("config"))).toEqual([]);
  const start = await text("deploy/enrolThenServe.sh");
  expect(start).toContain("/config/tables.yaml");
  const written = parse(await text("deploy/site/config/tables.example.yaml")) as { tables: object };
  const tables = siteConfigSchema.parse({ aggregator: "a:1", ...written }).tables;
  expect(tables.map(({ name }) => name)).toEqual(["patients", "stays", "labs", "admissions"]);
});

it("the database is alone with the two servers, and reached as the store's address says", async () => {
  const { services, networks } = await load("deploy/aggregator");
  expect(networks.records).toEqual({ internal: true });
  const beside = Object.entries(services).filter(([, one]) => one.networks?.includes("records"));
  expect(beside.map(([name]) => name)).toEqual(["aggregator", "publisher", "database"]);
  const store = services.init!.command!.find((word) => word.startsWith("--store="))!.slice("--store=".length);
  const address = parsePostgresUrl(store);
  const { POSTGRES_USER: user, POSTGRES_DB: database } = services.database!.environment!;
  expect(address.ok && address.value).toMatchObject({ host: "database", user, database });
  for (const name of ["aggregator", "database"])
    expect(services[name]!.secrets).toEqual(["database-password"]);
});

it("no server mounts the authority", async () => {
  const { services } = await load("deploy/aggregator");
  for (const [name, one] of Object.entries(services)) {
    expect(
      one.volumes.some((volume) => volume.includes("authority")),
      name,
    ).toBe(["init", "authority"].includes(name));
  }
});

it("Prometheus is given the services by their names and a file of alerts that is mounted", async () => {
  const { services } = await load("deploy/aggregator");
  const scraped = parse(await text("deploy/aggregator/prometheus.yml")) as {
    rule_files: string[];
    scrape_configs: { static_configs: { targets: string[] }[] }[];
  };
  const targets = scraped.scrape_configs.flatMap((one) => one.static_configs.flatMap((two) => two.targets));
  expect(targets).toEqual(["aggregator:7080", "publisher:7081"]);
  const mounted = services.prometheus!.volumes.map((volume) => volume.split(":")[1]!);
  for (const file of scraped.rule_files)
    expect(mounted).toContain(join(dirname("/etc/prometheus/prometheus.yml"), file));
});

import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { createServer as createSocketServer } from "node:net";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { annotatedStudy } from "../../scripts/studyDoc.js";

/**
 * docker-compose.yml and the Dockerfiles, held to what they promise: nobody has more rights, files or network than
 * the job needs, and what they name exists. Nothing is built or run here.
 */
const root = fileURLToPath(new URL("../../", import.meta.url));
const text = (path: string) => readFile(join(root, path), "utf8");

interface Service {
  readonly image: string;
  readonly build?: { readonly dockerfile: string; readonly args: Readonly<Record<string, string>> };
  readonly entrypoint?: readonly string[];
  readonly command?: readonly string[];
  readonly networks?: readonly string[];
  readonly network_mode?: string;
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
  readonly tmpfs: readonly string[];
  readonly restart: string;
  readonly healthcheck: { readonly test?: readonly string[]; readonly disable?: boolean };
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly [other: string]: unknown;
}

interface Compose {
  readonly services: Readonly<Record<string, Service>>;
  readonly networks: Readonly<Record<string, { readonly internal?: boolean }>>;
  readonly volumes: Readonly<Record<string, object>>;
}

const compose = parse(await text("docker-compose.yml"), { merge: true, maxAliasCount: 1_000 }) as Compose;
const services = Object.entries(compose.services);
const hospitals = ["hospital-a", "hospital-b", "hospital-c", "hospital-d"];
const consoles = hospitals.map((name) => name.replace("hospital", "console"));
const readers = hospitals.map((name) => name.replace("hospital", "tables"));
const servers = ["aggregator", "publisher", ...hospitals, ...readers, ...consoles];
const images = ["aggregator", "publisher", "site-agent"];
const workspaces = (JSON.parse(await text("package.json")) as { workspaces: string[] }).workspaces;

/** The workspaces whose processes an image runs. */
const partsOf = (image: string) => (image === "site-agent" ? [image, "site-console"] : [image]);

/** `volume-or-path:target[:ro]` */
function mounts(service: Service) {
  return (service.volumes ?? []).map((written) => {
    const [source, target, mode] = written.split(":");
    return { source: source!, target: target!, isReadOnly: mode === "ro", isBind: source!.startsWith(".") };
  });
}

function mountedBy(volume: string): string[] {
  return services
    .filter(([, service]) => mounts(service).some(({ source }) => source === volume))
    .map(([name]) => name);
}

describe("docker-compose.yml", () => {
  it.each(services)("gives %s no right that it can do without", (name, service) => {
    expect(service).toMatchObject({
      read_only: true,
      cap_drop: ["ALL"],
      security_opt: ["no-new-privileges:true"],
      init: true,
    });
    expect(service.tmpfs.map((entry) => entry.split(":")[0])).toEqual(["/tmp"]);
    // What reads tables is another user than the agent, whom its group lets in.
    expect(service.user).toBe(readers.includes(name) ? "1001:1001" : undefined);
    expect(service.group_add).toEqual(hospitals.includes(name) ? ["1001"] : undefined);
    for (const key of ["privileged", "cap_add", "devices", "pid", "ipc", "env_file"])
      expect(service, key).not.toHaveProperty(key);
    const door = { CONSILIUM_DOOR: "/run/consilium-tables/tables.sock" };
    expect(service.environment).toEqual(hospitals.includes(name) ? door : undefined);
    expect(service.network_mode ?? "none").toBe("none");
  });

  it("publishes ports of servers and consoles to this machine only, and none of an agent", () => {
    const published = services.flatMap(([name, service]) =>
      (service.ports ?? []).map((port) => `${name} ${port}`),
    );
    expect(published).toEqual([
      "aggregator 127.0.0.1:7080:7080",
      "publisher 127.0.0.1:7081:7081",
      ...consoles.map((name, index) => `${name} 127.0.0.1:${7082 + index}:${7082 + index}`),
    ]);
    for (const [index, name] of consoles.entries())
      expect(compose.services[name]!.command).toEqual(["--listen", `0.0.0.0:${7082 + index}`]);
  });

  it("lets hospitals reach the aggregator and nothing else", () => {
    expect(compose.networks.sites).toEqual({ internal: true });
    for (const name of hospitals) expect(compose.services[name]!.networks).toEqual(["sites"]);
    const others = services.filter(([name]) => !hospitals.includes(name));
    const beside = others.filter(([, service]) => service.networks?.includes("sites")).map(([name]) => name);
    expect(beside).toEqual(["aggregator"]);
    for (const name of consoles) expect(compose.services[name]!.networks).toEqual(["pages"]);
    for (const name of readers) expect(compose.services[name]).toMatchObject({ network_mode: "none" });
  });

  it("shows each secret to those alone whose it is", () => {
    expect(mountedBy("authority")).toEqual(["init", "authority"]);
    expect(mountedBy("aggregator")).toEqual(["init", "aggregator"]);
    expect(mountedBy("publisher")).toEqual(["init", "publisher"]);
    for (const name of hospitals) {
      expect(mountedBy(name)).toEqual([name]);
      expect(mountedBy(name.replace("hospital", "invitation"))).toEqual(["invite", name]);
      // Agent and console share the agent's socket, and nothing else.
      const pages = name.replace("hospital", "console");
      expect(mountedBy(name.replace("hospital", "socket"))).toEqual([name, pages]);
      expect(mountedBy(pages)).toEqual([pages]);
      const shown = mounts(compose.services[pages]!);
      expect(shown.map(({ source, target }) => `${source} ${target}`)).toEqual([
        `${pages} /state`,
        `${name.replace("hospital", "socket")} /run/consilium`,
      ]);
      expect(compose.services[name]!.command![0]).toBe("--agent-only");
      // The agent and what reads its tables share the latter's socket and the tables, and no key.
      const reader = name.replace("hospital", "tables");
      expect(mountedBy(reader)).toEqual([name, reader]);
      const [door, ...tables] = mounts(compose.services[reader]!);
      expect(door).toMatchObject({ source: reader, target: "/run/consilium-tables" });
      expect(tables).toEqual(mounts(compose.services[name]!).filter(({ isBind }) => isBind));
    }
    const operators = mountedBy("operator");
    expect(operators).toEqual(["init", "invite", "study", "operator", "authority"]);
    for (const name of operators.filter((one) => one !== "init")) {
      const mount = mounts(compose.services[name]!).find(({ source }) => source === "operator");
      expect(mount, name).toMatchObject({ target: "/state", isReadOnly: true });
    }
  });

  it("declares the volumes and networks that it uses, and no other", () => {
    const all = services.flatMap(([, service]) => mounts(service));
    const named = new Set(all.filter(({ isBind }) => !isBind).map(({ source }) => source));
    expect([...named].sort()).toEqual(Object.keys(compose.volumes).sort());
    const used = new Set(services.flatMap(([, service]) => service.networks ?? []));
    expect([...used].sort()).toEqual(Object.keys(compose.networks).sort());
  });

  it("mounts files of this repository that exist, to be read only", () => {
    for (const [name, service] of services) {
      for (const { source, isReadOnly } of mounts(service).filter(({ isBind }) => isBind)) {
        expect(isReadOnly, `${name}: ${source}`).toBe(true);
        expect(existsSync(join(root, source)), `${name}: ${source}`).toBe(true);
      }
      for (const word of [...(service.entrypoint ?? []), ...(service.command ?? [])]) {
        if (/^\/(deploy|examples)\//.test(word)) expect(existsSync(join(root, word)), word).toBe(true);
      }
    }
  });

  it("gives each hospital its own tables, under the names that the studies use", async () => {
    const folders = { biopsies: "", trial: "trial/" };
    for (const name of hospitals) {
      const service = compose.services[name]!;
      const bound = mounts(service).filter(({ isBind }) => isBind);
      expect(bound.map(({ source }) => source)).toEqual(
        Object.values(folders).map((folder) => `./examples/data/${folder}${name}.csv`),
      );
      for (const [i, table] of Object.keys(folders).entries()) {
        expect(service.command).toContain(`${table}=${bound[i]!.target}`);
        expect(service.command).toContain(`${table}=rows`);
      }
    }
    for (const file of await readdir(join(root, "examples/studies"))) {
      const { table } = parse(await text(`examples/studies/${file}`)) as { table: string };
      expect(Object.keys(folders)).toContain(table);
    }
    expect(compose.services.invite!.command).toEqual(hospitals);
  });

  it("starts each part when what it needs is there", () => {
    const needs = (name: string) =>
      Object.entries(compose.services[name]!.depends_on ?? {}).map(
        ([on, { condition }]) => `${on} ${condition}`,
      );
    expect(needs("init")).toEqual([]);
    expect(needs("aggregator")).toEqual(["init service_completed_successfully"]);
    expect(needs("publisher")).toEqual(["init service_completed_successfully"]);
    expect(needs("invite")).toEqual(["aggregator service_healthy"]);
    for (const name of hospitals)
      expect(needs(name)).toEqual([
        "invite service_completed_successfully",
        `${name.replace("hospital", "tables")} service_healthy`,
      ]);
    for (const name of consoles)
      expect(needs(name)).toEqual([`${name.replace("console", "hospital")} service_healthy`]);
    expect(needs("study")).toEqual(["publisher", ...hospitals].map((name) => `${name} service_healthy`));
    for (const [, service] of services) {
      for (const [on, { condition }] of Object.entries(service.depends_on ?? {})) {
        // Only a server has a health, and only what runs once completes.
        expect(condition === "service_healthy", on).toBe(servers.includes(on));
      }
    }
  });

  it("restarts and watches servers, and nothing that runs once", () => {
    for (const [name, service] of services) {
      const isServer = servers.includes(name);
      expect(service.restart, name).toBe(isServer ? "unless-stopped" : "no");
      expect(service.healthcheck.test, name).toEqual(
        isServer
          ? ["CMD", "node", "/app/deploy/health.mjs"].concat(
              readers.includes(name) ? "/run/consilium-tables/tables.sock" : [],
            )
          : undefined,
      );
      expect(service.healthcheck.disable ?? false, name).toBe(!isServer);
    }
  });

  it("builds every image once, under this version, and asks no registry for one", async () => {
    const { version } = JSON.parse(await text("package.json")) as { version: string };
    for (const [name, service] of services)
      expect(
        images.map((image) => `consilium-${image}:${version}`),
        name,
      ).toContain(service.image);
    const built = services.filter(([, service]) => service.build !== undefined);
    expect(built.map(([, { build, image }]) => `${build?.dockerfile} ${image}`)).toEqual([
      `aggregator/Dockerfile consilium-aggregator:${version}`,
      `publisher/Dockerfile consilium-publisher:${version}`,
      `site-agent/Dockerfile consilium-site-agent:${version}`,
    ]);
  });
});

/** Packages that a workspace's own code imports at run time, each with a file that does. */
async function importsOf(folder: string): Promise<[file: string, name: string][]> {
  // The methods' folders stand in their package, without `src`.
  const sources = existsSync(join(root, folder, "src")) ? `${folder}/src` : folder;
  const files = await readdir(join(root, sources), { recursive: true });
  const own = files.filter(
    (file) =>
      /(?<!\.d)\.ts$/.test(file) &&
      !/\.test\.ts$|(?:^|\/)(?:test[A-Z]\w*\.ts$|testing\/|dist\/|node_modules\/)/.test(file),
  );
  const found = await Promise.all(
    own.map(async (file) =>
      [
        ...(await text(`${sources}/${file}`)).matchAll(
          /^(?:import|export) (?!type )(?:[^;]*? from )?"((?:@[^/"]+\/)?[^./"][^/"]*)/gm,
        ),
      ].map(([, name]): [string, string] => [file, name!]),
    ),
  );
  return found.flat().filter(([, name]) => !name.startsWith("node:"));
}

describe("the Dockerfiles", () => {
  const stagesOf = async (image: string) => (await text(`${image}/Dockerfile`)).split(/^(?=FROM )/m);

  it.each(images)("make of the %s an image that runs as nobody special", async (image) => {
    const dockerfile = await text(`${image}/Dockerfile`);
    const { version } = JSON.parse(await text("package.json")) as { version: string };
    expect(dockerfile).not.toMatch(/^#\s*syntax=/m);
    expect(dockerfile).toMatch(/^ARG NODE_IMAGE=node:24-bookworm-slim$/m);
    const final = (await stagesOf(image)).at(-1)!;
    const instructions = final.split("\n").filter((line) => /^[A-Z]+ /.test(line));
    expect(final).toMatch(/^FROM \$\{NODE_IMAGE\}$/m);
    expect(final).toMatch(/^USER [1-9]\d*:[1-9]\d*$/m);
    expect(final).toMatch(/^STOPSIGNAL SIGTERM$/m);
    expect(final).toMatch(/^HEALTHCHECK .* CMD \["node", "\/app\/deploy\/health\.mjs"\]$/m);
    expect(final).toContain(`org.opencontainers.image.title="consilium-${image}"`);
    expect(final).toContain(`org.opencontainers.image.version="${version}"`);
    // What the build stages hold beside the assembled folder, sources and packages for the build, stays behind.
    expect(instructions.filter((line) => /^(COPY|ADD) /.test(line))).toEqual([
      "COPY --from=production /image /app",
    ]);
    expect(instructions.filter((line) => line.startsWith("ENV "))).toEqual(["ENV NODE_ENV=production \\"]);
    const entry = JSON.parse(/^ENTRYPOINT (.*)$/m.exec(final)![1]!) as string[];
    const started = entry.at(-1)!.replace(/^\/app\//, "");
    expect(existsSync(join(root, started.replace("/dist/main.js", "/src/main.ts"))), started).toBe(true);
  });

  it("share every stage up to the service's own packages, so that one build serves three", async () => {
    const [first, ...others] = await Promise.all(images.map(stagesOf));
    const shared = (stages: readonly string[]) => stages.slice(1, 4);
    expect(shared(first!).map((stage) => / AS (\w+)$/m.exec(stage)?.[1])).toEqual([
      "manifests",
      "packages",
      "build",
    ]);
    for (const other of others) expect(shared(other)).toEqual(shared(first!));
    for (const image of images) {
      const production = (await stagesOf(image))[4]!;
      expect(production).toContain(
        `npm ci --omit=dev --prefer-offline ${partsOf(image)
          .map((part) => `--workspace ${part}`)
          .join(" ")} --workspace cli\n`,
      );
    }
  });

  it.each(images)(
    "install for the %s what its code imports, without packages for development",
    async (image) => {
      const queue = [...partsOf(image), "cli"];
      for (const folder of queue) {
        const manifest = JSON.parse(await text(`${folder}/package.json`)) as {
          dependencies?: Record<string, string>;
          optionalDependencies?: Record<string, string>;
        };
        const installed = { ...manifest.dependencies, ...manifest.optionalDependencies };
        for (const [file, name] of await importsOf(folder)) {
          expect(Object.keys(installed), `${folder}: ${file}`).toContain(name);
          const workspace = workspaces.find((one) => `@consilium/${basename(one)}` === name);
          if (workspace !== undefined && !queue.includes(workspace)) queue.push(workspace);
        }
      }
      expect(queue).toEqual(expect.arrayContaining(["core", "proto", "runtime"]));
      // What is assembled are whole workspaces: none of these needs a file beside `dist` that is not listed.
      const assembled = await text("deploy/assemble.mjs");
      for (const path of assembled.matchAll(/"([\w.]+\.(?:sh|mjs))"/g))
        expect(existsSync(join(root, "deploy", path[1]!)), path[1]).toBe(true);
    },
  );

  it("take along the packages that a workspace has in a version of its own", async () => {
    expect(await text("deploy/assemble.mjs")).toContain('copyPackages(join(workspace, "node_modules"))');
  });

  it("make the folders that new volumes are mounted on, so that their user may write there", async () => {
    const made = new Map<string, string>();
    for (const image of images) made.set(image, (await stagesOf(image)).at(-1)!);
    for (const [name, service] of services) {
      const image = /^consilium-(.+):/.exec(service.image)![1]!;
      const folders = /install -d -m 700 -o 1000 -g 1000 ([^#]*?)\n(?=[A-Z])/.exec(made.get(image)!)![1]!;
      for (const { target } of mounts(service).filter(({ isBind }) => !isBind))
        expect(folders.split(/[\s\\]+/), name).toContain(target);
      if (image === "site-agent") expect(folders).toContain("-m 750 -o 1001 -g 1001 /run/consilium-tables");
    }
  });
});

describe(".dockerignore", () => {
  it("lets in every workspace that npm checks, and names nothing that is not there", async () => {
    const lines = (await text(".dockerignore")).split("\n").filter((line) => line !== "" && line[0] !== "#");
    expect(lines[0]).toBe("*");
    const allowed = lines.filter((line) => line.startsWith("!")).map((line) => line.slice(1));
    for (const path of allowed) expect(existsSync(join(root, path)), path).toBe(true);
    for (const workspace of workspaces) {
      const isIn = [workspace, `${workspace}/package.json`, dirname(workspace)].some((path) =>
        allowed.includes(path),
      );
      expect(isIn, `${workspace}: add it, or its package.json, to .dockerignore`).toBe(true);
    }
    expect(lines).toEqual(expect.arrayContaining(["**/node_modules", "**/dist", "**/*.tsbuildinfo"]));
  });

  it("lets in every script that a build runs", async () => {
    const ignore = await text(".dockerignore");
    const scripts = new Set<string>();
    const find = async (file: string) => {
      for (const [, name] of (await text(file)).matchAll(/[ }"/](?:scripts|\.)\/(\w+\.mjs)\b/g)) {
        if (scripts.has(name!)) continue;
        scripts.add(name!);
        await find(`scripts/${name}`);
      }
    };
    for (const image of images) await find(`${image}/Dockerfile`);
    expect([...scripts]).toEqual(expect.arrayContaining(["build.mjs", "foldWorker.mjs", "joinPackages.mjs"]));
    for (const name of scripts) expect(ignore, name).toContain(`\n!scripts/${name}\n`);
  });

  it("lets in what the pages that the consoles show are made by", async () => {
    const ignore = await text(".dockerignore");
    const needed = new Set(["generatedPages.ts", "errorsDoc.ts", "studyDoc.ts"]);
    for (const name of needed)
      for (const [, other] of (await text(`scripts/${name}`)).matchAll(
        /^(?:import|\}) .*"\.\/(\w+)\.js";$/gm,
      ))
        needed.add(`${other}.ts`);
    expect([...needed]).toEqual(expect.arrayContaining(["keyTable.ts", "repository.ts"]));
    for (const name of needed) expect(ignore, name).toContain(`\n!scripts/${name}\n`);
    for (const path of [annotatedStudy, "tsconfig.check.json"]) expect(ignore).toContain(`\n!${path}\n`);
  });

  it("lets in what a build needs of deploy/", async () => {
    const assembled = await text("deploy/assemble.mjs");
    const taken = /deploy: \[(.*)\]/.exec(assembled)![1]!;
    const ignore = await text(".dockerignore");
    for (const name of ["assemble.mjs", ...taken.split(", ").map((quoted) => quoted.slice(1, -1))])
      expect(ignore).toContain(`\n!deploy/${name}\n`);
  });
});

describe("deploy/", () => {
  let home: string;
  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), "consilium-deploy-"));
  });
  afterEach(async () => {
    await rm(home, { recursive: true, force: true });
  });

  const run = promisify(execFile);
  const check = (environment: NodeJS.ProcessEnv) =>
    run(process.execPath, [join(root, "deploy/health.mjs")], {
      env: { ...process.env, ...environment },
    }).then(
      () => ({ code: 0, stderr: "" }),
      (failure: { code: number; stderr: string }) => ({ code: failure.code, stderr: failure.stderr }),
    );

  it.each([
    ["aggregator", "http", "0.0.0.0"],
    ["publisher", "http", "127.0.0.1"],
    ["sites/hospital-a/console", "console", "127.0.0.1"],
    ["console", "console", "0.0.0.0"],
  ])("asks the process in %s for its health", async (folder, key, host) => {
    let status = 200;
    const asked: string[] = [];
    const server = createServer((request, response) => {
      asked.push(request.url ?? "");
      response.writeHead(status).end("{}");
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    try {
      const { port } = server.address() as { port: number };
      await mkdir(join(home, folder), { recursive: true });
      await writeFile(
        join(home, folder, "addresses.json"),
        JSON.stringify({ grpc: "0.0.0.0:1", [key]: `${host}:${port}` }),
      );
      expect(await check({ CONSILIUM_HOME: home })).toEqual({ code: 0, stderr: "" });
      expect(asked).toEqual(["/healthz"]);
      status = 503;
      expect(await check({ CONSILIUM_HOME: home })).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/answers 503/),
      });
    } finally {
      server.close();
      server.closeAllConnections();
    }
    expect(await check({ CONSILIUM_HOME: home })).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/does not answer/),
    });
  });

  it("asks an agent for its health on its Unix socket", async () => {
    const state = join(home, "sites", "hospital-a");
    await mkdir(state, { recursive: true });
    const asked: string[] = [];
    const server = createServer((request, response) => {
      asked.push(`${request.method} ${request.url}`);
      response.end("{}");
    }).listen(join(state, "agent.sock"));
    await once(server, "listening");
    expect(await check({ CONSILIUM_HOME: home })).toEqual({ code: 0, stderr: "" });
    expect(asked).toEqual(["POST /v1/health"]);
    server.close();
    server.closeAllConnections();
    // What a killed agent leaves.
    await writeFile(join(state, "agent.sock"), "");
    expect(await check({ CONSILIUM_HOME: home })).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/agent\.sock does not answer/),
    });
  });

  it("asks a Unix socket whether somebody listens there", async () => {
    const path = join(home, "tables.sock");
    const asked = () => run(process.execPath, [join(root, "deploy/health.mjs"), path]);
    await expect(asked()).rejects.toMatchObject({ stderr: expect.stringMatching(/does not answer/) });
    const server = createSocketServer((socket) => socket.destroy()).listen(path);
    await once(server, "listening");
    await asked();
    server.close();
  });

  it("says that nothing is healthy where nothing has started", async () => {
    expect(await check({ CONSILIUM_HOME: home })).toMatchObject({
      code: 1,
      stderr: /no process has started/,
    });
  });

  it("stops a hospital that has neither identity nor token, and says what to do", async () => {
    const child = spawn("sh", [join(root, "deploy/enrolThenServe.sh"), "--table", "biopsies=/nowhere"], {
      env: { ...process.env, CONSILIUM_HOME: home, CONSILIUM_INVITATION: join(home, "token") },
      stdio: ["ignore", "ignore", "pipe"],
    });
    const said: Buffer[] = [];
    child.stderr.on("data", (part: Buffer) => said.push(part));
    const [code] = (await once(child, "close")) as [number];
    expect(code).toBe(1);
    expect(Buffer.concat(said).toString()).toContain("consilium invite");
  });
});

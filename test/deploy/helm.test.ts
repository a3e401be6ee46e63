import { execFile, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { further } from "../support/further.js";

/**
 * The Helm chart: Helm lints and renders it, its objects match Kubernetes' own schemas, nobody gets more rights than the job needs,
 * and what the pods run and ask works as plain processes.
 */
const run = promisify(execFile);
const root = fileURLToPath(new URL("../../", import.meta.url));
const chart = join(root, "deploy/helm/consilium");
const helm = process.env.CONSILIUM_HELM ?? join(tmpdir(), "consilium-ci-helm/helm");
const validator = join(dirname(process.env.CONSILIUM_PYTHON ?? "/nowhere/python"), "kubernetes-validate");
const isHere = existsSync(helm) && existsSync(validator);
if (!isHere) {
  const missing = "no Helm or no kubernetes-validate: .ci/run installs both, CONSILIUM_HELM names the one";
  if (process.env.CONSILIUM_FORBID_SKIPS === "1") throw new Error(missing);
  process.stderr.write(`\nSKIPPED: tests of the Helm chart: ${missing}\n`);
}

interface Container {
  readonly name: string;
  readonly command: readonly string[];
  readonly args?: readonly string[];
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[];
  readonly volumeMounts: readonly {
    readonly name: string;
    readonly mountPath: string;
    readonly readOnly?: boolean;
  }[];
  readonly livenessProbe?: {
    readonly httpGet?: { readonly path: string };
    readonly exec?: { readonly command: readonly string[] };
  };
  readonly securityContext: object;
  readonly resources: { readonly limits: { readonly memory: string } };
}

interface PodSpec {
  readonly securityContext: object;
  readonly initContainers: readonly Container[];
  readonly containers: readonly Container[];
  readonly volumes: readonly Readonly<Record<string, unknown>>[];
}

interface Rendered {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  // What each test reads of it, it knows.
  readonly spec: Readonly<Record<string, never>> & { readonly template: { readonly spec: PodSpec } };
}

const scratch = await mkdtemp(join(tmpdir(), "consilium-helm-"));
const helmEnv = {
  ...process.env,
  HELM_CACHE_HOME: join(scratch, "helm"),
  HELM_CONFIG_HOME: join(scratch, "helm"),
  HELM_DATA_HOME: join(scratch, "helm"),
};
afterAll(() => rm(scratch, { recursive: true, force: true }));

const valuesOf = (name: string) => join(chart, "examples", `${name}.yaml`);
async function template(values: string, ...settings: string[]): Promise<string> {
  const set = settings.flatMap((setting) => ["--set", setting]);
  const args = ["template", "trial", chart, "--values", values, ...set];
  return (await run(helm, args, { env: helmEnv })).stdout;
}
// Kubernetes reads YAML 1.1: 0440 is octal.
const objectsOf = (text: string) =>
  parseAllDocuments(text, { version: "1.1" })
    .map((document) => document.toJS() as Rendered | null)
    .filter((one): one is Rendered => one !== null);
const find = (objects: readonly Rendered[], kind: string, name: string): Rendered => {
  const found = objects.find((one) => one.kind === kind && one.metadata.name === name);
  if (found === undefined) throw new Error(`the chart has no ${kind} ${name}`);
  return found;
};

describe.skipIf(!isHere)("the Helm chart", () => {
  let operator: readonly Rendered[] = [];
  let site: readonly Rendered[] = [];
  beforeAll(async () => {
    operator = objectsOf(await template(valuesOf("operator")));
    site = objectsOf(await template(valuesOf("site")));
  });

  it.each(["operator", "site"])(
    "%s: Helm's lint and the schemas of the oldest and a recent Kubernetes hold",
    async (name) => {
      await run(helm, ["lint", chart, "--strict", "--values", valuesOf(name)], { env: helmEnv });
      const path = join(scratch, `${name}.yaml`);
      const text = await template(valuesOf(name));
      await writeFile(path, text);
      for (const version of ["1.27", "1.34"])
        await run(validator, ["--strict", "--quiet", "-k", version, path]);
      await writeFile(path, text.replace(/readOnlyRootFilesystem/g, "readOnlyRootFileSystem"));
      await expect(run(validator, ["--strict", "--quiet", "-k", "1.34", path])).rejects.toThrow();
    },
  );

  it("refuses unknown keys, a hospital without an aggregator's address, and an agent that may reach anything", async () => {
    const refused = (setting: string) =>
      expect(template(valuesOf("site"), setting)).rejects.toThrow(/schema/);
    await refused("site.agnet.httpsProxy=http://proxy");
    await refused("site.aggregators=null");
    await refused("site.databases[0].cidr=0.0.0.0/0");
    await refused("site.name=St Mary");
    await refused("site.data.path=/state/tables");
    await template(valuesOf("site"), "site.agent.httpsProxy=http://proxy:3128");
  });

  it("installs nothing unless a part is asked for", async () => {
    expect(objectsOf(await template(join(chart, "values.yaml")))).toEqual([]);
  });

  it("gives no pod a right that it can do without", () => {
    const sets = [...operator, ...site].filter(({ kind }) => kind === "StatefulSet");
    expect(sets.map(({ metadata }) => metadata.name).sort()).toEqual([
      "trial-aggregator",
      "trial-publisher",
      "trial-site",
      "trial-standby",
    ]);
    for (const { spec } of sets) {
      expect(spec).toMatchObject({ replicas: 1 });
      const pod = spec.template.spec;
      expect(pod).toMatchObject({
        automountServiceAccountToken: false,
        securityContext: {
          runAsNonRoot: true,
          runAsUser: 1000,
          seccompProfile: { type: "RuntimeDefault" },
          // Without it the kubelet would open the keys to the group at every start.
          fsGroupChangePolicy: "OnRootMismatch",
        },
      });
      for (const key of ["hostNetwork", "hostPID", "hostIPC"]) expect(pod).not.toHaveProperty(key);
      for (const volume of pod.volumes) expect(volume).not.toHaveProperty("hostPath");
      for (const container of [...pod.initContainers, ...pod.containers]) {
        expect(container.securityContext).toEqual({
          // Another user than the pod's.
          ...(container.name === "tables" && { runAsUser: 1001, runAsGroup: 1001 }),
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ["ALL"] },
        });
        expect(container.resources.limits.memory).toMatch(/^\d+[MG]i$/);
      }
      // Every pod is in a network policy.
      const { template } = spec as unknown as {
        template: { metadata: { labels: Record<string, string> } };
      };
      const component = template.metadata.labels["app.kubernetes.io/component"];
      const policy = find([...operator, ...site], "NetworkPolicy", `trial-${component}`);
      expect(policy.spec).toMatchObject({ policyTypes: ["Ingress", "Egress"] });
    }
  });

  it("lets a hospital's pod reach DNS, the aggregators and its databases, and nothing else", () => {
    const { spec } = find(site, "NetworkPolicy", "trial-site");
    const { ingress, egress } = spec as unknown as { ingress: object[]; egress: object[] };
    const dns = { matchLabels: { "kubernetes.io/metadata.name": "kube-system" } };
    const to = (cidr: string, port: number) => ({ to: [{ ipBlock: { cidr } }], ports: [{ port }] });
    expect(egress).toEqual([
      {
        to: [{ namespaceSelector: dns }],
        ports: [
          { protocol: "UDP", port: 53 },
          { protocol: "TCP", port: 53 },
        ],
      },
      to("192.0.2.10/32", 7443),
      to("192.0.2.11/32", 7443),
      to("198.51.100.20/32", 5432),
    ]);
    // Inwards the pages alone; the agent has no port.
    expect(ingress).toMatchObject([{ ports: [{ port: "http" }] }]);
    const [agent, tables, pages] = find(site, "StatefulSet", "trial-site").spec.template.spec.containers;
    expect([agent!.ports, tables!.ports]).toEqual([undefined, undefined]);
    expect(pages!.ports).toEqual([{ name: "http", containerPort: 7082 }]);
  });

  it("shows keys to the agent alone, and tables and their passwords beside it to what reads them", () => {
    const pod = find(site, "StatefulSet", "trial-site").spec.template.spec;
    const mountedBy = (name: string) =>
      [...pod.initContainers, ...pod.containers]
        .filter(({ volumeMounts }) => volumeMounts.some((mount) => mount.name === name))
        .map((container) => container.name);
    expect(mountedBy("data")).toEqual(["enroll", "agent", "tables"]);
    expect(mountedBy("state")).toEqual(["enroll", "agent"]);
    expect(mountedBy("agent-secret-0")).toEqual(["agent", "tables"]);
    expect(mountedBy("tables")).toEqual(["agent", "tables"]);
    expect(mountedBy("seed")).toEqual(["enroll"]);
    expect(mountedBy("socket")).toEqual(["agent", "console"]);
    const pages = pod.containers.find(({ name }) => name === "console")!;
    expect(pages.volumeMounts.map(({ name }) => name)).toEqual(["console", "console-tmp", "socket"]);
    const data = pod.containers[0]!.volumeMounts.find(({ name }) => name === "data");
    expect(data).toEqual({ name: "data", mountPath: "/data", readOnly: true });
  });

  it("keeps a drain from evicting both aggregators, and blocks no drain of a single one", async () => {
    expect(find(operator, "PodDisruptionBudget", "trial-aggregators").spec).toMatchObject({
      minAvailable: 1,
    });
    const single = objectsOf(await template(valuesOf("operator"), "aggregator.standby.enabled=false"));
    expect(single.filter(({ kind }) => kind === "PodDisruptionBudget")).toEqual([]);
  });

  further("runs by its own commands: state from Secrets, enrolment, probes", async () => {
    const pods = await PlayedPods.make();
    try {
      const home = join(scratch, "operator");
      const consilium = (...args: string[]) => pods.sh(`consilium ${args.join(" ")} --home ${home}`);
      await consilium("init --name trial --listen 127.0.0.1");
      const ports = (part: string) =>
        find(operator, "StatefulSet", `trial-${part}`).spec.template.spec.containers[0]!.ports!;
      for (const part of ["aggregator", "publisher"]) {
        // The ports that `init` writes are the chart's; here any free ones are taken.
        const config = await readFile(join(home, part, "config.yaml"), "utf8");
        for (const { name, containerPort } of ports(part))
          expect(config).toMatch(new RegExp(`${name}: "127.0.0.1:${containerPort}"`));
        const free = config.replace(/(grpc|http): "127\.0\.0\.1:\d+"/g, '$1: "127.0.0.1:0"');
        await writeFile(
          join(home, part, "config.yaml"),
          free.replace(/^publisher:\n.*\n|^advertise:.*\n/gm, ""),
        );
        await pods.seed(`trial-${part}`, "state.tar", async (path) => {
          await consilium(`backup ${part} --to ${path}`);
        });
      }
      for (const part of ["aggregator", "publisher"]) {
        const pod = find(operator, "StatefulSet", `trial-${part}`).spec.template.spec;
        await pods.initialise(`trial-${part}`, pod);
        const state = pods.path(`trial-${part}`, `/state/${part}`);
        pods.start(`trial-${part}`, pod.containers[0]!);
        await expect.poll(() => existsSync(join(state, "addresses.json"))).toBe(true);
        const { http } = JSON.parse(await readFile(join(state, "addresses.json"), "utf8")) as {
          http: string;
        };
        const asked = await fetch(`http://${http}${pod.containers[0]!.livenessProbe!.httpGet!.path}`);
        expect(asked.status).toBe(200);
        // A second start of the pod leaves the state as it is.
        await pods.initialise(`trial-${part}`, pod);
      }

      const pod = find(site, "StatefulSet", "trial-site").spec.template.spec;
      await expect(pods.initialise("trial-site", pod)).rejects.toThrow(/site\.invitationSecret/);
      const addresses = pods.path("trial-aggregator", "/state/aggregator/addresses.json");
      const { http } = JSON.parse(await readFile(addresses, "utf8")) as Record<string, string>;
      await pods.seed("trial-site", "token", async (path) => {
        const invited = await consilium(`invite st-mary --aggregator http://${http} --json`);
        await writeFile(path, (JSON.parse(invited) as { token: string }).token);
      });
      await mkdir(pods.path("trial-site", "/data"), { recursive: true });
      await cp(join(root, "examples/data/hospital-a.csv"), pods.path("trial-site", "/data/patients.csv"));
      await pods.initialise("trial-site", pod);
      const [agent, tables, pages] = pod.containers;
      const probe = () =>
        pods.command("trial-site", agent!.livenessProbe!.exec!.command).then(
          () => "well",
          () => "not yet",
        );
      expect(await probe()).toBe("not yet");
      const reads = () =>
        pods.command("tables", tables!.livenessProbe!.exec!.command).then(
          () => "well",
          () => "not yet",
        );
      expect(await reads()).toBe("not yet");
      pods.start("tables", tables!);
      await expect.poll(reads).toBe("well");
      pods.start("trial-site", agent!);
      await expect.poll(probe).toBe("well");
      pods.start("trial-site", pages!, "console");
      const listens = pods.path("console", "/state/console/addresses.json");
      await expect.poll(() => existsSync(listens)).toBe(true);
      const { console: address } = JSON.parse(await readFile(listens, "utf8")) as { console: string };
      const asked = await fetch(`http://${address}${pages!.livenessProbe!.httpGet!.path}`);
      expect(asked.status).toBe(200);
    } finally {
      await pods.close();
    }
  });
});

/** Containers as processes of this machine: the folders that they mount are folders below `scratch`. */
class PlayedPods {
  readonly #children: { readonly child: ReturnType<typeof spawn>; readonly ended: Promise<unknown> }[] = [];
  readonly #bin = join(scratch, "bin");

  static async make(): Promise<PlayedPods> {
    const pods = new PlayedPods();
    await mkdir(pods.#bin, { recursive: true });
    const command = join(pods.#bin, "consilium");
    await writeFile(command, `#!/bin/sh\nexec "${process.execPath}" "${root}cli/dist/main.js" "$@"\n`);
    await chmod(command, 0o755);
    return pods;
  }

  /** Where a path of a pod lies here. */
  path(pod: string, inside: string): string {
    return join(scratch, "pods", pod, inside);
  }

  async seed(pod: string, name: string, write: (path: string) => Promise<void>): Promise<void> {
    await mkdir(this.path(pod, "/seed"), { recursive: true });
    await write(this.path(pod, `/seed/${name}`));
  }

  #played(pod: string, text: string): string {
    return text
      .replaceAll("/app/", root)
      .replaceAll(/(?<![\w.])\/(?:state|seed|data)\b/g, (path) => this.path(pod, path))
      .replaceAll(/\/run\/consilium(?:-tables)?/g, join(scratch, "pods/socket"))
      .replace(/^0\.0\.0\.0:\d+$/, "127.0.0.1:0");
  }

  #env(pod: string): NodeJS.ProcessEnv {
    return {
      ...process.env,
      PATH: `${this.#bin}:${dirname(process.execPath)}:${process.env.PATH}`,
      CONSILIUM_HOME: this.path(pod, "/state"),
    };
  }

  async sh(script: string): Promise<string> {
    return (await run("sh", ["-euc", script], { env: this.#env("operator") })).stdout;
  }

  async command(pod: string, command: readonly string[]): Promise<string> {
    const [first, ...rest] = command.map((word) => this.#played(pod, word));
    return (await run(first!, rest, { env: this.#env(pod) })).stdout;
  }

  async initialise(pod: string, spec: PodSpec): Promise<void> {
    for (const { command, args = [] } of spec.initContainers) {
      await mkdir(this.path(pod, "/state"), { recursive: true });
      await this.command(pod, [...command, ...args]);
    }
  }

  start(pod: string, container: Container, as = pod): void {
    const [first, ...rest] = container.command.map((word) => this.#played(as, word));
    for (const folder of [this.path(as, "/state"), join(scratch, "pods/socket")])
      run("mkdir", ["-p", folder]).catch(() => undefined);
    const child = spawn(first!, rest, { env: this.#env(as), stdio: "ignore" });
    this.#children.push({ child, ended: new Promise((resolve) => child.once("exit", resolve)) });
  }

  async close(): Promise<void> {
    for (const { child } of this.#children) child.kill();
    await Promise.all(this.#children.map(({ ended }) => ended));
  }
}

import { describe, expect, it } from "vitest";
import { siteName, testPlace, testRandom } from "../testing/sum.js";
import { SumError } from "./errors.js";
import type { SiteId } from "./ids.js";
import { cycleOrder, neighbourhoods } from "./neighbours.js";
import { completeUpTo, type SumParameters, sumParameters, thresholdFor, tolerates } from "./parameters.js";
import type { SumPlace } from "./transcript.js";

describe("sumParameters", () => {
  it("has the threshold of the design", () => {
    const table = [
      [3, 1, 3, 3],
      [4, 1, 3, 3],
      [5, 1, 3, 4],
      [5, 2, 3, 4],
      [7, 1, 3, 5],
      [10, 1, 9, 9],
      [10, 6, 3, 9],
      [20, 1, 3, 14],
    ];
    for (const [sites, tolerateColluding, minimumSites, threshold] of table) {
      const options = { sites: sites!, minimumSites: minimumSites!, tolerateColluding: tolerateColluding! };
      expect(thresholdFor(options)).toBe(threshold);
      expect(sumParameters(options)).toEqual({
        sites,
        threshold,
        graph: { kind: "complete" },
        shareThreshold: threshold,
      });
    }
  });

  it("has a circulant graph above 32 sites, of the least degree that is safe and sturdy", () => {
    // sites, colluding, degree, share threshold
    const table = [
      [33, 1, 12, 9],
      [33, 2, 14, 11],
      [50, 1, 16, 12],
      [100, 1, 30, 21],
      [200, 1, 48, 33],
      [300, 4, 58, 40],
      [1000, 1, 78, 53],
    ];
    for (const [sites, tolerateColluding, degree, shareThreshold] of table) {
      const parameters = sumParameters({
        sites: sites!,
        minimumSites: 3,
        tolerateColluding: tolerateColluding!,
      });
      expect(parameters).toMatchObject({ graph: { kind: "circulant", degree }, shareThreshold });
    }
  });

  it("always tolerates what it was made for, and never twice as many as it could", () => {
    for (let sites = 3; sites <= 300; sites++) {
      for (const tolerateColluding of [0, 1, 2, 5]) {
        if (tolerateColluding > sites - 3) continue;
        const parameters = sumParameters({ sites, minimumSites: 2, tolerateColluding });
        const { threshold, graph, shareThreshold } = parameters;
        expect(tolerates(parameters, tolerateColluding)).toBe(true);
        expect(tolerates(parameters, 2 * threshold - sites)).toBe(false);
        if (sites <= completeUpTo) expect(graph.kind).toBe("complete");
        else if (tolerateColluding < 5) expect(graph.kind).toBe("circulant");
        if (graph.kind === "complete") continue;
        const { degree } = graph;
        expect(degree % 2).toBe(0);
        expect(2 * shareThreshold).toBeGreaterThan(degree + 1 + tolerateColluding);
        expect(shareThreshold - tolerateColluding - 1).toBeGreaterThanOrEqual(degree / 2 + 1);
      }
    }
  });

  it("is sturdy: simulated dropouts of a tenth leave every neighbourhood t sites", () => {
    // At most 2^-20 each, by the union bound: one thin neighbourhood in 4,000 trials has probability below 1/250.
    for (const sites of [33, 64, 120, 300]) {
      const place = placeOf(sites, sumParameters({ sites, minimumSites: 3, tolerateColluding: 1 }));
      const graph = neighbourhoods(place);
      const around = sitesOf(place).map((site) => graph.around(site));
      let least = sites;
      for (let trial = 0; trial < 1000; trial++) {
        const order = cycleOrder(sitesOf(place), `drop ${sites} ${trial}`);
        const dropped = new Set(order.slice(0, Math.ceil(sites / 10)));
        for (const near of around) {
          let left = 0;
          for (const one of near) if (!dropped.has(one)) left++;
          least = Math.min(least, left);
        }
      }
      expect(least).toBeGreaterThanOrEqual(place.parameters.shareThreshold);
    }
  });

  it("falls back on the complete graph, and refuses with what to lower where nothing protects a site", () => {
    const many = { sites: 100, minimumSites: 3, tolerateColluding: 30 };
    expect(sumParameters(many)).toMatchObject({
      threshold: 67,
      graph: { kind: "complete" },
      shareThreshold: 67,
    });
    const refusals = [
      { sites: 300, minimumSites: 3, tolerateColluding: 60 },
      { sites: 3, minimumSites: 3, tolerateColluding: 2 },
      { sites: 3, minimumSites: 4, tolerateColluding: 0 },
      { sites: 5, minimumSites: 3, tolerateColluding: 5 },
    ];
    for (const options of refusals) {
      try {
        sumParameters(options);
        expect.unreachable();
      } catch (thrown) {
        expect(thrown).toBeInstanceOf(SumError);
        expect((thrown as SumError).remedy).toContain("participation.tolerateColluding");
      }
    }
    expect(() => sumParameters({ sites: 4.5, minimumSites: 3, tolerateColluding: 1 })).toThrow(RangeError);
  });
});

function placeOf(sites: number, parameters: SumParameters): SumPlace {
  const place = testPlace({ sites });
  return { ...place, parameters };
}

const sitesOf = (place: SumPlace): SiteId[] => place.roster.members.map((member) => member.site);

describe("neighbourhoods", () => {
  it("are mutual, of the right size, and give each holder an index of its own", () => {
    for (const sites of [3, 32, 33, 48, 100, 211, 300]) {
      const place = testPlace({ sites });
      const graph = neighbourhoods(place);
      const { graph: shape } = place.parameters;
      const size = shape.kind === "complete" ? sites : shape.degree + 1;
      for (const site of sitesOf(place)) {
        const around = graph.around(site);
        expect(around).toHaveLength(size);
        expect([...around].sort()).toEqual(around);
        expect(around).toContain(site);
        expect(around.map((other) => graph.indexIn(site, other))).toEqual(around.map((_, i) => i + 1));
        expect(around.every((other) => graph.indexIn(other, site) > 0)).toBe(true);
      }
      expect(() => graph.around("stranger" as SiteId)).toThrow(RangeError);
    }
  });

  it("follow the roster's hash: a permutation, uniform over the first place", () => {
    const sites = Array.from({ length: 40 }, (_, i) => siteName(i));
    const counts = new Map<SiteId, number>();
    for (let i = 0; i < 8000; i++) {
      const order = cycleOrder(sites, `roster ${i}`);
      if (i < 20) expect([...order].sort()).toEqual(sites);
      counts.set(order[0]!, (counts.get(order[0]!) ?? 0) + 1);
    }
    // Each about 200 times; chi-squared with 39 degrees of freedom is above 95.1 with probability 1e-6.
    const chi = [...counts.values()].reduce((sum, count) => sum + (count - 200) ** 2 / 200, 0);
    expect(counts.size).toBe(40);
    expect(chi).toBeLessThan(95.1);
    expect(cycleOrder(sites, "a")).toEqual(cycleOrder(sites, "a"));
    expect(cycleOrder(sites, "a")).not.toEqual(cycleOrder(sites, "b"));
  });
});

/**
 * What an aggregator can open, worked out from who revealed what, without any cryptography: the claim that
 * SPEC.md proves, tried out. A site's vertex on the cycle is one of
 *
 *   absent      never shared
 *   colluding   gives both kinds of share of everything
 *   direct      answered for everybody who shared; in the smaller list of survivors, or among its dropped
 *   signed      answered for the smaller list of survivors
 *
 * (A silent honest site tells the aggregator less than any of these.)
 */
type Role = "absent" | "colluding" | "direct survivor" | "direct dropped" | "signed";

/** The sets of honest sites whose sum shows: components of the remaining masks of which all self masks are known. */
function opened(
  roles: readonly Role[],
  degree: number,
  t: number,
): { sets: number[][]; single: boolean; left: number } {
  const n = roles.length;
  const knows = roles.map((role, v) => {
    const dropped = role === "direct dropped";
    let signed = 0;
    let colluding = 0;
    let direct = 0;
    for (let step = -degree / 2; step <= degree / 2; step++) {
      const near = roles[(v + step + n) % n]!;
      if (near === "signed") signed++;
      else if (near === "colluding") colluding++;
      else if (near !== "absent") direct++;
    }
    return {
      selfMask: direct + colluding + (dropped ? 0 : signed) >= t,
      maskKey: colluding + (dropped ? signed : 0) >= t,
    };
  });
  const honest = (v: number) => roles[v] !== "absent" && roles[v] !== "colluding";
  const single = knows.some((secret, v) => honest(v) && secret.selfMask && secret.maskKey);
  const remaining = new Set([...roles.keys()].filter((v) => honest(v) && !knows[v]!.maskKey));
  const left = remaining.size;
  const sets: number[][] = [];
  while (remaining.size > 0) {
    const component: number[] = [];
    const queue = [remaining.values().next().value!];
    remaining.delete(queue[0]!);
    for (let v = queue.pop(); v !== undefined; v = queue.pop()) {
      component.push(v);
      for (let step = -degree / 2; step <= degree / 2; step++) {
        const u = (v + step + n) % n;
        if (remaining.delete(u)) queue.push(u);
      }
    }
    if (component.every((v) => knows[v]!.selfMask)) sets.push(component);
  }
  return { sets, single, left };
}

/** Whether both secrets of a site are known, or a sum over some but not all of the honest sites that remain shows. */
function leaks(roles: readonly Role[], degree: number, t: number): boolean {
  const { sets, single, left } = opened(roles, degree, t);
  return single || sets.some((set) => set.length < left);
}

const honestRoles: readonly Role[] = ["absent", "direct survivor", "direct dropped", "signed"];

const allRoles: readonly Role[] = [...honestRoles, "colluding"];

/**
 * Every assignment of roles to n sites with at most c colluding, until one leaks. Turning the cycle changes nothing, so
 * that those are enough whose first site has a role that comes last of all that occur.
 */
function findLeak(n: number, degree: number, t: number, c: number): readonly Role[] | null {
  const roles: Role[] = [];
  const from = (v: number, colluding: number, last: number): boolean => {
    if (v === n) return leaks(roles, degree, t);
    for (let which = 0; which <= last; which++) {
      const colludes = allRoles[which] === "colluding";
      if (colludes && colluding === c) continue;
      roles[v] = allRoles[which]!;
      if (from(v + 1, colluding + (colludes ? 1 : 0), v === 0 ? which : last)) return true;
    }
    return false;
  };
  return from(0, 0, allRoles.length - 1) ? roles : null;
}

describe("what an aggregator can open", () => {
  // t = k/2 + c + 2 is the least that the proof allows; all have 2t > k + 1 + c.
  it.each([
    { n: 8, degree: 4, t: 4, c: 0 },
    { n: 8, degree: 4, t: 5, c: 1 },
    { n: 9, degree: 6, t: 5, c: 0 },
    { n: 8, degree: 6, t: 6, c: 1 },
  ])(
    "is one sum over all honest sites that remain: $n sites, degree $degree, t = $t, $c colluding",
    (one) => {
      expect(findLeak(one.n, one.degree, one.t, one.c)).toBeNull();
    },
  );

  it.each([
    { n: 8, degree: 4, t: 3, c: 0 },
    { n: 10, degree: 4, t: 4, c: 2 },
  ])(
    "is more when t is too small: the search finds it at $n sites, degree $degree, t = $t, $c colluding",
    (one) => {
      expect(findLeak(one.n, one.degree, one.t, one.c)).not.toBeNull();
    },
  );

  it.each([33, 60, 100, 200])(
    "is one sum at the parameters of %i sites, for dropouts chosen to cut the cycle",
    (sites) => {
      const parameters = sumParameters({ sites, minimumSites: 3, tolerateColluding: 1 });
      if (parameters.graph.kind !== "circulant") throw new Error("above 32 sites the graph is a circulant");
      const { degree } = parameters.graph;
      const t = parameters.shareThreshold;
      const random = testRandom(`cuts ${sites}`);
      const below = (n: number) => new DataView(random.bytes(4).buffer).getUint32(0) % n;
      let cuts = 0;
      for (let trial = 0; trial < 600; trial++) {
        const roles: Role[] = Array.from({ length: sites }, () => "signed");
        const fill = (start: number, length: number, role: () => Role) => {
          for (let i = 0; i < length; i++) roles[(start + i) % sites] = role();
        };
        const gap = degree / 2 + below(3) - 1;
        const inner = 1 + below(sites - 2 * gap - 2);
        const start = below(sites);
        // An arc between two gaps, which answered directly, dropped or not; the gaps are absent or mixed.
        const mixed = () => honestRoles[below(4)]!;
        const plain = trial % 2 === 0;
        fill(start, gap, plain ? () => "absent" : mixed);
        fill(
          start + gap,
          inner,
          trial % 3 === 0 ? mixed : () => (trial % 5 === 0 ? "direct survivor" : "direct dropped"),
        );
        fill(start + gap + inner, gap, plain ? () => "absent" : mixed);
        roles[below(2) === 0 ? start : (start + gap) % sites] = "colluding";
        if (leaks(roles, degree, t)) expect.unreachable(`leak: ${roles.join(" ")}`);
        // The positive control: with t = k/2 such cuts do open part of the sites.
        if (leaks(roles, degree, degree / 2)) cuts++;
      }
      expect(cuts).toBeGreaterThan(20);
    },
  );
});

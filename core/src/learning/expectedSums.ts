import type { answerOf } from "@consilium/gate/answer";
import type { StageId } from "../ids.js";
import { plainKernels } from "../linalg/plain.js";
import { siteSideOf } from "../method/method.js";
import { wholly } from "../method/parts.js";
import type { Broadcast } from "../study/broadcast.js";
import type { ColumnBlock } from "../study/design.js";
import { countedPatients } from "../study/patientWeights.js";
import { planStudy } from "../study/plan.js";
import { sitesAtLeast } from "../study/soundSums.js";
import type { Study } from "../study/study.js";
import { ringElements, signedNumbers } from "./exactSums.js";
import { stageTable } from "./stageTable.js";
import { repeating, type SumConversation, simulatedSite, streamed } from "./sums.js";

/**
 * A sound method's program over rows that are nobody's and stand for a larger table: what the method's records add, by the gate's own
 * fold, times the table's rows over these. No noise is drawn; the study says how large it would be, which makes intervals as wide as a release's.
 */
export async function overExpectedRows<R>(options: {
  /** On the roster that it is judged for: `asExpected`. */
  readonly study: Study;
  readonly block: ColumnBlock;
  /** Number of rows that `block` stands for. */
  readonly rows: number;
  readonly answer: typeof answerOf;
  readonly pause?: (() => Promise<void>) | undefined;
  readonly run: (conversation: SumConversation) => Promise<R>;
}): Promise<R> {
  const { study, rows, answer, pause } = options;
  const kernels = plainKernels();
  const { proposal } = await siteSideOf(study);
  if (proposal === undefined) throw new RangeError(`nothing is proven of ${study.method}`);
  const plan = planStudy(study);
  const sites = sitesAtLeast(study);
  const block = countedPatients(study) === null ? options.block : ofOneRowEach(options.block);
  const broadcasts = new Map<StageId, Broadcast>();
  return options.run({
    sites,
    survivors: sites,
    kernels,
    part: wholly,
    draw: (_, make) => make(),
    ...(pause === undefined ? {} : { pause }),
    async sum(id, broadcast) {
      const stage = plan.stages.find((one) => one.id === id);
      if (stage?.kind !== "sum") throw new RangeError(`the plan has no sum stage ${id}`);
      broadcasts.set(id, broadcast);
      const table = stageTable(study, { blocks: streamed([block]), kernels, random: repeating });
      const { exact } = await answer(proposal(id, { study, site: simulatedSite(0), broadcasts }), table);
      await pause?.();
      const values = signedNumbers(exact);
      for (let i = 0; i < values.length; i++) values[i] = Math.round((values[i]! * rows) / block.rows);
      return ringElements(values, 1);
    },
  });
}

/** Every row another patient's. */
function ofOneRowEach(block: ColumnBlock): ColumnBlock {
  const counts = new Uint16Array(block.rows).fill(1);
  const draws = Uint32Array.from({ length: block.rows }, (_, r) => Math.imul(r + 1, 0x9e3779b1));
  return { ...block, patientRows: { counts, draws } };
}

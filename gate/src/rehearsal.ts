import { askBlock, type Contributor, contributionFor, type PlaceContribution } from "./contributions.js";
import { heldRecords } from "./heldRecords.js";
import { answerLength, type BlocksQuery, type Query } from "./query.js";
import { drawnRecords, type RecordBlock, type RecordDomain, RecordReader } from "./record.js";

/** Records that are drawn for a rehearsal. */
const drawn = 64;

/**
 * Tries a method before it is asked about anybody: with records that are drawn from what the study declares. A method that
 * answers differently when the same record comes again, after others, to a contributor made anew, has a memory; one whose
 * answers break the query is wrong. Either is refused here, where refusing tells nothing, for no record was looked at. While
 * records are read, what is found wrong is left out and nothing is refused.
 * @param uniform - draws from [0, 1)
 * @returns why the method is refused; null where nothing was found
 */
export async function rehearse(options: {
  readonly query: Query;
  readonly contributor: () => Contributor;
  readonly domain: RecordDomain;
  readonly uniform: () => number;
}): Promise<string | null> {
  const { query, contributor, domain, uniform } = options;
  const block = drawnRecords(domain, drawn, uniform);
  const reader = readerOf(block);
  const { record } = reader;
  const first = contributionFor(query, contributor());
  const said: Int32Array[] = [];
  for (let r = 0; r < block.rows; r++) {
    reader.load(r);
    if (!first.ask(record)) return "what it adds of a record is not what its query says";
    said.push(first.words.slice());
  }
  const second = contributionFor(query, contributor());
  for (let r = block.rows - 1; r >= 0; r--) {
    reader.load(r);
    if (!second.ask(record) || second.words.some((word, i) => word !== said[r]![i]))
      return "it answers differently when it is asked for the same record again";
  }
  return query.kind === "blocks" ? rehearseBlocks(query, contributor, block) : null;
}

/** Records of the blocks that a rehearsal asks about. */
const blockSizes = [1, 2, 8, drawn];

async function rehearseBlocks(
  query: BlocksQuery,
  contributor: () => Contributor,
  block: RecordBlock,
): Promise<string | null> {
  for (const rows of blockSizes) {
    const answers: (string | null)[] = [];
    for (const own of [contributor(), contributor()]) {
      const held = heldRecords({ ...query, blocks: 1, parts: 1 }, block.columns.length, 0);
      const contribution = contributionFor(query, own) as PlaceContribution;
      const reader = readerOf(block);
      for (let r = 0; r < rows; r++) {
        reader.load(r);
        if (contribution.ask(reader.record) && contribution.place !== -1)
          held.add(0, reader.record, contribution.counted);
      }
      const out = new Int32Array(answerLength(query.answer));
      for (const [, records] of held.records())
        answers.push((await askBlock(query, () => own, records, out)) ? out.join() : null);
    }
    if (answers.includes(null)) return "what it answers for a block is not what its query says";
    if (answers[0] !== answers[1]) return "it answers differently when it is asked for the same block again";
  }
  return null;
}

function readerOf(block: RecordBlock): RecordReader {
  const reader = new RecordReader(block.columns.length);
  reader.open(block);
  return reader;
}

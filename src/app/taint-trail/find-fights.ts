import { FightFinder, type FightMove, type TaintFight, writerOf } from '../../core/audit/taint-fights.js';
import { ContestedChanges } from '../../storage/taint-trail/contested-changes.js';
import type { Trail } from '../../storage/taint-trail/trail-catalogue.js';
import type { StoredRecord } from '../../storage/taint-trail/trail-reader.js';
import type { RequestContext } from '../request-context.js';
import { TimeSlices } from '../states/time-slices.js';
import { type GivenRecordFilter, readRecordFilter } from './record-filter.js';
import { recordView } from './record-view.js';
import { SelectTrail, type TrailWish } from './select-trail.js';

export interface FindFightsRequest extends TrailWish {
  readonly filter: Pick<GivenRecordFilter, 'node' | 'key' | 'effect' | 'from' | 'to'>;
  /** How often one writer must undo what another one did. */
  readonly min: number;
  /** Within how many seconds. */
  readonly windowSeconds: number;
  /** So many fights at most, those that lasted longest ago left out. */
  readonly limit: number;
}

export interface FoundFights {
  readonly trail: Trail;
  /** The latest first. */
  readonly fights: readonly TaintFight[];
  readonly total: number;
}

const BUDGET_MS = 60_000;

/** Finds writers who undo one another's changes of a taint, or of a cordon. */
export class FindFights {
  constructor(
    private readonly selectTrail: SelectTrail,
    private readonly changes: ContestedChanges,
  ) {}

  /** @throws {ServiceError} as `SelectTrail`; `budget-exceeded`, `cancelled` */
  async run(request: FindFightsRequest, { signal }: Pick<RequestContext, 'signal'>): Promise<FoundFights> {
    const { min, windowSeconds, limit } = request;
    const filter = readRecordFilter(request.filter, true);
    const trail = await this.selectTrail.run(request);
    const finder = new FightFinder({ min, windowSeconds });
    const slices = new TimeSlices({ budgetMs: BUDGET_MS, signal });
    let latest: readonly TaintFight[] = [];
    let total = 0;
    const take = (found: readonly TaintFight[]): void => {
      total += found.length;
      latest = [...latest, ...found].sort((a, b) => (a.last < b.last ? 1 : -1)).slice(0, limit);
    };
    for await (const rows of this.changes.batches(trail.clusterId, filter, { min, windowSeconds })) {
      for (const row of rows) {
        if (slices.due()) await slices.pause();
        const move = moveOf(row, request.filter);
        if (move !== undefined) finder.add(move);
      }
      take(finder.found());
    }
    take(finder.found(true));
    return { trail, fights: latest, total };
  }
}

/** The part of a change that was asked for; undefined where what was there before is not known. */
function moveOf(row: StoredRecord, { key, effect }: FindFightsRequest['filter']): FightMove | undefined {
  const { sequence, node, when, difference, body } = recordView(row);
  if (node === null || difference === null) return undefined;
  const wants = (taint: { readonly key: string; readonly effect: string }): boolean =>
    (key === undefined || taint.key === key) && (effect === undefined || taint.effect === effect);
  const { added, removed, changed, cordon } = difference;
  return {
    sequence,
    node,
    when,
    writer: writerOf(body),
    difference: {
      added: added.filter(wants),
      removed: removed.filter(wants),
      changed: changed.filter(({ after }) => wants(after)),
      ...(cordon !== undefined && key === undefined && effect === undefined && { cordon }),
    },
  };
}

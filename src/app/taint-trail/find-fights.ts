import { FightFinder, type FightMove, type TaintFight, writerOf } from '../../core/audit/taint-fights.js';
import { ContestedChanges } from '../../storage/taint-trail/contested-changes.js';
import type { StoredRecord } from '../../storage/taint-trail/trail-reader.js';
import type { findFights } from '../../contract/taint-trail/questions.js';
import { MIN_TURNS, MAX_FIGHTS, WINDOW } from '../../contract/taint-trail/trail-request.js';
import type { AnswerTo } from '../../contract/question.js';
import { readDuration } from '../read-duration.js';
import type { RequestOf } from '../request-of.js';
import type { RequestContext } from '../request-context.js';
import { TimeSlices } from '../states/time-slices.js';
import { readRecordFilter } from './record-filter.js';
import { recordResponse } from './record-response.js';
import { SelectTrail } from './select-trail.js';

const BUDGET_MS = 60_000;

/** Finds writers who repeatedly revert each other's changes of a taint or a cordon. */
export class FindFights {
  constructor(
    private readonly selectTrail: SelectTrail,
    private readonly changes: ContestedChanges,
  ) {}

  /** @throws {ServiceError} as `SelectTrail`; `budget-exceeded`, `cancelled` */
  async run(
    request: RequestOf<typeof findFights>,
    { signal }: Pick<RequestContext, 'signal'>,
  ): Promise<AnswerTo<typeof findFights>> {
    const { min = MIN_TURNS, window = WINDOW, limit = MAX_FIGHTS } = request;
    const windowSeconds = readDuration(window, 'window');
    const filter = readRecordFilter(request, true);
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
        const move = moveOf(row, request);
        if (move !== undefined) finder.add(move);
      }
      take(finder.found());
    }
    take(finder.found(true));
    return { trail, fights: latest.map(presentFight), total };
  }
}

function presentFight({ what, ...fight }: TaintFight): AnswerTo<typeof findFights>['fights'][number] {
  const { key, effect } = what === 'cordon' ? { key: null, effect: null } : what;
  return { ...fight, key, effect };
}

/** The requested part of a change; undefined if the previous state is unknown. */
function moveOf(row: StoredRecord, { key, effect }: RequestOf<typeof findFights>): FightMove | undefined {
  const { sequence, node, when, difference, body } = recordResponse(row);
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

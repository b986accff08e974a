import { FleetStore, type StoredFigures } from '../../storage/fleet-store.js';
import { DIGEST_CODE } from '../../digest-code.js';
import type { Revision } from '../../storage/revision.js';
import { countFindings } from '../findings/finding-response.js';
import { ListFindings } from '../findings/list-findings.js';
import { ReadState } from '../reads/read-state.js';
import type { RequestContext } from '../request-context.js';
import { DerivedStateCache } from '../states/derived-state-cache.js';
import { TimeSlices } from '../states/time-slices.js';
import { TakeTaintInventory } from '../taints/take-taint-inventory.js';

export interface KeptFigures {
  readonly revision: Revision;
  readonly figures: StoredFigures;
}

/** Computes from the head of a cluster what questions about many clusters read, and keeps it in the database. */
export class KeepFigures {
  constructor(
    private readonly fleet: Pick<FleetStore, 'keep'>,
    private readonly readState: ReadState,
    private readonly digests: DerivedStateCache,
    private readonly listFindings: Pick<ListFindings, 'keepOfHead'>,
    private readonly takeTaintInventory: Pick<TakeTaintInventory, 'keepOfHead'>,
  ) {}

  /**
   * @param slices of what is computed from the state, and of packing it
   * @throws {ServiceError} as `ReadState.run`
   */
  async run(
    { id, name }: { readonly id: number; readonly name: string },
    context: RequestContext,
    slices = new TimeSlices(),
  ): Promise<KeptFigures> {
    const { revision, state } = await this.readState.run(name, {}, context);
    const { nodes, pods } = await this.digests.overview(state, slices);
    await this.digests.taintInventory(state, slices);
    const figures: StoredFigures = {
      nodes,
      pods: { total: pods.total, pending: pods.pending, unscheduled: pods.unscheduled },
      findings: countFindings(await this.digests.clusterFindings(state, slices)),
    };
    // The figures come last: where they are kept, the rest is, too.
    await this.listFindings.keepOfHead(name, context, slices);
    await this.takeTaintInventory.keepOfHead(name, context, slices);
    await this.fleet.keep(id, revision.number, DIGEST_CODE, figures);
    return { revision, figures };
  }
}

import { GENESIS_HASH } from '../../core/audit/hash-chain.js';
import type { RequestContext } from '../request-context.js';
import { type CheckpointSignature, CheckpointSigner, type TrailCheckpoint } from './checkpoint-signer.js';
import { SelectTrail, type TrailWish } from './select-trail.js';

export interface TrailHead {
  readonly checkpoint: TrailCheckpoint;
  /** null where the service has no key. */
  readonly signed: CheckpointSignature | null;
}

/** The last record of a trail as a checkpoint. */
export class ReadTrailHead {
  constructor(
    private readonly selectTrail: SelectTrail,
    private readonly signer: CheckpointSigner,
  ) {}

  /** @throws {ServiceError} as `SelectTrail` */
  async run(wish: TrailWish, { now }: Pick<RequestContext, 'now'>): Promise<TrailHead> {
    const { cluster, clusterId, recordCount: sequence, hash } = await this.selectTrail.run(wish);
    const checkpoint = { cluster, clusterId, sequence, hash: hash ?? GENESIS_HASH, at: now.toISOString() };
    return { checkpoint, signed: this.signer.sign(checkpoint) ?? null };
  }
}

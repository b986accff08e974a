import { GENESIS_HASH } from '../../core/audit/hash-chain.js';
import type { readTrailHead } from '../../contract/taint-trail/questions.js';
import type { AnswerTo } from '../../contract/question.js';
import type { RequestOf } from '../request-of.js';
import type { RequestContext } from '../request-context.js';
import { CheckpointSigner } from './checkpoint-signer.js';
import { SelectTrail } from './select-trail.js';

/** Returns the last record of a trail as a checkpoint. */
export class ReadTrailHead {
  constructor(
    private readonly selectTrail: SelectTrail,
    private readonly signer: CheckpointSigner,
  ) {}

  /** @throws {ServiceError} as `SelectTrail` */
  async run(
    request: RequestOf<typeof readTrailHead>,
    { now }: Pick<RequestContext, 'now'>,
  ): Promise<AnswerTo<typeof readTrailHead>> {
    const { cluster, clusterId, recordCount: sequence, hash } = await this.selectTrail.run(request);
    const checkpoint = { cluster, clusterId, sequence, hash: hash ?? GENESIS_HASH, at: now.toISOString() };
    const { signature = null, publicKey = null } = this.signer.sign(checkpoint) ?? {};
    return { ...checkpoint, signature, publicKey };
  }
}

import type { AnswerTo } from '../../contract/question.js';
import type { readKubernetesVersion } from '../../contract/versions/questions.js';
import { ReadState } from '../reads/read-state.js';
import { versionEvidenceOf } from '../reads/rules-of-revision.js';
import type { RequestContext } from '../request-context.js';
import type { RequestOf } from '../request-of.js';
import { kubernetesVersionResponse } from './kubernetes-version-response.js';

/** Reads the Kubernetes version of a cluster at a revision. */
export class ReadKubernetesVersion {
  constructor(private readonly readState: ReadState) {}

  /** @throws {ServiceError} as `ReadState` does */
  async run(
    { cluster, readAt }: RequestOf<typeof readKubernetesVersion>,
    context: RequestContext,
  ): Promise<AnswerTo<typeof readKubernetesVersion>> {
    const { basis, revision, state } = await this.readState.run(cluster, readAt, context);
    return { basis, ...kubernetesVersionResponse(versionEvidenceOf(revision), state.rules) };
  }
}

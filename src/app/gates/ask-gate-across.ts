import type { askGateAcross } from '../../contract/gates/questions.js';
import type { Page } from '../../contract/page.js';
import { AcrossClusters } from '../across-clusters.js';
import { stepCanonicalHash } from '../canonical-hash.js';
import { TimeSlices } from '../states/time-slices.js';
import type { ServiceError } from '../errors/service-error.js';
import { checkConfirmable } from '../connections/dry-runs.js';
import { mapPage } from '../paging/page-by-position.js';
import type { RequestContext } from '../request-context.js';
import type { RequestOf } from '../request-of.js';
import { AskGate } from './ask-gate.js';
import type { GateAnswer } from './gate-names.js';
import { gateQuestion } from './gate-question.js';

/** A cluster with its answer or its error. */
interface ClusterGate {
  readonly cluster: string;
  readonly gate: GateAnswer | null;
  readonly error: ServiceError | null;
}

/** Asks the gate of each of several clusters. */
export class AskGateAcross {
  constructor(
    private readonly acrossClusters: AcrossClusters,
    private readonly askGate: AskGate,
  ) {}

  /** @throws {ServiceError} as `gateQuestion` and `AcrossClusters.run` */
  async run(request: RequestOf<typeof askGateAcross>, context: RequestContext): Promise<Page<ClusterGate>> {
    const { clusterSelector, page, readAt, record, root, confirm } = request;
    if (confirm !== undefined) checkConfirmable(readAt, root);
    const question = await gateQuestion(request, root, context);
    const hash = await new TimeSlices({ signal: context.signal }).run(stepCanonicalHash(question));
    const identity = ['gate', hash, readAt.at?.toISOString(), readAt.scenario?.hash, readAt.intents];
    const answers = await this.acrossClusters.run(
      { clusterSelector, page, question: identity, needs: 'evaluate' },
      ({ name: cluster }) => this.askGate.answer(question, { cluster, readAt, record, confirm }, context),
      context,
    );
    return mapPage(answers, ({ cluster, result, error }) => ({ cluster: cluster.name, gate: result, error }));
  }
}

import type { declareAdmissionConfiguration, resetAdmissionConfiguration } from '../../contract/admission/questions.js';
import type { AnswerTo } from '../../contract/question.js';
import type { AdmissionConfiguration } from '../../core/admission/admission-configuration.js';
import { declareAdmission } from '../../core/admission/declare-admission.js';
import { settingOf, THE_ONE } from '../../core/cluster/setting.js';
import { defined } from '../../core/collections/defined.js';
import type { JsonObject } from '../../core/json/json-value.js';
import { sameValue } from '../../core/json/same-value.js';
import { DEFAULT_GATES } from '../../core/kubernetes/toleration.js';
import { SettingsStore } from '../../storage/settings-store.js';
import { HeadMoved } from '../../storage/taint-trail/head-moved.js';
import { InvalidRequestError } from '../errors/invalid-request-error.js';
import { ServiceError, type ErrorDetail } from '../errors/service-error.js';
import { placeIn } from '../evictions/read-question.js';
import { ReadState } from '../reads/read-state.js';
import type { RequestContext } from '../request-context.js';
import type { RequestOf } from '../request-of.js';
import { readPrecondition } from '../taint-changes/precondition.js';
import { HeadForUpdate, type Working } from '../taint-changes/head-for-update.js';
import { admissionConfigurationResponse } from './admission-configuration-response.js';

type Declared = AnswerTo<typeof declareAdmissionConfiguration>;

/** Declares the admission configuration of a cluster's API server, as a new revision. */
export class DeclareAdmissionConfiguration {
  constructor(
    private readonly head: HeadForUpdate,
    private readonly settings: SettingsStore,
    private readonly readState: ReadState,
  ) {}

  /**
   * @throws {InvalidRequestError} with every error in the declaration
   * @throws {ServiceError} `precondition-failed`; `cluster-not-found`, `no-snapshot`
   */
  async run(request: RequestOf<typeof declareAdmissionConfiguration>, context: RequestContext): Promise<Declared> {
    return this.change(request, contentOf(request), context);
  }

  /**
   * Resets the configuration to the defaults of Kubernetes.
   * @throws {ServiceError} `precondition-failed`; `cluster-not-found`, `no-snapshot`
   */
  async reset(request: RequestOf<typeof resetAdmissionConfiguration>, context: RequestContext): Promise<Declared> {
    return this.change(request, null, context);
  }

  private async change(
    { cluster, ifMatch, dryRun = false }: RequestOf<typeof resetAdmissionConfiguration>,
    content: JsonObject | null,
    context: RequestContext,
  ): Promise<Declared> {
    const wanted = readPrecondition(ifMatch, undefined);
    const head = await this.head.current(cluster, context);
    if (wanted !== undefined && !wanted.some((one) => 'revision' in one && one.revision === head.revision.number)) {
      throw notAt(head, head.revision.number);
    }
    if (dryRun) return this.previewed(cluster, head, content, context);
    const committed = await this.commit(
      head,
      content,
      wanted === undefined ? undefined : head.revision.number,
      context,
    );
    this.head.moved(head);
    const { basis, state } = await this.readState.run(cluster, { revision: committed.revision }, context);
    return { basis, changed: committed.changed, dryRun, ...admissionConfigurationResponse(state) };
  }

  private async commit(
    head: Working,
    content: JsonObject | null,
    expectedHead: number | undefined,
    context: RequestContext,
  ) {
    try {
      return await this.settings.commit({
        clusterId: head.cluster.id,
        ...defined({ expectedHead }),
        author: context.caller.name,
        now: context.now,
        changes: [{ kind: 'AdmissionConfiguration', name: THE_ONE, content }],
      });
    } catch (error) {
      if (!(error instanceof HeadMoved)) throw error;
      this.head.moved(head);
      throw notAt(head, error.head);
    }
  }

  private async previewed(
    cluster: string,
    head: Working,
    content: JsonObject | null,
    context: RequestContext,
  ): Promise<Declared> {
    const { basis, state } = await this.readState.run(cluster, { revision: head.revision.number }, context);
    const former = state.setting('AdmissionConfiguration', THE_ONE)?.content;
    const after = state.apply(
      content === null
        ? { deletes: [{ kind: 'AdmissionConfiguration', name: THE_ONE }] }
        : { upserts: [settingOf('AdmissionConfiguration', THE_ONE, content)] },
    );
    const changed = !sameValue(former ?? null, content);
    return { basis, changed, dryRun: true, ...admissionConfigurationResponse(after) };
  }
}

function contentOf({ root, ...given }: RequestOf<typeof declareAdmissionConfiguration>): JsonObject {
  const read = declareAdmission(given, DEFAULT_GATES, (member) => placeIn(root, member));
  if ('errors' in read) {
    throw new InvalidRequestError(
      read.errors.map(({ pointer, field, type, message }): ErrorDetail => ({ pointer, field, code: type, message })),
    );
  }
  return plain(read.configuration);
}

const plain = (configuration: AdmissionConfiguration): JsonObject => configuration as unknown as JsonObject;

function notAt({ cluster }: Working, now: number): ServiceError {
  return new ServiceError('precondition-failed', `Cluster ${cluster.name} is now at revision ${now}.`);
}

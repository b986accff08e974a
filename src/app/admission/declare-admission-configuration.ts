import type { AdmissionConfiguration } from '../../core/admission/admission-configuration.js';
import { declareAdmission, type GivenAdmission } from '../../core/admission/declare-admission.js';
import { settingOf, THE_ONE } from '../../core/cluster/setting.js';
import { defined } from '../../core/collections/defined.js';
import type { JsonObject } from '../../core/json/json-value.js';
import { sameValue } from '../../core/json/same-value.js';
import { SettingsStore } from '../../storage/settings-store.js';
import { HeadMoved } from '../../storage/taint-trail/taint-change-store.js';
import { authorize } from '../authorize.js';
import { InvalidRequestError } from '../errors/invalid-request-error.js';
import { ServiceError, type ErrorDetail } from '../errors/service-error.js';
import { placeIn } from '../evictions/read-question.js';
import { DEFAULT_GATES } from '../gates.js';
import type { Basis } from '../reads/basis.js';
import { ReadState } from '../reads/read-state.js';
import type { RequestContext } from '../request-context.js';
import { readPrecondition } from '../taint-changes/precondition.js';
import { HeadForUpdate, type Working } from '../taint-changes/head-for-update.js';
import { admissionConfigurationView, type AdmissionConfigurationView } from './admission-configuration-view.js';

export interface DeclareAdmissionRequest {
  readonly cluster: string;
  /** Null: back to stock. */
  readonly declaration: GivenAdmission | null;
  readonly dryRun: boolean;
  readonly ifMatch?: string | undefined;
  /** Where the fields stand, for errors: `input` among the arguments of GraphQL, nothing in a body of REST. */
  readonly root: '' | 'input';
}

export interface DeclaredAdmissionAnswer extends AdmissionConfigurationView {
  /** The revision that says so; of a dry run the head. */
  readonly basis: Basis;
  /** Whether it is, or would be, another configuration than before. */
  readonly changed: boolean;
  readonly dryRun: boolean;
}

/** Says how the API server of a cluster admits, as a revision of its own. */
export class DeclareAdmissionConfiguration {
  constructor(
    private readonly head: HeadForUpdate,
    private readonly settings: SettingsStore,
    private readonly readState: ReadState,
  ) {}

  /**
   * @throws {InvalidRequestError} everything that is wrong with the declaration
   * @throws {ServiceError} `forbidden`; `precondition-failed`; `cluster-not-found`, `no-snapshot`
   */
  async run(request: DeclareAdmissionRequest, edge: RequestContext): Promise<DeclaredAdmissionAnswer> {
    const { cluster, dryRun } = request;
    if (!dryRun) authorize(edge, 'change', cluster);
    const content = contentOf(request);
    const wanted = readPrecondition(request.ifMatch, undefined);
    const head = await this.head.current(cluster, edge);
    if (wanted !== undefined && !wanted.some((one) => 'revision' in one && one.revision === head.revision.number)) {
      throw notAt(head, head.revision.number);
    }
    if (dryRun) return this.previewed(request, head, content, edge);
    const committed = await this.commit(head, content, wanted === undefined ? undefined : head.revision.number, edge);
    this.head.moved(head);
    const { basis, state } = await this.readState.run(cluster, { revision: committed.revision }, edge);
    return { basis, changed: committed.changed, dryRun, ...admissionConfigurationView(state) };
  }

  private async commit(
    head: Working,
    content: JsonObject | null,
    expectedHead: number | undefined,
    edge: RequestContext,
  ) {
    try {
      return await this.settings.commit({
        clusterId: head.cluster.id,
        ...defined({ expectedHead }),
        author: edge.caller.name,
        now: edge.now,
        changes: [{ kind: 'AdmissionConfiguration', name: THE_ONE, content }],
      });
    } catch (error) {
      if (!(error instanceof HeadMoved)) throw error;
      this.head.moved(head);
      throw notAt(head, error.head);
    }
  }

  private async previewed(
    { cluster }: DeclareAdmissionRequest,
    head: Working,
    content: JsonObject | null,
    edge: RequestContext,
  ): Promise<DeclaredAdmissionAnswer> {
    const { basis, state } = await this.readState.run(cluster, { revision: head.revision.number }, edge);
    const former = state.setting('AdmissionConfiguration', THE_ONE)?.content;
    const after = state.apply(
      content === null
        ? { deletes: [{ kind: 'AdmissionConfiguration', name: THE_ONE }] }
        : { upserts: [settingOf('AdmissionConfiguration', THE_ONE, content)] },
    );
    const changed = !sameValue(former ?? null, content);
    return { basis, changed, dryRun: true, ...admissionConfigurationView(after) };
  }
}

/** Nothing to say of it is nothing to store. */
function contentOf({ declaration, root }: DeclareAdmissionRequest): JsonObject | null {
  if (declaration === null) return null;
  const read = declareAdmission(declaration, DEFAULT_GATES, (member) => placeIn(root, member));
  if ('errors' in read) {
    throw new InvalidRequestError(
      read.errors.map(({ pointer, field, type, message }): ErrorDetail => ({ pointer, field, code: type, message })),
    );
  }
  return plain(read.configuration);
}

const plain = (configuration: AdmissionConfiguration): JsonObject => configuration as unknown as JsonObject;

function notAt({ cluster }: Working, now: number): ServiceError {
  return new ServiceError('precondition-failed', `Cluster ${cluster.name} is at revision ${now} now.`);
}

import { settingOf, THE_ONE } from '../../core/cluster/setting.js';
import type { JsonObject, JsonValue } from '../../core/json/json-value.js';
import { InvalidRequestError } from '../errors/invalid-request-error.js';
import type { Basis } from '../reads/basis.js';
import type { RequestContext } from '../request-context.js';
import { ChangeSetting } from '../settings/change-setting.js';
import { configurationDetails } from './checked-configuration.js';
import { givenConfiguration } from './given-configuration.js';
import { schedulerConfigurationView, type SchedulerConfigurationView } from './scheduler-configuration-view.js';

export interface DeclareSchedulerRequest {
  readonly cluster: string;
  /** As it was sent; null: back to a scheduler that was told nothing. */
  readonly configuration: JsonValue | undefined;
  readonly dryRun: boolean;
  readonly ifMatch?: string | undefined;
  /** The pointer of the configuration in the request. */
  readonly at: string;
}

export interface DeclaredSchedulerAnswer extends SchedulerConfigurationView {
  /** The revision that says so; of a dry run the head. */
  readonly basis: Basis;
  readonly changed: boolean;
  readonly dryRun: boolean;
}

/** Says how the scheduler of a cluster is configured, as a revision of its own. */
export class DeclareSchedulerConfiguration {
  constructor(private readonly changeSetting: ChangeSetting) {}

  /**
   * @throws {InvalidRequestError} everything that is wrong with the configuration, in Kubernetes' words
   * @throws {ServiceError} `body-too-large`, and as `ChangeSetting.run`
   */
  async run(request: DeclareSchedulerRequest, edge: RequestContext): Promise<DeclaredSchedulerAnswer> {
    const { cluster, dryRun, ifMatch, configuration, at } = request;
    const document = configuration === null ? null : await readable(configuration, at, edge);
    const { basis, changed, head } = await this.changeSetting.run(
      { cluster, dryRun, ifMatch, kind: 'SchedulerConfiguration', name: THE_ONE, content: () => document },
      edge,
    );
    const after = head.state.apply(
      document === null
        ? { deletes: [{ kind: 'SchedulerConfiguration', name: THE_ONE }] }
        : { upserts: [settingOf('SchedulerConfiguration', THE_ONE, document)] },
    );
    return { basis, changed, dryRun, ...schedulerConfigurationView(after) };
  }
}

async function readable(configuration: JsonValue | undefined, at: string, edge: RequestContext): Promise<JsonObject> {
  const { document, reading, pointer } = await givenConfiguration(configuration, at, edge);
  const details = configurationDetails(reading, pointer);
  if (details.length > 0) throw new InvalidRequestError(details);
  return document;
}

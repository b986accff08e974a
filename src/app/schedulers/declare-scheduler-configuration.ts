import { settingOf, THE_ONE } from '../../core/cluster/setting.js';
import type { AnswerTo } from '../../contract/question.js';
import type {
  declareSchedulerConfiguration,
  resetSchedulerConfiguration,
} from '../../contract/scheduling/scheduler-configuration-questions.js';
import type { JsonObject, JsonValue } from '../../core/json/json-value.js';
import { InvalidRequestError } from '../errors/invalid-request-error.js';
import { callerKey } from '../caller-key.js';
import type { RequestContext } from '../request-context.js';
import type { RequestOf } from '../request-of.js';
import { ChangeSetting } from '../settings/change-setting.js';
import { configurationDetails } from './checked-configuration.js';
import { givenConfiguration, pointerOf } from './given-configuration.js';
import { schedulerConfigurationResponse } from './scheduler-configuration-response.js';

type Declared = AnswerTo<typeof declareSchedulerConfiguration>;

/** Declares the scheduler configuration of a cluster, as a new revision. */
export class DeclareSchedulerConfiguration {
  constructor(private readonly changeSetting: ChangeSetting) {}

  /**
   * @throws {InvalidRequestError} with every error in the configuration, in the wording of Kubernetes
   * @throws {ServiceError} `body-too-large`, and as `ChangeSetting.run`
   */
  async run(request: RequestOf<typeof declareSchedulerConfiguration>, context: RequestContext): Promise<Declared> {
    const { configuration, root } = request;
    return this.change(
      request,
      await readableConfiguration(configuration, pointerOf(root), callerKey(context)),
      context,
    );
  }

  /**
   * Resets the configuration to that of a scheduler without configuration.
   * @throws {ServiceError} as `ChangeSetting.run`
   */
  async reset(request: RequestOf<typeof resetSchedulerConfiguration>, context: RequestContext): Promise<Declared> {
    return this.change(request, null, context);
  }

  private async change(
    { cluster, ifMatch, dryRun = false }: RequestOf<typeof resetSchedulerConfiguration>,
    document: JsonObject | null,
    context: RequestContext,
  ): Promise<Declared> {
    const { basis, changed, head } = await this.changeSetting.run(
      { cluster, dryRun, ifMatch, kind: 'SchedulerConfiguration', name: THE_ONE, content: () => document },
      context,
    );
    const after = head.state.apply(
      document === null
        ? { deletes: [{ kind: 'SchedulerConfiguration', name: THE_ONE }] }
        : { upserts: [settingOf('SchedulerConfiguration', THE_ONE, document)] },
    );
    return { basis, changed, dryRun, ...schedulerConfigurationResponse(after) };
  }
}

/**
 * The document of a configuration without errors.
 * @throws {InvalidRequestError} with every error; {ServiceError} `body-too-large`
 */
export async function readableConfiguration(configuration: JsonValue, at: string, sender: string): Promise<JsonObject> {
  const { document, reading, pointer } = await givenConfiguration(configuration, at, sender);
  const details = configurationDetails(reading, pointer);
  if (details.length > 0) throw new InvalidRequestError(details);
  return document;
}

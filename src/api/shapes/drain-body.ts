import { InputType } from '@nestjs/graphql';
import type { JsonValue } from '../../core/json/json-value.js';
import { Given } from './property.js';
import { SCENARIO, type ScenarioBody } from './scenario-body.js';

const flag = (description: string) => ({ type: 'boolean', optional: true, defaultsTo: false, description }) as const;

@InputType('DrainOptionsInput', { description: 'The flags of kubectl drain.' })
export class DrainOptionsBody {
  @Given(flag('--force: pods without a controller go too.'))
  force?: boolean;

  @Given(flag('--ignore-daemonsets: pods of DaemonSets stay, and do not stop the drain.'))
  ignoreDaemonSets?: boolean;

  @Given(flag('--delete-emptydir-data: pods with an emptyDir go, and their data with them.'))
  deleteEmptyDirData?: boolean;

  @Given(flag('--disable-eviction: pods are deleted, and no budget is asked.'))
  disableEviction?: boolean;

  @Given({ type: 'string', optional: true, description: '--pod-selector: only these pods.', example: 'app!=db' })
  podSelector?: string;

  @Given({
    type: 'integer',
    optional: true,
    defaultsTo: 0,
    description: '--skip-wait-for-delete-timeout: pods that were deleted longer ago are not waited for; 0 for all.',
  })
  skipWaitForDeleteTimeoutSeconds?: number;

  @Given({
    type: 'integer',
    optional: true,
    defaultsTo: -1,
    description: "--grace-period, in seconds: in the place of each pod's own; negative for its own.",
  })
  gracePeriodSeconds?: number;

  @Given({
    type: 'integer',
    optional: true,
    minimum: 0,
    defaultsTo: 0,
    description: '--timeout, in seconds: how long kubectl waits for one node; 0 for ever.',
  })
  timeoutSeconds?: number;
}

@InputType('RollingDrainInput', { description: 'How nodes are drained one after another.' })
export class RollingDrainBody {
  @Given({
    type: 'integer',
    optional: true,
    minimum: 1,
    maximum: 10_000,
    defaultsTo: 1,
    description: 'So many nodes at once.',
  })
  maxParallel?: number;

  @Given({
    type: 'integer',
    optional: true,
    minimum: 0,
    maximum: 31_536_000,
    defaultsTo: 60,
    description: "From the making of a pod's replacement until it is ready, in seconds.",
  })
  replacementReadySeconds?: number;
}

@InputType('DrainInput', { description: 'Which nodes, and how. Exactly one of nodes and nodeSelector is given.' })
export class DrainQuestionBody {
  @Given({
    type: 'string',
    list: true,
    optional: true,
    maximumLength: 10_000,
    description: 'Names of nodes, in the order in which they are drained.',
    example: ['node-1'],
  })
  nodes?: string[];

  @Given({
    type: 'string',
    optional: true,
    description: "Nodes with these labels, in kubectl's syntax, by name; the empty text for all.",
    example: 'pool=batch',
  })
  nodeSelector?: string;

  @Given({ type: () => DrainOptionsBody, optional: true, description: 'The flags of kubectl drain.' })
  options?: DrainOptionsBody;

  @Given({
    type: 'json',
    optional: true,
    defaultsTo: 'drain=true:NoExecute',
    description:
      "The NoExecute taint that the drain is held against, in kubectl's syntax or as an object. Those that the node has already count too.",
    example: 'maintenance=true:NoExecute',
  })
  taint?: JsonValue;

  @Given({ type: () => RollingDrainBody, optional: true, description: 'How nodes are drained one after another.' })
  rolling?: RollingDrainBody;
}

export class DrainBody extends DrainQuestionBody {
  @Given(SCENARIO)
  scenario?: ScenarioBody;
}

import { InputType, ObjectType } from '@nestjs/graphql';
import { DIFFERENCES } from '../../core/scheduling/comparison/compare-runs.js';
import type { JsonObject } from '../../core/json/json-value.js';
import type { Plain } from './plain.js';
import { Given, Shown } from './property.js';
import { wordsType } from './property-type.js';
import { CONFIGURATION } from './queue-run-shape.js';
import { RefusalTextsShape } from './refusal-shape.js';
import { SCENARIO, type ScenarioBody } from './scenario-body.js';

const DIFFERENCE = wordsType(
  'RunDifference',
  'The same node; another one; a node on the first side alone; on the other alone; none on both; not known on both.',
  DIFFERENCES,
);
const SIDE_OUTCOME = wordsType('ComparedOutcome', 'What became of a pod on one side; absent: it is not there.', [
  'placed',
  'unplaced',
  'gated',
  'error',
  'notTried',
  'absent',
]);

export const DIFFERENCES_FILTER = {
  type: DIFFERENCE,
  list: true,
  optional: true,
  maximumLength: DIFFERENCES.length,
  description: 'List only these; all but `stays` unless told. The counts are of all.',
} as const;

@InputType('ComparisonSideInput')
export class ComparisonSideBody {
  @Given({
    type: 'integer',
    optional: true,
    minimum: 1,
    description: 'Its revision; that of the first side unless told.',
  })
  revision?: number;

  @Given({ type: 'time', optional: true, description: 'Its state as of this moment, an RFC 3339 time.' })
  at?: string;

  @Given(SCENARIO)
  scenario?: ScenarioBody;

  @Given(CONFIGURATION)
  configuration?: JsonObject;
}

@InputType('PodSelectionInput')
export class PodSelectionBody {
  @Given({ type: 'string', optional: true, description: 'Of this namespace; of all unless told.', example: 'default' })
  namespace?: string;

  @Given({ type: 'string', optional: true, description: "With these labels, in kubectl's syntax." })
  labelSelector?: string;
}

export const AGAINST = {
  type: () => ComparisonSideBody,
  description:
    'The other side: another revision, a scenario, another configuration of the scheduler, or several of these.',
} as const;

export const SELECTION = {
  type: () => PodSelectionBody,
  optional: true,
  description:
    'Pods that are taken off their nodes and placed anew together with those that wait; those of DaemonSets and static pods stay. Unless told, only pods that wait are placed.',
} as const;

@ObjectType('ComparedSide', { description: 'What became of a pod on one side.' })
export class ComparedSideShape extends RefusalTextsShape {
  @Shown({ type: SIDE_OUTCOME, description: 'The outcome.', example: 'placed' })
  outcome!: string;

  @Shown({ type: 'string', optional: true, description: 'Its node.', example: 'node-1' })
  node!: string | null;
}

@ObjectType('ComparedPod', { description: 'What became of a pod on both sides.' })
export class ComparedPodShape {
  @Shown({ type: 'string', description: 'Its namespace.', example: 'default' })
  namespace!: string;

  @Shown({ type: 'string', description: 'Its name.', example: 'web-0' })
  name!: string;

  @Shown({ type: DIFFERENCE, description: 'What differs.', example: 'fitsNow' })
  difference!: string;

  @Shown({ type: () => ComparedSideShape, description: 'On the first side.' })
  before!: Plain<ComparedSideShape>;

  @Shown({ type: () => ComparedSideShape, description: 'On the other.' })
  after!: Plain<ComparedSideShape>;
}

@ObjectType('ComparisonCounts', { description: 'Pods by what differs.' })
export class ComparisonCountsShape {
  @Shown({ type: 'integer', description: 'The same node.', example: 0 })
  stays!: number;

  @Shown({ type: 'integer', description: 'Another node.', example: 0 })
  moves!: number;

  @Shown({ type: 'integer', description: 'A node on the first side alone.', example: 0 })
  fitsNoMore!: number;

  @Shown({ type: 'integer', description: 'A node on the other side alone.', example: 1 })
  fitsNow!: number;

  @Shown({ type: 'integer', description: 'None on both.', example: 0 })
  neither!: number;

  @Shown({ type: 'integer', description: 'Not known on both.', example: 0 })
  unclear!: number;
}

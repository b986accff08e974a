import { ObjectType } from '@nestjs/graphql';
import type { Basis, IntentsBasis, ScenarioBasis } from '../../app/reads/basis.js';
import type { Plain } from './plain.js';
import { Shown } from './property.js';

@ObjectType('ScenarioCounts', { description: 'How many objects differ from the state as it is stored.' })
export class ScenarioCountsShape {
  @Shown({ type: 'integer', description: 'That are there only in the scenario.', example: 3 })
  added!: number;

  @Shown({ type: 'integer', description: 'That are not there in the scenario.', example: 0 })
  removed!: number;

  @Shown({ type: 'integer', description: 'That are another in the scenario.', example: 0 })
  changed!: number;
}

@ObjectType('ScenarioBasis', { description: 'Hypothetical changes that an answer rests on.' })
export class ScenarioBasisShape implements ScenarioBasis {
  @Shown({ type: 'integer', description: 'How many changes.', example: 1 })
  changes!: number;

  @Shown({ type: 'string', description: 'The same for equal scenarios.', example: 'h2Xz0mT9cT5c1Qm2m0mGzA' })
  hash!: string;

  @Shown({ type: () => ScenarioCountsShape, description: 'Nodes.' })
  nodes!: Plain<ScenarioCountsShape>;

  @Shown({ type: () => ScenarioCountsShape, description: 'Pods.' })
  pods!: Plain<ScenarioCountsShape>;

  @Shown({
    type: 'string',
    list: true,
    description: 'What the counts do not tell, such as what became of the pods of removed nodes.',
    example: [],
  })
  notes!: readonly string[];
}

@ObjectType('IntentsBasis', {
  description: 'Changes of taints that were made here, and that no snapshot and no audit event has decided yet.',
})
export class IntentsBasisShape implements IntentsBasis {
  @Shown({ type: 'integer', description: 'Nodes of the revision that carry such changes.', example: 0 })
  unconfirmedNodes!: number;

  @Shown({
    type: 'boolean',
    description: 'Whether the answer counts them; else it rests on those nodes as they were seen last.',
    example: true,
  })
  included!: boolean;
}

@ObjectType('AnswerBasis', { description: 'What an answer rests on.' })
export class BasisShape implements Basis {
  @Shown({ type: 'string', description: 'The cluster.', example: 'eks-prod' })
  cluster!: string;

  @Shown({ type: 'integer', description: 'The revision of its state.', example: 7 })
  revision!: number;

  @Shown({ type: 'time', description: 'When the state was so in the cluster.', example: '2026-05-04T03:02:01.000Z' })
  capturedAt!: Date;

  @Shown({ type: 'integer', description: 'Whole seconds from then to the question.', example: 42 })
  ageSeconds!: number;

  @Shown({
    type: 'string',
    optional: true,
    description: "The cluster's own version, from its nodes; null when they do not say.",
    example: 'v1.34.1',
  })
  kubernetesVersion!: string | null;

  @Shown({ type: 'string', description: 'The Kubernetes release whose rules were applied.', example: 'v1.36.2' })
  rulesVersion!: string;

  @Shown({ type: () => IntentsBasisShape, description: 'Changes made here that nothing has confirmed yet.' })
  intents!: Plain<IntentsBasisShape>;

  @Shown({
    type: () => ScenarioBasisShape,
    optional: true,
    description: 'The hypothetical changes that it rests on besides; null for the state as it is stored.',
  })
  scenario!: Plain<ScenarioBasisShape> | null;

  @Shown({ type: 'string', description: 'Names this answer.', example: '1f0c1c5e-6a58-4f0e-9c39-5d5e3a8c1a11' })
  decisionId!: string;
}

import { ObjectType } from '@nestjs/graphql';
import type { Basis } from '../../app/reads/basis.js';
import { Shown } from './property.js';

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

  @Shown({ type: 'string', description: 'Names this answer.', example: '1f0c1c5e-6a58-4f0e-9c39-5d5e3a8c1a11' })
  decisionId!: string;
}

import { ObjectType } from '@nestjs/graphql';
import { Shown } from './property.js';

@ObjectType('WorkloadName', {
  description: 'The outermost controller that is known, or the pod itself where it has none.',
})
export class WorkloadNameShape {
  @Shown({ type: 'string', description: 'Its kind.', example: 'Deployment' })
  kind!: string;

  @Shown({ type: 'string', description: 'Its namespace.', example: 'default' })
  namespace!: string;

  @Shown({ type: 'string', description: 'Its name.', example: 'web' })
  name!: string;
}

import { Args, ArgsType, InputType, Mutation, ObjectType, Parent, ResolveField, Resolver } from '@nestjs/graphql';
import { DeletePool } from '../../app/pools/delete-pool.js';
import { GetPool } from '../../app/pools/get-pool.js';
import { ListPools } from '../../app/pools/list-pools.js';
import { PutPool } from '../../app/pools/put-pool.js';
import type { RequestEdge } from '../../app/request-edge.js';
import { AtEdge } from '../edge.js';
import { Needs } from '../needs.js';
import { readAtOf } from '../rest/read-at-query.js';
import { ClusterShape } from '../shapes/cluster-shape.js';
import type { Plain } from '../shapes/plain.js';
import {
  DeletePoolAnswerShape,
  PoolAnswerShape,
  PoolBody,
  PoolShape,
  PutPoolAnswerShape,
  putPoolRequest,
} from '../shapes/pool-shape.js';
import { Given } from '../shapes/property.js';
import {
  ReadArguments,
  readConnection,
  ReadConnectionArguments,
  readConnectionOf,
  readRequest,
  type ReadConnection,
} from './read-connection.js';

@ObjectType({ description: 'Pools, by name.' })
class PoolConnection extends readConnectionOf(PoolShape, 'Pool') {}

const CLUSTER = { type: 'string', description: 'The cluster.' } as const;
const NAME = { type: 'string', description: 'The pool.' } as const;
const IF_MATCH = {
  type: 'string',
  optional: true,
  description: 'As the header `If-Match` of REST: `"7"` for a revision, in double quotes.',
} as const;

@ArgsType()
export class PoolArguments extends ReadArguments {
  @Given(NAME)
  name!: string;
}

@InputType('PutPoolInput')
class PutPoolInput extends PoolBody {
  @Given(CLUSTER)
  cluster!: string;

  @Given(NAME)
  name!: string;

  @Given(IF_MATCH)
  ifMatch?: string;
}

@InputType('DeletePoolInput')
class DeletePoolInput {
  @Given(CLUSTER)
  cluster!: string;

  @Given(NAME)
  name!: string;

  @Given({ type: 'boolean', optional: true, defaultsTo: false, description: 'Only say what would happen.' })
  dryRun?: boolean;

  @Given(IF_MATCH)
  ifMatch?: string;
}

@ArgsType()
class PutPoolArguments {
  @Given({ type: () => PutPoolInput, description: 'Which pool, and what is declared of it.' })
  input!: PutPoolInput;
}

@ArgsType()
class DeletePoolArguments {
  @Given({ type: () => DeletePoolInput, description: 'Which pool.' })
  input!: DeletePoolInput;
}

@Resolver(() => ClusterShape)
export class PoolsResolver {
  constructor(
    private readonly listPools: ListPools,
    private readonly getPool: GetPool,
    private readonly putPoolCase: PutPool,
    private readonly deletePoolCase: DeletePool,
  ) {}

  @ResolveField(() => PoolConnection, { description: 'The pools that are declared of it.' })
  @Needs('read', 'parent')
  async pools(
    @Parent() { name: cluster }: ClusterShape,
    @Args() args: ReadConnectionArguments,
    @AtEdge() edge: RequestEdge,
  ): Promise<ReadConnection<Plain<PoolShape>>> {
    return readConnection(await this.listPools.run(readRequest(cluster, args), edge), args);
  }

  @ResolveField(() => PoolAnswerShape, { description: 'One declared pool.' })
  @Needs('read', 'parent')
  async pool(
    @Parent() { name: cluster }: ClusterShape,
    @Args() args: PoolArguments,
    @AtEdge() edge: RequestEdge,
  ): Promise<Plain<PoolAnswerShape>> {
    return this.getPool.run({ cluster, name: args.name, readAt: readAtOf(args) }, edge);
  }

  @Mutation(() => PutPoolAnswerShape, {
    description: 'Declares a pool of dedicated nodes, or says what that would be.',
  })
  @Needs('evaluate', 'input.cluster')
  async putPool(@Args() { input }: PutPoolArguments, @AtEdge() edge: RequestEdge): Promise<Plain<PutPoolAnswerShape>> {
    const { cluster, name, ifMatch } = input;
    return this.putPoolCase.run(putPoolRequest(cluster, name, input, { ifMatch, root: 'input' }), edge);
  }

  @Mutation(() => DeletePoolAnswerShape, { description: 'Takes the declaration of a pool back.' })
  @Needs('evaluate', 'input.cluster')
  async deletePool(
    @Args() { input }: DeletePoolArguments,
    @AtEdge() edge: RequestEdge,
  ): Promise<Plain<DeletePoolAnswerShape>> {
    const { cluster, name, dryRun, ifMatch } = input;
    return this.deletePoolCase.run({ cluster, name, dryRun: dryRun ?? false, ifMatch }, edge);
  }
}

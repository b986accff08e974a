import { FieldPath } from '../../core/kubernetes/field-path.js';
import { nameIsDnsSubdomain } from '../../core/kubernetes/validation/object-names.js';
import type { JsonObject } from '../../core/json/json-value.js';
import { poolOf, poolsIn } from '../../core/pools/pools-in.js';
import { readPool, type GivenPool, type PoolFault } from '../../core/pools/read-pool.js';
import type { PoolSpec } from '../../core/pools/pool.js';
import { InvalidRequestError } from '../errors/invalid-request-error.js';
import type { ErrorDetail } from '../errors/service-error.js';
import type { Basis } from '../reads/basis.js';
import type { RequestEdge } from '../request-edge.js';
import { ChangeSetting } from '../settings/change-setting.js';
import { poolView, type PoolView } from './pool-view.js';

/** Pools that one cluster may have: a pod is held against all of them at its admission. */
const MOST_POOLS = 200;

export interface PutPoolRequest {
  readonly cluster: string;
  readonly name: string;
  readonly pool: GivenPool;
  readonly dryRun: boolean;
  readonly ifMatch?: string | undefined;
  /** Where the fields stand: `input` among the arguments of GraphQL, nothing in a body of REST. */
  readonly root: '' | 'input';
}

export interface PutPoolAnswer {
  readonly basis: Basis;
  readonly dryRun: boolean;
  readonly outcome: 'created' | 'changed' | 'unchanged';
  readonly pool: PoolView;
}

/** Declares a pool of a cluster, or declares it otherwise. */
export class PutPool {
  constructor(private readonly changeSetting: ChangeSetting) {}

  /**
   * @throws {InvalidRequestError} everything that is wrong with the declaration
   * @throws {ServiceError} as `ChangeSetting.run`
   */
  async run(request: PutPoolRequest, edge: RequestEdge): Promise<PutPoolAnswer> {
    const { name, dryRun } = request;
    const spec = checked(request);
    const made = await this.changeSetting.run(
      {
        ...request,
        kind: 'Pool',
        content: ({ state }, former) => {
          if (former === undefined && poolsIn(state).length >= MOST_POOLS) throw tooMany();
          return spec as unknown as JsonObject;
        },
      },
      edge,
    );
    return {
      basis: made.basis,
      dryRun,
      outcome: made.former === undefined ? 'created' : made.changed ? 'changed' : 'unchanged',
      pool: poolView(made.head.state, poolOf(name, spec)),
    };
  }
}

/** Under this name it is read; it is not shown. */
const BODY = 'body';

function checked({ name, pool, root }: PutPoolRequest): PoolSpec {
  const { pool: spec, faults } = readPool(pool, FieldPath.of(BODY));
  const complaints = nameIsDnsSubdomain(name, false).map((message): ErrorDetail => ({
    field: root === '' ? 'pool' : `${root}.name`,
    code: 'FieldValueInvalid',
    message,
  }));
  const details = [...complaints, ...faults.map((fault) => moved(fault, root))];
  if (details.length > 0) throw new InvalidRequestError(details);
  return spec;
}

/** What is wrong with the members of a declaration that can be read. */
export const declarationFaults = (pool: GivenPool): readonly ErrorDetail[] =>
  readPool(pool, FieldPath.of(BODY)).faults.map((fault) => moved(fault, ''));

function moved({ code, message, field, pointer }: PoolFault, root: string): ErrorDetail {
  const rest = field.slice(BODY.length);
  return {
    code,
    message,
    field: root === '' ? rest.replace(/^\./, '') : `${root}${rest}`,
    pointer: `${root === '' ? '' : `/${root}`}${pointer.slice(BODY.length + 1)}`,
  };
}

const tooMany = (): InvalidRequestError =>
  new InvalidRequestError([
    { field: 'pool', code: 'too-many', message: `a cluster has at most ${MOST_POOLS} pools; take one back first` },
  ]);

import { defined } from '../../core/collections/defined.js';
import { FieldPath } from '../../core/kubernetes/field-path.js';
import { nameIsDnsSubdomain } from '../../core/kubernetes/validation/object-names.js';
import type { JsonObject } from '../../core/json/json-value.js';
import { poolOf, poolsIn } from '../../core/pools/pools-in.js';
import { readPool, type GivenPool, type PoolFault } from '../../core/pools/read-pool.js';
import type { PoolSpec } from '../../core/pools/pool.js';
import { InvalidRequestError } from '../errors/invalid-request-error.js';
import type { ErrorDetail } from '../errors/service-error.js';
import type { poolFields } from '../../contract/pools/pool.js';
import type { putPool } from '../../contract/pools/questions.js';
import type { AnswerTo } from '../../contract/question.js';
import type { Request } from '../../contract/schema.js';
import type { RequestOf } from '../request-of.js';
import type { RequestContext } from '../request-context.js';
import { ChangeSetting } from '../settings/change-setting.js';
import { poolResponse } from './pool-response.js';

/** Maximum number of pools in a cluster: admission checks a pod against all of them. */
const MAX_POOLS = 200;

type PutPoolRequest = RequestOf<typeof putPool>;

/** Creates or replaces a pool of a cluster. */
export class PutPool {
  constructor(private readonly changeSetting: ChangeSetting) {}

  /**
   * @throws {InvalidRequestError} with every error in the declaration
   * @throws {ServiceError} as `ChangeSetting.run`
   */
  async run(request: PutPoolRequest, context: RequestContext): Promise<AnswerTo<typeof putPool>> {
    const { name, dryRun = false } = request;
    const spec = checked(request);
    const made = await this.changeSetting.run(
      {
        ...request,
        dryRun,
        kind: 'Pool',
        content: ({ state }, former) => {
          if (former === undefined && poolsIn(state).length >= MAX_POOLS) throw tooMany();
          return spec as unknown as JsonObject;
        },
      },
      context,
    );
    return {
      basis: made.basis,
      dryRun,
      outcome: made.former === undefined ? 'created' : made.changed ? 'changed' : 'unchanged',
      pool: poolResponse(made.head.state, poolOf(name, spec)),
    };
  }
}

/** Place under which the body is parsed; it does not appear in errors. */
const BODY = 'body';

function checked(request: PutPoolRequest): PoolSpec {
  const { name, root, nodes, taints, labels, users, exemptNamespaces } = request;
  const given = defined({ nodes, taints, labels, users: users && defined(users), exemptNamespaces }) as GivenPool;
  const { pool: spec, faults } = readPool(given, FieldPath.of(BODY));
  const complaints = nameIsDnsSubdomain(name, false).map((message): ErrorDetail => ({
    field: root === '' ? 'pool' : `${root}.name`,
    code: 'FieldValueInvalid',
    message,
  }));
  const details = [...complaints, ...faults.map((fault) => moved(fault, root))];
  if (details.length > 0) throw new InvalidRequestError(details);
  return spec;
}

/** The errors in the members of a declaration. */
export function declarationErrors(given: Request<typeof poolFields>): readonly ErrorDetail[] {
  return readPool(given as GivenPool, FieldPath.of(BODY)).faults.map((fault) => moved(fault, ''));
}

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
    { field: 'pool', code: 'too-many', message: `a cluster can have at most ${MAX_POOLS} pools; delete one first` },
  ]);

import { ruleSubject } from '../../core/audit/rule-subject.js';
import { isNoDifference } from '../../core/audit/taint-difference.js';
import { defined } from '../../core/collections/defined.js';
import { ApiClient } from '../../kube-api/api-client.js';
import type { OpenConnection } from '../connections/connections.js';
import { ServiceError } from '../errors/service-error.js';
import { isRepeated, type MadeChange, type RepeatedChange } from '../taint-changes/change-to-make.js';
import type { RequestContext } from '../request-context.js';
import { dryRunResponse, type NodeApplicationResponse } from './application-response.js';
import { ChangeWriter, type SubjectChange } from './change-writer.js';

/** Nodes that one question may try, and how many at the same time. */
const MOST_NODES = 500;
const AT_ONCE = 8;

/** Asks the API server of a cluster by dry runs whether it would store a change. Nothing is written. */
export class TryApplication {
  constructor(private readonly client: ApiClient) {}

  /** Tries the preview of a change that is to be applied; undefined for a change that was made. @throws as `run` */
  async ofPreview(
    connection: OpenConnection,
    made: MadeChange | RepeatedChange,
    context: Pick<RequestContext, 'now' | 'signal'>,
  ): Promise<ReadonlyMap<string, NodeApplicationResponse> | undefined> {
    if (isRepeated(made) || !made.change.dryRun) return undefined;
    return this.run(connection, changesIn(made), made.change.application?.options.force ?? false, context);
  }

  /**
   * @returns what it says of each node by name, and of a rule by its `ruleSubject`
   * @throws {ServiceError} `budget-exceeded` for too many nodes; `cancelled`
   */
  async run(
    { apiServer }: OpenConnection,
    nodes: readonly SubjectChange[],
    force: boolean,
    { now, signal }: Pick<RequestContext, 'now' | 'signal'>,
  ): Promise<ReadonlyMap<string, NodeApplicationResponse>> {
    if (nodes.length > MOST_NODES) {
      throw new ServiceError(
        'budget-exceeded',
        `The change is about ${nodes.length} nodes; at most ${MOST_NODES} can be tried by dry runs. Name fewer nodes.`,
      );
    }
    const writer = new ChangeWriter((request) => this.client.ask(apiServer, request, signal));
    const tried = new Map<string, NodeApplicationResponse>();
    let next = 0;
    const worker = async (): Promise<void> => {
      for (let one = nodes[next++]; one !== undefined; one = nodes[next++]) {
        const result = await writer.write(one, force, { dryRun: true, beforeWrite: () => Promise.resolve(false) });
        tried.set(one.node, dryRunResponse(result, now));
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    return tried;
  }
}

/** What a planned change does to each node, or to a rule. */
function changesIn({ plan, rule }: MadeChange): readonly SubjectChange[] {
  if (rule !== undefined) {
    const { difference, labels, effects } = rule;
    return isNoDifference(difference) ? [] : [{ node: ruleSubject(effects.rule), difference, ...defined({ labels }) }];
  }
  return plan.edited.map(({ before, difference, labels }) => ({
    node: before.metadata.name,
    difference,
    ...defined({ labels }),
  }));
}

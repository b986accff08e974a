import { ArgsType } from '@nestjs/graphql';
import { AcrossClusters, type AcrossClustersRequest } from '../../app/across-clusters.js';
import { DEFAULT_PAGE_SIZE, type PageRequest } from '../../contract/page.js';
import type { Intents, ReadAt } from '../../app/reads/read-at.js';
import type { RequestContext } from '../../app/request-context.js';
import { AT, INTENTS, MAX_AGE, readAtOf } from '../rest/read-at-query.js';
import { PartErrorShape, partErrorShape } from '../shapes/part-error-shape.js';
import type { Plain } from '../shapes/plain.js';
import { Given } from '../shapes/property.js';
import { SCENARIO, type ScenarioBody } from '../shapes/scenario-body.js';
import { connection, ConnectionArguments, pageOfConnection, type Connection } from './connection.js';

/** The arguments of every question to several clusters: the edges are clusters. */
@ArgsType()
export class AcrossArguments extends ConnectionArguments {
  @Given({
    type: 'string',
    optional: true,
    description: "Only clusters with these labels, in kubectl's syntax; all of them by default.",
  })
  clusterSelector?: string;

  @Given({
    type: 'integer',
    optional: true,
    minimum: 1,
    maximum: 1000,
    description: 'At most so many items of each cluster, 100 by default; the cluster alone tells the others.',
  })
  perCluster?: number;

  @Given(AT)
  at?: string;

  @Given(MAX_AGE)
  maxAge?: string;

  @Given(INTENTS)
  intents?: Intents;

  @Given(SCENARIO)
  scenario?: ScenarioBody;
}

/** Each cluster's answer, whose fields are null where there is an error instead. */
export async function acrossClusters<Answer extends object>(
  across: AcrossClusters,
  args: AcrossArguments,
  question: AcrossClustersRequest['question'],
  edge: RequestContext,
  ask: (cluster: string, each: { readonly readAt: ReadAt; readonly page: PageRequest }) => Promise<Answer>,
): Promise<Connection<Partial<Answer> & { cluster: string; error: Plain<PartErrorShape> | null }>> {
  const { clusterSelector, perCluster = DEFAULT_PAGE_SIZE } = args;
  const readAt = readAtOf(args);
  const each = { readAt, page: { size: perCluster, afterName: 'after' } };
  const name = [...question, perCluster, readAt.at?.toISOString(), readAt.scenario?.hash, readAt.intents];
  const request = { clusterSelector, page: pageOfConnection(args), question: name };
  const page = await across.run(request, (cluster) => ask(cluster.name, each), edge);
  return connection(page, args, ({ cluster, answer, error }) => ({
    cluster: cluster.name,
    ...(answer ?? ({} as Partial<Answer>)),
    error: error === null ? null : partErrorShape(error),
  }));
}

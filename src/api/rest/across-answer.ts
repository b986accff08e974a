import type { AcrossClusters, AcrossClustersRequest } from '../../app/across-clusters.js';
import { DEFAULT_PAGE_SIZE, type Page, type PageRequest } from '../../contract/page.js';
import { mapPage } from '../../app/paging/page-by-position.js';
import type { ReadAt } from '../../app/reads/read-at.js';
import type { RequestContext } from '../../app/request-context.js';
import { defined } from '../../core/collections/defined.js';
import { PartErrorShape, partErrorShape } from '../shapes/part-error-shape.js';
import type { Plain } from '../shapes/plain.js';
import { Shown } from '../shapes/property.js';
import type { AcrossQuery } from './across-query.js';
import { readAtOf } from './read-at-query.js';

/** What one of several clusters says; extended by the answer itself. */
export class ClusterAnswerShape {
  @Shown({ type: 'string', description: 'The cluster.', example: 'eks-prod' })
  cluster!: string;

  @Shown({ type: () => PartErrorShape, optional: true, description: 'Why it has no answer; null with one.' })
  error!: Plain<PartErrorShape> | null;
}

/** The clusters to ask, and what each of them is asked for. */
export function acrossRequest(
  query: AcrossQuery,
  question: AcrossClustersRequest['question'],
): { readonly request: AcrossClustersRequest; readonly each: { readonly readAt: ReadAt; readonly page: PageRequest } } {
  const { clusterSelector, perCluster = DEFAULT_PAGE_SIZE, at, limit = DEFAULT_PAGE_SIZE, continue: after } = query;
  const page = { size: limit, afterName: 'continue', ...defined({ after }) };
  const readAt = readAtOf(query);
  return {
    request: { clusterSelector, page, question: [...question, perCluster, at, readAt.scenario?.hash, readAt.intents] },
    each: { readAt, page: { size: perCluster, afterName: 'continue' } },
  };
}

/** Each cluster's answer, or its error as the API shows it. */
export async function askEach<Answer>(
  across: AcrossClusters,
  request: AcrossClustersRequest,
  edge: RequestContext,
  ask: (cluster: string) => Promise<Answer>,
): Promise<Page<{ cluster: string; answer: Answer | null; error: Plain<PartErrorShape> | null }>> {
  const page = await across.run(request, ({ name }) => ask(name), edge);
  return mapPage(page, ({ cluster, answer, error }) => ({
    cluster: cluster.name,
    answer,
    error: error === null ? null : partErrorShape(error),
  }));
}

import { DEFAULT_PAGE_SIZE } from '../../contract/page.js';
import { MOST_CLUSTERS } from '../../app/across-clusters.js';
import type { Intents } from '../../app/reads/read-at.js';
import { Given } from '../shapes/property.js';
import type { ScenarioBody } from '../shapes/scenario-body.js';
import { AT, INTENTS, MAX_AGE, SCENARIO_TEXT, type GivenReadAt } from './read-at-query.js';

/** The query parameters of every question to several clusters: a page is one of clusters. */
export class AcrossQuery implements GivenReadAt {
  @Given({
    type: 'string',
    optional: true,
    description: "The clusters with these labels, in kubectl's syntax; all by default.",
    example: 'env=prod',
  })
  clusterSelector?: string;

  @Given({
    type: 'integer',
    optional: true,
    minimum: 1,
    maximum: MOST_CLUSTERS,
    defaultsTo: DEFAULT_PAGE_SIZE,
    description: 'At most so many clusters in this page.',
  })
  limit?: number;

  @Given({ type: 'string', optional: true, description: 'The `continue` of the page before; the rest as there.' })
  continue?: string;

  @Given({
    type: 'integer',
    optional: true,
    minimum: 1,
    maximum: 1000,
    defaultsTo: DEFAULT_PAGE_SIZE,
    description: 'At most so many items of each cluster; the cluster alone tells the others.',
  })
  perCluster?: number;

  @Given(AT)
  at?: string;

  @Given(MAX_AGE)
  maxAge?: string;

  @Given(INTENTS)
  intents?: Intents;

  @Given(SCENARIO_TEXT)
  scenario?: ScenarioBody;
}

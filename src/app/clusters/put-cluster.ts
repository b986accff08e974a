import type { FieldPath } from '../../core/kubernetes/field-path.js';
import { validateLabels } from '../../core/kubernetes/validation/label.js';
import type { putCluster } from '../../contract/clusters/questions.js';
import type { AnswerTo } from '../../contract/question.js';
import { ClusterStore } from '../../storage/cluster-store.js';
import type { RequestOf } from '../request-of.js';
import { placeIn } from '../evictions/read-question.js';
import { faultAt } from '../errors/fault-at.js';
import { HeadCache } from '../reads/head-cache.js';
import { InvalidRequestError } from '../errors/invalid-request-error.js';
import { checkClusterName } from './cluster-name.js';
import { renderCluster } from './cluster-response.js';

/** Creates a cluster, or replaces the labels of an existing one. */
export class PutCluster {
  constructor(
    private readonly clusters: ClusterStore,
    private readonly heads: HeadCache,
  ) {}

  async run({
    cluster: name,
    labels,
    root,
  }: RequestOf<typeof putCluster>): Promise<{ cluster: AnswerTo<typeof putCluster>; created: boolean }> {
    checkClusterName(name);
    checkLabels(labels, placeIn(root, 'labels'));
    const { cluster, created } = await this.clusters.put(name, labels);
    this.heads.changed(cluster.id);
    return { cluster: renderCluster(cluster), created };
  }
}

/** Every list of clusters contains all of their labels. */
const MAX_LABELS = 256;

function checkLabels(labels: Readonly<Record<string, string>> | undefined, at: FieldPath): void {
  const given = Object.entries(labels ?? {});
  if (given.length > MAX_LABELS) {
    const message = `must have at most ${MAX_LABELS} labels, but has ${given.length}`;
    throw new InvalidRequestError([faultAt(at, 'too-many', message)]);
  }
  const details = given.flatMap(([key, value]) => {
    const place = at.key(key);
    // Validates one label at a time, so that each error can name its label.
    return validateLabels(Object.fromEntries([[key, value]]), place).map((error) => ({
      pointer: place.toPointer(),
      field: error.field,
      code: error.type,
      message: error.message,
    }));
  });
  if (details.length > 0) throw new InvalidRequestError(details);
}

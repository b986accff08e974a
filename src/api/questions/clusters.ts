import { renderCluster } from '../../app/clusters/cluster-response.js';
import { DeleteCluster } from '../../app/clusters/delete-cluster.js';
import { GetCluster } from '../../app/clusters/get-cluster.js';
import { ListClusters } from '../../app/clusters/list-clusters.js';
import { checkLabels, PutCluster } from '../../app/clusters/put-cluster.js';
import { ReadAccess } from '../../app/clusters/read-access.js';
import * as clusters from '../../contract/clusters/questions.js';
import { answeredBy, AnswerWithStatus, type AnyAnswered } from '../contract/answered-by.js';
import { errorsOfCheck } from './check-errors.js';

export const CLUSTER_QUESTIONS: readonly AnyAnswered[] = [
  answeredBy(clusters.putCluster, PutCluster, {
    crossFieldErrors: errorsOfCheck(checkLabels),
    ask: async (putCluster, request, context) => {
      const { cluster, created } = await putCluster.run(request, context);
      return new AnswerWithStatus(cluster, created ? 201 : 200);
    },
  }),
  answeredBy(clusters.listClusters, ListClusters),
  answeredBy(clusters.getCluster, GetCluster, {
    ask: async (getCluster, { cluster }) => renderCluster(await getCluster.run(cluster)),
  }),
  answeredBy(clusters.readAccess, ReadAccess),
  answeredBy(clusters.deleteCluster, DeleteCluster),
];
